import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.walks import _isomorphism, _rungs, distinguish
from gskn.walks._rungs import METHODS
from tests.colors.test_colors import colored_graphs, relabelings

PAIRS_AND_FIRST_METHODS = {
    "path-star": ("walks", 3),
    "spiro-fused": ("1-WL", None),
    "rings": ("patterns", 4),
    "decalin-bicyclopentyl": ("patterns", 6),
    "rook-shrikhande": ("patterns", 8),
    "hamming-doob": ("patterns", 8),
    "quadrangles": ("induced patterns", 6),
    "chains": ("1-WL from patterns", None),
    "csl": ("SSWL from patterns", None),
    "cfi-triangles": ("2-FWL from patterns", None),
    "cfi": ("individualization", None),
}


def shuffled(graph, seed):
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    return nx.relabel_nodes(graph, dict(enumerate(order)))


@pytest.mark.parametrize(
    ("make", "by_patterns", "by_induced", "pattern"),
    [
        (lambda: datasets.rings(3), 4, 3, "0-1-2-0"),
        (lambda: datasets.rings(4), 5, 4, "0-1-2-3-0"),
        (datasets.decalin_bicyclopentyl, 6, 5, "0-1-2-3-4-0"),
        (datasets.rook_shrikhande, 8, 4, "0-1-2-0-3-1-2-3"),
    ],
)
@pytest.mark.parametrize("level", ["graph", "node"])
def test_pairs_that_only_patterns_distinguish(
    make, by_patterns, by_induced, pattern, level
):
    methods = ["walks", "1-WL", "patterns", "induced patterns"]
    result = distinguish(*make().graphs, methods=methods, level=level, try_all=True)
    assert [item.distinguishes for item in result.comparisons] == [False, False, True, True]
    assert result["patterns"].length == by_patterns
    assert result["induced patterns"].length == by_induced
    assert result.method == "patterns"
    assert result.witness.pattern == pattern
    assert result.witness.counts[0] != result.witness.counts[1]
    assert pattern in result.summary


@pytest.mark.parametrize("name", PAIRS_AND_FIRST_METHODS)
def test_first_method_that_distinguishes_the_built_in_pairs(name):
    result = distinguish(*datasets.PAIRS[name]().graphs)
    assert (result.method, result.first.length) == PAIRS_AND_FIRST_METHODS[name]
    assert result.witness.counts[0] != result.witness.counts[1]
    assert all(item.distinguishes is False for item in result.comparisons[:-1])
    assert result.is_isomorphic is None


def test_four_vertex_condition_hides_patterns_and_pairs():
    """Up to 4 nodes, both quadrangles have the same subgraphs around every pair."""
    methods = ["1-WL", "patterns", "2-FWL", "2-FWL from patterns", "individualization"]
    result = distinguish(*datasets.quadrangles().graphs, methods=methods)
    assert result.method == "individualization"
    assert [item.distinguishes for item in result.comparisons] == [False] * 4 + [True]


@pytest.mark.parametrize(
    "graph",
    [
        nx.gnp_random_graph(8, 0.4, seed=3),
        nx.gnp_random_graph(7, 0.3, seed=1, directed=True),
        nx.petersen_graph(),
        nx.disjoint_union(nx.path_graph(3), nx.empty_graph(2)),
    ],
)
def test_relabeled_graph_is_not_distinguished(graph):
    result = distinguish(graph, shuffled(graph, 0), max_length=6)
    assert result.method is None
    assert result.witness is None
    assert result.is_isomorphic
    assert result.summary.startswith("Not told apart by walks, 1-WL, patterns,")
    assert "isomorphic" in result.summary


@settings(max_examples=5)  # 32 relabelings of each
@given(colored_graphs())
def test_no_method_distinguishes_32_relabelings(graphs):
    """Directed or not, with labels of nodes and edges, as graphs and node by node."""
    graph = graphs[0]
    options = {"methods": list(METHODS), "max_length": 5, "max_induced_length": 4}
    for number, (order, renamed) in enumerate(relabelings(graph, 32)):
        node = number % len(graph)
        levels = [{}, {"level": "graph"}, {"nodes": (node, int(order[node]))}]
        result = distinguish(graph, renamed, **levels[number % 3], **options)
        assert [item.distinguishes for item in result.comparisons] == [False] * 10
        assert result.is_isomorphic


def test_without_an_exact_test_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(_isomorphism, "_MAX_NODES", {"igraph": 2, "networkx": 2})
    result = distinguish(nx.path_graph(3), nx.path_graph(3), max_length=3)
    assert result.is_isomorphic is None
    assert result.summary.endswith("This does not prove that they are isomorphic.")


def test_different_degrees_are_distinguished_by_all_methods():
    result = distinguish(nx.path_graph(4), nx.star_graph(3), try_all=True)
    assert all(item.distinguishes for item in result.comparisons)
    assert (result["walks"].length, result["patterns"].length) == (3, 2)
    assert result["walks"].witness.counts == (10, 12)
    expected = "Told apart by walks of 3 nodes: 10 in the first graph, 12 in the second."
    assert result.summary == expected
    assert result["1-WL"].n_rounds == 1


def test_empty_graphs_are_equal():
    empty = nx.empty_graph(0)
    result = distinguish(empty, empty)
    assert all(item.distinguishes is False for item in result.comparisons)
    assert result.is_isomorphic
    result = distinguish(empty, nx.empty_graph(1))
    expected = "walks of 1 node: 0 in the first graph, 1 in the second."
    assert result.summary == f"Told apart by {expected}"


def test_different_sizes_differ_at_length_one():
    result = distinguish(nx.path_graph(4), nx.path_graph(5))
    assert (result.method, result["walks"].length) == ("walks", 1)


def test_nodes_are_compared_by_walks_from_them():
    path = nx.path_graph(4)
    result = distinguish(path, path, nodes=(0, 3))
    assert result.method is None
    assert result.nodes == (0, 3)
    assert result.is_isomorphic
    assert result.summary.endswith("shows that an isomorphism maps one node to the other.")
    result = distinguish(path, path, nodes=(0, 1), methods=["walks"], max_length=1)
    assert result.is_isomorphic is False
    assert result.summary.endswith("shows that no isomorphism maps one node to the other.")
    result = distinguish(path, path, nodes=(0, 1), try_all=True)
    expected = "1 at node 0 of the first graph, 2 at node 1 of the second."
    assert result.summary == f"Told apart by walks of 2 nodes: {expected}"
    assert all(item.distinguishes for item in result.comparisons)
    assert result["walks"].length == result["patterns"].length == 2


@pytest.mark.parametrize("method", [name for name in METHODS if name != "walks"])
def test_witness_of_two_nodes_consists_of_these_nodes(method):
    path = nx.path_graph(7)
    result = distinguish(path, path, nodes=(2, 3), methods=[method])
    assert result.method == method
    assert set(result.witness.nodes) <= {(), (2,), (3,)}
    assert result.witness.nodes[0] in {(), (2,)}
    assert any(result.witness.nodes)
    for graph, count in enumerate(result.witness.counts):
        assert bool(result.witness.nodes[graph]) == bool(count)


@pytest.mark.parametrize("method", ["patterns", "induced patterns"])
def test_labels_of_two_nodes_are_compared_with_their_patterns(method):
    edge = nx.Graph([(0, 1)])
    nx.set_node_attributes(edge, {0: "a", 1: "b"}, "label")
    result = distinguish(edge, edge, nodes=(0, 1), methods=[method])
    assert (result.method, result.first.length) == (method, 1)
    assert result.witness.nodes == ((0,), ())
    assert (
        distinguish(edge, edge, nodes=(0, 1), methods=[method], labels=False).method is None
    )


def test_nodes_of_equal_graphs_that_only_pairs_distinguish():
    """1-WL is blind to triangles, and all nodes of the union have degree two."""
    graph = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4))
    methods = ["1-WL", "SSWL", "2-FWL", "individualization"]
    result = distinguish(graph, graph, nodes=(0, 3), methods=methods, try_all=True)
    assert [item.distinguishes for item in result.comparisons] == [False, True, True, True]
    result = distinguish(graph, graph, nodes=(0, 3), methods=["1-WL"])
    assert result.is_isomorphic is False


def test_edge_directions_are_distinguished():
    cycle, other = (
        nx.DiGraph([(0, 1), (1, 2), (2, 0)]),
        nx.DiGraph([(0, 1), (1, 2), (0, 2)]),
    )
    for method in ("1-WL", "SSWL", "2-FWL"):
        assert distinguish(cycle, other, methods=[method]).method == method


@pytest.mark.parametrize("what", ["nodes", "edges"])
def test_labels_are_compared_unless_they_are_ignored(what):
    one, two = nx.cycle_graph(6), nx.cycle_graph(6)
    for graph, positions in ((one, (0, 1)), (two, (0, 3))):
        if what == "nodes":
            nx.set_node_attributes(graph, {n: "CN"[n in positions] for n in graph}, "label")
        else:
            edges = list(graph.edges)
            chosen = {edges[position] for position in positions}
            labels = {edge: "-="[edge in chosen] for edge in edges}
            nx.set_edge_attributes(graph, labels, "label")
    result = distinguish(one, two)
    assert result.method == "1-WL"
    assert result.compared == ("structure", f"{what[:-1]} labels")
    result = distinguish(one, two, labels=False)
    assert (result.method, result.is_isomorphic) == (None, True)
    assert (result.compared, result.ignored) == (("structure",), (f"{what[:-1]} labels",))


def test_exact_test_uses_labels_and_nodes():
    methods = ["walks"]  # too weak to see labels
    one, two = nx.path_graph(3), nx.path_graph(3)
    nx.set_edge_attributes(one, {(0, 1): "a", (1, 2): "b"}, "label")
    nx.set_edge_attributes(two, {(0, 1): "b", (1, 2): "a"}, "label")
    assert distinguish(one, two, methods=methods).is_isomorphic
    assert not distinguish(one, two, methods=methods, nodes=(0, 0)).is_isomorphic
    assert distinguish(one, two, methods=methods, nodes=(0, 2)).is_isomorphic
    nx.set_edge_attributes(two, {(0, 1): "a", (1, 2): "a"}, "label")
    assert not distinguish(one, two, methods=methods).is_isomorphic
    assert distinguish(one, two, methods=methods, labels=False).is_isomorphic


@pytest.mark.parametrize("package", ["igraph", "networkx"])
def test_exact_test_agrees_with_networkx_on_small_graphs(package, monkeypatch):
    monkeypatch.setattr(_isomorphism, "_MAX_NODES", {package: 40})
    graphs = [nx.gnp_random_graph(5, 0.5, seed=n, directed=n % 2 == 0) for n in range(16)]
    graphs += [shuffled(graph, 1) for graph in graphs[:4]]
    n_equal = 0
    for one, two in itertools.combinations(graphs, 2):
        pair = as_batch([nx.DiGraph(one), nx.DiGraph(two)])
        expected = nx.is_isomorphic(nx.DiGraph(one), nx.DiGraph(two))
        assert _isomorphism.are_isomorphic(pair, None, labels=True) == expected
        n_equal += expected
    assert n_equal >= 4


@pytest.mark.parametrize("package", ["igraph", "networkx"])
def test_exact_test_of_symmetric_graphs_with_directions_and_labels(package, monkeypatch):
    """Searches without the kinds of edges take hours on these graphs."""
    monkeypatch.setattr(_isomorphism, "_MAX_NODES", {package: 40})
    complete = nx.complete_graph(24, create_using=nx.DiGraph)
    complete.remove_edge(0, 1)
    circulant = nx.DiGraph([(n, (n + s) % 29) for n in range(29) for s in (1, 4, 16)])
    labelled = nx.complete_graph(24)
    nx.set_edge_attributes(labelled, "-", "label")
    labelled.edges[0, 1]["label"] = "="
    for graph in (complete, circulant, labelled):
        assert distinguish(graph, shuffled(graph, 0), methods=["walks"]).is_isomorphic


def test_exact_test_is_skipped_for_many_edges_with_directions(monkeypatch):
    monkeypatch.setattr(_isomorphism, "_MAX_NODES", {"igraph": 400})
    graph = nx.complete_graph(101, create_using=nx.DiGraph)
    graph.remove_edge(0, 1)
    pair = as_batch([graph, graph])
    assert _isomorphism.are_isomorphic(pair, None, labels=True) is None
    undirected = as_batch([nx.complete_graph(101)] * 2)
    assert _isomorphism.are_isomorphic(undirected, None, labels=True)


def test_exact_test_is_skipped_without_packages(monkeypatch):
    monkeypatch.setattr(_isomorphism, "find_spec", {}.get)
    assert distinguish(nx.path_graph(3), nx.path_graph(3)).is_isomorphic is None


def test_multisets_of_nodes_distinguish_more_than_sums():
    """Both graphs have five edges, so equal sums at length 2, but different degrees."""
    one = nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(3))
    two = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (4, 5)])
    options = {"methods": ["patterns"], "max_length": 2}
    assert distinguish(one, two, level="graph", **options).method is None
    result = distinguish(one, two, level="node", **options)
    assert result.method == "patterns"
    assert result.witness.text == "nodes that start 3 walks 0-1"
    assert result.witness.nodes == ((), (2,))


def test_labels_of_the_start_split_sums_of_patterns():
    one, two = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(one, {0: "a", 1: "b", 2: "a"}, "label")
    nx.set_node_attributes(two, {0: "a", 1: "a", 2: "b"}, "label")
    for level in ("graph", "node"):
        options = {"level": level, "methods": ["patterns"]}
        assert distinguish(one, two, **options).method == "patterns"
        assert distinguish(one, two, labels=False, **options).method is None


def test_results_do_not_depend_on_node_order():
    pair = [datasets.PAIRS["csl"]().graphs.to_networkx(number) for number in range(2)]
    first = distinguish(*pair)
    second = distinguish(shuffled(pair[0], 1), shuffled(pair[1], 2))
    assert first.method == second.method
    assert first.witness.counts == second.witness.counts


@pytest.mark.parametrize(
    ("first", "options", "words"),
    [
        ([nx.path_graph(2)] * 2, {}, "2 graphs"),
        (nx.path_graph(2), {"nodes": (0, 5)}, "no node 5"),
        (nx.path_graph(2), {"nodes": 3}, "pair of integers"),
        (nx.path_graph(2), {"max_length": 0}, "max_length"),
        (nx.path_graph(2), {"max_length": 9}, "at most 8"),
        (nx.path_graph(2), {"max_induced_length": 9}, "at most 8"),
        (nx.path_graph(2), {"level": "edge"}, "level"),
        (nx.path_graph(2), {"methods": "1-WL"}, "list of names"),
        (nx.path_graph(2), {"methods": ["3-WL"]}, "1-WL"),
    ],
)
def test_invalid_input_raises(first, options, words):
    with pytest.raises(InputError, match=words):
        distinguish(first, nx.path_graph(2), **options)


def test_labels_of_one_graph_only_raise():
    labelled = nx.path_graph(2)
    nx.set_node_attributes(labelled, "C", "label")
    with pytest.raises(InputError, match="Only one .* node labels; .* labels=False"):
        distinguish(labelled, nx.path_graph(2))
    assert distinguish(labelled, nx.path_graph(2), labels=False).is_isomorphic


def test_methods_that_need_too_much_work_are_skipped_with_a_reason(monkeypatch):
    monkeypatch.setattr(_rungs, "_MAX_INDIVIDUAL", 10.0)
    graph = nx.complete_graph(60)
    result = distinguish(graph, graph)
    assert result.method is None
    assert result.is_isomorphic
    reasons = {item.method: item.reason for item in result.comparisons if item.reason}
    expected = "equal up to length 4; too much work for length 5"
    assert reasons["induced patterns"] == expected
    assert "repeated for 120 nodes" in reasons["individualization"]
    assert result["induced patterns"].distinguishes is None
    assert "induced" not in result.summary
    with pytest.raises(KeyError):
        result["SSWL"]


def test_pairs_of_nodes_are_limited():
    graph = nx.path_graph(1001)
    result = distinguish(graph, graph, methods=["1-WL", "2-FWL"])
    assert [item.distinguishes for item in result.comparisons] == [False, None]
    assert "1,000 nodes" in result["2-FWL"].reason
