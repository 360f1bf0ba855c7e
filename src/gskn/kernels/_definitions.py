"""Exact graph kernels, as their definitions say.

They are the truth that faster code is tested against, and serve by themselves as
``SVC(kernel="precomputed")``: every function returns the matrix of all pairs.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from gskn._limits import MAX_ITERATIONS, MAX_WALK_LENGTH
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import pool_matrix
from gskn.kernels._enumeration import enumerate_walks, walk_pairs_block
from gskn.kernels._pairs import (
    Base,
    Block,
    BlockPart,
    Inputs,
    Level,
    Part,
    RowPart,
    Side,
    Weighting,
    of_both,
)
from gskn.kernels._similarity import node_similarity, pattern_similarity
from gskn.kernels._subtree import subtree_colours
from gskn.walks import MAX_EXACT_LENGTH, PatternTable, pattern_counts


def walk_kernel(  # noqa: PLR0913 - every one has a sensible default
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    r"""Compare graphs, or nodes, by what lies along all their walks.

    Parameters
    ----------
    A : anything `as_batch` reads
        Nodes are compared by their labels (equal or not) and attributes (real vectors),
        by their degrees where they have neither. At a dead end a walk stays.
    B : anything `as_batch` reads, default=None
        The other side, with labels and attributes like those of ``A``; None is ``A``.
    length : int, default=3
        Nodes visited by a walk, its start included; at most 1,000.
    level : {"graph", "node"}, default="graph"
        Whether to compare graphs, all nodes of one with all of the other, or nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        How two walks are compared: by the formula below, or equal (1) or not (0).
    alpha : float, default=1.5
        Bandwidth of the Gaussian.
    weighting : {"count", "probability"}, default="count"
        Every walk weighs 1, whatever the edge weights; or the probability that a random
        walk, whose steps follow the edge weights, is this one.
    normalize : bool, default=False
        Whether to divide by the root of both self-similarities, so that these are 1. A
        similarity with something that has no walk stays 0.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)

    Notes
    -----
    For nodes u and v (Eqs. 4 and 6 of the paper), with walks w from u and w' from v,

    .. math:: k(u, v) = \sum_{w, w'} p(w) p(w')
              \prod_j \exp(-\tfrac{\alpha}{2} |x_{w_j} - x_{w'_j}|^2)

    where two different labels are at squared distance 2, as if they were one-hot. The
    product runs along positions, so no walk is enumerated: with M the similarities of
    single nodes and S the steps, ``K_1 = M`` and ``K_{j+1} = M * (S_A K_j S_B')``. Time
    grows with ``length`` and with edges of A times nodes of B.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> walk_kernel([edge, triangle], length=3, alpha=0.0)
    array([[  4.,  24.],
           [ 24., 144.]])
    """
    inputs = Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    return inputs.total(_walk_part(inputs, length, base, alpha, weighting))


def path_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by what lies along their walks that repeat no node.

    Parameters and result are those of `walk_kernel`. A path weighs what it weighs among
    all walks, so probabilities of paths add up to less than one.

    Notes
    -----
    Paths are enumerated, and every path of A is compared with every path of B. More than
    2^24 paths on a side, or 2^34 pairs, are refused.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> path_kernel([edge, triangle], length=3, alpha=0.0)
    array([[ 0.,  0.],
           [ 0., 36.]])
    """
    inputs = Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    of_nodes = node_similarity(base, alpha)
    left, right = enumerate_walks(*inputs.sides(base, weighting), length, simple=True)
    block = partial(walk_pairs_block, of_nodes=of_nodes, of_patterns=None)
    return inputs.total(BlockPart(left, right, block, level))


def subtree_kernel(
    A: Any,
    B: Any = None,
    *,
    depth: int = 3,
    level: Level = "graph",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by Weisfeiler-Lehman subtrees (equation 5 of the paper).

    Parameters
    ----------
    A, B, level, normalize
        As in `walk_kernel`. Colours begin as labels and attributes, or as degrees.
    depth : int, default=3
        Rounds of refinement, at most 10,000. A round sees the (out-)neighbours, not the
        edge weights.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        For two nodes, the number of rounds, 0 to ``depth``, in which they have one
        colour.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)
    >>> subtree_kernel(path, depth=1, level="node")
    array([[2., 0., 2.],
           [0., 2., 0.],
           [2., 0., 2.]])
    """
    inputs = Inputs.of(A, B, level, normalize)
    union = inputs.union()
    rounds = subtree_colours(
        union, check_int(depth, "depth", minimum=0, maximum=MAX_ITERATIONS)
    )
    rows = hstack([_one_hot(colours) for colours in rounds], format="csr")
    if level == "graph":
        rows = pool_matrix(union.graph_ptr) @ rows
    return inputs.total(RowPart(*inputs.split(rows)))


def anonymous_walk_kernel(  # noqa: PLR0913 - as walk_kernel
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
    """Compare graphs, or nodes, by the patterns of all their walks.

    Parameters
    ----------
    A, B, level, weighting, normalize
        As in `walk_kernel`; labels and attributes are not looked at.
    length : int, default=6
        Nodes visited by a walk, at most 8.
    base : {"gaussian", "dirac"}, default="gaussian"
        Two patterns count ``exp(-beta * d)``, where d is the number of positions at
        which they differ; or 1 if they are equal, else 0.
    beta : float, default=1.5
        Bandwidth of the Gaussian.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)

    Notes
    -----
    Eqs. 6 and 7 of the paper: a position is a one-hot row, and two different ones are at
    squared distance 2. No walk is enumerated, see `gskn.walks.pattern_counts`.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> anonymous_walk_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4., 12.],
           [12., 72.]])
    """
    inputs = Inputs.of(A, B, level, normalize)
    length = _check_pattern_length(length, "length")
    return inputs.total(_pattern_part(inputs, length, base, beta, weighting))


def anonymous_random_walk_kernel(  # noqa: PLR0913 - as walk_kernel
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
    normalize: bool = False,
) -> FloatArray:
    """Add the walk kernel and the anonymous walk kernel (equation 8 of the paper).

    Parameters
    ----------
    A, B, length, level, base, alpha, beta, weighting, normalize
        As in `walk_kernel` and `anonymous_walk_kernel`. The sum is normalized, not its
        two parts.
    anonymous_length : int or None, default=None
        Nodes visited by an anonymous walk, at most 8; None is ``length``.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
    """
    inputs = Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    name = "length" if anonymous_length is None else "anonymous_length"
    pattern_length = _check_pattern_length(
        length if anonymous_length is None else anonymous_length, name
    )
    return inputs.total(
        _walk_part(inputs, length, base, alpha, weighting),
        _pattern_part(inputs, pattern_length, base, beta, weighting),
    )


def joint_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    beta: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by what lies along walks and by their patterns at once.

    Two walks count the product of what they count in `walk_kernel` and their patterns in
    `anonymous_walk_kernel`: "a ring of six carbons", where the sum of both kernels knows
    only "carbons" and "a ring of six". Parameters and result are those of these two.

    Notes
    -----
    Walks are enumerated, and every walk of A is compared with every walk of B. More than
    2^24 walks on a side, or 2^34 pairs, are refused.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> joint_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4.,  0.],
           [ 0., 72.]])
    """
    inputs = Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    of_nodes, of_patterns = node_similarity(base, alpha), pattern_similarity(base, beta)
    left, right = enumerate_walks(*inputs.sides(base, weighting), length, simple=False)
    block = partial(walk_pairs_block, of_nodes=of_nodes, of_patterns=of_patterns)
    return inputs.total(BlockPart(left, right, block, level))


def _walk_part(
    inputs: Inputs, length: int, base: Base, alpha: float, weighting: Weighting
) -> Part:
    block = partial(_walk_block, length=length, of_nodes=node_similarity(base, alpha))
    return BlockPart(*inputs.sides(base, weighting), block, inputs.level)


def _walk_block(left: Side, right: Side, *, length: int, of_nodes: Block) -> FloatArray:
    """Sum over all pairs of walks, the last step first."""
    alike = of_nodes(left, right)
    values = alike
    for _ in range(length - 1):
        values = alike * (right.steps @ (left.steps @ values).T).T
    return values


def _one_hot(colours: IndexArray) -> csr_array:
    n_nodes = len(colours)
    entries = (np.ones(n_nodes), colours, np.arange(n_nodes + 1))
    return csr_array(entries, shape=(n_nodes, int(colours.max(initial=-1)) + 1))


def _pattern_part(
    inputs: Inputs, length: int, base: Base, beta: float, weighting: Weighting
) -> Part:
    of_patterns = pattern_similarity(base, beta)
    count = partial(pattern_counts, length=length, weighting=weighting, method="exact")
    tables = of_both(count, inputs.left, inputs.right)
    rows = of_both(partial(_rows_of, level=inputs.level), *tables)
    if base == "dirac":
        return RowPart(*rows)
    # Most patterns of a long length occur nowhere.
    found = np.union1d(rows[0].indices, rows[1].indices)
    patterns = tables[0].patterns[found]
    kept = of_both(lambda matrix: matrix[:, found], *rows)
    return RowPart(*kept, of_patterns(patterns, patterns))


def _rows_of(table: PatternTable, level: Level) -> csr_array:
    return table.graph_rows() if level == "graph" else table.rows


def _check_pattern_length(length: object, name: str) -> int:
    checked = check_int(length, name, minimum=1)
    if checked > MAX_EXACT_LENGTH:
        raise InputError(
            f"{name} must be at most {MAX_EXACT_LENGTH}, where exact patterns end, "
            f"got {shorten(checked)}."
        )
    return checked
