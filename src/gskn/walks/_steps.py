"""Steps of walks as sparse matrices, their probabilities, and numbers of walks."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._loops import WalkGraph
from gskn._offsets import ranges, running_total
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch, are_ones, ones, plain_csr
from gskn.walks._jit_walks import fill_neighbor_sums, fill_running_sums


def step_matrix(batch: GraphBatch, *, use_weights: bool) -> tuple[csr_array, BoolArray]:
    """Return the matrix of steps, and which graphs have weights.

    If weights are used, the entries of graphs with weights are probabilities; other
    entries are ones. At a dead end, a step leads back to its start.
    """
    matrix = batch.adjacency.tocsr()
    data = np.ones(matrix.nnz) if batch.is_weighted else matrix.data
    weighted = weighted_graphs(batch, use_weights=use_weights)
    if weighted.any():
        sources = np.repeat(np.arange(batch.n_nodes), batch.degrees)
        owners = batch.node_graphs[sources]
        # Powers of raw weights would overflow; probabilities are at most one.
        probabilities = matrix.data / _row_maxima(batch)[sources]
        probabilities /= np.bincount(sources, probabilities, batch.n_nodes)[sources]
        data = np.where(weighted[owners], probabilities, 1.0)
    steps = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return with_dead_ends(steps), weighted


def weighted_graphs(batch: GraphBatch, *, use_weights: bool) -> BoolArray:
    """Return which graphs have an edge with a weight other than 1; none without weights."""
    weighted = np.zeros(batch.n_graphs, dtype=bool)
    if use_weights and batch.is_weighted:
        sources = np.repeat(np.arange(batch.n_nodes), batch.degrees)
        weighted[batch.node_graphs[sources[batch.adjacency.data != 1]]] = True
    return weighted


def without_loops(matrix: csr_array) -> csr_array:
    """Return the steps that lead to another node."""
    nodes = np.flatnonzero(matrix.diagonal())
    counts = np.diff(matrix.indptr)
    entries = ranges(matrix.indptr[nodes], counts[nodes])  # of rows that have a loop
    loops = entries[matrix.indices[entries] == np.repeat(nodes, counts[nodes])]
    counts[nodes] -= 1
    data, indices = (np.delete(array, loops) for array in (matrix.data, matrix.indices))
    return plain_csr(data, indices, running_total(counts), matrix.shape)


def with_dead_ends(matrix: csr_array) -> csr_array:
    """Return the steps with one from every node without an edge to itself."""
    nodes = np.flatnonzero(np.diff(matrix.indptr) == 0)
    if not len(nodes):
        return matrix
    is_plain = are_ones(matrix.data)
    places, n_before = matrix.indptr[nodes], np.zeros(len(matrix.indptr), dtype=np.int64)
    n_before[nodes + 1] = 1
    return plain_csr(
        ones(matrix.nnz + len(nodes)) if is_plain else np.insert(matrix.data, places, 1.0),
        np.insert(matrix.indices, places, nodes),
        matrix.indptr + np.cumsum(n_before),
        matrix.shape,
    )


def values_of_steps(batch: GraphBatch, values: AnyArray, staying: Any) -> AnyArray:
    """Return values of edges for every entry of `step_matrix`.

    ``staying`` is the value of a step from a dead end to itself.
    """
    dead_ends = np.flatnonzero(batch.degrees == 0)
    return np.insert(values, batch.adjacency.indptr[dead_ends], staying, axis=0)


def scaled_weights(batch: GraphBatch, *, use_weights: bool) -> FloatArray:
    """Return weights scaled to at most 1 in every row, so that no sum overflows.

    Return an empty array if all weights are 1 or are not used.
    """
    if not use_weights or not batch.is_weighted:
        return np.empty(0)
    maxima = np.repeat(_row_maxima(batch), batch.degrees)
    scaled: FloatArray = batch.adjacency.data / maxima
    return scaled


def walk_graph(
    batch: GraphBatch, weights: FloatArray, positions: IndexArray, seed: np.uint64
) -> WalkGraph:
    """Return the arguments of compiled loops that sample walks.

    ``weights`` are `scaled_weights`. A node is keyed by its entry of ``positions``.
    """
    matrix = batch.adjacency
    totals = np.empty_like(weights)
    if len(weights):
        fill_running_sums(matrix.indptr, weights, totals)
    return WalkGraph(matrix.indptr, matrix.indices, totals, positions, seed)


def step_probabilities(batch: GraphBatch, weights: FloatArray) -> FloatArray:
    """Return the probability of every step, given `scaled_weights`."""
    if not len(weights):
        return np.repeat(1.0 / np.maximum(batch.degrees, 1), batch.degrees)
    rows = np.repeat(np.arange(batch.n_nodes), batch.degrees)
    probabilities: FloatArray = weights / np.bincount(rows, weights, batch.n_nodes)[rows]
    return probabilities


def count_walks(steps: csr_array, length: int) -> FloatArray:
    """Return the number of walks that visit ``length`` rows of a matrix, from every row."""
    walks = np.ones(steps.shape[0])
    for _ in range(length - 1):
        sums = np.empty(len(walks))
        fill_neighbor_sums(steps.indptr, steps.indices, walks, sums)
        walks = sums
    return walks


def count_walks_by_graph(
    steps: csr_array, graph_ptr: IndexArray, length: int
) -> FloatArray:
    """Return the number of walks that visit ``length`` rows, for every graph."""
    return sum_by_graph(count_walks(steps, length), graph_ptr)


def sum_by_graph(values: FloatArray, graph_ptr: IndexArray) -> FloatArray:
    """Return the sum of the values of every graph."""
    # Not a difference of running sums, which would depend on the graphs before.
    n_graphs = len(graph_ptr) - 1
    owners = np.repeat(np.arange(n_graphs), np.diff(graph_ptr))
    return np.bincount(owners, values, n_graphs).astype(np.float64)


def _row_maxima(batch: GraphBatch) -> FloatArray:
    """Return the largest weight of every row, 1 for an empty row."""
    matrix = batch.adjacency
    rows = np.flatnonzero(batch.degrees)
    maxima = np.ones(batch.n_nodes)
    if len(rows):
        maxima[rows] = np.maximum.reduceat(matrix.data, matrix.indptr[rows])
    return maxima
