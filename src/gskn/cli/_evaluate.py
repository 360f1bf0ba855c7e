"""``gskn evaluate``: how good the rows are, by model and data set."""

from enum import Enum
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import AsJson, DataHome, as_path, built_in_sets

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.evaluation import Record

_MODELS = "rw-degrees,aw,rw,rw+aw,joint,induced"
_CAPTIONS = {
    "nested": "Everything is chosen and fitted on the training part of each fold.",
    "paper": "Chosen on the TEST folds, as in the literature: for comparison only.",
    "nodes": "Of nodes, ten random splits; C is chosen on a fifth of those that train.",
}


class Protocol(Enum):
    """How models are chosen."""

    nested = "nested"
    paper = "paper"


class MapBy(Enum):
    """How rows become points of the plane."""

    pca = "pca"
    tsne = "tsne"


class Folds(Enum):
    """Which graphs are tested together."""

    stratified = "stratified"
    published = "published"


def evaluate(  # noqa: PLR0913, PLR0917 - one option each
    sets: Annotated[
        list[str] | None,
        typer.Argument(help="Names of sets, or files and folders of graphs with classes."),
    ] = None,
    models: Annotated[
        str, typer.Option(help="Names of models, with commas; 'all' for all of them.")
    ] = _MODELS,
    protocol: Annotated[
        Protocol, typer.Option(help="Honest, or that of the literature.")
    ] = Protocol.nested,
    folds: Annotated[
        Folds, typer.Option(help="By class, or those of the literature.")
    ] = Folds.stratified,
    repeats: Annotated[
        int | None,
        typer.Option(help="Repeats, with other seeds; default: 1, of nodes 10 splits."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first repeat.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; -1: all cores.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File of records (JSON lines); what it holds is not run again."),
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(help="Lines graph,class for a path; default: labels.csv in it."),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="accuracy, balanced_accuracy, roc_auc, macro_f1, micro_f1.")
    ] = "accuracy",
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the table, .png or .svg.")
    ] = None,
    rows_map: Annotated[
        Path | None,
        typer.Option("--map", help="Picture of all rows of one set, by class."),
    ] = None,
    map_by: Annotated[
        MapBy, typer.Option(help="How rows become points of the map.")
    ] = MapBy.pca,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on sets of graphs by ten folds, and print a table.

    Sets whose nodes have classes are split at random, with 30 and 70 percent for training.
    Without sets, those that need no download are evaluated.
    Graphs of one's own: a folder in TU format, or one of files and a labels.csv.

    Example: gskn evaluate MUTAG PTC --models rw+aw,gskn --out runs.jsonl --plot runs.png
    """
    from gskn.cli._tables import show
    from gskn.evaluation import ResultFile
    from gskn.evaluation.plots import check_picture

    for picture in (plot, rows_map):
        if picture is not None:
            check_picture(picture)
    names = _model_names(models)
    loaded = _load(sets, classes, data_home)
    if rows_map is not None and (len(loaded) > 1 or loaded[0].y.ndim > 1):
        raise typer.BadParameter("is for one set with one class each.", param_hint="--map")
    _check_metric(metric, loaded)
    options = {"seed": seed, "n_jobs": jobs, "results": ResultFile(out) if out else None}
    graph_options = {"protocol": protocol.value, "folds": folds.value}
    found = _run(loaded, names, repeats, options, graph_options)
    rows = [_row(name, records, metric) for name, records in found.items()]
    if as_json:
        rows = [summary for row in rows for summary in _flat(row)]
    else:
        rows = [_texts(row) for row in rows]
    tasks = {data.task for data in loaded}
    kinds = [protocol.value] * ("graph" in tasks) + ["nodes"] * ("node" in tasks)
    title = f"{metric.replace('_', ' ')} in percent, {' and '.join(kinds)} protocol"
    captions = [_CAPTIONS[kind] for kind in kinds]
    spread = "± is the standard deviation over folds or splits."
    show(rows, title=title, as_json=as_json, caption=" ".join([*captions, spread]))
    if plot is not None:
        _draw(loaded, found, metric, plot)
    if rows_map is not None:
        _draw_map(loaded[0], map_by.value, seed, jobs, rows_map)


def _run(
    loaded: list["Dataset"],
    models: list[str],
    repeats: int | None,
    options: dict[str, Any],
    graph_options: dict[str, Any],
) -> dict[str, list["Record"]]:
    """Run all sets with a progress bar; return records by row of the table."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from gskn.evaluation import evaluate as evaluate_graphs
    from gskn.evaluation import evaluate_nodes

    console = Console(stderr=True)
    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    # Folds or splits of a repeat, and repeats.
    sizes = {"graph": (10, repeats or 1), "node": (2, repeats or 10)}
    total = sum(len(models) * prod(sizes[data.task]) for data in loaded)
    found: dict[str, list[Record]] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("folds", total=total)
        for data in loaded:
            bar.update(task, description=data.name)
            own = {**options, "advance": lambda: bar.advance(task)}
            own["repeats"] = sizes[data.task][1]
            if data.task == "node":
                records = evaluate_nodes(data, models, **own)
            else:
                records = evaluate_graphs(data, models, **own, **graph_options)
            for record in records:
                found.setdefault(_row_name(record), []).append(record)
    return found


def _row_name(record: "Record") -> str:
    """Return the set, and of sets of nodes the share that trains."""
    kind, _, share = record.protocol.partition("-")
    return f"{record.data} {share}%" if kind == "nodes" else record.data


def _check_metric(metric: str, loaded: list["Dataset"]) -> None:
    """Refuse a metric that there is not before the run, not after it."""
    from gskn.evaluation import GRAPH_METRICS, NODE_METRICS
    from gskn.exceptions import InputError

    for data in loaded:
        known = NODE_METRICS if data.task == "node" else GRAPH_METRICS
        if metric not in known:
            raise InputError(
                f"There is no metric {metric!r} for {data.name}; known are "
                f"{', '.join(known)}."
            )


def _model_names(models: str) -> list[str]:
    from gskn.evaluation import MODELS

    return list(MODELS) if models == "all" else [name.strip() for name in models.split(",")]


def _load(
    names: list[str] | None, classes: Path | None, data_home: Path | None
) -> list["Dataset"]:
    from gskn import datasets

    names = names or built_in_sets(data_home)
    paths = [as_path(name) for name in names]
    if classes is not None and (len(paths) > 1 or paths[0] is None):
        raise typer.BadParameter("is for one file or folder.", param_hint="--classes")
    return [
        datasets.load(name, data_home) if path is None else datasets.read(path, classes)
        for name, path in zip(names, paths, strict=True)
    ]


def _row(name: str, records: list["Record"], metric: str) -> dict[str, Any]:
    """Return the summary of every model on one set."""
    from gskn.evaluation import summarize_records

    (summaries,) = summarize_records(records, metric).values()
    return {"data": name, **summaries}


def _draw(
    loaded: list["Dataset"], found: dict[str, list["Record"]], metric: str, path: Path
) -> None:
    """Draw the table, with the share of the largest class where it says something."""
    from dataclasses import replace

    import numpy as np

    from gskn.evaluation import plot_scores, save_figure

    chance = None
    if metric == "accuracy":
        flat = {data.name: data.y for data in loaded if data.task == "graph"}
        counts = {name: np.unique(y, return_counts=True)[1] for name, y in flat.items()}
        chance = {name: float(count.max() / count.sum()) for name, count in counts.items()}
    # One figure for all: rows of the table are its panels.
    protocols = {
        r.protocol.partition("-")[0] for records in found.values() for r in records
    }
    protocol = " and ".join(sorted(protocols))
    records = [
        replace(record, data=name, protocol=protocol)
        for name, records in found.items()
        for record in records
    ]
    save_figure(plot_scores(records, metric=metric, chance=chance), path)


def _draw_map(
    data: "Dataset", method: Any, seed: int, jobs: int | None, path: Path
) -> None:
    """Draw the rows of a set, with the defaults of `GSKN`, coloured by class."""
    from gskn import GSKN
    from gskn.evaluation import plot_embedding, save_figure

    model = GSKN(random_state=seed, n_jobs=jobs).fit(data.graphs)
    by_graph = data.task == "graph"
    rows = model.transform(data.graphs) if by_graph else model.transform_nodes(data.graphs)
    title = f"Rows of the {'graphs' if by_graph else 'nodes'} of {data.name}"
    save_figure(plot_embedding(rows, data.y, method=method, title=title, seed=seed), path)


def _texts(row: dict[str, Any]) -> dict[str, str]:
    return {
        key: value
        if key == "data"
        else f"{100 * value.mean:.1f} ± {100 * (value.std_folds or value.std_repeats):.1f}"
        for key, value in row.items()
    }


def _flat(row: dict[str, Any]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [
        {"data": row["data"], "model": model, **asdict(value)}
        for model, value in row.items()
        if model != "data"
    ]
