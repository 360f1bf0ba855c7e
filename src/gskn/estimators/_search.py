"""Select embedding, kernel and strength of regularization on inner folds.

The estimators and the evaluation of models both select with `select`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray, Params
from gskn.estimators._gram import gram_pair, training_grams
from gskn.estimators._kernel_machines import ignore_convergence
from gskn.estimators._tasks import Folds, Task


class Candidate(NamedTuple):
    """A kernel and a strength of regularization, with its outputs on inner folds."""

    params: Params
    outputs: list[FloatArray]  # of every fold, for its test samples
    score: float
    standard_error: float
    sample_scores: FloatArray  # of the test samples of all folds

    def row(self, params: Params) -> dict[str, Any]:
        """Return the row of the score table for the parameters of an embedding."""
        return {
            "params": dict(params),
            **self.params,
            "score": self.score,
            "standard_error": self.standard_error,
        }


class Selection(NamedTuple):
    """The result of a selection on inner folds."""

    number: int  # of the embedding in the grid
    embeddings: FloatArray  # of the training samples, by this embedding
    machine: Params  # kernel and strength
    candidate: Candidate | None  # None if there are no inner folds, or nothing to compare
    rows: tuple[dict[str, Any], ...]  # scores of all candidates


def select(  # noqa: PLR0913 - one step, shared by estimators and evaluation
    embed: Callable[[int], FloatArray],
    grid: Sequence[Params],
    machines: Sequence[Params],
    task: Task,
    folds: Folds,
    *,
    n_jobs: int | None = None,
    compare_single: bool = True,
    advance: Callable[[], None] = lambda: None,
) -> Selection:
    """Select an embedding with one machine, then kernel and strength for it.

    Parameters
    ----------
    embed : callable
        Returns the embeddings of the training samples by an entry of the grid, by number.
    grid : sequence of dict
        Parameters of the embeddings.
    machines : sequence of dict
        Kernels and strengths of regularization.
    task : Task
        Targets of the training samples.
    folds : Folds
        Inner folds. If there are none, the first embedding and the default machine are
        selected.
    n_jobs : int or None, default=None
        Number of threads.
    compare_single : bool, default=True
        Whether to compute the score of a single machine, too.
    advance : callable
        Called after every entry of the grid, and once more at the end.

    Returns
    -------
    selection : Selection
        Embedding and machine with the scores of all candidates.
    """
    rows: dict[str, dict[str, Any]] = {}

    def compare(number: int, some: Sequence[Params]) -> tuple[FloatArray, list[Candidate]]:
        embeddings = embed(number)
        candidates = cross_validate(embeddings, some, task, folds, n_jobs)
        rows.update({_key(row): row for row in (c.row(grid[number]) for c in candidates)})
        return embeddings, candidates

    best = 0
    if folds and len(grid) > 1:
        screened = []
        for number in range(len(grid)):
            _, candidates = compare(number, screening_machines(machines))
            screened.append(best_candidate(candidates))
            advance()
        best = select_embedding(screened)
    if folds and (compare_single or len(machines) > 1):
        embeddings, candidates = compare(best, machines)
        candidate = select_machine(candidates, task.default)
        selection = Selection(
            best, embeddings, candidate.params, candidate, tuple(rows.values())
        )
    else:
        machine = task.default if task.default in machines else machines[0]
        selection = Selection(best, embed(best), machine, None, tuple(rows.values()))
    advance()
    return selection


def select_embedding(candidates: Sequence[Candidate]) -> int:
    """Return the number of the selected entry of the grid, given its best candidates.

    It is the first, smallest model that is not worse than the best one by more than one
    standard error of their difference. The scores of two models on the same samples are
    correlated, so the error of the difference is smaller than the errors of the scores.

    Compared with the best model itself, in points of accuracy with a fixed machine: PTC
    +1.2 (standard error 0.7), training parts of 315 molecules of BBBP -0.1 (0.05) and of
    BACE -0.3. If the machine is selected, too: PTC +0.1 (0.9), BBBP 0.0 (0.02), BACE -0.2
    (``benchmarks/accuracy/selection.py``).
    """
    best = best_candidate(candidates)
    return next(
        number
        for number, candidate in enumerate(candidates)
        if _is_close(candidate.sample_scores, best.sample_scores)
    )


def select_machine(candidates: Sequence[Candidate], default: Params) -> Candidate:
    """Return the best candidate, or the default one if it is nearly as good.

    The default is selected if it is at most half a standard error below the best of the
    candidates. On a few hundred graphs the best of eleven is often not the best on new
    graphs. The gain is small: 0.1 points of accuracy on average over eleven training sets
    of 168 to 1,000 graphs, between -0.5 and 0.7 and on none of them beyond the noise.
    """
    best = best_candidate(candidates)
    for candidate in candidates:
        if candidate.params == default:
            margin = _standard_error(best.sample_scores) / 2
            is_close = best.score - candidate.score <= margin
            return candidate if is_close else best
    return best


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


def fit_outputs(
    machines: Sequence[Params], train: FloatArray, test: FloatArray, task: Task
) -> list[FloatArray]:
    """Fit machines to all training samples; return their outputs for the test samples."""
    everything = np.arange(len(train))
    outputs: dict[int, FloatArray] = {}
    for kernel in dict.fromkeys(params["kernel"] for params in machines):
        square, cross = gram_pair(train, test, kernel)
        for number, params in enumerate(machines):
            if params["kernel"] == kernel:
                dual = task.fit(square, everything, params[task.strength_name])
                outputs[number] = dual.outputs(cross)
    return [outputs[number] for number in range(len(machines))]


def best_candidate(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the best score; the first of equally good ones."""
    return candidates[int(np.argmax([candidate.score for candidate in candidates]))]


def screening_machines(machines: Sequence[Params]) -> list[Params]:
    """Return the machines with which embeddings are compared.

    This is the Laplacian kernel with its middle strength, or every other kernel with its
    middle strength if there is no Laplacian kernel. The Laplacian kernel alone is as good
    as all three kernels (mean accuracy of one to three repeats: MUTAG 88.8 and 88.8, PTC
    62.8 and 61.6, IMDB-BINARY 75.0 and 75.0).
    """
    kernels = list(dict.fromkeys(params["kernel"] for params in machines))
    kernels = ["laplacian"] if "laplacian" in kernels else kernels
    by_kernel = [[p for p in machines if p["kernel"] == kernel] for kernel in kernels]
    return [params[(len(params) - 1) // 2] for params in by_kernel]


def _is_close(scores: FloatArray, best: FloatArray) -> bool:
    """Return whether the mean of scores is at most one standard error below the best."""
    differences = best - scores
    return bool(differences.mean() <= _standard_error(differences))


def _standard_error(scores: FloatArray) -> float:
    return float(scores.std() / np.sqrt(len(scores)))


def _key(row: dict[str, Any]) -> str:
    return repr({k: v for k, v in row.items() if k not in {"score", "standard_error"}})


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
    return [dual.outputs(cross) for dual in duals]


def _score(
    params: Params, outputs: list[FloatArray], task: Task, folds: Folds
) -> Candidate:
    by_sample = [
        task.sample_scores(part, test)
        for part, (_, test) in zip(outputs, folds, strict=True)
    ]
    scores = [part.mean() for part in by_sample]
    error = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
    return Candidate(
        params, outputs, float(np.mean(scores)), error, np.concatenate(by_sample)
    )
