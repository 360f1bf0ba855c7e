"""Labels and attributes of edges: definition, indexing, and every format."""

import json
import pickle

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import GraphBatch, as_batch, datasets, read_graphs
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs import GraphParts, assemble, iter_graphs
from gskn.graphs._edge_data import split_features
from tests.graphs.test_tu import write
from tests.reference.graphs import (
    Spec,
    check_batch,
    check_edge_data,
    check_same,
    edge_labels_of,
)
from tests.strategies import edge_spec_lists


def part(spec: Spec) -> GraphParts:
    ends = np.array(spec.edges, dtype=np.int64).reshape(-1, 2)
    return GraphParts(
        [spec.n_nodes],
        ends[:, 0],
        ends[:, 1],
        spec.weights,
        spec.labels,
        spec.attributes,
        directed=spec.directed,
        edge_labels=spec.edge_labels,
        edge_attributes=spec.edge_attributes,
    )


def batch_of(specs):
    return assemble([part(spec) for spec in specs])


def edge_data(spec: Spec, number: int) -> dict:
    columns = {
        "weight": spec.weights,
        "label": spec.edge_labels,
        "attributes": spec.edge_attributes,
    }
    return {key: column[number] for key, column in columns.items() if column is not None}


# --- definition, indexing, joining -------------------------------------------------------


@pytest.mark.reference
@given(edge_spec_lists())
def test_edge_data_matches_its_definition(specs):
    batch = batch_of(specs)
    check_batch(batch, specs)
    check_edge_data(batch, specs)


@given(edge_spec_lists(), st.data())
def test_indexing_equals_building_from_the_subset(specs, data):
    batch = batch_of(specs)
    numbers = st.integers(-len(specs), len(specs) - 1) if specs else st.nothing()
    chosen = data.draw(st.lists(numbers, max_size=6)) if specs else []
    subset = [specs[number] for number in chosen]
    for key in (chosen, np.array(chosen, dtype=int), (np.array(chosen, dtype=int), ...)):
        taken = batch[key]
        check_batch(taken, subset)
        check_edge_data(taken, subset)
    for number, spec in enumerate(specs):
        check_edge_data(batch[number], [spec])
    check_edge_data(batch[::2], specs[::2])


@given(edge_spec_lists(min_size=1))
def test_concat_and_pickle_keep_edge_data(specs):
    batch = batch_of(specs)
    joined = GraphBatch.concat(list(batch))
    check_edge_data(joined, specs)
    check_same(pickle.loads(pickle.dumps(batch)), batch)
    check_edge_data(GraphBatch.concat(list(iter_graphs(batch, chunk_edges=3))), specs)


@given(edge_spec_lists(min_size=1), st.randoms())
def test_permuted_nodes_have_permuted_edge_data(specs, random):
    permuted = []
    for spec in specs:
        order = random.sample(range(spec.n_nodes), spec.n_nodes)
        edges = [(order[u], order[v]) for u, v in spec.edges]
        permuted.append((order, Spec(**{**vars(spec), "edges": edges})))
    batch, other = batch_of(specs), batch_of([spec for _, spec in permuted])
    for number, (order, _) in enumerate(permuted):
        left, right = batch[number], other[number]
        np.testing.assert_array_equal(by_pair(left, order), by_pair(right))


def by_pair(graph, order=None):
    """Return the edge data of a graph as a dense array of pairs of nodes, as text."""
    entries = graph.adjacency.tocoo()
    dense = np.full((graph.n_nodes, graph.n_nodes), "", dtype=object)
    labels = edge_labels_of(graph) or [None] * len(entries.row)
    for number, (u, v) in enumerate(zip(entries.row, entries.col, strict=True)):
        row = None if graph.edge_attributes is None else graph.edge_attributes[number]
        pair = (u, v) if order is None else (order[u], order[v])
        dense[pair] = repr((labels[number], None if row is None else row.tolist()))
    return dense


def test_a_batch_without_edge_data_has_none():
    batch = as_batch(nx.path_graph(3))
    assert batch.edge_labels is None
    assert batch.edge_attributes is None
    assert batch.edge_label_values == ()
    assert batch.without_edge_data() is batch
    assert batch.nbytes == batch[:].nbytes


def test_labels_of_different_types_keep_their_values():
    graph = nx.Graph([(0, 1, {"label": 1}), (1, 2, {"label": "b"}), (2, 3, {"label": [2]})])
    batch = as_batch(graph)
    assert {*edge_labels_of(batch)} == {1, "b", (2,)}
    assert "n_edge_labels=3" in repr(batch)
    assert batch.without_edge_data().edge_labels is None


def test_concat_matches_labels_by_value_and_requires_them_everywhere():
    single = nx.Graph([(0, 1, {"label": "b"})])
    double = nx.Graph([(0, 1, {"label": "a"})])
    empty = as_batch(nx.empty_graph(2))
    joined = GraphBatch.concat([as_batch(single), empty, as_batch(double)])
    assert joined.edge_label_values == ("a", "b")
    assert edge_labels_of(joined) == ["b", "b", "a", "a"]
    with pytest.raises(InputError, match="Batch 1 has no edge labels.*without_edge_data"):
        GraphBatch.concat([as_batch(single), as_batch(nx.path_graph(2))])


# --- conflicts ---------------------------------------------------------------------------


def test_different_labels_of_one_edge_raise():
    graph = nx.MultiGraph([(0, 1, {"label": "a"}), (1, 2, {"label": "b"})])
    graph.add_edge(2, 1, label="c")
    with pytest.raises(
        InputError, match="Graph 1, the edge from node 1 to node 2 .*'b'.*'c'"
    ):
        as_batch([nx.Graph([(0, 1, {"label": "x"})]), graph])
    assert as_batch(graph, edge_label=None).edge_labels is None


def test_different_attributes_of_one_edge_raise():
    graph = nx.MultiDiGraph([(0, 1, {"attributes": [1.0]}), (0, 1, {"attributes": [2.0]})])
    with pytest.raises(
        InputError, match="edge from node 0 to node 1 .*edge_attributes=None"
    ):
        as_batch(graph)


def test_directed_graphs_may_label_both_directions_differently():
    graph = nx.DiGraph([(0, 1, {"label": "a"}), (1, 0, {"label": "b"})])
    batch = as_batch([graph, nx.Graph([(0, 1, {"label": "a"})])])
    assert batch.directed.tolist() == [True, False]
    assert dict(batch.to_networkx(0).edges) == dict(graph.edges)
    with pytest.raises(InputError, match="edge from node 0 to node 1"):
        as_batch(graph, directed=False)


def test_incomplete_labels_raise_with_the_edge():
    graph = nx.Graph([("u", "v", {"label": 1}), ("v", "w", {})])
    with pytest.raises(
        InputError, match="edge from 'v' to 'w' has no edge data 'label'.*None"
    ):
        as_batch(graph)
    with pytest.raises(InputError, match="no edge data 'bond'"):
        as_batch(graph, edge_label="bond")


def test_attributes_that_are_not_finite_or_of_unequal_length_raise():
    graph = nx.Graph([(0, 1, {"attributes": [1.0]}), (1, 2, {"attributes": [np.nan]})])
    with pytest.raises(InputError, match="edge from node 1 to node 2: attribute 0 is nan"):
        as_batch(graph)
    graph.edges[1, 2]["attributes"] = [1.0, 2.0]
    with pytest.raises(InputError, match="has 2 attributes, but the first edge has 1"):
        as_batch(graph)


# --- every format gives the same batch ---------------------------------------------------


def to_networkx(spec: Spec):
    graph = (nx.MultiDiGraph if spec.directed else nx.MultiGraph)()
    graph.add_nodes_from(range(spec.n_nodes))
    for number, (u, v) in enumerate(spec.edges):
        graph.add_edge(u, v, **edge_data(spec, number))
    return graph


@given(edge_spec_lists(labelled=False, n_attributes=0))
def test_networkx_round_trip(specs):
    batch = as_batch([to_networkx(spec) for spec in specs])
    if any(spec.edges for spec in specs):
        check_same(batch, batch_of(specs))
    again = as_batch([batch.to_networkx(number) for number in range(batch.n_graphs)])
    if batch.adjacency.nnz:
        check_same(again, batch)


@given(edge_spec_lists(labelled=False, n_attributes=0))
def test_igraph(specs):
    graphs = []
    for spec in specs:
        graph = igraph.Graph(n=spec.n_nodes, edges=spec.edges, directed=spec.directed)
        for key, column in (
            ("weight", spec.weights),
            ("label", spec.edge_labels),
            ("attributes", spec.edge_attributes),
        ):
            if column is not None:
                graph.es[key] = column
        graphs.append(graph)
    if any(spec.edges for spec in specs):
        check_same(as_batch(graphs), batch_of(specs))


LABELLED = nx.Graph()
LABELLED.add_edge("a", "b", label="x")
LABELLED.add_edge("b", "c", label="y")
LABELLED.add_edge("c", "a", label="x")


def expected():
    return as_batch(LABELLED)


def test_named_keys():
    graph = nx.Graph()
    graph.add_edge("a", "b", bond=1, length=0.5, energy=2)
    batch = as_batch(graph, edge_label="bond", edge_attributes=["length", "energy"])
    assert edge_labels_of(batch) == [1, 1]
    assert batch.edge_attributes.tolist() == [[0.5, 2], [0.5, 2]]


@pytest.mark.parametrize("suffix", [".graphml", ".gml", ".json"])
def test_files_of_networkx(tmp_path, suffix):
    path = tmp_path / f"g{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps(nx.node_link_data(LABELLED, edges="links")))
    else:
        getattr(nx, f"write_{suffix[1:]}")(LABELLED, path)
    check_same(read_graphs(path), expected())


def test_edge_list_of_networkx(tmp_path):
    nx.write_edgelist(LABELLED, tmp_path / "g.edgelist")
    check_same(read_graphs(tmp_path / "g.edgelist"), expected())
    (tmp_path / "h.edgelist").write_text("a b {'label': 'x'}\nb c {}\n")
    with pytest.raises(FileFormatError, match="line 2: the edge has no 'label'"):
        read_graphs(tmp_path / "h.edgelist")


def edge_table():
    rows = [(u, v, data["label"], 0.5) for u, v, data in LABELLED.edges(data=True)]
    return pd.DataFrame(rows, columns=["source", "target", "edge_label", "length"])


def test_tables_and_files_of_tables(tmp_path):
    table = edge_table()
    table.to_csv(tmp_path / "g.csv", index=False)
    table.to_parquet(tmp_path / "g.parquet")
    sources = [
        table,
        pa.Table.from_pandas(table),
        tmp_path / "g.csv",
        tmp_path / "g.parquet",
    ]
    for source in sources:
        check_same(as_batch(source), expected())
        batch = as_batch(source, edge_label=None, edge_attributes="length")
        assert batch.edge_labels is None
        assert batch.edge_attributes.tolist() == [[0.5]] * 6
        named = as_batch(source, edge_label="length")
        assert {*map(float, edge_labels_of(named))} == {0.5}


def test_columns_of_tables_are_checked(tmp_path):
    with pytest.raises(InputError, match="no column 'bond'"):
        as_batch(edge_table(), edge_label="bond")
    with pytest.raises(InputError, match="no column 'bond'"):
        as_batch(edge_table(), edge_attributes=["bond"])
    (tmp_path / "g.csv").write_text("source,target,edge_attributes\na,b,1.5\nb,c,x\n")
    with pytest.raises(FileFormatError, match="line 3: the edge attribute 'x'"):
        read_graphs(tmp_path / "g.csv")


def test_a_column_label_of_an_edge_table_is_not_read():
    table = edge_table().rename(columns={"edge_label": "label"})
    assert as_batch(table).edge_labels is None


def test_chunks_of_a_parquet_file_have_edge_labels(tmp_path):
    rows = [(g, n, n + 1, f"l{n % 2}") for g in range(20) for n in range(5)]
    table = pd.DataFrame(rows, columns=["graph", "source", "target", "edge_label"])
    table.to_parquet(tmp_path / "g.parquet")
    chunks = list(iter_graphs(tmp_path / "g.parquet", chunk_edges=12))
    assert len(chunks) > 1
    check_same(GraphBatch.concat(chunks), as_batch(table))


def test_folders_require_the_same_edge_data(tmp_path):
    (tmp_path / "a.csv").write_text("source,target,edge_label\n0,1,x\n")
    (tmp_path / "b.csv").write_text("source,target\n0,1\n")
    with pytest.raises(InputError, match="cannot be joined"):
        read_graphs(tmp_path)
    with pytest.raises(InputError, match="a.csv has edge labels.*b.csv has no edge labels"):
        list(iter_graphs(tmp_path, chunk_edges=1))


def test_grakel(grakel):
    pairs = {(0, 1): "x", (1, 0): "x", (1, 2): "y", (2, 1): "y"}
    labels = {0: "C", 1: "C", 2: "O"}
    batch = as_batch([[set(pairs), labels, pairs]])
    assert edge_labels_of(batch) == ["x", "x", "y", "y"]
    check_same(as_batch(grakel.Graph(set(pairs), labels, pairs)), batch)
    matrix = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    check_same(as_batch([(matrix, labels, pairs)]), batch)
    check_same(as_batch(grakel.Graph(matrix, labels, pairs)), batch)
    with pytest.raises(InputError, match=r"the edge \(2, 1\) has no label"):
        as_batch([(matrix, labels, {k: v for k, v in pairs.items() if k != (2, 1)})])
    with pytest.raises(InputError, match="must be a dict"):
        as_batch([(matrix, labels, ["x"])])


# --- TU files ----------------------------------------------------------------------------


def test_tu_files(tmp_path):
    folder = write(
        tmp_path / "X",
        A="1, 2\n2, 1\n3, 4\n4, 3\n3, 4\n",
        edge_labels="5\n5\n7\n7\n7\n",
        edge_attributes="0.5, 1\n0.5, 1\n2, 3\n2, 3\n2, 3\n",
    )
    batch = read_graphs(folder)
    assert edge_labels_of(batch) == [5, 5, 7, 7]
    assert batch.edge_attributes.tolist() == [[0.5, 1], [0.5, 1], [2, 3], [2, 3]]
    assert not batch.is_directed
    plain = as_batch(folder, edge_label=None, edge_attributes=None)
    check_same(plain, batch.without_edge_data())


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"edge_labels": "1\n1\n2\n"}, "3 lines for 4 lines in X_A.txt"),
        ({"edge_labels": "1\n1\n2\n2\n2\n"}, "too many for the edges in X_A.txt"),
        ({"edge_labels": "1\n1\nx\n2\n"}, "line 3"),
        ({"edge_attributes": "1\n1\n2\nnan\n"}, "line 4: attribute 0 is nan"),
        (
            {"A": "1, 2\n2, 1\n1, 2\n3, 4\n", "edge_labels": "1\n1\n2\n2\n"},
            "the edge from node 0 to node 1 is listed with different edge labels, 1 and 2",
        ),
    ],
)
def test_malformed_edge_data_of_tu_files_raises(tmp_path, files, message):
    with pytest.raises((FileFormatError, InputError), match=message):
        read_graphs(write(tmp_path / "X", **files))


def test_mutag_has_bond_types_in_both_directions():
    graphs = datasets.load("MUTAG").graphs
    assert graphs.edge_label_values == (0, 1, 2, 3)
    assert not graphs.is_directed
    assert np.bincount(graphs.edge_labels).sum() == graphs.adjacency.nnz


# --- PyG's edge_attr ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "labels", "attributes"),
    [
        ([np.array([1, 2])], [[1, 2]], [None]),
        ([np.array([[1], [2]])], [[1, 2]], [None]),
        ([np.array([[1, 0], [2, 5]])], [[(1, 0), (2, 5)]], [None]),
        ([np.array([True, False])], [[True, False]], [None]),
        ([np.array([[0.0, 1.0], [1.0, 0.0]])], [[1, 0]], [None]),
        ([np.array([[0.0, 1.0], [0.5, 0.0]])], [None], [[[0, 1], [0.5, 0]]]),
        ([np.array([[0.0], [1.0]])], [None], [[[0], [1]]]),
        # One graph that is not one-hot makes all graphs real.
        (
            [np.array([[0.0, 1.0]]), np.array([[0.0, 2.0]])],
            [None, None],
            [[[0, 1]], [[0, 2]]],
        ),
        ([np.array([[0.0, 1.0]]), np.empty((0, 2))], [[1], []], [None, None]),
    ],
)
def test_features_are_labels_if_they_are_categorical(features, labels, attributes):
    ours = split_features(features, [len(rows) for rows in features])
    plain = [[None if x is None else np.asarray(x).tolist() for x in part] for part in ours]
    as_lists = [
        [list(row) if isinstance(row, tuple) else row for row in x or []] for x in labels
    ]
    assert [x or [] for x in plain[0]] == as_lists
    assert plain[1] == attributes
