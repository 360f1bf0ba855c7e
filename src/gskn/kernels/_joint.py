"""Joint kernel: node features and pattern of the same walk."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from gskn._limits import MAX_WALK_LENGTH
from gskn._types import FloatArray
from gskn._validation import check_int
from gskn.kernels._enumeration import compare_walks, enumerate_walks
from gskn.kernels._inputs import Base, Inputs, Level, Weighting
from gskn.kernels._similarity import node_similarity, pattern_similarity
from gskn.kernels._terms import BlockTerm, sum_terms


def joint_kernel(  # noqa: PLR0913 - all options have defaults
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    beta: float = 1.5,
    weighting: Weighting = "count",
    edge_features: str | Sequence[str] = "auto",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs or nodes by the node features and patterns of their walks jointly.

    The kernel between two walks is the product of their kernel in `walk_kernel` and the
    kernel of their patterns in `anonymous_walk_kernel`. It can detect "a ring of six
    carbons", where the sum of both kernels detects "carbons" and "a ring of six".

    Parameters
    ----------
    A, B : graphs
        As in `walk_kernel`.
    length : int, default=3
        Nodes visited by a walk, its start included; at most 1,000.
    level : {"graph", "node"}, default="graph"
        Compare graphs, by the sum over all pairs of their nodes, or compare nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        Kernel between node features and between patterns.
    alpha : float, default=1.5
        Bandwidth of the Gaussian kernel of node features.
    beta : float, default=1.5
        Bandwidth of the Gaussian kernel of patterns.
    weighting : {"count", "probability"}, default="count"
        Weight of a walk, as in `walk_kernel`.
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
        If a side has more than 2^24 walks, or if there are more than 2^34 pairs.

    Notes
    -----
    Walks are enumerated, and every walk of A is compared with every walk of B.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> joint_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4.,  0.],
           [ 0., 72.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize, edge_features)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    kernel = partial(
        compare_walks,
        compare_nodes=node_similarity(base, alpha),
        compare_patterns=pattern_similarity(base, beta),
    )
    left, right = inputs.sides(base, weighting)
    left, right = enumerate_walks(left, right, length, simple=False)
    return sum_terms(inputs, BlockTerm(left, right, kernel, level))
