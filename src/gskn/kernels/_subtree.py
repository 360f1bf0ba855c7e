"""Weisfeiler-Lehman subtree kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from gskn._limits import MAX_ITERATIONS
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int
from gskn.colors import SaltedSteps, Steps, hash_rows, out_steps, ranks, refine
from gskn.graphs import GraphBatch, pool_matrix
from gskn.kernels._colors import edge_colors, node_colors
from gskn.kernels._inputs import Inputs, Level
from gskn.kernels._terms import FeatureTerm, sum_terms


def subtree_kernel(
    A: Any,
    B: Any = None,
    *,
    depth: int = 3,
    level: Level = "graph",
    edge_features: str | Sequence[str] = "auto",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs or nodes by Weisfeiler-Lehman subtrees.

    Parameters
    ----------
    A, B : graphs
        As in `walk_kernel`. The initial colors are labels and attributes, or degrees if
        nodes have neither. A round compares pairs of a neighbor and the edge to it.
    depth : int, default=3
        Number of refinement rounds, at most 10,000. A round depends on the
        (out-)neighbors, not on edge weights.
    level : {"graph", "node"}, default="graph"
        Compare graphs, by the sum over all pairs of their nodes, or compare nodes.
    edge_features : "auto", "none" or list of {"labels", "attributes"}, default="auto"
        Edge data of which the colors of edges consist; "auto" uses all.
    normalize : bool, default=False
        Whether to divide by the square roots of both self-similarities.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        Gram matrix. The value of two nodes is the number of rounds, from 0 to ``depth``,
        in which they have the same color.

    Notes
    -----
    Eq. 5 of [2]_.

    References
    ----------
    .. [1] Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt,
       "Weisfeiler-Lehman Graph Kernels", Journal of Machine Learning Research 12, 2011.
    .. [2] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)
    >>> subtree_kernel(path, depth=1, level="node")
    array([[2., 0., 2.],
           [0., 2., 0.],
           [2., 0., 2.]])
    """
    inputs = Inputs.from_arguments(A, B, level, normalize, edge_features)
    union = inputs.union()
    depth = check_int(depth, "depth", minimum=0, maximum=MAX_ITERATIONS)
    rounds = subtree_colors(union, depth)
    features = hstack([_one_hot(colors) for colors in rounds], format="csr")
    if level == "graph":
        features = pool_matrix(union.graph_ptr) @ features
    left, right = inputs.split(features)
    return sum_terms(inputs, FeatureTerm(left, right))


def subtree_colors(batch: GraphBatch, depth: int) -> list[IndexArray]:
    """Return the node colors of rounds 0 to ``depth``; in directed graphs, along edges."""
    colors = node_colors(batch)
    steps: Steps | SaltedSteps = out_steps(batch)
    if batch.edge_labels is not None or batch.n_edge_attributes:
        steps = SaltedSteps(batch.adjacency, hash_rows(edge_colors(batch)[:, None]))
    rounds, hashes = [colors], hash_rows(colors[:, None])
    for _ in range(depth):
        hashes = refine([steps], hashes)
        rounds.append(ranks(hashes))
    return rounds


def _one_hot(colors: IndexArray) -> csr_array:
    n_nodes = len(colors)
    entries = (np.ones(n_nodes), colors, np.arange(n_nodes + 1))
    return csr_array(entries, shape=(n_nodes, int(colors.max(initial=-1)) + 1))
