import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gskn import GraphBatch, as_batch, datasets, read_graphs
from gskn.exceptions import FileFormatError, GsknWarning, InputError, MissingFileError
from gskn.graphs import is_streamed, iter_graphs

CHUNKS = (1, 7, 100, 2**15)


def edge_table(names, seed=0):
    """Return weighted edges of random graphs, graph by graph."""
    generator = np.random.default_rng(seed)
    graphs, ends = [], []
    for name in names:
        n_edges = int(generator.integers(1, 12))
        graphs += [name] * n_edges
        ends.append(generator.integers(0, 6, (n_edges, 2)))
    source, target = np.concatenate(ends).T
    weight = generator.random(len(source))
    return pa.table({"graph": graphs, "source": source, "target": target, "weight": weight})


def assert_same(batch, expected):
    """Compare graphs, and their names as text."""
    assert (batch.adjacency != expected.adjacency).nnz == 0
    assert batch.graph_ptr.tolist() == expected.graph_ptr.tolist()
    for names in ("graph_names", "node_names"):
        actual, wanted = getattr(batch, names), getattr(expected, names)
        assert wanted is None or [*map(str, actual)] == [*map(str, wanted)]
    labels = [
        None if b.node_labels is None else [b.label_values[n] for n in b.node_labels]
        for b in (batch, expected)
    ]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("chunk_edges", CHUNKS)
@pytest.mark.parametrize("row_group_size", [1, 5, 1000])
def test_sorted_table_equals_read_graphs(tmp_path, chunk_edges, row_group_size):
    path = tmp_path / "edges.parquet"
    pq.write_table(edge_table(range(60)), path, row_group_size=row_group_size)
    chunks = list(iter_graphs(path, chunk_edges=chunk_edges))
    assert_same(GraphBatch.concat(chunks), read_graphs(path))
    n_edges = len(edge_table(range(60)))
    assert n_edges / (chunk_edges + 11) <= len(chunks) <= 60
    assert len(chunks) == 1 or chunk_edges < 2**15
    assert chunks[0].graph_names.dtype == np.int64


@pytest.mark.parametrize("chunk_edges", CHUNKS)
def test_graphs_of_a_table_keep_its_order(tmp_path, chunk_edges):
    path = tmp_path / "edges.parquet"
    names = [f"g{number}" for number in np.random.default_rng(0).permutation(40)]
    table = edge_table(names)
    column = table["graph"].dictionary_encode()  # like categories of pandas
    pq.write_table(table.set_column(0, "graph", column), path, row_group_size=9)
    batch = GraphBatch.concat(list(iter_graphs(path, chunk_edges=chunk_edges)))
    assert batch.graph_names.tolist() == names
    by_name = read_graphs(path)
    place = {name: number for number, name in enumerate(by_name.graph_names)}
    assert_same(batch, by_name[[place[name] for name in names]])


@pytest.mark.parametrize("chunk_edges", CHUNKS)
@pytest.mark.parametrize("names", [[1, 2, 3, 2], [3, 1, 3], ["b", "a", "c", "b"]])
def test_graph_with_edges_that_are_not_consecutive_raises(tmp_path, names, chunk_edges):
    path = tmp_path / "edges.parquet"
    table = pa.table({"graph": names, "source": names, "target": names})
    pq.write_table(table, path, row_group_size=2)
    message = (
        f"graph {names[-1]!r} are not.* again in row {len(names) - 1}; sort the table by"
    )
    with pytest.raises(FileFormatError, match=message):
        list(iter_graphs(path, chunk_edges=chunk_edges))


def test_names_of_columns_of_any_type(tmp_path):
    path = tmp_path / "edges.parquet"
    dates = np.array(["2024-01-02", "2024-01-01"], dtype="datetime64[ns]")
    for names, expected in (
        (dates, [str(date) for date in dates]),
        ([0.5, 0.25], ["0.5", "0.25"]),
        (np.array([7, 3], np.uint8), [7, 3]),
        ([-1, -2], [-1, -2]),  # their hashes are equal
        ([-2, -1], [-2, -1]),
        ([2**61 - 1, 0], [2**61 - 1, 0]),
        (pa.array(np.array([2, 1], np.float16)), ["2.0", "1.0"]),
        (pa.array(["b", "a"], pa.string_view()), ["b", "a"]),
        (pa.array([True, False]), ["True", "False"]),
        (pa.array([2, 1], pa.time64("ns")), ["00:00:00.000000002", "00:00:00.000000001"]),
        (  # after the last year of Python dates
            pa.array(np.array([2**31 - 1, 0], np.int32)).view(pa.date32()),
            ["5881580-07-11", "1970-01-01"],
        ),
    ):
        pq.write_table(pa.table({"graph": names, "source": [0, 0], "target": [1, 2]}), path)
        for chunk_edges in CHUNKS:
            chunks = list(iter_graphs(path, chunk_edges=chunk_edges))
            assert [name for c in chunks for name in c.graph_names] == expected


def test_date_with_edges_that_are_not_consecutive_raises(tmp_path):
    days = pa.array(np.array([2**31 - 1, 0, 2**31 - 1], np.int32)).view(pa.date32())
    table = pa.table({"graph": days, "source": [0, 0, 0], "target": [1, 1, 1]})
    pq.write_table(table, tmp_path / "e.parquet")
    with pytest.raises(
        FileFormatError,
        match="'5881580-07-11' are not consecutive: .* row 2",
    ):
        list(iter_graphs(tmp_path / "e.parquet"))


def test_integers_of_many_digits_become_text():
    graph = nx.Graph([(10**5000, "a")], name=10**5000)
    (batch,) = iter_graphs(as_batch(graph))
    assert batch.graph_names.tolist() == [hex(10**5000)]
    assert batch.node_names.tolist() == [hex(10**5000), "a"]


def test_table_without_graph_column_is_one_graph(tmp_path):
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"source": [0, 1], "target": [1, 2]}), path)
    assert not is_streamed(path)
    (batch,) = iter_graphs(path)
    assert batch.graph_sizes.tolist() == [3]
    pq.write_table(edge_table([0]).slice(0, 0), path)
    assert list(iter_graphs(path)) == []


def test_malformed_tables_raise_with_the_row(tmp_path):
    path = tmp_path / "edges.parquet"
    good = {"graph": [1, 1, 2, 3], "source": [0, 1, 0, 0], "target": [1, 2, 1, 1]}
    for column, values, message in (
        ("graph", [1, 1, 2, None], r"no 'graph' in row 1.*Counted from row 2"),
        ("target", [1, 2, 1, None], r"no 'target' in row 0.*Counted from row 3"),
        ("weight", [1, 1, -1, 1], r"weight -1.*row 0, the first row of graph 1"),
        ("graph", [[1]] * 4, r"'graph' has the nested type list"),
    ):
        pq.write_table(pa.table({**good, column: values}), path)
        with pytest.raises(FileFormatError, match=message):
            list(iter_graphs(path, chunk_edges=2))
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(FileFormatError, match="not parquet"):
        iter_graphs(path)


@pytest.mark.parametrize("chunk_edges", CHUNKS)
def test_folder_equals_read_graphs(tmp_path, chunk_edges):
    (tmp_path / "below").mkdir()
    for size in range(3, 9):
        nx.write_graph6(nx.cycle_graph(size), tmp_path / f"ring{size}.g6")
        nx.write_edgelist(nx.path_graph(size), tmp_path / "below" / f"path{size}.edgelist")
    (tmp_path / "many.csv").write_text("graph,source,target\n4,a,b\n4,b,c\n5,a,b\n")
    (tmp_path / "labels.csv").write_text("ring3,0\n")
    chunks = list(iter_graphs(tmp_path, chunk_edges=chunk_edges))
    expected = read_graphs(tmp_path)
    assert expected.n_graphs == 14
    assert_same(GraphBatch.concat(chunks), expected)
    assert all(type(name) is str for chunk in chunks for name in chunk.graph_names)
    if chunk_edges == 100:
        assert 1 < len(chunks) < 7


@pytest.mark.parametrize("chunk_edges", CHUNKS)
def test_files_with_different_node_data_raise(tmp_path, chunk_edges):
    (tmp_path / "a.smi").write_text("CC\n")
    nx.write_graph6(nx.cycle_graph(5), tmp_path / "b.g6")
    with pytest.raises(InputError, match=r"a\.smi has node labels .*b\.g6 has no node"):
        list(iter_graphs(tmp_path, chunk_edges=chunk_edges))


def test_other_sources_are_split(tmp_path):
    graphs = datasets.load("MUTAG").graphs
    for chunk_edges in CHUNKS:
        chunks = list(iter_graphs(graphs, chunk_edges=chunk_edges))
        assert_same(GraphBatch.concat(chunks), graphs)
        assert chunks[-1].graph_names[-1] == 187
    nx.write_graph6(nx.cycle_graph(5), tmp_path / "ring.g6")
    (batch,) = iter_graphs(tmp_path / "ring.g6")
    assert batch.graph_names.tolist() == ["ring"]
    assert batch.node_names.tolist() == [0, 1, 2, 3, 4]


def test_missing_and_empty_sources_raise_immediately(tmp_path):
    with pytest.raises(MissingFileError, match="nowhere"):
        iter_graphs(tmp_path / "nowhere")
    (tmp_path / "image.png").touch()
    with (
        pytest.raises(MissingFileError, match="has no graph files"),
        pytest.warns(GsknWarning, match="image"),
    ):
        list(iter_graphs(tmp_path))
    with pytest.raises(InputError, match="chunk_edges must be at least 1"):
        iter_graphs(tmp_path, chunk_edges=0)


def write_edges(path, graphs):
    columns = {"graph": graphs, "source": [0] * len(graphs), "target": [1] * len(graphs)}
    pq.write_table(pa.table(columns), path)


def test_files_that_match_a_pattern_are_read_in_order(tmp_path):
    write_edges(tmp_path / "edges-2.parquet", [5, 6])
    write_edges(tmp_path / "edges-1.parquet", [9, 1])
    chunks = list(iter_graphs(tmp_path / "edges-*.parquet", chunk_edges=1))
    assert [name for chunk in chunks for name in chunk.graph_names] == [9, 1, 5, 6]
    write_edges(tmp_path / "edges-3.parquet", ["a", "b"])
    names = [n for c in iter_graphs(str(tmp_path / "e*.parquet")) for n in c.graph_names]
    assert names == [9, 1, 5, 6, "a", "b"]


def test_a_graph_in_two_files_of_a_pattern_raises(tmp_path):
    write_edges(tmp_path / "edges-1.parquet", [1, 2])
    write_edges(tmp_path / "edges-2.parquet", [2, 3])
    with pytest.raises(FileFormatError, match="edges-2.*graph 2 are not consecutive"):
        list(iter_graphs(tmp_path / "edges-*.parquet"))


def test_patterns_need_parquet_files(tmp_path):
    with pytest.raises(MissingFileError, match="No file matches"):
        iter_graphs(tmp_path / "edges-*.parquet")
    (tmp_path / "edges.csv").write_text("0,1\n")
    with pytest.raises(InputError, match="not a parquet file of edges"):
        iter_graphs(tmp_path / "edges.*")
