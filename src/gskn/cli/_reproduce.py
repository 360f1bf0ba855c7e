"""``gskn reproduce``: run the experiments of the paper."""

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
        typer.Argument(help="Experiments, tables or figures, for example table4; or all."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="All models and repeats, or the main models once."
        ),
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Folder for records and figures; reused to resume runs.")
    ] = Path("reproduction"),
    jobs: Annotated[
        int | None, typer.Option(help="Threads; -1: all cores, -2: all but one.")
    ] = -1,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments and compare the results.

    Without names, the experiments are listed. An interrupted run can be resumed.

    Example: gskn reproduce structure table3 --quick
    """
    from gskn._validation import check_n_jobs
    from gskn.cli._tables import show
    from gskn.reproduce import EXPERIMENTS, find_experiment

    if not names:
        rows = [
            {
                "name": experiment.name,
                "paper": experiment.paper,
                "title": experiment.title,
                "figure": bool(experiment.figure),
            }
            for experiment in EXPERIMENTS.values()
        ]
        show(rows, title="Experiments of the paper", as_json=as_json)
        return
    if names == ["all"]:
        names = list(EXPERIMENTS)
    experiments = list(dict.fromkeys(map(find_experiment, names)))
    check_n_jobs(jobs)
    can_draw = _check_outputs(experiments, out)
    missing = _find_missing(experiments, data_home, quick=not full)
    tables = []
    for experiment in experiments:
        records = _run(experiment, out, jobs, data_home, missing, quick=not full)
        if not records:
            continue
        rows = experiment.rows(records)
        tables += [{"experiment": experiment.name, **row} for row in rows]
        if not as_json:
            title = f"{experiment.title} ({experiment.paper})".removesuffix(" ()")
            show(rows, title=title, as_json=False, caption=experiment.caption_of(rows))
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
    except MissingExtraError as error:  # tables do not need matplotlib
        warnings.warn(f"No figures: {error}", GsknWarning, stacklevel=1)
        return False
    return True


def _find_missing(
    experiments: list["Experiment"], data_home: Path | None, *, quick: bool
) -> frozenset[str]:
    """Download data sets; warn about those that are not available, or raise if all are."""
    import warnings

    from gskn import datasets
    from gskn.exceptions import DatasetNotFoundError, GsknWarning

    names = dict.fromkeys(n for experiment in experiments for n in experiment.sets(quick))
    home = datasets.data_home(data_home)
    errors = {}
    for name in names:
        info = datasets.find_set(name)
        if info.generate is None and datasets.find_files(info, home) is None:
            try:
                datasets.load(name, data_home)
            except DatasetNotFoundError as error:
                errors[name] = error
    if not errors:
        return frozenset()
    first = next(iter(errors.values()))
    if all(set(experiment.sets(quick)) <= set(errors) for experiment in experiments):
        raise first
    left_out = [e.name for e in experiments if set(e.sets(quick)) <= set(errors)]
    remark = f" No results for {', '.join(left_out)}." if left_out else ""
    warnings.warn(
        f"These data sets are missing and left out: {', '.join(errors)}.{remark} {first}",
        GsknWarning,
        stacklevel=1,
    )
    return frozenset(errors)


def _figure_path(experiment: "Experiment", out: Path) -> Path:
    return out / f"{experiment.name}.png"


def _run(
    experiment: "Experiment",
    out: Path,
    jobs: int | None,
    data_home: Path | None,
    missing: frozenset[str],
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
    # Folds in the record file take no time, and the speed estimate must not use them.
    with progress(*columns, seconds=120) as bar:
        task = bar.add_task(experiment.name, total=experiment.cost(quick))
        runner = Runner(
            data_home,
            jobs,
            ResultFile(out / "records.jsonl"),
            lambda cost: bar.advance(task, cost),
            missing,
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
