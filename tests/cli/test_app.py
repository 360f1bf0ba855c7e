import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from gskn import datasets
from gskn.cli import app
from tests.cli.processes import run

COMMANDS = [command.callback.__name__ for command in app.registered_commands]


def test_version_and_help():
    assert run("--version").stdout.startswith("gskn 0.")
    text = " ".join(run("--help").stdout.split())
    assert "Example" in text
    assert "Exit codes: 0 success, 1 failure, 2 invalid arguments, 130 interrupted." in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(command):
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert f"Example: gskn {command}" in result.stdout
    assert "…" not in result.stdout  # nothing is cut at 80 columns


@pytest.mark.parametrize("command", COMMANDS)
def test_paragraphs_of_help_are_broken_by_the_terminal_only(command):
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "1000"})
    text, _, _ = result.stdout.partition("Example:")
    lines = [line for line in text.splitlines() if line.strip()][1:]
    assert lines
    assert all(line.strip().endswith((".", "nodes.csv")) for line in lines)


def test_commands_have_one_line_in_the_help_at_80_columns():
    lines = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout.splitlines()
    for name in COMMANDS:
        (line,) = [line for line in lines if line.startswith(f"│ {name} ")]
        assert line.rstrip("│ ").endswith(".")


def test_models_have_different_descriptions_at_80_columns():
    result = CliRunner().invoke(app, ["models"], env={"COLUMNS": "80"})
    rows = [line for line in result.stdout.splitlines() if line.startswith(" ")][3:-1]
    descriptions = [row[44:].strip() for row in rows]
    assert len({*descriptions}) == len(rows) > 50
    assert all(descriptions)


def test_details_of_a_model_say_whether_it_predicts_classes_of_nodes():
    result = CliRunner().invoke(app, ["models", "majority", "mean", "gin", "wl", "--json"])
    nodes = {row["name"]: row["nodes"] for row in json.loads(result.stdout)}
    assert nodes == {"majority": True, "mean": False, "gin": True, "wl": False}


def test_describe_has_one_column_per_input():
    result = CliRunner().invoke(
        app, ["describe", "regular", "MUTAG"], env={"COLUMNS": "50"}
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["name", "regular", "MUTAG"] in lines
    assert ["nodes", "2,000", "3,371"] in lines
    assert ["edge", "labels", "-", "4"] in lines


@pytest.mark.parametrize("command", ["datasets", "models", "reproduce"])
def test_list_is_one_table_at_80_columns(command):
    result = CliRunner().invoke(app, [command], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.strip().startswith("name ") for line in lines) == 1


def test_help_imports_no_large_packages():
    code = (
        "import sys, gskn, gskn.cli\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(gskn.cli.app, ['--help']).exit_code == 0\n"
        "heavy = {'numba', 'scipy', 'sklearn', 'numpy', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_wrong_use_is_exit_code_2(call):
    assert run("--bogus").returncode == 2
    for arguments in (["--bogus"], ["nothing"], ["datasets", "--data-home"]):
        assert call(*arguments).returncode == 2


def test_failure_is_exit_code_1_and_one_line():
    result = run("describe", "no-such-thing")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "no-such-thing" in result.stderr
    assert "Traceback" not in result.stderr


def test_datasets_lists_every_set(call):
    result = call("datasets")
    assert result.returncode == 0
    for name in datasets.names():
        assert f" {name} " in result.stdout
    rows = json.loads(call("datasets", "--json").stdout)
    assert [row["name"] for row in rows] == datasets.names()
    mutag = rows[0]
    assert mutag["on_disk"]
    assert mutag["path"].endswith("MUTAG.zip")
    assert (mutag["graphs"], mutag["nodes"], mutag["edges"]) == (188, 3371, 3721)
    assert rows[1]["path"] is None


def test_describe_without_arguments_needs_no_network(call):
    rows = json.loads(call("describe", "--json").stdout)
    assert [row["name"] for row in rows] == ["structure", "regular", "MUTAG"]
    assert rows[1]["components"] == 150
    assert rows[2]["labels"] == 7


def test_describe_reads_files(tmp_path, call):
    path = tmp_path / "[odd] name.g6"
    nx.write_graph6(nx.cycle_graph(5), path)
    result = call("describe", path)
    assert result.returncode == 0
    assert "[odd] name.g6" in result.stdout.replace("\n", "")
    (row,) = json.loads(call("describe", path, "--json").stdout)
    assert (row["nodes"], row["edges"], row["mean_degree"]) == (5, 5, 2)


def test_malformed_file_prints_one_line(tmp_path, call):
    (tmp_path / "x.g6").write_text("?!\n")
    result = call("describe", tmp_path / "x.g6")
    assert result.returncode == 1
    assert "x.g6, line 1" in result.stderr
    assert result.stderr.count("\n") == 1


def test_warning_prints_one_line(tmp_path):
    nx.write_graph6(nx.cycle_graph(5), tmp_path / "ring.g6")
    (tmp_path / "[note].md").touch()
    result = run("describe", tmp_path)
    assert result.returncode == 0
    assert result.stderr == (
        "warning: Skipped 1 file with an unsupported suffix: [note].md\n"
    )


def test_closed_pipe_prints_no_error():
    result = subprocess.run(
        f"'{sys.executable}' -m gskn datasets --json | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout == "["
    assert result.stderr == ""


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_numbers_are_complete_at_every_width(width):
    result = CliRunner().invoke(app, ["datasets"], env={"COLUMNS": str(width)})
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines()[:-1])) <= width
    for number in ("12,288,916", "PROTEINS_full", "43,471", "1,113"):
        assert number in result.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_prints_one_line():
    result = subprocess.run(
        f"'{sys.executable}' -m gskn datasets > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr


def test_name_too_long_for_a_file_prints_one_line(call):
    result = call("describe", "x" * 300)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_describe_accepts_sets_and_files(tmp_path):
    nx.write_graph6(nx.cycle_graph(5), tmp_path / "x.g6")
    result = CliRunner().invoke(
        app, ["describe", "regular", str(tmp_path / "x.g6"), "--json"]
    )
    assert [row["nodes"] for row in json.loads(result.stdout)] == [2000, 5]
    table = CliRunner().invoke(app, ["describe"], env={"COLUMNS": "200"})
    assert "structure" in table.stdout
    assert CliRunner().invoke(app, ["--version"]).exit_code == 0


def test_distinguish_draws_the_first_pattern_that_differs(tmp_path, call):
    result = call("distinguish", "--pair", "rings", "--plot", tmp_path / "rings.svg")
    assert result.returncode == 0
    text = " ".join(result.stdout.split())
    assert "walks 0-1-2-0, 0 in the first graph, 12 in the second" in text
    assert "0───1───2" in result.stdout
    assert "└───────┘" in result.stdout
    assert "two rings of 3: nodes 0, 1, 2, 3, 4, 5" in result.stdout
    drawing = (tmp_path / "rings.svg").read_text(encoding="utf-8")
    assert "one ring of 6" in drawing
    assert "walks 0-1-2-0: 0 and 12" in drawing


def test_distinguish_prints_json_of_all_methods(tmp_path, call):
    for name, graph in (("a", nx.cycle_graph(6)), ("b", nx.path_graph(6))):
        nx.write_graphml(graph, tmp_path / f"{name}.graphml")
    files = tmp_path / "a.graphml", tmp_path / "b.graphml"
    printed = json.loads(call("distinguish", *files, "--json", "--all").stdout)
    assert [row["distinguishes"] for row in printed["comparisons"]] == [True] * 8
    assert printed["method"] == "walks"
    assert printed["witness"]["counts"] == [12, 10]
    assert printed["compared"] == ["structure"]


def test_distinguish_compares_labels_unless_structure_only(tmp_path, call):
    (tmp_path / "a.smi").write_text("C1CCCCC1\n")
    (tmp_path / "b.smi").write_text("C1CCCCN1\n")
    files = tmp_path / "a.smi", tmp_path / "b.smi"
    printed = json.loads(call("distinguish", *files, "--json").stdout)
    assert (printed["method"], printed["isomorphic"]) == ("1-WL", None)
    assert printed["compared"] == ["structure", "node labels", "edge labels"]
    result = call("distinguish", *files, "--structure-only")
    assert "Compared: structure. Ignored: node labels, edge labels." in result.stdout
    assert "Not told apart by" in result.stdout
    assert "An exact test shows that they are isomorphic." in " ".join(
        result.stdout.split()
    )


def test_distinguish_compares_two_nodes(tmp_path, call):
    nx.write_graphml(nx.path_graph(4), tmp_path / "path.graphml")
    files = tmp_path / "path.graphml", tmp_path / "path.graphml"
    printed = json.loads(call("distinguish", *files, "--nodes", 0, 1, "--json").stdout)
    assert (printed["method"], printed["witness"]["counts"]) == ("walks", [1, 2])
    assert printed["nodes"] == [0, 1]
    text = " ".join(call("distinguish", *files, "--nodes", 0, 1).stdout.split())
    assert text.startswith(f"node 0 of {files[0]} and node 1 of {files[1]} method")
    assert text.endswith("1 at node 0 of the first graph, 2 at node 1 of the second.")
    printed = json.loads(call("distinguish", *files, "--nodes", 0, 3, "--json").stdout)
    assert (printed["method"], printed["isomorphic"]) == (None, True)


def test_distinguish_needs_two_graphs(call):
    for arguments in ([], ["a.g6"], ["--pair", "nothing"], ["a", "b", "--pair", "rings"]):
        assert call("distinguish", *arguments).returncode == 2
    assert call("distinguish", "a.g6", "b.g6").returncode == 1


def test_distinguish_checks_that_both_files_exist_before_reading(tmp_path, call):
    (tmp_path / "broken.g6").write_text("?!\n")
    result = call("distinguish", tmp_path / "broken.g6", "none.g6")
    assert result.stderr == "error: There is no file 'none.g6'.\n"
