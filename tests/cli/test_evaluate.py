import json
import os
import re
import signal
import subprocess
import sys
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from gskn import datasets
from gskn.cli._evaluate import _model_names
from gskn.cli._evaluate_table import describe_metric
from gskn.datasets import Dataset
from gskn.evaluation import ResultFile
from tests.cli.processes import run, run_until
from tests.explain.browser import needs_browser, widths

APPEND = ("gskn.evaluation", "ResultFile", "append")


def test_table_of_models_and_sets(tmp_path):
    out = tmp_path / "runs.jsonl"
    result = run("evaluate", "regular", "--models", "rw,aw", "--out", out)
    assert result.returncode == 0, result.stderr
    assert "accuracy in percent, nested protocol" in result.stdout
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines() if "±" in line]
    cells = {row[0]: row[1].strip() for row in rows[:3]}
    assert list(cells) == ["majority", "rw", "aw"]
    assert cells["majority"] == "50.0 ± 0.0"
    assert cells["aw"] == "100.0 ± 0.0"
    assert len(ResultFile(out).read()) == 30
    assert (
        "Parameters are selected and models fitted on the training folds" in result.stdout
    )


def test_json_output_is_repeated_from_records(tmp_path, call):
    arguments = ("evaluate", "regular", "--models", "aw", "--out", tmp_path / "r", "--json")
    first, again = call(*arguments), call(*arguments)
    assert first.stdout == again.stdout
    baseline, row = json.loads(first.stdout)
    assert (row["data"], row["model"], row["mean"]) == ("regular", "aw", 1.0)
    assert (baseline["model"], baseline["mean"]) == ("majority", 0.5)
    assert row["metric"] == "accuracy"
    assert len(ResultFile(tmp_path / "r").read()) == 20


def test_caption_describes_the_paper_protocol(call):
    result = call("evaluate", "regular", "--models", "aw", "--protocol", "paper")
    assert "TEST folds" in result.stdout


def test_errors_print_one_line(call):
    for arguments, message in (
        (("regular", "--models", "gnn"), "no model 'gnn'"),
        (("regular", "--models", "aw", "--metric", "luck"), "no metric 'luck'"),
        (("no-such-set",), "no-such-set"),
        (("regular", "--folds", "published"), "no published folds"),
    ):
        result = call("evaluate", *arguments)
        assert result.returncode == 1
        assert result.stderr.count("\n") == 1
        assert message in result.stderr
    assert call("evaluate", "regular", "--protocol", "fair").returncode == 2


def test_plot_of_the_table(tmp_path, call):
    picture = tmp_path / "scores.svg"
    result = call("evaluate", "regular", "--models", "rw,aw", "--plot", picture)
    assert result.returncode == 0, result.stderr
    assert "100.0 ± 0.0" in result.stdout
    texts = {"".join(t.itertext()) for t in ET.parse(picture).iter() if t.text}
    assert {"regular", "rw", "aw", "50.0", "100.0", "Accuracy, nested protocol"} <= texts
    assert "Fraction of the largest class" in texts


def test_unsupported_picture_format_raises_before_the_run(tmp_path, call):
    out = tmp_path / "runs.jsonl"
    result = call("evaluate", "regular", "--models", "aw", "--out", out, "--plot", "a.pdf")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "must have the suffix .png or .svg, got 'a.pdf'" in result.stderr
    assert not out.exists()


def test_graphs_from_a_folder_need_classes(tmp_path, call):
    folder = tmp_path / "MUTAG"  # also the name of a data set
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
    _, row = json.loads(call(*arguments, "--classes", classes).stdout)
    assert (row["data"], row["mean"]) == (folder.as_posix(), 1.0)
    result = call(*arguments)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "have no classes" in result.stderr
    assert call("evaluate", "MUTAG", "--classes", classes).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
def test_killed_run_is_resumed(tmp_path, call):
    out = tmp_path / "runs.jsonl"
    arguments = ("evaluate", "structure", "--models", "aw,rw", "--json")
    killed = run_until(APPEND, 3, signal.SIGKILL, *arguments, "--out", out)
    assert killed == (-signal.SIGKILL, "", "")
    before = ResultFile(out).read()
    assert len(before) == 3
    resumed = call(*arguments, "--out", out)
    assert resumed.returncode == 0, resumed.stderr
    after = ResultFile(out).read()
    assert len(after) == 30
    assert {key: after[key] for key in before} == before
    assert without_times(resumed.stdout) == without_times(call(*arguments).stdout)


def without_times(text):
    """Return the JSON of a table without durations, which differ between runs."""
    return [{**row, "seconds": None} for row in json.loads(text)]


def test_json_has_the_provenance_of_the_results(call):
    rows = json.loads(call("evaluate", "regular", "--models", "ldp", "--json").stdout)
    assert [row["model"] for row in rows] == ["majority", "ldp"]
    assert rows[1]["metric"] == "accuracy"
    assert rows[1]["protocol"] == "nested"
    assert rows[1]["seeds"] == [0]
    assert {"embed", "choose", "classify"} <= rows[1]["seconds"].keys()
    assert {"python", "gskn", "numpy"} <= rows[1]["versions"].keys()


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
def test_interrupted_run_prints_one_line_and_keeps_its_records(tmp_path):
    out = tmp_path / "runs.jsonl"
    arguments = ("evaluate", "structure", "--models", "rw,aw", "--out", out)
    result = run_until(APPEND, 2, signal.SIGINT, *arguments)
    assert result == (130, "", "error: interrupted\n")
    assert len(ResultFile(out).read()) == 2
    assert out.read_bytes().endswith(b"\n")
    assert [*map(json.loads, out.read_bytes().splitlines())]
    names = {path.name for path in tmp_path.iterdir() if path.name != "user"}
    assert names == {"runs.jsonl", ".runs.jsonl.lock"}


def test_command_works_without_modules_of_unix(tmp_path):
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
        env={**os.environ, "LOGNAME": "user"},  # the name of the user without pwd
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    assert len(ResultFile(out).read()) == 20


def test_sets_with_classes_of_nodes(tmp_path, real_data, call):
    picture = tmp_path / "scores.png"
    arguments = ("--models", "rw-32", "--repeats", "1", "--metric", "micro_f1")
    home = ("--data-home", real_data)
    result = call("evaluate", "cora", *arguments, "--plot", picture, *home)
    assert result.returncode == 0, result.stderr
    assert "nodes protocol" in result.stdout
    (heading,) = [line for line in result.stdout.splitlines() if "cora 30%" in line]
    assert "cora 70%" in heading
    assert {"majority", "rw-32"} <= {
        line.split()[0] for line in result.stdout.splitlines() if line.strip()
    }
    assert picture.exists()
    result = call("evaluate", "cora", "--metric", "roc_auc", *home)
    assert result.returncode == 1
    assert "no metric 'roc_auc' for cora. Supported: accuracy, macro_f1" in result.stderr


def test_map_of_embeddings_by_class(tmp_path, call):
    picture = tmp_path / "map.svg"
    options = ("--models", "aw", "--map", picture, "--map-by", "tsne")
    result = call("evaluate", "regular", *options)
    assert result.returncode == 0, result.stderr
    texts = {"".join(t.itertext()) for t in ET.parse(picture).iter() if t.text}
    assert "Graph embeddings of regular: t-SNE, perplexity 30" in texts
    assert call("evaluate", "regular", "structure", *options).returncode == 2


def test_invalid_outputs_and_splits_raise_before_the_run(tmp_path, call):
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
        result = call("evaluate", folder, "--models", "aw", *arguments)
        assert result.returncode == 1, arguments
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    result = call("evaluate", folder, "--models", "aw")
    text = " ".join(result.stdout.split())
    assert "own has 3 folds because its smallest class has 3 graphs" in text


def test_model_that_does_not_apply_is_skipped_with_a_warning(tmp_path, call):
    folder = tmp_path / "own"
    folder.mkdir()
    for number in range(6):
        graph = nx.path_graph(3 + number)
        nx.set_node_attributes(graph, {node: node / 7 for node in graph}, "attributes")
        nx.write_graphml(graph, folder / f"g{number}.graphml")
    (folder / "labels.csv").write_text("".join(f"g{n},{n % 2}\n" for n in range(6)))
    picture = tmp_path / "scores.png"
    result = call("evaluate", folder, "regular", "--models", "wl,ldp", "--plot", picture)
    assert result.returncode == 0, result.stderr
    message = f"warning: Skipped wl on {folder}. WLKernel compares node labels"
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 2
    line = next(line for line in result.stdout.splitlines() if line.startswith(" wl"))
    assert line.split()[1] == "-"
    assert picture.exists()
    alone = call("evaluate", folder, "--models", "wl")
    assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
    assert "error: WLKernel compares node labels" in alone.stderr
    both = call("evaluate", folder, "--models", "wl,wl")
    message = f"error: No model supports {folder}. WLKernel compares node labels"
    assert message in both.stderr


def test_models_are_listed_by_name(call):
    assert "Weisfeiler-Lehman subtree kernel" in call("models").stdout
    rows = {row["name"]: row for row in json.loads(call("models", "--json").stdout)}
    assert rows["gskn"]["grid"] == 4
    assert (rows["wl"]["output"], rows["ldp"]["output"]) == ("kernel", "embedding")
    assert rows["majority"]["output"] == rows["mean"]["output"] == "prediction"


def test_model_is_described_by_name(call):
    result = call("models", "wwl", "gskn")
    assert "gskn[baselines]" in result.stdout
    assert "Wasserstein" in result.stdout
    assert "laplacian: C = 1, 10, 100" in result.stdout
    unknown = call("models", "gsk")
    assert unknown.returncode == 1
    assert "did you mean 'gskn'" in unknown.stderr


def write_sizes(folder, targets):
    """Write paths of different sizes with one target each."""
    folder.mkdir()
    for number in range(len(targets)):
        nx.write_graph6(nx.path_graph(3 + number % 11), folder / f"g{number}.g6")
    lines = [f"g{number},{target}\n" for number, target in enumerate(targets)]
    (folder / "labels.csv").write_text("".join(lines))
    return folder


def test_real_targets_are_detected_and_scored_by_errors(tmp_path, call):
    folder = write_sizes(tmp_path / "own", [0.5 + number % 11 for number in range(33)])
    out, picture = tmp_path / "runs.jsonl", tmp_path / "scores.svg"
    options = ("--models", "ldp,wl", "--out", out)
    result = call("evaluate", folder, *options, "--plot", picture)
    assert result.returncode == 0, result.stderr
    assert "RMSE (lower is better), nested protocol" in result.stdout
    text = " ".join(result.stdout.split())
    assert f"The targets of {folder.as_posix()} are values (regression)" in text
    texts = {"".join(t.itertext()) for t in ET.parse(picture).iter() if t.text}
    assert {"mean", "ldp", "RMSE (lower is better)", "RMSE, nested protocol"} <= texts
    for metric in ("rmse", "mae", "r2"):
        rows = json.loads(
            call("evaluate", folder, *options, "--json", "--metric", metric).stdout
        )
        assert [row["model"] for row in rows] == ["mean", "ldp", "wl"]
        assert {row["metric"] for row in rows} == {metric}
        mean, ldp, _ = (row["mean"] for row in rows)
        assert (ldp > mean) if metric == "r2" else (ldp < mean / 2)
    assert len(ResultFile(out).read()) == 30


def test_kind_of_targets_can_be_forced(tmp_path, call):
    folder = write_sizes(tmp_path / "own", [number % 2 for number in range(22)])
    arguments = ("evaluate", folder, "--models", "ldp", "--json")
    assert {row["metric"] for row in json.loads(call(*arguments).stdout)} == {"accuracy"}
    forced = json.loads(call(*arguments, "--task", "values").stdout)
    assert {row["metric"] for row in forced} == {"rmse"}
    arguments = ("evaluate", "regular", "--models", "ldp", "--json")
    forced = json.loads(call(*arguments, "--task", "values").stdout)
    assert [row["model"] for row in forced] == ["mean", "ldp"]
    assert forced[0]["mean"] == pytest.approx(0.5, abs=0.05)


def test_classes_and_values_have_two_tables(tmp_path, call):
    folder = write_sizes(tmp_path / "own", [0.5 + number % 3 for number in range(10)])
    result = call("evaluate", folder, "regular", "--models", "ldp")
    assert result.returncode == 0, result.stderr
    assert f" model  {folder}" in result.stdout
    assert "RMSE (lower is better), nested protocol" in result.stdout
    assert "accuracy in percent, nested protocol" in result.stdout
    # The path of the folder is long, so the line may be wrapped anywhere.
    assert " ".join(result.stdout.split()).count("are values (regression)") == 1


def test_options_for_classes_raise_for_values(tmp_path, call):
    folder = write_sizes(tmp_path / "own", [0.5 + number for number in range(4)])
    text = write_sizes(tmp_path / "text", ["a", "b", "a", "b"])
    for arguments, code, message in (
        ((folder, "--protocol", "paper"), 1, "--protocol paper needs classes"),
        ((folder, "--metric", "accuracy"), 1, "Supported: rmse, mae, r2"),
        ((folder, "--models", "majority"), 1, "'majority' does not predict real targets"),
        ((text, "--task", "values"), 1, "is 'a', which is not a number"),
        ((folder, "--map", tmp_path / "a.png"), 2, "--map"),
        ((folder, "regular", "--plot", tmp_path / "a.png"), 2, "--plot"),
    ):
        result = call("evaluate", *arguments)
        assert result.returncode == code, (arguments, result.stdout)
        assert message in result.stderr


def test_default_models_begin_with_the_baseline_and_the_selected_model(call):
    result = call("evaluate", "--help")
    assert "Default: gskn" in " ".join(result.stdout.split())
    data = datasets.load("regular")
    assert _model_names(None, data)[:3] == ["majority", "gskn", "rw-degrees"]
    assert _model_names("majority,aw", data) == ["majority", "aw"]
    assert _model_names("aw,majority", data) == ["aw", "majority"]
    assert "mean" not in _model_names("all", data)
    nodes = Dataset("nodes", data.graphs[:1], np.arange(20) % 2, "node")
    assert _model_names(None, nodes) == ["majority", "nodes", "rw+aw-64"]


def test_nodes_of_a_graph_in_files_are_classified(call, tmp_path):
    graph = nx.gnm_random_graph(60, 90, seed=0)
    edges, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    edges.write_text("".join(f"{u},{v}\n" for u, v in graph.edges))
    classes = {node: "high" if degree > 2 else "low" for node, degree in graph.degree}
    present = [node for node in graph if graph.degree(node)]
    nodes.write_text("".join(f"{node},{classes[node]}\n" for node in present[:-5]))
    arguments = (edges, "--node-classes", nodes, "--models", "rw+aw-64", "--repeats", 2)
    picture = tmp_path / "map.png"
    result = call("evaluate", *arguments, "--json", "--map", picture)
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)
    means = {(row["protocol"], row["model"]): row["mean"] for row in rows}
    assert means["nodes-70", "rw+aw-64"] > 0.9 > means["nodes-70", "majority"]
    assert picture.stat().st_size > 0


def test_node_classes_need_one_graph_in_a_file(call, tmp_path):
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("a,1\nb,2\n")
    for data in (("MUTAG",), (), (tmp_path, tmp_path)):
        result = call("evaluate", *data, "--node-classes", nodes)
        assert result.returncode == 2
        assert "exactly one file" in result.stderr


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    page = tmp_path_factory.mktemp("evaluate") / "report.html"
    result = run("evaluate", "MUTAG", "--models", "ldp", "--report", page)
    assert result.returncode == 0, result.stderr
    assert f"Report: {page}" in result.stderr
    return page.read_text(encoding="utf-8")


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("width", [1300, 400])
def test_report_fits_the_window_of_a_browser(report, tmp_path, width):
    window, content = widths(report, tmp_path, width)
    assert window == width
    assert content <= window


@pytest.mark.slow
def test_report_has_table_plots_and_explained_errors(report):
    assert "<h1>Evaluation of MUTAG</h1>" in report
    headings = [
        "Accuracy in percent",
        "Scores",
        "Map of the graphs",
        "One fold in detail",
        "Most confident errors",
    ]
    assert [report.index(f"<h2>{heading}") for heading in headings] == sorted(
        report.index(f"<h2>{heading}") for heading in headings
    )
    assert ">ldp</td>" in report
    assert report.count("<article") >= 1
    assert "<dt>baseline rate</dt>" in report
    assert "Distance to the nearest training graph that the model stores" in report
    assert not re.search(r"<(link|img|iframe)\b|\bsrc=|@import", report)


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("rmse", "RMSE (lower is better)"),
        ("r2", "R²"),
        ("roc_auc", "ROC-AUC in percent"),
        ("balanced_accuracy", "balanced accuracy in percent"),
    ],
)
def test_metrics_have_their_usual_names(metric, name):
    assert describe_metric(metric) == name


def test_reports_need_one_set_of_graphs_and_a_page(tmp_path, call):
    page = tmp_path / "report.html"
    result = call("evaluate", "regular", "structure", "--report", page)
    assert result.returncode == 2
    assert "exactly one data set" in " ".join(result.stderr.replace("│", " ").split())
    result = call("evaluate", "regular", "--report", tmp_path / "report.pdf")
    assert result.returncode == 1
    assert "must end in .html" in result.stderr
