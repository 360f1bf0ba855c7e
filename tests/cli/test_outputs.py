"""Every output is checked before the run."""

import os
import subprocess
import sys

import networkx as nx
import pytest

from gskn.cli import _reproduce
from gskn.exceptions import GsknWarning
from gskn.reproduce import EXPERIMENTS


@pytest.fixture
def folder(tmp_path):
    """Return a folder with invalid outputs, and labelled graphs in graphs/."""
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    for number in range(8):
        nx.write_graph6(nx.cycle_graph(4 + number), graphs / f"g{number}.g6")
    (graphs / "labels.csv").write_text("".join(f"g{n},{n % 2}\n" for n in range(8)))
    (tmp_path / "file").touch()
    (tmp_path / "damaged.jsonl").write_text("cake\n")
    for suffix in (".png", ".csv", ".jsonl", ".gskn"):
        (tmp_path / f"loop{suffix}").symlink_to(f"loop{suffix}")
        (tmp_path / f"folder{suffix}").mkdir()
    return tmp_path


INVALID = ["loop", "folder", "file/x", "x" * 300, "x/" * 3000 + "x"]


@pytest.mark.parametrize("name", INVALID)
@pytest.mark.parametrize(
    ("command", "suffix"),
    [
        (("evaluate", "graphs", "--models", "ldp", "--out"), ".jsonl"),
        (("evaluate", "graphs", "--models", "ldp", "--out", "r.jsonl", "--plot"), ".png"),
        (("evaluate", "graphs", "--models", "ldp", "--out", "r.jsonl", "--map"), ".png"),
        (("embed", "graphs", "-o"), ".csv"),
        (("fit", "graphs", "-o"), ".gskn"),
        (("train", "graphs", "-o"), ".gskn"),
        (("predict", "model.gskn", "graphs", "-o"), ".csv"),
    ],
)
def test_invalid_output_raises_before_the_run(
    folder, monkeypatch, call, command, suffix, name
):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    code, stdout, stderr = call(*command, f"{name}{suffix}")
    assert (code, stdout, stderr.count("\n")) == (1, "", 1)
    assert "cannot be written" in stderr or "is a folder" in stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["file", "file/x", "loop.csv", "x" * 300])
def test_invalid_results_folder_raises_before_the_run(folder, monkeypatch, call, name):
    monkeypatch.chdir(folder)
    code, stdout, stderr = call("reproduce", "regular", "--out", name)
    assert (code, stdout, stderr.count("\n")) == (1, "", 1)


def test_invalid_figure_of_results_raises_before_the_run(folder, call):
    (folder / "results" / "structure.png").mkdir(parents=True)
    code, stdout, stderr = call("reproduce", "structure", "--out", folder / "results")
    assert (code, stdout) == (1, "")
    assert "structure.png' is a folder" in stderr
    assert not (folder / "results" / "records.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "damaged.jsonl"), "damaged.jsonl, line 1: not a record"),
        (("--plot", "a.png", "--map", "a.png"), "'a.png' is used twice"),
        (("--plot", "a.png", "--out", "./a.png"), "'a.png' is used twice"),
        (("--classes", "c.csv", "--out", "c.csv"), "'c.csv' is used twice"),
        (("--seed", "4294967296"), "seed must be at most 4294967295"),
        (("--seed", "4294967295", "--repeats", "2"), "seed must be at most 4294967294"),
        (("--repeats", "1000000000000"), "repeats must be at most 10000"),
        (("--jobs", "0"), "n_jobs must be None, a number of threads, or negative"),
        (("--models", "ldp,gnn"), "no model 'gnn'"),
    ],
)
def test_invalid_options_raise_before_graphs_are_read(
    folder, monkeypatch, call, options, message
):
    monkeypatch.chdir(folder)
    (folder / "graphs" / "broken.g6").write_text("?!\n")  # reading it raises an error
    code, stdout, stderr = call("evaluate", "graphs", "--models", "ldp", *options)
    assert (code, stdout, stderr.count("\n")) == (1, "", 1)
    assert message in stderr


def test_map_of_too_many_classes_raises_before_the_run(tmp_path, call):
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    for number in range(146):
        nx.write_graph6(nx.path_graph(2), graphs / f"g{number}.g6")
    (graphs / "labels.csv").write_text("".join(f"g{n},{n // 2}\n" for n in range(146)))
    out = tmp_path / "runs.jsonl"
    options = ("--models", "ldp", "--out", out, "--map", tmp_path / "map.png")
    code, _, stderr = call("evaluate", graphs, *options)
    assert code == 1
    assert "at most 72 classes, got 73" in stderr
    assert not out.exists()


def test_missing_matplotlib_raises_before_the_run(tmp_path, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "runs.jsonl"
    options = ("--models", "ldp", "--out", out, "--plot", tmp_path / "a.png")
    code, _, stderr = call("evaluate", "regular", *options)
    assert code == 1
    assert "[plots]'" in stderr
    assert not out.exists()
    with pytest.warns(GsknWarning, match=r"No figures: .* install .*\[plots\]'"):
        assert not _reproduce._check_outputs([EXPERIMENTS["structure"]], tmp_path)


FULL_DISK = (
    "import resource, sys\n"
    "from gskn.cli import main\n"
    "size = int(sys.argv.pop())\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
    "main()\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_full_disk_leaves_records_unchanged(tmp_path):
    out = tmp_path / "runs.jsonl"
    out.write_bytes(b" " * 2**23 + b"\n")  # cached compiled loops are smaller
    before = out.read_bytes()
    options = ("regular", "--models", "ldp", "--out", str(out), str(len(before) + 100))
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, "evaluate", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"error: '{out}': {os.strerror(27)}\n"
    assert out.read_bytes() == before
