"""The order leak: a transform fitted per batch, on files that are sorted by class."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
from sklearn.decomposition import PCA

from gskn._types import FloatArray, IndexArray
from gskn.datasets import Dataset
from gskn.estimators import GSKN
from gskn.evaluation._protocols import split
from gskn.evaluation import Clock, Record, with_provenance
from gskn.evaluation._svm import LINEAR, RBF, predict, stopping_early
from gskn.reproduce._jobs import Runner
from gskn.reproduce._tables import cell, scores_of
from gskn.walks import pattern_counts

_BATCH = 16  # graphs, as in the published program
_COMPONENTS = 8
_WAYS = {
    "a PCA per batch": "patterns, a PCA fitted to every 16 graphs in a row",
    "one PCA": "patterns, one PCA for all graphs",
    "batch number": "nothing but the number of the batch",
}


def run_leak(runner: Runner, sets: Sequence[str]) -> list[Record]:
    """Return accuracies of all ways on sorted and on shuffled files."""
    records = []
    for name in sets:
        data = runner.load(name)
        by_class = np.argsort(data.y, kind="stable")
        shuffled = np.random.default_rng(0).permutation(len(data.y))
        for order_name, order in (("sorted", by_class), ("shuffled", shuffled)):
            for way in _WAYS:
                records += _run(runner, data, way, order_name, order)
    return records


def leak_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Return one row per set and way, with a column for either order of the file."""
    own = [record for record in records if record.protocol.startswith("leak")]
    return [
        {
            "data": data,
            "rows": text,
            **{
                f"file {order}": cell(scores_of(own, data, way, f"leak, {order}"))
                for order in ("sorted", "shuffled")
            },
        }
        for data in dict.fromkeys(record.data for record in own)
        for way, text in _WAYS.items()
    ]


def _run(
    runner: Runner, data: Dataset, way: str, order_name: str, order: IndexArray
) -> list[Record]:
    blanks = [
        Record(data.name, way, f"leak, {order_name}", 0, fold, 0, {"batch": _BATCH}, {})
        for fold in range(10)
    ]
    found = cache(lambda: _accuracies(data, way, order))  # of all folds, at the first one

    def run(blank: Record) -> Record:
        return with_provenance(replace(blank, scores={"accuracy": found()[blank.fold]}), Clock())

    records = [runner.once(blank, partial(run, blank)) for blank in blanks]
    runner.advance(1.0)
    return records


def _accuracies(data: Dataset, way: str, order: IndexArray) -> list[float]:
    """Return the folds with the best classifier on the test folds, as in the literature."""
    ordered = _rows(data, way, order)
    rows = np.empty_like(ordered)
    rows[order] = ordered
    folds = split(data, "stratified", 0)
    with stopping_early():
        by_fold = [
            [
                float((predicted == data.y[test]).mean())
                for predicted, _, _ in predict(
                    LINEAR + RBF, rows[train], data.y[train], rows[test]
                )
            ]
            for train, test in folds
        ]
    best = int(np.argmax(np.mean(by_fold, axis=0)))
    return [tried[best] for tried in by_fold]


def _rows(data: Dataset, way: str, order: IndexArray) -> FloatArray:
    """Return one row per graph of the file in the given order.

    Kernels make the leak visible: each PCA has axes of its own, so that landmarks, chosen
    among all walks, are near those of some batches and far from those of others.
    """
    graphs = data.graphs[order]
    numbers = np.arange(graphs.n_graphs) // _BATCH
    if way == "batch number":
        return np.eye(numbers[-1] + 1)[numbers]
    patterns = pattern_counts(graphs, 6).rows.toarray()
    batch_of_node = np.repeat(
        numbers if way == "a PCA per batch" else np.zeros_like(numbers), graphs.graph_sizes
    )
    parts = [patterns[batch_of_node == number] for number in np.unique(batch_of_node)]
    rows = np.vstack([PCA(_COMPONENTS).fit_transform(part) for part in parts])
    reduced = replace(graphs, node_attributes=rows, node_labels=None, label_values=())
    model = GSKN(("walk",), attributes="attributes", random_state=0)
    found: FloatArray = model.fit_transform(reduced)
    return found
