"""Inner folds, and the selection of kernel and C of an SVM on them."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from sklearn.model_selection import StratifiedKFold

from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn.estimators._gram import training_grams
from gskn.estimators._kernel_machines import fit_svc

_INNER_FOLDS = 5
# On large data sets two or three inner folds are as informative as five on a small one.
_ENOUGH_TEST_SAMPLES = 1500


def select_classifier(
    embeddings: FloatArray,
    y: AnyArray,
    classifiers: Sequence[Params],
    seed: int,
    n_jobs: int | None = None,
) -> tuple[float, Params]:
    """Return the best mean accuracy on inner folds, and the classifier that has it.

    Embeddings are scaled by all training samples. Of equally good classifiers the first is
    returned.
    """
    folds = inner_folds(y, seed)
    if not folds:  # a class with one sample: no inner folds
        return 0.0, classifiers[0]
    scores = np.zeros(len(classifiers))
    kernels = list(dict.fromkeys(params["kernel"] for params in classifiers))
    for kernel, products in training_grams(embeddings, kernels):
        positions = [
            n for n, params in enumerate(classifiers) if params["kernel"] == kernel
        ]
        values_of_c = [classifiers[n]["C"] for n in positions]
        fold_accuracies = partial(_accuracies, products, y, values_of_c)
        accuracies = run_threads(fold_accuracies, folds, n_jobs)
        scores[positions] = np.mean(accuracies, axis=0)
    best = int(np.argmax(scores))
    return float(scores[best]), classifiers[best]


def inner_folds(
    y: AnyArray, seed: int, n_folds: int = _INNER_FOLDS
) -> list[tuple[IndexArray, IndexArray]]:
    """Return stratified folds of the training samples; none if a class has one sample."""
    n_folds = min(n_folds, int(np.unique(y, return_counts=True)[1].min()))
    if n_folds < 2:
        return []
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y)
    return list(folds)[: n_used_folds(n_folds, len(y))]


def n_used_folds(n_folds: int, n_samples: int) -> int:
    """Return how many of the folds are enough to compare models."""
    return max(2, int(np.ceil(_ENOUGH_TEST_SAMPLES * n_folds / n_samples)))


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
    svms = (fit_svc(square, y[train], C) for C in values_of_c)
    return [float((svm.predict(cross) == y[test]).mean()) for svm in svms]
