"""What the classifier and the regressor learn: targets, loss, folds and machines."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from gskn._limits import MAX_TARGET
from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn._validation import shorten
from gskn.estimators._gram import LAPLACIAN, LINEAR, RBF
from gskn.estimators._kernel_machines import Dual, class_votes, fit_ridge, fit_svm
from gskn.exceptions import InputError

Folds = list[tuple[IndexArray, IndexArray]]

N_FOLDS = 5
# On large data sets two or three inner folds are as informative as five on a small one.
_ENOUGH_TEST_SAMPLES = 1500


class Task(Protocol):
    """Targets of the training graphs, and how machines are fitted to them and scored."""

    strength_name: ClassVar[str]
    metric: ClassVar[str]
    grid: ClassVar[tuple[Params, ...]]
    default: ClassVar[Params]

    @classmethod
    def from_targets(cls, y: Any) -> Self:
        """Return the task for the targets of samples; raise if they are not valid."""

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return inner folds; none if there are too few samples."""

    @property
    def obstacle(self) -> str:
        """Why there are no inner folds, if there are none."""

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit a machine to the kernel of some samples."""

    def sample_scores(self, outputs: FloatArray, samples: IndexArray) -> FloatArray:
        """Return the score of every sample, weighted if there are weights.

        Their mean is the score of the outputs; higher is better.
        """


@dataclass(frozen=True)
class ClassTask:
    """Classification by SVMs, scored by accuracy."""

    classes: AnyArray  # sorted
    codes: AnyArray  # of classes: 0, 1, ...
    weights: FloatArray | None = None
    strength_name: ClassVar[str] = "C"
    metric: ClassVar[str] = "accuracy"
    grid: ClassVar[tuple[Params, ...]] = LINEAR + RBF + LAPLACIAN
    default: ClassVar[Params] = {"kernel": "laplacian", "C": 10.0}

    @classmethod
    def from_targets(cls, y: Any) -> Self:
        """Return the task for the classes of samples; raise if there are not two."""
        try:
            kind = type_of_target(y)
            classes, codes = np.unique(y, return_inverse=True)
        except (TypeError, ValueError) as error:  # bytes, or classes of several types
            raise InputError(f"y must be text or integers: {error}") from error
        if kind.startswith("continuous"):
            raise InputError(
                f"y contains numbers with fractions, for instance {_fraction(y):g}. These "
                "look like regression targets: use GSKNRegressor, or convert y to integers "
                "or text if the numbers are classes."
            )
        if kind not in {"binary", "multiclass"}:
            raise InputError(
                f"y has type {np.asarray(y).dtype} and kind {kind!r}; convert the classes "
                "to text or integers."
            )
        if len(classes) < 2:
            only = shorten(classes[0]) if len(classes) else "none"
            raise InputError(
                f"All graphs have the same class ({only}); at least two needed."
            )
        return cls(classes, codes)

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return stratified inner folds; none if a class has one sample."""
        n_folds = min(n_folds, int(np.bincount(self.codes).min()))
        if n_folds < 2:
            return []
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return _enough(list(splitter.split(self.codes, self.codes)), len(self.codes))

    @property
    def obstacle(self) -> str:
        """Why there are no inner folds: a class has one sample."""
        rarest = self.classes[np.bincount(self.codes).argmin()]
        return f"the class {shorten(rarest)} has one graph, and inner folds need two"

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit an SVM to the kernel of some samples."""
        return fit_svm(
            products, self.codes[samples], strength, _take(self.weights, samples)
        )

    def sample_scores(self, outputs: FloatArray, samples: IndexArray) -> FloatArray:
        """Return one for correct samples and zero for others, weighted."""
        correct = most_likely(outputs) == self.codes[samples]
        return _weighted(correct.astype(np.float64), self.weights, samples)


@dataclass(frozen=True)
class ValueTask:
    """Regression by kernel ridge regression, scored by the mean squared error."""

    y: FloatArray
    weights: FloatArray | None = None
    strength_name: ClassVar[str] = "alpha"
    metric: ClassVar[str] = "negative mean squared error"
    grid: ClassVar[tuple[Params, ...]] = (
        *({"kernel": "linear", "alpha": 10.0**power} for power in range(-2, 2)),
        *({"kernel": "rbf", "alpha": 10.0**power} for power in range(-4, 0)),
        *({"kernel": "laplacian", "alpha": 10.0**power} for power in range(-3, 0)),
    )
    default: ClassVar[Params] = {"kernel": "laplacian", "alpha": 0.01}
    # Of kernels that are scaled to unit variance.
    precomputed: ClassVar[tuple[Params, ...]] = tuple(
        {"kernel": "precomputed", "alpha": 10.0**power} for power in range(-3, 2)
    )

    @classmethod
    def from_targets(cls, y: Any) -> Self:
        """Return the task for real targets; raise if one is not a finite number."""
        dtype = np.asarray(y).dtype
        if dtype.kind in "cmM":  # numpy would convert complex numbers and dates
            raise InputError(f"y must be real numbers, but its type is {dtype}.")
        try:
            targets = np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"y must be numbers: {error}. Use GSKNClassifier for classes."
            ) from error
        if not len(targets):
            raise InputError("There are no graphs to fit to.")
        too_large = ~(np.abs(targets) <= MAX_TARGET)
        if too_large.any():
            raise InputError(
                f"y must be finite and at most {MAX_TARGET:g} in absolute value, got "
                f"{targets[too_large][0]:g}."
            )
        return cls(targets)

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return inner folds; none if there is one sample."""
        n_folds = min(n_folds, len(self.y))
        if n_folds < 2:
            return []
        folds = KFold(n_folds, shuffle=True, random_state=seed).split(self.y)
        return _enough(list(folds), len(self.y))

    @property
    def obstacle(self) -> str:
        """Why there are no inner folds: there is one sample."""
        return "there is one graph, and inner folds need two"

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit ridge regression to the kernel of some samples."""
        return fit_ridge(products, self.y[samples], strength, _take(self.weights, samples))

    def sample_scores(self, outputs: FloatArray, samples: IndexArray) -> FloatArray:
        """Return negative squared errors, weighted."""
        errors = (outputs[:, 0] - self.y[samples]) ** 2
        return _weighted(-errors, self.weights, samples)


def most_likely(outputs: FloatArray) -> IndexArray:
    """Return the codes of the predicted classes: by sign, or by votes."""
    if outputs.shape[1] == 1:
        codes: IndexArray = (outputs[:, 0] > 0).astype(np.int64)
        return codes
    best: IndexArray = class_votes(outputs).argmax(axis=1)
    return best


def _enough(folds: Folds, n_samples: int) -> Folds:
    """Return as many folds as are enough to compare models."""
    n_used = max(2, int(np.ceil(_ENOUGH_TEST_SAMPLES * len(folds) / n_samples)))
    return folds[:n_used]


def _weighted(
    scores: FloatArray, weights: FloatArray | None, samples: IndexArray
) -> FloatArray:
    """Return scores times weights, whose mean over the samples is one."""
    if weights is None:
        return scores
    selected = weights[samples]
    weighted: FloatArray = scores * (selected / selected.mean())
    return weighted


def _take(weights: FloatArray | None, samples: IndexArray) -> FloatArray | None:
    return None if weights is None else weights[samples]


def _fraction(y: Any) -> float:
    """Return the first number with a fraction."""
    numbers = np.ravel(np.asarray(y, dtype=np.float64))
    return float(numbers[np.argmax(numbers != np.round(numbers))])
