import threading
import time

from rich.progress import Progress
from typer.testing import CliRunner

from gskn import datasets
from gskn.cli import _console, app
from gskn.cli._console import describe_progress, print_message, progress, waiting
from gskn.cli._model import counting


def test_flags_have_no_type_in_the_help():
    for command in ([], ["evaluate"], ["reproduce"]):
        result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"})
        assert "<bool>" not in result.stdout
        assert "--help" in result.stdout


def test_progress_is_described_in_one_line():
    bar = Progress(disable=True)
    assert describe_progress(bar) == "working"
    task = bar.add_task("MUTAG \\[x]", total=4)
    bar.advance(task)
    assert describe_progress(bar).startswith("MUTAG [x] 25% after 0:")
    task = bar.add_task("reading", total=None)
    bar.advance(task, 1500)
    assert describe_progress(bar).startswith("reading 1,500 graphs after 0:")


def test_progress_is_reported_if_stderr_is_not_a_terminal(monkeypatch):
    lines, reported = [], threading.Event()

    def collect(text, *, stderr):
        assert stderr
        lines.append(text)
        reported.set()

    monkeypatch.setenv("GSKN_PROGRESS_SECONDS", "0.001")
    monkeypatch.setattr(_console, "echo", collect)
    with waiting("reading"):
        assert reported.wait(60)
    assert lines[-1].startswith(("reading", "working"))
    n_lines = len(lines)
    with progress(shown=False):
        pass
    assert len(lines) == n_lines


def test_message_is_one_line_in_a_file(capsys):
    print_message("[yellow]warning:[/]", "long [text] " * 30)
    assert capsys.readouterr().err == f"warning: {'long [text] ' * 30}\n"


def test_invalid_interval_is_ignored(monkeypatch):
    for value, seconds in (("x", 60), ("-1", 60), ("nan", 60), ("5", 5), ("inf", 1e6)):
        monkeypatch.setenv("GSKN_PROGRESS_SECONDS", value)
        assert _console._report_seconds() == seconds
    monkeypatch.delenv("GSKN_PROGRESS_SECONDS")
    assert _console._report_seconds() == 60


def test_a_fit_is_not_finished_when_it_has_read_all_graphs(capsys, monkeypatch):
    monkeypatch.setenv("GSKN_PROGRESS_SECONDS", "0.01")
    graphs = datasets.regular(n_per_class=2).graphs
    lines = []
    with counting() as count:
        assert sum(chunk.n_graphs for chunk in count("fitting", [graphs])) == 4
        capsys.readouterr()
        for _ in range(6000):  # a line may have been started before
            if len(lines) < 2:
                time.sleep(0.01)
                lines += capsys.readouterr().err.splitlines()
    assert lines[1].startswith("fitting 4 graphs after")
