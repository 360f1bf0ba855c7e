"""SVMs on rows: kernels are computed once, whatever is chosen on them."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray

# Rows have unit norm on average (see `standardize`), so that C means the same for all.
LINEAR = tuple({"kernel": "linear", "C": 10.0**power} for power in range(-1, 3))
RBF = tuple({"kernel": "rbf", "C": 10.0**power} for power in range(4))
PRECOMPUTED = tuple({"kernel": "precomputed", "C": s["C"]} for s in LINEAR + RBF[-1:])

_INNER_FOLDS = 5
# Of large sets two or three inner folds say as much as all five of a small one.
_ENOUGH_TESTED = 1500
_MAX_ITER = 100_000  # a large C on few columns would go on for minutes, to no use

Setting = Mapping[str, Any]


@contextmanager
def stopping_early() -> Iterator[None]:
    """Keep SVMs from warning that they stopped at the limit set here.

    Filters of warnings are those of the process: to be entered before threads begin.
    """
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        yield


def standardize(rows: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scale rows by the mean and spread of ``rows``, to unit norm on average."""
    scaler = StandardScaler().fit(rows)
    norm = np.sqrt(rows.shape[1])
    return scaler.transform(rows) / norm, scaler.transform(others) / norm


def gram(rows: FloatArray, others: FloatArray, kernel: str) -> FloatArray:
    """Return the kernel of every row with every other one: "linear" or "rbf".

    The latter is ``exp(-|x - x'|^2 / 2)``, for rows whose norm is about one.
    """
    products = np.asarray(rows @ others.T)
    if kernel == "linear":
        return products
    products -= (rows**2).sum(axis=1)[:, None] / 2
    products -= (others**2).sum(axis=1) / 2
    return np.exp(np.minimum(products, 0, out=products), out=products)


def kernels(
    rows: FloatArray, others: FloatArray, kernel: str
) -> tuple[FloatArray, FloatArray]:
    """Return the kernel of rows with themselves, and of others with rows.

    "precomputed": they are kernels already, and only scaled, so that C means the same for
    all: graphs have unit variance in the space of the kernel. Some kernels are nearly one
    for all pairs, and what they tell apart by is small.
    """
    if kernel == "precomputed":
        variance = float(np.diagonal(rows).mean() - rows.mean())
        scale = variance if variance > 1e-12 * float(np.abs(rows).max(initial=0)) else 1.0
        return rows / scale, others / scale
    rows, others = standardize(rows, others)
    return gram(rows, rows, kernel), gram(others, rows, kernel)


def choose(
    rows: FloatArray,
    y: AnyArray,
    settings: Sequence[Setting],
    seed: int,
    n_jobs: int | None = None,
) -> tuple[float, Setting]:
    """Return the best mean accuracy on inner folds, and the setting that has it.

    Rows are scaled by all that is given here, which is the training part. Of equally good
    settings the first is taken.
    """
    folds = _inner_folds(y, seed)
    if not folds:  # a class of one graph: nothing to choose by
        return 0.0, settings[0]
    scores = np.zeros(len(settings))
    for kernel in dict.fromkeys(setting["kernel"] for setting in settings):
        own = [n for n, setting in enumerate(settings) if setting["kernel"] == kernel]
        products, _ = kernels(rows, rows[:1], kernel)
        tried = [settings[n]["C"] for n in own]
        accuracies = partial(_accuracies, products, y, tried)
        found = run_threads(accuracies, folds, n_jobs)
        scores[own] = np.mean(found, axis=0)
    best = int(np.argmax(scores))
    return float(scores[best]), settings[best]


def predict(
    settings: Sequence[Setting], rows: FloatArray, y: AnyArray, others: FloatArray
) -> list[tuple[AnyArray, FloatArray, AnyArray]]:
    """Fit each setting to rows; return classes and decisions of others, and all classes."""
    found = {}
    for kernel in dict.fromkeys(setting["kernel"] for setting in settings):
        square, products = kernels(rows, others, kernel)
        for number, setting in enumerate(settings):
            if setting["kernel"] == kernel:
                model = _fit(square, y, setting["C"])
                decisions = model.decision_function(products)
                found[number] = (model.predict(products), decisions, model.classes_)
    return [found[number] for number in range(len(settings))]


def _inner_folds(y: AnyArray, seed: int) -> list[tuple[IndexArray, IndexArray]]:
    n_folds = min(_INNER_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if n_folds < 2:
        return []
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y)
    n_used = int(np.ceil(_ENOUGH_TESTED * n_folds / len(y)))
    return list(folds)[: max(2, n_used)]


def _accuracies(
    products: FloatArray,
    y: AnyArray,
    tried: Sequence[float],
    fold: tuple[IndexArray, IndexArray],
) -> list[float]:
    train, test = fold
    square = np.ascontiguousarray(products[np.ix_(train, train)])
    cross = np.ascontiguousarray(products[np.ix_(test, train)])
    models = (_fit(square, y[train], C) for C in tried)
    return [float((model.predict(cross) == y[test]).mean()) for model in models]


def _fit(products: FloatArray, y: AnyArray, C: float) -> SVC:
    return SVC(kernel="precomputed", C=C, max_iter=_MAX_ITER).fit(products, y)
