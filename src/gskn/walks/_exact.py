"""Exact pattern rows of all nodes, without enumerating walks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._offsets import positions_within, ranges, running_total
from gskn._threads import run_threads
from gskn._types import BoolArray, FloatArray, IndexArray, NodeArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, plain_csr
from gskn.walks._algebra import Dense, Matrix, Sparse, compute, compute_fours
from gskn.walks._jit import copy_rows, fill_fours_work, fill_signed_rows
from gskn.walks._mobius import Kind, basis
from gskn.walks._plan import Plan, Term, make_plan
from gskn.walks._twins import Twins

MAX_EXACT_LENGTH = 8
_MAX_ENUMERATED = 1e12
_LARGEST_COUNT = 2.0**53
MAX_DENSE_SIZE = 512  # larger graphs never become dense
_BYTES_PER_PRODUCT = 20.0  # at the peak, of one sparse multiplication (measured)
_BUFFER_CELLS = 2**20
_GROUP_CELLS = 2**24  # of the sums of all quotients of a group
_NOISE = 64 * float(np.finfo(np.float64).eps)  # of a sum without signs
_FOURS_PER_PRODUCT = 5.0  # steps of that compiled loop in the time of a multiplication
_GROUP_BYTES = 2**22  # of one dense matrix per group: a few of them stay in the cache
_SPARSE_OVER_DENSE = 40.0  # time of a sparse multiplication over that of a dense one


@dataclass(frozen=True)
class StepGraphs:
    """A batch with what walks need: the matrix of steps, and the kind of every graph."""

    batch: GraphBatch
    steps: csr_array  # dead ends step to themselves
    staying: BoolArray
    weighted: BoolArray
    twins: Twins

    @staticmethod
    def of(batch: GraphBatch, *, use_weights: bool) -> "StepGraphs":
        """Prepare a batch; without weights every edge counts 1."""
        steps, weighted = step_matrix(batch, use_weights=use_weights)
        stays = steps.diagonal() > 0
        twins = Twins.from_steps(steps, batch.graph_ptr, ~(weighted | batch.directed))
        return StepGraphs(batch, steps, _any_of(stays, batch), weighted, twins)

    @property
    def sizes(self) -> IndexArray:
        """Nodes of every graph, twins counted once."""
        return np.diff(self.twins.group_ptr)


def step_matrix(batch: GraphBatch, *, use_weights: bool) -> tuple[csr_array, BoolArray]:
    """Return the matrix of steps, and which graphs have weights.

    Entries are chances in graphs that have weights, if these are used, else ones; at a
    dead end a step leads back.
    """
    matrix = batch.adjacency.tocsr()
    data = np.ones(matrix.nnz) if batch.is_weighted else matrix.data
    weighted = np.zeros(batch.n_graphs, dtype=bool)
    if use_weights and batch.is_weighted:
        sources = np.repeat(np.arange(batch.n_nodes), batch.degrees)
        owners = batch.node_graphs[sources]
        weighted[owners[matrix.data != 1]] = True
        # Powers of raw weights would overflow; chances are at most one.
        chances = matrix.data / row_maxima(batch)[sources]
        chances /= np.bincount(sources, chances, batch.n_nodes)[sources]
        data = np.where(weighted[owners], chances, 1.0)
    steps = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return with_dead_ends(steps), weighted


def without_loops(matrix: csr_array) -> csr_array:
    """Return the steps that lead elsewhere."""
    nodes = np.flatnonzero(matrix.diagonal())
    counts = np.diff(matrix.indptr)
    entries = ranges(matrix.indptr[nodes], counts[nodes])  # of rows that have a loop
    loops = entries[matrix.indices[entries] == np.repeat(nodes, counts[nodes])]
    counts[nodes] -= 1
    data, indices = (np.delete(array, loops) for array in (matrix.data, matrix.indices))
    return plain_csr(data, indices, running_total(counts), matrix.shape)


def with_dead_ends(matrix: csr_array) -> csr_array:
    """Let nodes without an edge step to themselves."""
    nodes = np.flatnonzero(np.diff(matrix.indptr) == 0)
    if not len(nodes):
        return matrix
    ends = csr_array((np.ones(len(nodes)), (nodes, nodes)), shape=matrix.shape)
    return (matrix + ends).tocsr()


def exact_rows(
    graphs: StepGraphs,
    numbers: IndexArray,
    lengths: tuple[int, ...],
    *,
    probability: bool,
    floats: bool,
    n_jobs: int | None = None,
) -> list[list["SomeRows"]]:
    """Return the rows of some graphs, group by group, for every length."""
    work = product_work(graphs, max(lengths))
    tasks = [
        _Task(graphs, group, lengths, kind, dense, has_twins, floats)
        for kind, has_twins, members in _by_kind(graphs, numbers, probability=probability)
        for group, dense in _groups(
            members,
            graphs.sizes[members],
            work[members],
            make_plan(lengths, kind),
        )
    ]
    return run_threads(_Task.run, tasks, n_jobs)


@dataclass(frozen=True)
class _Task:
    """Graphs of one kind that are computed together, by one thread."""

    graphs: StepGraphs
    numbers: IndexArray
    lengths: tuple[int, ...]
    kind: Kind
    dense: bool
    has_twins: bool
    floats: bool

    def run(self) -> list["SomeRows"]:
        twins = self.graphs.twins
        inside = _Blocks.of(twins.steps, twins.group_ptr, self.numbers)
        sums = self._dense_sums(inside) if self.dense else self._sparse_sums(inside)
        cuts = np.cumsum(
            [len(basis(length, self.kind).quotients) for length in self.lengths]
        )
        parts = zip(np.split(sums, cuts[:-1]), self.lengths, strict=True)
        nodes, sources = twins.nodes_of(inside.nodes)
        return [
            SomeRows(nodes, sources, _signed(part, length, self.kind, floats=self.floats))
            for part, length in parts
        ]

    def _sparse_sums(self, inside: "_Blocks") -> FloatArray:
        plan = make_plan(self.lengths, self.kind)
        extra, sizes = self._of_twins(inside.nodes)
        algebra = Sparse(Matrix(inside.as_csr(), extra), sizes, self.kind)
        sums = compute(plan, algebra, self._fours(plan, inside))
        return np.array(sums).reshape(len(plan.roots), len(inside.nodes))

    def _dense_sums(self, inside: "_Blocks") -> FloatArray:
        plan = make_plan(self.lengths, self.kind)
        padded, slots = inside.as_array()
        extra, sizes = (
            values if values is None else _spread(values, slots, padded)
            for values in self._of_twins(inside.nodes)
        )
        fours = self._fours(plan, inside)
        spread = {term: _spread(values, slots, padded) for term, values in fours.items()}
        sums = compute(plan, Dense(Matrix(padded, extra), sizes, self.kind), spread)
        return np.array([values.ravel()[slots] for values in sums])

    def _of_twins(self, classes: IndexArray) -> tuple[FloatArray | None, FloatArray | None]:
        """Return what a node has for itself, and the size of every class."""
        if not self.has_twins:
            return None, None
        twins = self.graphs.twins
        return twins.extra[classes], twins.sizes[classes].astype(np.float64)

    def _fours(self, plan: Plan, inside: "_Blocks") -> dict[Term, FloatArray]:
        """Compute complete graphs of four among all nodes, from one of every class."""
        if not plan.count("four"):
            return {}
        ptr = self.graphs.batch.graph_ptr
        nodes = _Blocks.of(self.graphs.steps, ptr, self.numbers)
        shift = running_total(nodes.sizes)[:-1] - ptr[self.numbers]
        first = self.graphs.twins.first[inside.nodes]
        roots = first + np.repeat(shift, inside.sizes)
        algebra = Sparse(Matrix(nodes.as_csr(), None), None, self.kind)
        return compute_fours(plan, algebra, roots)


def _any_of(nodes: BoolArray, batch: GraphBatch) -> BoolArray:
    """Tell of every graph whether any of its nodes is marked."""
    marked = np.zeros(batch.n_graphs, dtype=bool)
    marked[batch.node_graphs[nodes]] = True
    return marked


def _by_kind(
    graphs: StepGraphs, numbers: IndexArray, *, probability: bool
) -> Iterator[tuple[Kind, bool, IndexArray]]:
    """Split graphs by what their quotients may forget, and by whether twins are used."""
    flags = np.array(
        [graphs.weighted, graphs.batch.directed, graphs.staying, graphs.twins.used]
    ).T[numbers]
    for flag in np.unique(flags, axis=0):
        weighted, directed, staying, has_twins = map(bool, flag)
        # Chances there and back differ even where weights do not.
        kind = Kind(weighted, directed or weighted, staying, probability)
        yield kind, has_twins, numbers[(flags == flag).all(axis=1)]


def _groups(
    numbers: IndexArray, sizes: IndexArray, work: FloatArray, plan: Plan
) -> Iterator[tuple[IndexArray, bool]]:
    """Group graphs that go through dense algebra together, or through sparse algebra."""
    cubes = sizes.astype(np.float64) ** 3
    dense = (sizes <= MAX_DENSE_SIZE) & (_SPARSE_OVER_DENSE * work > cubes)
    dense &= plan.count("times") > 0
    cells = len(plan.roots) * sizes.astype(np.float64)
    for group in _sparse_groups(numbers[~dense], work[~dense], cells[~dense]):
        yield group, False
    for group in _dense_groups(numbers[dense], sizes[dense]):
        yield group, True


@dataclass(frozen=True)
class _Blocks:
    """The steps of some graphs of a batch: entries of the matrix, and whose they are."""

    nodes: IndexArray
    sizes: IndexArray
    row_sizes: IndexArray
    columns: IndexArray  # counted within the graph
    values: FloatArray
    entry_graphs: IndexArray

    @staticmethod
    def of(matrix: csr_array, ptr: IndexArray, numbers: IndexArray) -> "_Blocks":
        first, sizes = ptr[numbers], ptr[numbers + 1] - ptr[numbers]
        nodes = ranges(first, sizes)
        begin = matrix.indptr[first].astype(np.int64)
        counts = matrix.indptr[first + sizes] - begin
        entries = ranges(begin, counts)
        owner = np.repeat(np.arange(len(numbers)), counts)
        row_sizes = (matrix.indptr[nodes + 1] - matrix.indptr[nodes]).astype(np.int64)
        columns = matrix.indices[entries] - first[owner]
        return _Blocks(nodes, sizes, row_sizes, columns, matrix.data[entries], owner)

    def as_csr(self) -> csr_array:
        first = running_total(self.sizes)
        indices = (self.columns + first[self.entry_graphs]).astype(np.int32)
        indptr = running_total(self.row_sizes)
        n_nodes = len(self.nodes)
        return plain_csr(self.values, indices, indptr, (n_nodes, n_nodes))

    def as_array(self) -> tuple[FloatArray, IndexArray]:
        """Write the blocks into one array, and say where every node went."""
        size = int(self.sizes.max())
        local = positions_within(self.sizes)
        rows = np.repeat(local, self.row_sizes)
        padded = np.zeros((len(self.sizes), size, size))
        padded[self.entry_graphs, rows, self.columns] = self.values
        graph = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return padded, graph * size + local


def product_work(graphs: StepGraphs, length: int) -> FloatArray:
    """Bound, for every graph, the multiplications of its largest sparse product.

    A product of steps has at most as many terms as there are walks of so many steps:
    two for lengths 4 and 5, three up to 7, four at 8.
    """
    twins = graphs.twins
    n_visits = 3 if length <= 5 else 4 if length <= 7 else 5
    return n_walks_of(twins.steps, twins.group_ptr, n_visits)


def fours_work(graphs: StepGraphs, numbers: IndexArray) -> FloatArray:
    """Return the work on complete graphs of four, in sparse multiplications."""
    ptr = graphs.twins.group_ptr
    sizes = ptr[numbers + 1] - ptr[numbers]
    roots = graphs.twins.first[ranges(ptr[numbers], sizes)]
    work = np.empty(len(roots))
    fill_fours_work(graphs.steps.indptr, graphs.steps.indices, roots, work)
    return _sum_by_graph(work, running_total(sizes)) / _FOURS_PER_PRODUCT


def memory_work(graphs: StepGraphs, length: int) -> FloatArray:
    """Return the sums of all quotients of every graph, as multiplications of that size."""
    is_plain = ~(graphs.weighted | graphs.batch.directed | graphs.staying)
    few, many = (
        len(
            basis(
                length, Kind(weighted=w, directed=w, staying=w, probability=True)
            ).quotients
        )
        for w in (False, True)
    )
    return np.where(is_plain, few, many) * graphs.sizes * 8 / _BYTES_PER_PRODUCT


def n_walks_by_graph(batch: GraphBatch, length: int) -> FloatArray:
    """Count the walks that visit ``length`` nodes in every graph."""
    steps = with_dead_ends(batch.adjacency.tocsr())
    return n_walks_of(steps, batch.graph_ptr, length)


def check_enumerable(n_walks: FloatArray, length: int) -> None:
    """Raise if a graph has more walks than can be enumerated in hours."""
    most = float(n_walks.max(initial=0.0))
    if not most <= _MAX_ENUMERATED:
        raise InputError(
            f"A graph has {most:.1e} walks of length {length}, more than the "
            f"{_MAX_ENUMERATED:.0e} to be enumerated; use method='auto' or a smaller "
            "length."
        )


def n_walks_of(steps: csr_array, graph_ptr: IndexArray, length: int) -> FloatArray:
    """Count the walks that visit ``length`` rows of a matrix, for every run of rows."""
    return _sum_by_graph(n_walks_from(steps, length), graph_ptr)


def n_walks_from(steps: csr_array, length: int) -> FloatArray:
    """Count the walks that visit ``length`` rows of a matrix, from every row."""
    ones = csr_array((np.ones(steps.nnz), steps.indices, steps.indptr), steps.shape)
    walks = np.ones(steps.shape[0])
    for _ in range(length - 1):
        walks = ones @ walks
    return walks


def _sum_by_graph(values: FloatArray, graph_ptr: IndexArray) -> FloatArray:
    # Added up graph by graph: a running sum would round by what stands before.
    n_graphs = len(graph_ptr) - 1
    owners = np.repeat(np.arange(n_graphs), np.diff(graph_ptr))
    return np.bincount(owners, values, n_graphs).astype(np.float64)


def _sparse_groups(
    numbers: IndexArray, work: FloatArray, cells: FloatArray
) -> Iterator[IndexArray]:
    """Take graphs together until their products or sums would grow too large."""
    share = np.maximum(np.minimum(work, 1e18) / 2e7, cells / _GROUP_CELLS)
    total = np.cumsum(share) // 1
    for key in np.unique(total):
        yield numbers[total == key]


def _dense_groups(numbers: IndexArray, sizes: IndexArray) -> Iterator[IndexArray]:
    """Take graphs of about one size together, as many as fit the bound."""
    order = np.argsort(sizes, kind="stable")
    padded = -(-np.maximum(sizes[order], 1) // 8) * 8
    for size in np.unique(padded):
        same = numbers[order[padded == size]]
        at_once = max(1, int(_GROUP_BYTES // (8 * size * size)))
        for first in range(0, len(same), at_once):
            yield same[first : first + at_once]


def _spread(values: FloatArray, slots: IndexArray, padded: FloatArray) -> FloatArray:
    spread = np.zeros(padded.shape[:2])
    spread.ravel()[slots] = values
    return spread


def _signed(sums: FloatArray, length: int, kind: Kind, *, floats: bool) -> csr_array:
    """Add up the signed sums of every pattern, and drop what is only rounding."""
    signs = basis(length, kind).signs
    n_patterns, n_rows = signs.shape[0], sums.shape[1]
    csr = (signs.indptr.astype(np.int64), signs.indices.astype(np.int32), signs.data)
    noise = _NOISE if kind.probability else 0.0
    at_once = max(64, _BUFFER_CELLS // n_patterns)
    indices, data = np.empty(0, dtype=np.int32), np.empty(0)
    blocks = []
    for start in range(0, max(n_rows, 1), at_once):
        n_taken = min(at_once, n_rows - start)
        if len(data) < n_taken * n_patterns:
            indices = np.empty(n_taken * n_patterns, dtype=np.int32)
            data = np.empty(n_taken * n_patterns)
        indptr = np.empty(n_taken + 1, dtype=np.int64)
        largest = fill_signed_rows(*csr, sums, start, noise, indptr, indices, data)
        if not (kind.probability or floats) and largest >= _LARGEST_COUNT:
            raise InputError(
                f"Counts of length {length} exceed 2^53, so they are not exact; use "
                "weighting='probability', or accept floats with exact_counts=False."
            )
        kept = slice(0, indptr[-1])
        arrays = (data[kept].copy(), indices[kept].copy(), indptr.astype(np.int32))
        blocks.append(csr_array(arrays, shape=(n_taken, n_patterns)))
    return vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]


def as_sparse(rows: FloatArray) -> csr_array:
    """Turn dense rows into CSR, without the detour through coordinates that scipy takes."""
    filled = rows != 0
    indptr = running_total(filled.sum(axis=1))
    indices = np.nonzero(filled)[1].astype(np.int32)
    return csr_array((rows[filled], indices, indptr.astype(np.int32)), shape=rows.shape)


def row_maxima(batch: GraphBatch) -> FloatArray:
    """Return the largest weight of every row, 1 where there is none."""
    matrix = batch.adjacency
    filled = np.flatnonzero(batch.degrees)
    maxima = np.ones(batch.n_nodes)
    if len(filled):
        maxima[filled] = np.maximum.reduceat(matrix.data, matrix.indptr[filled])
    return maxima


@dataclass(frozen=True)
class SomeRows:
    """Rows of some nodes; twins share one."""

    nodes: IndexArray
    sources: IndexArray  # which row every node has
    rows: csr_array

    def counts(self) -> IndexArray:
        """Return how many patterns every node has."""
        counts: IndexArray = np.diff(self.rows.indptr)[self.sources]
        return counts

    def write(self, starts: IndexArray, indices: NodeArray, data: FloatArray) -> None:
        """Write the row of every node to where it starts."""
        rows = self.rows
        copy_rows(rows.indptr, rows.indices, rows.data, self.sources, starts, indices, data)


def merge_rows(
    pieces: Sequence[SomeRows],
    n_nodes: int,
    n_columns: int,
    n_jobs: int | None,
) -> csr_array:
    """Put rows that came in any order, and without trailing columns, where they belong."""
    counts = np.zeros(n_nodes, dtype=np.int64)
    found = run_threads(lambda piece: piece.counts(), pieces, n_jobs)
    for piece, n_found in zip(pieces, found, strict=True):
        counts[piece.nodes] = n_found
    indptr = running_total(counts)
    indices = np.empty(indptr[-1], dtype=np.int32)
    data = np.empty(indptr[-1])
    run_threads(
        lambda piece: piece.write(indptr[piece.nodes], indices, data), pieces, n_jobs
    )
    return plain_csr(data, indices, indptr, (n_nodes, n_columns))
