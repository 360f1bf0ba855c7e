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
    from matplotlib.figure import Figure

    from gskn._types import FloatArray
    from gskn.datasets import Dataset
    from gskn.evaluation import Model, Record, Summary

_ABLATIONS = "rw-degrees, aw, rw, rw+aw, joint, induced"
_NODE_MODELS = "nodes, rw+aw-64"
_METRICS = {
    "roc_auc": "ROC-AUC",
    "macro_f1": "macro F1",
    "micro_f1": "micro F1",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
_CAPTIONS = {
    "nested": "Parameters are selected and models fitted on the training folds.",
    "paper": "Parameters are selected on the TEST folds, as in the literature; for "
    "comparison only.",
    "nodes": "Nodes are split at random; everything is selected on a fifth of the training "
    "nodes.",
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
    run = _run(loaded, names, repeats, options, protocol_options, n_folds, titles)
    records = _by_row(run, titles)
    _show(loaded, records, names, metrics, n_folds, titles, as_json=as_json)
    if plot is not None:
        save_figure(_score_figure(loaded, records, metrics, titles), plot)
    if map_file is not None:
        embeddings = _embed_models(mapped, loaded[0], run, seed, jobs)
        _draw_map(loaded[0], embeddings, map_by.value, seed, map_file, titles)
    if report is not None:
        _write_report(
            report, loaded[0], records, metrics, names, titles, folds.value, seed, jobs
        )
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
    from gskn.cli._evaluate_report import check_report
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


def _show(
    loaded: list["Dataset"],
    records: dict[str, list["Record"]],
    names: dict[str, list[str]],
    metrics: dict[str, str],
    n_folds: dict[str, int],
    titles: dict[str, str],
    *,
    as_json: bool,
) -> None:
    """Print one table per metric: a row per model, a column per data set."""
    from gskn.cli._tables import show

    by_metric: dict[str, dict[str, dict[str, Summary]]] = {}
    for name, of_data in records.items():
        metric = metrics[of_data[0].data]
        by_metric.setdefault(metric, {})[name] = _summaries(of_data, metric)
    if as_json:
        cells = [
            cell
            for metric, columns in by_metric.items()
            for cell in _json_cells(columns, records, metric)
        ]
        show(cells, title="", as_json=True)
        return
    for metric, columns in by_metric.items():
        shown = [data for data in loaded if metrics[data.name] == metric]
        models = dict.fromkeys(name for data in shown for name in names[data.name])
        show(
            [_texts(model, columns, metric) for model in models if _is_run(model, columns)],
            title=f"{_describe_metric(metric)}, "
            f"{' and '.join(_protocols(records, columns))} protocol",
            as_json=False,
            caption=_caption(shown, records, columns, n_folds, titles),
        )


def _caption(
    loaded: list["Dataset"],
    records: dict[str, list["Record"]],
    columns: dict[str, dict[str, "Summary"]],
    n_folds: dict[str, int],
    titles: dict[str, str],
) -> str:
    """Return remarks on protocols, models, targets and folds of a table."""
    from gskn.evaluation import MODELS

    protocols = _protocols(records, columns)
    captions = [_CAPTIONS[protocol] for protocol in protocols]
    models = dict.fromkeys(model for column in columns.values() for model in column)
    transductive = [name for name in models if MODELS[name].transductive]
    if transductive and "nested" in protocols:
        listed = ", ".join(transductive)
        captions.append(f"Fitted to all graphs without their classes: {listed}.")
    captions.append("± is the standard deviation over folds or splits.")
    for data in loaded:
        n, has_values = n_folds.get(data.name, 10), data.targets == "values"
        title = titles[data.name]
        if has_values:
            captions.append(f"The targets of {title} are values (regression).")
        if n < 10:
            reason = "it" if has_values else "its smallest class"
            captions.append(f"{title} has {n} folds because {reason} has {n} graphs.")
    return " ".join(captions)


def _describe_metric(metric: str) -> str:
    """Return the name of a metric with its unit or direction."""
    from gskn.evaluation import VALUE_METRICS, is_error

    name = _METRICS.get(metric, metric.replace("_", " "))
    if metric in VALUE_METRICS:
        return f"{name} (lower is better)" if is_error(metric) else name
    return f"{name} in percent"


def _is_run(model: str, columns: dict[str, dict[str, "Summary"]]) -> bool:
    return any(model in column for column in columns.values())


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


def _protocols(records: dict[str, list["Record"]], names: Iterable[str]) -> list[str]:
    """Return the protocols of some records, without the percentage of training nodes."""
    protocols = (record.protocol for name in names for record in records[name])
    return list(dict.fromkeys(protocol.partition("-")[0] for protocol in protocols))


def _by_row(records: list["Record"], titles: dict[str, str]) -> dict[str, list["Record"]]:
    """Return the records of every column of the table, in their order."""
    by_row: dict[str, list[Record]] = {}
    for record in records:
        by_row.setdefault(_row_name(record, titles), []).append(record)
    return by_row


def _row_name(record: "Record", titles: dict[str, str]) -> str:
    """Return the data set, with the percentage of training nodes if there is one."""
    protocol, _, percentage = record.protocol.partition("-")
    title = titles[record.data]
    return f"{title} {percentage}%" if protocol == "nodes" else title


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


def _summaries(records: list["Record"], metric: str) -> dict[str, "Summary"]:
    """Return the summary of every model on one data set."""
    from gskn.evaluation import summarize_records

    (summaries,) = summarize_records(records, metric).values()
    return summaries


def _score_figure(
    loaded: list["Dataset"],
    records: dict[str, list["Record"]],
    metrics: dict[str, str],
    titles: dict[str, str],
) -> "Figure":
    """Plot the table; for accuracy, with the proportion of the largest class."""
    from dataclasses import replace

    import numpy as np

    from gskn.evaluation import plot_scores

    metric, chance = next(iter(metrics.values())), None
    if metric == "accuracy":
        classes = {titles[data.name]: data.y for data in loaded if data.task == "graph"}
        counts = {name: np.unique(y, return_counts=True)[1] for name, y in classes.items()}
        chance = {name: float(count.max() / count.sum()) for name, count in counts.items()}
    # One figure with one panel for each row of the table.
    protocol = " and ".join(sorted(_protocols(records, records)))
    panels = [
        replace(record, data=name, protocol=protocol)
        for name, of_data in records.items()
        for record in of_data
    ]
    return plot_scores(panels, metric=metric, chance=chance)


def _write_report(  # noqa: PLR0913, PLR0917
    path: Path,
    data: "Dataset",
    records: dict[str, list["Record"]],
    metrics: dict[str, str],
    names: dict[str, list[str]],
    titles: dict[str, str],
    folds: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Write the page of one data set."""
    import numpy as np

    from gskn import GSKN
    from gskn.cli._console import waiting
    from gskn.cli._evaluate_report import error_section, figure_section, write_report
    from gskn.evaluation import plot_embedding

    metric, title = metrics[data.name], titles[data.name]
    columns = {name: _summaries(listed, metric) for name, listed in records.items()}
    rows = [
        _texts(model, columns, metric)
        for model in names[data.name]
        if _is_run(model, columns)
    ]
    with waiting(f"writing {path}"):
        body = figure_section("Scores", _score_figure([data], records, metrics, titles))
        if data.targets == "classes":
            embeddings = np.asarray(
                GSKN(random_state=seed, n_jobs=jobs).fit_transform(data.graphs)
            )
            figure = plot_embedding({"gskn": embeddings}, data.y, title=title, seed=seed)
            body += figure_section(
                "Map of the graphs by embedding, colored by class", figure
            )
        body += error_section(data, folds, seed, jobs)
        write_report(
            path, f"Evaluation of {title}", [(_describe_metric(metric), rows)], body
        )


def _embed_models(
    models: list["Model"],
    data: "Dataset",
    records: list["Record"],
    seed: int,
    jobs: int | None,
) -> "dict[str, FloatArray]":
    """Return the embeddings of all graphs or nodes, with the most selected parameters."""
    from collections import Counter

    from gskn.cli._console import waiting
    from gskn.evaluation import as_json, make_estimator

    embeddings = {}
    for model in models:
        numbers: Counter[int] = Counter({0: 0})
        for record in records:
            chosen = record.chosen.get("embedding")
            numbers.update(
                number
                for number, params in enumerate(model.grid)
                if record.model == model.name and as_json(params) == chosen
            )
        params = model.grid[numbers.most_common(1)[0][0]]
        with waiting(f"embedding by {model.name}"):
            estimator = make_estimator(model.estimator, params, seed, jobs)
            graphs = data.graphs if model.uses_edges else data.graphs.without_edge_data()
            estimator.fit(graphs)
            is_graph = data.task == "graph"
            transform = estimator.transform if is_graph else estimator.transform_nodes
            embeddings[model.name] = transform(graphs)
    return embeddings


def _draw_map(
    data: "Dataset",
    embeddings: "dict[str, FloatArray]",
    method: Any,
    seed: int,
    path: Path,
    titles: dict[str, str],
) -> None:
    """Plot embeddings colored by class, one panel for each model."""
    from gskn.cli._console import waiting
    from gskn.evaluation import plot_embedding, save_figure

    title = f"{data.task.capitalize()} embeddings of {titles[data.name]}"
    y = data.y
    if data.labelled is not None:  # nodes without a class are not shown
        y = y[data.labelled]
        embeddings = {name: rows[data.labelled] for name, rows in embeddings.items()}
    with waiting(f"drawing {path}"):
        figure = plot_embedding(embeddings, y, method=method, title=title, seed=seed)
        save_figure(figure, path)


def _texts(
    model: str, columns: dict[str, dict[str, "Summary"]], metric: str
) -> dict[str, str]:
    """Return the cells of a model; "-" for a data set on which it was skipped."""
    cells = {
        name: _text(summaries[model], metric) if model in summaries else "-"
        for name, summaries in columns.items()
    }
    return {"model": model, **cells}


def _text(summary: "Summary", metric: str) -> str:
    """Return the mean, in percent for classes, with the deviation of several values."""
    from gskn.evaluation import VALUE_METRICS

    deviation = summary.std_folds or summary.std_repeats
    if metric in VALUE_METRICS:
        mean, spread = f"{summary.mean:.4g}", f"{deviation:.2g}"
    else:
        mean, spread = f"{100 * summary.mean:.1f}", f"{100 * deviation:.1f}"
    return f"{mean} ± {spread}" if summary.n > 1 else mean


def _json_cells(
    columns: dict[str, dict[str, "Summary"]],
    records: dict[str, list["Record"]],
    metric: str,
) -> list[dict[str, Any]]:
    """Return one summary per data set and model, with its provenance."""
    from dataclasses import asdict

    return [
        {
            "data": name,
            "model": model,
            "metric": metric,
            **asdict(summary),
            **_provenance([record for record in records[name] if record.model == model]),
        }
        for name, summaries in columns.items()
        for model, summary in summaries.items()
    ]


def _provenance(records: list["Record"]) -> dict[str, Any]:
    """Return protocol, seeds, total times and versions of the records of one model."""
    from collections import Counter

    seconds: Counter[str] = Counter()
    for record in records:
        seconds.update(record.seconds)
    return {
        "protocol": records[0].protocol,
        "seeds": sorted({record.seed for record in records}),
        "seconds": {step: round(spent, 3) for step, spent in seconds.items()},
        "versions": dict(records[-1].versions),
        "commit": records[-1].commit,
    }
