"""Walk kernel: node features along all walks."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import MAX_WALK_LENGTH
from gskn._offsets import running_total
from gskn._types import BoolArray, FloatArray
from gskn._validation import check_int
from gskn.kernels._inputs import Base, Edges, Inputs, Level, Side, Weighting
from gskn.kernels._similarity import node_similarity
from gskn.kernels._terms import BlockTerm, KernelTerm, NodeKernel, chunks, sum_terms


def walk_kernel(  # noqa: PLR0913 - all options have defaults
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
    r"""Compare graphs or nodes by the features of nodes and edges along all their walks.

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
    edge_features : "auto", "none" or list of {"labels", "attributes"}, default="auto"
        Edge data that is compared at every step, like node data; "auto" compares all.
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

    If steps are compared, too, the product contains their kernel, where a step that stays
    at a dead end has a label of its own and attributes of zero. For edge labels, the
    product of K_j is a sum with one term for every label of A. For edge attributes, all
    pairs of edges of A and B are compared.

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
    inputs = Inputs.from_arguments(A, B, level, normalize, edge_features)
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
        values = similarity * _step(left, right, values, compare_nodes)
    return values


def _step(left: Side, right: Side, values: FloatArray, compare: NodeKernel) -> FloatArray:
    """Return the sum over all pairs of steps of their kernel and of the values behind."""
    if left.edges is None or right.edges is None:
        return _multiply(left.steps, values, right.steps)
    if left.edges.attributes is not None:
        edges = (left.edges, right.edges)
        return _compare_all_pairs((left, right), edges, values, compare)
    total = np.zeros_like(values)
    for code in np.unique(left.edges.codes):
        has_code = left.edges.codes == code
        factors = compare(Edges(np.array([code]), None), right.edges)[0]
        total += _multiply(
            _scaled(left.steps, has_code), values, _scaled(right.steps, factors)
        )
    return total


def _multiply(left: csr_array, values: FloatArray, right: csr_array) -> FloatArray:
    product: FloatArray = (right @ (left @ values).T).T
    return product


def _scaled(steps: csr_array, factors: FloatArray | BoolArray) -> csr_array:
    """Return the entries that have a factor other than zero, times this factor."""
    kept = factors != 0
    data, indices = (steps.data * factors)[kept], steps.indices[kept]
    indptr = running_total(kept)[steps.indptr]
    return csr_array((data, indices, indptr), shape=steps.shape)


def _compare_all_pairs(
    sides: tuple[Side, Side],
    edges: tuple[Edges, Edges],
    values: FloatArray,
    compare: NodeKernel,
) -> FloatArray:
    """Return the same sum with the kernel of every pair of steps."""
    (left, right), (left_edges, right_edges) = sides, edges
    left_sums, right_sums = _sums_over_steps(left), _sums_over_steps(right)
    total = np.zeros_like(values)
    for chunk in chunks(left.steps.nnz, right.steps.nnz):
        products = compare(left_edges.take(chunk), right_edges)
        products *= values[left.steps.indices[chunk]].take(right.steps.indices, axis=1)
        total += left_sums[:, chunk] @ (right_sums @ products.T).T
    return total


def _sums_over_steps(side: Side) -> csr_array:
    """Return the matrix that sums values of weighted steps by their start nodes."""
    steps = side.steps
    entries = (steps.data, np.arange(steps.nnz), steps.indptr)
    return csr_array(entries, shape=(steps.shape[0], steps.nnz))
