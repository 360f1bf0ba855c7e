"""Kernel machines on graph embeddings: support vector machines and ridge regression."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from gskn._types import AnyArray, FloatArray, Params
from gskn.estimators._gram import Scaling, gram, gram_pair
from gskn.exceptions import InputError

_MAX_ITER = 100_000  # a large C on few columns takes minutes without any gain
_CHUNK_CELLS = 2**24  # of a kernel that is held at once for predictions


class Prediction(NamedTuple):
    """Predicted classes, decision values, and the classes of the decision columns."""

    y: AnyArray
    decision: FloatArray
    classes: AnyArray


@contextmanager
def ignore_convergence() -> Iterator[None]:
    """Ignore warnings of SVMs that stop at the iteration limit of this module.

    Warning filters belong to the process: enter this context before threads start.
    """
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        yield


def fit_predict(
    classifiers: Sequence[Params], train: FloatArray, y: AnyArray, test: FloatArray
) -> list[Prediction]:
    """Fit every classifier to the training samples and predict the test samples."""
    predictions = {}
    for kernel in dict.fromkeys(params["kernel"] for params in classifiers):
        square, products = gram_pair(train, test, kernel)
        for number, params in enumerate(classifiers):
            if params["kernel"] == kernel:
                svm = fit_svc(square, y, params["C"])
                decision = svm.decision_function(products)
                predictions[number] = Prediction(
                    svm.predict(products), decision, svm.classes_
                )
    return [predictions[number] for number in range(len(classifiers))]


def fit_svc(
    products: FloatArray, y: AnyArray, C: float, sample_weight: FloatArray | None = None
) -> SVC:
    """Fit an SVM to the kernel of the training samples."""
    svm = SVC(kernel="precomputed", C=C, max_iter=_MAX_ITER)
    return svm.fit(products, y, sample_weight)


class Dual(NamedTuple):
    """A function ``K @ coef + intercept`` of the kernel with the training samples."""

    coef: FloatArray  # of shape (n_samples, n_outputs)
    intercept: FloatArray  # of shape (n_outputs,)


def fit_svm(
    products: FloatArray, codes: AnyArray, C: float, sample_weight: FloatArray | None
) -> Dual:
    """Fit an SVM to classes 0, 1, ...: one output for two classes, else one per class.

    Two classes: the output is positive for class 1. More classes: an SVM for every pair of
    classes, and the output of a class is its mean decision value against the others. This
    is linear in the kernel, in contrast to votes.
    """
    svm = fit_svc(products, codes, C, sample_weight)
    n_classes = len(svm.classes_)
    if n_classes == 2:
        coef = np.zeros((len(products), 1))
        coef[svm.support_] = svm.dual_coef_.T
        return Dual(coef, svm.intercept_.copy())
    pairs = list(combinations(range(n_classes), 2))
    class_of = codes[svm.support_]
    coef = np.zeros((len(products), n_classes))
    intercept = np.zeros(n_classes)
    for number, (first, second) in enumerate(pairs):
        # scikit-learn stores the coefficients of class c against another class d in row d,
        # or d - 1 if d > c. The decision value is positive for the first class.
        values = np.zeros(len(svm.support_))
        values[class_of == first] = svm.dual_coef_[second - 1, class_of == first]
        values[class_of == second] = svm.dual_coef_[first, class_of == second]
        coef[svm.support_, first] += values
        coef[svm.support_, second] -= values
        intercept[first] += svm.intercept_[number]
        intercept[second] -= svm.intercept_[number]
    return Dual(coef / (n_classes - 1), intercept / (n_classes - 1))


def fit_ridge(
    products: FloatArray, y: FloatArray, alpha: float, sample_weight: FloatArray | None
) -> Dual:
    """Fit kernel ridge regression to centered targets."""
    mean = np.average(y, weights=sample_weight)
    regularized = products.copy()
    diagonal = regularized.ravel()[:: len(y) + 1]
    diagonal += alpha if sample_weight is None else alpha / sample_weight
    try:
        factor = cho_factor(regularized, lower=True, overwrite_a=True)
    except LinAlgError as error:
        raise InputError(
            f"The kernel is singular for alpha={alpha:g}; use a larger alpha."
        ) from error
    return Dual(cho_solve(factor, y - mean)[:, None], np.array([mean]))


@dataclass(frozen=True)
class KernelMachine:
    """A fitted kernel machine with its scaling; independent of scikit-learn.

    For the linear kernel, ``coef`` belongs to the scaled columns and there are no points.
    """

    kernel: str
    scaling: Scaling
    points: FloatArray  # scaled embeddings of support vectors
    coef: FloatArray  # of shape (n_points or n_columns, n_outputs)
    intercept: FloatArray  # of shape (n_outputs,)

    @classmethod
    def from_dual(
        cls, kernel: str, scaling: Scaling, scaled: FloatArray, dual: Dual
    ) -> Self:
        """Return the machine for a dual solution on scaled training embeddings."""
        if kernel == "linear":
            coef = scaled.T @ dual.coef
            return cls(kernel, scaling, scaled[:0].copy(), coef, dual.intercept)
        support = np.flatnonzero(dual.coef.any(axis=1))
        return cls(kernel, scaling, scaled[support], dual.coef[support], dual.intercept)

    def decide(self, embeddings: FloatArray) -> FloatArray:
        """Return the outputs for embeddings, of shape (n_samples, n_outputs)."""
        outputs = np.empty((len(embeddings), len(self.intercept)))
        size = max(1, _CHUNK_CELLS // max(1, len(self.points)))
        for begin in range(0, len(embeddings), size):
            part = slice(begin, begin + size)
            scaled = self.scaling.apply(embeddings[part])
            if self.kernel == "linear":
                outputs[part] = scaled @ self.coef
            else:
                outputs[part] = gram(scaled, self.points, self.kernel) @ self.coef
        return outputs + self.intercept

    def linear_coef(self) -> FloatArray:
        """Return the coefficients of the embeddings before scaling, one row per output."""
        divisor = self.scaling.deviation * np.sqrt(len(self.scaling.mean))
        coef: FloatArray = self.coef.T / divisor
        return coef

    def linear_intercept(self) -> FloatArray:
        """Return the intercepts that belong to `linear_coef`."""
        intercept: FloatArray = self.intercept - self.linear_coef() @ self.scaling.mean
        return intercept
