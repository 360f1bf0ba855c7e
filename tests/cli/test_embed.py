import json
import signal
import subprocess
import sys

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from gskn import GSKN, GraphBatch, datasets, read_graphs
from gskn.cli._embed import Level, _write_rows
from gskn.graphs import iter_graphs
from tests.cli.processes import run_until


def write_rings(path, n_graphs, *, row_group_size=None):
    """Write rings of 5 to 14 nodes with a chord each, as one table of edges."""
    sizes = np.random.default_rng(0).integers(5, 15, n_graphs)
    source = [np.append(np.arange(size), 0) for size in sizes]
    target = [np.append((np.arange(size) + 1) % size, size // 2) for size in sizes]
    graph = np.repeat(np.arange(n_graphs), sizes + 1)
    columns = {"graph": graph, "source": np.hstack(source), "target": np.hstack(target)}
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return path


def read_embeddings(path):
    """Return ids, embeddings and names of columns from a file of any format."""
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


def assert_equal(embeddings, expected):
    """Compare up to rounding, which depends on the number of rows of a matrix product."""
    np.testing.assert_allclose(embeddings, expected, rtol=1e-10, atol=1e-12)


def test_command_embeds_all_files_of_a_pattern(tmp_path, call):
    table = pq.read_table(write_rings(tmp_path / "all.parquet", 30))
    graphs = table["graph"].to_numpy()
    for part in range(3):
        rows = table.filter(pa.array(graphs // 10 == part))
        pq.write_table(rows, tmp_path / f"rings-{part}.parquet")
    outs = []
    for name in ("all", "rings-*"):
        outs.append(tmp_path / f"{name[:3]}.csv")
        result = call("embed", tmp_path / f"{name}.parquet", "-o", outs[-1])
        assert result.returncode == 0, result.stderr
    (one_ids, one, _), (other_ids, other, _) = map(read_embeddings, outs)
    assert one_ids == other_ids
    assert_equal(other, one)
    result = call("embed", tmp_path / "r*", "-o", tmp_path / "rows.parquet")
    assert "matches" in result.stderr


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
def test_command_writes_embeddings_of_the_library(tmp_path, call, suffix):
    out = tmp_path / f"embeddings{suffix}"
    result = call("embed", "MUTAG", "-o", out)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{out}: 188 graph embeddings, ")
    assert result.stderr == ""
    graphs = datasets.load("MUTAG").graphs
    model = GSKN(random_state=0).fit(graphs)
    (names,), embeddings, features = read_embeddings(out)
    np.testing.assert_array_equal(embeddings, model.transform(graphs))
    assert names == list(range(188))
    assert features == model.get_feature_names_out().tolist()
    assert list(tmp_path.glob("*")) == [out]


def test_several_poolings_are_separated_by_commas(tmp_path, call):
    path = write_rings(tmp_path / "edges.parquet", 10)
    model, out = tmp_path / "m.gskn", tmp_path / "embeddings.parquet"
    assert call("fit", path, "-o", model, "--pooling", "mean, log")[0] == 0
    fitted = GSKN.load(model)
    assert fitted.pooling == ("mean", "log")
    for level, names in (
        ("graph", fitted.get_feature_names_out()),
        ("node", fitted.get_node_feature_names_out()),
    ):
        code, stdout, _ = call("embed", path, "--model", model, "-o", out, "--level", level)
        assert code == 0
        assert f" {len(names)} columns" in stdout
        _, embeddings, columns = read_embeddings(out)
        assert columns == names.tolist()
        assert embeddings.shape[1] == len(names)
    code, _, stderr = call("fit", path, "-o", model, "--pooling", "mean,max")
    assert code != 0
    assert "pooling must be one of" in stderr


def test_saved_model_embeds_nodes(tmp_path, call):
    folder, model = tmp_path / "graphs", tmp_path / "m.gskn"
    out = tmp_path / "embeddings.parquet"
    folder.mkdir()
    nx.write_graphml(nx.Graph([("a", "b"), ("b", "c")]), folder / "path.graphml")
    nx.write_edgelist(nx.cycle_graph(5), folder / "ring.edgelist")
    options = ("--branches", "walk, joint", "--walk-length", 2, "--pooling", "mean")
    fit = ("fit", folder, "-o", model, *options)
    code, stdout, stderr = call(*fit, "--seed", 3, "--alpha", 2)
    assert (code, stderr) == (0, "")
    assert stdout.startswith(f"{model}: model with ")
    embedding = ("embed", folder, "--model", model, "-o", out, "--level", "node")
    code, stdout, stderr = call(*embedding, "--jobs", 2)
    assert (code, stderr) == (0, "")
    assert stdout.startswith(f"{out}: 8 node embeddings, ")
    fitted = GSKN.load(model)
    assert (fitted.branches, fitted.pooling, fitted.alpha) == (("walk", "joint"), "mean", 2)
    (graphs, nodes), embeddings, _ = read_embeddings(out)
    expected = fitted.transform_nodes(read_graphs(folder))
    np.testing.assert_array_equal(embeddings, expected)
    assert graphs == ["path"] * 3 + ["ring"] * 5
    assert nodes == ["a", "b", "c", "0", "1", "2", "3", "4"]
    metadata = pq.read_schema(out).metadata
    parameters = json.loads(metadata[b"gskn_parameters"])
    assert (parameters["walk_length"], parameters["random_state"]) == (2, 3)
    assert metadata[b"gskn_version"].startswith(b"0.")


@pytest.mark.parametrize("level", Level)
def test_embeddings_do_not_depend_on_chunks_or_row_groups(tmp_path, level):
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
            _write_rows(chunks, model, level, tmp_path / "embeddings.npz")
            assert_equal(read_embeddings(tmp_path / "embeddings.npz")[1], expected)


def test_embeddings_of_a_folder_do_not_depend_on_chunks(tmp_path):
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


def test_failures_print_one_line_and_leave_no_file(tmp_path, call):
    edges = write_rings(tmp_path / "edges.parquet", 3)
    empty = tmp_path / "empty.parquet"
    pq.write_table(pq.read_table(edges).slice(0, 0), empty)
    table = pq.read_table(edges)
    again = tmp_path / "again.parquet"
    pq.write_table(pa.concat_tables([table, table.slice(0, 2)]), again)
    model, out = tmp_path / "m.gskn", tmp_path / "out" / "embeddings.csv"
    GSKN(branches="walk").fit(read_graphs(edges)).save(model)
    for arguments, message in (
        ((edges, "-o", tmp_path / "out" / "embeddings.txt"), "must end in one of"),
        ((edges, "-o", edges / "embeddings.csv"), "is not a folder"),
        ((edges, "-o", edges), "is the input"),
        ((tmp_path, "-o", tmp_path / "embeddings.csv"), "whose files are read as graphs"),
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


def test_a_large_graph_is_read_from_arrays_and_written_in_ranges(
    tmp_path, call, monkeypatch
):
    matrix = nx.to_scipy_sparse_array(nx.lollipop_graph(6, 20), format="csr")
    folder = tmp_path / "graph"
    folder.mkdir()
    np.save(folder / "indptr.npy", matrix.indptr)
    np.save(folder / "indices.npy", matrix.indices)
    out = tmp_path / "nodes.parquet"
    monkeypatch.setattr("gskn.estimators._gskn.EMBEDDING_CHUNK_CELLS", 700)
    result = call("embed", folder, "-o", out, "--level", "node", "--seed", 0)
    assert result.returncode == 0, result.stderr
    table = pq.read_table(out)
    assert table["node"].to_pylist() == list(range(26))
    model = GSKN(random_state=0).fit(read_graphs(folder))
    values = np.column_stack([table[name] for name in table.column_names[2:]])
    expected = list(model.iter_nodes(read_graphs(folder)))
    assert len(expected) > 2
    np.testing.assert_allclose(values, np.concatenate(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
@pytest.mark.parametrize(
    ("suffix", "sign", "expected"),
    [
        (".csv", signal.SIGKILL, (-signal.SIGKILL, "", "")),
        (".npz", signal.SIGINT, (130, "", "error: interrupted\n")),
    ],
)
def test_stopped_process_leaves_no_output_file(tmp_path, suffix, sign, expected):
    edges, model = write_rings(tmp_path / "edges.parquet", 7000), tmp_path / "m.gskn"
    chunks = list(iter_graphs(edges))
    GSKN(branches="walk", random_state=0).fit(chunks[0]).save(model)
    assert len(chunks) > 2
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / f"embeddings{suffix}"
    # The first chunk is written when the second one is embedded.
    arguments = ("embed", edges, "--model", model, "-o", out, "--level", "node")
    result = run_until(("gskn", "GSKN", "iter_nodes"), 2, sign, *arguments)
    assert result == expected
    remaining = [path.name for path in folder.iterdir()]
    if sign == signal.SIGKILL:
        (temporary,) = remaining
        assert temporary.startswith(".embeddings")
    else:
        assert remaining == []


@pytest.fixture(scope="module")
def rings(tmp_path_factory):
    """Return a folder with a small and a large table, and a model for both."""
    folder = tmp_path_factory.mktemp("rings")
    small = write_rings(folder / "small.parquet", 15_000)
    write_rings(folder / "large.parquet", 60_000)
    model = GSKN(branches="walk", walk_length=4, random_state=0)
    model.fit_chunks(iter_graphs(small)).save(folder / "m.gskn")
    return folder


@pytest.mark.slow  # embeds 60,000 graphs
def test_memory_does_not_grow_with_the_input(rings, tmp_path):
    """Four times the graphs need no more memory; all embeddings at once take 100 MB."""
    n_bytes = GSKN.load(rings / "m.gskn").n_node_features_out_ * 8 * 9.5 * 60_000
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


def test_molecules_that_cannot_be_read_are_skipped_and_listed(call, tmp_path):
    (tmp_path / "m.smi").write_text("CCO\nC( broken\nCCN\n" + "C" * 100_000 + "\n")
    out = tmp_path / "out" / "e.csv"
    result = call("embed", tmp_path / "m.smi", "-o", out)
    assert result.returncode == 0
    assert "2 graph embeddings" in result.stdout
    assert "Skipped 2 molecules" in result.stderr
    rejected = (out.parent / "e.csv.rejected").read_text().splitlines()
    assert rejected[0] == "file\tnumber\treason\tline"
    assert rejected[1].split("\t")[1:4:2] == ["2", "C( broken"]
    assert "too many" in rejected[2]
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "m.smi").rename(folder / "m.smi")
    again = call("embed", folder, "-o", tmp_path / "f.csv")
    assert again.returncode == 0
    assert "Skipped 2 molecules" in again.stderr
    assert len((tmp_path / "f.csv.rejected").read_text().splitlines()) == 3


def test_a_file_without_any_molecule_that_can_be_read_raises(call, tmp_path):
    (tmp_path / "m.smi").write_text("C( broken\nC((\n")
    result = call("embed", tmp_path / "m.smi", "-o", tmp_path / "e.csv")
    assert result.returncode == 1
    message = " ".join(result.stderr.split())
    assert "No molecule of" in message
    assert "can be read (2 in total)" in message
    assert "number 1: RDKit cannot read 'C('." in message
    assert not (tmp_path / "e.csv").exists()


def test_describe_counts_molecules_that_cannot_be_read(call, tmp_path):
    (tmp_path / "m.csv").write_text("smiles\nCCO\nC(\n")
    result = call("describe", tmp_path / "m.csv", "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)[0]["edge_labels"] == 1
    assert "Skipped 1 molecule that cannot be read" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["m.csv"]
