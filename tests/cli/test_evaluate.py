import json
import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree as ET

import networkx as nx

from gskn.evaluation import ResultFile
from tests.cli.test_app import run


def test_a_table_of_models_and_sets(tmp_path):
    out = tmp_path / "runs.jsonl"
    result = run("evaluate", "regular", "--models", "rw,aw", "--out", out)
    assert result.returncode == 0, result.stderr
    assert "accuracy in percent, nested protocol" in result.stdout
    line = next(line for line in result.stdout.splitlines() if "regular" in line)
    assert "100.0 ± 0.0" in line
    assert len(ResultFile(out).read()) == 20
    assert (
        "Parameters are selected and models fitted on the training folds" in result.stdout
    )


def test_programs_get_json_and_nothing_is_run_twice(tmp_path):
    arguments = ("evaluate", "regular", "--models", "aw", "--out", tmp_path / "r", "--json")
    first, again = run(*arguments), run(*arguments)
    assert first.stdout == again.stdout
    (found,) = json.loads(first.stdout)
    assert (found["data"], found["model"], found["mean"]) == ("regular", "aw", 1.0)
    assert len(ResultFile(tmp_path / "r").read()) == 10


def test_the_paper_protocol_says_what_it_is():
    result = run("evaluate", "regular", "--models", "aw", "--protocol", "paper")
    assert "TEST folds" in result.stdout


def test_errors_are_one_line():
    for arguments, message in (
        (("regular", "--models", "gnn"), "no model 'gnn'"),
        (("regular", "--models", "aw", "--metric", "luck"), "no metric 'luck'"),
        (("no-such-set",), "no-such-set"),
        (("regular", "--folds", "published"), "no published folds"),
    ):
        result = run("evaluate", *arguments)
        assert result.returncode == 1
        assert result.stderr.count("\n") == 1
        assert message in result.stderr
    assert run("evaluate", "regular", "--protocol", "fair").returncode == 2


def test_a_picture_of_the_table(tmp_path):
    picture = tmp_path / "scores.svg"
    result = run("evaluate", "regular", "--models", "rw,aw", "--plot", picture)
    assert result.returncode == 0, result.stderr
    assert "100.0 ± 0.0" in result.stdout
    texts = {"".join(t.itertext()) for t in ET.parse(picture).iter() if t.text}
    assert {"regular", "rw", "aw", "50.0", "100.0", "Accuracy, nested protocol"} <= texts
    assert "Fraction of the largest class" in texts


def test_a_wrong_name_of_a_picture_is_refused_before_the_run(tmp_path):
    out = tmp_path / "runs.jsonl"
    result = run("evaluate", "regular", "--models", "aw", "--out", out, "--plot", "a.pdf")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "must have the suffix .png or .svg, got 'a.pdf'" in result.stderr
    assert not out.exists()


def test_graphs_of_one_s_own(tmp_path):
    folder = tmp_path / "MUTAG"  # also the name of a set
    folder.mkdir()
    lines = []
    for number in range(20):
        graph = (
            nx.cycle_graph(6)
            if number % 2
            else nx.disjoint_union_all([nx.cycle_graph(3)] * 2)
        )
        nx.write_graph6(graph, folder / f"g{number}.g6")
        lines.append(f"g{number}.g6,{'one' if number % 2 else 'two'}\n")
    classes = tmp_path / "classes.csv"
    classes.write_text("".join(lines))
    arguments = ("evaluate", folder, "--models", "aw", "--json")
    (found,) = json.loads(run(*arguments, "--classes", classes).stdout)
    assert (found["data"], found["mean"]) == (folder.as_posix(), 1.0)
    result = run(*arguments)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "have no classes" in result.stderr
    assert run("evaluate", "MUTAG", "--classes", classes).returncode == 2


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    out = tmp_path / "runs.jsonl"
    arguments = ("evaluate", "structure", "--models", "aw,rw", "--json", "--out", out)
    command = [sys.executable, "-m", "gskn", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    for _ in range(600):
        if out.exists() and out.read_bytes().count(b"\n[") >= 3:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = ResultFile(out).read()
    assert 3 <= len(before) < 20
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    after = ResultFile(out).read()
    assert len(after) == 20
    assert all(after[key] == record for key, record in before.items())
    assert json.loads(result.stdout) == json.loads(run(*arguments[:-2]).stdout)


def test_a_run_that_is_interrupted_is_one_line_and_keeps_its_records(tmp_path):
    out = tmp_path / "runs.jsonl"
    # A process in the background would inherit that Ctrl-C is ignored.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from gskn.cli import main; main()"
    )
    options = ("evaluate", "structure", "--models", "rw,aw", "--repeats", "1000")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *options, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not out.exists() or out.stat().st_size == 0:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert (process.returncode, stdout, stderr) == (130, "", "error: interrupted\n")
    records = ResultFile(out).read()
    assert records
    assert out.read_bytes().count(b"\n[") == len(records)
    names = {path.name for path in tmp_path.iterdir() if path.name != "user"}
    assert names == {"runs.jsonl", ".runs.jsonl.lock"}


def test_the_command_works_without_modules_of_unix(tmp_path):
    code = (
        "import sys\n"
        "for name in ('fcntl', 'resource', 'grp', 'pwd', 'termios'):\n"
        "    sys.modules[name] = None\n"
        "from gskn.cli import main\n"
        "main()\n"
    )
    out = tmp_path / "runs.jsonl"
    options = ("--models", "ldp", "--out", str(out), "--plot", str(tmp_path / "a.png"))
    result = subprocess.run(
        [sys.executable, "-c", code, "evaluate", "regular", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "LOGNAME": "user"},  # without pwd, the name of the user
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    assert len(ResultFile(out).read()) == 10


def test_sets_whose_nodes_have_classes(tmp_path, real_data):
    picture = tmp_path / "scores.png"
    arguments = ("--models", "rw-32", "--repeats", "1", "--metric", "micro_f1")
    home = ("--data-home", real_data)
    result = run("evaluate", "cora", *arguments, "--plot", picture, *home)
    assert result.returncode == 0, result.stderr
    assert "nodes protocol" in result.stdout
    assert {"cora 30%", "cora 70%"} <= {
        line.strip().partition("  ")[0] for line in result.stdout.splitlines()
    }
    assert picture.exists()
    result = run("evaluate", "cora", "--metric", "roc_auc", *home)
    assert result.returncode == 1
    assert "no metric 'roc_auc' for cora. Supported: accuracy, macro_f1" in result.stderr


def test_a_map_of_rows_by_class(tmp_path):
    picture = tmp_path / "map.svg"
    options = ("--models", "aw", "--map", picture, "--map-by", "tsne")
    result = run("evaluate", "regular", *options)
    assert result.returncode == 0, result.stderr
    texts = {"".join(t.itertext()) for t in ET.parse(picture).iter() if t.text}
    assert "Graph embeddings of regular: t-SNE, perplexity 30" in texts
    assert run("evaluate", "regular", "structure", *options).returncode == 2


def test_what_cannot_be_written_or_split_is_refused_before_the_run(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for number in range(6):
        nx.write_graph6(nx.path_graph(3 + number), folder / f"g{number}.g6")
    (folder / "labels.csv").write_text("".join(f"g{n},{n % 2}\n" for n in range(6)))
    odd = tmp_path / "odd.csv"
    odd.write_text("".join(f"g{n},{n == 0}\n" for n in range(6)))
    for arguments, message in (
        (("--out", tmp_path), "is a folder"),
        (("--out", folder / "labels.csv"), "is the file of classes"),
        (("--out", folder / "runs.json"), "is in the folder"),
        (("--seed", "-1"), "seed must be at least 0"),
        (("--repeats", "0"), "repeats must be at least 1"),
        (("--classes", odd), "one graph"),
    ):
        result = run("evaluate", folder, "--models", "aw", *arguments)
        assert result.returncode == 1, arguments
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    result = run("evaluate", folder, "--models", "aw")
    told = " ".join(result.stdout.split())
    assert "own has 3 folds because its smallest class has 3 graphs" in told


def test_a_model_that_is_not_for_a_set_is_left_out_and_said(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for number in range(6):
        graph = nx.path_graph(3 + number)
        nx.set_node_attributes(graph, {node: node / 7 for node in graph}, "attributes")
        nx.write_graphml(graph, folder / f"g{number}.graphml")
    (folder / "labels.csv").write_text("".join(f"g{n},{n % 2}\n" for n in range(6)))
    picture = tmp_path / "scores.png"
    result = run("evaluate", folder, "regular", "--models", "wl,ldp", "--plot", picture)
    assert result.returncode == 0, result.stderr
    told = f"warning: Skipped wl on {folder}. WLKernel compares labels"
    assert result.stderr.startswith(told)
    assert result.stderr.count("\n") == 1
    line = next(line for line in result.stdout.splitlines() if f"{folder} " in line)
    assert line.split()[1] == "-"
    assert picture.exists()
    alone = run("evaluate", folder, "--models", "wl")
    assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
    assert "error: WLKernel compares labels" in alone.stderr
    both = run("evaluate", folder, "--models", "wl,wl")
    assert f"error: No model supports {folder}. WLKernel compares labels" in both.stderr


def test_models_are_listed_by_name():
    assert "Weisfeiler-Lehman subtree kernel" in run("models").stdout
    listed = {row["name"]: row for row in json.loads(run("models", "--json").stdout)}
    assert listed["gskn"]["grid"] == 9
    assert (listed["wl"]["output"], listed["ldp"]["output"]) == ("kernel", "embedding")
