"""Rows of a training part and of what is tested on it, embedded once for all models."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gskn._types import FloatArray
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
    """Embeds two batches with what is fitted to the first, and remembers the rows.

    A branch gives the same columns whichever stand beside it, and every pooling is made
    of sums: each branch is embedded once, whoever asks for it.
    """

    def __init__(
        self, train: GraphBatch, test: GraphBatch, seed: int, n_jobs: int | None
    ) -> None:
        self.train, self.test, self.seed, self.n_jobs = train, test, seed, n_jobs
        self._sums: dict[str, Pair] = {}

    def rows(self, setting: Mapping[str, Any]) -> Pair:
        """Return what `GSKN` with these parameters gives for both batches."""
        model = GSKN(**setting)
        branches = model.branches
        if isinstance(branches, str):
            branches = (branches,)
        pairs = [self._branch(name, setting) for name in branches]
        rows, others = (np.hstack(blocks) for blocks in zip(*pairs, strict=True))
        return (
            rescale(rows, self.train.graph_sizes, model.pooling),
            rescale(others, self.test.graph_sizes, model.pooling),
        )

    def _branch(self, name: str, setting: Mapping[str, Any]) -> Pair:
        options = {**setting, "branches": (name,), "pooling": "sum"}
        ignored = _IGNORED.get(name, ()) if options.get("n_layers", 1) == 1 else ()
        key = repr(sorted((k, v) for k, v in options.items() if k not in ignored))
        if key not in self._sums:
            self._sums[key] = self._embed(options)
        return self._sums[key]

    def _embed(self, options: Mapping[str, Any]) -> Pair:
        model = GSKN(random_state=self.seed, n_jobs=self.n_jobs, **options)
        return model.fit_transform(self.train), model.transform(self.test)
