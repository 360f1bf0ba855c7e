"""Experiments of the paper by name: jobs, tables and figures."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gskn import datasets
from gskn.estimators import GSKN
from gskn.evaluation import MODELS, Record
from gskn.evaluation.plots import plot_embedding, plot_scores
from gskn.exceptions import InputError
from gskn.reproduce import _printed as printed
from gskn.reproduce._baselines import (
    BASELINE_SYSTEMS,
    CONTINUOUS_SYSTEMS,
    baseline_jobs,
    baseline_rows,
)
from gskn.reproduce._jobs import Job, Runner
from gskn.reproduce._leak import leak_rows, run_leak
from gskn.reproduce._network_times import (
    TIME_CAPTION,
    n_network_times,
    network_time_rows,
    network_time_sets,
    owns_network_time,
    run_network_times,
)
from gskn.reproduce._networks import (
    NETWORK_CAPTION,
    NETWORK_SYSTEMS,
    NODE_NETWORKS,
    network_jobs,
    network_rows,
)
from gskn.reproduce._parameters import (
    parameter_figure,
    parameter_models,
    parameter_rows,
)
from gskn.reproduce._ranks import pattern_jobs, pattern_rows, rank_jobs, rank_rows
from gskn.reproduce._statistics import STATISTICS_SETS, run_statistics, statistics_rows
from gskn.reproduce._tables import (
    graph_rows,
    node_rows,
    select,
    structure_rows,
)
from gskn.reproduce._times import n_times, run_times, time_figure, time_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = list[dict[str, Any]]

# Our models by their name in the tables. "GSKN" has the parameters of the paper.
_PAPER_SIZE = {"GSKN": "rw+aw-64", "RW only, 32": "rw-32", "AW only, 32": "aw-32"}
_CHOSEN = {
    "GSKN, chosen": "gskn",
    "RW only, chosen": "gskn-rw",
    "AW only, chosen": "gskn-aw",
    "RW + AW, all lengths": "rw+aw",
    "RW + AW, logarithm": "rw+aw-log",
}
_AGAINST = {
    "RW only, 32": "GSKN",
    "AW only, 32": "GSKN",
    **dict.fromkeys(list(_CHOSEN)[1:], "GSKN, chosen"),
}
_ABLATION = {"RW degree": "rw-degrees", "AW": "aw", "RW": "rw", "RW + AW": "rw+aw"}
_STRUCTURE = {
    "RW kernel": "rw-kernel",
    "RW": "rw-degrees",
    "WL kernel": "wl",
    "SP kernel": "sp",
    "GCKN": "gckn-path",
    "AW": "aw",
    "GSKN": "rw+aw",
}
_REGULAR = {
    "RW": "rw",
    "WL kernel": "wl",
    "SP kernel": "sp",
    "GCKN": "gckn-path",
    "GSKN": "rw+aw",
}
_TRANSDUCTIVE = [
    name for name, model in CONTINUOUS_SYSTEMS.items() if MODELS[model].transductive
]
_NODES = {
    "GSKN": "rw+aw-64",
    "RW only, 32": "rw-32",
    "GSKN, chosen": "nodes-64",
    "GSKN, large": "nodes-large",
    "GSKN, best classifier": "nodes",
    "GSKN, linear": "nodes-linear",
}
_NODE_SETS: printed.Printed = {"lastfm": {}, "facebook": {}}  # not in the paper
_STRUCTURE_NODES = {
    "majority": "majority",
    **{name: _NODES[name] for name in ("GSKN", "GSKN, chosen")},
    **{name: _NODES[name] for name in ("GSKN, best classifier", "GSKN, linear")},
}
_NODE_PROTOCOL = (
    "Classifiers trained on 30 or 70 percent of the nodes, selected at random; everything "
    "is selected on a fifth of them. The classifier is logistic regression; GSKN, best "
    "classifier, selects among logistic regression and least squares with RBF and "
    "Laplacian kernels. ± is the standard deviation over splits"
)
_FITTED_TO_ALL = f"Fitted to all graphs, without their classes: {', '.join(_TRANSDUCTIVE)}."
_PROTOCOLS = (
    "nested: everything is selected and fitted on the training part of each fold. "
    "paper protocol: the best parameters on the TEST folds, for comparison only. "
    "nested only: we do not select on test folds. not run: with the estimated time on one "
    "core. missing: not run (networks: gskn reproduce networks). GraphSTONE has no "
    "published program for graphs. ± is the standard deviation over folds."
)

# Words at the start of a remark in a caption.
_REMARKS = ("nested only", "not run", "missing", "too large", "GraphSTONE")


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper.

    Attributes
    ----------
    name, paper, title : str
        Name of the experiment, its number in the paper, and the title of the table.
    cost : callable
        Takes ``quick``; returns the cost relative to one fold of one model on MUTAG.
    run : callable
        Takes a `Runner` and ``quick``; runs folds that are not in the result file, and
        returns all records.
    rows : callable
        Takes records; returns the rows of the table.
    owns : callable
        Takes a record; returns whether it belongs to this experiment.
    figure : callable or None
        Takes records; returns a figure, or None if there are no records for it.
    caption : str
        Explanation of the table, in particular of the protocol.
    sets : callable
        Takes ``quick``; returns the names of the data sets that ``run`` loads.
    """

    name: str
    paper: str
    title: str
    cost: Callable[[bool], float]
    run: Callable[[Runner, bool], list[Record]]
    rows: Callable[[Sequence[Record]], Rows]
    owns: Callable[[Record], bool]
    figure: Callable[[Sequence[Record]], "Figure | None"] | None = None
    caption: str = _PROTOCOLS
    sets: Callable[[bool], Sequence[str]] = lambda _: ()

    def caption_of(self, rows: Rows) -> str:
        """Return the caption without remarks about words that the rows do not contain."""
        cells = " ".join(str(value) for row in rows for value in row.values())
        return " ".join(
            sentence
            for sentence in re.split(r"(?<=\.) ", self.caption)
            if not any(sentence.startswith(word) and word not in cells for word in _REMARKS)
        )


def _from_jobs(make: Callable[[bool], Sequence[Job]]) -> dict[str, Any]:
    return {
        "cost": lambda quick: sum(job.cost for job in make(quick)),
        "run": lambda runner, quick: [
            record for job in make(quick) for record in job.run(runner)
        ],
        "owns": lambda record: any(job.owns(record) for job in make(False)),
        "sets": lambda quick: list(dict.fromkeys(job.data for job in make(quick))),
    }


def _both_protocols(data: str, models: Mapping[str, str], quick: bool) -> list[Job]:  # noqa: FBT001
    names = list(models.values())
    return [
        Job(data, names, "nested", repeats=1 if quick else 3),
        Job(data, names, "paper"),
    ]


def _graph_jobs(sets: Sequence[str], quick: bool) -> list[Job]:  # noqa: FBT001
    jobs = []
    for data in sets:
        jobs += _both_protocols(data, _PAPER_SIZE, quick)
        if not quick:
            jobs.append(Job(data, list(_CHOSEN.values()), "nested", repeats=3))
    return jobs


def _sizes(quick: bool) -> list[int]:  # noqa: FBT001
    return [2**power for power in range(10, 17 if quick else 20)]


def _node_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    # The 121 regressions of PPI on some hundred columns take minutes: fewer splits.
    small = ["rw+aw-64", "rw-32", "nodes-64"]
    jobs = [Job(data, small, "nodes", 3 if quick else 10) for data in printed.NODES]
    jobs += [
        Job(data, ["nodes-large"], "nodes", 1 if quick or data == "ppi" else 10)
        for data in printed.NODES
    ]
    return jobs + [_selected_nodes(data, [], quick) for data in printed.NODES]


def _selected_nodes(data: str, models: Sequence[str], quick: bool) -> Job:  # noqa: FBT001
    """Return the job of the selected models; large sets have three splits."""
    repeats = 1 if quick else 10 if data in {"cora", "lastfm"} else 3
    return Job(data, [*models, "nodes", "nodes-linear"], "nodes", repeats)


def _structure_node_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    models = ["majority", "rw+aw-64", "nodes-64"]
    return [_selected_nodes(data, models, quick) for data in _NODE_SETS]


def _scores_figure(
    records: Sequence[Record], sets: Sequence[str], models: Mapping[str, str]
) -> "Figure | None":
    selected = [
        record
        for data in sets
        for model in models.values()
        for record in select(records, data, model, "nested")
    ]
    return plot_scores(selected) if selected else None


def _graphs(name: str, paper: str, title: str, table: printed.Printed) -> Experiment:
    baselines = CONTINUOUS_SYSTEMS if table is printed.CONTINUOUS else BASELINE_SYSTEMS
    systems = next(iter(table.values()))
    known = {**baselines, **NETWORK_SYSTEMS}
    models = {name: known[name] for name in systems if name in known}
    return Experiment(
        name=name,
        paper=paper,
        title=title,
        **_from_jobs(partial(_graph_jobs, list(table))),
        rows=lambda records: graph_rows(
            records, table, {**models, **_PAPER_SIZE, **_CHOSEN}, _AGAINST
        ),
        figure=lambda records: _scores_figure(
            records, list(table), {**_PAPER_SIZE, **dict(list(_CHOSEN.items())[:3])}
        ),
        caption=f"{_PROTOCOLS} {_FITTED_TO_ALL}",
    )


def _parameters(data: str, paper: str, repeats: int) -> Experiment:
    return Experiment(
        name=f"parameters-{data.lower()}",
        paper=paper,
        title=f"Accuracy on {data} by parameter",
        **_from_jobs(
            lambda quick: [Job(data, parameter_models(), "nested", 1 if quick else repeats)]
        ),
        rows=partial(parameter_rows, data=data),
        figure=partial(parameter_figure, data=data),
        caption="nested: everything is selected and fitted on the training part of each "
        "fold. ± is the standard deviation over folds. n_landmarks is the largest number "
        "of landmarks of a branch.",
    )


def _structure_map(_: Sequence[Record]) -> "Figure":
    data = datasets.load("structure")
    model = GSKN.from_paper(aggregate=True, pooling="log", random_state=0)
    graph_embeddings = model.fit_transform(data.graphs)
    return plot_embedding(
        graph_embeddings,
        data.y,
        names=("Cycles", "Paths", "Wheels", "Ladders"),
        title="Embeddings of 400 noisy graphs",
    )


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            name="statistics",
            paper="table 1",
            title="Data sets",
            cost=lambda _: 12.0,
            run=lambda runner, _: run_statistics(runner),
            rows=statistics_rows,
            owns=lambda record: record.protocol == "statistics",
            sets=lambda _: STATISTICS_SETS,
            caption="Nodes and edges are means over graphs; edges are undirected.",
        ),
        Experiment(
            name="structure",
            paper="table 2",
            title="Recall of shapes, in percent",
            **_from_jobs(lambda quick: _both_protocols("structure", _STRUCTURE, quick)),
            rows=lambda records: structure_rows(records, {**_STRUCTURE, "GIN": "gin"}),
            caption=f"{_PROTOCOLS} Fitted to all graphs, without their classes: RW kernel.",
            figure=_structure_map,
        ),
        Experiment(
            name="regular",
            paper="table 3",
            title="Accuracy on regular graphs",
            **_from_jobs(lambda quick: _both_protocols("regular", _REGULAR, quick)),
            rows=lambda records: graph_rows(
                records, printed.REGULAR, {**_REGULAR, "GIN": "gin"}, {}
            ),
        ),
        _graphs(
            name="graphs",
            paper="table 4",
            title="Accuracy on graphs with labels or without attributes",
            table=printed.GRAPHS,
        ),
        Experiment(
            name="nodes",
            paper="table 5",
            title="F1 of node classification, in percent",
            **_from_jobs(_node_jobs),
            rows=lambda records: node_rows(records, {**_NODES, **NODE_NETWORKS}),
            caption=f"{_NODE_PROTOCOL}. Networks are trained by walks, without classes, or "
            "by the classes of the training nodes. GSKN, large, has one split of PPI, and "
            "GSKN, best classifier, and GSKN, linear, have three splits of Pubmed and PPI. "
            "not run: with the estimated time on one core. Our GCKN is for graphs only.",
        ),
        Experiment(
            name="node-structure",
            paper="",
            title="F1 of node classification without node features, in percent",
            **_from_jobs(_structure_node_jobs),
            rows=lambda records: node_rows(records, _STRUCTURE_NODES, _NODE_SETS),
            caption=f"{_NODE_PROTOCOL}; facebook has three splits.",
        ),
        _graphs(
            name="continuous",
            paper="table 6",
            title="Accuracy on graphs with continuous attributes",
            table=printed.CONTINUOUS,
        ),
        Experiment(
            name="baselines",
            paper="",
            title="Accuracy of baselines",
            **_from_jobs(baseline_jobs),
            rows=baseline_rows,
            caption="nested: everything is selected on the training part of each fold. ± "
            "is the standard deviation over folds; < and >: significantly below or above "
            "GSKN, chosen (p < 0.05). published: results of the literature under a "
            f"protocol like nested. {_FITTED_TO_ALL}",
        ),
        Experiment(
            name="networks",
            paper="",
            title="Accuracy of neural networks",
            **_from_jobs(network_jobs),
            rows=network_rows,
            caption=NETWORK_CAPTION,
        ),
        Experiment(
            name="network-times",
            paper="",
            title="Seconds of neural networks and GSKN",
            cost=lambda quick: float(n_network_times(quick)),
            run=run_network_times,
            rows=network_time_rows,
            owns=owns_network_time,
            sets=network_time_sets,
            caption=TIME_CAPTION,
        ),
        Experiment(
            name="ranks",
            paper="",
            title="Mean accuracy and average rank over nine data sets",
            **_from_jobs(rank_jobs),
            rows=rank_rows,
            caption="nested: everything is selected on the training part of each fold. "
            "Models with results on all sets. better, equal, worse: number of sets on "
            "which the difference to GSKN, chosen, is significant or not (corrected "
            "resampled t-test, p < 0.05, not corrected for the number of comparisons).",
        ),
        Experiment(
            name="patterns",
            paper="",
            title="What anonymous walks add",
            **_from_jobs(pattern_jobs),
            rows=pattern_rows,
            caption="nested: everything is selected on the training part of each fold. ± "
            "is the standard deviation over folds. The last column compares GSKN with the "
            "same model without anonymous walks on the folds that both have (corrected "
            "resampled t-test, p < 0.05).",
        ),
        Experiment(
            name="ablation",
            paper="table 7",
            title="Accuracy by component",
            **_from_jobs(
                lambda quick: [
                    job
                    for data in printed.ABLATION
                    for job in _both_protocols(data, _ABLATION, quick)
                ]
            ),
            rows=lambda records: graph_rows(
                records, printed.ABLATION, _ABLATION, dict.fromkeys(_ABLATION, "RW + AW")
            ),
            figure=lambda records: _scores_figure(
                records, list(printed.ABLATION), _ABLATION
            ),
        ),
        Experiment(
            name="times",
            paper="table 8",
            title="Minutes to fit and embed",
            cost=lambda quick: float(n_times(_sizes(quick), quick=quick)),
            run=lambda runner, quick: run_times(runner, _sizes(quick), quick=quick),
            rows=time_rows,
            owns=lambda record: record.protocol == "times",
            sets=lambda _: list(printed.TIMES),
            figure=time_figure,
            caption="Our times are from one run on one machine, without the time of "
            "compilation; the times of the paper are from a machine with a GPU. DDGK: the "
            "longest fold of the experiment networks; COLLAB is too large for it.",
        ),
        _parameters("PTC", "figure 4", repeats=3),
        _parameters("PROTEINS", "figure 5", repeats=1),
        Experiment(
            name="leak",
            paper="",
            title="Accuracy of embeddings that depend on the order of the file",
            cost=lambda _: 12.0,
            run=lambda runner, _: run_leak(runner, ("MUTAG", "PTC")),
            rows=leak_rows,
            owns=lambda record: record.protocol.startswith("leak"),
            sets=lambda _: ("MUTAG", "PTC"),
            caption="The best classifier on the TEST folds, as in the literature. ± is the "
            "standard deviation over folds.",
        ),
    )
}


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name or by its number in the paper.

    Parameters
    ----------
    name : str
        For example "graphs", "table 4" or "figure5".

    Returns
    -------
    experiment : Experiment
        Raises `InputError` if there is none.
    """
    text = name.lower().replace(" ", "")
    for experiment in EXPERIMENTS.values():
        if text and text in {experiment.name, experiment.paper.replace(" ", "")}:
            return experiment
    raise InputError(f"Unknown experiment {name!r}. Known: {', '.join(EXPERIMENTS)}.")
