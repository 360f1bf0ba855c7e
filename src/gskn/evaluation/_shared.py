"""What does not depend on the fold: computed once for a set, whatever is fitted."""

from collections.abc import Collection
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.baselines import Baseline, GraphKernel
from gskn.estimators import GSKN
from gskn.evaluation._model import Model
from gskn.evaluation._patterns import PatternRows
from gskn.graphs import GraphBatch

Pair = tuple[FloatArray, FloatArray]


class Shared:
    """Counts of patterns; rows and kernels that are the same whatever is fitted to."""

    def __init__(self, batch: GraphBatch, n_jobs: int | None) -> None:
        self.batch, self.n_jobs = batch, n_jobs
        _ = batch.directed  # parts of a batch inherit it, and it is dear to find out
        self._patterns = PatternRows(batch, n_jobs)
        self._found: dict[str, FloatArray] = {}
        self._compared: tuple[str, Any, FloatArray] = ("", None, np.empty(0))

    def embed(
        self, model: Model, estimator: Any, train: IndexArray, test: IndexArray
    ) -> Pair | None:
        """Return what an estimator of the model gives for training and test graphs.

        None where that depends on the training graphs, unless the model is transductive.
        """
        if isinstance(estimator, GSKN):
            return self._patterns.embed(estimator, train, test)
        if self._depends_on_training(estimator) and not model.transductive:
            return None
        key = _key(estimator)
        if key not in self._found:
            self._found[key] = self._fit_transform(estimator)
        found = self._found[key]
        if model.gives_kernels:
            return found[np.ix_(train, train)], found[np.ix_(test, train)]
        return found[train], found[test]

    def _fit_transform(self, estimator: Any) -> FloatArray:
        """Compare graphs once for all kernels that are made of the same comparison.

        Only the last comparison is kept: grids have settings that share one side by side.
        """
        if not isinstance(estimator, GraphKernel):
            rows: FloatArray = estimator.fit_transform(self.batch)
            return rows
        key = _key(estimator, without=estimator.postprocess_parameters)
        if key != self._compared[0]:
            self._compared = key, estimator, estimator.fit(self.batch).compare()
        _, fitted, compared = self._compared
        given = {
            name: getattr(estimator, name) for name in estimator.postprocess_parameters
        }
        kernel: FloatArray = fitted.set_params(**given).postprocess(compared)
        return kernel

    def _depends_on_training(self, estimator: Any) -> bool:
        """Return whether the embedding depends on the training graphs (default: True)."""
        is_baseline = isinstance(estimator, Baseline)
        return not is_baseline or estimator.depends_on_training(self.batch)


def _key(estimator: Any, without: Collection[str] = ()) -> str:
    """Return a string that is the same for estimators of the same parameters."""
    given = estimator.get_params(deep=False).items()
    return repr((type(estimator), sorted((k, v) for k, v in given if k not in without)))
