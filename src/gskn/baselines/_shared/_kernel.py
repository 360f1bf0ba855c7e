"""Base classes of the graph kernels: scikit-learn interface and normalization."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._types import FloatArray
from gskn._validation import check_common_parameters
from gskn.baselines._shared._baseline import Baseline
from gskn.baselines._shared._colors import check_labels
from gskn.baselines._shared._precomputation import KernelPrecomputation
from gskn.estimators import Precomputation
from gskn.graphs import GraphBatch, as_batch


class GraphKernel(Baseline):
    """Base class of kernels between graphs.

    ``transform`` returns the kernel between graphs and the graphs of ``fit``. It has three
    steps, which subclasses implement: ``_describe`` computes what is compared (``_learn``
    does this for the graphs of ``fit``), ``_compare`` compares two sets of graphs, and
    ``_postprocess`` turns the comparison into the kernel.

    Attributes
    ----------
    postprocess_parameters : tuple of str
        Parameters that affect only the last step. Several values of them can be tried on
        one comparison, which is the expensive step.
    """

    output = "kernel"
    postprocess_parameters: ClassVar[tuple[str, ...]]

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Store what the kernel needs of the training graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : GraphKernel
            The fitted kernel.
        """
        check_common_parameters(self)
        batch = self._read_training(X)
        self.is_labelled_fit_ = batch.node_labels is not None
        self.has_nodes_ = batch.n_nodes > 0
        self.trained_ = self._learn(batch)
        return self

    def fit_transform(self, X: Any, y: object = None) -> FloatArray:  # noqa: ARG002
        """Fit to graphs and return their kernel matrix.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        kernel : ndarray of shape (n_graphs, n_graphs)
            Symmetric kernel matrix.
        """
        return self.fit(X).postprocess(self.compare())

    def transform(self, X: Any) -> FloatArray:
        """Return the kernel between graphs and the training graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        kernel : ndarray of shape (n_graphs, n_training_graphs)
            Kernel values.
        """
        check_is_fitted(self, "trained_")
        batch = as_batch(X)
        self._check_labels(batch)
        described = self._describe(batch)
        return self._postprocess(self._compare(described, self.trained_), described)

    @classmethod
    def precompute(cls, batch: GraphBatch, n_jobs: int | None = None) -> Precomputation:
        """Return an object that computes kernels of a batch for many fits.

        Parameters
        ----------
        batch : GraphBatch
            All graphs.
        n_jobs : int or None, default=None
            Number of threads of the shared computations.

        Returns
        -------
        precomputation : Precomputation
            Kernels that fits to parts of the batch share.
        """
        return KernelPrecomputation(batch, n_jobs)

    def compare(self) -> FloatArray:
        """Compare the training graphs with each other.

        Returns
        -------
        comparison : ndarray of shape (n_training_graphs, n_training_graphs)
            Input of `postprocess`.
        """
        check_is_fitted(self, "trained_")
        return self._compare(self.trained_, self.trained_)

    def postprocess(self, comparison: FloatArray) -> FloatArray:
        """Turn the result of `compare` into the kernel matrix of the training graphs.

        Parameters
        ----------
        comparison : ndarray of shape (n_training_graphs, n_training_graphs)
            Result of `compare`.

        Returns
        -------
        kernel : ndarray of shape (n_training_graphs, n_training_graphs)
            Symmetric kernel matrix.
        """
        kernel = self._postprocess(comparison, self.trained_)
        return (kernel + kernel.T) / 2  # sums in different order differ by rounding

    def _check_labels(self, batch: GraphBatch) -> None:
        """Raise if the graphs have labels and the training graphs do not, or vice versa."""
        if self.has_nodes_ and self._uses_labels():
            check_labels(batch, type(self).__name__, labelled=self.is_labelled_fit_)

    def _uses_labels(self) -> bool:
        """Return whether the fitted kernel uses node labels if graphs have them."""
        return True

    def _learn(self, batch: GraphBatch) -> Any:
        """Learn from the training graphs and describe them."""
        return self._describe(batch)

    @abstractmethod
    def _describe(self, batch: GraphBatch) -> Any:
        """Return the data of the graphs that `_compare` needs."""

    @abstractmethod
    def _compare(self, left: Any, right: Any) -> FloatArray:
        """Compare all pairs of graphs of two descriptions."""

    @abstractmethod
    def _postprocess(self, comparison: FloatArray, described: Any) -> FloatArray:
        """Return the kernel of graphs that were compared with the training graphs."""


class NormalizedKernel(GraphKernel):
    """Kernel that is divided by the norms of both graphs if ``normalize`` is true.

    Subclasses also implement ``_self_kernel``.
    """

    postprocess_parameters = ("normalize",)
    normalize: bool

    def _postprocess(self, comparison: FloatArray, described: Any) -> FloatArray:
        if not self.normalize:
            return comparison
        norms = np.sqrt(np.maximum(self._self_kernel(described), 0))
        training_norms = np.sqrt(np.maximum(self._self_kernel(self.trained_), 0))
        scale = np.outer(norms, training_norms)
        kernel = np.zeros_like(comparison)
        np.divide(comparison, scale, out=kernel, where=scale > 0)
        return kernel

    @abstractmethod
    def _self_kernel(self, described: Any) -> FloatArray:
        """Return the kernel of every graph with itself."""
