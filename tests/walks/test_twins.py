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
def graphs_with_twins(draw, max_nodes=8):
    """Draw a graph with copies of nodes: adjacent to the original, looped, or neither."""
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
    """Return whether swapping two nodes leaves the graph unchanged."""
    swapped = nx.relabel_nodes(graph, {one: two, two: one})
    return {frozenset(e) for e in swapped.edges} == {frozenset(e) for e in graph.edges}


@pytest.mark.reference
@given(graphs_with_twins(max_nodes=6), st.integers(1, 6))
def test_rows_of_graphs_with_twins_match_enumeration(graph, length):
    check_rows(graph, length)


@pytest.mark.parametrize("sparse_over_dense", [1e9, 0.0], ids=["dense", "sparse"])
@given(graph=graphs_with_twins(), length=st.integers(4, 8))
def test_rows_with_and_without_twins_are_equal(sparse_over_dense, graph, length):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "_SPARSE_OVER_DENSE", sparse_over_dense)
        counts = pattern_counts(graph, length, weighting="count").rows
        probabilities = pattern_counts(graph, length).rows.toarray()
        patch.setattr(_twins, "_MAX_GROUPS", -1.0)
        assert (counts != pattern_counts(graph, length, weighting="count").rows).nnz == 0
        plain = pattern_counts(graph, length).rows.toarray()
    np.testing.assert_allclose(probabilities, plain, atol=1e-12, rtol=0)


@pytest.mark.reference
@given(graphs_with_twins())
def test_twin_groups_hold_the_nodes_that_can_be_swapped(graph):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_twins, "_MAX_GROUPS", 1.0)
        twins = WalkBatch.from_batch(as_batch(graph), use_weights=True).twins
    nodes, twin_groups = twins.nodes_of(np.arange(len(twins.first)))
    group_of = dict(zip(nodes.tolist(), twin_groups.tolist(), strict=True))
    graph.add_edges_from([(node, node) for node in graph if not graph[node]])  # dead ends
    for one in graph:
        for two in graph:
            expected = one == two or are_twins(graph, one, two)
            assert (group_of[one] == group_of[two]) == expected


def test_directed_and_weighted_graphs_have_no_twin_groups():
    star = nx.star_graph(5)
    weighted = nx.Graph()
    weighted.add_weighted_edges_from((0, ray, 1.0 + ray) for ray in range(1, 6))
    batch = as_batch([nx.DiGraph(star.edges), nx.DiGraph(weighted), nx.DiGraph(star)])
    twins = WalkBatch.from_batch(batch, use_weights=True).twins
    assert twins.used.tolist() == [False, False, True]
    assert np.diff(twins.group_ptr).tolist() == [6, 6, 2]


def test_complete_graph_is_one_twin_group():
    """Walks of three nodes return with probability 1/(n-1)."""
    table = pattern_counts(np.ones((500, 500)) - np.eye(500), 3)
    np.testing.assert_allclose(
        table.rows[[0, 499], :2].toarray(), [[1 / 499, 498 / 499]] * 2
    )
