"""``gskn evaluate``: evaluate models on data sets."""

import warnings
from enum import Enum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._evaluate_figures import draw_map, embed_models, score_figure
from gskn.cli._evaluate_report import check_report, write_report
from gskn.cli._evaluate_table import Results, show_results
from gskn.cli._options import (
    AsJson,
    Classes,
    DataHome,
    Jobs,
    Rejects,
    TargetColumn,
    Task,
    TaskOption,
    as_path,
    built_in_sets,
    check_not_input,
    is_same_file,
    read_labelled,
)

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.evaluation import Model, Record

_ABLATIONS = "rw-degrees, aw, rw, rw+aw, joint, induced"
_NODE_MODELS = "nodes, rw+aw-64"


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
    scaffold = "scaffold"


def evaluate(  # noqa: PLR0913, PLR0917 - one option each
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Data sets, or files and folders of graphs with classes or values."
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Comma-separated names from gskn models, or all. Default: gskn, "
            f"{_ABLATIONS}; for nodes {_NODE_MODELS}.",
        ),
    ] = None,
    protocol: Annotated[
        Protocol,
        typer.Option(help="Select parameters on training folds, or on test folds."),
    ] = Protocol.nested,
    folds: Annotated[
        Folds,
        typer.Option(
            metavar="NAME",
            help="stratified (by class), published (folds of the literature) or scaffold "
            "(Murcko).",
        ),
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
    classes: Classes = None,
    target_column: TargetColumn = None,
    node_classes: Annotated[
        Path | None,
        typer.Option(help="File with lines node,class for the nodes of one graph."),
    ] = None,
    task: TaskOption = Task.auto,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="accuracy, balanced_accuracy, roc_auc, macro_f1, micro_f1; for values "
            "rmse, mae, r2. Default: accuracy or rmse.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the table to a .png or .svg file.")
    ] = None,
    map_file: Annotated[
        Path | None,
        typer.Option(
            "--map", help="Plot the embeddings of one data set by class, a panel per model."
        ),
    ] = None,
    map_by: Annotated[MapBy, typer.Option(help="Projection for --map.")] = MapBy.pca,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write a page (.html): table, plot, map, confusion matrix and the most "
            "confident errors of one fold with explanations; one data set of graphs."
        ),
    ] = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on data sets by cross-validation.

    The table has one row per model; the first row is the most frequent class, or the mean
    value, of the training part. Graphs are split into ten folds. Nodes are split at random,
    with 30% or 70% for training.

    Without data sets, those that need no download are evaluated. Your own graphs: a folder
    in TU format, or a folder of files with a labels.csv. Your own nodes: gskn evaluate
    edges.csv --node-classes nodes.csv

    Example: gskn evaluate MUTAG PTC --models rw+aw,gskn --out runs.jsonl
    """
    from gskn._validation import check_n_jobs
    from gskn.evaluation import ResultFile, check_seed, find_models, save_figure, split

    # Check everything before the first fold: a run can take hours.
    check_seed(seed, max(1, repeats or 1))
    check_n_jobs(jobs)
    _check_outputs(data or [], [classes, node_classes], out, plot, map_file, report)
    find_models([] if models in {None, "all"} else _split_names(models or ""))
    loaded = _load(data, classes, node_classes, data_home, task.value, target_column)
    titles = _titles(data, loaded)
    names = {dataset.name: _model_names(models, dataset) for dataset in loaded}
    metrics = {dataset.name: metric or _default_metric(dataset) for dataset in loaded}
    _check_sets(loaded, protocol.value, folds.value, metrics, titles)
    _check_pages(loaded, metrics, plot, report)
    mapped = _mapped_models(models, loaded) if map_file is not None else []
    n_folds = {
        dataset.name: len(split(dataset, folds.value, seed))
        for dataset in loaded
        if dataset.task == "graph"
    }
    options = {"seed": seed, "n_jobs": jobs, "results": ResultFile(out) if out else None}
    protocol_options = {"protocol": protocol.value, "folds": folds.value}
    records = _run(loaded, names, repeats, options, protocol_options, n_folds, titles)
    results = Results(loaded, titles, names, metrics, n_folds, records)
    show_results(results, as_json=as_json)
    if plot is not None:
        save_figure(score_figure(results), plot)
    if map_file is not None:
        embeddings = embed_models(mapped, loaded[0], records, seed, jobs)
        name = titles[loaded[0].name]
        draw_map(loaded[0], embeddings, map_by.value, seed, map_file, name)
    if report is not None:
        write_report(report, results, folds.value, seed, jobs)
    _name_outputs({"Records": out, "Plot": plot, "Map": map_file, "Report": report})


def _name_outputs(outputs: dict[str, Path | None]) -> None:
    """Print the files that were written."""
    from gskn.cli._console import echo

    for kind, path in outputs.items():
        if path is not None:
            echo(f"{kind}: {path}", stderr=True)


def _check_pages(
    loaded: list["Dataset"],
    metrics: dict[str, str],
    plot: Path | None,
    report: Path | None,
) -> None:
    """Raise if the data sets do not fit into one plot or report."""
    if plot is not None and len(set(metrics.values())) > 1:
        raise typer.BadParameter(
            "needs data sets with one metric; plot classes and values separately.",
            param_hint="--plot",
        )
    if report is not None and [data.task for data in loaded] != ["graph"]:
        raise typer.BadParameter(
            "needs exactly one data set of graphs.", param_hint="--report"
        )


def _check_outputs(
    data: list[str],
    inputs: list[Path | None],
    out: Path | None,
    plot: Path | None,
    map_file: Path | None,
    report: Path | None,
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
    check_report(report)
    outputs = [path for path in (out, plot, map_file, report) if path is not None]
    for first, second in combinations([*outputs, *filter(None, inputs)], 2):
        if is_same_file(first, second):
            raise InputError(f"{str(second)!r} is used twice; write to another file.")
    for output in outputs:
        for name in data:
            check_not_input(output, name)
    if out is not None:
        ResultFile(out).check()


def _titles(names: list[str] | None, loaded: list["Dataset"]) -> dict[str, str]:
    """Return the names of the data sets as they were typed."""
    typed = names or [data.name for data in loaded]
    return {data.name: name for data, name in zip(loaded, typed, strict=True)}


def _mapped_models(models: str | None, loaded: list["Dataset"]) -> list["Model"]:
    """Return the models for a map; raise unless it can be drawn."""
    import numpy as np

    from gskn.evaluation import find_models
    from gskn.evaluation.plots import point_styles

    if len(loaded) > 1 or loaded[0].y.ndim > 1 or loaded[0].targets == "values":
        raise typer.BadParameter(
            "needs exactly one data set, with one class for each graph or node.",
            param_hint="--map",
        )
    point_styles([str(value) for value in np.unique(loaded[0].y)], "classes")
    names = ["gskn"] if models in {None, "all"} else _split_names(models or "")
    selected = [
        model
        for model in find_models(list(dict.fromkeys(names)))
        if not (model.predicts or model.gives_kernels)
        and (model.embeds_nodes or loaded[0].task == "graph")
    ]
    if not selected:
        raise typer.BadParameter(
            f"shows embeddings, and {', '.join(names)} gives none for the "
            f"{loaded[0].task}s; select another model.",
            param_hint="--map",
        )
    return selected


def _check_sets(
    loaded: list["Dataset"],
    protocol: str,
    folds: str,
    metrics: dict[str, str],
    titles: dict[str, str],
) -> None:
    """Raise if an option does not apply to the data sets."""
    from gskn.evaluation import GRAPH_METRICS, NODE_METRICS, VALUE_METRICS
    from gskn.exceptions import InputError

    for data in loaded:
        supported = NODE_METRICS if data.task == "node" else GRAPH_METRICS
        supported = VALUE_METRICS if data.targets == "values" else supported
        if metrics[data.name] not in supported:
            raise InputError(
                f"There is no metric {metrics[data.name]!r} for {titles[data.name]}. "
                f"Supported: {', '.join(supported)}."
            )
        if data.targets == "values" and protocol == "paper":
            raise InputError(
                f"{titles[data.name]} has real targets; --protocol paper needs classes, "
                "use nested."
            )
    only_nodes = {data.task for data in loaded} == {"node"}
    if only_nodes and (protocol, folds) != ("nested", "stratified"):
        raise typer.BadParameter(
            "need a data set with classes of graphs.", param_hint="--protocol and --folds"
        )


def _run(
    loaded: list["Dataset"],
    names: dict[str, list[str]],
    repeats: int | None,
    options: dict[str, Any],
    graph_options: dict[str, Any],
    n_folds: dict[str, int],
    titles: dict[str, str],
) -> list["Record"]:
    """Run all data sets with a progress bar and return the records."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from gskn.cli._console import as_description, progress
    from gskn.evaluation import constant_model, evaluate_nodes
    from gskn.evaluation import evaluate as evaluate_graphs
    from gskn.exceptions import InputError

    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    n_repeats = {"graph": 1, "node": 10}
    if repeats is not None:
        n_repeats = dict.fromkeys(n_repeats, repeats)
    total = sum(
        len(names[data.name]) * n_folds.get(data.name, 2) * n_repeats[data.task]
        for data in loaded
    )
    all_records: list[Record] = []
    with progress(*columns) as bar:
        task = bar.add_task("folds", total=total)
        for data in loaded:
            title = titles[data.name]
            bar.update(task, description=as_description(title))
            skipped: dict[str, str] = {}
            models = names[data.name]
            compared = [name for name in models if name != constant_model(data.targets)]
            data_options = {
                **options,
                "advance": lambda: bar.advance(task),
                "repeats": n_repeats[data.task],
                "skipped": skipped if len(compared) > 1 else None,
            }
            if data.task == "node":
                records = evaluate_nodes(data, models, **data_options)
            else:
                records = evaluate_graphs(data, models, **data_options, **graph_options)
            if compared and not any(record.model in compared for record in records):
                reason = skipped[compared[0]]
                raise InputError(f"No model supports {title}. {reason}")
            for model, reason in skipped.items():
                warnings.warn(f"Skipped {model} on {title}. {reason}", stacklevel=1)
            all_records += records
    return all_records


def _split_names(models: str) -> list[str]:
    return [name.strip() for name in models.split(",")]


def _model_names(models: str | None, data: "Dataset") -> list[str]:
    """Return the models for a data set; the one that ignores the graphs is the first."""
    from gskn.evaluation import MODELS, constant_model

    if models == "all":
        return [name for name in MODELS if MODELS[name].supports(data.targets)]
    if models is None:
        is_node = data.task == "node"
        names = _split_names(_NODE_MODELS if is_node else f"gskn, {_ABLATIONS}")
    else:
        names = _split_names(models)
    first = constant_model(data.targets)
    return names if first in names else [first, *names]


def _default_metric(data: "Dataset") -> str:
    return "rmse" if data.targets == "values" else "accuracy"


def _load(
    names: list[str] | None,
    classes: Path | None,
    node_classes: Path | None,
    data_home: Path | None,
    task: str,
    target_column: str | None,
) -> list["Dataset"]:
    if node_classes is not None:
        return [_load_nodes(names, classes, node_classes)]
    names = names or built_in_sets(data_home)
    paths = [as_path(name) for name in names]
    for option, value in (("--classes", classes), ("--target-column", target_column)):
        if value is not None and (len(paths) > 1 or paths[0] is None):
            raise typer.BadParameter(
                "needs exactly one file or folder of graphs.", param_hint=option
            )
    rejects = Rejects()
    loaded = [
        read_labelled(name, classes, data_home, task, target_column, rejects)
        for name in names
    ]
    rejects.report()
    return loaded


def _load_nodes(
    names: list[str] | None, classes: Path | None, node_classes: Path
) -> "Dataset":
    """Read one graph with classes of nodes."""
    from gskn import datasets

    path = as_path(names[0]) if names and len(names) == 1 else None
    if path is None or classes is not None:
        raise typer.BadParameter(
            "needs exactly one file with a graph, and no --classes.",
            param_hint="--node-classes",
        )
    return datasets.read_nodes(path, node_classes)
