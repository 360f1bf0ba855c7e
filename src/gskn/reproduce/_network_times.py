"""Times of networks beside GSKN, measured in one run."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from gskn.datasets import Dataset
from gskn.estimators import GSKNClassifier
from gskn.evaluation import MODELS, Clock, Record, get_score, with_provenance
from gskn.exceptions import MissingExtraError
from gskn.networks import (
    DDGK,
    GAT,
    GCN,
    GIN,
    GraLSP,
    GraphSAGE,
    GraphSTONE,
    NodeNetwork,
    PatchySAN,
    UnsupervisedNodeNetwork,
)
from gskn.reproduce._jobs import Runner
from gskn.reproduce._reasons import MISSING

_PROTOCOL = "network-times"
_GSKN_NODES = MODELS["nodes-64"]
_GRAPH_SYSTEMS: dict[str, Any] = {
    "GSKN": GSKNClassifier(random_state=0),
    "GSKN, not selected": GSKNClassifier(selection="none", random_state=0),
    "GIN": GIN(random_state=0),
    "GCN": GCN(random_state=0),
    "GraphSAGE": GraphSAGE(random_state=0),
    "GAT": GAT(random_state=0),
    "PatchySAN": PatchySAN(random_state=0),
    "DDGK": make_pipeline(DDGK(random_state=0), SVC()),
}
_NODE_SYSTEMS: dict[str, Any] = {
    "GSKN": _GSKN_NODES.estimator(**_GSKN_NODES.grid[0], random_state=0),
    "GCN, by classes": NodeNetwork("gcn", random_state=0),
    "GraphSAGE, by classes": NodeNetwork("sage", random_state=0),
    "GAT, by classes": NodeNetwork("gat", random_state=0),
    "GIN, by classes": NodeNetwork("gin", random_state=0),
    "GCN": UnsupervisedNodeNetwork("gcn", random_state=0),
    "GraphSAGE": UnsupervisedNodeNetwork("sage", random_state=0),
    "GAT": UnsupervisedNodeNetwork("gat", random_state=0),
    "GIN": UnsupervisedNodeNetwork("gin", random_state=0),
    "GraLSP": GraLSP(random_state=0),
    "GraphSTONE, as published": GraphSTONE(topics="published", random_state=0),
    "GraphSTONE": GraphSTONE(topics="intended", random_state=0),
}
_SETS: dict[str, Mapping[str, Any]] = {
    "MUTAG": _GRAPH_SYSTEMS,
    "PTC": _GRAPH_SYSTEMS,
    "IMDB-BINARY": _GRAPH_SYSTEMS,
    "cora": _NODE_SYSTEMS,
}
TIME_CAPTION = (
    "CPU seconds of all threads, from one run on one machine, without the time of "
    "compilation. Graphs: fit to nine tenths of the graphs, predict the others. Every "
    "network is trained once with its default parameters; in the table of accuracies, six "
    "are trained per fold. GSKN: GSKNClassifier, which selects its embedding on inner "
    "folds. DDGK: with an SVM. Nodes: fit to the graph, predict or embed all nodes. GSKN: "
    "the embedding of nodes-64."
)


def network_time_sets(quick: bool) -> list[str]:  # noqa: FBT001
    """Return the data sets; quick: MUTAG."""
    return ["MUTAG"] if quick else list(_SETS)


def n_network_times(quick: bool) -> int:  # noqa: FBT001
    """Return the number of measurements."""
    return sum(len(_SETS[data]) for data in network_time_sets(quick))


def run_network_times(runner: Runner, quick: bool) -> list[Record]:  # noqa: FBT001
    """Measure GSKN and all networks on some data sets."""
    records = []
    for name in network_time_sets(quick):
        if name in runner.missing:
            continue
        data = runner.load(name)
        for system, estimator in _SETS[name].items():
            blank = Record(
                data=name,
                model=system,
                protocol=_PROTOCOL,
                repeat=0,
                fold=0,
                seed=0,
                configuration={"estimator": repr(estimator), "n_jobs": runner.n_jobs},
                scores={},
            )
            measure = partial(_measure, blank, data, estimator, runner.n_jobs)
            try:
                records.append(runner.once(blank, measure))
            except MissingExtraError as error:
                warnings.warn(f"{system} is skipped on {name}. {error}", stacklevel=2)
            runner.advance(1.0)
    return records


def network_time_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Return the seconds to fit and to predict, one row per data set and system."""
    measured = {(r.data, r.model): r for r in records if r.protocol == _PROTOCOL}
    rows = []
    for data, systems in _SETS.items():
        for system in systems:
            record = measured.get((data, system))
            row = {"data": data, "system": system}
            for score in ("fit", "predict"):
                row[score] = (
                    MISSING if record is None else f"{get_score(record, score):.3f}"
                )
            rows.append(row)
    return rows


def owns_network_time(record: Record) -> bool:
    """Return whether a record is a time of these tables."""
    return record.protocol == _PROTOCOL


def _measure(blank: Record, data: Dataset, estimator: Any, n_jobs: int | None) -> Record:
    # Compilation happens once per machine and is not part of the time.
    estimator = clone(estimator)
    if "n_jobs" in estimator.get_params(deep=False):
        estimator.set_params(n_jobs=n_jobs)
    steps = _node_steps if data.task == "node" else _graph_steps
    _warm_up(steps, data, estimator)
    fit, predict = steps(data, clone(estimator))
    scores = {"fit": _seconds(fit), "predict": _seconds(predict)}
    return with_provenance(replace(blank, scores=scores), Clock())


def _warm_up(steps: Callable[..., Any], data: Dataset, estimator: Any) -> None:
    """Run both steps with one epoch, and on few graphs."""
    short = clone(estimator)
    for name in ("max_epochs", "ddgk__n_steps"):
        if name in short.get_params():
            short.set_params(**{name: 1})
    if data.task == "graph":
        part = np.concatenate([np.flatnonzero(data.y == c)[:20] for c in np.unique(data.y)])
        data = Dataset(data.name, data.graphs[part], data.y[part])
    for step in steps(data, short):
        step()


def _graph_steps(data: Dataset, estimator: Any) -> tuple[Callable[[], Any], ...]:
    train, test = train_test_split(
        np.arange(len(data.y)), test_size=0.1, stratify=data.y, random_state=0
    )
    training, y, others = data.graphs[train], data.y[train], data.graphs[test]
    return lambda: estimator.fit(training, y), lambda: estimator.predict(others)


def _node_steps(data: Dataset, estimator: Any) -> tuple[Callable[[], Any], ...]:
    graphs = data.graphs
    if not hasattr(estimator, "transform_nodes"):
        nodes = np.arange(len(data.y))
        train, _ = train_test_split(nodes, train_size=0.3, random_state=0)
        fit = partial(estimator.fit, graphs, data.y[train], train)
        return fit, lambda: estimator.predict(graphs)
    return lambda: estimator.fit(graphs), lambda: estimator.transform_nodes(graphs)


def _seconds(step: Callable[[], Any]) -> float:
    begin = time.process_time()
    step()
    return time.process_time() - begin
