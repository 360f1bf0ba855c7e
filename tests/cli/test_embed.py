import json
import signal
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from gskn import GSKN, GraphBatch, datasets, read_graphs
from gskn.cli._embed import Level, _write_rows
from gskn.graphs import iter_graphs
from tests.cli.test_app import run


def write_rings(path, n_graphs, *, row_group_size=None):
    """Write rings of 5 to 14 nodes with a chord each, as one table of edges."""
    sizes = np.random.default_rng(0).integers(5, 15, n_graphs)
    source = [np.append(np.arange(size), 0) for size in sizes]
    target = [np.append((np.arange(size) + 1) % size, size // 2) for size in sizes]
    graph = np.repeat(np.arange(n_graphs), sizes + 1)
    columns = {"graph": graph, "source": np.hstack(source), "target": np.hstack(target)}
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return path


def rows_of(path):
    """Return ids and rows, whatever the format."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            ids = [file[name].tolist() for name in ("graph", "node") if name in file.files]
            return ids, file["rows"], file["names"].tolist()
    table = pq.read_table(path) if path.suffix == ".parquet" else pacsv.read_csv(path)
    ids = [
        table[name].to_pylist() for name in ("graph", "node") if name in table.schema.names
    ]
    names = table.column_names[len(ids) :]
    return ids, np.column_stack([table[name].to_numpy() for name in names]), names


def assert_equal(rows, expected):
    """Compare up to rounding: products of matrices round by their number of rows."""
    np.testing.assert_allclose(rows, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
def test_rows_are_those_of_the_library(tmp_path, suffix):
    out = tmp_path / f"rows{suffix}"
    result = run("embed", "MUTAG", "-o", out)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{out}: 188 graph embeddings, ")
    assert result.stderr == ""
    graphs = datasets.load("MUTAG").graphs
    model = GSKN(random_state=0).fit(graphs)
    (names,), rows, features = rows_of(out)
    np.testing.assert_array_equal(rows, model.transform(graphs))
    assert names == list(range(188))
    assert features == model.get_feature_names_out().tolist()
    assert list(tmp_path.glob("*")) == [out]


def test_a_model_is_fitted_once_and_embeds_nodes(tmp_path, call):
    folder, model, out = tmp_path / "graphs", tmp_path / "m.gskn", tmp_path / "rows.parquet"
    folder.mkdir()
    nx.write_graphml(nx.Graph([("a", "b"), ("b", "c")]), folder / "path.graphml")
    nx.write_edgelist(nx.cycle_graph(5), folder / "ring.edgelist")
    options = ("--branches", "walk, joint", "--walk-length", 2, "--pooling", "mean")
    code, stdout, stderr = call(
        *("fit", folder, "-o", model, *options, "--seed", 3, "--alpha", 2)
    )
    assert (code, stderr) == (0, "")
    assert stdout.startswith(f"{model}: model with ")
    embedding = ("embed", folder, "--model", model, "-o", out, "--level", "node")
    code, stdout, stderr = call(*embedding, "--jobs", 2)
    assert (code, stderr) == (0, "")
    assert stdout.startswith(f"{out}: 8 node embeddings, ")
    fitted = GSKN.load(model)
    assert (fitted.branches, fitted.pooling, fitted.alpha) == (("walk", "joint"), "mean", 2)
    (graphs, nodes), rows, _ = rows_of(out)
    np.testing.assert_array_equal(rows, fitted.transform_nodes(read_graphs(folder)))
    assert graphs == ["path"] * 3 + ["ring"] * 5
    assert nodes == ["a", "b", "c", "0", "1", "2", "3", "4"]
    metadata = pq.read_schema(out).metadata
    parameters = json.loads(metadata[b"gskn_parameters"])
    assert (parameters["walk_length"], parameters["random_state"]) == (2, 3)
    assert metadata[b"gskn_version"].startswith(b"0.")


@pytest.mark.parametrize("level", Level)
def test_rows_do_not_depend_on_chunks_or_row_groups(tmp_path, level):
    path = write_rings(tmp_path / "edges.parquet", 300)
    graphs = read_graphs(path)
    model = GSKN(random_state=0).fit_chunks(iter_graphs(path))
    expected = (
        model.transform(graphs) if level is Level.graph else model.transform_nodes(graphs)
    )
    for row_group_size in (7, 1000, 10**6):
        write_rings(path, 300, row_group_size=row_group_size)
        for chunk_edges in (50, 1111, 10**6):
            chunks = iter_graphs(path, chunk_edges=chunk_edges)
            _write_rows(chunks, model, level, tmp_path / "rows.npz")
            assert_equal(rows_of(tmp_path / "rows.npz")[1], expected)


def test_rows_of_a_folder_do_not_depend_on_chunks(tmp_path):
    folder = tmp_path / "graphs"
    folder.mkdir()
    for number, molecule in enumerate(("CCO", "c1ccccc1O", "CC(N)C(=O)O", "C1CC1", "OO")):
        (folder / f"m{number}.smi").write_text(f"{molecule}\n{molecule}C\n")
    graphs = read_graphs(folder)
    expected = GSKN(random_state=0).fit(graphs).transform(graphs)
    for chunk_edges in (1, 30, 10**6):
        chunks = list(iter_graphs(folder, chunk_edges=chunk_edges))
        model = GSKN(random_state=0).fit_chunks(chunks)
        assert_equal(np.concatenate([*map(model.transform, chunks)]), expected)
        assert GraphBatch.concat(chunks).n_graphs == 10


def test_failures_are_one_line_and_leave_no_file(tmp_path, call):
    edges = write_rings(tmp_path / "edges.parquet", 3)
    empty = tmp_path / "empty.parquet"
    pq.write_table(pq.read_table(edges).slice(0, 0), empty)
    table = pq.read_table(edges)
    again = tmp_path / "again.parquet"
    pq.write_table(pa.concat_tables([table, table.slice(0, 2)]), again)
    model, out = tmp_path / "m.gskn", tmp_path / "out" / "rows.csv"
    GSKN(branches="walk").fit(read_graphs(edges)).save(model)
    for arguments, message in (
        ((edges, "-o", tmp_path / "out" / "rows.txt"), "must end in one of"),
        ((edges, "-o", edges / "rows.csv"), "is not a folder"),
        ((edges, "-o", edges), "is the input"),
        ((tmp_path, "-o", tmp_path / "rows.csv"), "whose files are read as graphs"),
        (("nothing", "-o", out), "It is not a file or folder, either"),
        (("./MUTAG", "-o", out), "no file or folder './MUTAG'"),
        ((edges, "-o", out, "--model", "none"), "no file 'none'"),
        ((edges, "-o", out, "--model", edges), "not a model"),
        ((edges, "-o", out, "--walk-length", 0), "walk_length must be at least 1"),
        ((edges, "-o", out, "--branches", "walks"), "branches must be"),
        ((empty, "-o", out), "no graphs to fit to"),
        ((empty, "-o", out, "--model", model), "no graphs in the input"),
        ((again, "-o", out, "--model", model), "graph 0 are not consecutive"),
    ):
        code, stdout, stderr = call("embed", *arguments)
        assert (code, stdout) == (1, ""), arguments
        assert stderr.count("\n") == 1
        assert message in stderr
        assert not any((tmp_path / "out").glob("*"))
    assert call("embed", edges, "-o", out, "--model", model, "--seed", 1)[0] == 2
    assert call("embed", edges)[0] == 2
    assert "is the input" in call("fit", edges, "-o", edges)[2]
    other = tmp_path / "m.npz"
    other.write_bytes(model.read_bytes())
    assert "is the model" in call("embed", edges, "-o", other, "--model", other)[2]
    assert other.read_bytes() == model.read_bytes()
    assert "is a folder" in call("fit", edges, "-o", tmp_path)[2]


@pytest.fixture(scope="module")
def rings(tmp_path_factory):
    """Return a folder with a small and a large table, and a model for both."""
    folder = tmp_path_factory.mktemp("rings")
    small = write_rings(folder / "small.parquet", 15_000)
    write_rings(folder / "large.parquet", 60_000)
    model = GSKN(branches="walk", walk_length=4, random_state=0)
    model.fit_chunks(iter_graphs(small)).save(folder / "m.gskn")
    return folder


@pytest.mark.parametrize(
    ("suffix", "sign"), [(".csv", signal.SIGKILL), (".npz", signal.SIGINT)]
)
def test_a_process_that_is_stopped_leaves_no_rows(tmp_path, rings, suffix, sign):
    edges, model = rings / "large.parquet", rings / "m.gskn"
    out = tmp_path / f"rows{suffix}"
    # A run in the background would hand down that Ctrl-C is to be ignored.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from gskn.cli import main; main()"
    )
    options = ("--model", model, "-o", out, "--level", "node")
    process = subprocess.Popen(
        [sys.executable, "-c", code, "embed", edges, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any(tmp_path.glob(".rows*")):  # the file that would be renamed
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(sign)
    stdout, stderr = process.communicate(timeout=60)
    interrupted = (130, "error: interrupted\n")
    assert (process.returncode, stderr) == (
        interrupted if sign == signal.SIGINT else (-signal.SIGKILL, "")
    )
    assert stdout == ""
    assert not out.exists()
    assert sign == signal.SIGKILL or list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_input(rings, tmp_path):
    """Four times the graphs, the same peak; held at once, rows would take 100 MB more."""
    n_bytes = GSKN.load(rings / "m.gskn").n_features_out_ * 8 * 9.5 * 60_000
    assert n_bytes > 130e6
    peaks = [
        _peak_megabytes(rings, name, tmp_path / "o.npz") for name in ("small", "large")
    ]
    assert peaks[1] - peaks[0] < 50


def _peak_megabytes(folder, name, out):
    code = (
        "import resource, sys; from gskn.cli import app; sys.argv[0] = 'gskn'\n"
        "app(standalone_mode=False)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    options = ("--model", folder / "m.gskn", "-o", out, "--level", "node")
    result = subprocess.run(
        [sys.executable, "-c", code, "embed", folder / f"{name}.parquet", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    kilobytes = int(result.stdout.splitlines()[-1]) / (
        1024 if sys.platform == "darwin" else 1
    )
    return kilobytes / 1024
