"""Stage 4: rows of nodes become rows of graphs (equation 17 of the paper)."""

from typing import Literal

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice

Pooling = Literal["sum", "mean", "log"]
POOLINGS = ("sum", "mean", "log")


def pool(
    rows: FloatArray, graph_ptr: IndexArray, *, pooling: Pooling = "sum"
) -> FloatArray:
    """Return one row for every graph, from the rows of its nodes.

    Parameters
    ----------
    rows : ndarray of shape (n_nodes, n_features)
        One row per node.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    pooling : {"sum", "mean", "log"}, default="sum"
        "log" is the logarithm of the sum, ``sign(x) log(1 + |x|)``, for sets whose graphs
        differ much in size. A graph without nodes has a row of zeros in any case.

    Returns
    -------
    pooled : ndarray of shape (n_graphs, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> pool(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 2, 3]), pooling="mean")
    array([[1.5],
           [0. ],
           [4. ]])
    """
    sizes = np.diff(graph_ptr)
    pooled = np.zeros((len(sizes), rows.shape[1]))
    filled = np.flatnonzero(sizes)
    if len(filled):
        # Graph by graph: sums of another batch would round differently.
        pooled[filled] = np.add.reduceat(rows, graph_ptr[filled], axis=0)
    return rescale(pooled, sizes, pooling)


def rescale(sums: FloatArray, sizes: IndexArray, pooling: Pooling) -> FloatArray:
    """Return what a pooling makes of the sums of graphs of the given sizes."""
    check_choice(pooling, "pooling", choices=POOLINGS)
    if pooling == "mean":
        return sums / np.maximum(sizes, 1)[:, None]
    if pooling == "log":
        return np.copysign(np.log1p(np.abs(sums)), sums)
    return sums
