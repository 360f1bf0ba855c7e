"""GSKNRegressor: graph embeddings and kernel ridge regression, selected by inner folds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState
from gskn._types import FloatArray, Params
from gskn.estimators._base import KernelEstimator, read_graphs_and_targets
from gskn.estimators._gskn import GSKN
from gskn.estimators._persist import Arrays
from gskn.estimators._tasks import ValueTask
from gskn.exceptions import InputError


class GSKNRegressor(RegressorMixin, KernelEstimator):  # type: ignore[misc]
    """Predict real values of graphs by `GSKN` embeddings and kernel ridge regression.

    Without arguments, inner folds of the training graphs select the embedding, the kernel
    and the regularization. Embeddings are standardized by the training graphs and divided
    by the square root of their number of columns.

    Parameters
    ----------
    embedding : GSKN or None, default=None
        Embedding of graphs. None selects among several parameters of `GSKN`, unless
        ``selection="none"``. Parameters can be set as ``embedding__walk_length``, also if
        the embedding is None.
    selection : {"auto", "none"}, default="auto"
        "none" compares nothing: the given or default embedding, the given kernel or the
        Laplacian kernel, and the given alpha or 0.01.
    kernel : {"auto", "linear", "rbf", "laplacian"}, default="auto"
        Kernel of the regression. "auto" selects among all. "linear" gives an additive
        model with ``coef_`` and ``intercept_``.
    alpha : float, sequence of float or None, default=None
        Strength of regularization, above 0 and at most 1e12. The best of several values is
        selected. None means 0.01 to 10 for the linear, 0.0001 to 0.1 for the RBF and
        0.001 to 0.1 for the Laplacian kernel.
    cv : int, default=5
        Number of inner folds, at most 10,000. Of large data sets, only as many folds are
        used as have 1,500 test graphs together.
    random_state : int, Generator or None, default=None
        Seed of embeddings and folds.
    n_jobs : int or None, default=None
        Number of threads; it does not affect results.
    verbose : int, default=0
        1 shows the progress of the selection.

    Attributes
    ----------
    embedding_ : GSKN
        Embedding, fitted to the training graphs.
    kernel_ : str
        Selected kernel.
    alpha_ : float
        Selected strength of regularization.
    mean_target_ : float
        Mean target of the training graphs, weighted by ``sample_weight``.
    selected_ : Selected
        Selected parameters, the scores of all candidates on inner folds, and the reason.
    machine_ : KernelMachine
        Scaling, training embeddings and dual coefficients.
    coef_ : ndarray of shape (1, n_features)
        Coefficients of graph embeddings, scaling included; linear kernel only:
        ``graph_embeddings @ coef_.T + intercept_`` are the predictions.
    intercept_ : ndarray of shape (1,)
        Intercept; linear kernel only.

    See Also
    --------
    GSKNClassifier : Prediction of classes.

    Notes
    -----
    The targets are centered, and the dual coefficients solve ``(K + alpha I) a = y``. One
    Cholesky factorization is computed for every alpha and fold. Inner folds compare mean
    squared errors.

    Examples
    --------
    >>> from gskn import GSKNRegressor, datasets
    >>> data = datasets.load("MUTAG")
    >>> n_edges = [graph.adjacency.nnz / 2 for graph in data.graphs]
    >>> model = GSKNRegressor(random_state=0).fit(data.graphs[::2], n_edges[::2])
    >>> model.score(data.graphs[1::2], n_edges[1::2]) > 0.98
    True
    """

    _task_class = ValueTask

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        embedding: GSKN | None = None,
        *,
        selection: Literal["auto", "none"] = "auto",
        kernel: Literal["auto", "linear", "rbf", "laplacian"] = "auto",
        alpha: float | Sequence[float] | None = None,
        cv: int = 5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.embedding = embedding
        self.selection = selection
        self.kernel = kernel
        self.alpha = alpha
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select embedding, kernel and regularization, and fit them.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : array-like of shape (n_graphs,)
            Target of every graph.
        sample_weight : array-like of shape (n_graphs,) or None, default=None
            Weight of every graph in the regression and in the errors on inner folds.
            Graphs of weight zero are not used at all.

        Returns
        -------
        self : GSKNRegressor
            The fitted model.
        """
        self._check_parameters()
        batch, y, weights = read_graphs_and_targets(X, y, sample_weight)
        task = ValueTask.from_targets(y)
        if not (weights == 1).all():
            task = replace(task, weights=weights)
        self._fit(batch, task)
        return self

    @property
    def mean_target_(self) -> float:
        """Mean target of the training graphs, weighted by ``sample_weight``."""
        check_is_fitted(self, "machine_")
        return float(self.machine_.intercept[0])  # it centers the targets

    @property
    def predict_proba(self) -> Any:
        """Not available; the error names the estimator that has probabilities."""
        raise AttributeError(
            "GSKNRegressor predicts values and has no probabilities; use GSKNClassifier "
            "for classes. For the uncertainty of values, see the examples of prediction "
            "intervals and Gaussian processes."
        )

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted value of every graph.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        y : ndarray of shape (n_graphs,)
            Predicted values.
        """
        return self._outputs(X)[:, 0]

    def _check_parameters(self) -> list[Params]:
        """Check the parameters; return the kernels and values of alpha to compare."""
        return self._check_machines(self.alpha)

    def _save_state(self, arrays: Arrays) -> dict[str, Any]:
        """Return nothing: a file of a regressor has no other values."""
        return {}

    def _load_state(self, state: dict[str, Any], arrays: Arrays) -> None:
        """Raise if the machine does not have one output."""
        if state or len(self.machine_.intercept) != 1:
            raise InputError("the machine is not a regression")
