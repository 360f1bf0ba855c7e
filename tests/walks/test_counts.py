import logging
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.walks import (
    _grouping,
    pattern_counts,
    pattern_tables,
    patterns,
    sample_walks,
)
from gskn.walks._plan import make_plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._terms import MatDiagMat
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import product_work
from tests.reference import walks as reference
from tests.strategies import specs


@st.composite
def graphs(draw, max_nodes=5):
    """Draw a networkx graph: directed or not, with weights, loops, several components."""
    spec = draw(specs())
    graph = nx.DiGraph() if spec.directed else nx.Graph()
    graph.add_nodes_from(range(min(spec.n_nodes, max_nodes)))
    weights = spec.weights or [1.0] * len(spec.edges)
    for (u, v), weight in zip(spec.edges, weights, strict=True):
        if u < max_nodes and v < max_nodes and weight:
            graph.add_edge(u, v, weight=weight)
    return graph


def ragged_star(n_rays):
    """Return a hub with rays of two nodes: a graph without twins."""
    graph = nx.star_graph(n_rays)
    graph.add_edges_from((ray, n_rays + ray) for ray in range(1, n_rays + 1))
    return graph


def expected_rows(graph, length, weighting):
    weigh = (
        (lambda _: 1)
        if weighting == "count"
        else (lambda walk: reference.probability(graph, walk))
    )
    column = {tuple(p): n for n, p in enumerate(patterns(length, staying=True).tolist())}
    rows = np.zeros((len(graph), len(column)))
    for node, row in enumerate(reference.pattern_rows(graph, length, weigh=weigh)):
        for pattern, value in row.items():
            rows[node, column[pattern]] = value
    return rows


def check_rows(graph, length):
    counts = pattern_counts(graph, length, weighting="count")
    np.testing.assert_array_equal(
        counts.rows.toarray(), expected_rows(graph, length, "count")
    )
    probabilities = pattern_counts(graph, length)
    np.testing.assert_allclose(
        probabilities.rows.toarray(),
        expected_rows(graph, length, "probability"),
        atol=1e-12,
        rtol=0,
    )
    assert probabilities.is_exact.all()


@pytest.mark.reference
@given(graphs(), st.integers(1, 6))
def test_exact_rows_match_enumeration(graph, length):
    check_rows(graph, length)


@pytest.mark.reference
@settings(max_examples=8)
@given(graphs(max_nodes=4), st.integers(7, 8))
def test_exact_rows_of_long_walks_match_enumeration(graph, length):
    check_rows(graph, length)


@pytest.mark.reference
@pytest.mark.parametrize("algebra", ["dense", "stored", "fused"])
@given(graph=graphs(), length=st.integers(4, 6))
def test_every_algebra_matches_enumeration(algebra, graph, length):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "_SPARSE_OVER_DENSE", 1e9 if algebra == "dense" else 0.0)
        patch.setattr(_grouping, "_STORED_WALKS", 1e9 if algebra == "stored" else -1.0)
        check_rows(graph, length)


def test_algebra_depends_on_the_walks_of_a_graph():
    """The choice does not depend on other graphs, so that rows are equal in every batch."""
    path, dense = nx.path_graph(300), nx.gnp_random_graph(100, 0.3, seed=0)
    hub = nx.disjoint_union(nx.star_graph(800), nx.cycle_graph(9))
    hub.add_edges_from((ray, 810 + ray) for ray in range(1, 801))
    walks = WalkBatch.from_batch(as_batch([path, hub, dense, path]), use_weights=False)
    for length, of_hub in ((6, "fused"), (8, "stored")):
        groups = _grouping.make_groups(walks, np.arange(4), (length,), probability=True)
        algebra = {n: group.algebra for group in groups for n in group.numbers.tolist()}
        assert algebra == {0: "stored", 1: of_hub, 2: "dense", 3: "stored"}


@pytest.mark.parametrize("sparse_over_dense", [1e9, 0.0])
def test_k4_is_counted_at_length_eight(monkeypatch, sparse_over_dense):
    monkeypatch.setattr(_grouping, "_SPARSE_OVER_DENSE", sparse_over_dense)
    check_rows(nx.complete_graph(4), 8)
    weighted = nx.complete_graph(4)
    for number, edge in enumerate(weighted.edges):
        weighted.edges[edge]["weight"] = 1.0 + number
    check_rows(weighted, 8)


@given(graphs(), st.integers(1, 8))
def test_counts_sum_to_number_of_walks_and_probabilities_to_one(graph, length):
    counts = pattern_counts(graph, length, weighting="count").rows
    steps = (
        (nx.to_numpy_array(graph, weight=None) > 0).astype(float)
        if len(graph)
        else np.empty((0, 0))
    )
    steps[steps.sum(axis=1) == 0] = np.eye(len(graph))[steps.sum(axis=1) == 0]
    n_walks = (
        np.linalg.matrix_power(steps, length - 1) @ np.ones(len(graph))
        if len(graph)
        else []
    )
    np.testing.assert_array_equal(counts.sum(axis=1), n_walks)
    np.testing.assert_allclose(
        pattern_counts(graph, length).rows.sum(axis=1), 1, atol=1e-12
    )


@given(st.lists(graphs(), min_size=1, max_size=5), st.integers(1, 7), st.integers(0, 99))
def test_rows_do_not_depend_on_other_graphs_or_their_order(listed, length, seed):
    batch = as_batch([nx.DiGraph(graph) for graph in listed])
    order = np.random.default_rng(seed).permutation(len(listed))
    for weighting, tolerance in (("count", 0.0), ("probability", 1e-12)):
        whole = pattern_counts(batch, length, weighting=weighting)
        alone = [
            pattern_counts(g, length, weighting=weighting).rows.toarray() for g in batch
        ]
        np.testing.assert_allclose(
            whole.rows.toarray(), np.concatenate(alone), atol=tolerance, rtol=0
        )
        shuffled = pattern_counts(batch[order], length, weighting=weighting).rows.toarray()
        np.testing.assert_allclose(
            shuffled, np.concatenate([alone[n] for n in order]), atol=tolerance, rtol=0
        )


def test_threads_do_not_change_rows():
    graphs = datasets.load("structure").graphs
    one, two = (pattern_counts(graphs, 6, weighting="count", n_jobs=n) for n in (None, 2))
    assert (one.rows != two.rows).nnz == 0
    with pytest.raises(InputError, match="n_jobs"):
        pattern_counts(graphs, 3, n_jobs=0)


@given(graphs(), st.integers(1, 6), st.integers(0, 99))
def test_relabeling_nodes_permutes_rows(graph, length, seed):
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    renamed = nx.relabel_nodes(graph, dict(enumerate(order)))
    again = type(graph)()
    again.add_nodes_from(range(len(graph)))
    again.add_edges_from(renamed.edges(data=True))
    before = pattern_counts(graph, length, weighting="count").rows.toarray()
    after = pattern_counts(again, length, weighting="count").rows.toarray()
    np.testing.assert_array_equal(after[order], before)


@given(graphs(), st.integers(1, 7))
def test_tables_of_all_lengths_match_single_lengths(graph, length):
    tables = pattern_tables(graph, length, weighting="count")
    assert [table.length for table in tables] == list(range(1, length + 1))
    for table in tables:
        alone = pattern_counts(graph, table.length, weighting="count")
        assert (table.rows != alone.rows).nnz == 0


def test_lengths_share_terms():
    traits = GraphTraits(weighted=False, directed=False, staying=False, probability=True)
    together = len(make_plan(tuple(range(1, 8)), traits).terms)
    assert together < sum(len(make_plan((n,), traits).terms) for n in range(1, 8))
    n_products = make_plan((5, 6, 7), traits).count(MatDiagMat)
    assert n_products <= make_plan((7,), traits).count(MatDiagMat) + 1


def test_graph_rows_are_sums_over_nodes():
    batch = as_batch([nx.path_graph(3), nx.empty_graph(0), nx.cycle_graph(4)])
    table = pattern_counts(batch, 4, weighting="count")
    rows, pooled = table.rows.toarray(), table.graph_rows().toarray()
    np.testing.assert_array_equal(pooled, [rows[:3].sum(0), 0 * rows[0], rows[3:].sum(0)])
    assert table.names[2] == "0-1-2-0"
    assert repr(table) == "PatternTable(length=4, n_nodes=7, n_patterns=15, exact)"


def test_walks_stay_at_isolated_nodes_and_sinks():
    table = pattern_counts(nx.DiGraph([(0, 1)]), 3)
    names = [table.names[n] for n in table.rows.toarray().argmax(axis=1)]
    assert names == ["0-1-1", "0-0-0"]


def test_an_empty_batch_has_no_rows():
    table = pattern_counts([], 5)
    assert table.rows.shape == (0, 52)
    assert table.graph_rows().shape == (0, 52)


def test_counts_above_two_to_the_53_raise():
    clique = nx.complete_graph(200)
    with pytest.raises(InputError, match="2\\^53.*probability"):
        pattern_counts(clique, 8, weighting="count")
    table = pattern_counts(clique, 8, weighting="count", exact_counts=False)
    np.testing.assert_allclose(table.rows.sum(axis=1), 199.0**7, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-60, 1e60, 1e200, 1e307])
@pytest.mark.parametrize(
    "options",
    [{}, {"method": "sampled", "n_walks": 2000, "random_state": 0}, {"induced": True}],
)
def test_probabilities_do_not_depend_on_the_scale_of_weights(scale, options):
    weights = np.ones((4, 4)) - np.eye(4)
    weights[0, 1] = weights[1, 0] = 2.0
    plain = pattern_counts(weights, 5, **options).rows.toarray()
    scaled = pattern_counts(weights * scale, 5, **options).rows.toarray()
    np.testing.assert_allclose(scaled, plain, atol=1e-2 if scale == 1e-320 else 1e-12)


def test_choice_of_method_does_not_depend_on_other_graphs():
    """Work is summed for each graph: running sums would lose small graphs."""
    star, path = ragged_star(3000), nx.path_graph(600)
    options = {"max_work": 5e6, "random_state": 0}
    for order in ([star, path], [path, star]):
        table = pattern_counts(order, 6, **options)
        assert table.is_exact.tolist() == [graph is path for graph in order]
    work, alone = (
        product_work(WalkBatch.from_batch(as_batch(g), use_weights=True), 6)
        for g in ([star] * 3 + [path], path)
    )
    assert work[-1] == alone[0]


def test_overlapping_calls_restore_the_threads_of_blas():
    graphs = datasets.load("regular").graphs
    with threadpool_limits(2), ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: pattern_counts(graphs, 6, n_jobs=2), range(8)))
        assert {blas["num_threads"] for blas in threadpool_info()} == {2}


def test_work_above_the_limit_is_sampled_and_logged(caplog):
    star = ragged_star(2000)
    with caplog.at_level(logging.WARNING):
        table = pattern_counts([star, nx.path_graph(3)], 5, max_work=5e6, random_state=0)
    assert table.is_exact.tolist() == [False, True]
    assert "graph 0 would need" in caplog.text
    np.testing.assert_allclose(table.rows.sum(axis=1), 1, atol=1e-9)
    with pytest.raises(InputError, match="max_work"):
        pattern_counts(star, 5, weighting="count", max_work=5e6)
    with pytest.raises(InputError, match="at most 8 for method='exact'"):
        pattern_counts(star, 9, method="exact")


@pytest.mark.parametrize(
    "options",
    [
        {"max_work": "a"},
        {"method": "sampled", "weighting": "count"},
        {"length": 0},
        {"weighting": "sum"},
        {"method": "guess"},
        {"n_walks": 0},
    ],
)
def test_invalid_options_raise(options):
    with pytest.raises(InputError):
        pattern_counts(nx.path_graph(2), **{"length": 3, **options})


def first_length(data, lengths=range(1, 9)):
    """Return the smallest length at which the pooled patterns of two graphs differ."""
    for length in lengths:
        rows = pattern_counts(data, length, weighting="count").graph_rows().toarray()
        if (rows[0] != rows[1]).any():
            return length
    return None


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_rings_differ_first_at_k_plus_one(k):
    assert first_length(datasets.rings(k).graphs) == k + 1


def test_decalin_and_bicyclopentyl_differ_first_at_six():
    assert first_length(datasets.decalin_bicyclopentyl().graphs) == 6


def test_rook_and_shrikhande_differ_first_at_eight():
    assert first_length(datasets.rook_shrikhande().graphs) == 8


def test_all_pairs_of_exp_differ_first_at_six(real_data):
    graphs = datasets.load("EXP", real_data).graphs
    for length, n_apart in ((5, 0), (6, 600)):
        rows = pattern_counts(graphs, length, weighting="count").graph_rows().toarray()
        assert (rows[::2] != rows[1::2]).any(axis=1).sum() == n_apart


def test_csl_graphs_differ_first_at_nine():
    """All nodes of a circulant graph are equivalent, so one start is enough."""
    graphs = datasets.csl(1).graphs
    rows = pattern_counts(graphs, 8, weighting="count").graph_rows().toarray()
    assert len(np.unique(rows, axis=0)) < 10
    counts = [reference.pattern_counts(graphs.to_networkx(n), 9, [0]) for n in range(10)]
    assert all(counts[a] != counts[b] for a in range(10) for b in range(a))


@pytest.mark.parametrize("name", ["regular", "structure"])
def test_rows_of_built_in_sets_are_probabilities(name):
    table = pattern_counts(datasets.load(name).graphs, 6)
    np.testing.assert_allclose(table.rows.sum(axis=1), 1, atol=1e-12)
    assert table.rows.data.min() > 0


def test_impossible_patterns_have_no_entry():
    """A hub without twins makes large sums, whose rounding errors must be dropped."""
    for length in (6, 8):
        probabilities = pattern_counts(nx.wheel_graph(300), length, method="exact").rows
        counts = pattern_counts(
            nx.wheel_graph(300), length, weighting="count", exact_counts=False
        ).rows
        assert probabilities.data.min() > 0
        assert ((probabilities > 0) > (counts > 0)).nnz == 0


def test_large_star_is_exact():
    assert pattern_counts(nx.star_graph(50_000), 8).is_exact.all()


@pytest.mark.parametrize(
    ("length", "method", "remedy"),
    [
        (50, "auto", "at most 10 for sampled patterns, got 50; use a smaller length"),
        (11, "sampled", "at most 10 .* got 11; use a smaller length"),
        (9, "exact", "at most 8 .* got 9; use method='sampled' up to length 10"),
    ],
)
def test_lengths_above_the_limits_raise_with_a_remedy(length, method, remedy):
    with pytest.raises(InputError, match=remedy):
        pattern_counts(np.ones((3, 3)) - np.eye(3), length, method=method)


def test_remedy_for_long_patterns_works():
    table = pattern_counts(np.ones((3, 3)) - np.eye(3), 9, method="sampled", n_walks=5)
    assert table.rows.shape[0] == 3


def test_number_of_walks_above_the_limit_raises():
    with pytest.raises(InputError, match="n_walks must be at most"):
        sample_walks(np.ones((3, 3)), 3, n_walks=10**12)
