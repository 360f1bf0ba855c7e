"""Statistics of the data sets, computed here and printed in the paper."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gskn.evaluation import Clock, Record, get_score, with_provenance
from gskn.reproduce._jobs import Runner
from gskn.reproduce._printed import STATISTICS

STATISTICS_SETS = tuple(STATISTICS["graphs"])
_PROTOCOL = "statistics"


def run_statistics(runner: Runner) -> list[Record]:
    """Count graphs, nodes, edges, classes and attributes of the paper's data sets."""
    records = []
    for name in STATISTICS_SETS:
        if name in runner.missing:
            continue
        blank = Record(
            data=name,
            model="",
            protocol=_PROTOCOL,
            repeat=0,
            fold=0,
            seed=0,
            configuration={},
            scores={},
        )
        records.append(runner.once(blank, partial(_count, blank, runner)))
        runner.advance(1.0)
    return records


def _count(blank: Record, runner: Runner) -> Record:
    data = runner.load(blank.data)
    batch = data.graphs
    n_classes = len(np.unique(data.y)) if data.y.ndim == 1 else data.y.shape[1]
    scores = {
        "graphs": float(batch.n_graphs),
        "nodes": batch.n_nodes / batch.n_graphs,
        "edges": batch.n_edges / batch.n_graphs,
        "classes": float(n_classes),
        "attributes": float(batch.n_attributes),
        "labels": float(batch.node_labels is not None),
    }
    return with_provenance(replace(blank, scores=scores), Clock())


def statistics_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Return one row per data set; numbers of the paper are added if they differ."""
    return [
        {
            "data": record.data,
            **{
                column: _with_paper(cells[record.data], _ours(record, column))
                for column, cells in STATISTICS.items()
            },
        }
        for record in records
        if record.protocol == _PROTOCOL
    ]


def _ours(record: Record, column: str) -> str:
    if column != "attributes":
        return f"{get_score(record, column):.0f}"
    parts = ["labels"] if get_score(record, "labels") else []
    n_attributes = get_score(record, "attributes")
    parts += [f"{n_attributes:.0f}"] if n_attributes else []
    return " + ".join(parts) or "none"


def _with_paper(paper: str, ours: str) -> str:
    return ours if paper == ours else f"{ours} (paper: {paper})"
