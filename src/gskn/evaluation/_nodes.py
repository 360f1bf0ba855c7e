"""Classes of nodes: logistic regression on rows of some nodes, tested on the others."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_int
from gskn.datasets import Dataset
from gskn.evaluation._digest import digest_data
from gskn.evaluation._limits import check_jobs, check_seed
from gskn.evaluation._model import Model, make, plain
from gskn.evaluation._models import find_models
from gskn.evaluation._records import Clock, Record, with_provenance
from gskn.evaluation._result_file import ResultFile
from gskn.evaluation._svm import Setting
from gskn.exceptions import InputError

_CHOICES_OF_C = (0.01, 0.1, 1.0)
_HELD_OUT = 0.2  # of the training nodes, to choose by
_LABELS_TO_CHOOSE_BY = 10  # of many, at random: all of them would take most of the time
SHARES = (0.3, 0.7)
NODE_METRICS = ("accuracy", "macro_f1", "micro_f1")


def evaluate_nodes(  # noqa: PLR0913 - every one has a sensible default
    data: Dataset,
    models: Sequence[str | Model] = ("rw+aw-64",),
    *,
    shares: Sequence[float] = SHARES,
    repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    results: ResultFile | None = None,
    advance: Callable[[], None] = lambda: None,
    refusals: dict[str, str] | None = None,
) -> list[Record]:
    """Evaluate models on a graph whose nodes have classes, by random splits.

    Rows are made of the whole graph, without classes. A share of the nodes, at random,
    trains a logistic regression, and the others test it, as in the paper. Embedding and C
    are chosen on a fifth of the training nodes that is held out (of many labels, by ten).

    Parameters
    ----------
    data : Dataset
        With the classes of nodes: one column, or one for each of several labels.
    models : sequence of str or Model, default=("rw+aw-64",)
        Names in `MODELS`, or models of one's own; their classifiers are not used.
    shares : sequence of float, default=(0.3, 0.7)
        Shares of nodes that train.
    repeats : int, default=10
        Random splits, with seeds from ``seed`` on.
    seed : int, default=0
        Seed of rows and of the first split.
    n_jobs : int or None, default=None
        Threads of embeddings.
    results : ResultFile or None, default=None
        Splits that it holds are not run again, and new ones are added to it.
    advance : callable
        Called after every split.
    refusals : dict or None, default=None
        Where given, a model without rows of nodes is left out, and the reason is added
        here under its name; else it is raised.

    Returns
    -------
    records : list of Record
        By model, share and repeat, with ``macro_f1``, ``micro_f1`` and ``accuracy``. The
        protocol is called ``nodes-30`` where 30 percent train.
    """
    check_int(repeats, "repeats", minimum=1)
    if data.task != "node":
        raise InputError(f"{data.name} has classes of graphs; use evaluate.")
    if any(not 0 < share < 1 for share in shares):
        raise InputError(f"shares must lie between 0 and 1, got {tuple(shares)}.")
    check_seed(seed, repeats)
    check_jobs(n_jobs)
    found = find_models(models)
    records = []
    data_digest = digest_data(data)
    for model in found:
        if not hasattr(model.estimator, "transform_nodes"):
            reason = f"The model {model.name!r} has rows of graphs only, not of nodes."
            if refusals is None:
                raise InputError(reason)
            refusals[model.name] = reason
            continue
        run = _Run(data, model, seed, n_jobs, {})
        for share in shares:
            for repeat in range(repeats):
                blank = Record(
                    data=data.name,
                    model=model.name,
                    protocol=f"nodes-{100 * share:.0f}",
                    repeat=repeat,
                    fold=0,
                    seed=seed + repeat,
                    configuration={
                        **model.configuration,
                        "rows": seed,
                        "data": data_digest,
                    },
                    scores={},
                )
                split = partial(run.split, blank, share)
                records.append(split() if results is None else results.once(blank, split))
                advance()
    return records


@dataclass(frozen=True)
class _Run:
    """One model on one graph; rows are computed when they are first needed."""

    data: Dataset
    model: Model
    seed: int
    n_jobs: int | None
    rows: dict[int, FloatArray]  # by number of the embedding

    def split(self, blank: Record, share: float) -> Record:
        """Return the scores of one random split."""
        y, clock = self.data.y, Clock()
        with clock.measure("embed"):
            embedded = list(self._embedded())
        train, test = _random_split(len(y), share, blank.seed)
        kept, held = (
            train[part] for part in _random_split(len(train), 1 - _HELD_OUT, blank.seed)
        )
        best: tuple[float, int, float] = (-1.0, 0, _CHOICES_OF_C[0])
        with clock.measure("choose"):
            for number, rows in enumerate(embedded):
                for C in _CHOICES_OF_C:
                    found = _scores(rows, _some_labels(y, blank.seed), kept, held, C)
                    best = max(best, (found["micro_f1"], -number, C))
        inner, number, C = best[0], -best[1], best[2]
        with clock.measure("classify"):
            scores = _scores(embedded[number], y, train, test, C)
        chosen = {"embedding": plain(self.model.embeddings[number]), "C": C, "inner": inner}
        return with_provenance(replace(blank, scores=scores, chosen=chosen), clock)

    def _embedded(self) -> Iterator[FloatArray]:
        for number, setting in enumerate(self.model.embeddings):
            if number not in self.rows:
                self.rows[number] = self._embed(setting)
            yield self.rows[number]

    def _embed(self, setting: Setting) -> FloatArray:
        model = make(self.model.estimator, setting, self.seed, self.n_jobs)
        rows: FloatArray = model.fit(self.data.graphs).transform_nodes(self.data.graphs)
        return rows


def _some_labels(y: AnyArray, seed: int) -> AnyArray:
    if y.ndim == 1 or y.shape[1] <= _LABELS_TO_CHOOSE_BY:
        return y
    chosen = np.random.default_rng(seed).permutation(y.shape[1])[:_LABELS_TO_CHOOSE_BY]
    return y[:, chosen]


def _scores(
    rows: FloatArray, y: AnyArray, train: IndexArray, test: IndexArray, C: float
) -> dict[str, float]:
    # Threads of BLAS on matrices as small as these only wait for each other.
    with threadpool_limits(1, "blas"), warnings.catch_warnings():
        # A label that all have, or none, is no fault.
        warnings.simplefilter("ignore", UserWarning)
        model = _classifier(y, C).fit(rows[train], y[train])
    return _score(y[test], model.predict(rows[test]))


def _classifier(y: AnyArray, C: float) -> Pipeline:
    if y.ndim == 1:
        return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=500))
    one = LogisticRegression(C=C, max_iter=500, solver="newton-cholesky")
    return make_pipeline(StandardScaler(), OneVsRestClassifier(one))


def _score(y: AnyArray, predicted: AnyArray) -> dict[str, float]:
    """Return accuracy (all labels right, where there are several), macro and micro F1."""
    right = y == predicted
    options: dict[str, Any] = {"zero_division": 0}
    return {
        "accuracy": float((right if y.ndim == 1 else right.all(axis=1)).mean()),
        "macro_f1": float(f1_score(y, predicted, average="macro", **options)),
        "micro_f1": float(f1_score(y, predicted, average="micro", **options)),
    }


def _random_split(n: int, share: float, seed: int) -> tuple[IndexArray, IndexArray]:
    order = np.random.default_rng(seed).permutation(n)
    n_first = round(share * n)
    return order[:n_first], order[n_first:]
