import json
import signal
import sys

import networkx as nx
import numpy as np
import pytest

from gskn import GSKN, GSKNClassifier, GSKNRegressor, datasets
from gskn.explain import explain
from tests.cli.processes import run_until


@pytest.fixture
def folder(tmp_path):
    """Return a folder of rings with chords, and the number of nodes as target."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    lines = ["graph,value\n"]
    for number in range(30):
        graph = nx.cycle_graph(4 + number % 7)
        graph.add_edge(0, 2 if number % 2 else 3)
        nx.write_graph6(graph, folder / f"g{number}.g6")
        lines.append(f"g{number},{len(graph) + 0.5}\n")
    (folder / "labels.csv").write_text("".join(lines))
    (tmp_path / "chords.csv").write_text(
        "".join(f"g{n},{'short' if n % 2 else 'long'}\n" for n in range(30))
    )
    return folder


def test_command_trains_the_classifier_of_the_library(tmp_path, call):
    out = tmp_path / "model.gskn"
    code, stdout, stderr = call("train", "MUTAG", "-o", out, "--seed", 3, "--jobs", 2)
    assert (code, stderr) == (0, "")
    lines = stdout.splitlines()
    assert lines[0] == "MUTAG: 188 graphs, 2 classes: training a classifier"
    assert lines[-1].startswith(f"{out}: classifier, ")
    assert "slightly optimistic; gskn evaluate MUTAG" in " ".join(stdout.split())
    data = datasets.load("MUTAG")
    expected = GSKNClassifier(random_state=3).fit(data.graphs, data.y)
    model = GSKNClassifier.load(out)
    np.testing.assert_array_equal(
        model.predict_proba(data.graphs), expected.predict_proba(data.graphs)
    )
    assert model.get_params() == expected.get_params()
    assert model.embedding_.n_jobs is None
    selected = expected.selected_
    (score,) = (
        row["score"]
        for row in selected.scores
        if (row["params"], row["kernel"], row["C"])
        == (selected.params, selected.kernel, selected.strength)
    )
    (accuracy,) = (line for line in lines if line.startswith(" accuracy "))
    assert accuracy.split()[1] == f"{100 * score:.1f}"
    assert "baseline 66.5 %" in accuracy
    assert list(tmp_path.iterdir()) == [out]


def test_pooling_gives_models_with_exact_explanations(tmp_path, folder, call):
    out = tmp_path / "model.gskn"
    arguments = ["train", folder, "-o", out, "--kernel", "linear"]
    code, stdout, stderr = call(*arguments, "--pooling", "sum", "--seed", 4)
    assert (code, stderr) == (0, "")
    assert ["pooling", "sum"] in [line.split() for line in stdout.splitlines()]
    assert json.loads(call("describe", out, "--json")[1])[0]["pooling"] == ["sum"]
    model = GSKNRegressor.load(out)
    assert model.embedding_.pooling == "sum"
    assert model.embedding_.random_state == 4
    explanation = explain(model, folder / "g0.g6")
    assert explanation.exact
    assert call(*arguments)[0] == 0
    assert not explain(GSKNRegressor.load(out), folder / "g0.g6").exact
    code, _, stderr = call(*arguments, "--pooling", "sum,median")
    assert code == 1
    assert "pooling must be one of 'sum', 'mean', 'log', got 'median'" in stderr


def test_values_train_a_regressor(tmp_path, folder, call):
    out = tmp_path / "model.gskn"
    code, stdout, stderr = call("train", folder, "-o", out)
    assert (code, stderr) == (0, "")
    assert "30 graphs, values from 4.5 to 10.5: training a regressor" in stdout
    assert " mean squared error " in stdout
    assert "no better than" not in stdout
    model = GSKNRegressor.load(out)
    data = datasets.read(folder)
    assert model.score(data.graphs, data.y.astype(float)) > 0.9


def test_values_that_cannot_be_predicted_are_remarked(tmp_path, call):
    graphs = tmp_path / "equal"
    graphs.mkdir()
    for number in range(12):
        nx.write_graph6(nx.cycle_graph(5), graphs / f"g{number}.g6")
    values = "".join(f"g{number},{number * number + 0.5}\n" for number in range(12))
    (graphs / "labels.csv").write_text(f"graph,value\n{values}")
    code, stdout, _ = call("train", graphs, "-o", tmp_path / "model.gskn")
    assert code == 0
    assert "The model is no better than the baseline." in " ".join(stdout.split())


def test_json_contains_the_selection(tmp_path, folder, call):
    out = tmp_path / "model.gskn"
    options = ("--classes", tmp_path / "chords.csv", "--kernel", "linear", "--balanced")
    code, stdout, stderr = call("train", folder, "-o", out, *options, "--json")
    assert (code, stderr) == (0, "")
    (row,) = json.loads(stdout)
    model = GSKNClassifier.load(out)
    assert (model.kernel, model.class_weight) == ("linear", "balanced")
    assert model.classes_.tolist() == ["long", "short"]
    assert (row["task"], row["classes"], row["graphs"]) == ("classes", 2, 30)
    assert (row["kernel"], row["C"]) == ("linear", model.C_)
    assert row["metric"] == "balanced accuracy"
    assert row["baseline_score"] == 0.5
    assert row["candidates"] == len(model.selected_.scores)
    assert row["score"] == max(
        scored["score"]
        for scored in model.selected_.scores
        if scored["params"] == model.selected_.params
    )
    assert row["model"] == str(out)


def test_task_overrides_the_detection(tmp_path, folder, call):
    out = tmp_path / "model.gskn"
    options = ("--json", "--kernel", "linear")
    assert call("train", folder, "-o", out, "--task", "classes", *options)[0] == 0
    assert len(GSKNClassifier.load(out).classes_) == 7
    numbers = "".join(f"g{n},{4 + n % 7}\n" for n in range(30))
    (tmp_path / "numbers.csv").write_text(numbers)
    options += ("--classes", tmp_path / "numbers.csv")
    assert json.loads(call("train", folder, "-o", out, *options)[1])[0]["classes"] == 7
    (row,) = json.loads(call("train", folder, "-o", out, "--task", "values", *options)[1])
    assert (row["task"], row["classes"]) == ("values", None)
    assert row["alpha"] == GSKNRegressor.load(out).alpha_
    assert row["score"] >= 0
    assert row["baseline_score"] == pytest.approx(np.var([4 + n % 7 for n in range(30)]))


def test_class_with_one_graph_has_no_score(tmp_path, folder, call):
    out, classes = tmp_path / "model.gskn", tmp_path / "one.csv"
    classes.write_text("".join(f"g{n},{n == 0}\n" for n in range(30)))
    code, stdout, stderr = call("train", folder, "-o", out, "--classes", classes)
    assert code == 0
    assert "not estimated" in stdout
    assert "Nothing is selected: the class 'True' has one graph" in stderr


def test_invalid_input_raises_and_leaves_no_file(tmp_path, folder, call):
    out, chords = tmp_path / "model.gskn", tmp_path / "chords.csv"
    same = tmp_path / "same.csv"
    same.write_text("".join(f"g{n},1\n" for n in range(30)))
    text = chords.read_text()
    for arguments, message in (
        ((folder, "-o", folder), "is a folder"),
        ((folder, "-o", folder / "labels.csv"), "is the file of classes"),
        ((folder, "-o", folder / "g1.g6"), "read as graphs"),
        ((folder, "--classes", chords, "-o", chords), "is the file of classes"),
        ((folder, "-o", out, "--seed", -1), "seed must be at least 0"),
        ((folder, "-o", out, "--jobs", 0), "n_jobs must be"),
        ((folder, "-o", out, "--classes", same), "only the class 1"),
        ((folder, "-o", out, "--classes", tmp_path / "none.csv"), "no file"),
        ((folder, "-o", out, "--classes", chords, "--task", "values"), "not a number"),
        ((folder / "g1.g6", "-o", out), "have no classes"),
        (("cora", "-o", out), "cora has classes of nodes"),
        (("nothing", "-o", out), "It is not a file or folder, either"),
    ):
        code, stdout, stderr = call("train", *arguments)
        assert (code, stdout, stderr.count("\n")) == (1, "", 1), arguments
        assert message in stderr
    for arguments, message in (
        ((folder,), "Missing option"),
        ((folder, "-o", out, "--balanced"), "needs classes"),
        ((folder, "-o", out, "--balanced", "--task", "values"), "needs classes"),
        (("MUTAG", "-o", out, "--classes", chords), "needs a file or folder"),
    ):
        code, stdout, stderr = call("train", *arguments)
        assert (code, stdout) == (2, ""), arguments
        assert message in stderr
    assert not out.exists()
    assert chords.read_text() == text


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
def test_interrupted_training_leaves_no_file(tmp_path):
    out = tmp_path / "out" / "model.gskn"
    out.parent.mkdir()
    arguments = ("train", "MUTAG", "-o", out, "--json")
    result = run_until(("gskn", "GSKN", "fit"), 1, signal.SIGINT, *arguments)
    assert result == (130, "", "error: interrupted\n")
    assert list(out.parent.iterdir()) == []


def test_models_are_described(tmp_path, folder, call):
    data = datasets.read(folder, tmp_path / "chords.csv")
    paths = [tmp_path / f"{name}.gskn" for name in ("embedding", "classes", "values")]
    GSKN(random_state=0).fit(data.graphs).save(paths[0])
    classifier = GSKNClassifier(random_state=0).fit(data.graphs, data.y)
    classifier.save(paths[1])
    regressor = GSKNRegressor(random_state=0, selection="none")
    regressor.fit(data.graphs, data.graphs.graph_sizes).save(paths[2])
    code, stdout, stderr = call("describe", "regular", *paths, "--json")
    assert (code, stderr) == (0, "")
    graphs, *models = json.loads(stdout)
    assert graphs["name"] == "regular"
    assert [row["model"] for row in models] == ["GSKN", "GSKNClassifier", "GSKNRegressor"]
    assert [row["classes"] for row in models] == [None, ["long", "short"], None]
    assert [row["C"] for row in models] == [None, classifier.C_, None]
    assert [row["alpha"] for row in models] == [None, None, 0.01]
    assert models[1]["score"] == max(row["score"] for row in classifier.selected_.scores)
    assert models[2]["score"] is None
    code, stdout, stderr = call("describe", *paths)
    assert (code, stderr) == (0, "")
    assert stdout.startswith("Models\n")
    assert f"C {classifier.C_:g}" in stdout
    assert "alpha 0.01" in stdout
    code, stdout, stderr = call("describe", tmp_path / "chords.gskn")
    assert (code, stdout) == (1, "")
    assert "no file" in stderr


def test_command_trains_and_evaluates_a_table(tmp_path, call):
    pytest.importorskip("rdkit")
    chains = "".join(f"{'C' * n}O,{n / 2}\n" for n in range(1, 21))
    path = tmp_path / "chains.csv"
    path.write_text(f"smiles,y\n{chains}C1CC,3\n")
    out = tmp_path / "model.gskn"
    code, stdout, stderr = call("train", path, "-o", out, "--kernel", "linear")
    assert code == 0
    assert f"{path}: 20 graphs, values from 0.5 to 10: training a regressor" in stdout
    assert "Skipped 1 molecule" in stderr
    assert "C1CC" in (tmp_path / "model.gskn.rejected").read_text()
    code, stdout, stderr = call("evaluate", path, "--models", "mean", "--json")
    assert code == 0
    assert '"rmse"' in stdout
    assert "Skipped 1 molecule" in stderr


def test_command_needs_a_table_for_a_column(tmp_path, call):
    for arguments in (("train", "MUTAG", "-o", tmp_path / "m"), ("evaluate", "MUTAG")):
        code, _, stderr = call(*arguments, "--target-column", "y")
        assert code == 2
        assert "--target-column" in stderr
