"""The shortest-path kernel."""

from collections.abc import Sequence

import numpy as np

from gskn._types import FloatArray
from gskn.baselines._shared._baseline import Variant
from gskn.baselines._shared._colors import initial_colors
from gskn.baselines._shared._counts import Counts
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.baselines._shared._node_features import keep_node_features, select_node_features
from gskn.baselines._shared._pairs import count_pairs
from gskn.graphs import GraphBatch


class ShortestPathKernel(NormalizedKernel):
    """Kernel that counts pairs of nodes by their labels and their distance.

    Parameters
    ----------
    node_features : "auto" or list of {"labels"}, default="auto"
        Node data that is used. "auto" and "labels" use the labels of both nodes if the
        graphs have labels; an empty list compares distances only.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs.

    Notes
    -----
    The distance is the number of edges of a shortest path, compared by equality. Pairs
    that are not connected, and pairs of a node with itself, are not counted.

    References
    ----------
    Karsten Borgwardt and Hans-Peter Kriegel, "Shortest-path kernels on graphs", 2005.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = ShortestPathKernel(normalize=False)
    >>> kernel.fit_transform([ring_of_six, two_triangles])  # 12, 12 and 6 pairs; 12 of 1
    array([[324., 144.],
           [144., 144.]])
    """

    variants = (Variant("sp", "shortest-path kernel", table_label="SP kernel"),)
    uses = "labels if present"

    def __init__(
        self, *, node_features: str | Sequence[str] = "auto", normalize: bool = True
    ) -> None:
        self.node_features = node_features
        self.normalize = normalize

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

    def _uses_labels(self) -> bool:
        return self._selection() != ()

    def _selection(self) -> tuple[str, ...] | None:
        return select_node_features(self.node_features, ((), ("labels",)))

    def _learn(self, batch: GraphBatch) -> Counts:
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> Counts:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, training: Counts | None) -> Counts:
        batch = keep_node_features(batch, self._selection())
        colors = np.zeros(batch.n_nodes, dtype=np.uint64)
        if batch.node_labels is not None:
            colors = initial_colors(batch, "The shortest-path kernel")
        (counts,) = count_pairs(batch, [colors], None if training is None else [training])
        return counts

    def _compare(self, left: Counts, right: Counts) -> FloatArray:
        return left.compare(right)

    def _self_kernel(self, described: Counts) -> FloatArray:
        return described.squares
