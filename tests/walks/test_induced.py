import logging

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.walks import _counts, _induced, pattern_counts
from gskn.walks._induced import _distinct_codes
from tests.reference import walks as reference
from tests.walks.test_counts import graphs


def as_dicts(table):
    """Return the rows as dicts from (pattern, arcs) to value."""
    keys = [
        (tuple(p), tuple(a))
        for p, a in zip(table.patterns.tolist(), table.arcs, strict=True)
    ]
    dense = table.rows.toarray()
    return [{keys[n]: row[n] for n in np.flatnonzero(row)} for row in dense]


def expected(graph, length, weigh):
    rows = []
    for start in graph:
        row = {}
        for walk in reference.walks(graph, start, length):
            key = reference.induced(graph, walk)
            row[key] = row.get(key, 0) + weigh(walk)
        rows.append(row)
    return rows


@pytest.mark.reference
@given(graphs(), st.integers(1, 6))
def test_induced_rows_match_enumeration(graph, length):
    table = pattern_counts(graph, length, weighting="count", induced=True)
    assert as_dicts(table) == expected(graph, length, lambda _: 1)
    probabilities = pattern_counts(graph, length, induced=True)
    expected_rows = expected(graph, length, lambda walk: reference.probability(graph, walk))
    for actual, row in zip(as_dicts(probabilities), expected_rows, strict=True):
        assert actual.keys() == row.keys()
        for key, value in row.items():
            assert actual[key] == pytest.approx(value, abs=1e-12)


@given(graphs(), st.integers(1, 6))
def test_induced_patterns_refine_patterns(graph, length):
    fine = pattern_counts(graph, length, weighting="count", induced=True)
    coarse = pattern_counts(graph, length, weighting="count")
    column = {tuple(p): n for n, p in enumerate(coarse.patterns.tolist())}
    merged = np.zeros(coarse.rows.shape)
    for number, pattern in enumerate(fine.patterns.tolist()):
        merged[:, column[tuple(pattern)]] += fine.rows.toarray()[:, number]
    np.testing.assert_array_equal(merged, coarse.rows.toarray())


@given(st.lists(graphs(), min_size=1, max_size=4), st.integers(1, 5))
def test_rows_do_not_depend_on_other_graphs(listed, length):
    batch = as_batch([nx.DiGraph(graph) for graph in listed])
    for options in ({}, {"method": "sampled", "random_state": 3}):
        whole = as_dicts(pattern_counts(batch, length, induced=True, **options))
        alone = [
            as_dicts(pattern_counts(g, length, induced=True, **options)) for g in batch
        ]
        assert whole == [row for rows in alone for row in rows]


def test_full_hash_table_grows():
    """One node has more induced patterns than the first table holds."""
    graph = nx.gnp_random_graph(24, 0.4, seed=1)
    table = pattern_counts(graph, 6, weighting="count", induced=True)
    assert np.diff(table.rows.indptr).max() > 512
    steps = nx.to_numpy_array(graph)
    walks = np.linalg.matrix_power(steps, 5).sum(axis=1)
    np.testing.assert_array_equal(table.rows.sum(axis=1), walks)


def test_names_list_edges_that_are_not_walked():
    names = pattern_counts(nx.complete_graph(4), 4, induced=True).names
    assert "0-1-2-3 {0-2 0-3 1-3}" in names
    directed = pattern_counts(nx.DiGraph([(0, 1), (1, 2), (0, 2)]), 3, induced=True)
    assert "0-1-2 {0>1 0>2 1>2}" in directed.names
    both = [np.array([[0, 1], [0, 0]]), np.array([[0, 1], [1, 0]])]
    names = pattern_counts(both, 2, induced=True).names
    assert sorted(names) == ["0-0", "0-1", "0-1 {0>1}"]


def test_induced_walks_above_the_limit_are_sampled_and_logged(caplog):
    with caplog.at_level(logging.WARNING):
        table = pattern_counts(nx.complete_graph(30), 5, induced=True, max_work=1e6)
    assert not table.is_exact.any()
    assert "graph 0 would need" in caplog.text
    np.testing.assert_allclose(table.rows.sum(axis=1), 1)
    with pytest.raises(InputError, match="max_work"):
        pattern_counts(
            nx.complete_graph(30), 5, weighting="count", induced=True, max_work=1e6
        )
    with pytest.raises(InputError, match="at most 8 for induced patterns"):
        pattern_counts(nx.path_graph(2), 9, induced=True)


@given(st.lists(graphs(), min_size=2, max_size=4), st.integers(1, 5))
def test_order_and_names_of_columns_do_not_depend_on_the_graphs(listed, length):
    batch = as_batch([nx.DiGraph(graph) for graph in listed])
    whole = pattern_counts(batch, length, weighting="count", induced=True)
    for number in range(batch.n_graphs):
        alone = pattern_counts(batch[number], length, weighting="count", induced=True)
        assert [name for name in whole.names if name in set(alone.names)] == alone.names
        aligned = alone.align(whole)
        assert aligned.names == whole.names
        rows = whole.rows[batch.graph_ptr[number] : batch.graph_ptr[number + 1]]
        np.testing.assert_array_equal(aligned.rows.toarray(), rows.toarray())
        np.testing.assert_array_equal(
            whole.align(alone).rows.toarray()[
                batch.graph_ptr[number] : batch.graph_ptr[number + 1]
            ],
            alone.rows.toarray(),
        )


@pytest.mark.parametrize(
    "graph",
    [
        nx.complete_bipartite_graph(3, 4),
        nx.complete_graph(6),
        nx.star_graph(6),
        nx.disjoint_union(nx.star_graph(4), nx.empty_graph(3)),
    ],
)
def test_twins_share_their_rows(graph):
    table = pattern_counts(graph, 5, weighting="count", induced=True)
    assert as_dicts(table) == expected(graph, 5, lambda _: 1)


@pytest.mark.parametrize("graph", [nx.path_graph(30), nx.star_graph(60)])  # or twins
def test_tables_with_too_many_counts_raise(graph, monkeypatch):
    table = pattern_counts(graph, 4, induced=True)
    monkeypatch.setattr(_induced, "MAX_INDUCED_ENTRIES", table.rows.nnz)
    pattern_counts(graph, 4, induced=True)
    monkeypatch.setattr(_induced, "MAX_INDUCED_ENTRIES", table.rows.nnz - 1)
    with pytest.raises(InputError, match="fewer graphs at once"):
        pattern_counts(graph, 4, induced=True)


def test_node_with_too_many_induced_patterns_raises(monkeypatch):
    monkeypatch.setattr(_induced, "_FIRST_CAPACITY", 2)
    monkeypatch.setattr(_induced, "MAX_INDUCED_ENTRIES", 64)
    assert pattern_counts(nx.path_graph(3), 3, induced=True).rows.nnz == 5
    with pytest.raises(InputError, match="more than 64 counts"):
        pattern_counts(nx.petersen_graph(), 5, induced=True)


def test_distinct_codes_are_those_of_numpy():
    codes = np.random.default_rng(0).integers(1, 9000, 20000).astype(np.uint64)
    actual, expected_codes = _distinct_codes(codes), np.unique(codes, return_inverse=True)
    for one, two in zip(actual, expected_codes, strict=True):
        np.testing.assert_array_equal(one, two)


def test_many_walks_are_announced_before_they_are_enumerated(caplog, monkeypatch):
    monkeypatch.setattr(_counts, "_MANY_WALKS", 100)
    with caplog.at_level(logging.WARNING):
        pattern_counts(nx.complete_graph(6), 4, induced=True, method="exact")
    assert "7.5e+02 walks of length 4 will be enumerated" in caplog.text


def test_counts_above_the_limit_raise_without_a_warning(caplog):
    options = {"weighting": "count", "max_work": 10}
    for induced in (False, True):
        with (
            caplog.at_level(logging.WARNING),
            pytest.raises(InputError, match="too large for exact counts"),
        ):
            pattern_counts(nx.path_graph(600), 6, induced=induced, **options)
    assert not caplog.text


def test_rook_and_shrikhande_differ_at_four_and_csl_at_eight():
    def rows(graphs, length):
        table = pattern_counts(graphs, length, weighting="count", induced=True)
        return table.graph_rows().toarray()

    pair = datasets.rook_shrikhande().graphs
    assert (rows(pair, 3)[0] == rows(pair, 3)[1]).all()
    assert (rows(pair, 4)[0] != rows(pair, 4)[1]).any()
    circulants = datasets.csl(1).graphs
    assert len(np.unique(rows(circulants, 7), axis=0)) < 10
    assert len(np.unique(rows(circulants, 8), axis=0)) == 10
