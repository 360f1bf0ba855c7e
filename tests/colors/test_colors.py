"""Refinements against their definitions, and laws that all of them obey."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gskn import as_batch, datasets
from gskn.colors import hash_rounds, individual_colors, pair_colors, refine_colors
from gskn.colors._hashes import hash_rows, hash_values, ranks
from gskn.exceptions import InputError
from tests.reference import colors as reference


@st.composite
def colored_graphs(draw, directed=None):
    """Draw graphs with labels of nodes and edges, self-loops and isolated nodes."""
    directed = draw(st.booleans()) if directed is None else directed
    labels = draw(st.booleans())
    listed = []
    for _ in range(draw(st.integers(1, 3))):
        graph = nx.DiGraph() if directed else nx.Graph()
        n_nodes = draw(st.integers(1, 6))
        graph.add_nodes_from(range(n_nodes))
        node = st.integers(0, n_nodes - 1)
        graph.add_edges_from(draw(st.lists(st.tuples(node, node), max_size=10)))
        if labels:
            for _, data in graph.nodes(data=True):
                data["label"] = draw(st.sampled_from("CN"))
            for *_, data in graph.edges(data=True):
                data["label"] = draw(st.sampled_from([1, 2]))
        listed.append(graph)
    return listed


def same_partition(actual, expected):
    """Return whether two lists of colors are equal up to the names of colors."""
    pairs = set(zip(actual, expected, strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({e for _, e in pairs})


def flat(matrices):
    return np.concatenate([matrix.ravel() for matrix in matrices]).tolist()


@pytest.mark.reference
@given(colored_graphs())
def test_node_colors_match_their_definition(graphs):
    expected = [c for colors in reference.node_colors(graphs) for c in colors.values()]
    assert same_partition(refine_colors(graphs).tolist(), expected)


@pytest.mark.reference
@pytest.mark.parametrize("method", ["2-fwl", "sswl"])
@given(colored_graphs())
def test_pair_colors_match_their_definition(method, graphs):
    colors = reference.pair_colors(graphs, adjacent_only=method == "sswl")
    expected = [color for coloring in colors for color in coloring.values()]
    assert same_partition(flat(pair_colors(graphs, method=method)), expected)


@pytest.mark.reference
@given(colored_graphs())
def test_individual_colors_match_their_definition(graphs):
    batch = as_batch(graphs)
    actual = np.split(individual_colors(graphs), batch.graph_ptr[1:-1])
    names = {}
    for colors, classes in zip(actual, reference.individual_colors(graphs), strict=True):
        nodes = np.flatnonzero(colors >= 0).tolist()
        if not classes:
            assert not nodes
            continue
        (chosen,) = [listed for listed in classes if sorted(listed) == nodes]
        for node in nodes:
            names.setdefault(chosen[node], set()).add(int(colors[node]))
    assert all(len(numbers) == 1 for numbers in names.values())
    assert len({min(numbers) for numbers in names.values()}) == len(names)


def relabelings(graph, count):
    generator = np.random.default_rng(0)
    for _ in range(count):
        order = generator.permutation(len(graph)).tolist()
        renamed = nx.relabel_nodes(graph, dict(enumerate(order)))
        shuffled = type(graph)()
        shuffled.add_nodes_from((node, renamed.nodes[node]) for node in range(len(graph)))
        shuffled.add_edges_from(renamed.edges(data=True))
        yield np.array(order), shuffled


@settings(max_examples=15)  # 32 relabelings of each
@given(colored_graphs())
def test_colors_are_equal_under_32_relabelings(graphs):
    graph = graphs[0]
    nodes, (pairs,) = refine_colors(graph), pair_colors(graph)
    (sswl,), individual = pair_colors(graph, method="sswl"), individual_colors(graph)
    for order, renamed in relabelings(graph, 32):
        np.testing.assert_array_equal(refine_colors(renamed)[order], nodes)
        grid = np.ix_(order, order)
        np.testing.assert_array_equal(pair_colors(renamed)[0][grid], pairs)
        np.testing.assert_array_equal(pair_colors(renamed, method="sswl")[0][grid], sswl)
        np.testing.assert_array_equal(individual_colors(renamed)[order], individual)


@given(colored_graphs(), st.lists(st.integers(0, 2), min_size=18, max_size=18))
def test_refinements_form_a_hierarchy(graphs, values):
    """1-WL is coarser than SSWL, and SSWL than 2-FWL, from any initial colors."""
    batch = as_batch(graphs)
    given_colors = np.array(values[: batch.n_nodes])
    nodes = refine_colors(graphs, given_colors)
    by_sswl, by_fwl = (
        np.concatenate(
            [np.diagonal(m) for m in pair_colors(graphs, given_colors, method=m)]
        )
        for m in ("sswl", "2-fwl")
    )
    for fine, coarse in ((nodes, given_colors), (by_sswl, nodes), (by_fwl, nodes)):
        assert len(set(zip(fine, coarse, strict=True))) == len(set(fine))
    pairs = [flat(pair_colors(graphs, given_colors, method=m)) for m in ("2-fwl", "sswl")]
    assert len(set(zip(*pairs, strict=True))) == len(set(pairs[0]))


@given(colored_graphs())
def test_colors_partition_alike_alone_and_in_a_batch(graphs):
    batch = as_batch(graphs)
    together = np.split(refine_colors(graphs), batch.graph_ptr[1:-1])
    for graph, colors in zip(graphs, together, strict=True):
        assert same_partition(refine_colors(graph).tolist(), colors.tolist())
    for graph, colors in zip(graphs, pair_colors(graphs), strict=True):
        assert same_partition(flat(pair_colors(graph)), colors.ravel().tolist())


def test_initial_colors_may_be_dense_or_sparse_rows():
    path = nx.path_graph(4)
    rows = np.array([[1.0, 0.0], [0.0, 2.5], [0.0, 2.5], [0.0, 0.0]])
    expected = refine_colors(path, [0, 1, 1, 2])
    assert len(set(expected.tolist())) == 4
    assert same_partition(refine_colors(path, rows).tolist(), expected.tolist())
    sparse = refine_colors(path, csr_array(rows))
    np.testing.assert_array_equal(refine_colors(path, rows), sparse)


def test_rounds_can_be_limited_and_labels_ignored():
    path = nx.path_graph(5)
    assert len(set(refine_colors(path, n_rounds=0).tolist())) == 1
    assert len(set(refine_colors(path, n_rounds=1).tolist())) == 2
    assert len(set(refine_colors(path).tolist())) == 3
    nx.set_node_attributes(path, {0: "a", 1: "b", 2: "a", 3: "b", 4: "b"}, "label")
    assert len(set(refine_colors(path).tolist())) == 5
    assert len(set(refine_colors(path, labels=False).tolist())) == 3
    assert len(set(pair_colors(path, n_rounds=0, labels=False)[0].ravel().tolist())) == 3


def test_direction_of_an_edge_inside_a_component_is_seen():
    """A node of an undirected graph and its copy in a directed graph have equal colors."""
    triangle = nx.cycle_graph(3).to_directed()
    other = nx.disjoint_union(triangle, nx.DiGraph([(0, 1)]))
    colors = refine_colors([triangle, other])
    assert set(colors[:6].tolist()) == {int(colors[0])}
    assert len(set(colors[6:].tolist())) == 2


def test_pairs_of_large_graphs_raise():
    with pytest.raises(InputError, match="1001 nodes.*refine_colors"):
        pair_colors(nx.empty_graph(1001))
    with pytest.raises(InputError, match="fewer graphs"):
        pair_colors([nx.empty_graph(1000)] * 17)
    with pytest.raises(InputError, match="method"):
        pair_colors(nx.path_graph(2), method="3-fwl")
    with pytest.raises(InputError, match="2 rows for 3 nodes"):
        refine_colors(nx.path_graph(3), [0, 1])
    with pytest.raises(InputError, match="one number"):
        refine_colors(nx.path_graph(3), ["a", "b", "c"])
    large = np.array([2**60, 2**60 + 1, 0])
    for rows in (large, csr_array(large[:, None]), -large):
        with pytest.raises(InputError, match="2\\^53.*numpy.unique"):
            refine_colors(nx.path_graph(3), rows)


def test_no_graphs_and_empty_graphs_have_no_colors():
    assert refine_colors(nx.empty_graph(0)).tolist() == []
    assert pair_colors(nx.empty_graph(0))[0].shape == (0, 0)
    assert individual_colors(nx.empty_graph(0)).tolist() == []
    assert individual_colors(nx.empty_graph(1)).tolist() == [-1]


def test_refinements_separate_what_theory_says():
    """1-WL < 2-FWL on rings; 2-FWL fails for strongly regular graphs and CFI over K4."""

    def differ(colors):
        return sorted(colors[0].ravel()) != sorted(colors[1].ravel())

    rings = datasets.rings(3).graphs
    colors = refine_colors(rings)
    assert not differ(np.split(colors, 2))
    for method in ("sswl", "2-fwl"):
        assert differ(pair_colors(rings, method=method))
    for make in (datasets.rook_shrikhande, datasets.cfi, datasets.quadrangles):
        pair = make().graphs
        assert not differ(pair_colors(pair))
        assert differ(np.split(individual_colors(pair), 2))


def test_hashes_of_rows_depend_on_values_and_columns_only():
    rows = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [0.0, 0.0], [-0.0, 0.0]])
    hashes = hash_rows(rows)
    assert ranks(hashes)[0] == ranks(hashes)[2]
    assert len(set(ranks(hashes).tolist())) == 3
    np.testing.assert_array_equal(hash_rows(rows[::-1]), hashes[:, ::-1])
    assert len(set(hash_values(["a", 1, ("a", 1)]).ravel().tolist())) == 6


def test_ranks_use_both_hashes_of_a_color():
    hashes = np.array([[5, 5, 1, 5], [7, 2, 9, 7]], dtype=np.uint64)
    assert ranks(hashes).tolist() == [2, 1, 0, 2]


@pytest.mark.parametrize("method", ["1-wl", "2-fwl"])
@given(colored_graphs())
def test_two_hashes_of_a_color_differ(method, graphs):
    """Two equal hashes would collide together, as one hash of 64 bits."""
    batch = as_batch(graphs)
    hashes = hash_rounds(batch, None, method=method, n_rounds=3, labels=True)
    assert (hashes[:, 0] != hashes[:, 1]).all()
