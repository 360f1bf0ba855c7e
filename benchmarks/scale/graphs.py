"""Large random graphs for benchmarks: R-MAT and random regular graphs."""

import numpy as np
from scipy.sparse import csr_array

from gskn import GraphBatch, as_batch

_QUADRANTS = (0.57, 0.19, 0.19, 0.05)  # of the Graph500 benchmark


def rmat(scale: int, edge_factor: int, seed: int = 0) -> GraphBatch:
    """Draw an undirected R-MAT graph of 2^scale nodes without loops or parallel edges."""
    rng = np.random.default_rng(seed)
    n_nodes, n_edges = 1 << scale, edge_factor << scale
    ends = np.zeros((2, n_edges), dtype=np.int32)
    cuts = np.cumsum(_QUADRANTS)[:3].astype(np.float32)
    for _ in range(scale):
        quadrant = np.searchsorted(cuts, rng.random(n_edges, dtype=np.float32), "right")
        ends[0] = 2 * ends[0] + (quadrant >> 1)
        ends[1] = 2 * ends[1] + (quadrant & 1)
    return _undirected(ends, n_nodes)


def random_regular(n_nodes: int, degree: int, seed: int = 0) -> GraphBatch:
    """Draw a graph from random matchings; loops and parallel edges are dropped."""
    rng = np.random.default_rng(seed)
    matchings = [rng.permutation(n_nodes).reshape(2, -1) for _ in range(degree)]
    return _undirected(np.concatenate(matchings, axis=1).astype(np.int32), n_nodes)


def _undirected(ends: np.ndarray, n_nodes: int) -> GraphBatch:
    ends = ends[:, ends[0] != ends[1]]
    both = np.concatenate([ends, ends[::-1]], axis=1)
    matrix = csr_array((np.ones(both.shape[1]), tuple(both)), shape=(n_nodes, n_nodes))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return as_batch(matrix)
