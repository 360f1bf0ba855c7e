"""What does not depend on the fold: computed once for a set, whatever is fitted."""

from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.baselines import GraphKernel
from gskn.estimators import GSKN
from gskn.evaluation._patterns import PatternRows
from gskn.graphs import GraphBatch

Pair = tuple[FloatArray, FloatArray]


class Shared:
    """Counts of patterns, and kernels that are the same whatever they are fitted to."""

    def __init__(self, batch: GraphBatch, n_jobs: int | None) -> None:
        self.batch, self.n_jobs = batch, n_jobs
        self._patterns = PatternRows(batch, n_jobs)
        self._kernels: dict[str, FloatArray] = {}

    def embed(
        self, model: Any, train: IndexArray, test: IndexArray, *, transductive: bool
    ) -> Pair | None:
        """Return what the model gives for training and test graphs.

        None where that depends on the training graphs, unless it is to be ``transductive``.
        """
        if isinstance(model, GSKN):
            return self._patterns.embed(model, train, test)
        if not isinstance(model, GraphKernel):
            return None
        if model.learns_from(self.batch) and not transductive:
            return None
        key = repr((type(model), sorted(model.get_params(deep=False).items())))
        if key not in self._kernels:
            self._kernels[key] = model.fit_transform(self.batch)
        kernel = self._kernels[key]
        return kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
