"""Results that fits of `GSKN` to parts of one batch share.

Every pooling is a function of sums over nodes, and the columns of a branch do not depend on
the other branches. Therefore each branch is embedded once per split for all parameter
values that it shares. A branch whose layer has graph statistics is fitted from them.
"""

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from gskn._types import FloatArray, IndexArray
from gskn.estimators._parameters import check_branches, select_branches
from gskn.estimators._precomputation import Precomputation, RefitSplit, SplitPair
from gskn.estimators._sample import plan_fit
from gskn.graphs import GraphBatch, select_node_features
from gskn.layers import BRANCHES, Branch, GraphStatistics
from gskn.pooling import rescale

if TYPE_CHECKING:
    from collections.abc import Hashable

    from gskn.estimators._gskn import GSKN

# Parameters that do not affect the sums of a branch.
_IRRELEVANT = frozenset({"branches", "pooling", "n_jobs", "verbose"})


class GSKNPrecomputation(Precomputation):
    """Statistics of all graphs, shared by all splits and parameter values."""

    def __init__(self, batch: GraphBatch, n_jobs: int | None = None) -> None:
        super().__init__(batch, n_jobs)
        self._statistics: dict[Hashable, GraphStatistics | None] = {}

    def embed_all(self, estimator: "GSKN") -> FloatArray:
        """Fit the estimator to all graphs and return their embeddings."""
        everything = np.arange(self.batch.n_graphs)
        return self.split(everything, everything[:0]).embed(estimator)[0]

    def split(self, train: IndexArray, test: IndexArray) -> "GSKNSplit":
        """Return the split into the graphs with these indices."""
        return GSKNSplit(self, train, test)

    def statistics(self, branch: Branch) -> GraphStatistics | None:
        """Return the statistics of all graphs for a branch; None if it needs the graphs."""
        first, *others = branch.layers
        if others:
            return None
        key = branch.name, first.statistics_key
        if key not in self._statistics:
            self._statistics[key] = first.graph_statistics(self.batch, self.n_jobs)
        return self._statistics[key]


class GSKNSplit(RefitSplit):
    """A split that remembers the sums over nodes of every branch."""

    def __init__(
        self, precomputation: GSKNPrecomputation, train: IndexArray, test: IndexArray
    ) -> None:
        super().__init__(precomputation.batch, train, test)
        self._precomputation = precomputation
        self._sums: dict[str, SplitPair] = {}

    def embed(self, estimator: "GSKN") -> SplitPair:
        """Fit the estimator to the training graphs and return both embeddings."""
        branches = select_branches(
            check_branches(estimator.branches),
            select_node_features(estimator.node_features, self.batch),
        )
        sums = [self._branch_sums(estimator, name) for name in branches]
        train, test = (np.hstack(blocks) for blocks in zip(*sums, strict=True))
        sizes, pooling = self.batch.graph_sizes, estimator.pooling
        return (
            rescale(train, sizes[self.train], pooling),
            rescale(test, sizes[self.test], pooling),
        )

    def _branch_sums(self, estimator: "GSKN", name: str) -> SplitPair:
        """Return the sums over nodes of one branch; compute them if they are new."""
        irrelevant = _IRRELEVANT
        if estimator.n_layers == 1:  # layers after the first are walk layers
            irrelevant |= BRANCHES[name].ignored_parameters
        params = estimator.get_params(deep=False).items()
        key = repr((name, sorted((k, v) for k, v in params if k not in irrelevant)))
        if key not in self._sums:
            single = clone(estimator).set_params(branches=(name,), pooling="sum")
            self._sums[key] = self._fit_branch(single)
        return self._sums[key]

    def _fit_branch(self, single: "GSKN") -> SplitPair:
        """Fit a model with one branch, from the statistics of graphs if possible."""
        plan = plan_fit(single, self.batch.graph_sizes[self.train])
        (branch,) = plan.stack.branches
        statistics = self._precomputation.statistics(branch)
        if statistics is None:
            single.fit(self.graphs[0])
            sums = [single._sum_nodes(graphs) for graphs in self.graphs]  # noqa: SLF001
            return sums[0], sums[1]
        (stream,) = plan.stack.streams(plan.generator)
        (layer,) = branch.layers
        statistics.fit(layer, self.train[plan.graphs], stream)
        train, test = (
            np.hstack(statistics.embed(layer, graphs)) for graphs in (self.train, self.test)
        )
        return train, test
