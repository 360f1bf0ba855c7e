import re
import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given

from gskn import GraphBatch, as_batch
from gskn.exceptions import GsknError, InputError, UnsupportedInputError
from tests.reference.graphs import (
    Spec,
    adjacency,
    check_batch,
    check_same,
    labels_of,
)
from tests.strategies import spec_lists

# --- the same graphs in the formats of all libraries -------------------------------------


def to_networkx(spec: Spec):
    graph = (nx.MultiDiGraph if spec.directed else nx.MultiGraph)()
    for node in range(spec.n_nodes):
        data = {} if spec.labels is None else {"label": spec.labels[node]}
        if spec.attributes is not None:
            data["attributes"] = spec.attributes[node]
        graph.add_node(node, **data)
    for number, (u, v) in enumerate(spec.edges):
        data = {} if spec.weights is None else {"weight": spec.weights[number]}
        graph.add_edge(u, v, **data)
    return graph


def to_igraph(spec: Spec):
    graph = igraph.Graph(n=spec.n_nodes, edges=spec.edges, directed=spec.directed)
    if spec.labels is not None:
        graph.vs["label"] = spec.labels
    if spec.attributes is not None:
        graph.vs["attributes"] = spec.attributes
    if spec.weights is not None:
        graph.es["weight"] = spec.weights
    return graph


@given(spec_lists())
def test_networkx_multigraphs(specs):
    check_batch(as_batch([to_networkx(spec) for spec in specs]), specs)


@given(spec_lists())
def test_igraph(specs):
    batch = as_batch([to_igraph(spec) for spec in specs])
    check_batch(batch, specs)
    if any(spec.n_nodes for spec in specs):
        check_same(batch, as_batch([to_networkx(spec) for spec in specs]))


@given(spec_lists(labelled=False, n_attributes=0))
def test_matrices_sparse_and_dense(specs):
    matrices = [adjacency(spec) for spec in specs]
    check_batch(as_batch(matrices), specs)
    for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix):
        check_batch(as_batch([kind(matrix) for matrix in matrices]), specs)


@given(spec_lists(labelled=False, n_attributes=1, weighted=False, directed=True))
def test_edge_index_pairs(specs):
    pairs = [
        (
            np.array(spec.edges, dtype=np.int64).reshape(-1, 2).T,
            np.array(spec.attributes).reshape(spec.n_nodes, 1),
        )
        for spec in specs
    ]
    batch = as_batch(pairs)
    check_batch(batch, specs)
    if batch.n_nodes:
        rows = np.concatenate([rows for _, rows in pairs])
        np.testing.assert_array_equal(batch.node_attributes, rows)


@given(spec_lists(labelled=True, n_attributes=0, weighted=False, directed=True))
def test_grakel_pairs_match_grakel(grakel, specs):
    raw = [(set(spec.edges), dict(enumerate(spec.labels))) for spec in specs]
    batch = as_batch([list(graph) for graph in raw])
    check_batch(batch, specs)
    for number, (edges, labels) in enumerate(raw):
        if edges:
            theirs = grakel.Graph(edges, labels)
            matrix = theirs.get_adjacency_matrix()
            ends = sorted({end for edge in edges for end in edge})
            ours = batch[number].adjacency.toarray()[np.ix_(ends, ends)]
            np.testing.assert_array_equal(ours, matrix)
            check_same(as_batch(theirs), batch[number])


@given(spec_lists(labelled=True, n_attributes=2))
def test_edge_and_node_tables(specs):
    edges = pd.DataFrame(
        [
            (number, f"n{u}", f"n{v}", None if spec.weights is None else spec.weights[k])
            for number, spec in enumerate(specs)
            for k, (u, v) in enumerate(spec.edges)
        ],
        columns=["graph", "source", "target", "weight"],
    ).astype({"graph": int, "source": str, "target": str, "weight": float})
    nodes = pd.DataFrame(
        [
            (number, f"n{node}", str(spec.labels[node]), *spec.attributes[node])
            for number, spec in enumerate(specs)
            for node in range(spec.n_nodes)
        ],
        columns=["graph", "node", "label", "a", "b"],
    ).astype({"graph": int, "node": str, "label": str, "a": float, "b": float})
    edges["weight"] = edges["weight"].fillna(1.0)
    filled = [spec for spec in specs if spec.n_nodes]  # a table has no empty graphs
    filled = [
        Spec(s.n_nodes, s.edges, s.weights or [1.0] * len(s.edges), directed=s.directed)
        for s in filled
    ]
    for directed in (True, False):
        expected = [Spec(s.n_nodes, s.edges, s.weights, directed=directed) for s in filled]
        for shuffled in (edges, edges.sample(frac=1, random_state=0)):
            options = {"nodes": nodes, "directed": directed, "node_attributes": ["a", "b"]}
            batch = as_batch(shuffled, **options)
            check_batch(batch, expected)
            check_same(as_batch(pa.Table.from_pandas(shuffled), **options), batch)
    labels = [str(label) for spec in specs if spec.n_nodes for label in spec.labels]
    assert (labels_of(batch) or []) == labels


# --- documented rules -------------------------------------------------------------------


def test_batch_is_returned_unchanged():
    batch = as_batch(nx.path_graph(3))
    assert as_batch(batch) is batch


def test_hashable_node_ids_keep_their_order():
    graph = nx.Graph([("b", ("x", 1)), (("x", 1), 3.5), (3.5, frozenset({1}))])
    assert as_batch(graph).node_names.tolist() == ["b", ("x", 1), 3.5, frozenset({1})]
    assert as_batch(nx.path_graph(3)).node_names is None


def test_arguments_select_keys():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: "C", 1: "O"}, "element")
    nx.set_node_attributes(graph, {0: 1.5, 1: 2.5}, "mass")
    nx.set_node_attributes(graph, {0: 7, 1: 8}, "charge")
    nx.set_edge_attributes(graph, 4.0, "order")
    batch = as_batch(
        graph, node_label="element", node_attributes=["mass", "charge"], edge_weight="order"
    )
    assert labels_of(batch) == ["C", "O"]
    assert batch.node_attributes.tolist() == [[1.5, 7], [2.5, 8]]
    assert batch.adjacency.toarray().tolist() == [[0, 4], [4, 0]]
    one = as_batch(graph, node_attributes="mass", edge_weight=None)
    assert one.node_attributes.tolist() == [[1.5], [2.5]]
    assert not one.is_weighted


def test_none_reads_no_data():
    spec = Spec(2, [(0, 1)], [3.0], ["a", "b"], [[1.0], [2.0]])
    options = {"node_label": None, "node_attributes": None, "edge_weight": None}
    for graph in (to_networkx(spec), to_igraph(spec)):
        check_same(as_batch(graph, **options), as_batch(nx.path_graph(2)))


def test_parallel_edges_are_merged():
    plain = nx.MultiGraph([(0, 1), (0, 1), (1, 0)])
    assert as_batch(plain).adjacency.toarray().tolist() == [[0, 1], [1, 0]]
    weighted = nx.MultiGraph()
    weighted.add_weighted_edges_from([(0, 1, 2.0), (1, 0, 3.0)])
    assert as_batch(weighted).adjacency.toarray().tolist() == [[0, 5], [5, 0]]


def test_missing_weights_are_one():
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=3.0)
    graph.add_edge(1, 2)
    assert as_batch(graph).adjacency.toarray()[1].tolist() == [3, 0, 1]


def test_undirected_table_may_list_an_edge_in_both_directions():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 0], "weight": [2.0, 2.0]})
    assert as_batch(table).adjacency.toarray().tolist() == [[0, 2], [2, 0]]
    arcs = as_batch(table.iloc[:1], directed=True)
    assert arcs.is_directed


def test_table_is_grouped_by_graph_and_sorted_by_id():
    table = pd.DataFrame({"g": ["z", "a", "a"], "u": [5, 10, 2], "v": [7, 2, 3]})
    batch = as_batch(table, columns=("g", "u", "v"))
    assert batch.graph_names.tolist() == ["a", "z"]
    assert batch.node_names.tolist() == [2, 3, 10, 5, 7]
    categorical = as_batch(table.astype({"g": "category"}), columns=("g", "u", "v"))
    check_same(categorical, batch)


def test_node_table_adds_isolated_nodes():
    edges = pa.table({"source": [0], "target": [1]})
    nodes = pa.table({"node": [2, 0, 1], "label": ["c", "a", "b"]})
    batch = as_batch(edges, nodes=nodes)
    assert batch.n_nodes == 3
    assert labels_of(batch) == ["a", "b", "c"]


def test_stack_of_matrices_is_a_sequence_of_graphs():
    assert as_batch(np.ones((4, 2, 2))).n_graphs == 4
    assert as_batch(np.ones((2, 2))).n_graphs == 1
    assert as_batch(np.zeros((0, 0))).graph_sizes.tolist() == [0]
    assert as_batch(np.zeros((0, 3, 3))).n_graphs == 0


def test_grakel_formats_of_edges():
    expected = as_batch(np.array([[0, 1], [1, 0]]))
    for edges in (
        {(0, 1), (1, 0)},
        [(0, 1), (1, 0)],
        {0: [1], 1: [0]},
        {0: {1: 1.0}, 1: {0: 1.0}},
        {(0, 1): 1.0, (1, 0): 1.0},
        np.array([[0, 1], [1, 0]]),
    ):
        batch = as_batch([(edges, {0: "a", 1: "b"})])
        np.testing.assert_array_equal(
            batch.adjacency.toarray(), expected.adjacency.toarray()
        )
        assert labels_of(batch) == ["a", "b"]
    assert as_batch([[{(0, 1), (1, 0)}]]).n_nodes == 2


def test_labels_of_every_type():
    batch = as_batch([({(0, 1)}, {0: ["a", 1], 1: np.int64(3)})])
    assert labels_of(batch) == [("a", 1), 3]
    assert type(labels_of(batch)[1]) is int
    strings = as_batch([({(0, 1)}, {0: "b", 1: "a"})])
    assert strings.label_values == ("a", "b")


def test_edge_cases():
    batch = as_batch([nx.empty_graph(0), nx.empty_graph(1), nx.Graph([(0, 0)])])
    assert batch.graph_sizes.tolist() == [0, 1, 1]
    assert batch.graph_edges.tolist() == [0, 0, 1]
    assert batch.degrees.tolist() == [0, 1]
    sink = as_batch(nx.DiGraph([(0, 1)]))
    assert sink.degrees.tolist() == [1, 0]


def test_edges_of_weight_zero_are_removed():
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=0.0)
    assert as_batch(graph).n_edges == 0
    assert as_batch(sp.csr_array(([0.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2))).n_edges == 1


def test_graphs_without_nodes_need_no_node_data():
    labelled = Spec(1, [], labels=["a"], attributes=[[1.0, 2.0]])
    batch = as_batch([nx.empty_graph(0), to_networkx(labelled), nx.empty_graph(0)])
    assert labels_of(batch) == ["a"]
    assert batch.node_attributes.shape == (1, 2)


def test_arrays_of_the_caller_are_not_modified():
    matrix = np.array([[0.0, 2.0], [2.0, 0.0]])
    ends, rows = np.array([[0, 1], [1, 0]]), np.ones((2, 1))
    sparse = sp.csr_array(matrix)
    batches = [as_batch(matrix), as_batch((ends, rows)), as_batch(sparse)]
    matrix[:] = ends[:] = 7
    rows[:] = sparse.data[:] = 7
    assert [batch.adjacency.data.max() for batch in batches] == [2, 1, 2]
    assert batches[1].node_attributes.max() == 1
    assert batches[1].adjacency.indices.tolist() == [1, 0]


def test_ids_of_any_integer_type_are_exact():
    source = np.array([2**60 + 1, 2**60 + 2], dtype=np.uint64)
    batch = as_batch(pd.DataFrame({"source": source, "target": [1, 1]}))
    assert batch.node_names.tolist() == [1, 2**60 + 1, 2**60 + 2]


def test_memory_of_a_long_id_is_proportional_to_its_length():
    ids = [f"n{number}" for number in range(20_000)]
    table = pa.table({"source": [*ids, "x" * 100_000], "target": [*ids[1:], *ids[:2]]})
    assert as_batch(table).n_nodes == 20_001


def test_text_columns_of_pandas_and_pyarrow_can_be_combined():
    edges = pd.DataFrame({"source": ["a"], "target": ["b"]})
    nodes = pa.table({"node": ["b", "a"], "attributes": [[1.0, 2.0], [3.0, 4.0]]})
    assert as_batch(edges, nodes=nodes).node_attributes.tolist() == [[3, 4], [1, 2]]


def test_sequences_may_mix_batches_and_graphs():
    batch = as_batch([as_batch(nx.path_graph(2)), nx.path_graph(3)])
    assert batch.graph_sizes.tolist() == [2, 3]
    objects = np.empty(2, dtype=object)
    objects[:] = [nx.path_graph(2), nx.path_graph(3)]
    check_same(as_batch(objects), batch)
    assert np.asarray(batch).shape == (2,)


def test_grakel_graphs_without_labels(grakel):
    assert as_batch(grakel.Graph({(0, 1), (1, 0)})).n_edges == 1


def test_explicit_zeros_are_not_edges_without_weights():
    matrix = sp.csr_array(([0.0, 5.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert as_batch(matrix, edge_weight=None).adjacency.toarray().tolist() == [
        [0, 0],
        [1, 0],
    ]


def test_nodes_with_equal_names_are_not_merged():
    graph = igraph.Graph(n=2, edges=[(0, 1)])
    graph.vs["name"] = ["a", "a"]
    assert len(as_batch(graph).to_networkx(0)) == 2


def test_unnamed_graphs_are_named_by_position():
    batch = as_batch([nx.path_graph(1), nx.Graph(name="a"), nx.path_graph(2)])
    assert batch.graph_names.tolist() == [0, "a", 2]


def test_empty_graphs_may_have_attributes():
    batch = as_batch([(np.empty((2, 0), int), np.empty((0, 3))), np.zeros((0, 0))])
    assert batch.node_attributes.shape == (0, 3)


# --- invalid input ----------------------------------------------------------------------


def bad_weight(value):
    graph = nx.path_graph(3)
    graph.edges[1, 2]["weight"] = value
    return [nx.path_graph(2), graph]


def with_node_data(key, values):
    graph = nx.path_graph(len(values))
    for node, value in enumerate(values):
        if value is not ...:
            graph.nodes[node][key] = value
    return graph


def heavy_twins():
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from([(0, 1, 1e308), (0, 1, 1e308)])
    return graph


def nested_list(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def named_nodes(names):
    graph = igraph.Graph(n=len(names))
    graph.vs["name"] = names
    return graph


BAD = {
    "infinite sum": (heavy_twins, ["add up to infinity"]),
    "text matrix": (lambda: np.array([["a", "b"]] * 2), ["must be numbers"]),
    "edge index of text": (lambda: (np.array([["a"], ["b"]]), None), ["integers"]),
    "edge index of nan": (lambda: (np.array([[np.nan], [1.0]]), None), ["integers"]),
    "no pairs": (lambda: [({1, 2}, {1: "a"})], ["Graph 0", "pairs"]),
    "unhashable ends": (lambda: [([([0], [1])], None)], ["Graph 0", "pairs"]),
    "huge id": (
        lambda: pa.table({"source": pa.array([2**64 - 1], pa.uint64()), "target": [1]}),
        ["2^63", "text"],
    ),
    "weight beyond float64": (
        lambda: bad_weight(10**400),
        ["Graph 1", "edge weights", "range of float64"],
    ),
    "weight of many digits": (
        lambda: bad_weight(10**5000),
        ["Graph 1", "range of float64"],
    ),
    "attribute beyond float64": (
        lambda: with_node_data("attributes", [[10**400]]),
        ["Graph 0", "range of float64"],
    ),
    "dict edge beyond float64": (
        lambda: [({(0, 1): 10**400}, None)],
        ["Graph 0", "range of float64"],
    ),
    "matrix beyond float64": (
        lambda: np.array([[0, 10**400], [1, 0]], dtype=object),
        ["Graph 0", "range of float64"],
    ),
    "deep attribute": (
        lambda: with_node_data("attributes", [[nested_list(3000)]]),
        ["Graph 0", "must be numbers"],
    ),
    "deep label": (
        lambda: with_node_data("label", [nested_list(3000)]),
        ["Graph 0, node 0", "nested too deep"],
    ),
    "array as name of a graph": (
        lambda: nx.Graph(name=np.arange(3)),
        ["name", "ndarray", "string"],
    ),
    "list as name of a graph": (lambda: nx.Graph(name=[1]), ["name", "list", "hashable"]),
    "arrays as names of nodes": (
        lambda: named_nodes([np.arange(2), np.arange(2)]),
        ["name", "ndarray", "string"],
    ),
    "lists as names of nodes": (lambda: named_nodes([[1], [2]]), ["name", "list"]),
    "edge index near 2^31": (
        lambda: (np.array([[0], [2**31 - 2]]), None),
        ["Graph 0", "2147483647 nodes for 1 edges", "without gaps"],
    ),
    "edge index beyond 64 bits": (
        lambda: (np.array([[0], [2**64 - 1]], dtype=np.uint64), None),
        ["Graph 0", "18446744073709551616 nodes", "without gaps"],
    ),
    "sparse matrix of few edges": (
        lambda: sp.coo_array(([1.0], ([0], [1])), shape=(2**31 - 2, 2**31 - 2)),
        ["Graph 0", "2147483646 nodes for 1 edges"],
    ),
    "negative weight": (lambda: bad_weight(-2.0), ["Graph 1", "node 1 to node 2", "-2.0"]),
    "nan weight": (lambda: bad_weight(float("nan")), ["Graph 1", "nan", "finite"]),
    "text weight": (lambda: bad_weight("heavy"), ["Graph 1", "heavy", "numbers"]),
    "nan attribute": (
        lambda: [with_node_data("attributes", [[1.0, 2.0], [3.0, np.nan]])],
        ["Graph 0, node 1", "attribute 1 is nan", "Impute"],
    ),
    "infinite attribute": (
        lambda: (np.array([[0], [1]]), np.array([[1.0], [np.inf]])),
        ["Graph 0, node 1", "inf"],
    ),
    "ragged attributes": (
        lambda: with_node_data("attributes", [[1.0, 2.0], [3.0]]),
        ["Graph 0, node 1 has 1 attributes", "node 0 has 2"],
    ),
    "other width": (
        lambda: [
            with_node_data("attributes", [[1.0]]),
            with_node_data("attributes", [[1, 2]]),
        ],
        ["Graph 1 has 2 node attributes", "graph 0 has 1"],
    ),
    "attributes in some": (
        lambda: [with_node_data("attributes", [[1.0]]), nx.path_graph(2)],
        ["Graph 1 has no node attributes", "graph 0 has"],
    ),
    "labels in some": (
        lambda: [nx.path_graph(2), with_node_data("label", ["a"])],
        ["Graph 0 has no node labels", "graph 1 has"],
    ),
    "label on some nodes": (
        lambda: [with_node_data("label", ["a", ...])],
        ["Graph 0, node 1", "'label'"],
    ),
    "nan label": (lambda: with_node_data("label", ["a", float("nan")]), ["node 1", "nan"]),
    "unhashable label": (
        lambda: with_node_data("label", [{"a": 1}]),
        ["Graph 0, node 0", "dict", "hashable"],
    ),
    "edge to nowhere": (
        lambda: [(np.array([[0], [5]]), np.ones((2, 1)))],
        ["Graph 0", "node 5", "2 nodes"],
    ),
    "negative node": (lambda: (np.array([[0], [-1]]), None), ["Graph 0", "-1"]),
    "float edge index": (lambda: (np.array([[0.5], [1.0]]), None), ["integers", "float"]),
    "rows for other nodes": (
        lambda: [({(0, 1), (1, 2)}, {0: "a", 1: "b"})],
        ["Graph 0", "node 2", "label"],
    ),
    "not square": (lambda: [np.ones((2, 3))], ["Graph 0", "square", "(2, 3)"]),
    "vector": (lambda: np.ones(3), ["(3,)", "two dimensions"]),
    "odd edge": (lambda: [({(0, 1, 2, 3)}, None)], ["(0, 1, 2, 3)"]),
    "missing column": (
        lambda: pd.DataFrame({"from": [1], "target": [2]}),
        ["'source'", "'from'", "columns="],
    ),
    "missing id": (
        lambda: pd.DataFrame({"source": [1.0, None], "target": [2, 3]}),
        ["'source'", "row 1"],
    ),
    "text weight column": (
        lambda: pd.DataFrame({"source": [1], "target": [2], "weight": ["x"]}),
        ["'weight'", "numbers"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_input_raises_a_message_of_one_line(case):
    make, words = BAD[case]
    with pytest.raises(InputError) as caught:
        as_batch(make())
    message = str(caught.value)
    assert isinstance(caught.value, GsknError | ValueError)
    assert "\n" not in message
    for word in words:
        assert word in message, message


@pytest.mark.parametrize("value", [5, None, {"a": 1}, b"bytes", object(), [1, 2], [1.5]])
def test_unsupported_types_raise(value):
    with pytest.raises(UnsupportedInputError, match="unsupported type"):
        as_batch(value)
    assert issubclass(UnsupportedInputError, TypeError)


@pytest.mark.parametrize(
    "value", [10**5000, nested_list(100_000)], ids=["many digits", "deep"]
)
def test_values_without_a_repr_raise(value):
    for graphs in (value, [value], [nx.path_graph(2), value]):
        with pytest.raises(UnsupportedInputError, match="unsupported type") as caught:
            as_batch(graphs)
        assert re.search(r"16610 bits|<list>", str(caught.value))
    for option in ("node_label", "edge_weight", "directed", "columns", "nodes"):
        with pytest.raises(InputError, match="16610 bits|<list>"):
            as_batch(pa.table({"source": [0], "target": [1]}), **{option: value})


def test_large_integers_may_be_names_and_labels():
    graph = nx.Graph([(10**400, 10**5000), (0, "a")])
    nx.set_node_attributes(graph, {10**400: 10**5000, 10**5000: "x", 0: 1, "a": 2}, "label")
    batch = as_batch(graph)
    assert batch.node_names.tolist() == [10**400, 10**5000, 0, "a"]
    assert labels_of(batch) == [10**5000, "x", 1, 2]
    edges = [({(10**5000, "a"), ("a", 10**5000)}, None)]
    assert as_batch(edges).n_edges == 1


def test_isolated_nodes_may_follow_the_last_edge():
    batch = as_batch((np.array([[0], [10**6]]), None))
    assert batch.n_nodes == 10**6 + 1


def test_missing_keys_raise():
    graph = nx.Graph([(0, 1, {"length": 2})])
    graph.add_node(0, color="red")
    with pytest.raises(InputError, match="'colour'.*'color'"):
        as_batch(graph, node_label="colour")
    with pytest.raises(InputError, match="'lengthy'.*'length'"):
        as_batch(graph, edge_weight="lengthy")


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (pa.table({"node": [0, 1, 1]}), ["node 1", "twice"]),
        (pa.table({"node": [0]}), ["1 more"]),
        (pa.table({"id": [0]}), ["'node'", "'id'"]),
    ],
)
def test_inconsistent_node_tables_raise(nodes, words):
    with pytest.raises(InputError) as caught:
        as_batch(pa.table({"source": [0], "target": [1]}), nodes=nodes)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"nodes": [1]},
        {"columns": ("a", "b")},
        {"node_attributes": 5},
        {"node_attributes": []},
        {"node_label": 3},
        {"directed": "yes"},
    ],
)
def test_options_of_the_wrong_type_raise(options):
    with pytest.raises(InputError, match="must"):
        as_batch(pa.table({"source": [0], "target": [1]}), **options)


def test_too_many_nodes_raise():
    huge = sp.coo_array(([1.0], ([0], [1])), shape=(2**31, 2**31))
    with pytest.raises(InputError, match="too many"):
        as_batch(huge)


# --- size ------------------------------------------------------------------------------


def ring(n_nodes):
    nodes = np.arange(n_nodes)
    return np.array([nodes, (nodes + 1) % n_nodes])


def count_lines(work) -> int:
    """Count the executed lines of Python, including comprehensions."""
    n_lines = 0

    def trace(_frame, event, _argument):
        nonlocal n_lines
        n_lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return n_lines


def convert_arrays(n_nodes):
    ends = ring(n_nodes)
    labels = np.arange(n_nodes) % 3
    pairs = as_batch((ends, np.ones((n_nodes, 2))))
    table = as_batch(
        pa.table({"source": ends[0], "target": ends[1], "weight": np.ones(n_nodes)}),
        nodes=pa.table({"node": ends[0], "label": labels}),
    )
    matrix = as_batch(sp.coo_array((np.ones(n_nodes), tuple(ends))))
    assert pairs.n_nodes == table.n_nodes == matrix.n_nodes == n_nodes
    assert pairs[0].n_edges == n_nodes


def test_number_of_python_lines_does_not_depend_on_the_number_of_nodes():
    convert_arrays(10)  # the first call imports modules
    small, large = (count_lines(lambda n=n: convert_arrays(n)) for n in (10**3, 10**6))
    assert large < small + 500  # a loop over nodes would add a million


def test_concat_accepts_a_list_of_batches():
    batches = [as_batch(nx.path_graph(n)) for n in (2, 3)]
    assert GraphBatch.concat(batches).graph_sizes.tolist() == [2, 3]
