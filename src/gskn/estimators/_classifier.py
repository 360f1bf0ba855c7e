"""GSKNClassifier: embedding, scaling and a linear classifier."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState, as_generator
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_int, check_positive, shorten
from gskn.estimators._gskn import GSKN
from gskn.exceptions import InputError
from gskn.graphs import as_batch

_MAX_FOLDS = 10_000
# On standardised rows larger values are not better, and take most of the time
# (IMDB-BINARY: C = 10 takes 35 times as long as C = 0.1).
_CHOICES_OF_C = tuple(10.0**power for power in range(-4, 1))


def _gives_probabilities(model: "GSKNClassifier") -> bool:
    if model.classifier == "logistic":
        return True
    raise AttributeError("predict_proba needs classifier='logistic'; an SVM has none.")


class GSKNClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify graphs by `GSKN` rows and a linear model, with C chosen by inner folds.

    Parameters
    ----------
    embedding : GSKN or None, default=None
        How graphs become rows; None is `GSKN` with its defaults and ``random_state``. Give
        a `GSKN` to search over its parameters, as ``embedding__walk_length``.
    classifier : {"svm", "logistic"}, default="svm"
        Linear SVM, or logistic regression, which also gives probabilities.
    C : float, sequence of float or None, default=None
        Inverse strength of regularisation, above 0 and at most 1e12. Of several values
        the best on inner folds of the training graphs is chosen. None means 0.0001,
        0.001, 0.01, 0.1 and 1.
    cv : int, default=5
        Inner folds, at most 10,000; fewer where a class has fewer graphs, none where a
        class has one.
    random_state : int, Generator or None, default=None
        Seed of the embedding and of the folds.
    n_jobs : int or None, default=None
        Threads of the embedding.

    Attributes
    ----------
    embedding_ : GSKN
        Fitted to the training graphs.
    model_ : Pipeline
        Scaler and linear classifier on rows.
    C_ : float
        The chosen value.
    classes_ : ndarray
        The classes, sorted.

    Examples
    --------
    >>> from gskn import GSKNClassifier, datasets
    >>> data = datasets.load("regular")
    >>> model = GSKNClassifier(random_state=0).fit(data.graphs[::2], data.y[::2])
    >>> model.score(data.graphs[1::2], data.y[1::2])
    1.0
    """

    def __init__(
        self,
        embedding: GSKN | None = None,
        *,
        classifier: Literal["svm", "logistic"] = "svm",
        C: float | Sequence[float] | None = None,
        cv: int = 5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.embedding = embedding
        self.classifier = classifier
        self.C = C
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the embedding, choose C, and fit the classifier."""
        check_choice(self.classifier, "classifier", choices=("svm", "logistic"))
        check_int(self.cv, "cv", minimum=2, maximum=_MAX_FOLDS)
        choices = _check_choices(self.C)
        batch = as_batch(X)
        y = _check_classes(y, batch.n_graphs)
        seed = int(as_generator(self.random_state).integers(2**31))
        embedding = self._make_embedding(seed)
        rows = np.asarray(embedding.fit_transform(batch))
        best, model = self._choose(rows, y, choices, seed)
        self.embedding_ = embedding
        self.model_ = model
        self.C_ = best
        self.classes_ = model.classes_
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class of every graph."""
        return self._apply("predict", X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the signed distance of every graph from the boundary of each class."""
        return self._apply("decision_function", X)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every class, for logistic regression."""
        return self._apply("predict_proba", X)

    def _apply(self, method: str, X: Any) -> AnyArray:
        check_is_fitted(self, "model_")
        rows = np.asarray(self.embedding_.transform(X))
        apply = getattr(self.model_, method)
        if len(rows):
            return np.asarray(apply(rows))
        # scikit-learn refuses to predict nothing; one row of zeros gives shape and type.
        return np.asarray(apply(np.zeros((1, rows.shape[1]))))[:0]

    def _make_embedding(self, seed: int) -> GSKN:
        if self.embedding is None:
            return GSKN(random_state=seed, n_jobs=self.n_jobs)
        if not isinstance(self.embedding, GSKN):
            raise InputError(
                f"embedding must be a GSKN or None, got {shorten(self.embedding)}."
            )
        embedding: GSKN = clone(self.embedding)
        missing = {"random_state": seed, "n_jobs": self.n_jobs}
        own = embedding.get_params(deep=False)
        embedding.set_params(**{k: v for k, v in missing.items() if own[k] is None})
        embedding.set_output(transform="default")
        return embedding

    def _choose(
        self, rows: FloatArray, y: AnyArray, choices: tuple[float, ...], seed: int
    ) -> tuple[float, Pipeline]:
        """Return the best C on inner folds, and the classifier fitted with it."""
        model = make_pipeline(StandardScaler(), self._make_classifier(seed))
        name = f"{model.steps[-1][0]}__C"
        n_folds = min(self.cv, int(np.unique(y, return_counts=True)[1].min()))
        best = choices[0] if len(choices) == 1 else 1.0
        if len(choices) > 1 and n_folds > 1:
            folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
            search = GridSearchCV(model, {name: list(choices)}, cv=folds, refit=False)
            # The folds also judge values of C that do not converge.
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                best = float(search.fit(rows, y).best_params_[name])
        final = {name: best, name.replace("C", "max_iter"): 20_000}
        return best, model.set_params(**final).fit(rows, y)

    def _make_classifier(self, seed: int) -> Any:
        if self.classifier == "logistic":
            return LogisticRegression(max_iter=1000)
        return LinearSVC(dual="auto", random_state=seed)


def _check_choices(choices: Any) -> tuple[float, ...]:
    if choices is None:
        return _CHOICES_OF_C
    given = list(np.atleast_1d(choices)) if isinstance(choices, np.ndarray) else choices
    listed = given if isinstance(given, Sequence) else [given]
    if isinstance(choices, str) or not len(listed):
        raise InputError(f"C must be one or more positive numbers, got {shorten(choices)}.")
    return tuple(check_positive(choice, "C", maximum=1e12) for choice in listed)


def _check_classes(y: Any, n_graphs: int) -> AnyArray:
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != n_graphs:
        raise InputError(
            f"y has shape {y.shape} for {n_graphs} graphs; give one class each."
        )
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise InputError(f"y holds no classes: {error}") from error
    classes: AnyArray = np.unique(y)
    if len(classes) < 2:
        given = str(classes[0]) if len(classes) else "none"
        raise InputError(f"All graphs are of one class ({given}); give at least two.")
    return np.asarray(y)
