"""Embeddings and kernels of one batch of graphs for many folds and parameter values."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._types import FloatArray
from gskn.estimators import Precomputation
from gskn.graphs import GraphBatch

if TYPE_CHECKING:
    from gskn.baselines._shared._baseline import Baseline
    from gskn.baselines._shared._kernel import GraphKernel


class BaselinePrecomputation(Precomputation):
    """Embeddings of all graphs for baselines that do not depend on training graphs."""

    def depends_on_training(self, estimator: "Baseline") -> bool:
        """Return whether the embedding depends on the training graphs."""
        return estimator.depends_on_training(self.batch)


class KernelPrecomputation(BaselinePrecomputation):
    """Kernels of all graphs, of which every split takes its rows and columns.

    Kernels that differ only in the parameters of their last step share the comparison of
    the graphs. Only the last comparison is stored: in a grid, the parameters that share
    one are adjacent.
    """

    def __init__(self, batch: GraphBatch, n_jobs: int | None = None) -> None:
        super().__init__(batch, n_jobs)
        self._last: tuple[str, Any, FloatArray] = ("", None, np.empty(0))

    def embed_all(self, estimator: "GraphKernel") -> FloatArray:
        """Return the kernel of all graphs."""
        names = estimator.postprocess_parameters
        key = _key(estimator, excluded=names)
        if key != self._last[0]:
            self._last = key, estimator, estimator.fit(self.batch).compare()
        _, fitted, comparison = self._last
        fitted.set_params(**{name: getattr(estimator, name) for name in names})
        kernel: FloatArray = fitted.postprocess(comparison)
        return kernel


def _key(estimator: Any, excluded: Collection[str]) -> str:
    """Return a string that is equal for estimators with equal relevant parameters."""
    params = estimator.get_params(deep=False).items()
    return repr((type(estimator), sorted((k, v) for k, v in params if k not in excluded)))
