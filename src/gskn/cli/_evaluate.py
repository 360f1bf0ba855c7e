"""``gskn evaluate``: evaluate models on data sets."""

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
    Jobs,
    as_path,
    built_in_sets,
    check_not_input,
    is_same_file,
    read_labelled,
)

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.evaluation import Record, Summary

_MODELS = "rw-degrees, aw, rw, rw+aw, joint, induced"
_CAPTIONS = {
    "nested": "Parameters are selected and models fitted on the training folds.",
    "paper": "Parameters are selected on the TEST folds, as in the literature; for "
    "comparison only.",
    "nodes": "Nodes are split at random; C is selected on a fifth of the training nodes.",
}


class Protocol(Enum):
    """Where parameters are selected."""

    nested = "nested"
    paper = "paper"


class MapBy(Enum):
    """How embeddings are projected to two dimensions."""

    pca = "pca"
    tsne = "tsne"


class Folds(Enum):
    """Where the folds come from."""

    stratified = "stratified"
    published = "published"


def evaluate(  # noqa: PLR0913, PLR0917 - one option each
    data: Annotated[
        list[str] | None,
        typer.Argument(help="Data sets, or files and folders of graphs with classes."),
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            help=f"Comma-separated names from gskn models, or all. Default: {_MODELS}.",
            show_default=False,
        ),
    ] = _MODELS,
    protocol: Annotated[
        Protocol,
        typer.Option(help="Select parameters on training folds, or on test folds."),
    ] = Protocol.nested,
    folds: Annotated[
        Folds, typer.Option(help="Stratified by class, or folds of the literature.")
    ] = Folds.stratified,
    repeats: Annotated[
        int | None,
        typer.Option(help="Repeats with different seeds. Default: 1; for nodes 10."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first repeat.")] = 0,
    jobs: Jobs = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Record file (JSON lines); its folds are not run again."),
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(help="File with lines graph,class. Default: labels.csv."),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="accuracy, balanced_accuracy, roc_auc, macro_f1, micro_f1.")
    ] = "accuracy",
    plot: Annotated[
        Path | None, typer.Option(help="Plot the table to a .png or .svg file.")
    ] = None,
    map_file: Annotated[
        Path | None,
        typer.Option("--map", help="Plot the embeddings of one data set by class."),
    ] = None,
    map_by: Annotated[MapBy, typer.Option(help="Projection for --map.")] = MapBy.pca,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on data sets by ten-fold cross-validation and print a table.

    Data sets with classes of nodes are split at random, with 30% or 70% for training.
    Without data sets, those that need no download are evaluated.
    Your own graphs: a folder in TU format, or a folder of files with a labels.csv.

    Example: gskn evaluate MUTAG PTC --models rw+aw,gskn --out runs.jsonl
    """
    from gskn._validation import check_n_jobs
    from gskn.evaluation import ResultFile, check_seed, find_models, split

    # Check everything before the first fold: a run can take hours.
    check_seed(seed, max(1, repeats or 1))
    check_n_jobs(jobs)
    _check_outputs(data or [], classes, out, plot, map_file)
    names = _model_names(models)
    find_models(names)
    loaded = _load(data, classes, data_home)
    _check_sets(loaded, protocol.value, folds.value, metric)
    if map_file is not None:
        _check_map(loaded)
    n_folds = {
        dataset.name: len(split(dataset, folds.value, seed))
        for dataset in loaded
        if dataset.task == "graph"
    }
    options = {"seed": seed, "n_jobs": jobs, "results": ResultFile(out) if out else None}
    graph_options = {"protocol": protocol.value, "folds": folds.value}
    records = _run(loaded, names, repeats, options, graph_options, n_folds)
    _show(records, names, metric, n_folds, as_json=as_json)
    if plot is not None:
        _draw(loaded, records, metric, plot)
    if map_file is not None:
        _draw_map(loaded[0], map_by.value, seed, jobs, map_file)


def _check_outputs(
    data: list[str],
    classes: Path | None,
    out: Path | None,
    plot: Path | None,
    map_file: Path | None,
) -> None:
    """Raise if an output cannot be written, or is another output or an input."""
    from gskn._files import check_append
    from gskn.evaluation import ResultFile
    from gskn.evaluation.plots import check_figure_path
    from gskn.exceptions import InputError

    for picture in filter(None, (plot, map_file)):
        check_figure_path(picture)
    if out is not None:
        check_append(out)
    outputs = [path for path in (out, plot, map_file) if path is not None]
    for first, second in combinations([*outputs, *filter(None, [classes])], 2):
        if is_same_file(first, second):
            raise InputError(f"{str(second)!r} is used twice; write to another file.")
    for output in outputs:
        for name in data:
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
        metrics = NODE_METRICS if data.task == "node" else GRAPH_METRICS
        if metric not in metrics:
            raise InputError(
                f"There is no metric {metric!r} for {data.name}. Supported: "
                f"{', '.join(metrics)}."
            )
    only_nodes = {data.task for data in loaded} == {"node"}
    if only_nodes and (protocol, folds) != ("nested", "stratified"):
        raise typer.BadParameter(
            "need a data set with classes of graphs.", param_hint="--protocol and --folds"
        )


def _show(
    records: dict[str, list["Record"]],
    names: list[str],
    metric: str,
    n_folds: dict[str, int],
    *,
    as_json: bool,
) -> None:
    """Print the table with its caption."""
    from gskn.cli._tables import show
    from gskn.evaluation import MODELS

    rows = [_row(name, of_data, metric) for name, of_data in records.items()]
    models = [name for name in names if any(name in row for row in rows)]
    if as_json:
        show([cell for row in rows for cell in _json_cells(row)], title="", as_json=True)
        return
    protocols = _protocols(records)
    captions = [_CAPTIONS[protocol] for protocol in protocols]
    transductive = [name for name in models if MODELS[name].transductive]
    if transductive and "nested" in protocols:
        listed = ", ".join(transductive)
        captions.append(f"Fitted to all graphs without their classes: {listed}.")
    captions.append("± is the standard deviation over folds or splits.")
    captions += [
        f"{name} has {n} folds because its smallest class has {n} graphs."
        for name, n in n_folds.items()
        if n < 10
    ]
    show(
        [_texts(row, models) for row in rows],
        title=f"{metric.replace('_', ' ')} in percent, {' and '.join(protocols)} protocol",
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
    """Run all data sets with a progress bar; return the records by row of the table."""
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
    n_runs = [n_folds.get(data.name, 2) * n_repeats[data.task] for data in loaded]
    total = len(models) * sum(n_runs)
    by_row: dict[str, list[Record]] = {}
    with progress(*columns) as bar:
        task = bar.add_task("folds", total=total)
        for data in loaded:
            bar.update(task, description=as_description(data.name))
            skipped: dict[str, str] = {}
            data_options = {
                **options,
                "advance": lambda: bar.advance(task),
                "repeats": n_repeats[data.task],
                "skipped": skipped if len(models) > 1 else None,
            }
            if data.task == "node":
                records = evaluate_nodes(data, models, **data_options)
            else:
                records = evaluate_graphs(data, models, **data_options, **graph_options)
            if not records:
                reason = skipped[models[0]]
                raise InputError(f"No model supports {data.name}. {reason}")
            for model, reason in skipped.items():
                warnings.warn(f"Skipped {model} on {data.name}. {reason}", stacklevel=1)
            for record in records:
                by_row.setdefault(_row_name(record), []).append(record)
    return by_row


def _protocols(records: dict[str, list["Record"]]) -> list[str]:
    """Return the protocols of the records, without the percentage of training nodes."""
    protocols = (record.protocol for of_data in records.values() for record in of_data)
    return list(dict.fromkeys(protocol.partition("-")[0] for protocol in protocols))


def _row_name(record: "Record") -> str:
    """Return the data set, with the percentage of training nodes if there is one."""
    protocol, _, percentage = record.protocol.partition("-")
    return f"{record.data} {percentage}%" if protocol == "nodes" else record.data


def _model_names(models: str) -> list[str]:
    from gskn.evaluation import MODELS

    return list(MODELS) if models == "all" else [name.strip() for name in models.split(",")]


def _load(
    names: list[str] | None, classes: Path | None, data_home: Path | None
) -> list["Dataset"]:
    names = names or built_in_sets(data_home)
    paths = [as_path(name) for name in names]
    if classes is not None and (len(paths) > 1 or paths[0] is None):
        raise typer.BadParameter(
            "needs exactly one file or folder of graphs.", param_hint="--classes"
        )
    return [read_labelled(name, classes, data_home) for name in names]


def _row(name: str, records: list["Record"], metric: str) -> dict[str, Any]:
    """Return the summary of every model on one data set."""
    from gskn.evaluation import summarize_records

    (summaries,) = summarize_records(records, metric).values()
    return {"data": name, **summaries}


def _draw(
    loaded: list["Dataset"], records: dict[str, list["Record"]], metric: str, path: Path
) -> None:
    """Plot the table; for accuracy, with the proportion of the largest class."""
    from dataclasses import replace

    import numpy as np

    from gskn.evaluation import plot_scores, save_figure

    chance = None
    if metric == "accuracy":
        classes = {data.name: data.y for data in loaded if data.task == "graph"}
        counts = {name: np.unique(y, return_counts=True)[1] for name, y in classes.items()}
        chance = {name: float(count.max() / count.sum()) for name, count in counts.items()}
    # One figure with one panel for each row of the table.
    protocol = " and ".join(sorted(_protocols(records)))
    panels = [
        replace(record, data=name, protocol=protocol)
        for name, of_data in records.items()
        for record in of_data
    ]
    save_figure(plot_scores(panels, metric=metric, chance=chance), path)


def _draw_map(
    data: "Dataset", method: Any, seed: int, jobs: int | None, path: Path
) -> None:
    """Plot the embeddings of a data set by the default `GSKN`, colored by class."""
    from gskn import GSKN
    from gskn.cli._console import waiting
    from gskn.evaluation import plot_embedding, save_figure

    title = f"{data.task.capitalize()} embeddings of {data.name}"
    with waiting(f"drawing {path}"):
        model = GSKN(random_state=seed, n_jobs=jobs).fit(data.graphs)
        transform = model.transform if data.task == "graph" else model.transform_nodes
        embeddings = transform(data.graphs)
        figure = plot_embedding(embeddings, data.y, method=method, title=title, seed=seed)
        save_figure(figure, path)


def _texts(row: dict[str, Any], models: Iterable[str]) -> dict[str, str]:
    """Return the cells of a data set; "-" for a model that was skipped."""
    cells = {model: _text(row[model]) if model in row else "-" for model in models}
    return {"data": row["data"], **cells}


def _text(summary: "Summary") -> str:
    """Return the mean in percent, with the deviation of several values."""
    mean = f"{100 * summary.mean:.1f}"
    deviation = summary.std_folds or summary.std_repeats
    return f"{mean} ± {100 * deviation:.1f}" if summary.n > 1 else mean


def _json_cells(row: dict[str, Any]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [
        {"data": row["data"], "model": model, **asdict(value)}
        for model, value in row.items()
        if model != "data"
    ]
