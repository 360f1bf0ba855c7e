"""``gskn evaluate``: how good the rows are, by model and data set."""

from enum import Enum
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
}


class Protocol(Enum):
    """How models are chosen."""

    nested = "nested"
    paper = "paper"


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
    repeats: Annotated[int, typer.Option(help="Repeats, with other seeds.")] = 1,
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
    metric: Annotated[str, typer.Option(help="Score that the table shows.")] = "accuracy",
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the table, .png or .svg.")
    ] = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on sets of graphs by ten folds, and print a table.

    Without sets, those that need no download are evaluated.
    Graphs of one's own: a folder in TU format, or one of files and a labels.csv.

    Example: gskn evaluate MUTAG PTC --models rw+aw,gskn --out runs.jsonl --plot runs.png
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from gskn.cli._tables import show
    from gskn.evaluation import ResultFile
    from gskn.evaluation import evaluate as run
    from gskn.evaluation.plots import check_picture

    if plot is not None:
        check_picture(plot)
    names = _model_names(models)
    loaded = _load(sets, classes, data_home)
    results = None if out is None else ResultFile(out)
    console = Console(stderr=True)
    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    found: dict[str, list[Record]] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("folds", total=10 * len(loaded) * len(names) * repeats)
        for data in loaded:
            bar.update(task, description=data.name)
            found[data.name] = run(
                data,
                names,
                protocol=protocol.value,
                folds=folds.value,
                repeats=repeats,
                seed=seed,
                n_jobs=jobs,
                results=results,
                advance=lambda: bar.advance(task),
            )
    rows = [_row(name, records, metric) for name, records in found.items()]
    if as_json:
        rows = [summary for row in rows for summary in _flat(row)]
    else:
        rows = [_texts(row) for row in rows]
    title = f"{metric.replace('_', ' ')} in percent, {protocol.value} protocol"
    spread = "± is the standard deviation over folds."
    show(
        rows, title=title, as_json=as_json, caption=f"{_CAPTIONS[protocol.value]} {spread}"
    )
    if plot is not None:
        _draw(loaded, found, metric, plot)


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

    return {"data": name, **summarize_records(records, metric)[name]}


def _draw(
    loaded: list["Dataset"], found: dict[str, list["Record"]], metric: str, path: Path
) -> None:
    """Draw the table, with the share of the largest class where it says something."""
    import numpy as np

    from gskn.evaluation import plot_scores, save_figure

    chance = None
    if metric == "accuracy":
        counts = {data.name: np.unique(data.y, return_counts=True)[1] for data in loaded}
        chance = {name: float(count.max() / count.sum()) for name, count in counts.items()}
    records = [record for records in found.values() for record in records]
    save_figure(plot_scores(records, metric=metric, chance=chance), path)


def _texts(row: dict[str, Any]) -> dict[str, str]:
    return {
        key: value
        if key == "data"
        else f"{100 * value.mean:.1f} ± {100 * value.std_folds:.1f}"
        for key, value in row.items()
    }


def _flat(row: dict[str, Any]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [
        {"data": row["data"], "model": model, **asdict(value)}
        for model, value in row.items()
        if model != "data"
    ]
