"""``gskn reproduce``: tables and figures of the paper, ours beside theirs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gskn.cli._options import AsJson, DataHome

if TYPE_CHECKING:
    from gskn.evaluation import Record
    from gskn.reproduce import Experiment


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of experiments, or 'table4', 'figure5', 'all'."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="All repeats and models, or one repeat of the main ones."
        ),
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Folder of records and figures; runs resume from it.")
    ] = Path("reproduction"),
    jobs: Annotated[int | None, typer.Option(help="Threads; default: all cores.")] = -1,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Run tables and figures of the paper, and print ours beside theirs.

    Without names, they are listed. A run that was stopped goes on where it was.

    Example: gskn reproduce structure table3 --quick
    """
    from gskn._files import check_output
    from gskn.cli._tables import show
    from gskn.reproduce import EXPERIMENTS, find_experiment

    if not names:
        rows = [
            {"name": e.name, "paper": e.paper, "what": e.title, "figure": bool(e.figure)}
            for e in EXPERIMENTS.values()
        ]
        show(rows, title="Experiments of the paper", as_json=as_json)
        return
    chosen = EXPERIMENTS.values() if names == ["all"] else map(find_experiment, names)
    check_output(out / "records.jsonl")
    tables = []
    for experiment in list(dict.fromkeys(chosen)):
        records = _run(experiment, out, jobs, data_home, quick=not full)
        rows = experiment.rows(records)
        tables += [{"experiment": experiment.name, **row} for row in rows]
        if not as_json:
            title = f"{experiment.title} ({experiment.paper})".removesuffix(" ()")
            show(rows, title=title, as_json=False, caption=experiment.caption)
        _draw(experiment, records, out)
    if as_json:
        show(tables, title="", as_json=True)


def _run(
    experiment: "Experiment",
    out: Path,
    jobs: int | None,
    data_home: Path | None,
    *,
    quick: bool,
) -> list["Record"]:
    """Run an experiment with a bar that weighs folds by how long they take."""
    from rich.console import Console
    from rich.progress import Progress, TaskProgressColumn, TimeRemainingColumn

    from gskn.evaluation import ResultFile
    from gskn.reproduce import Runner

    console = Console(stderr=True)
    columns = (
        *Progress.get_default_columns()[:2],
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(
        *columns,
        console=console,
        disable=not console.is_terminal,
        speed_estimate_period=120,  # what was on file is soon forgotten
    ) as bar:
        task = bar.add_task(experiment.name, total=experiment.cost(quick))
        runner = Runner(
            data_home,
            jobs,
            ResultFile(out / "records.jsonl"),
            lambda cost: bar.advance(task, cost),
        )
        records = experiment.run(runner, quick)
        return records + runner.also(records)


def _draw(experiment: "Experiment", records: list["Record"], out: Path) -> None:
    from gskn.evaluation import save_figure
    from gskn.exceptions import MissingExtraError

    if experiment.figure is None:
        return
    path = out / f"{experiment.name}.png"
    try:
        figure = experiment.figure(records)
        if figure is not None:
            save_figure(figure, path)
            typer.echo(f"Figure: {path}", err=True)
    except MissingExtraError as error:  # the table is printed, and nothing is lost
        typer.echo(f"No figure: {error}", err=True)
