"""Large random graphs for benchmarks: R-MAT and random regular graphs."""

import numpy as np

from gskn import GraphBatch
from gskn.graphs import from_csr

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
    """Return a graph without loops and parallel edges; its peak is 24 bytes per arc."""
    keys = np.concatenate([ends[0].astype(np.int64), ends[1]])
    keys *= n_nodes
    keys[: ends.shape[1]] += ends[1]
    keys[ends.shape[1] :] += ends[0]
    del ends
    keys.sort()
    kept = np.concatenate([[True], keys[1:] != keys[:-1]])
    kept &= keys % (n_nodes + 1) != 0  # the key of a loop is a multiple of this number
    keys = keys[kept]
    indptr = np.searchsorted(keys, np.arange(n_nodes + 1) * n_nodes)
    keys %= n_nodes
    return from_csr(indptr, keys.astype(np.int32))
