"""Path kernel: node features along walks that repeat no node."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from gskn._limits import MAX_WALK_LENGTH
from gskn._types import FloatArray
from gskn._validation import check_int
from gskn.kernels._enumeration import compare_walks, enumerate_walks
from gskn.kernels._inputs import Base, Inputs, Level, Weighting
from gskn.kernels._similarity import node_similarity
from gskn.kernels._terms import BlockTerm, sum_terms


def path_kernel(  # noqa: PLR0913 - all options have defaults
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    weighting: Weighting = "count",
    edge_features: str | Sequence[str] = "auto",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs or nodes by the node features along all their paths.

    A path is a walk that repeats no node.

    Parameters
    ----------
    A, B : graphs
        As in `walk_kernel`.
    length : int, default=3
        Nodes of a path, its start included; at most 1,000.
    level : {"graph", "node"}, default="graph"
        Compare graphs or nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        Kernel between two paths, as in `walk_kernel`.
    alpha : float, default=1.5
        Bandwidth of the Gaussian kernel.
    weighting : {"count", "probability"}, default="count"
        Weight of a path: 1, or its probability among all walks. The probabilities of the
        paths from a node sum to at most 1.
    edge_features : "auto", "none" or list of {"labels", "attributes"}, default="auto"
        Edge data that is compared at every step, as in `walk_kernel`.
    normalize : bool, default=False
        Whether to divide by the square roots of both self-similarities.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        Gram matrix.

    Raises
    ------
    InputError
        If a side has more than 2^24 paths, or if there are more than 2^34 pairs.

    Notes
    -----
    Paths are enumerated, and every path of A is compared with every path of B.

    References
    ----------
    .. [1] Chen, Jacob and Mairal, "Convolutional Kernel Networks for Graph-Structured
       Data", ICML 2020.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> path_kernel([edge, triangle], length=3, alpha=0.0)
    array([[ 0.,  0.],
           [ 0., 36.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize, edge_features)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    kernel = partial(
        compare_walks, compare_nodes=node_similarity(base, alpha), compare_patterns=None
    )
    left, right = inputs.sides(base, weighting)
    left, right = enumerate_walks(left, right, length, simple=True)
    return sum_terms(inputs, BlockTerm(left, right, kernel, level))
