"""Local degree profiles (Cai and Wang, 2018): histograms of degrees around nodes."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_DIMENSIONS
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_cells, check_choice, check_common_parameters, check_int
from gskn.graphs import GraphBatch, as_batch

_PROFILE = ("degree", "min", "max", "mean", "std")


class LDP(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Histograms of a node's degree, and of the least, largest, mean and spread around it.

    Parameters
    ----------
    n_bins : int, default=50
        Bins of each of the five histograms, at most 100,000; the authors try 30, 50, 70
        and 100.
    scale : {"linear", "log"}, default="linear"
        Whether bins are of equal width in the number or in its logarithm.
    normalize : bool, default=False
        Shares of nodes instead of counts.

    Notes
    -----
    Chen Cai and Yusu Wang, A simple yet effective baseline for non-attributed graph
    classification (2018). The range of bins is that of the training graphs; what lies
    outside falls into the first or last bin. The spread divides by the number of
    neighbours; a node without neighbours has zeros. Labels and attributes are not looked
    at, nor are weights.

    Examples
    --------
    >>> from gskn import datasets
    >>> LDP(n_bins=4).fit_transform(datasets.rings(3).graphs).shape
    (2, 20)
    """

    def __init__(
        self, n_bins: int = 50, *, scale: str = "linear", normalize: bool = False
    ) -> None:
        self.n_bins = n_bins
        self.scale = scale
        self.normalize = normalize

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Learn the range of the five numbers."""
        check_common_parameters(self)
        check_int(self.n_bins, "n_bins", minimum=1, maximum=MAX_DIMENSIONS)
        check_choice(self.scale, "scale", choices=("linear", "log"))
        profiles = self._profiles(as_batch(X))
        lowest = profiles.min(axis=0, initial=np.inf)
        highest = profiles.max(axis=0, initial=-np.inf)
        empty = ~np.isfinite(lowest)  # no nodes at all
        self.lowest_ = np.where(empty, 0.0, lowest)
        self.highest_ = np.where(empty, 0.0, highest)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return one row per graph, of shape (n_graphs, 5 n_bins)."""
        check_is_fitted(self, "lowest_")
        batch = as_batch(X)
        check_cells(
            float(batch.n_graphs) * len(_PROFILE) * self.n_bins,
            f"{self.n_bins} bins for {batch.n_graphs} graphs",
            "use a smaller n_bins, or give fewer graphs at a time",
        )
        bins = self._bins(self._profiles(batch))
        rows = np.zeros((batch.n_graphs, len(_PROFILE), self.n_bins))
        for number in range(len(_PROFILE)):
            np.add.at(rows[:, number], (batch.node_graphs, bins[:, number]), 1)
        if self.normalize:
            rows /= np.maximum(batch.graph_sizes, 1)[:, None, None]
        return rows.reshape(batch.n_graphs, len(_PROFILE) * self.n_bins)

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the number and the bin of every column."""
        check_is_fitted(self, "lowest_")
        names = [f"{name}_{n}" for name in _PROFILE for n in range(self.n_bins)]
        return np.array(names, dtype=object)

    def _profiles(self, batch: GraphBatch) -> FloatArray:
        profiles = degree_profiles(batch)
        return np.log1p(profiles) if self.scale == "log" else profiles

    def _bins(self, profiles: FloatArray) -> IndexArray:
        widths = np.where(self.highest_ > self.lowest_, self.highest_ - self.lowest_, 1.0)
        shares = (profiles - self.lowest_) / widths
        return (shares * self.n_bins).astype(np.int64).clip(0, self.n_bins - 1)


def degree_profiles(batch: GraphBatch) -> FloatArray:
    """Return degree, and least, largest, mean and spread of neighbours' degrees."""
    adjacency, degrees = batch.adjacency, batch.degrees.astype(np.float64)
    around = degrees[adjacency.indices]
    counts = np.diff(adjacency.indptr)
    filled = np.flatnonzero(counts)
    result = np.zeros((batch.n_nodes, len(_PROFILE)))
    result[:, 0] = degrees
    if not len(filled):
        return result
    starts = adjacency.indptr[filled]
    result[filled, 1] = np.minimum.reduceat(around, starts)
    result[filled, 2] = np.maximum.reduceat(around, starts)
    means = np.add.reduceat(around, starts) / counts[filled]
    result[filled, 3] = means
    gaps = (around - np.repeat(means, counts[filled])) ** 2
    result[filled, 4] = np.sqrt(np.add.reduceat(gaps, starts) / counts[filled])
    return result
