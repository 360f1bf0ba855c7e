"""Local degree profiles: histograms of the degrees around every node."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_DIMENSIONS
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_cells, check_choice, check_common_parameters, check_int
from gskn.baselines._shared._baseline import Baseline, Variant, parameter_grid
from gskn.graphs import GraphBatch, as_batch

_STATISTICS = ("degree", "min", "max", "mean", "std")


class LDP(Baseline):
    """Histograms of five statistics of the degrees of a node and its neighbors.

    The statistics are the degree of the node, and the minimum, maximum, mean and standard
    deviation of the degrees of its neighbors.

    Parameters
    ----------
    n_bins : int, default=50
        Number of bins of each histogram, at most 100,000. The authors choose among 30, 50,
        70 and 100.
    scale : {"linear", "log"}, default="linear"
        Whether bins have equal width in a statistic or in its logarithm.
    normalize : bool, default=False
        Divide the counts by the number of nodes.

    Attributes
    ----------
    lowest_, highest_ : ndarray of shape (5,)
        Smallest and largest value of every statistic in the training graphs.

    Notes
    -----
    The bins cover the range of the training graphs; values outside are counted in the
    first or last bin. All statistics of a node without neighbors are zero. Node labels,
    node attributes and edge weights are ignored.

    References
    ----------
    Chen Cai and Yusu Wang, "A simple yet effective baseline for non-attributed graph
    classification", 2018.

    Examples
    --------
    >>> from gskn import datasets
    >>> LDP(n_bins=4).fit_transform(datasets.rings(3).graphs).shape
    (2, 20)
    """

    variants = (
        Variant(
            name="ldp",
            label="local degree profiles",
            grid=parameter_grid(n_bins=(30, 50, 100), scale=("linear", "log")),
            table_label="LDP",
        ),
    )
    output = "embedding"
    uses = "degrees"

    def __init__(
        self, n_bins: int = 50, *, scale: str = "linear", normalize: bool = False
    ) -> None:
        self.n_bins = n_bins
        self.scale = scale
        self.normalize = normalize

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Learn the range of the statistics.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : LDP
            The fitted estimator.
        """
        check_common_parameters(self)
        check_int(self.n_bins, "n_bins", minimum=1, maximum=MAX_DIMENSIONS)
        check_choice(self.scale, "scale", choices=("linear", "log"))
        profiles = self._profiles(self._read_training(X))
        lowest = profiles.min(axis=0, initial=np.inf)
        highest = profiles.max(axis=0, initial=-np.inf)
        has_no_nodes = ~np.isfinite(lowest)
        self.lowest_ = np.where(has_no_nodes, 0.0, lowest)
        self.highest_ = np.where(has_no_nodes, 0.0, highest)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Embed graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, 5 n_bins)
            One embedding per graph.
        """
        check_is_fitted(self, "lowest_")
        batch = as_batch(X)
        check_cells(
            float(batch.n_graphs) * len(_STATISTICS) * self.n_bins,
            f"{self.n_bins} bins for {batch.n_graphs} graphs",
            "use a smaller n_bins, or pass fewer graphs at a time",
        )
        bins = self._bins(self._profiles(batch))
        histograms = np.zeros((batch.n_graphs, len(_STATISTICS), self.n_bins))
        for number in range(len(_STATISTICS)):
            np.add.at(histograms[:, number], (batch.node_graphs, bins[:, number]), 1)
        if self.normalize:
            histograms /= np.maximum(batch.graph_sizes, 1)[:, None, None]
        return histograms.reshape(batch.n_graphs, len(_STATISTICS) * self.n_bins)

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of shape (5 n_bins,)
            Statistic and bin of every column.
        """
        check_is_fitted(self, "lowest_")
        names = [f"{name}_{n}" for name in _STATISTICS for n in range(self.n_bins)]
        return np.array(names, dtype=object)

    def _profiles(self, batch: GraphBatch) -> FloatArray:
        profiles = degree_profiles(batch)
        return np.log1p(profiles) if self.scale == "log" else profiles

    def _bins(self, profiles: FloatArray) -> IndexArray:
        widths = np.where(self.highest_ > self.lowest_, self.highest_ - self.lowest_, 1.0)
        fractions = (profiles - self.lowest_) / widths
        return (fractions * self.n_bins).astype(np.int64).clip(0, self.n_bins - 1)


def degree_profiles(batch: GraphBatch) -> FloatArray:
    """Return the five statistics of every node, an array of shape (n_nodes, 5)."""
    adjacency, degrees = batch.adjacency, batch.degrees.astype(np.float64)
    neighbor_degrees = degrees[adjacency.indices]
    counts = np.diff(adjacency.indptr)
    nodes = np.flatnonzero(counts)
    result = np.zeros((batch.n_nodes, len(_STATISTICS)))
    result[:, 0] = degrees
    if not len(nodes):
        return result
    starts = adjacency.indptr[nodes]
    result[nodes, 1] = np.minimum.reduceat(neighbor_degrees, starts)
    result[nodes, 2] = np.maximum.reduceat(neighbor_degrees, starts)
    means = np.add.reduceat(neighbor_degrees, starts) / counts[nodes]
    result[nodes, 3] = means
    squares = (neighbor_degrees - np.repeat(means, counts[nodes])) ** 2
    result[nodes, 4] = np.sqrt(np.add.reduceat(squares, starts) / counts[nodes])
    return result
