"""Stage 4: rows of nodes become rows of graphs (equation 17 of the paper)."""

from typing import Literal

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice

POOLINGS = ("sum", "mean")


def pool(
    rows: FloatArray, graph_ptr: IndexArray, *, pooling: Literal["sum", "mean"] = "sum"
) -> FloatArray:
    """Return the sum or the mean of the rows of every graph's nodes.

    Parameters
    ----------
    rows : ndarray of shape (n_nodes, n_features)
        One row per node.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    pooling : {"sum", "mean"}, default="sum"
        A graph without nodes has a row of zeros either way.

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
    check_choice(pooling, "pooling", choices=POOLINGS)
    sizes = np.diff(graph_ptr)
    pooled = np.zeros((len(sizes), rows.shape[1]))
    filled = np.flatnonzero(sizes)
    if len(filled):
        # Graph by graph: sums of another batch would round differently.
        pooled[filled] = np.add.reduceat(rows, graph_ptr[filled], axis=0)
    if pooling == "mean":
        pooled /= np.maximum(sizes, 1)[:, None]
    return pooled
