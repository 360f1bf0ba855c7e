"""Pooling of node embeddings to graph embeddings."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, shorten
from gskn.exceptions import InputError

POOLINGS = ("sum", "mean", "log")
Pooling: TypeAlias = Literal["sum", "mean", "log"] | Sequence[str]


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
    pooling : {"sum", "mean", "log"} or tuple of these, default="sum"
        "log" is the logarithm of the sum, ``sign(x) log(1 + |x|)``, for data sets whose
        graphs have very different sizes. The columns of several poolings are concatenated
        in the order of the tuple. The embedding of a graph without nodes is zero.

    Returns
    -------
    graph_embeddings : ndarray of shape (n_graphs, n_poolings * n_features)
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
    >>> node_embeddings, graph_ptr = np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 2, 3])
    >>> pool(node_embeddings, graph_ptr, pooling="mean")
    array([[1.5],
           [0. ],
           [4. ]])
    >>> pool(node_embeddings, graph_ptr, pooling=("mean", "sum"))
    array([[1.5, 3. ],
           [0. , 0. ],
           [4. , 4. ]])
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
    poolings = check_pooling(pooling)
    if len(poolings) == 1:
        return _rescale(sums, sizes, poolings[0])
    return np.hstack([_rescale(sums, sizes, name) for name in poolings])


def check_pooling(pooling: object) -> tuple[str, ...]:
    """Return the names of the poolings; raise if one is unknown or occurs twice.

    Examples
    --------
    >>> check_pooling("mean"), check_pooling(["mean", "log"])
    (('mean',), ('mean', 'log'))
    """
    if not isinstance(pooling, list | tuple):
        return (check_choice(pooling, "pooling", choices=POOLINGS),)
    if not pooling:
        raise InputError("pooling must not be empty; use 'sum', 'mean' or 'log'.")
    names = tuple(check_choice(name, "pooling", choices=POOLINGS) for name in pooling)
    if len(set(names)) < len(names):
        raise InputError(f"pooling contains a name twice: {shorten(pooling)}.")
    return names


def pooled_names(names: Sequence[str], pooling: Pooling) -> list[str]:
    """Return the names of the columns of graph embeddings.

    Examples
    --------
    >>> pooled_names(["walk_1_0"], "mean"), pooled_names(["walk_1_0"], ("mean", "log"))
    (['walk_1_0'], ['mean_walk_1_0', 'log_walk_1_0'])
    """
    poolings = check_pooling(pooling)
    if len(poolings) == 1:
        return list(names)
    return [f"{pooling}_{name}" for pooling in poolings for name in names]


def _rescale(sums: FloatArray, sizes: IndexArray, pooling: str) -> FloatArray:
    """Return the graph embeddings of one pooling."""
    if pooling == "mean":
        return sums / np.maximum(sizes, 1)[:, None]
    if pooling == "log":
        return np.copysign(np.log1p(np.abs(sums)), sums)
    return sums
