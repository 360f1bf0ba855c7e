"""Weisfeiler-Lehman subtree and optimal assignment kernels."""

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._types import FloatArray
from gskn._validation import check_choice, check_int
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._colors import (
    Colors,
    edge_salts,
    initial_colors,
    refine,
)
from gskn.baselines._shared._counts import Counts, count_nodes, sum_products, sum_squares
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch


class WLKernel(NormalizedKernel):
    """Weisfeiler-Lehman subtree kernel.

    The kernel counts pairs of nodes of two graphs that have the same color, summed over
    0 to ``n_iterations`` color refinements.

    Parameters
    ----------
    n_iterations : int, default=5
        Number of refinements, at most 10,000. The authors choose among 0 to 10.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs.
    edge_features : {"auto", "labels", "none"}, default="auto"
        Whether a refinement compares the labels of edges, too; "auto" does if the training
        graphs have them.

    Notes
    -----
    The initial colors are the node labels, or the degrees of graphs without labels. With
    edge labels, the new color of a node depends on the pairs of the color of a neighbor and
    the label of the edge to it (Section 5 of the reference). Edge weights and attributes
    are ignored.

    References
    ----------
    Nino Shervashidze, Pascal Schweitzer, Erik Jan van Leeuwen, Kurt Mehlhorn and Karsten
    Borgwardt, "Weisfeiler-Lehman graph kernels", 2011.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> WLKernel().fit_transform([ring_of_six, two_triangles]).round(12)
    array([[1., 1.],
           [1., 1.]])
    """

    variants = (
        Variant(
            name="wl",
            label="Weisfeiler-Lehman subtree kernel",
            grid=parameter_grid(n_iterations=range(1, 6)),
            table_label="WL subtree",
        ),
    )
    uses = "labels or degrees, edge labels"
    uses_edges = True

    def __init__(
        self,
        n_iterations: int = 5,
        *,
        normalize: bool = True,
        edge_features: str = "auto",
    ) -> None:
        self.n_iterations = n_iterations
        self.normalize = normalize
        self.edge_features = edge_features

    def depends_on_training(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Return False: the kernel of two graphs depends on these two only.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return False

    def _learn(self, batch: GraphBatch) -> list[Counts]:
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        check_choice(
            self.edge_features, "edge_features", choices=("auto", "labels", "none")
        )
        self.compares_edges_ = self.edge_features == "labels" or (
            self.edge_features == "auto" and batch.edge_labels is not None
        )
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> list[Counts]:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, training: list[Counts] | None) -> list[Counts]:
        colors = initial_colors(batch, type(self).__name__)
        rounds = refine(batch, colors, self.n_iterations, self._edge_salts(batch))
        return count_nodes(rounds, batch, training)

    def _edge_salts(self, batch: GraphBatch) -> Colors | None:
        """Return hashes of the edges if they are compared; raise if they are missing."""
        if not self.compares_edges_:
            return None
        if batch.edge_labels is None and batch.adjacency.nnz:
            raise InputError(
                f"{type(self).__name__} compares edge labels, but the graphs have none; "
                "give them, or use edge_features='none'."
            )
        return edge_salts(batch)

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        return sum_products(left, right)

    def _self_kernel(self, described: list[Counts]) -> FloatArray:
        return sum_squares(described)


class WLOAKernel(WLKernel):
    """Weisfeiler-Lehman optimal assignment kernel.

    The similarity of two nodes is the number of refinements after which their colors are
    equal. The kernel is the total similarity of the best matching of the nodes.

    Parameters
    ----------
    n_iterations : int, default=5
        Number of refinements, at most 10,000. The authors choose among 0 to 7.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs.
    edge_features : {"auto", "labels", "none"}, default="auto"
        Whether labels of edges are compared, as in `WLKernel`.

    Notes
    -----
    The value of the best matching is the sum, over the colors of all refinements, of the
    minimum of the two counts. Colors are as in `WLKernel`. Time is linear in the number of
    pairs of graphs with a common color, which is at most quadratic in the number of graphs.

    References
    ----------
    Nils Kriege, Pierre-Louis Giscard and Richard Wilson, "On valid optimal assignment
    kernels and applications to graph classification", 2016.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> WLOAKernel(2, normalize=False).fit_transform([ring_of_six, two_triangles])
    array([[18., 18.],
           [18., 18.]])
    """

    variants = (
        Variant(
            name="wl-oa",
            label="WL optimal assignment kernel",
            grid=parameter_grid(n_iterations=range(1, 6)),
            table_label="WL-OA",
        ),
    )

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        pairs = zip(left, right, strict=True)
        return np.asarray(sum(one.intersect(other) for one, other in pairs))

    def _self_kernel(self, described: list[Counts]) -> FloatArray:
        return np.asarray(sum(counts.totals for counts in described))
