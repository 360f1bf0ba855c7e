"""Contributions of the steps of walks, by which visited nodes and edges are explained."""

from dataclasses import dataclass
from itertools import groupby
from typing import TypeGuard

import numpy as np
from scipy.sparse import csr_array

from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.explain._blocks import Block, Chunk, sum_over
from gskn.explain._walks import WalkList, list_walks, node_steps
from gskn.graphs import GraphBatch
from gskn.layers import AnonymousLayer, EnumeratedLayer, InducedLayer, Layer, WalkLayer
from gskn.walks import (
    can_sum_crossings,
    count_walks_by_graph,
    crossing_sums,
    patterns,
)

_CELLS = 2**22  # of products that are held at once
MAX_WALKS = 2e7  # of one graph that are listed
_TOLERANCE = 1e-6  # of the magnitude of contributions, above which walks were sampled
_MIN_ERROR = 1e-6


@dataclass(frozen=True)
class ArcSums:
    """Contributions of the walks of one length, by the steps they take.

    ``values[a]`` is the sum over all walks of their contribution times the number of times
    that they cross entry a of the step matrix.
    """

    length: int
    matrix: csr_array  # of steps
    values: FloatArray
    starts: FloatArray  # contribution of the walks from every node


def arc_sums(chunk: Chunk) -> list[ArcSums]:
    """Return the contributions of the steps of all blocks, exactly.

    Walks of features have a forward and a backward recursion, and anonymous walks are sums
    over quotients, which are differentiated. Other walks are listed one by one.
    """
    sums = []
    for _, group in groupby(chunk.blocks, key=lambda block: id(block.layer)):
        blocks = list(group)
        layer = blocks[0].layer
        only_paths = isinstance(layer, EnumeratedLayer) and layer.only_paths
        matrix = node_steps(
            chunk.batch, use_probability=layer.params.use_probability, loops=not only_paths
        )
        if isinstance(layer, WalkLayer):
            values = [_recursion(block, layer, matrix) for block in blocks]
        elif sums_patterns(layer):
            values = _summed(blocks, layer, matrix)
        else:
            values = _listed(blocks, matrix, only_paths=only_paths)
        sums += [
            ArcSums(block.length, matrix, arcs, block.starts)
            for block, arcs in zip(blocks, values, strict=True)
        ]
    return sums


def sums_patterns(layer: Layer) -> TypeGuard[AnonymousLayer]:
    """Return whether the walks of a layer are known by their patterns alone."""
    return isinstance(layer, AnonymousLayer) and not isinstance(layer, InducedLayer)


def check_listed(
    matrix: csr_array, batch: GraphBatch, length: int, numbers: IndexArray | None = None
) -> None:
    """Raise if one of some graphs has too many walks to list."""
    n_walks = count_walks_by_graph(matrix, batch.graph_ptr, length)
    if numbers is not None:
        n_walks[np.setdiff1d(np.arange(len(n_walks)), numbers)] = 0
    if (n_walks > MAX_WALKS).any():
        number = int(np.argmax(n_walks))
        raise InputError(
            f"Graph {number} has {n_walks[number]:.1e} walks of length {length}, too many "
            "to list; use view='start' for nodes, by='landmarks', or a model with "
            "shorter walks."
        )


def walk_values(block: Block, walks: WalkList) -> FloatArray:
    """Return the contribution of every walk of the length of a block."""
    graphs = block.batch.node_graphs[walks.nodes[:, 0]]
    keys = block.layer.walk_keys(block.batch, block.features, walks.nodes)
    first, codes = number_rows(keys)
    kernel = key_kernel(block, keys[first])
    # Few pairs of a graph and a key are different.
    pairs, which = np.unique(codes * block.batch.n_graphs + graphs, return_inverse=True)
    pair_codes, pair_graphs = np.divmod(pairs, max(block.batch.n_graphs, 1))
    values = row_products(kernel, pair_codes, block.weights, pair_graphs)
    return np.asarray(values[which] * walks.weights)


def key_kernel(block: Block, keys: IndexArray) -> FloatArray:
    """Return the kernel of all pairs of keys of walks and landmarks."""
    if not len(keys):
        return np.empty((0, block.nystrom.n_landmarks))
    return block.layer.key_kernel(block.features, keys, block.nystrom)


def row_products(
    left: FloatArray, left_rows: IndexArray, right: FloatArray, right_rows: IndexArray
) -> FloatArray:
    """Return the inner products of selected rows of two matrices, in bounded memory."""
    products = np.empty(len(left_rows))
    size = max(1, _CELLS // max(1, left.shape[1]))
    for first in range(0, len(products), size):
        part = slice(first, first + size)
        np.einsum(
            "az,az->a", left[left_rows[part]], right[right_rows[part]], out=products[part]
        )
    return products


def number_rows(keys: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Return the first copy of every distinct row of integers, and the code of each row."""
    codes, n_codes = np.zeros(len(keys), dtype=np.int64), 1
    base = int(keys.max(initial=0)) + 1
    for column in keys.T:
        if n_codes * base >= 2**62:  # one more column would overflow: renumber
            distinct_codes, codes = np.unique(codes, return_inverse=True)
            n_codes = len(distinct_codes)
        codes, n_codes = codes * base + column, n_codes * base
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return first, codes


def _recursion(block: Block, layer: WalkLayer, matrix: csr_array) -> FloatArray:
    """Return the contribution of every step by sums over the walks before and after it."""
    codes = block.features.codes
    factors = layer.factors(block.features, block.length, block.nystrom)
    steps = [_FactoredSteps(matrix, factor) for factor in _entry_factors(block, layer)]
    values = np.zeros(matrix.nnz)
    after = [factors[-1][codes]]  # of the walks from a position to the end
    for factor, step in zip(reversed(factors[1:-1]), reversed(steps[1:]), strict=True):
        after.append(factor[codes] * step.forward(after[-1]))
    before = factors[0][codes] * block.weights[block.batch.node_graphs]
    for factor, step in zip(factors[1:], steps, strict=True):
        values += step.products(before, after.pop())
        before = factor[codes] * step.backward(before)
    return np.asarray(values * matrix.data)


def _entry_factors(block: Block, layer: WalkLayer) -> list[FloatArray | None]:
    """Return the factor of every entry of the matrix of steps, for every step."""
    factors = layer.step_factors(block.features, block.length, block.nystrom)
    if block.features.edges is None:
        return factors
    codes = block.features.edges.codes_of_steps(block.batch)
    return [None if factor is None else factor[codes] for factor in factors]


@dataclass(frozen=True)
class _FactoredSteps:
    """Steps with a factor for every entry and landmark, or without factors."""

    matrix: csr_array
    factors: FloatArray | None

    def forward(self, values: FloatArray) -> FloatArray:
        """Return the sums of the values that steps lead to."""
        if self.factors is None:
            return np.asarray(self.matrix @ values)
        return np.asarray(self._by_row @ (self.factors * values[self.matrix.indices]))

    def backward(self, values: FloatArray) -> FloatArray:
        """Return the sums of the values that steps come from."""
        if self.factors is None:
            return np.asarray(self.matrix.T @ values)
        return np.asarray(self._by_column @ (self.factors * values[self._rows]))

    def products(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return the inner product of the values at both ends of every step."""
        if self.factors is None:
            return row_products(before, self._rows, after, self.matrix.indices)
        entries = np.arange(self.matrix.nnz)
        starts = before[self._rows] * self.factors
        return row_products(starts, entries, after, self.matrix.indices)

    @property
    def _rows(self) -> IndexArray:
        return np.repeat(np.arange(self.matrix.shape[0]), np.diff(self.matrix.indptr))

    @property
    def _by_row(self) -> csr_array:
        """Matrix that sums values of entries by their row."""
        entries = (self.matrix.data, (self._rows, np.arange(self.matrix.nnz)))
        return csr_array(entries, shape=(self.matrix.shape[0], self.matrix.nnz))

    @property
    def _by_column(self) -> csr_array:
        """Matrix that sums values of entries by their column."""
        entries = (self.matrix.data, (self.matrix.indices, np.arange(self.matrix.nnz)))
        return csr_array(entries, shape=(self.matrix.shape[0], self.matrix.nnz))


def _summed(
    blocks: list[Block], layer: AnonymousLayer, matrix: csr_array
) -> list[FloatArray]:
    """Return the contribution of every step for blocks of anonymous walks."""
    batch = blocks[0].batch
    longest = max(block.length for block in blocks)
    summable = can_sum_crossings(batch.graph_sizes, longest)
    summed, listed = np.flatnonzero(summable), np.flatnonzero(~summable)
    values = []
    for block in blocks:
        shapes = patterns(block.length, staying=True).astype(np.int64)
        kernel = layer.key_kernel(block.features, shapes, block.nystrom)
        weights = block.weights @ kernel.T
        arcs = crossing_sums(matrix, batch.graph_ptr, summed, block.length, weights)
        if block.length > 1:
            _check_arcs(block, matrix, arcs, summable)
        values.append(arcs)
    if len(listed):
        rest = _listed(blocks, matrix, only_paths=False, numbers=listed)
        values = [a + b for a, b in zip(values, rest, strict=True)]
    return values


def _listed(
    blocks: list[Block],
    matrix: csr_array,
    *,
    only_paths: bool,
    numbers: IndexArray | None = None,
) -> list[FloatArray]:
    """Return the contribution of every step for blocks of one layer, by listing walks.

    ``numbers`` are the graphs whose walks are listed; None lists those of all graphs.
    """
    by_length = {block.length: block for block in blocks}
    batch = blocks[0].batch
    check_listed(matrix, batch, max(by_length), numbers)
    starts = None
    if numbers is not None:
        starts = np.flatnonzero(np.isin(batch.node_graphs, numbers))
    values = []
    for walks in list_walks(matrix, max(by_length), only_paths=only_paths, starts=starts):
        block = by_length.get(walks.length)
        if block is None:
            continue
        contributions = walk_values(block, walks)
        owners = batch.node_graphs[walks.nodes[:, 0]]
        _check_sums(
            block,
            np.bincount(owners, contributions, batch.n_graphs).astype(np.float64),
            np.bincount(owners, np.abs(contributions), batch.n_graphs).astype(np.float64),
            np.bincount(owners, minlength=batch.n_graphs) > 0,
        )
        n_steps = walks.length - 1
        arcs = np.bincount(
            walks.arcs.ravel(), np.repeat(contributions, n_steps), matrix.nnz
        )
        values.append(arcs.astype(np.float64))
    return values


def _check_arcs(
    block: Block, matrix: csr_array, arcs: FloatArray, chosen: BoolArray
) -> None:
    """Raise if the steps of chosen graphs do not add up to the sums of the model."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    owners, n_graphs = block.batch.node_graphs[rows], block.batch.n_graphs
    sums = np.bincount(owners, arcs, n_graphs) / (block.length - 1)
    sizes = np.bincount(owners, np.abs(arcs), n_graphs) / (block.length - 1)
    _check_sums(block, sums, sizes, chosen)


def _check_sums(
    block: Block, sums: FloatArray, sizes: FloatArray, chosen: BoolArray
) -> None:
    """Raise if the model did not sum over all walks of one of the chosen graphs.

    ``sums`` and ``sizes`` are the sums of all contributions and of their absolute values.
    """
    errors = np.abs(sums - sum_over(block.starts, block.batch.graph_ptr))
    # Where contributions cancel, the rounding error of the model is relative to the root
    # of the kernel between landmarks.
    sampled = chosen & (errors > np.maximum(_TOLERANCE * sizes, _MIN_ERROR))
    if sampled.any():
        raise InputError(
            f"The model samples {block.branch} walks of graph {np.argmax(sampled)}, so its "
            "prediction is not a sum over all walks; use view='start' for nodes, "
            "by='landmarks', or a model with method='exact'."
        )
