"""Pooling of node embeddings to graph embeddings."""

from typing import Literal

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice

Pooling = Literal["sum", "mean", "log"]
POOLINGS = ("sum", "mean", "log")


def pool(
    node_embeddings: FloatArray, graph_ptr: IndexArray, *, pooling: Pooling = "sum"
) -> FloatArray:
    """Combine the node embeddings of every graph to one graph embedding.

    Parameters
    ----------
    node_embeddings : ndarray of shape (n_nodes, n_features)
        One embedding per node.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    pooling : {"sum", "mean", "log"}, default="sum"
        "log" is the logarithm of the sum, ``sign(x) log(1 + |x|)``, for data sets whose
        graphs have very different sizes. The embedding of a graph without nodes is zero.

    Returns
    -------
    graph_embeddings : ndarray of shape (n_graphs, n_features)
        One embedding per graph.

    Notes
    -----
    The sum is Eq. 17 of [1]_.

    References
    ----------
    .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.

    Examples
    --------
    >>> import numpy as np
    >>> pool(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 2, 3]), pooling="mean")
    array([[1.5],
           [0. ],
           [4. ]])
    """
    sizes = np.diff(graph_ptr)
    sums = np.zeros((len(sizes), node_embeddings.shape[1]))
    nonempty = np.flatnonzero(sizes)
    if len(nonempty):
        # Summed separately for each graph, so that rounding does not depend on the batch.
        sums[nonempty] = np.add.reduceat(node_embeddings, graph_ptr[nonempty], axis=0)
    return rescale(sums, sizes, pooling)


def rescale(sums: FloatArray, sizes: IndexArray, pooling: Pooling) -> FloatArray:
    """Return the graph embeddings for sums of node embeddings and graph sizes."""
    check_choice(pooling, "pooling", choices=POOLINGS)
    if pooling == "mean":
        return sums / np.maximum(sizes, 1)[:, None]
    if pooling == "log":
        return np.copysign(np.log1p(np.abs(sums)), sums)
    return sums
