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
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on sets of graphs by ten folds, and print a table.

    Without sets, those that need no download are evaluated.
    Graphs of one's own: a folder in TU format, or one of files and a labels.csv.

    Example: gskn evaluate MUTAG PTC --models rw+aw,gskn --repeats 3 --out runs.jsonl
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from gskn.cli._tables import show
    from gskn.evaluation import ResultFile
    from gskn.evaluation import evaluate as run

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
    rows = [_row(name, records, names, metric) for name, records in found.items()]
    if as_json:
        rows = [summary for row in rows for summary in _flat(row)]
    else:
        rows = [_texts(row) for row in rows]
    title = f"{metric.replace('_', ' ')} in percent, {protocol.value} protocol"
    spread = "± is the standard deviation over folds."
    show(
        rows, title=title, as_json=as_json, caption=f"{_CAPTIONS[protocol.value]} {spread}"
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


def _row(
    name: str, records: list["Record"], models: list[str], metric: str
) -> dict[str, Any]:
    """Return the summary of every model on one set."""
    from gskn.evaluation import summarize
    from gskn.exceptions import InputError

    row: dict[str, Any] = {"data": name}
    for model in models:
        own = [record for record in records if record.model == model]
        if metric not in own[0].scores:
            known = ", ".join(own[0].scores)
            raise InputError(f"There is no metric {metric!r}; known are {known}.")
        n_repeats = 1 + max(record.repeat for record in own)
        by_repeat = [
            [r.scores[metric] for r in own if r.repeat == n] for n in range(n_repeats)
        ]
        row[model] = summarize(by_repeat)
    return row


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
