"""Compare kernels, strengths of regularization and embeddings on inner folds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray, Params
from gskn.estimators._gram import training_grams
from gskn.estimators._kernel_machines import ignore_convergence
from gskn.estimators._tasks import Folds, Task


class Candidate(NamedTuple):
    """A kernel and a strength of regularization, with its outputs on inner folds."""

    params: Params
    outputs: list[FloatArray]  # of every fold, for its test samples
    score: float
    standard_error: float

    def row(self, params: Params) -> dict[str, Any]:
        """Return the row of the score table for the parameters of an embedding."""
        return {
            "params": dict(params),
            **self.params,
            "score": self.score,
            "standard_error": self.standard_error,
        }


def cross_validate(
    embeddings: FloatArray,
    machines: Sequence[Params],
    task: Task,
    folds: Folds,
    n_jobs: int | None,
) -> list[Candidate]:
    """Return scores and out-of-fold outputs of machines, in their order.

    Embeddings are standardized once, by all training samples. Each kernel is computed
    once, and each of its blocks is used for all strengths.
    """
    outputs: dict[int, list[FloatArray]] = {}
    kernels = list(dict.fromkeys(params["kernel"] for params in machines))
    with ignore_convergence():
        for kernel, products in training_grams(embeddings, kernels):
            numbers = [n for n, params in enumerate(machines) if params["kernel"] == kernel]
            strengths = [machines[n][task.strength_name] for n in numbers]

            def fold_outputs(
                fold: tuple[IndexArray, IndexArray],
                products: FloatArray = products,
                strengths: list[float] = strengths,
            ) -> list[FloatArray]:
                return _fold_outputs(products, strengths, task, fold)

            by_fold = run_threads(fold_outputs, folds, n_jobs)
            for number, parts in zip(numbers, zip(*by_fold, strict=True), strict=True):
                outputs[number] = list(parts)
    return [
        _score(params, outputs[number], task, folds)
        for number, params in enumerate(machines)
    ]


def best_candidate(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the best score; the first of equally good ones."""
    return candidates[int(np.argmax([candidate.score for candidate in candidates]))]


def screening_machines(machines: Sequence[Params]) -> list[Params]:
    """Return the machines with which embeddings are compared.

    This is the Laplacian kernel with its middle strength, or every other kernel with its
    middle strength if there is no Laplacian kernel.
    """
    kernels = list(dict.fromkeys(params["kernel"] for params in machines))
    kernels = ["laplacian"] if "laplacian" in kernels else kernels
    by_kernel = [[p for p in machines if p["kernel"] == kernel] for kernel in kernels]
    return [params[(len(params) - 1) // 2] for params in by_kernel]


def _fold_outputs(
    products: FloatArray,
    strengths: Sequence[float],
    task: Task,
    fold: tuple[IndexArray, IndexArray],
) -> list[FloatArray]:
    """Return the outputs of every strength for the test samples of one fold."""
    train, test = fold
    square = np.ascontiguousarray(products[np.ix_(train, train)])
    cross = np.ascontiguousarray(products[np.ix_(test, train)])
    duals = (task.fit(square, train, strength) for strength in strengths)
    return [cross @ dual.coef + dual.intercept for dual in duals]


def _score(
    params: Params, outputs: list[FloatArray], task: Task, folds: Folds
) -> Candidate:
    scores = [
        task.score(part, test) for part, (_, test) in zip(outputs, folds, strict=True)
    ]
    error = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
    return Candidate(params, outputs, float(np.mean(scores)), error)
