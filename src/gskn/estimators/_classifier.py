"""GSKNClassifier: graph embeddings and an SVM, selected by inner folds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from gskn._random import RandomState
from gskn._types import AnyArray, FloatArray, Params
from gskn._validation import check_choice
from gskn.estimators._base import KernelEstimator, read_graphs_and_targets
from gskn.estimators._calibration import Calibration
from gskn.estimators._gskn import GSKN
from gskn.estimators._kernel_machines import class_means, class_pairs, class_votes
from gskn.estimators._machine_file import load_classes, load_frequencies, save_classes
from gskn.estimators._persist import Arrays, take_array
from gskn.estimators._search import Candidate
from gskn.estimators._tasks import ClassTask, Folds, most_likely
from gskn.exceptions import InputError


class GSKNClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """Classify graphs by `GSKN` embeddings and an SVM, all selected by inner folds.

    Without arguments, inner folds of the training graphs select the embedding, the kernel
    and C. Embeddings are standardized by the training graphs and divided by the square
    root of their number of columns.

    Parameters
    ----------
    embedding : GSKN or None, default=None
        Embedding of graphs. None selects among several parameters of `GSKN`, unless
        ``selection="none"``. Parameters can be set as ``embedding__walk_length``, also if
        the embedding is None.
    selection : {"auto", "none"}, default="auto"
        "none" compares nothing: the given or default embedding, the given kernel or the
        Laplacian kernel, and the given C or 10.
    kernel : {"auto", "linear", "rbf", "laplacian"}, default="auto"
        Kernel of the SVM. "auto" selects among all. "linear" gives an additive model with
        ``coef_`` and ``intercept_``.
    C : float, sequence of float or None, default=None
        Inverse strength of regularization, above 0 and at most 1e12. The best of several
        values is selected. None means 0.1 to 100 for the linear, 1 to 1000 for the RBF and
        1 to 100 for the Laplacian kernel.
    cv : int, default=5
        Number of inner folds, at most 10,000; fewer if a class has fewer graphs, and none,
        with a warning, if a class has one. Of large data sets, only as many folds are used
        as have 1,500 test graphs together.
    class_weight : {"balanced"} or None, default=None
        "balanced" gives all classes the same total weight, in the SVM and in the accuracy
        on inner folds.
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
    C_ : float
        Selected value of C.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    class_frequencies_ : ndarray of shape (n_classes,) or None
        Fraction of the training graphs that have the class, weighted by ``sample_weight``.
        None for models in files of gskn that did not contain it.
    selected_ : Selected
        Selected parameters, the scores of all candidates on inner folds, and the reason.
    machine_ : KernelMachine
        Scaling, support vectors and dual coefficients.
    coef_ : ndarray of shape (n_pairs, n_features)
        Coefficients of graph embeddings, scaling included; linear kernel only. Two classes:
        ``graph_embeddings @ coef_.T + intercept_`` is the decision function. More classes:
        these are the decision values of the pairs of classes (0, 1), (0, 2), ..., (1, 2),
        ..., positive for the first class.
    intercept_ : ndarray of shape (n_pairs,)
        Intercepts; linear kernel only.

    See Also
    --------
    GSKNRegressor : Prediction of real values.

    Notes
    -----
    The Laplacian kernel is ``exp(-|z - z'| / (2 sqrt(2)))`` with the Euclidean norm.
    Embeddings are compared with the Laplacian kernel and the middle value of C. The
    smallest embedding is selected whose accuracy is at most one standard error of the
    difference below the best; then the best kernel and C for it, where the Laplacian
    kernel with C = 10 is preferred within half a standard error.
    `gskn.evaluation.evaluate` selects in the same way. For more than two classes, an SVM
    is fitted to every pair of classes, and each of them votes for one class.

    Probabilities come from a logistic regression on decision values of the inner folds
    [1]_; for more than two classes, on the mean decision value of every class against the
    others. For graphs near the boundary the most probable class can differ from the
    predicted class. If the decision values of two classes do not agree with the classes on
    the inner folds at all, every graph gets the frequencies of the classes. Without inner
    folds, decision values are taken as logarithms of odds.

    References
    ----------
    .. [1] Platt, "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers, 1999.

    Examples
    --------
    >>> from gskn import GSKNClassifier, datasets
    >>> data = datasets.load("regular")
    >>> model = GSKNClassifier(random_state=0).fit(data.graphs[::2], data.y[::2])
    >>> model.score(data.graphs[1::2], data.y[1::2])
    1.0
    """

    _task_class = ClassTask
    _compares_single = True  # it is calibrated on the inner folds

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        embedding: GSKN | None = None,
        *,
        selection: Literal["auto", "none"] = "auto",
        kernel: Literal["auto", "linear", "rbf", "laplacian"] = "auto",
        C: float | Sequence[float] | None = None,
        cv: int = 5,
        class_weight: Literal["balanced"] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.embedding = embedding
        self.selection = selection
        self.kernel = kernel
        self.C = C
        self.cv = cv
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select embedding, kernel and C, and fit them.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : array-like of shape (n_graphs,)
            Class of every graph.
        sample_weight : array-like of shape (n_graphs,) or None, default=None
            Weight of every graph in the SVM and in the accuracy on inner folds. Graphs of
            weight zero are not used at all.

        Returns
        -------
        self : GSKNClassifier
            The fitted model.
        """
        self._check_parameters()
        batch, y, weights = read_graphs_and_targets(X, y, sample_weight)
        task = ClassTask.from_targets(y)
        totals = np.bincount(task.codes, weights)
        if self.class_weight == "balanced":
            weights = weights * (weights.sum() / len(totals) / totals)[task.codes]
        if not (weights == 1).all():
            task = replace(task, weights=weights)
        candidate, folds = self._fit(batch, task)
        self.calibration_ = _calibrate(candidate, folds, task)
        self.classes_ = task.classes
        self.class_frequencies_ = totals / totals.sum()
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class of every graph.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        y : ndarray of shape (n_graphs,)
            Class with the largest decision value: for more than two classes, the class
            with most votes.
        """
        outputs = self._outputs(X)
        y: AnyArray = self.classes_[most_likely(outputs)]
        return y

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of every graph.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        decision : ndarray of shape (n_graphs,) or (n_graphs, n_classes)
            Two classes: positive for ``classes_[1]``. More classes: the votes for every
            class, plus a value below one third that decides between equal numbers of votes.
        """
        votes = class_votes(self._outputs(X))
        return votes[:, 0] if votes.shape[1] == 1 else votes

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every class.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        probabilities : ndarray of shape (n_graphs, n_classes)
            Probabilities, calibrated on inner folds.
        """
        means = class_means(self._outputs(X))  # raises if the model is not fitted
        return self.calibration_.probabilities(means)

    def _check_parameters(self) -> list[Params]:
        """Check the parameters; return the kernels and values of C to compare."""
        if self.class_weight is not None:
            check_choice(self.class_weight, "class_weight", choices=("balanced",))
        return self._check_machines(self.C)

    def _save_state(self, arrays: Arrays) -> dict[str, Any]:
        """Add the calibration to the arrays of a file, and return the other values."""
        arrays["calibration_coef"] = self.calibration_.coef
        arrays["calibration_intercept"] = self.calibration_.intercept
        state: dict[str, Any] = {"classes": save_classes(self.classes_)}
        if self.class_frequencies_ is not None:
            state["frequencies"] = self.class_frequencies_.tolist()
        return state

    def _load_state(self, state: dict[str, Any], arrays: Arrays) -> None:
        """Set classes, their frequencies and calibration from a file."""
        self.classes_ = load_classes(state.get("classes"))
        self.class_frequencies_ = load_frequencies(
            state.get("frequencies"), len(self.classes_)
        )
        n_classes, n_outputs = len(self.classes_), len(self.machine_.intercept)
        if n_outputs != len(class_pairs(n_classes)):
            raise InputError(f"{n_outputs} outputs do not fit {n_classes} classes")
        n_columns = _n_calibrated(n_classes)
        self.calibration_ = Calibration(
            take_array(arrays, "calibration_coef", (n_columns, n_columns)),
            take_array(arrays, "calibration_intercept", (n_columns,)),
        )


def _calibrate(candidate: Candidate | None, folds: Folds, task: ClassTask) -> Calibration:
    if candidate is None:
        return Calibration.identity(_n_calibrated(len(task.classes)))
    samples = np.concatenate([test for _, test in folds])
    weights = None if task.weights is None else task.weights[samples]
    outputs = class_means(np.concatenate(candidate.outputs))
    return Calibration.from_outputs(outputs, task.codes[samples], weights)


def _n_calibrated(n_classes: int) -> int:
    """Return the number of columns of `class_means`."""
    return 1 if n_classes == 2 else n_classes
