"""``gskn evaluate``: scores of models on data sets."""

import warnings
from collections.abc import Iterable
from enum import Enum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import (
    AsJson,
    DataHome,
    as_path,
    built_in_sets,
    check_not_input,
    is_same_file,
    reading,
)

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.evaluation import Record, Summary

_MODELS = "rw-degrees,aw,rw,rw+aw,joint,induced"
_CAPTIONS = {
    "nested": "Everything is chosen and fitted on the training part of each fold.",
    "paper": "Chosen on the TEST folds, as in the literature: for comparison only.",
    "nodes": "Of nodes, random splits; C is chosen on a fifth of those that train.",
}


class Protocol(Enum):
    """How parameters of models are selected."""

    nested = "nested"
    paper = "paper"


class MapBy(Enum):
    """How embeddings are projected to the plane."""

    pca = "pca"
    tsne = "tsne"


class Folds(Enum):
    """Where the folds come from."""

    stratified = "stratified"
    published = "published"


def evaluate(  # noqa: PLR0913, PLR0917 - one option each
    sets: Annotated[
        list[str] | None,
        typer.Argument(help="Names of sets, or files and folders of graphs with classes."),
    ] = None,
    models: Annotated[
        str, typer.Option(help="Names that gskn models lists, with commas; or 'all'.")
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
    from gskn._validation import check_n_jobs
    from gskn.evaluation import ResultFile, check_seed, find_models, split

    # Everything is checked before the first fold, not after hours of work.
    check_seed(seed, max(1, repeats or 1))
    check_n_jobs(jobs)
    _check_outputs(sets or [], classes, out, plot, rows_map)
    names = _model_names(models)
    find_models(names)
    loaded = _load(sets, classes, data_home)
    _check_sets(loaded, protocol.value, folds.value, metric)
    if rows_map is not None:
        _check_map(loaded)
    n_folds = {
        d.name: len(split(d, folds.value, seed)) for d in loaded if d.task == "graph"
    }
    options = {"seed": seed, "n_jobs": jobs, "results": ResultFile(out) if out else None}
    graph_options = {"protocol": protocol.value, "folds": folds.value}
    found = _run(loaded, names, repeats, options, graph_options, n_folds)
    _show(found, names, metric, n_folds, as_json=as_json)
    if plot is not None:
        _draw(loaded, found, metric, plot)
    if rows_map is not None:
        _draw_map(loaded[0], map_by.value, seed, jobs, rows_map)


def _check_outputs(
    sets: list[str],
    classes: Path | None,
    out: Path | None,
    plot: Path | None,
    rows_map: Path | None,
) -> None:
    """Raise if an output cannot be written, or is another output or an input."""
    from gskn._files import check_append
    from gskn.evaluation import ResultFile
    from gskn.evaluation.plots import check_figure_path
    from gskn.exceptions import InputError

    for picture in filter(None, (plot, rows_map)):
        check_figure_path(picture)
    if out is not None:
        check_append(out)
    outputs = [path for path in (out, plot, rows_map) if path is not None]
    for first, second in combinations([*outputs, *filter(None, [classes])], 2):
        if is_same_file(first, second):
            raise InputError(f"{str(second)!r} is given twice; write to another file.")
    for output in outputs:
        for name in sets:
            check_not_input(output, name)
    if out is not None:
        ResultFile(out).check()


def _check_map(loaded: list["Dataset"]) -> None:
    """Raise unless a map of the embeddings can be drawn."""
    import numpy as np

    from gskn.evaluation.plots import point_styles

    if len(loaded) > 1 or loaded[0].y.ndim > 1:
        raise typer.BadParameter(
            "needs exactly one data set, with one class for each graph or node.",
            param_hint="--map",
        )
    point_styles([str(value) for value in np.unique(loaded[0].y)], "classes")


def _check_sets(loaded: list["Dataset"], protocol: str, folds: str, metric: str) -> None:
    """Raise if an option does not apply to the data sets."""
    from gskn.evaluation import GRAPH_METRICS, NODE_METRICS
    from gskn.exceptions import InputError

    for data in loaded:
        known = NODE_METRICS if data.task == "node" else GRAPH_METRICS
        if metric not in known:
            raise InputError(
                f"There is no metric {metric!r} for {data.name}; known are "
                f"{', '.join(known)}."
            )
    only_nodes = {data.task for data in loaded} == {"node"}
    if only_nodes and (protocol, folds) != ("nested", "stratified"):
        raise typer.BadParameter(
            "need a data set with classes of graphs.", param_hint="--protocol and --folds"
        )


def _show(
    found: dict[str, list["Record"]],
    names: list[str],
    metric: str,
    n_folds: dict[str, int],
    *,
    as_json: bool,
) -> None:
    """Print the table with its caption."""
    from gskn.cli._tables import show
    from gskn.evaluation import MODELS

    rows = [_row(name, records, metric) for name, records in found.items()]
    models = [name for name in names if any(name in row for row in rows)]
    if as_json:
        show([flat for row in rows for flat in _flat(row)], title="", as_json=True)
        return
    kinds = {r.protocol.partition("-")[0]: "" for own in found.values() for r in own}
    captions = [_CAPTIONS[kind] for kind in kinds]
    everywhere = [name for name in models if MODELS[name].transductive]
    if everywhere and "nested" in kinds:
        listed = ", ".join(everywhere)
        captions.append(f"Fitted to all graphs, without their classes: {listed}.")
    captions.append("± is the standard deviation over folds or splits.")
    captions += [
        f"{name} has {n} folds, as many as its smallest class has graphs."
        for name, n in n_folds.items()
        if n < 10
    ]
    show(
        [_texts(row, models) for row in rows],
        title=f"{metric.replace('_', ' ')} in percent, {' and '.join(kinds)} protocol",
        as_json=False,
        caption=" ".join(captions),
    )


def _run(
    loaded: list["Dataset"],
    models: list[str],
    repeats: int | None,
    options: dict[str, Any],
    graph_options: dict[str, Any],
    n_folds: dict[str, int],
) -> dict[str, list["Record"]]:
    """Run all data sets with a progress bar; return records by row of the table."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from gskn.cli._console import as_description, progress
    from gskn.evaluation import evaluate as evaluate_graphs
    from gskn.evaluation import evaluate_nodes
    from gskn.exceptions import InputError

    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    n_repeats = {"graph": 1, "node": 10}
    if repeats is not None:
        n_repeats = dict.fromkeys(n_repeats, repeats)
    parts = [n_folds.get(data.name, 2) * n_repeats[data.task] for data in loaded]
    total = len(models) * sum(parts)
    found: dict[str, list[Record]] = {}
    with progress(*columns) as bar:
        task = bar.add_task("folds", total=total)
        for data in loaded:
            bar.update(task, description=as_description(data.name))
            own = {**options, "advance": lambda: bar.advance(task)}
            own["repeats"] = n_repeats[data.task]
            skipped: dict[str, str] = {}
            own["skipped"] = skipped if len(models) > 1 else None
            if data.task == "node":
                records = evaluate_nodes(data, models, **own)
            else:
                records = evaluate_graphs(data, models, **own, **graph_options)
            if not records:
                raise InputError(f"No model is for {data.name}. {skipped[models[0]]}")
            for model, reason in skipped.items():
                warnings.warn(f"{model} is left out on {data.name}. {reason}", stacklevel=1)
            for record in records:
                found.setdefault(_row_name(record), []).append(record)
    return found


def _row_name(record: "Record") -> str:
    """Return the data set, and for classes of nodes the percentage of training nodes."""
    kind, _, share = record.protocol.partition("-")
    return f"{record.data} {share}%" if kind == "nodes" else record.data


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
        raise typer.BadParameter(
            "needs exactly one file or folder of graphs.", param_hint="--classes"
        )
    loaded = []
    for name, path in zip(names, paths, strict=True):
        with reading(name, data_home):
            loaded.append(
                datasets.load(name, data_home)
                if path is None
                else datasets.read(path, classes)
            )
    return loaded


def _row(name: str, records: list["Record"], metric: str) -> dict[str, Any]:
    """Return the summary of every model on one set."""
    from gskn.evaluation import summarize_records

    (summaries,) = summarize_records(records, metric).values()
    return {"data": name, **summaries}


def _draw(
    loaded: list["Dataset"], found: dict[str, list["Record"]], metric: str, path: Path
) -> None:
    """Draw the table; accuracies with the share of the largest class."""
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
    """Draw the embeddings of a data set by the default `GSKN`, coloured by class."""
    from gskn import GSKN
    from gskn.cli._console import waiting
    from gskn.evaluation import plot_embedding, save_figure

    graphs, by_graph = data.graphs, data.task == "graph"
    title = f"Rows of the {'graphs' if by_graph else 'nodes'} of {data.name}"
    with waiting(f"drawing {path}"):
        model = GSKN(random_state=seed, n_jobs=jobs).fit(graphs)
        rows = model.transform(graphs) if by_graph else model.transform_nodes(graphs)
        figure = plot_embedding(rows, data.y, method=method, title=title, seed=seed)
        save_figure(figure, path)


def _texts(row: dict[str, Any], models: Iterable[str]) -> dict[str, str]:
    """Return the cells of a data set; that of a model that was left out is "-"."""
    cells = {model: _text(row[model]) if model in row else "-" for model in models}
    return {"data": row["data"], **cells}


def _text(found: "Summary") -> str:
    """Return a mean as text, with its spread if there is more than one number."""
    spread = found.std_folds or found.std_repeats
    return f"{100 * found.mean:.1f}" + (f" ± {100 * spread:.1f}" if found.n > 1 else "")


def _flat(row: dict[str, Any]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [
        {"data": row["data"], "model": model, **asdict(value)}
        for model, value in row.items()
        if model != "data"
    ]
