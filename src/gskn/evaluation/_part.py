"""Rows of a training part and of what is tested on it, embedded once for all models."""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np

from gskn._types import IndexArray
from gskn.estimators import GSKN
from gskn.evaluation._model import Model, make
from gskn.evaluation._shared import Pair, Shared
from gskn.evaluation._svm import Setting
from gskn.graphs import GraphBatch
from gskn.pooling import rescale

# What plays no part in the first layer of a branch: it is not embedded anew for that.
_IGNORED = {
    "walk": {"anonymous_length", "beta"},
    "anonymous": {"walk_length", "alpha", "node_features"},
}


class Part:
    """Embeds two batches, or one, with what is fitted to the first; remembers the rows.

    A branch gives the same columns whichever stand beside it, and every pooling is made
    of sums: each branch is embedded once, whoever asks for it.
    """

    def __init__(
        self, shared: Shared, train: IndexArray, test: IndexArray, seed: int
    ) -> None:
        self.shared, self.train, self.test, self.seed = shared, train, test, seed
        self._found: dict[str, Pair] = {}

    @cached_property
    def _graphs(self) -> tuple[GraphBatch, GraphBatch]:
        batch = self.shared.batch
        return batch[self.train], batch[self.test]

    def rows(self, model: Model, setting: Setting) -> Pair:
        """Return what the model with these parameters gives for both batches."""
        if model.estimator is not GSKN:
            return self._remember(model, setting, ignored=())
        estimator = GSKN(**setting)
        branches = estimator.branches
        if isinstance(branches, str):
            branches = (branches,)
        pairs = [self._branch(model, name, setting) for name in branches]
        rows, others = (np.hstack(blocks) for blocks in zip(*pairs, strict=True))
        sizes = self.shared.batch.graph_sizes
        return (
            rescale(rows, sizes[self.train], estimator.pooling),
            rescale(others, sizes[self.test], estimator.pooling),
        )

    def _branch(self, model: Model, name: str, setting: Setting) -> Pair:
        options = {**setting, "branches": (name,), "pooling": "sum"}
        ignored = _IGNORED.get(name, ()) if options.get("n_layers", 1) == 1 else ()
        return self._remember(model, options, ignored)

    def _remember(self, model: Model, setting: Setting, ignored: Collection[str]) -> Pair:
        used = sorted((k, v) for k, v in setting.items() if k not in ignored)
        key = repr((model.estimator, model.transductive, used))
        if key not in self._found:
            estimator = make(model.estimator, setting, self.seed, self.shared.n_jobs)
            self._found[key] = self._embed(model, estimator)
        return self._found[key]

    def _embed(self, model: Model, estimator: Any) -> Pair:
        shared = self.shared.embed(model, estimator, self.train, self.test)
        if shared is not None:
            return shared
        train, test = self._graphs
        rows = estimator.fit_transform(train)
        # Many a transformer refuses to transform nothing.
        return rows, estimator.transform(test) if test.n_graphs else rows[:0]
