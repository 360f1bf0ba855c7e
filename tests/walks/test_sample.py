import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.walks import anonymize, pattern_counts, pattern_tables, patterns, sample_walks
from tests.reference import walks as reference
from tests.walks.test_counts import graphs


@pytest.mark.reference
@given(st.lists(st.lists(st.integers(0, 9), min_size=6, max_size=6), min_size=1))
def test_anonymize_matches_its_definition(walks):
    expected = [reference.anonymize(walk) for walk in walks]
    np.testing.assert_array_equal(anonymize(np.array(walks)), expected)


@given(st.lists(graphs(), min_size=1, max_size=4), st.integers(1, 6), st.integers(0, 2**31))
def test_walks_follow_edges_and_stay_at_dead_ends(listed, length, seed):
    batch = as_batch([nx.DiGraph(graph) for graph in listed])
    walks = sample_walks(batch, length, 3, random_state=seed)
    assert walks.shape == (batch.n_nodes, 3, length)
    np.testing.assert_array_equal(
        walks[:, :, 0], np.repeat(np.arange(batch.n_nodes)[:, None], 3, 1)
    )
    matrix = batch.adjacency.toarray()
    for walk in walks.reshape(-1, length):
        for node, following in itertools.pairwise(walk):
            assert matrix[node, following] > 0 or (
                node == following and not matrix[node].any()
            )


@given(st.lists(graphs(), min_size=1, max_size=4), st.integers(0, 99))
def test_walks_do_not_depend_on_threads_batch_or_order(listed, seed):
    batch = as_batch([nx.DiGraph(graph) for graph in listed])
    whole = sample_walks(batch, 5, 4, random_state=seed)
    np.testing.assert_array_equal(
        whole, sample_walks(batch, 5, 4, random_state=seed, n_jobs=3)
    )
    np.testing.assert_array_equal(
        whole[:, :2], sample_walks(batch, 5, 2, random_state=seed)
    )
    order = np.random.default_rng(seed).permutation(len(batch))
    shuffled = sample_walks(batch[order], 5, 4, random_state=seed)
    start = 0
    for number in order:
        first, end = batch.graph_ptr[number], batch.graph_ptr[number + 1]
        part = shuffled[start : start + end - first]
        np.testing.assert_array_equal(part - start, whole[first:end] - first)
        start += end - first


def test_weighted_graph_does_not_change_walks_of_other_graphs():
    weighted = nx.Graph()
    weighted.add_edge(0, 1, weight=0.1)
    alone = as_batch(nx.gnm_random_graph(20, 60, seed=0))
    both = as_batch([weighted, nx.gnm_random_graph(20, 60, seed=0)])
    walks = sample_walks(both, 6, 50, random_state=0)[2:] - 2
    np.testing.assert_array_equal(walks, sample_walks(alone, 6, 50, random_state=0))
    for length in (3, 5, 7):
        rows = [
            pattern_counts(g, length, method="sampled", n_walks=7, random_state=0).rows
            for g in (both, alone)
        ]
        assert (rows[0][2:] != rows[1]).nnz == 0


def test_threads_and_chunks_do_not_change_walks():
    graph = as_batch(nx.gnm_random_graph(5000, 20000, seed=0))
    one, many = (
        pattern_counts(graph, 6, method="sampled", random_state=1, n_jobs=n) for n in (1, 2)
    )
    assert (one.rows != many.rows).nnz == 0
    np.testing.assert_array_equal(
        sample_walks(graph, 4, 2, random_state=1),
        sample_walks(graph, 4, 2, random_state=1, n_jobs=2),
    )


def test_steps_follow_weights():
    """Of 20,000 steps, three quarters take the edge of weight 3, up to 0.02 (6 sigma)."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 3.0), (0, 2, 1.0)])
    for use_weights, expected in ((True, 0.75), (False, 0.5)):
        walks = sample_walks(graph, 2, 20_000, random_state=0, use_weights=use_weights)
        assert abs((walks[0, :, 1] == 1).mean() - expected) < 0.02


@given(graphs(), st.integers(1, 7))
def test_sampled_rows_are_probabilities_of_possible_patterns(graph, length):
    sampled = pattern_counts(graph, length, method="sampled", n_walks=5, random_state=0)
    exact = pattern_counts(graph, length).rows.toarray()
    rows = sampled.rows.toarray()
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-9)
    assert (exact[rows > 1e-9] > 0).all()


@pytest.mark.reference
@given(graphs(), st.integers(2, 7), st.integers(1, 70))
def test_sampled_rows_match_sampled_walks_with_exact_last_step(graph, length, n_walks):
    """The same walks as in `sample_walks`, without their last node."""
    batch = as_batch(graph)
    walks = sample_walks(batch, length - 1, n_walks, random_state=3)
    column = {tuple(p): n for n, p in enumerate(patterns(length, staying=True).tolist())}
    expected = np.zeros((batch.n_nodes, len(column)))
    for start, repeats in enumerate(walks.tolist()):
        for walk in repeats:
            for last in reference.neighbors(graph, walk[-1]):
                probability = reference.probability(graph, [walk[-1], last])
                pattern = tuple(reference.anonymize([*walk, last]))
                expected[start, column[pattern]] += probability / n_walks
    table = pattern_counts(graph, length, method="sampled", n_walks=n_walks, random_state=3)
    np.testing.assert_allclose(table.rows.toarray(), expected, atol=1e-12)


def test_last_steps_from_nodes_of_large_degree():
    """Above 64 neighbors, visited nodes are searched for instead of scanned."""
    graph = nx.star_graph(70)
    graph.add_edges_from([(1, 2), (2, 3)])
    sampled = pattern_counts(graph, 3, method="sampled", n_walks=5000, random_state=0)
    exact = pattern_counts(graph, 3).rows.toarray()
    np.testing.assert_allclose(sampled.rows.toarray(), exact, atol=0.03)


@given(graphs(), st.integers(1, 6))
def test_sampled_lengths_share_their_walks(graph, length):
    options = {"method": "sampled", "n_walks": 4, "random_state": 0}
    tables = list(pattern_tables(graph, length, **options))
    assert [table.length for table in tables] == list(range(1, length + 1))
    for table in tables:
        alone = pattern_counts(graph, table.length, **options)
        assert (table.rows != alone.rows).nnz == 0


@given(graphs())
def test_sampled_rows_of_length_two_are_exact(graph):
    """Walks of two nodes consist of the last step, which is exact."""
    sampled = pattern_counts(graph, 2, method="sampled", n_walks=1, random_state=0)
    np.testing.assert_allclose(
        sampled.rows.toarray(), pattern_counts(graph, 2).rows.toarray(), atol=1e-12
    )


def test_sampling_error_decreases_with_the_root_of_the_number_of_walks():
    """With 16 times as many walks, the mean error is a quarter, up to 10%.

    The mean over 19,773 nodes has a much smaller standard deviation.
    """
    graphs = datasets.load("structure").graphs
    exact = pattern_counts(graphs, 6).rows
    errors = [
        abs(
            pattern_counts(graphs, 6, method="sampled", n_walks=n, random_state=0).rows
            - exact
        ).sum()
        for n in (30, 480)
    ]
    assert abs(errors[0] / errors[1] / 4 - 1) < 0.1


def test_anonymize_of_long_and_of_empty_walks():
    assert anonymize(np.arange(40_000)).max() == 39_999
    assert anonymize(np.empty((4, 0), dtype=int)).shape == (4, 0)


def test_invalid_walks_raise():
    with pytest.raises(InputError, match="node numbers"):
        anonymize(np.array([0.5]))
    with pytest.raises(InputError, match="n_walks"):
        sample_walks(nx.path_graph(2), 3, 0)
    with pytest.raises(InputError, match="n_jobs"):
        sample_walks(nx.path_graph(2), 3, n_jobs=0)
