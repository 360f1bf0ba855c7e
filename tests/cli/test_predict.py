import io
import json
import signal
import sys

import networkx as nx
import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from gskn import GSKN, GSKNClassifier, GSKNRegressor, datasets, read_graphs
from gskn.cli._predict import _Summary, _write_predictions
from gskn.estimators import load_any, predict_once
from gskn.graphs import iter_graphs
from tests.cli.processes import run, run_until


def make_graph(number):
    """Return a ring with a chord; its class is the number of nodes modulo three."""
    graph = nx.cycle_graph(5 + number % 6)
    graph.add_edge(0, 2 + number % 2)
    return graph


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder with model files of all classes, and graphs without classes."""
    folder = tmp_path_factory.mktemp("models")
    graphs = folder / "graphs"
    graphs.mkdir()
    for number in range(24):
        nx.write_graph6(make_graph(number), graphs / f"g{number:02}.g6")
    batch = read_graphs(graphs)
    sizes = batch.graph_sizes
    embedding = GSKN(branches="walk", random_state=0)
    options = {"selection": "none", "random_state": 0}
    names = np.array(["zero", "one", "two, or é"])[sizes % 3]
    embedding.fit(batch).save(folder / "embedding.gskn")
    GSKNClassifier(embedding, **options).fit(batch, names).save(folder / "names.gskn")
    GSKNClassifier(embedding, **options).fit(batch, sizes % 2).save(folder / "parity.gskn")
    GSKNRegressor(embedding, **options).fit(batch, sizes).save(folder / "sizes.gskn")
    return folder


def read_rows(path):
    """Return the names of graphs, the classes, and the other columns with their names."""
    table = pq.read_table(path) if path.suffix == ".parquet" else pacsv.read_csv(path)
    names = [name for name in table.column_names if name not in {"graph", "class"}]
    values = np.column_stack([table[name].to_numpy() for name in names])
    classes = table["class"].to_pylist() if "class" in table.column_names else None
    return table["graph"].to_pylist(), classes, values, names


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_command_writes_predictions_of_the_library(models, tmp_path, call, suffix):
    out, graphs = tmp_path / f"p{suffix}", read_graphs(models / "graphs")
    for name in ("names", "parity"):
        path = models / f"{name}.gskn"
        code, stdout, stderr = call("predict", path, models / "graphs", "-o", out)
        assert (code, stderr) == (0, "")
        model = GSKNClassifier.load(path)
        ids, classes, values, columns = read_rows(out)
        assert ids == [f"g{number:02}" for number in range(24)]
        assert classes == model.predict(graphs).tolist()
        np.testing.assert_array_equal(values, model.predict_proba(graphs))
        assert columns == [f"probability_{value}" for value in model.classes_]
        assert stdout.startswith(f"{out}: 24 graphs, ")
        for value in model.classes_:
            assert f"{classes.count(value)} of class {value}" in stdout
    path = models / "sizes.gskn"
    code, stdout, stderr = call("predict", path, models / "graphs", "-o", out)
    assert (code, stderr) == (0, "")
    _, classes, values, columns = read_rows(out)
    expected = GSKNRegressor.load(path).predict(graphs)
    assert (classes, columns) == (None, ["value"])
    np.testing.assert_array_equal(values[:, 0], expected)
    assert f"values from {expected.min():.4g} to {expected.max():.4g}" in stdout
    assert list(tmp_path.iterdir()) == [out]


def test_npz_and_metadata_of_parquet(models, tmp_path, call):
    path, graphs = models / "names.gskn", models / "graphs"
    assert call("predict", path, graphs, "-o", tmp_path / "p.npz", "--jobs", 2)[0] == 0
    model = GSKNClassifier.load(path)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert file["class"].tolist() == model.predict(read_graphs(graphs)).tolist()
        np.testing.assert_array_equal(
            file["rows"], model.predict_proba(read_graphs(graphs))
        )
    assert call("predict", path, graphs, "-o", tmp_path / "p.parquet")[0] == 0
    metadata = pq.read_schema(tmp_path / "p.parquet").metadata
    assert metadata[b"gskn_model"] == b"GSKNClassifier"
    assert json.loads(metadata[b"gskn_parameters"])["branches"] == ["walk"]


@pytest.mark.parametrize("options", [(), ("-o", "-")])
def test_rows_are_written_to_stdout(models, tmp_path, call, options):
    path, out = models / "names.gskn", tmp_path / "p.csv"
    assert call("predict", path, models / "graphs", "-o", out)[0] == 0
    code, stdout, stderr = call("predict", path, models / "graphs", *options)
    assert code == 0
    assert stdout == out.read_text(encoding="utf-8")
    assert stderr.startswith("24 graphs, ")


def test_predictions_do_not_depend_on_chunks(models, tmp_path):
    """Equal bits for equal chunks, else equal up to the rounding of matrix products."""
    out, path = tmp_path / "p.parquet", models / "graphs"
    for name in ("names", "parity", "sizes"):
        model = load_any(models / f"{name}.gskn")
        predict = getattr(model, "predict_proba", model.predict)
        expected = predict(read_graphs(path))
        for chunk_edges in (1, 100, 333, 10**6):
            chunks = list(iter_graphs(path, chunk_edges=chunk_edges))
            assert _write_predictions(chunks, model, out, _Summary()) == 24
            _, classes, values, _ = read_rows(out)
            by_chunk = np.concatenate([*map(predict, chunks)])
            np.testing.assert_array_equal(values, by_chunk.reshape(values.shape))
            np.testing.assert_allclose(
                values, expected.reshape(values.shape), rtol=1e-9, atol=1e-12
            )
            if classes is not None:
                assert classes == model.predict(read_graphs(path)).tolist()


def test_graphs_are_embedded_once(models, monkeypatch):
    model, graphs = load_any(models / "names.gskn"), read_graphs(models / "graphs")
    expected = model.predict(graphs), model.predict_proba(graphs)
    calls, transform = [], GSKN.transform
    monkeypatch.setattr(
        GSKN, "transform", lambda *values: calls.append(1) or transform(*values)
    )
    classes, probabilities = predict_once(model, graphs)
    assert len(calls) == 1
    np.testing.assert_array_equal(classes, expected[0])
    np.testing.assert_array_equal(probabilities, expected[1])
    np.testing.assert_array_equal(model.predict(graphs), classes)  # it is not changed


def test_embed_uses_the_embedding_of_a_classifier(models, tmp_path, call):
    for name in ("embedding", "names", "sizes"):
        out = tmp_path / f"{name}.npz"
        options = ("--model", models / f"{name}.gskn", "-o", out)
        assert call("embed", models / "graphs", *options)[0] == 0
        with np.load(out) as file:
            model = GSKN.load(models / "embedding.gskn")
            expected = model.transform(read_graphs(models / "graphs"))
            np.testing.assert_array_equal(file["rows"], expected)


def test_failures_print_one_line_and_leave_no_file(models, tmp_path, call):
    graphs, out = models / "graphs", tmp_path / "out" / "p.csv"
    labelled = tmp_path / "labelled.gskn"
    data = datasets.load("MUTAG")
    model = GSKNClassifier(GSKN(branches="walk"), selection="none")
    model.fit(data.graphs[:20], data.y[:20]).save(labelled)
    content = labelled.read_bytes()
    damaged = tmp_path / "damaged.gskn"
    damaged.write_bytes(content[: len(content) // 2])
    changed = tmp_path / "changed.gskn"
    changed.write_bytes(content.replace(b"GSKNClassifier", b"GSKNClassifies"))
    model_csv = tmp_path / "model.csv"
    model_csv.write_bytes(content)
    empty = tmp_path / "empty"
    empty.mkdir()
    names = models / "names.gskn"
    for arguments, message in (
        ((models / "embedding.gskn", graphs, "-o", out), "gskn train"),
        ((labelled, graphs, "-o", out), "have no node labels"),
        ((damaged, graphs, "-o", out), "not a model of gskn"),
        ((changed, graphs, "-o", out), "changed.gskn"),
        ((tmp_path / "none.gskn", graphs, "-o", out), "no file"),
        ((graphs / "g00.g6", graphs, "-o", out), "not a model of gskn"),
        ((names, graphs, "-o", tmp_path / "out" / "p.txt"), "must end in one of"),
        ((names, graphs, "-o", graphs / "p.csv"), "read as graphs"),
        ((model_csv, graphs, "-o", model_csv), "is the model"),
        ((names, "nothing", "-o", out), "It is not a file or folder, either"),
        ((names, "nothing.csv", "-o", out), "There is no file or folder 'nothing.csv'."),
        ((names, empty, "-o", out), "has no graph files"),
        ((names, graphs, "-o", out, "--jobs", 0), "n_jobs must be"),
    ):
        code, stdout, stderr = call("predict", *arguments)
        assert (code, stdout) == (1, ""), arguments
        assert stderr.count("\n") == 1, stderr
        assert message in stderr
        assert not any((tmp_path / "out").glob("*"))
    assert model_csv.read_bytes() == content
    assert call("predict", names)[0] == 2


def test_unseen_labels_are_reported_once(tmp_path, call):
    for name, text in (("old", "CCO\nCO\nCCC\nCOC\n"), ("new", "CCN\nBrCO\n")):
        (tmp_path / f"{name}.smi").write_text(text)
    path, out = tmp_path / "model.gskn", tmp_path / "rows.csv"
    graphs = read_graphs(tmp_path / "old.smi")
    GSKNRegressor(selection="none").fit(graphs, graphs.graph_sizes).save(path)
    for arguments in (("predict", path), ("embed", "--model", path)):
        code, _, stderr = call(*arguments, tmp_path / "new.smi", "-o", out)
        assert code == 0
        assert stderr.count("\n") == 1
        assert "2 of 6 nodes have labels that no training graph has" in stderr
        assert "'Br'" in stderr
        assert "'N'" in stderr
        assert call(*arguments, tmp_path / "old.smi", "-o", out)[2] == ""


def test_unseen_edge_labels_are_reported(tmp_path, call):
    (tmp_path / "old.smi").write_text("CCC\nCCCC\n")
    (tmp_path / "new.smi").write_text("C=CC\nCCC\n")
    path = tmp_path / "model.gskn"
    graphs = read_graphs(tmp_path / "old.smi")
    GSKNRegressor(selection="none").fit(graphs, graphs.graph_sizes).save(path)
    out = tmp_path / "rows.csv"
    code, _, stderr = call("predict", path, tmp_path / "new.smi", "-o", out)
    assert code == 0
    assert "1 of 4 edges have labels that no training graph has" in stderr
    assert call("predict", path, tmp_path / "old.smi", "-o", out)[2] == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
@pytest.mark.parametrize(
    ("suffix", "sign", "expected"),
    [
        (".csv", signal.SIGKILL, (-signal.SIGKILL, "", "")),
        (".parquet", signal.SIGINT, (130, "", "error: interrupted\n")),
    ],
)
def test_stopped_process_leaves_no_output_file(models, tmp_path, suffix, sign, expected):
    graphs = tmp_path / "graphs.g6"
    line = nx.to_graph6_bytes(nx.cycle_graph(20), header=False)
    graphs.write_bytes(2000 * line)
    assert sum(1 for _ in iter_graphs(graphs)) > 2
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / f"predictions{suffix}"
    # The first chunk is written when the second one is embedded.
    arguments = ("predict", models / "names.gskn", graphs, "-o", out)
    result = run_until(("gskn", "GSKN", "transform"), 2, sign, *arguments)
    assert result == expected
    remaining = [path.name for path in folder.iterdir()]
    if sign == signal.SIGKILL:
        (temporary,) = remaining
        assert temporary.startswith(".predictions")
    else:
        assert remaining == []


def test_rows_are_utf8_in_any_encoding(models):
    arguments = ("predict", models / "names.gskn", models / "graphs")
    code, stdout, _ = run(*arguments, PYTHONIOENCODING="ascii")
    assert code == 0
    table = pacsv.read_csv(io.BytesIO(stdout.encode()))
    assert "probability_two, or é" in table.column_names


def test_summary_lists_frequent_classes_first():
    summary = _Summary()
    numbers = np.repeat(np.arange(14), np.arange(14) + 1)
    summary.add(numbers, np.zeros((len(numbers), 14)))
    text = summary.text()
    assert text.startswith("14 of class 13, 13 of class 12, ")
    assert text.endswith(", 5 of class 4, 4 more classes")
