"""``gskn reproduce``: our results beside the tables and figures of the paper."""

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
        Path, typer.Option(help="Folder of records and figures; runs are resumed from it.")
    ] = Path("reproduction"),
    jobs: Annotated[int | None, typer.Option(help="Threads; default: all cores.")] = -1,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Run experiments of the paper, and print our results beside the printed numbers.

    Without names, the experiments are listed. An interrupted run is resumed.

    Example: gskn reproduce structure table3 --quick
    """
    from gskn._validation import check_n_jobs
    from gskn.cli._tables import show
    from gskn.reproduce import EXPERIMENTS, find_experiment

    if not names:
        rows = [
            {"name": e.name, "paper": e.paper, "title": e.title, "figure": bool(e.figure)}
            for e in EXPERIMENTS.values()
        ]
        show(rows, title="Experiments of the paper", as_json=as_json)
        return
    experiments = EXPERIMENTS.values() if names == ["all"] else map(find_experiment, names)
    selected = list(dict.fromkeys(experiments))
    check_n_jobs(jobs)
    can_draw = _check_outputs(selected, out)
    tables = []
    for experiment in selected:
        records = _run(experiment, out, jobs, data_home, quick=not full)
        rows = experiment.rows(records)
        tables += [{"experiment": experiment.name, **row} for row in rows]
        if not as_json:
            title = f"{experiment.title} ({experiment.paper})".removesuffix(" ()")
            show(rows, title=title, as_json=False, caption=experiment.caption)
        if can_draw:
            _draw(experiment, records, out)
    if as_json:
        show(tables, title="", as_json=True)


def _check_outputs(experiments: list["Experiment"], out: Path) -> bool:
    """Raise if a file cannot be written; return whether figures can be drawn."""
    import warnings

    from gskn._files import check_output
    from gskn.evaluation import ResultFile
    from gskn.evaluation.plots import check_figure_path
    from gskn.exceptions import GsknWarning, MissingExtraError

    check_output(out / "records.jsonl")
    ResultFile(out / "records.jsonl").check()
    try:
        for experiment in experiments:
            if experiment.figure is not None:
                check_figure_path(_figure_path(experiment, out))
    except MissingExtraError as error:  # the tables do not need it
        warnings.warn(f"No figures: {error}", GsknWarning, stacklevel=1)
        return False
    return True


def _figure_path(experiment: "Experiment", out: Path) -> Path:
    return out / f"{experiment.name}.png"


def _run(
    experiment: "Experiment",
    out: Path,
    jobs: int | None,
    data_home: Path | None,
    *,
    quick: bool,
) -> list["Record"]:
    """Run an experiment with a progress bar that weights folds by their duration."""
    from rich.progress import Progress, TaskProgressColumn, TimeRemainingColumn

    from gskn.cli._console import progress
    from gskn.evaluation import ResultFile
    from gskn.reproduce import Runner

    columns = (
        *Progress.get_default_columns()[:2],
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    # Folds in the result file take no time: the estimate of the speed must forget them.
    with progress(*columns, seconds=120) as bar:
        task = bar.add_task(experiment.name, total=experiment.cost(quick))
        runner = Runner(
            data_home,
            jobs,
            ResultFile(out / "records.jsonl"),
            lambda cost: bar.advance(task, cost),
        )
        records = experiment.run(runner, quick)
        return records + runner.stored(records)


def _draw(experiment: "Experiment", records: list["Record"], out: Path) -> None:
    from gskn.cli._console import echo, waiting
    from gskn.evaluation import save_figure

    if experiment.figure is None:
        return
    path = _figure_path(experiment, out)
    with waiting(f"drawing {path}"):
        figure = experiment.figure(records)
        if figure is not None:
            save_figure(figure, path)
    if figure is not None:
        echo(f"Figure: {path}", stderr=True)
