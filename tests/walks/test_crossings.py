from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch
from gskn.walks import can_sum_crossings, crossing_sums, patterns, step_matrix
from tests.reference import walks as reference
from tests.walks.test_counts import graphs


def steps_of(batch, *, probability):
    matrix, _ = step_matrix(batch, use_weights=probability)
    if probability:
        matrix.data = matrix.data / np.repeat(matrix.sum(axis=1), np.diff(matrix.indptr))
    return matrix


def values_of(length, n_graphs):
    shape = (n_graphs, len(patterns(length, staying=True)))
    return np.random.default_rng(length).normal(size=shape)


def expected_sums(graph, length, values, weigh):
    """Add the value of every walk to every step it crosses."""
    number = {tuple(p): n for n, p in enumerate(patterns(length, staying=True).tolist())}
    sums = Counter()
    for start in graph:
        for walk in reference.walks(graph, start, length):
            value = values[number[tuple(reference.anonymize(walk))]] * weigh(walk)
            for step in pairwise(walk):
                sums[step] += value
    return sums


@pytest.mark.reference
@settings(max_examples=40)
@given(graph=graphs(max_nodes=4), length=st.integers(1, 5), weighting=st.sampled_from("pc"))
def test_crossings_are_sums_over_all_walks(graph, length, weighting):
    probability = weighting == "p"
    batch = as_batch([graph, nx.path_graph(3), graph])
    matrix = steps_of(batch, probability=probability)
    values = values_of(length, 3)
    sums = crossing_sums(matrix, batch.graph_ptr, np.arange(3), length, values)
    entries = matrix.tocoo()
    for number, member in enumerate([graph, nx.path_graph(3), graph]):
        expected = expected_sums(
            member,
            length,
            values[number],
            (lambda walk, of=member: reference.probability(of, walk))
            if probability
            else (lambda _: 1.0),
        )
        first, end = batch.graph_ptr[number], batch.graph_ptr[number + 1]
        inside = (entries.row >= first) & (entries.row < end)
        pairs = zip(entries.row[inside] - first, entries.col[inside] - first, strict=True)
        wanted = [expected[int(a), int(b)] for a, b in pairs]
        np.testing.assert_allclose(sums[inside], wanted, atol=1e-9)


def test_only_the_walks_of_chosen_graphs_are_summed():
    batch = as_batch([nx.cycle_graph(4), nx.cycle_graph(5), nx.cycle_graph(4)])
    matrix, values = steps_of(batch, probability=True), values_of(4, 3)
    every = crossing_sums(matrix, batch.graph_ptr, np.arange(3), 4, values)
    some = crossing_sums(matrix, batch.graph_ptr, np.array([2]), 4, values)
    assert not some[:18].any()
    np.testing.assert_array_equal(some[18:], every[18:])


def test_all_steps_of_a_complete_graph_are_crossed_equally():
    batch = as_batch(nx.complete_graph(40))  # 40 * 39^6 walks
    ones = np.ones((1, len(patterns(7, staying=True))))
    matrix = steps_of(batch, probability=False)
    sums = crossing_sums(matrix, batch.graph_ptr, np.zeros(1, dtype=np.int64), 7, ones)
    np.testing.assert_allclose(sums, 6 * 39.0**5, rtol=1e-9)


def test_large_graphs_and_long_walks_are_not_accepted():
    sizes = np.array([10, 512, 513])
    assert can_sum_crossings(sizes, 7).tolist() == [True, True, False]
    assert not can_sum_crossings(sizes, 8).any()
