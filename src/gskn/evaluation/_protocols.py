"""Protocols: how a model is selected, fitted and tested, fold by fold.

``nested``: parameters are selected by inner folds of the training part, and everything is
fitted to the training part. ``paper``: the protocol of the literature, for comparison
only: the embedding is fitted to all graphs, and the parameters with the best mean score
over the test folds are reported.
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
from gskn.evaluation._digest import digest_data, digest_folds
from gskn.evaluation._limits import check_jobs, check_seed, n_workers
from gskn.evaluation._model import Model, plain
from gskn.evaluation._models import find_models
from gskn.evaluation._part import Part
from gskn.evaluation._records import Clock, Record, with_provenance
from gskn.evaluation._result_file import ResultFile
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
        "nested" selects parameters on the training part. "paper" selects them on the test
        folds, as in the literature.
    folds : {"stratified", "published"}, default="stratified"
        Ten stratified folds by the seed of the repeat, or the folds of the literature.
    repeats : int, default=1
        Number of repeats, with seeds ``seed``, ``seed + 1`` and so on.
    seed : int, default=0
        Seed of folds, landmarks and classifiers of the first repeat.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores.
    results : ResultFile or None, default=None
        Folds in this file are not run again, and new ones are added to it. A fold of
        "published" folds is in the file only if it was run with the same fold indices.
    advance : callable
        Called after every fold, including folds that are in ``results``.
    refusals : dict or None, default=None
        If given, a model that does not support the graphs is left out, and its error
        message is added here under its name. If None, the error is raised.

    Returns
    -------
    records : list of Record
        Ordered by model, repeat and fold.
    """
    check_choice(protocol, "protocol", choices=("nested", "paper"))
    check_int(repeats, "repeats", minimum=1)
    if data.task != "graph":
        raise InputError(
            f"{data.name} has classes of nodes; this evaluates classes of graphs."
        )
    check_seed(seed, repeats)
    check_jobs(n_jobs)
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
    """Models on one data set, under one protocol."""

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
        if self.folds == "published":  # from a file; the others follow from data and seed
            named["fold_indices"] = digest_folds([test for _, test in parts])
        blanks = [
            Record(
                data=self.data.name,
                model=model.name,
                protocol=self.protocol,
                repeat=repeat,
                fold=0,
                seed=seed,
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
        """Yield one fold of all models, which share embeddings."""
        known = self._known()
        part: Part | None = None  # nothing is computed for a fold that is on file
        for model, blank in zip(self.models, blanks, strict=True):
            if blank.key in known:
                yield self._keep(known[blank.key])
                continue
            part = part or Part(self._shared, train, test, blank.seed)
            fresh = self._attempt(model, partial(self._fold, model, blank, part))
            if fresh is not None:
                yield self._keep(fresh, new=True)

    def _fold(self, model: Model, blank: Record, part: Part) -> Record:
        """Select parameters of one model, then fit and test it on one fold."""
        clock, y, truth = Clock(), self.data.y[part.train], self.data.y[part.test]
        setting, classifier, inner = self._choose(model, part, y, clock)
        with clock.measure("embed"):
            rows, others = part.rows(model, setting)
        with clock.measure("classify"):
            (scores,) = _test([classifier], rows, y, others, truth)
        chosen = _chosen(setting, classifier, rows) | {"inner": inner}
        return with_provenance(replace(blank, scores=scores, chosen=chosen), clock)

    def _choose(
        self, model: Model, part: Part, y: AnyArray, clock: Clock
    ) -> tuple[Setting, Setting, float]:
        """Select the embedding with the middle value of C, then kernel and C for it."""
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
        """Yield all folds of all models, with the best parameters on the test folds."""
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
                fresh = with_provenance(fresh, clock.shared(len(parts)))
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
                by_fold = Parallel(
                    n_jobs=n_workers(self.n_jobs, len(parts)), prefer="threads"
                )(
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
        """Run a model; return None if it does not support these graphs."""
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
    """Return rows of some graphs; of a kernel, only the columns of fitted graphs."""
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
