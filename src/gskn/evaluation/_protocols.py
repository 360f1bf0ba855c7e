"""Protocols: how a model is selected, fitted and tested, fold by fold.

``nested``: parameters are selected by inner folds of the training part, and everything is
fitted to the training part, as in `GSKNClassifier` and `GSKNRegressor`. ``paper``: the
protocol of the literature, for comparison only: the embedding is fitted to all graphs, and
the parameters with the best mean score over the test folds are reported.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn._validation import check_choice, check_int, check_n_jobs
from gskn.datasets import Dataset
from gskn.estimators import (
    N_FOLDS,
    ClassTask,
    Selection,
    Task,
    ValueTask,
    class_votes,
    fit_outputs,
    ignore_convergence,
    most_likely,
    select,
)
from gskn.evaluation._cache import EmbeddingCache, SplitEmbeddings
from gskn.evaluation._digest import digest_data, digest_edges, digest_folds
from gskn.evaluation._inputs import check_dataset
from gskn.evaluation._limits import check_seed
from gskn.evaluation._model import Model, as_json, make_estimator
from gskn.evaluation._network_models import check_supports_graphs, is_network, predict_fold
from gskn.evaluation._records import Clock, Record, Records, with_provenance
from gskn.evaluation._registry import find_models
from gskn.evaluation._result_file import ResultFile
from gskn.evaluation._scores import score_classes, score_values
from gskn.exceptions import InputError, MissingExtraError

Folds = Sequence[tuple[IndexArray, IndexArray]]


def evaluate(  # noqa: PLR0913 - every one has a sensible default
    data: Dataset,
    models: Sequence[str | Model] = ("gskn",),
    *,
    protocol: Literal["nested", "paper"] = "nested",
    folds: Literal["stratified", "published", "scaffold"] = "stratified",
    repeats: int = 1,
    seed: int = 0,
    n_jobs: int | None = None,
    results: ResultFile | None = None,
    advance: Callable[[], None] = lambda: None,
    skipped: dict[str, str] | None = None,
) -> list[Record]:
    """Evaluate models on a set of graphs, and return one record per fold.

    Parameters
    ----------
    data : Dataset
        Graphs with classes, or with real targets.
    models : sequence of str or Model, default=("gskn",)
        Names in `MODELS`, or objects of class `Model`.
    protocol : {"nested", "paper"}, default="nested"
        "nested" selects parameters on the training part. "paper" selects them on the test
        folds, as in the literature; for classes only.
    folds : {"stratified", "published", "scaffold"}, default="stratified"
        Ten folds by the seed of the repeat, stratified if there are classes, or the folds
        of the literature. "scaffold": ten folds of molecules such that no Murcko scaffold
        is in two folds, the same in every repeat. The names of the graphs must be SMILES.
    repeats : int, default=1
        Number of repeats, with seeds ``seed``, ``seed + 1`` and so on.
    seed : int, default=0
        Seed of folds, landmarks and classifiers of the first repeat.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores.
    results : ResultFile or None, default=None
        Folds in this file are not run again, and new ones are added to it. A fold of
        "published" or "scaffold" folds is in the file only if it was run with the same
        fold indices.
    advance : callable
        Called after every fold, including folds that are in ``results``.
    skipped : dict or None, default=None
        If given, a model that does not support the graphs is skipped, and its error
        message is added here under its name. If None, the error is raised.

    Returns
    -------
    records : list of Record
        Ordered by model, repeat and fold. The scores of classes are `GRAPH_METRICS`, the
        scores of real targets are `VALUE_METRICS`.

    Notes
    -----
    With the protocol "nested", the model "gskn" selects and predicts on every fold exactly
    what `GSKNClassifier` or `GSKNRegressor` with the seed of the repeat as ``random_state``
    select and predict if they are fitted to the training part.

    Examples
    --------
    >>> from gskn import datasets
    >>> records = evaluate(datasets.load("regular"), ["aw"])
    >>> len(records), records[0].scores["accuracy"]
    (10, 1.0)
    """
    check_choice(protocol, "protocol", choices=("nested", "paper"))
    check_dataset(data)
    check_int(repeats, "repeats", minimum=1)
    if data.task != "graph":
        raise InputError(
            f"{data.name} has classes of nodes; use evaluate_nodes for classes of nodes."
        )
    if data.targets == "values" and protocol == "paper":
        raise InputError(
            f"{data.name} has real targets; protocol='paper' needs classes, use 'nested'."
        )
    check_seed(seed, repeats)
    check_n_jobs(n_jobs)
    selected = find_models(models)
    run = _Run(data, selected, protocol, folds, n_jobs, results, advance, skipped)
    with ignore_convergence():
        records = [
            record
            for repeat in range(repeats)
            for record in run.repeat(repeat, seed + repeat)
        ]
    order = {model.name: number for number, model in enumerate(selected)}
    return Records(sorted(records, key=lambda r: (order[r.model], r.repeat, r.fold)))


def split(data: Dataset, folds: str, seed: int) -> Folds:
    """Return the training and test graphs of ten folds."""
    check_choice(folds, "folds", choices=("stratified", "published", "scaffold"))
    if folds == "scaffold":
        return _scaffold_folds(data)
    everything = np.arange(len(data.y))
    if folds == "published":
        if "published" not in data.folds:
            raise InputError(f"{data.name} has no published folds; use folds='stratified'.")
        tests = data.folds["published"]
        return [(np.setdiff1d(everything, test), test) for test in tests]
    if data.targets == "values":
        if len(data.y) < 2:
            raise InputError(f"{data.name} has {len(data.y)} graphs; folds need two.")
        random = KFold(min(10, len(data.y)), shuffle=True, random_state=seed)
        return list(random.split(everything))
    smallest = int(np.unique(data.y, return_counts=True)[1].min())
    if smallest < 2:
        raise InputError(f"A class of {data.name} has one graph; folds need at least two.")
    splitter = StratifiedKFold(min(10, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(everything, data.y))


def _scaffold_folds(data: Dataset) -> Folds:
    """Return ten folds such that no scaffold is in two of them."""
    rdkit = import_module("gskn.integrations.rdkit")
    if not rdkit.are_smiles(data.graphs.graph_names):
        raise InputError(
            f"The graphs of {data.name} are not named by their SMILES; folds='scaffold' "
            "needs a set of molecules with SMILES as names."
        )
    # One group of all molecules without rings would be half of some sets.
    splitter = rdkit.ScaffoldKFold(10, acyclic="separate")
    return list(splitter.split(data.graphs))


class _TestResult(NamedTuple):
    """Scores of every test fold, with the parameters that have the best mean score."""

    chosen: dict[str, Any]
    scores: list[dict[str, float]]


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
    skipped: dict[str, str] | None = None

    @cached_property
    def _data_digest(self) -> str:
        return digest_data(self.data)

    @cached_property
    def _cache(self) -> EmbeddingCache:
        return EmbeddingCache(self.data.graphs, self.n_jobs)

    def repeat(self, repeat: int, seed: int) -> Iterator[Record]:
        """Yield the records of all folds of all models; stored folds are not run again."""
        folds = split(self.data, self.folds, seed)
        templates = self._templates(folds, repeat, seed)
        if self.protocol == "paper":
            yield from self._run_paper(templates, folds)
        else:
            for fold, (train, test) in enumerate(folds):
                yield from self._run_nested(
                    [replace(template, fold=fold) for template in templates], train, test
                )

    def _templates(self, folds: Folds, repeat: int, seed: int) -> list[Record]:
        """Return the records of the first fold without results, one per model."""
        common = {"folds": self.folds, "data": self._data_digest}
        digest = digest_edges(self.data.graphs)
        edges = {} if digest is None else {"edges": digest}
        if self.folds != "stratified":  # these are determined by data and seed
            common["fold_indices"] = digest_folds([test for _, test in folds])
        return [
            Record(
                data=self.data.name,
                model=model.name,
                protocol=self.protocol,
                repeat=repeat,
                fold=0,
                seed=seed,
                configuration={
                    **model.configuration_for(self.data.targets),
                    **common,
                    **(edges if model.uses_edges else {}),
                },
                scores={},
            )
            for model in self.models
        ]

    def _run_nested(
        self, templates: Sequence[Record], train: IndexArray, test: IndexArray
    ) -> Iterator[Record]:
        """Yield one fold of all models, which share embeddings."""
        stored = self._stored()
        embeddings = self._cache.split(train, test, templates[0].seed)
        for model, template in zip(self.models, templates, strict=True):
            if template.key in stored:
                yield self._finish_fold(stored[template.key])
            elif not self._is_skipped(model):
                try:
                    record = self._nested_fold(model, template, embeddings)
                except (InputError, MissingExtraError) as error:
                    self._skip(model, error)
                    continue
                yield self._finish_fold(record, new=True)

    def _nested_fold(
        self, model: Model, template: Record, embeddings: SplitEmbeddings
    ) -> Record:
        """Select the parameters of one model, then fit and test it on one fold."""
        self._check_targets(model)
        check_supports_graphs(model)
        if is_network(model):
            return self._network_fold(model, template, embeddings)
        if model.predicts:
            return self._predict_fold(model, template, embeddings)
        clock, y = Clock(), self.data.y
        task = self._task(y[embeddings.train])
        selection = self._select(model, embeddings, task, clock)
        params = model.grid[selection.number]
        with clock.measure("embed"):
            _, test = embeddings.embed(model, params)
        with clock.measure("classify"):
            machines, train = [selection.machine], selection.embeddings
            (scores,) = _test(machines, train, test, task, y[embeddings.test])
        chosen = _chosen(params, selection.machine, task, train)
        candidate = selection.candidate
        chosen["inner"] = 0.0 if candidate is None else candidate.score
        return with_provenance(replace(template, scores=scores, chosen=chosen), clock)

    def _network_fold(
        self, model: Model, template: Record, embeddings: SplitEmbeddings
    ) -> Record:
        """Select the parameters of a network, then fit and test it on one fold."""
        clock, y = Clock(), self.data.y
        train, test, seed = embeddings.train, embeddings.test, embeddings.seed
        graphs = self.data.graphs
        result = predict_fold(model, graphs, y, train, test, seed, self.n_jobs, clock)
        probabilities = result.probabilities
        if len(result.classes) == 2:
            probabilities = probabilities[:, 1] - probabilities[:, 0]
        scores = score_classes(y[test], result.predicted, probabilities, result.classes)
        return with_provenance(
            replace(template, scores=scores, chosen=result.chosen), clock
        )

    def _select(
        self, model: Model, embeddings: SplitEmbeddings, task: Task, clock: Clock
    ) -> Selection:
        """Select the embedding, then kernel and strength for it."""

        def embed(number: int) -> FloatArray:
            with clock.measure("embed"):
                return embeddings.embed(model, model.grid[number])[0]

        machines = model.regressors if self._has_values else model.classifiers
        folds = task.folds(N_FOLDS, embeddings.seed)
        with clock.measure("choose"):
            return select(embed, model.grid, machines, task, folds, n_jobs=self.n_jobs)

    def _predict_fold(
        self, model: Model, template: Record, embeddings: SplitEmbeddings
    ) -> Record:
        """Fit and test an estimator that predicts targets itself on one fold."""
        clock = Clock()
        with clock.measure("classify"):
            scores = self._fit_predictor(
                model, embeddings.train, embeddings.test, embeddings.seed
            )
        chosen = {"embedding": as_json(model.grid[0])}
        return with_provenance(replace(template, scores=scores, chosen=chosen), clock)

    def _fit_predictor(
        self, model: Model, train: IndexArray, test: IndexArray, seed: int
    ) -> dict[str, float]:
        """Return the scores of an estimator that predicts targets itself."""
        y, graphs = self.data.y, self.data.graphs
        estimator = make_estimator(model.estimator, model.grid[0], seed, self.n_jobs)
        estimator.fit(graphs[train], y[train])
        predicted = estimator.predict(graphs[test])
        if self._has_values:
            return score_values(y[test], predicted)
        decision = estimator.predict_proba(graphs[test])
        return score_classes(y[test], predicted, decision, estimator.classes_)

    @property
    def _has_values(self) -> bool:
        return self.data.targets == "values"

    def _task(self, y: AnyArray) -> Task:
        """Return the task of training samples."""
        return (ValueTask if self._has_values else ClassTask).from_targets(y)

    def _check_targets(self, model: Model) -> None:
        """Raise if the model does not predict the targets of the data set."""
        if not model.supports(self.data.targets):
            kind = "real targets" if self._has_values else "classes"
            raise InputError(f"The model {model.name!r} does not predict {kind}.")

    def _run_paper(self, templates: Sequence[Record], folds: Folds) -> Iterator[Record]:
        """Yield all folds of all models, with the best parameters on the test folds."""
        stored = self._stored()
        everything = np.arange(len(self.data.y))
        embeddings = self._cache.split(everything, everything[:0], templates[0].seed)
        for model, template in zip(self.models, templates, strict=True):
            blanks = [replace(template, fold=fold) for fold in range(len(folds))]
            if all(record.key in stored for record in blanks):
                yield from (self._finish_fold(stored[record.key]) for record in blanks)
                continue
            if self._is_skipped(model, n_folds=len(folds)):
                continue
            clock = Clock()
            try:
                chosen, scores = self._best_on_test(model, embeddings, folds, clock)
            except InputError as error:
                self._skip(model, error, n_folds=len(folds))
                continue
            for blank, fold_scores in zip(blanks, scores, strict=True):
                record = replace(blank, scores=fold_scores, chosen=chosen)
                record = with_provenance(record, clock.shared(len(folds)))
                is_new = blank.key not in stored
                yield self._finish_fold(stored.get(blank.key, record), new=is_new)

    def _best_on_test(
        self, model: Model, embeddings: SplitEmbeddings, folds: Folds, clock: Clock
    ) -> _TestResult:
        """Return the parameters with the best mean accuracy on the test folds."""
        self._check_targets(model)
        check_supports_graphs(model)
        if is_network(model):
            raise InputError(
                f"The model {model.name!r} selects its epoch on training graphs; use the "
                "protocol 'nested'."
            )
        if model.predicts:
            constant = [
                self._fit_predictor(model, *fold, embeddings.seed) for fold in folds
            ]
            return _TestResult({"embedding": as_json(model.grid[0])}, constant)
        best, best_mean = _TestResult({}, []), -1.0
        for params in model.grid:
            with clock.measure("embed"):
                everything, _ = embeddings.embed(model, params)
            with clock.measure("classify"):
                by_fold = self._test_folds(model, everything, folds)
            for classifier, scores in zip(
                model.classifiers, zip(*by_fold, strict=True), strict=True
            ):
                mean = float(np.mean([fold["accuracy"] for fold in scores]))
                if mean > best_mean:
                    chosen = _chosen(params, classifier, ClassTask, everything)
                    best, best_mean = _TestResult(chosen, list(scores)), mean
        return best

    def _test_folds(
        self, model: Model, embeddings: FloatArray, folds: Folds
    ) -> list[list[dict[str, float]]]:
        """Return the scores of every classifier, fold by fold."""
        y = self.data.y

        def test_fold(fold: tuple[IndexArray, IndexArray]) -> list[dict[str, float]]:
            train, test = fold
            return _test(
                model.classifiers,
                model.select(embeddings, train, train),
                model.select(embeddings, test, train),
                self._task(y[train]),
                y[test],
            )

        return run_threads(test_fold, folds, self.n_jobs)

    def _is_skipped(self, model: Model, n_folds: int = 1) -> bool:
        """Return whether the model failed before; then advance over the folds."""
        if self.skipped is None or model.name not in self.skipped:
            return False
        for _ in range(n_folds):
            self.advance()
        return True

    def _skip(
        self, model: Model, error: InputError | MissingExtraError, n_folds: int = 1
    ) -> None:
        """Note that a model does not support these graphs; raise if nobody asked for it."""
        if self.skipped is None:
            raise error
        self.skipped[model.name] = str(error)
        self._is_skipped(model, n_folds)

    def _stored(self) -> dict[str, Record]:
        return {} if self.results is None else self.results.read()

    def _finish_fold(self, record: Record, *, new: bool = False) -> Record:
        """Store a new record and advance the progress."""
        if new and self.results is not None:
            self.results.append(record)
        self.advance()
        return record


def _test(
    machines: Sequence[Params],
    train: FloatArray,
    test: FloatArray,
    task: Task,
    y_test: AnyArray,
) -> list[dict[str, float]]:
    """Return the scores of every machine on the test samples."""
    return [
        _score(outputs, task, y_test)
        for outputs in fit_outputs(machines, train, test, task)
    ]


def _score(outputs: FloatArray, task: Task, y: AnyArray) -> dict[str, float]:
    if isinstance(task, ValueTask):
        return score_values(y, outputs[:, 0])
    classes = cast("ClassTask", task).classes
    decision = class_votes(outputs)
    decision = decision[:, 0] if decision.shape[1] == 1 else decision
    return score_classes(y, classes[most_likely(outputs)], decision, classes)


def _chosen(
    params: Params, machine: Params, task: Task | type[Task], embeddings: FloatArray
) -> dict[str, Any]:
    name = "regressor" if task.strength_name == "alpha" else "classifier"
    return {
        "embedding": as_json(params),
        name: dict(machine),
        "n_columns": embeddings.shape[1],
    }
