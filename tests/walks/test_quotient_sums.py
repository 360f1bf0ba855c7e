import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.exceptions import InputError
from gskn.walks import (
    distinct_induced,
    induced_columns,
    induced_patterns,
    pattern_counts,
    patterns,
    quotient_names,
    quotient_sums,
)
from gskn.walks._mobius import basis
from gskn.walks._quotients import plain_traits
from tests.reference import walks as reference


@st.composite
def simple_graphs(draw, max_nodes=5):
    """Draw a graph without directions, weights and self-loops."""
    n_nodes = draw(st.integers(1, max_nodes))
    node = st.integers(0, n_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=9))
    graph = nx.empty_graph(n_nodes)
    graph.add_edges_from((u, v) for u, v in edges if u != v)
    return graph


def sums_of(graph, length, weighting):
    return quotient_sums(
        as_batch(graph), length, probability=weighting == "probability", max_work=1e8
    )


@pytest.mark.reference
@pytest.mark.parametrize("weighting", ["probability", "count"])
@given(graph=simple_graphs(), length=st.integers(2, 6))
def test_sums_match_enumeration(weighting, graph, length):
    names = quotient_names(length, probability=weighting == "probability")
    weigh = (
        (lambda _: 1)
        if weighting == "count"
        else (lambda walk: reference.probability(graph, walk))
    )
    expected = [
        [reference.quotient_sum(graph, node, name, length, weigh) for name in names]
        for node in graph
    ]
    np.testing.assert_allclose(sums_of(graph, length, weighting), expected, atol=1e-12)


@pytest.mark.parametrize("weighting", ["probability", "count"])
@given(graph=simple_graphs(max_nodes=7), length=st.integers(2, 8))
def test_patterns_are_signed_sums_of_quotients(weighting, graph, length):
    signs = basis(length, plain_traits(probability=weighting == "probability")).signs
    rows = pattern_counts(graph, length, weighting=weighting).rows.toarray()
    moving = rows[:, : len(patterns(length))]
    signed = (signs @ sums_of(graph, length, weighting).T).T
    np.testing.assert_allclose(signed, moving, rtol=1e-9, atol=1e-9)


def test_large_graphs_raise_instead_of_being_sampled():
    star = nx.star_graph(2000)
    star.add_edges_from((ray, 2000 + ray) for ray in range(1, 2001))
    with pytest.raises(InputError, match="max_work"):
        quotient_sums(as_batch(star), 6, probability=True, max_work=1e3)
    assert quotient_sums(as_batch(star), 6, probability=True, max_work=1e9)[:, -1].min() > 0


def test_graphs_without_nodes_have_no_rows():
    empty = as_batch([np.empty((0, 0)), np.empty((0, 0))])
    assert quotient_sums(empty, 6, probability=True, max_work=1e8).shape == (0, 31)


@given(graph=simple_graphs(max_nodes=6), length=st.integers(2, 5))
def test_induced_columns_contain_the_table(graph, length):
    symbols, arcs = induced_patterns(length)
    column = {
        (tuple(pattern), tuple(pairs)): number
        for number, (pattern, pairs) in enumerate(zip(symbols.tolist(), arcs, strict=True))
    }
    assert len(column) == len(arcs)
    table = pattern_counts(graph, length, induced=True)
    rows = induced_columns(table)
    expected = np.zeros_like(rows)
    for place, pattern in enumerate(table.patterns.tolist()):
        key = tuple(pattern), tuple(table.arcs[place])
        if key in column:  # all walks but those of isolated nodes
            expected[:, column[key]] = table.rows.toarray()[:, place]
    np.testing.assert_array_equal(rows, expected)
    has_edges = np.array([degree > 0 for _, degree in graph.degree])
    np.testing.assert_allclose(rows.sum(axis=1), has_edges, atol=1e-12)


@pytest.mark.parametrize("weighting", ["probability", "count"])
@pytest.mark.parametrize("length", [4, 5])
def test_merged_induced_columns_are_equal_and_others_are_not(weighting, length):
    graphs = [nx.gnp_random_graph(9, 0.5, seed=seed) for seed in range(60)]
    table = pattern_counts(graphs, length, induced=True, weighting=weighting)
    rows = induced_columns(table)
    chosen = distinct_induced(length, probability=weighting == "probability")
    rounded = np.unique(rows.round(10), axis=1)
    assert rounded.shape[1] == np.unique(rows[:, chosen].round(10), axis=1).shape[1]
    assert rounded.shape[1] == len(chosen)
