"""Walk kernel: node features along all walks."""

from functools import partial
from typing import Any

from gskn._limits import MAX_WALK_LENGTH
from gskn._types import FloatArray
from gskn._validation import check_int
from gskn.kernels._inputs import Base, Inputs, Level, Side, Weighting
from gskn.kernels._similarity import node_similarity
from gskn.kernels._terms import BlockTerm, KernelTerm, NodeKernel, sum_terms


def walk_kernel(  # noqa: PLR0913 - all options have defaults
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
    r"""Compare graphs or nodes by the node features along all their walks.

    Parameters
    ----------
    A : graphs
        Any input of `as_batch`. Nodes are compared by their labels (equal or not) and
        attributes (real vectors), or by their degrees if they have neither. At a dead end
        a walk stays.
    B : graphs or None, default=None
        Graphs to compare with ``A``, with the same kind of labels and attributes; None
        compares ``A`` with itself.
    length : int, default=3
        Nodes visited by a walk, its start included; at most 1,000.
    level : {"graph", "node"}, default="graph"
        Compare graphs, by the sum over all pairs of their nodes, or compare nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        Kernel between two walks: the product of Gaussian kernels below, or 1 if all
        features are equal and 0 otherwise.
    alpha : float, default=1.5
        Bandwidth of the Gaussian kernel.
    weighting : {"count", "probability"}, default="count"
        Weight of a walk: 1, independent of edge weights, or the probability that a random
        walk, whose steps follow the edge weights, takes it.
    normalize : bool, default=False
        Whether to divide by the square roots of both self-similarities, which become 1.
        Graphs or nodes without walks keep the similarity 0.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        Gram matrix.

    Notes
    -----
    For nodes u and v (Eqs. 4 and 6 of [1]_), with walks w from u and w' from v,

    .. math:: k(u, v) = \sum_{w, w'} p(w) p(w')
              \prod_j \exp(-\tfrac{\alpha}{2} |x_{w_j} - x_{w'_j}|^2)

    where two different labels have the squared distance 2, as one-hot vectors have. Walks
    are not enumerated: with the similarities M of single nodes and the step matrices S,
    ``K_1 = M`` and ``K_{j+1} = M * (S_A K_j S_B')``. The time grows with ``length`` and
    with the number of edges of A times the number of nodes of B.

    References
    ----------
    .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.
    .. [2] Gärtner, Flach and Wrobel, "On Graph Kernels: Hardness Results and Efficient
       Alternatives", COLT 2003.
    .. [3] Kashima, Tsuda and Inokuchi, "Marginalized Kernels Between Labeled Graphs",
       ICML 2003.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> walk_kernel([edge, triangle], length=3, alpha=0.0)
    array([[  4.,  24.],
           [ 24., 144.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize)
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    return sum_terms(inputs, walk_term(inputs, length, base, alpha, weighting))


def walk_term(
    inputs: Inputs, length: int, base: Base, alpha: float, weighting: Weighting
) -> KernelTerm:
    """Return the walk kernel as a term of a sum."""
    kernel = partial(
        _compare_by_walks, length=length, compare_nodes=node_similarity(base, alpha)
    )
    left, right = inputs.sides(base, weighting)
    return BlockTerm(left, right, kernel, inputs.level)


def _compare_by_walks(
    left: Side, right: Side, *, length: int, compare_nodes: NodeKernel
) -> FloatArray:
    """Sum over all pairs of walks by a recursion from the last step to the first."""
    similarity = compare_nodes(left, right)
    values = similarity
    for _ in range(length - 1):
        values = similarity * (right.steps @ (left.steps @ values).T).T
    return values
