import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.walks import _grouping, _twins, pattern_counts
from gskn.walks._walk_batch import WalkBatch
from tests.walks.test_counts import check_rows, graphs


@st.composite
def blown_up(draw, max_nodes=8):
    """Draw a graph whose nodes have copies: adjacent to the original, or not, or looped."""
    graph = nx.Graph(draw(graphs(max_nodes=4)))
    for _, _, data in graph.edges(data=True):
        data.clear()
    for node in list(graph):
        adjacent = draw(st.booleans())
        for _ in range(draw(st.integers(0, 3))):
            if len(graph) == max_nodes:
                break
            copy, is_looped = len(graph), graph.has_edge(node, node)
            graph.add_edges_from(
                (copy, other) for other in list(graph[node]) if other != node
            )
            graph.add_node(copy)
            if is_looped:
                graph.add_edge(copy, copy)
            if adjacent:
                graph.add_edge(copy, node)
                twins = [
                    v for v in graph if v not in {copy, node} and are_twins(graph, v, node)
                ]
                graph.add_edges_from((copy, v) for v in twins)
    return graph


def are_twins(graph, one, two):
    """Tell whether a swap of two nodes leaves the graph as it is."""
    swapped = nx.relabel_nodes(graph, {one: two, two: one})
    return {frozenset(e) for e in swapped.edges} == {frozenset(e) for e in graph.edges}


@pytest.mark.reference
@given(blown_up(max_nodes=6), st.integers(1, 6))
def test_rows_of_graphs_with_twins_are_those_of_all_walks(graph, length):
    check_rows(graph, length)


@pytest.mark.parametrize("route", [1e9, 0.0], ids=["dense", "sparse"])
@given(graph=blown_up(), length=st.integers(4, 8))
def test_with_and_without_twins_rows_are_the_same(route, graph, length):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "_SPARSE_OVER_DENSE", route)
        counts = pattern_counts(graph, length, weighting="count").rows
        chances = pattern_counts(graph, length).rows.toarray()
        patch.setattr(_twins, "_MAX_GROUPS", -1.0)
        assert (counts != pattern_counts(graph, length, weighting="count").rows).nnz == 0
        plain = pattern_counts(graph, length).rows.toarray()
    np.testing.assert_allclose(chances, plain, atol=1e-12, rtol=0)


@pytest.mark.reference
@given(blown_up())
def test_classes_hold_the_nodes_that_may_change_places(graph):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_twins, "_MAX_GROUPS", 1.0)
        twins = WalkBatch.from_batch(as_batch(graph), use_weights=True).twins
    nodes, classes = twins.nodes_of(np.arange(len(twins.first)))
    found = dict(zip(nodes.tolist(), classes.tolist(), strict=True))
    graph.add_edges_from([(node, node) for node in graph if not graph[node]])  # dead ends
    for one in graph:
        for two in graph:
            assert (found[one] == found[two]) == (one == two or are_twins(graph, one, two))


def test_directed_and_weighted_graphs_are_left_as_they_are():
    star = nx.star_graph(5)
    heavy = nx.Graph()
    heavy.add_weighted_edges_from((0, ray, 1.0 + ray) for ray in range(1, 6))
    batch = as_batch([nx.DiGraph(star.edges), nx.DiGraph(heavy), nx.DiGraph(star)])
    twins = WalkBatch.from_batch(batch, use_weights=True).twins
    assert twins.used.tolist() == [False, False, True]
    assert np.diff(twins.group_ptr).tolist() == [6, 6, 2]


def test_a_complete_graph_is_one_class():
    """Two walks of length three: back, with probability 1/(n-1), or on."""
    table = pattern_counts(np.ones((500, 500)) - np.eye(500), 3)
    np.testing.assert_allclose(
        table.rows[[0, 499], :2].toarray(), [[1 / 499, 498 / 499]] * 2
    )
