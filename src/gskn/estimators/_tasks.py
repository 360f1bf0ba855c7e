"""What the classifier and the regressor learn: targets, loss, folds and machines."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from sklearn.model_selection import KFold

from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn.estimators._gram import LAPLACIAN, LINEAR, RBF
from gskn.estimators._kernel_machines import Dual, fit_ridge, fit_svm
from gskn.estimators._selection import inner_folds, n_used_folds

Folds = list[tuple[IndexArray, IndexArray]]


class Task(Protocol):
    """Targets of the training graphs, and how machines are fitted to them and scored."""

    strength_name: ClassVar[str]
    metric: ClassVar[str]
    grid: ClassVar[tuple[Params, ...]]
    default: ClassVar[Params]

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return inner folds; none if there are too few samples."""

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit a machine to the kernel of some samples."""

    def score(self, outputs: FloatArray, samples: IndexArray) -> float:
        """Return the score of the outputs for some samples; higher is better."""


@dataclass(frozen=True)
class ClassTask:
    """Classification by SVMs, scored by accuracy."""

    codes: AnyArray  # of classes: 0, 1, ...
    weights: FloatArray | None
    strength_name: ClassVar[str] = "C"
    metric: ClassVar[str] = "accuracy"
    grid: ClassVar[tuple[Params, ...]] = LINEAR + RBF + LAPLACIAN
    default: ClassVar[Params] = {"kernel": "laplacian", "C": 10.0}

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return stratified inner folds; none if a class has one sample."""
        return inner_folds(self.codes, seed, n_folds)

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit an SVM to the kernel of some samples."""
        return fit_svm(
            products, self.codes[samples], strength, _take(self.weights, samples)
        )

    def score(self, outputs: FloatArray, samples: IndexArray) -> float:
        """Return the accuracy, weighted if there are weights."""
        correct = most_likely(outputs) == self.codes[samples]
        return float(np.average(correct, weights=_take(self.weights, samples)))


@dataclass(frozen=True)
class ValueTask:
    """Regression by kernel ridge regression, scored by the mean squared error."""

    y: FloatArray
    weights: FloatArray | None
    strength_name: ClassVar[str] = "alpha"
    metric: ClassVar[str] = "negative mean squared error"
    grid: ClassVar[tuple[Params, ...]] = (
        *({"kernel": "linear", "alpha": 10.0**power} for power in range(-2, 2)),
        *({"kernel": "rbf", "alpha": 10.0**power} for power in range(-4, 0)),
        *({"kernel": "laplacian", "alpha": 10.0**power} for power in range(-3, 0)),
    )
    default: ClassVar[Params] = {"kernel": "laplacian", "alpha": 0.01}

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return inner folds; none if there is one sample."""
        n_folds = min(n_folds, len(self.y))
        if n_folds < 2:
            return []
        folds = KFold(n_folds, shuffle=True, random_state=seed).split(self.y)
        return list(folds)[: n_used_folds(n_folds, len(self.y))]

    def fit(self, products: FloatArray, samples: IndexArray, strength: float) -> Dual:
        """Fit ridge regression to the kernel of some samples."""
        return fit_ridge(products, self.y[samples], strength, _take(self.weights, samples))

    def score(self, outputs: FloatArray, samples: IndexArray) -> float:
        """Return the negative mean squared error, weighted if there are weights."""
        errors = (outputs[:, 0] - self.y[samples]) ** 2
        return -float(np.average(errors, weights=_take(self.weights, samples)))


def most_likely(outputs: FloatArray) -> IndexArray:
    """Return the codes of the predicted classes."""
    if outputs.shape[1] == 1:
        codes: IndexArray = (outputs[:, 0] > 0).astype(np.int64)
        return codes
    best: IndexArray = outputs.argmax(axis=1)
    return best


def _take(weights: FloatArray | None, samples: IndexArray) -> FloatArray | None:
    return None if weights is None else weights[samples]
