"""The order leak: a PCA that is fitted per batch of a file sorted by class."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
from sklearn.decomposition import PCA

from gskn._types import FloatArray, IndexArray
from gskn.datasets import Dataset
from gskn.estimators import (
    GSKN,
    LINEAR,
    RBF,
    ClassTask,
    fit_outputs,
    ignore_convergence,
    most_likely,
)
from gskn.evaluation import (
    Clock,
    Record,
    split,
    with_provenance,
)
from gskn.reproduce._jobs import Runner
from gskn.reproduce._tables import format_summary, summary_of
from gskn.walks import pattern_counts

_BATCH = 16  # graphs, as in the published program
_COMPONENTS = 8
# Names in records, with their descriptions.
_EMBEDDINGS = {
    "a PCA per batch": "patterns, one PCA for every 16 consecutive graphs",
    "one PCA": "patterns, one PCA for all graphs",
    "batch number": "only the number of the batch",
}


def run_leak(runner: Runner, sets: Sequence[str]) -> list[Record]:
    """Return accuracies of all embeddings on sorted and on shuffled files."""
    records = []
    for data in map(runner.load, [name for name in sets if name not in runner.missing]):
        by_class = np.argsort(data.y, kind="stable")
        shuffled = np.random.default_rng(0).permutation(len(data.y))
        for order_name, order in (("sorted", by_class), ("shuffled", shuffled)):
            for name in _EMBEDDINGS:
                records += _run(runner, data, name, order_name, order)
    return records


def leak_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Return one row per data set and embedding, with one column per order of the file."""
    records = [record for record in records if record.protocol.startswith("leak")]
    return [
        {
            "data": data,
            "embeddings": text,
            **{
                f"file {order}": format_summary(
                    summary_of(records, data, name, f"leak, {order}")
                )
                for order in ("sorted", "shuffled")
            },
        }
        for data in dict.fromkeys(record.data for record in records)
        for name, text in _EMBEDDINGS.items()
    ]


def _run(
    runner: Runner, data: Dataset, embedding: str, order_name: str, order: IndexArray
) -> list[Record]:
    blanks = [
        Record(
            data=data.name,
            model=embedding,
            protocol=f"leak, {order_name}",
            repeat=0,
            fold=fold,
            seed=0,
            configuration={"batch": _BATCH},
            scores={},
        )
        for fold in range(10)
    ]
    accuracies = cache(lambda: _accuracies(data, embedding, order))  # of all folds

    def run(blank: Record) -> Record:
        scores = {"accuracy": accuracies()[blank.fold]}
        return with_provenance(replace(blank, scores=scores), Clock())

    records = [runner.once(blank, partial(run, blank)) for blank in blanks]
    runner.advance(1.0)
    return records


def _accuracies(data: Dataset, embedding: str, order: IndexArray) -> list[float]:
    """Return the accuracy on each fold with the best classifier on the test folds."""
    ordered = _embed(data, embedding, order)
    graph_embeddings = np.empty_like(ordered)
    graph_embeddings[order] = ordered
    by_fold = []
    with ignore_convergence():
        for train, test in split(data, "stratified", 0):
            task = ClassTask.from_targets(data.y[train])
            outputs = fit_outputs(
                LINEAR + RBF, graph_embeddings[train], graph_embeddings[test], task
            )
            by_fold.append(
                [
                    float((task.classes[most_likely(part)] == data.y[test]).mean())
                    for part in outputs
                ]
            )
    best = int(np.argmax(np.mean(by_fold, axis=0)))
    return [accuracies[best] for accuracies in by_fold]


def _embed(data: Dataset, embedding: str, order: IndexArray) -> FloatArray:
    """Return graph embeddings of the file in the given order.

    The kernel makes the leak visible: each PCA has different axes, so a landmark, which is
    selected among all walks, is close to walks of some batches and far from the others.
    """
    graphs = data.graphs[order]
    numbers = np.arange(graphs.n_graphs) // _BATCH
    if embedding == "batch number":
        return np.eye(numbers[-1] + 1)[numbers]
    patterns = pattern_counts(graphs, 6).rows.toarray()
    batch_of_node = np.repeat(
        numbers if embedding == "a PCA per batch" else np.zeros_like(numbers),
        graphs.graph_sizes,
    )
    parts = [patterns[batch_of_node == number] for number in np.unique(batch_of_node)]
    reduced = replace(
        graphs.without_edge_data(),
        node_attributes=np.vstack([PCA(_COMPONENTS).fit_transform(part) for part in parts]),
        node_labels=None,
        label_values=(),
    )
    model = GSKN(("walk",), node_features="attributes", pooling="sum", random_state=0)
    graph_embeddings: FloatArray = model.fit_transform(reduced)
    return graph_embeddings
