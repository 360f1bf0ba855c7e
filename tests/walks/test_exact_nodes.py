"""Exact rows and exact lengths of graphs of which other rows are sampled."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.walks import pattern_counts, pattern_tables
from gskn.walks._sampled_rows import NodeWalks, sampled_rows
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import choose_cheap, exact_work
from tests.walks.test_counts import graphs, ragged_star

N_RAYS = 1500


def star_with_tail():
    """Return a hub with many rays and a path, whose end has few walks."""
    graph = ragged_star(N_RAYS)
    nx.add_path(graph, [0, *range(len(graph), len(graph) + 12)])
    return graph


def work_of(graph, length):
    walks = WalkBatch.from_batch(as_batch(graph), use_weights=True)
    return float(exact_work(walks, length, np.inf)[0])


@given(graphs(), st.integers(1, 7))
def test_rows_of_all_walks_are_exact(graph, length):
    batch = as_batch(graph)
    lengths = tuple(range(1, length + 1))
    walks = NodeWalks.from_batch(batch, np.uint64(0), use_weights=batch.is_weighted)
    nodes, chosen = np.arange(batch.n_nodes), np.ones(batch.n_nodes, dtype=bool)
    rows = sampled_rows(walks, nodes, lengths, 1, enumerated=chosen, n_jobs=1)
    for table, found in zip(
        pattern_tables(graph, length, method="exact"), rows, strict=True
    ):
        np.testing.assert_allclose(found.toarray(), table.rows.toarray(), atol=1e-12)


def test_a_mixture_of_exact_and_sampled_nodes_changes_neither():
    graph = nx.barbell_graph(5, 4)
    walks = NodeWalks.from_batch(as_batch(graph), np.uint64(1), use_weights=False)
    nodes = np.arange(14)
    chosen = nodes % 3 == 0
    results = [
        sampled_rows(walks, nodes, (4, 5), 7, enumerated=enumerated, n_jobs=1)
        for enumerated in (chosen, nodes < 0, nodes >= 0)
    ]
    for mixed, sampled, exact in zip(*results, strict=True):
        expected = np.where(chosen[:, None], exact.toarray(), sampled.toarray())
        np.testing.assert_array_equal(mixed.toarray(), expected)


@pytest.mark.parametrize("enumerated", [False, True])
def test_rows_of_simple_graphs_are_those_of_any_graph(enumerated):
    """In simple graphs, edges are searched for in the shorter of two rows."""
    graph = nx.gnp_random_graph(60, 0.08, seed=2)
    hubs = [(hub, node) for hub in (60, 61) for node in range(hub)]
    graph.add_edges_from([*hubs, *((61, node) for node in range(62, 150))])
    graph.add_edges_from([(node, node + 1) for node in range(100, 140)])
    graph.add_node(200)  # a dead end
    looped = graph.copy()
    looped.add_edge(0, 0)
    for one, is_simple in ((graph, True), (looped, False)):
        batch = as_batch(one)
        walks = NodeWalks.from_batch(batch, np.uint64(3), use_weights=False)
        assert walks.graph.is_simple == is_simple
    walks = NodeWalks.from_batch(as_batch(graph), np.uint64(3), use_weights=False)
    general = replace(walks, graph=walks.graph._replace(is_simple=False))
    nodes = np.arange(len(graph))
    chosen = np.full(len(graph), enumerated)
    for rows, expected in zip(
        sampled_rows(walks, nodes, (3, 4, 5), 20, enumerated=chosen, n_jobs=1),
        sampled_rows(general, nodes, (3, 4, 5), 20, enumerated=chosen, n_jobs=1),
        strict=True,
    ):
        assert (rows != expected).nnz == 0


def test_nodes_far_from_a_hub_are_exact_and_the_hub_has_a_standard_error():
    graph = star_with_tail()
    exact = pattern_counts(graph, 6, method="exact")
    table = pattern_counts(graph, 6, max_work=work_of(graph, 6) / 2, random_state=0)
    assert not table.is_exact.any()
    tail = np.arange(len(graph) - 6, len(graph))
    assert table.exact_nodes[tail].all()
    assert not table.exact_nodes[0]
    difference = np.abs((table.rows - exact.rows).toarray())
    assert difference[table.exact_nodes].max() < 1e-12
    errors = table.standard_errors().toarray()
    assert not errors[table.exact_nodes].any()
    assert difference[0].max() > 1e-4
    occurs = errors[0] > 0
    assert (difference[0][occurs] < 4 * errors[0][occurs]).all()
    assert errors[0].max() <= 0.5 / np.sqrt(30)


def test_standard_errors_bound_the_deviation_of_samples():
    """Over 300 seeds, the mean squared deviation is at most the mean squared error."""
    graph = nx.barbell_graph(6, 3)
    exact = pattern_counts(graph, 5).rows.toarray()
    tables = [
        pattern_counts(graph, 5, method="sampled", n_walks=20, random_state=seed)
        for seed in range(300)
    ]
    squares = np.mean([(table.rows.toarray() - exact) ** 2 for table in tables], axis=0)
    errors = np.mean([table.standard_errors().toarray() ** 2 for table in tables], axis=0)
    assert (squares <= 1.3 * errors + 1e-12).all()


def test_lengths_within_the_bound_are_exact_and_longer_ones_are_sampled():
    graph = nx.gnm_random_graph(3000, 12_000, seed=0)
    bound = work_of(graph, 5)
    assert bound < work_of(graph, 6)
    tables = pattern_tables(graph, 6, max_work=bound, random_state=0)
    exact = pattern_tables(graph, 6, method="exact")
    assert [bool(table.is_exact.all()) for table in tables] == [True] * 5 + [False]
    for found, expected in zip(tables[:5], exact[:5], strict=True):
        assert (found.rows != expected.rows).nnz == 0
    sampled = pattern_tables(graph, 6, method="sampled", random_state=0)
    inexact = ~tables[5].exact_nodes
    assert inexact.any()
    np.testing.assert_array_equal(
        tables[5].rows.toarray()[inexact], sampled[5].rows.toarray()[inexact]
    )


def test_cheap_nodes_are_chosen_by_their_work_and_not_by_their_order():
    n_walks = np.array([5.0, 9.0, 5.0, 1.0, 2.0, 400.0, 7.0])
    graph_ptr = np.array([0, 4, 4, 7])
    chosen = choose_cheap(n_walks, graph_ptr, 10, 300.0 * 6)
    # 1 + 5 walks are within the bound, but both nodes with 5 walks are not.
    assert chosen.tolist() == [False, False, False, True, True, False, False]
    chosen = choose_cheap(n_walks, graph_ptr, 10, 300.0 * 11)
    assert chosen.tolist() == [True, False, True, True, True, False, True]
    assert not choose_cheap(n_walks, graph_ptr, 10, 0.0).any()
