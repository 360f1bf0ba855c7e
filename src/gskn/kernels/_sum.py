"""Sum of the walk kernel and the anonymous walk kernel."""

from collections.abc import Sequence
from typing import Any

from gskn._limits import MAX_WALK_LENGTH
from gskn._types import FloatArray
from gskn._validation import check_int
from gskn.kernels._anonymous import check_pattern_length, pattern_term
from gskn.kernels._inputs import Base, Inputs, Level, Weighting
from gskn.kernels._terms import sum_terms
from gskn.kernels._walk import walk_term


def anonymous_random_walk_kernel(  # noqa: PLR0913 - all options have defaults
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    anonymous_length: int | None = None,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    beta: float = 1.5,
    weighting: Weighting = "count",
    edge_features: str | Sequence[str] = "auto",
    normalize: bool = False,
) -> FloatArray:
    """Return the sum of the walk kernel and the anonymous walk kernel.

    Parameters
    ----------
    A, B : graphs
        As in `walk_kernel`.
    length : int, default=3
        Nodes visited by a walk, its start included; at most 1,000.
    anonymous_length : int or None, default=None
        Nodes visited by an anonymous walk, at most 8; None means ``length``.
    level : {"graph", "node"}, default="graph"
        Compare graphs, by the sum over all pairs of their nodes, or compare nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        Kernel between two walks and between two patterns.
    alpha : float, default=1.5
        Bandwidth of the Gaussian kernel of node features.
    beta : float, default=1.5
        Bandwidth of the Gaussian kernel of patterns.
    weighting : {"count", "probability"}, default="count"
        Weight of a walk, as in `walk_kernel`.
    edge_features : "auto", "none" or list of {"labels", "attributes"}, default="auto"
        Edge data that is compared at every step, as in `walk_kernel`.
    normalize : bool, default=False
        Whether to normalize the sum; its two terms are not normalized separately.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        Gram matrix.

    Notes
    -----
    Eq. 8 of [1]_.

    References
    ----------
    .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> anonymous_random_walk_kernel([edge, triangle], length=3, base="dirac")
    array([[  8.,  12.],
           [ 12., 216.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize, edge_features)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    name = "length" if anonymous_length is None else "anonymous_length"
    pattern_length = check_pattern_length(
        length if anonymous_length is None else anonymous_length, name
    )
    return sum_terms(
        inputs,
        walk_term(inputs, length, base, alpha, weighting),
        pattern_term(inputs, pattern_length, base, beta, weighting),
    )
