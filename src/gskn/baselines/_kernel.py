"""What all graph kernels share: the form of scikit-learn, and normalisation."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._types import FloatArray
from gskn._validation import check_common_parameters
from gskn.baselines._colours import check_labels
from gskn.baselines._precomputation import KernelPrecomputation
from gskn.graphs import GraphBatch, as_batch


class GraphKernel(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A kernel between graphs: ``transform`` compares graphs with those of ``fit``.

    Subclasses say what is kept of a graph (``_describe``, and ``_learn`` for those of
    fit), how two lots of graphs are compared (``_compare``), and what kernel that gives
    (``_finish``). ``finishing`` names the parameters that matter for that last step alone,
    so that several values of them can be tried on one comparison, which is what takes long.
    """

    finishing: ClassVar[tuple[str, ...]]

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Keep what the kernel needs of the graphs ``X``."""
        check_common_parameters(self)
        batch = as_batch(X)
        self.is_labelled_fit_ = batch.node_labels is not None
        self.has_nodes_ = batch.n_nodes > 0
        self.trained_ = self._learn(batch)
        return self

    def fit_transform(self, X: Any, y: object = None) -> FloatArray:  # noqa: ARG002
        """Return the kernel of all graphs with each other, symmetric."""
        return self.fit(X).finish(self.compare())

    def compare(self) -> FloatArray:
        """Return the graphs of fit compared with each other, for `finish`."""
        check_is_fitted(self, "trained_")
        return self._compare(self.trained_, self.trained_)

    def finish(self, compared: FloatArray) -> FloatArray:
        """Return the kernel of the graphs of fit, symmetric, given what `compare` did."""
        kernel = self._finish(compared, self.trained_)
        return (kernel + kernel.T) / 2  # sums in another order round otherwise

    def transform(self, X: Any) -> FloatArray:
        """Return the kernel of graphs with those of fit, of shape (n_graphs, n_fitted)."""
        check_is_fitted(self, "trained_")
        batch = as_batch(X)
        self._check_alike(batch)
        described = self._describe(batch)
        return self._finish(self._compare(described, self.trained_), described)

    def _check_alike(self, batch: GraphBatch) -> None:
        if self.has_nodes_ and self._looks_at_labels():
            check_labels(batch, type(self).__name__, labelled=self.is_labelled_fit_)

    def _looks_at_labels(self) -> bool:
        """Tell whether labels count, if there are any; known after fit."""
        return True

    @classmethod
    def precompute(
        cls, batch: GraphBatch, n_jobs: int | None = None
    ) -> KernelPrecomputation:
        """Return an object that computes kernels of a batch for many folds."""
        return KernelPrecomputation(batch, n_jobs)

    def learns_from(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Tell whether kernels would depend on these graphs, beyond those they are of.

        Where not, the kernel of all graphs of a set serves all folds of it.
        """
        return False

    def _learn(self, batch: GraphBatch) -> Any:
        """Describe the graphs of fit; for kernels that learn nothing else."""
        return self._describe(batch)

    @abstractmethod
    def _describe(self, batch: GraphBatch) -> Any:
        """Return what is compared, for every graph."""

    @abstractmethod
    def _compare(self, left: Any, right: Any) -> FloatArray:
        """Return what the kernel of all pairs is made of."""

    @abstractmethod
    def _finish(self, compared: FloatArray, described: Any) -> FloatArray:
        """Return the kernel of graphs that were compared with those of fit."""


class NormalizedKernel(GraphKernel):
    """A kernel, or its cosine where the parameter ``normalize`` is true.

    Subclasses also say what every graph has with itself (``_own``).
    """

    finishing = ("normalize",)
    normalize: bool

    def _finish(self, compared: FloatArray, described: Any) -> FloatArray:
        if not self.normalize:
            return compared
        roots = [np.sqrt(np.maximum(self._own(d), 0)) for d in (described, self.trained_)]
        scale = np.outer(*roots)
        return np.divide(compared, scale, out=np.zeros_like(compared), where=scale > 0)

    @abstractmethod
    def _own(self, described: Any) -> FloatArray:
        """Return the kernel of every graph with itself."""
