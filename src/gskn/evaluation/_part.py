"""Rows of a training part and of what is tested on it, embedded once for all models."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.estimators import GSKN
from gskn.graphs import GraphBatch
from gskn.pooling import rescale

Pair = tuple[FloatArray, FloatArray]

# What plays no part in the first layer of a branch: it is not embedded anew for that.
_IGNORED = {
    "walk": {"anonymous_length", "beta"},
    "anonymous": {"walk_length", "alpha", "attributes"},
}


class Part:
    """Embeds two batches, or one, with what is fitted to the first; remembers the rows.

    A branch gives the same columns whichever stand beside it, and every pooling is made
    of sums: each branch is embedded once, whoever asks for it.
    """

    def __init__(
        self, train: GraphBatch, test: GraphBatch | None, seed: int, n_jobs: int | None
    ) -> None:
        self.train, self.test, self.seed, self.n_jobs = train, test, seed, n_jobs
        self._found: dict[str, Pair] = {}

    def rows(self, estimator: Callable[..., Any], setting: Mapping[str, Any]) -> Pair:
        """Return what an estimator with these parameters gives for both batches."""
        if estimator is not GSKN:
            return self._remember(estimator, setting, ignored=())
        model = GSKN(**setting)
        branches = model.branches
        if isinstance(branches, str):
            branches = (branches,)
        pairs = [self._branch(name, setting) for name in branches]
        rows, others = (np.hstack(blocks) for blocks in zip(*pairs, strict=True))
        return (
            rescale(rows, self.train.graph_sizes, model.pooling),
            rescale(others, self._test_sizes, model.pooling),
        )

    def _branch(self, name: str, setting: Mapping[str, Any]) -> Pair:
        options = {**setting, "branches": (name,), "pooling": "sum"}
        ignored = _IGNORED.get(name, ()) if options.get("n_layers", 1) == 1 else ()
        return self._remember(GSKN, options, ignored)

    def _remember(
        self,
        estimator: Callable[..., Any],
        setting: Mapping[str, Any],
        ignored: Collection[str],
    ) -> Pair:
        used = sorted((k, v) for k, v in setting.items() if k not in ignored)
        key = repr((estimator, used))
        if key not in self._found:
            model = estimator(**setting)
            given = {"random_state": self.seed, "n_jobs": self.n_jobs}
            known = model.get_params(deep=False)
            model.set_params(**{k: v for k, v in given.items() if k in known})
            rows = model.fit_transform(self.train)
            # Many a transformer refuses to transform nothing.
            others = rows[:0] if self.test is None else model.transform(self.test)
            self._found[key] = rows, others
        return self._found[key]

    @property
    def _test_sizes(self) -> IndexArray:
        return self.train.graph_sizes[:0] if self.test is None else self.test.graph_sizes
