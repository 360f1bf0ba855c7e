"""Protocols: how a model is chosen, fitted and tested, fold by fold.

``nested``: whatever is chosen is chosen by inner folds of the training part, and whatever
is fitted is fitted to it. ``paper``: what the literature does, for comparison only: the
embedding is fitted to all graphs, and the best classifier is that with the best mean over
the test folds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_int
from gskn.datasets import Dataset
from gskn.evaluation._digest import digest_data
from gskn.evaluation._model import Model, plain
from gskn.evaluation._models import find_models
from gskn.evaluation._part import Part
from gskn.evaluation._records import Clock, Record, ResultFile, complete
from gskn.evaluation._scores import score_classes
from gskn.evaluation._shared import Shared
from gskn.evaluation._svm import Setting, choose, predict, stopping_early
from gskn.exceptions import InputError

Found = TypeVar("Found")
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
    refusals: dict[str, str] | None = None,
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
        Threads.
    results : ResultFile or None, default=None
        Folds that it holds are not run again, and new ones are added to it.
    advance : callable
        Called after every fold, also those that were done before.
    refusals : dict or None, default=None
        Where given, a model that refuses the graphs is left out, and what it says is
        added here under its name; else it is raised.

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
    check_int(seed, "seed", minimum=0)
    run = _Run(
        data, find_models(models), protocol, folds, n_jobs, results, advance, refusals
    )
    with stopping_early():
        found = [r for repeat in range(repeats) for r in run.repeat(repeat, seed + repeat)]
    order = {model.name: number for number, model in enumerate(run.models)}
    return sorted(found, key=lambda r: (order[r.model], r.repeat, r.fold))


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
    """Models on one set, under one protocol."""

    data: Dataset
    models: Sequence[Model]
    protocol: str
    folds: str
    n_jobs: int | None
    results: ResultFile | None
    advance: Callable[[], None]
    refusals: dict[str, str] | None = None

    @cached_property
    def _data_digest(self) -> str:
        return digest_data(self.data)

    @cached_property
    def _shared(self) -> Shared:
        return Shared(self.data.graphs, self.n_jobs)

    def repeat(self, repeat: int, seed: int) -> Iterator[Record]:
        """Yield the records of all folds of all models; those on file are not run again."""
        parts = split(self.data, self.folds, seed)
        named = {"folds": self.folds, "data": self._data_digest}
        blanks = [
            Record(
                *(self.data.name, model.name, self.protocol, repeat, 0, seed),
                configuration={**model.configuration, **named},
                scores={},
            )
            for model in self.models
        ]
        if self.protocol == "paper":
            yield from self._paper(blanks, parts)
        else:
            for fold, (train, test) in enumerate(parts):
                yield from self._nested(
                    [replace(blank, fold=fold) for blank in blanks], train, test
                )

    def _nested(
        self, blanks: Sequence[Record], train: IndexArray, test: IndexArray
    ) -> Iterator[Record]:
        """Yield one fold of all models, which share what they embed."""
        known = self._known()
        part: Part | None = None  # of a fold that is on file, no graph is touched
        for model, blank in zip(self.models, blanks, strict=True):
            if blank.key in known:
                yield self._keep(known[blank.key])
                continue
            part = part or Part(self._shared, train, test, blank.seed)
            fresh = self._attempt(model, partial(self._fold, model, blank, part))
            if fresh is not None:
                yield self._keep(fresh, new=True)

    def _fold(self, model: Model, blank: Record, part: Part) -> Record:
        """Choose, fit and test one model on one fold."""
        clock, y, truth = Clock(), self.data.y[part.train], self.data.y[part.test]
        setting, classifier, inner = self._choose(model, part, y, clock)
        with clock.measure("embed"):
            rows, others = part.rows(model, setting)
        with clock.measure("classify"):
            (scores,) = _test([classifier], rows, y, others, truth)
        chosen = _chosen(setting, classifier, rows) | {"inner": inner}
        return complete(replace(blank, scores=scores, chosen=chosen), clock)

    def _choose(
        self, model: Model, part: Part, y: AnyArray, clock: Clock
    ) -> tuple[Setting, Setting, float]:
        """Choose the embedding with C in the middle, then kernel and C on it."""
        best: tuple[float, Setting] = (-1.0, model.embeddings[0])
        for setting in model.embeddings if len(model.embeddings) > 1 else ():
            with clock.measure("embed"):
                rows, _ = part.rows(model, setting)
            with clock.measure("choose"):
                score, _ = choose(rows, y, model.first_classifiers, part.seed, self.n_jobs)
            if score > best[0]:
                best = (score, setting)
        with clock.measure("embed"):
            rows, _ = part.rows(model, best[1])
        with clock.measure("choose"):
            inner, classifier = choose(rows, y, model.classifiers, part.seed, self.n_jobs)
        return best[1], classifier, inner

    def _paper(self, blanks: Sequence[Record], parts: Folds) -> Iterator[Record]:
        """Yield all folds of all models, each with what is best on the test folds."""
        known = self._known()
        everything = np.arange(len(self.data.y))
        whole = Part(self._shared, everything, everything[:0], blanks[0].seed)
        for model, blank in zip(self.models, blanks, strict=True):
            own = [replace(blank, fold=fold) for fold in range(len(parts))]
            if all(record.key in known for record in own):
                yield from (self._keep(known[record.key]) for record in own)
                continue
            clock = Clock()
            best = self._attempt(
                model, partial(self._best_on_test, model, whole, parts, clock), len(parts)
            )
            if best is None:
                continue
            chosen, tested = best
            for record, scores in zip(own, tested, strict=True):
                done = known.get(record.key)
                fresh = replace(record, scores=scores, chosen=chosen)
                fresh = complete(fresh, clock.shared(len(parts)))
                yield self._keep(done or fresh, new=done is None)

    def _best_on_test(
        self, model: Model, whole: Part, parts: Folds, clock: Clock
    ) -> tuple[dict[str, Any], list[dict[str, float]]]:
        y = self.data.y
        best: tuple[float, dict[str, Any], list[dict[str, float]]] = (-1.0, {}, [])
        for setting in model.embeddings:
            with clock.measure("embed"):
                rows, _ = whole.rows(model, setting)
            with clock.measure("classify"):
                by_fold = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                    delayed(_test)(
                        model.classifiers,
                        _pick(rows, model, train, train),
                        y[train],
                        _pick(rows, model, test, train),
                        y[test],
                    )
                    for train, test in parts
                )
            for classifier, tested in zip(
                model.classifiers, zip(*by_fold, strict=True), strict=True
            ):
                mean = float(np.mean([scores["accuracy"] for scores in tested]))
                if mean > best[0]:
                    best = (mean, _chosen(setting, classifier, rows), list(tested))
        return best[1:]

    def _attempt(
        self, model: Model, run: Callable[[], Found], n_folds: int = 1
    ) -> Found | None:
        """Run a model; None where it refuses these graphs, or has done so before."""
        try:
            if self.refusals is None or model.name not in self.refusals:
                return run()
        except InputError as error:
            if self.refusals is None:
                raise
            self.refusals[model.name] = str(error)
        for _ in range(n_folds):
            self.advance()
        return None

    def _known(self) -> dict[str, Record]:
        return {} if self.results is None else self.results.read()

    def _keep(self, record: Record, *, new: bool = False) -> Record:
        if new and self.results is not None:
            self.results.append(record)
        self.advance()
        return record


def _pick(
    rows: FloatArray, model: Model, chosen: IndexArray, fitted: IndexArray
) -> FloatArray:
    """Return rows of some graphs; of kernels, those with the graphs that are fitted to."""
    return rows[np.ix_(chosen, fitted)] if model.gives_kernels else rows[chosen]


def _test(
    settings: Sequence[Setting],
    rows: FloatArray,
    y: AnyArray,
    others: FloatArray,
    truth: AnyArray,
) -> list[dict[str, float]]:
    return [score_classes(truth, *found) for found in predict(settings, rows, y, others)]


def _chosen(setting: Setting, classifier: Setting, rows: FloatArray) -> dict[str, Any]:
    return {
        "embedding": plain(setting),
        "classifier": dict(classifier),
        "n_columns": rows.shape[1],
    }
