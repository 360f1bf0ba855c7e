"""SVMs on embeddings and kernels, and the selection of kernel and C by inner folds."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray, Params

# Embeddings have unit norm on average (see `standardize`), so C has the same meaning for
# all of them.
LINEAR = tuple({"kernel": "linear", "C": 10.0**power} for power in range(-1, 3))
RBF = tuple({"kernel": "rbf", "C": 10.0**power} for power in range(4))
PRECOMPUTED = tuple({"kernel": "precomputed", "C": p["C"]} for p in LINEAR + RBF[-1:])

_INNER_FOLDS = 5
# On large data sets two or three inner folds are as informative as five on a small one.
_ENOUGH_TEST_SAMPLES = 1500
_MAX_ITER = 100_000  # a large C on few columns takes minutes without any gain


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


def standardize(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scale both by mean and standard deviation of ``train``, to unit norm on average."""
    scaler = StandardScaler().fit(train)
    norm = np.sqrt(train.shape[1])
    return scaler.transform(train) / norm, scaler.transform(test) / norm


def gram(left: FloatArray, right: FloatArray, kernel: str) -> FloatArray:
    """Return the kernel of all pairs of rows: "linear" or "rbf".

    The RBF kernel is ``exp(-|x - x'|^2 / 2)``, for rows whose norm is about one.
    """
    products = np.asarray(left @ right.T)
    if kernel == "linear":
        return products
    products -= (left**2).sum(axis=1)[:, None] / 2
    products -= (right**2).sum(axis=1) / 2
    return np.exp(np.minimum(products, 0, out=products), out=products)


def gram_pair(
    train: FloatArray, test: FloatArray, kernel: str
) -> tuple[FloatArray, FloatArray]:
    """Return the kernels of training and of test samples with the training samples.

    For "precomputed", the inputs are kernels and are only scaled to unit variance in
    feature space, so that C has the same meaning for all kernels. Some kernels are nearly
    one for all pairs, and the differences that matter are small.
    """
    if kernel == "precomputed":
        variance = float(np.diagonal(train).mean() - train.mean())
        largest = float(np.abs(train).max(initial=0))
        scale = variance if variance > 1e-12 * largest else 1.0
        return train / scale, test / scale
    train, test = standardize(train, test)
    return gram(train, train, kernel), gram(test, train, kernel)


def select_classifier(
    embeddings: FloatArray,
    y: AnyArray,
    classifiers: Sequence[Params],
    seed: int,
    n_jobs: int | None = None,
) -> tuple[float, Params]:
    """Return the best mean accuracy on inner folds, and the classifier that has it.

    Embeddings are scaled by all that are given, which are the training samples. Of equally
    good classifiers the first is returned.
    """
    folds = _inner_folds(y, seed)
    if not folds:  # a class with one sample: no inner folds
        return 0.0, classifiers[0]
    scores = np.zeros(len(classifiers))
    for kernel in dict.fromkeys(params["kernel"] for params in classifiers):
        positions = [
            n for n, params in enumerate(classifiers) if params["kernel"] == kernel
        ]
        values_of_c = [classifiers[n]["C"] for n in positions]
        products, _ = gram_pair(embeddings, embeddings[:1], kernel)
        fold_accuracies = partial(_accuracies, products, y, values_of_c)
        accuracies = run_threads(fold_accuracies, folds, n_jobs)
        scores[positions] = np.mean(accuracies, axis=0)
    best = int(np.argmax(scores))
    return float(scores[best]), classifiers[best]


def fit_predict(
    classifiers: Sequence[Params], train: FloatArray, y: AnyArray, test: FloatArray
) -> list[Prediction]:
    """Fit every classifier to the training samples and predict the test samples."""
    predictions = {}
    for kernel in dict.fromkeys(params["kernel"] for params in classifiers):
        square, products = gram_pair(train, test, kernel)
        for number, params in enumerate(classifiers):
            if params["kernel"] == kernel:
                svm = _fit(square, y, params["C"])
                decision = svm.decision_function(products)
                predictions[number] = Prediction(
                    svm.predict(products), decision, svm.classes_
                )
    return [predictions[number] for number in range(len(classifiers))]


def _inner_folds(y: AnyArray, seed: int) -> list[tuple[IndexArray, IndexArray]]:
    n_folds = min(_INNER_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if n_folds < 2:
        return []
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y)
    n_used = int(np.ceil(_ENOUGH_TEST_SAMPLES * n_folds / len(y)))
    return list(folds)[: max(2, n_used)]


def _accuracies(
    products: FloatArray,
    y: AnyArray,
    values_of_c: Sequence[float],
    fold: tuple[IndexArray, IndexArray],
) -> list[float]:
    """Return the accuracy of every C on one inner fold."""
    train, test = fold
    square = np.ascontiguousarray(products[np.ix_(train, train)])
    cross = np.ascontiguousarray(products[np.ix_(test, train)])
    svms = (_fit(square, y[train], C) for C in values_of_c)
    return [float((svm.predict(cross) == y[test]).mean()) for svm in svms]


def _fit(products: FloatArray, y: AnyArray, C: float) -> SVC:
    return SVC(kernel="precomputed", C=C, max_iter=_MAX_ITER).fit(products, y)
