"""Protocols: how a model is chosen, fitted and tested, fold by fold.

``nested``: whatever is chosen is chosen by inner folds of the training part, and whatever
is fitted is fitted to it. ``paper``: what the literature does, for comparison only: the
embedding is fitted to all graphs, and the best classifier is that with the best mean over
the test folds.
"""

import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_int
from gskn.datasets import Dataset
from gskn.estimators import GSKN
from gskn.evaluation._models import Model, find_models, make_classifier, plain
from gskn.evaluation._records import Record, ResultFile
from gskn.evaluation._scores import score_classes
from gskn.exceptions import InputError

_PACKAGES = ("gskn", "numpy", "scipy", "scikit-learn", "numba")
_INNER_FOLDS = 5
Folds = Sequence[tuple[IndexArray, IndexArray]]


def evaluate(  # noqa: PLR0913 - every one has a sensible default
    data: Dataset,
    models: Sequence[str | Model] = ("gskn",),
    *,
    protocol: Literal["nested", "paper"] = "nested",
    folds: Literal["stratified", "published"] = "stratified",
    repeats: int = 1,
    seed: int = 0,
    n_jobs: int | None = None,
    results: ResultFile | None = None,
    advance: Callable[[], None] = lambda: None,
) -> list[Record]:
    """Evaluate models on a set of graphs, and return one record per fold.

    Parameters
    ----------
    data : Dataset
        Graphs and their classes.
    models : sequence of str or Model, default=("gskn",)
        Names in `MODELS`, or models of one's own.
    protocol : {"nested", "paper"}, default="nested"
        Honest, or that of the literature, which chooses on test folds.
    folds : {"stratified", "published"}, default="stratified"
        Ten stratified folds by the seed of the repeat; or those of the literature.
    repeats : int, default=1
        Repeats, with seeds from ``seed`` on.
    seed : int, default=0
        Seed of folds, landmarks and classifiers of the first repeat.
    n_jobs : int or None, default=None
        Threads of embeddings.
    results : ResultFile or None, default=None
        Folds that it holds are not run again, and new ones are added to it.
    advance : callable
        Called after every fold, also those that were done before.

    Returns
    -------
    records : list of Record
        By model, repeat and fold.
    """
    check_choice(protocol, "protocol", choices=("nested", "paper"))
    check_int(repeats, "repeats", minimum=1)
    if data.task != "graph":
        raise InputError(
            f"{data.name} has classes of nodes; this evaluates classes of graphs."
        )
    records: list[Record] = []
    for model in find_models(models):
        for repeat in range(repeats):
            parts = split(data, folds, seed + repeat)
            blank = Record(
                *(data.name, model.name, protocol, repeat, 0, seed + repeat),
                configuration={**model.configuration, "folds": folds},
                scores={},
            )
            records += _Run(data, model, parts, blank, n_jobs).resume(results, advance)
    return records


def split(data: Dataset, folds: str, seed: int) -> Folds:
    """Return training and test graphs of ten folds."""
    check_choice(folds, "folds", choices=("stratified", "published"))
    everything = np.arange(len(data.y))
    if folds == "published":
        if "published" not in data.folds:
            raise InputError(f"{data.name} has no published folds; use folds='stratified'.")
        tests = data.folds["published"]
        return [(np.setdiff1d(everything, test), test) for test in tests]
    smallest = int(np.unique(data.y, return_counts=True)[1].min())
    if smallest < 2:
        raise InputError(f"A class of {data.name} has one graph; folds need at least two.")
    splitter = StratifiedKFold(min(10, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(everything, data.y))


@dataclass(frozen=True)
class _Run:
    """One model on one set, under one protocol, with one seed."""

    data: Dataset
    model: Model
    folds: Folds
    blank: Record  # what the records of all folds have in common
    n_jobs: int | None

    def resume(
        self, results: ResultFile | None, advance: Callable[[], None]
    ) -> Iterator[Record]:
        """Yield the records of all folds; those on file are not run again."""
        known = {} if results is None else results.read()
        keys = [replace(self.blank, fold=fold).key for fold in range(len(self.folds))]
        missing = [fold for fold, key in enumerate(keys) if key not in known]
        fresh = self._run(missing)
        for key in keys:
            record = known[key] if key in known else next(fresh)
            if key not in known and results is not None:
                results.append(record)
            advance()
            yield record

    def _run(self, missing: Sequence[int]) -> Iterator[Record]:
        if self.blank.protocol == "nested":
            for fold in missing:
                yield self._nested_fold(fold)
        elif missing:
            found = list(self._paper_folds())
            yield from (found[fold] for fold in missing)

    def _nested_fold(self, fold: int) -> Record:
        train, test = self.folds[fold]
        y, clock = self.data.y, _Clock()
        best: tuple[float, Any, Any, FloatArray, FloatArray]
        best = (-1.0, {}, {}, np.empty(0), np.empty(0))
        for setting in self.model.embeddings:
            with clock.measure("embed"):
                embedding = self._embedding(setting)
                rows = embedding.fit_transform(self.data.graphs[train])
                others = embedding.transform(self.data.graphs[test])
            with clock.measure("choose"):
                score, classifier = self._choose(rows, y[train])
            if score > best[0]:
                best = (score, dict(setting), dict(classifier), rows, others)
        inner, setting, classifier, rows, others = best
        with clock.measure("classify"):
            scores = self._test(classifier, rows, y[train], others, y[test])
        chosen = {"embedding": plain(setting), "classifier": classifier, "inner": inner}
        return self._record(fold, scores, chosen, clock)

    def _paper_folds(self) -> Iterator[Record]:
        y, clock = self.data.y, _Clock()
        best: tuple[float, dict[str, Any], list[dict[str, float]]] = (-1.0, {}, [])
        for setting in self.model.embeddings:
            with clock.measure("embed"):
                rows = self._embedding(setting).fit_transform(self.data.graphs)
            for classifier in self.model.classifiers:
                with clock.measure("classify"):
                    tested = [
                        self._test(classifier, rows[train], y[train], rows[test], y[test])
                        for train, test in self.folds
                    ]
                mean = float(np.mean([scores["accuracy"] for scores in tested]))
                if mean > best[0]:
                    chosen = {"embedding": plain(setting), "classifier": dict(classifier)}
                    best = (mean, chosen, tested)
        for fold, scores in enumerate(best[2]):
            yield self._record(fold, scores, best[1], clock)

    def _embedding(self, setting: Mapping[str, Any]) -> GSKN:
        return GSKN(random_state=self.blank.seed, n_jobs=self.n_jobs, **setting)

    def _choose(self, rows: FloatArray, y: AnyArray) -> tuple[float, Mapping[str, Any]]:
        """Return the best mean accuracy on inner folds, and the classifier that has it."""
        smallest = int(np.unique(y, return_counts=True)[1].min())
        n_folds = min(_INNER_FOLDS, smallest)
        if n_folds < 2:  # a class of one graph: nothing to choose by
            return 0.0, self.model.classifiers[0]
        inner = StratifiedKFold(n_folds, shuffle=True, random_state=self.blank.seed)
        best = (-1.0, self.model.classifiers[0])
        for setting in self.model.classifiers:
            classifier = make_classifier(setting, self.blank.seed)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                score = float(cross_val_score(classifier, rows, y, cv=inner).mean())
            if score > best[0]:
                best = (score, setting)
        return best

    def _test(
        self,
        setting: Mapping[str, Any],
        rows: FloatArray,
        y: AnyArray,
        others: FloatArray,
        truth: AnyArray,
    ) -> dict[str, float]:
        classifier = make_classifier(setting, self.blank.seed)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            classifier.fit(rows, y)
        predicted, decision = (
            classifier.predict(others),
            classifier.decision_function(others),
        )
        return score_classes(truth, predicted, decision, classifier.classes_)

    def _record(
        self, fold: int, scores: dict[str, float], chosen: dict[str, Any], clock: "_Clock"
    ) -> Record:
        return replace(
            self.blank,
            fold=fold,
            scores=scores,
            chosen=chosen,
            seconds=dict(clock.seconds),
            peak_mebibytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            versions=_versions(),
        )


class _Clock:
    """Seconds spent, by what on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def measure(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        spent = time.perf_counter() - begin
        self.seconds[what] = self.seconds.get(what, 0.0) + spent


def _versions() -> dict[str, str]:
    python = ".".join(map(str, sys.version_info[:3]))
    return {"python": python, **{name: version(name) for name in _PACKAGES}}
