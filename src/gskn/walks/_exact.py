"""Exact pattern rows of all nodes, without enumerating walks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.graphs._batch import positions_within, ranges, running_total
from gskn.graphs._sparse import plain_csr
from gskn.walks._algebra import Dense, Sparse, compute, compute_fours
from gskn.walks._jit import copy_rows, fill_signed_rows
from gskn.walks._mobius import Kind, basis
from gskn.walks._plan import make_plan
from gskn.walks._threads import run_threads

MAX_EXACT_LENGTH = 8
_LARGEST_COUNT = 2.0**53
MAX_DENSE_SIZE = 512  # larger graphs never become dense
_GROUP_BYTES = 2**22  # of one dense matrix per group: a few of them stay in the cache
_SPARSE_OVER_DENSE = 40.0  # time of a sparse multiplication over that of a dense one
_ROWS_AT_ONCE = 2048


@dataclass(frozen=True)
class StepGraphs:
    """A batch with what walks need: the matrix of steps, and the kind of every graph."""

    batch: GraphBatch
    steps: csr_array  # dead ends step to themselves
    staying: BoolArray
    weighted: BoolArray

    @staticmethod
    def of(batch: GraphBatch, *, use_weights: bool) -> "StepGraphs":
        """Prepare a batch; without weights every edge counts 1."""
        matrix = batch.adjacency.tocsr()
        data = np.ones(matrix.nnz)
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
        dead = batch.degrees == 0
        if dead.any():
            nodes = np.flatnonzero(dead)
            ends = csr_array((np.ones(len(nodes)), (nodes, nodes)), shape=matrix.shape)
            steps = (steps + ends).tocsr()
        stays = steps.diagonal() > 0
        return StepGraphs(batch, steps, _any_of(stays, batch), weighted)


def exact_rows(
    graphs: StepGraphs,
    numbers: IndexArray,
    lengths: tuple[int, ...],
    *,
    probability: bool,
    floats: bool,
    n_jobs: int | None = None,
) -> list[tuple[IndexArray, list[csr_array]]]:
    """Return nodes and their rows for every length, group by group, for some graphs."""
    work = product_work(graphs.batch, max(lengths))
    tasks = [
        _Task(graphs, group, lengths, kind, dense, floats)
        for kind, members in _by_kind(graphs, numbers, probability=probability)
        for group, dense in _groups(
            members,
            graphs.batch.graph_sizes[members],
            work[members],
            has_products=make_plan(lengths, kind).count("times") > 0,
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
    floats: bool

    def run(self) -> tuple[IndexArray, list[csr_array]]:
        inside = _Blocks.of(self.graphs, self.numbers)
        sums = self._dense_sums(inside) if self.dense else self._sparse_sums(inside)
        cuts = np.cumsum(
            [len(basis(length, self.kind).quotients) for length in self.lengths]
        )
        parts = zip(np.split(sums, cuts[:-1]), self.lengths, strict=True)
        rows = [
            _signed(part, length, self.kind, floats=self.floats) for part, length in parts
        ]
        return inside.nodes, rows

    def _sparse_sums(self, inside: "_Blocks") -> FloatArray:
        plan = make_plan(self.lengths, self.kind)
        algebra = Sparse(inside.as_csr(), self.kind)
        sums = compute(plan, algebra, compute_fours(plan, algebra))
        return np.array(sums).reshape(len(plan.roots), len(inside.nodes))

    def _dense_sums(self, inside: "_Blocks") -> FloatArray:
        plan = make_plan(self.lengths, self.kind)
        padded, slots = inside.as_array()
        fours = {}
        if plan.count("four"):
            fours = compute_fours(plan, Sparse(inside.as_csr(), self.kind))
        spread = {term: _spread(values, slots, padded) for term, values in fours.items()}
        sums = compute(plan, Dense(padded, self.kind), spread)
        return np.array([values.ravel()[slots] for values in sums])


def _any_of(nodes: BoolArray, batch: GraphBatch) -> BoolArray:
    """Tell of every graph whether any of its nodes is marked."""
    marked = np.zeros(batch.n_graphs, dtype=bool)
    marked[batch.node_graphs[nodes]] = True
    return marked


def _by_kind(
    graphs: StepGraphs, numbers: IndexArray, *, probability: bool
) -> Iterator[tuple[Kind, IndexArray]]:
    """Split graphs by what their quotients may forget."""
    flags = np.array([graphs.weighted, graphs.batch.directed, graphs.staying]).T[numbers]
    for flag in np.unique(flags, axis=0):
        weighted, directed, staying = map(bool, flag)
        # Chances there and back differ even where weights do not.
        kind = Kind(weighted, directed or weighted, staying, probability)
        yield kind, numbers[(flags == flag).all(axis=1)]


def _groups(
    numbers: IndexArray, sizes: IndexArray, work: FloatArray, *, has_products: bool
) -> Iterator[tuple[IndexArray, bool]]:
    """Group graphs that go through dense algebra together, or through sparse algebra."""
    cubes = sizes.astype(np.float64) ** 3
    dense = (sizes <= MAX_DENSE_SIZE) & (_SPARSE_OVER_DENSE * work > cubes) & has_products
    for group in _sparse_groups(numbers[~dense], work[~dense]):
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
    def of(graphs: StepGraphs, numbers: IndexArray) -> "_Blocks":
        ptr, matrix = graphs.batch.graph_ptr, graphs.steps
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


def product_work(batch: GraphBatch, length: int) -> FloatArray:
    """Bound, for every graph, the multiplications of its largest sparse product.

    A product of steps has at most as many terms as there are walks of so many steps:
    two for lengths 4 and 5, three up to 7, four at 8.
    """
    return n_walks_by_graph(batch, 3 if length <= 5 else 4 if length <= 7 else 5)


def n_walks_by_graph(batch: GraphBatch, length: int) -> FloatArray:
    """Count the walks that visit ``length`` nodes in every graph."""
    matrix = batch.adjacency.tocsr()
    ones = csr_array(
        (np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape
    )
    dead = batch.degrees == 0
    walks = np.ones(batch.n_nodes)
    for _ in range(length - 1):
        walks = np.where(dead, walks, ones @ walks)
    # Added up graph by graph: a running sum would round by what stands before.
    totals = np.bincount(batch.node_graphs, weights=walks, minlength=batch.n_graphs)
    return totals.astype(np.float64)


def _sparse_groups(numbers: IndexArray, work: FloatArray) -> Iterator[IndexArray]:
    """Take graphs together until their products would grow too large."""
    total = np.cumsum(np.minimum(work, 1e18)) // 2e7
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
    n_patterns = signs.shape[0]
    csr = (signs.indptr.astype(np.int64), signs.indices.astype(np.int32), signs.data)
    noise = 8 * np.finfo(np.float64).eps if kind.probability else 0.0
    blocks = []
    for first in range(0, max(sums.shape[1], 1), _ROWS_AT_ONCE):
        part = np.ascontiguousarray(sums[:, first : first + _ROWS_AT_ONCE].T)
        indptr = np.empty(len(part) + 1, dtype=np.int64)
        indices = np.empty(len(part) * n_patterns, dtype=np.int32)
        data = np.empty(len(part) * n_patterns)
        largest = fill_signed_rows(csr, part, noise, indptr, indices, data)
        if not (kind.probability or floats) and largest >= _LARGEST_COUNT:
            raise InputError(
                f"Counts of length {length} exceed 2^53, so they are not exact; use "
                "weighting='probability', or accept floats with exact_counts=False."
            )
        kept = slice(0, indptr[-1])
        arrays = (data[kept].copy(), indices[kept].copy(), indptr.astype(np.int32))
        blocks.append(csr_array(arrays, shape=(len(part), n_patterns)))
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


def merge_rows(
    pieces: list[tuple[IndexArray, csr_array]], n_nodes: int, n_columns: int
) -> csr_array:
    """Put rows that came in any order, and without trailing columns, where they belong."""
    counts = np.zeros(n_nodes, dtype=np.int64)
    for nodes, rows in pieces:
        counts[nodes] = np.diff(rows.indptr)
    indptr = running_total(counts)
    indices = np.empty(indptr[-1], dtype=np.int32)
    data = np.empty(indptr[-1])
    for nodes, rows in pieces:
        copy_rows(rows.indptr, rows.indices, rows.data, indptr[nodes], indices, data)
    return plain_csr(data, indices, indptr, (n_nodes, n_columns))
