"""Anonymous walk kernel: patterns of all walks."""

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import FloatArray
from gskn._validation import check_int, shorten
from gskn.exceptions import InputError
from gskn.kernels._inputs import Base, Inputs, Level, Weighting, for_both
from gskn.kernels._similarity import pattern_similarity
from gskn.kernels._terms import FeatureTerm, KernelTerm, sum_terms
from gskn.walks import MAX_EXACT_LENGTH, PatternTable, pattern_counts


def anonymous_walk_kernel(  # noqa: PLR0913 - all options have defaults
    A: Any,
    B: Any = None,
    *,
    length: int = 6,
    level: Level = "graph",
    base: Base = "gaussian",
    beta: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs or nodes by the patterns of all their walks.

    Parameters
    ----------
    A, B : graphs
        As in `walk_kernel`. Labels and attributes are ignored.
    length : int, default=6
        Nodes visited by a walk, its start included; at most 8.
    level : {"graph", "node"}, default="graph"
        Compare graphs, by the sum over all pairs of their nodes, or compare nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        Kernel between two patterns: ``exp(-beta * d)``, where d is the number of
        positions at which they differ, or 1 if they are equal and 0 otherwise.
    beta : float, default=1.5
        Bandwidth of the Gaussian kernel.
    weighting : {"count", "probability"}, default="count"
        Weight of a walk, as in `walk_kernel`.
    normalize : bool, default=False
        Whether to divide by the square roots of both self-similarities.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        Gram matrix.

    Notes
    -----
    Eqs. 6 and 7 of [1]_: the positions of a pattern are one-hot vectors, and two
    different ones have the squared distance 2. Walks are not enumerated, see
    `gskn.walks.pattern_counts`.

    References
    ----------
    .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.
    .. [2] Ivanov and Burnaev, "Anonymous Walk Embeddings", ICML 2018.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> anonymous_walk_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4., 12.],
           [12., 72.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize)
    length = check_pattern_length(length, "length")
    return sum_terms(inputs, pattern_term(inputs, length, base, beta, weighting))


def pattern_term(
    inputs: Inputs, length: int, base: Base, beta: float, weighting: Weighting
) -> KernelTerm:
    """Return the anonymous walk kernel as a term of a sum."""
    compare_patterns = pattern_similarity(base, beta)
    count = partial(pattern_counts, length=length, weighting=weighting, method="exact")
    tables = for_both(count, inputs.left, inputs.right)
    left, right = for_both(partial(_features, level=inputs.level), *tables)
    if base == "dirac":
        return FeatureTerm(left, right)
    # Most patterns of a long length do not occur.
    columns = np.union1d(left.indices, right.indices)
    patterns = tables[0].patterns[columns]
    left, right = for_both(lambda features: features[:, columns], left, right)
    return FeatureTerm(left, right, compare_patterns(patterns, patterns))


def check_pattern_length(length: object, name: str) -> int:
    """Return ``length``; raise if exact patterns of this length are not supported."""
    checked = check_int(length, name, minimum=1)
    if checked > MAX_EXACT_LENGTH:
        raise InputError(
            f"{name} must be at most {MAX_EXACT_LENGTH}, the longest exact patterns, got "
            f"{shorten(checked)}."
        )
    return checked


def _features(table: PatternTable, level: Level) -> csr_array:
    return table.graph_rows() if level == "graph" else table.rows
