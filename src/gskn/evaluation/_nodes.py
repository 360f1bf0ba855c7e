"""Node classification: classifiers on node embeddings, over random splits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit

from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn._validation import check_int, check_n_jobs
from gskn.datasets import Dataset
from gskn.evaluation._digest import digest_data, digest_edges
from gskn.evaluation._inputs import check_dataset
from gskn.evaluation._limits import check_seed
from gskn.evaluation._model import Model, as_json, make_estimator
from gskn.evaluation._network_models import check_supports_nodes, is_network, predict_nodes
from gskn.evaluation._node_classifiers import LOGISTIC, SCREENING, classify_nodes
from gskn.evaluation._records import Clock, Record, Records, with_provenance
from gskn.evaluation._registry import find_models
from gskn.evaluation._result_file import ResultFile
from gskn.exceptions import InputError, MissingExtraError

_VALIDATION_SIZE = 0.2  # of the training nodes
_VALIDATION_LABELS = 10  # random ones of many: all would take most of the time
TRAIN_SIZES = (0.3, 0.7)
NODE_METRICS = ("accuracy", "macro_f1", "micro_f1")


def evaluate_nodes(  # noqa: PLR0913 - every one has a sensible default
    data: Dataset,
    models: Sequence[str | Model] = ("nodes",),
    *,
    train_sizes: Sequence[float] = TRAIN_SIZES,
    repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    results: ResultFile | None = None,
    advance: Callable[[], None] = lambda: None,
    skipped: dict[str, str] | None = None,
) -> list[Record]:
    """Evaluate models on a graph whose nodes have classes, by random splits of the nodes.

    Embeddings are computed from the whole graph, without classes. A classifier is fitted to
    a random part of the nodes and tested on the others, as in the paper. Embedding and
    classifier are selected on a fifth of the training nodes that is held out, by micro F1.
    If there are many labels, ten random ones are used for the selection.

    The classifier is logistic regression, as in the paper, unless the model has
    ``node_classifiers``. These also contain RBF and Laplacian kernels. Then the embedding
    is selected with an RBF kernel, and the classifier is selected for this embedding.

    Parameters
    ----------
    data : Dataset
        A graph with one class per node, or one column for each of several labels. Nodes
        without a class (see ``Dataset.labelled``) are embedded, but not split.
    models : sequence of str or Model, default=("nodes",)
        Names in `MODELS`, or objects of class `Model`; their ``node_classifiers`` are used
        instead of their ``classifiers``.
    train_sizes : sequence of float, default=(0.3, 0.7)
        Fractions of the nodes in the training part.
    repeats : int, default=10
        Number of random splits, with seeds ``seed``, ``seed + 1`` and so on.
    seed : int, default=0
        Seed of the embeddings and of the first split.
    n_jobs : int or None, default=None
        Number of threads of the embeddings.
    results : ResultFile or None, default=None
        Splits in this file are not run again, and new ones are added to it.
    advance : callable
        Called after every split.
    skipped : dict or None, default=None
        If given, a model without node embeddings is skipped, and the reason is added here
        under its name. If None, an error is raised.

    Returns
    -------
    records : list of Record
        Ordered by model, training size and repeat, with the scores ``macro_f1``,
        ``micro_f1`` and ``accuracy``. The protocol of 30 percent training nodes is called
        ``nodes-30``.
    """
    check_dataset(data)
    check_int(repeats, "repeats", minimum=1)
    if data.task != "node":
        raise InputError(f"{data.name} has classes of graphs; use evaluate.")
    if any(not 0 < size < 1 for size in train_sizes):
        raise InputError(f"train_sizes must be between 0 and 1, got {tuple(train_sizes)}.")
    check_seed(seed, repeats)
    check_n_jobs(n_jobs)
    records: list[Record] = []
    embeddings: dict[str, FloatArray] = {}
    for named in find_models(models):
        model = named.nodes or named
        try:
            check_supports_nodes(model)
            run = _Run(_data_for(model, data), model, seed, n_jobs, embeddings)
            for train_size, template in _templates(data, model, train_sizes, repeats, seed):
                fit = partial(run.fit_split, template, train_size)
                records.append(fit() if results is None else results.once(template, fit))
                advance()
        except (InputError, MissingExtraError) as error:
            if skipped is None:
                raise
            skipped[model.name] = str(error)
    return Records(records)


def _templates(
    data: Dataset, model: Model, train_sizes: Sequence[float], repeats: int, seed: int
) -> Iterator[tuple[float, Record]]:
    """Yield the training size and the record without results of every split."""
    configuration = {
        **model.configuration,
        "embedding_seed": seed,
        "data": digest_data(data),
    }
    digest = digest_edges(data.graphs)
    if digest is not None and model.uses_edges:
        configuration["edges"] = digest
    for train_size in train_sizes:
        for repeat in range(repeats):
            yield (
                train_size,
                Record(
                    data=data.name,
                    model=model.name,
                    protocol=f"nodes-{100 * train_size:.0f}",
                    repeat=repeat,
                    fold=0,
                    seed=seed + repeat,
                    configuration=configuration,
                    scores={},
                ),
            )


def _data_for(model: Model, data: Dataset) -> Dataset:
    """Return the data set without edge data if the model does not use it."""
    if model.uses_edges:
        return data
    return replace(data, graphs=data.graphs.without_edge_data())


@dataclass(frozen=True)
class _Run:
    """One model on one graph; embeddings are computed when they are needed, and shared."""

    data: Dataset
    model: Model
    seed: int
    n_jobs: int | None
    _embeddings: dict[str, FloatArray]  # by estimator and parameters, of all models

    def fit_split(self, template: Record, train_size: float) -> Record:
        """Return the record of one random split."""
        y, clock = self.data.y, Clock()
        nodes = np.arange(len(y)) if self.data.labelled is None else self.data.labelled
        train, test = (
            nodes[part] for part in _random_split(len(nodes), train_size, template.seed)
        )
        if is_network(self.model):
            return self._predict_split(template, train, test, clock)
        if self.model.predicts:
            with clock.measure("classify"):
                scores = self._predict(train, test)
            chosen: dict[str, Any] = {"embedding": as_json(self.model.grid[0])}
            return with_provenance(replace(template, scores=scores, chosen=chosen), clock)
        with clock.measure("embed"):
            embeddings = self._embed()
        with clock.measure("choose"):
            number, classifier, inner = self._select(embeddings, train, template.seed)
        with clock.measure("classify"):
            (scores,) = _fit_score(
                embeddings[number], y, train, test, [classifier], template.seed
            )
        chosen = {"embedding": as_json(self.model.grid[number])}
        if self.model.node_classifiers:
            chosen["node_classifier"] = dict(classifier)
        else:
            chosen["C"] = classifier["C"]
        chosen["inner"] = inner
        return with_provenance(replace(template, scores=scores, chosen=chosen), clock)

    def _predict_split(
        self, template: Record, train: IndexArray, test: IndexArray, clock: Clock
    ) -> Record:
        """Return the record of one split by a network that predicts classes itself."""
        graphs, y, seed = self.data.graphs, self.data.y, template.seed
        result = predict_nodes(self.model, graphs, y, train, test, seed, self.n_jobs, clock)
        scores = _score(y[test], result.predicted)
        return with_provenance(
            replace(template, scores=scores, chosen=result.chosen), clock
        )

    def _select(
        self, embeddings: Sequence[FloatArray], train: IndexArray, seed: int
    ) -> tuple[int, Params, float]:
        """Return the index of an embedding, a classifier, and its score on held-out nodes.

        Only training nodes are used. The first of several equal embeddings is selected.
        """
        y = _some_labels(self.data.y, seed)
        fitted, held_out = (
            train[part] for part in _random_split(len(train), 1 - _VALIDATION_SIZE, seed)
        )

        def score(number: int, classifiers: Sequence[Params]) -> list[float]:
            all_scores = _fit_score(
                embeddings[number], y, fitted, held_out, classifiers, seed
            )
            return [scores["micro_f1"] for scores in all_scores]

        numbers = range(len(embeddings))
        if not self.model.node_classifiers:
            # The largest of equally good C, as in earlier records.
            best, number, C = max(
                (value, -number, classifier["C"])
                for number in numbers
                for value, classifier in zip(score(number, LOGISTIC), LOGISTIC, strict=True)
            )
            return -number, {"kernel": "linear", "C": C}, best
        number = 0
        if len(embeddings) > 1:
            number = int(np.argmax([score(number, [SCREENING])[0] for number in numbers]))
        values = score(number, self.model.node_classifiers)
        place = int(np.argmax(values))
        return number, self.model.node_classifiers[place], values[place]

    def _predict(self, train: IndexArray, test: IndexArray) -> dict[str, float]:
        """Return the scores of an estimator that predicts classes without the graph."""
        y = self.data.y
        estimator = self.model.estimator(**self.model.grid[0]).fit(train[:, None], y[train])
        return _score(y[test], estimator.predict(test[:, None]))

    def _embed(self) -> list[FloatArray]:
        """Return the node embeddings for all parameters of the grid."""
        graphs, names = self.data.graphs, []
        for params in self.model.grid:
            estimator = make_estimator(self.model.estimator, params, self.seed, self.n_jobs)
            parameters = sorted(estimator.get_params(deep=False).items())
            names.append(f"{type(estimator)} {parameters} {self.model.uses_edges}")
            if names[-1] not in self._embeddings:
                node_embeddings = estimator.fit(graphs).transform_nodes(graphs)
                self._embeddings[names[-1]] = node_embeddings
        return [self._embeddings[name] for name in names]


def _some_labels(y: AnyArray, seed: int) -> AnyArray:
    if y.ndim == 1 or y.shape[1] <= _VALIDATION_LABELS:
        return y
    columns = np.random.default_rng(seed).permutation(y.shape[1])[:_VALIDATION_LABELS]
    return y[:, columns]


def _fit_score(
    embeddings: FloatArray,
    y: AnyArray,
    train: IndexArray,
    test: IndexArray,
    classifiers: Sequence[Params],
    seed: int,
) -> list[dict[str, float]]:
    """Fit classifiers to the training nodes and return their scores on the test nodes."""
    predictions = classify_nodes(
        embeddings[train], y[train], embeddings[test], classifiers, seed
    )
    return [_score(y[test], predicted) for predicted in predictions]


def _score(y: AnyArray, predicted: AnyArray) -> dict[str, float]:
    """Return accuracy (of whole label sets, if there are several), macro and micro F1."""
    correct = y == predicted
    options: dict[str, Any] = {"zero_division": 0}
    return {
        "accuracy": float((correct if y.ndim == 1 else correct.all(axis=1)).mean()),
        "macro_f1": float(f1_score(y, predicted, average="macro", **options)),
        "micro_f1": float(f1_score(y, predicted, average="micro", **options)),
    }


def _random_split(
    n_nodes: int, train_size: float, seed: int
) -> tuple[IndexArray, IndexArray]:
    """Return the indices of training and of test nodes."""
    splitter = ShuffleSplit(1, train_size=train_size, random_state=seed)
    train, test = next(splitter.split(np.empty(n_nodes)))
    return train, test
