"""Kernel machines on graph embeddings: support vector machines and ridge regression."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from gskn._types import AnyArray, FloatArray
from gskn.estimators._gram import Scaling, gram
from gskn.exceptions import InputError

_MAX_ITER = 100_000  # a large C on few columns takes minutes without any gain
_MAX_SAMPLE = 1000  # training embeddings of a linear machine
_SAMPLE_CELLS = 2**18  # of these embeddings: 1 MB
_CHUNK_CELLS = 2**24  # of a kernel that is held at once for predictions


@contextmanager
def ignore_convergence() -> Iterator[None]:
    """Ignore warnings of SVMs that stop at the iteration limit of this module.

    Warning filters belong to the process: enter this context before threads start.
    """
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        yield


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

    def outputs(self, products: FloatArray) -> FloatArray:
        """Return the outputs of samples, given their kernel with the training samples."""
        return linear_outputs(products, self.coef, self.intercept)


def linear_outputs(rows: FloatArray, coef: FloatArray, intercept: FloatArray) -> FloatArray:
    """Return ``rows @ coef + intercept``, with zero for values within the rounding error.

    If a kernel cannot distinguish the classes, outputs are zero but for rounding, which
    depends on the position of a row in the product. Test samples are sorted by class in
    many files, so the signs of such values would agree with the classes more often than by
    chance.
    """
    outputs: FloatArray = rows @ coef + intercept
    largest = np.abs(rows).max(axis=1, initial=0.0)[:, None]
    scale = largest * np.abs(coef).sum(axis=0) + np.abs(intercept)
    error = 4 * np.sqrt(max(1, len(coef))) * np.finfo(np.float64).eps
    outputs[np.abs(outputs) <= error * scale] = 0.0
    return outputs


def fit_svm(
    products: FloatArray, codes: AnyArray, C: float, sample_weight: FloatArray | None
) -> Dual:
    """Fit an SVM to classes 0, 1, ...: one output for two classes, else one per pair.

    Two classes: the output is positive for class 1. More classes: an SVM for every pair of
    classes, in the order of `class_pairs`, with a positive output for the first class.
    """
    svm = fit_svc(products, codes, C, sample_weight)
    n_classes = len(svm.classes_)
    if n_classes == 2:
        coef = np.zeros((len(products), 1))
        coef[svm.support_] = svm.dual_coef_.T
        return Dual(coef, svm.intercept_.copy())
    pairs = class_pairs(n_classes)
    class_of = codes[svm.support_]
    coef = np.zeros((len(products), len(pairs)))
    for number, (first, second) in enumerate(pairs):
        # scikit-learn stores the coefficients of class c against another class d in row d,
        # or d - 1 if d > c.
        for one, row in ((first, second - 1), (second, first)):
            part = class_of == one
            coef[svm.support_[part], number] = svm.dual_coef_[row, part]
    return Dual(coef, svm.intercept_.copy())


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return all pairs of classes, in the order of the outputs of `fit_svm`."""
    return list(combinations(range(n_classes), 2))


def class_means(outputs: FloatArray) -> FloatArray:
    """Return the mean output of every class against the others; two classes: the output."""
    if outputs.shape[1] == 1:
        return outputs
    n_classes = _count_classes(outputs)
    means = np.zeros((len(outputs), n_classes))
    for number, (first, second) in enumerate(class_pairs(n_classes)):
        means[:, first] += outputs[:, number]
        means[:, second] -= outputs[:, number]
    means /= n_classes - 1
    return means


def class_votes(outputs: FloatArray) -> FloatArray:
    """Return the votes for every class; two classes: the output.

    As in scikit-learn, the sum of the outputs of a class is scaled to values below one
    third and added to its votes. It decides between classes with equal numbers of votes.
    """
    if outputs.shape[1] == 1:
        return outputs
    n_classes = _count_classes(outputs)
    votes = np.zeros((len(outputs), n_classes))
    for number, (first, second) in enumerate(class_pairs(n_classes)):
        wins = outputs[:, number] > 0
        votes[:, first] += wins
        votes[:, second] += ~wins
    sums = (n_classes - 1) * class_means(outputs)
    votes += sums / (3 * (np.abs(sums) + 1))
    return votes


def _count_classes(outputs: FloatArray) -> int:
    """Return the number of classes that have these pairs."""
    return int((1 + np.sqrt(1 + 8 * outputs.shape[1])) / 2)


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
    Instead there is a sample of training embeddings, for distances to them; predictions do
    not use it.
    """

    kernel: str
    scaling: Scaling
    points: FloatArray  # scaled embeddings of support vectors
    coef: FloatArray  # of shape (n_points or n_columns, n_outputs)
    intercept: FloatArray  # of shape (n_outputs,)
    sample: AnyArray | None = None  # scaled embeddings, float32

    @classmethod
    def from_dual(
        cls, kernel: str, scaling: Scaling, scaled: FloatArray, dual: Dual, seed: int
    ) -> Self:
        """Return the machine for a dual solution on scaled training embeddings."""
        if kernel == "linear":
            coef = scaled.T @ dual.coef
            sample = _draw_rows(scaled, seed).astype(np.float32)
            return cls(kernel, scaling, scaled[:0].copy(), coef, dual.intercept, sample)
        support = np.flatnonzero(dual.coef.any(axis=1))
        return cls(kernel, scaling, scaled[support], dual.coef[support], dual.intercept)

    def decide(self, embeddings: FloatArray) -> FloatArray:
        """Return the outputs for embeddings, of shape (n_samples, n_outputs)."""
        outputs = np.empty((len(embeddings), len(self.intercept)))
        size = max(1, _CHUNK_CELLS // max(1, len(self.points)))
        for begin in range(0, len(embeddings), size):
            part = slice(begin, begin + size)
            scaled = self.scaling.apply(embeddings[part])
            is_linear = self.kernel == "linear"
            rows = scaled if is_linear else gram(scaled, self.points, self.kernel)
            outputs[part] = linear_outputs(rows, self.coef, self.intercept)
        return outputs

    def linear_coef(self) -> FloatArray:
        """Return the coefficients of the embeddings before scaling, one row per output."""
        divisor = self.scaling.deviation * np.sqrt(len(self.scaling.mean))
        coef: FloatArray = self.coef.T / divisor
        return coef

    def linear_intercept(self) -> FloatArray:
        """Return the intercepts that belong to `linear_coef`."""
        intercept: FloatArray = self.intercept - self.linear_coef() @ self.scaling.mean
        return intercept


def _draw_rows(scaled: FloatArray, seed: int) -> FloatArray:
    """Return all rows, or as many random ones as the file of a model should hold."""
    size = min(_MAX_SAMPLE, max(1, _SAMPLE_CELLS // max(1, scaled.shape[1])))
    if len(scaled) <= size:
        return scaled
    drawn = np.random.default_rng(seed).choice(len(scaled), size, replace=False)
    rows: FloatArray = scaled[np.sort(drawn)]
    return rows
