import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gskn import GSKN, as_batch
from gskn.exceptions import InputError
from gskn.graphs import from_csr
from gskn.walks import _jit_fused, pattern_counts
from gskn.walks._algebra import Matrix, SparseAlgebra
from gskn.walks._fused import FusedAlgebra
from gskn.walks._plan import make_plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._walk_batch import WalkBatch
from tests.graphs.test_csr import circulant
from tests.walks.test_counts import graphs, ragged_star
from tests.walks.test_twins import graphs_with_twins


def compare_algebras(graph, length, *, probability, n_jobs=1):
    """Evaluate a plan with stored and with fused products of matrices."""
    walks = WalkBatch.from_batch(as_batch(graph), use_weights=probability)
    weighted, directed, staying = (
        bool(flags.any()) for flags in (walks.weighted, walks.batch.directed, walks.staying)
    )
    traits = GraphTraits(weighted, directed or weighted, staying, probability)
    twins = walks.twins
    extra, sizes = (
        (twins.extra, twins.sizes.astype(float)) if twins.used.any() else (None, None)
    )
    plan = make_plan(tuple(range(1, length + 1)), traits)
    stored = plan.evaluate(SparseAlgebra(Matrix(twins.steps, extra), sizes, traits, {}))
    fused = plan.evaluate(FusedAlgebra(twins.steps, extra, sizes, traits, n_jobs))
    np.testing.assert_allclose(fused, stored, rtol=1e-11, atol=1e-13)


@pytest.mark.reference
@given(graph=graphs(), length=st.integers(4, 7), probability=st.booleans())
def test_fused_products_equal_stored_products(graph, length, probability):
    compare_algebras(graph, length, probability=probability)


@pytest.mark.reference
@given(graph=graphs_with_twins(), length=st.integers(4, 7), probability=st.booleans())
def test_fused_products_equal_stored_products_with_twins(graph, length, probability):
    compare_algebras(graph, length, probability=probability)


@pytest.mark.reference
@given(graph=graphs_with_twins(), length=st.integers(1, 6), exact=st.booleans())
def test_rows_do_not_depend_on_whether_ones_are_stored(graph, length, exact):
    """Unweighted CSR arrays have no stored weights."""
    assume(len(graph))  # a fit needs a node
    matrix = as_batch(graph).adjacency
    stored, plain = (
        from_csr(matrix.indptr, matrix.indices, weights)
        for weights in (np.ones(matrix.nnz), None)
    )
    options = {"method": "exact" if exact else "sampled", "random_state": 0}
    one, other = (pattern_counts(g, length, **options).rows for g in (stored, plain))
    assert (one != other).nnz == 0
    model = GSKN(n_landmarks=4, random_state=0).fit(stored)
    np.testing.assert_array_equal(model.transform(plain), model.transform(stored))


def test_exact_patterns_of_one_graph_need_little_memory_per_edge():
    """The graph itself has 4 bytes per arc, and its transposed matrix 5."""
    ends = circulant(2**12, 128)
    n_arcs = len(ends[1])
    pattern_counts(from_csr(*ends), 3)  # compile
    graph = from_csr(*ends)
    tracemalloc.start()
    pattern_counts(graph, 3, method="exact")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak / n_arcs < 16


@pytest.mark.reference
@pytest.mark.parametrize("search_ratio", [0, 10**6])
def test_searching_a_long_row_gives_the_same_sums(monkeypatch, search_ratio):
    """The constant is compiled into the loop, so its definition is run by Python."""
    graph = nx.wheel_graph(12)
    walks = WalkBatch.from_batch(as_batch(graph), use_weights=False)
    steps = walks.steps
    monkeypatch.setattr(_jit_fused, "SEARCH_RATIO", search_ratio)
    loop = getattr(_jit_fused.dot_neighbors, "py_func", _jit_fused.dot_neighbors)
    indptr, indices = steps.indptr, steps.indices
    for node in range(12):
        row = steps[[node]].toarray()[0] * np.arange(1.0, 13.0)
        for other in range(12):
            total = loop(
                indices,
                np.empty(0),
                indptr[other],
                indptr[other + 1],
                row,
                indptr[node],
                indptr[node + 1],
            )
            assert total == steps[[other]].toarray()[0] @ row


@pytest.mark.parametrize("directed", [False, True])
def test_a_larger_graph_gives_the_same_sums_on_two_threads(monkeypatch, directed):
    monkeypatch.setattr("gskn._threads.LOOP_MULTIPLICATIONS", 1000.0)
    graph = nx.gnp_random_graph(120, 0.08, seed=0, directed=directed)
    graph.add_edges_from((0, other) for other in range(1, 100))
    compare_algebras(graph, 7, probability=True, n_jobs=2)


def test_threads_share_one_large_graph_and_do_not_change_its_rows(monkeypatch):
    monkeypatch.setattr("gskn._threads.LOOP_MULTIPLICATIONS", 1e4)
    monkeypatch.setattr("gskn.walks._grouping._GROUP_PRODUCTS", 1e3)
    graph = nx.barabasi_albert_graph(1500, 4, seed=0)
    one, two = (pattern_counts(graph, 6, n_jobs=n).rows for n in (1, 2))
    assert (one != two).nnz == 0


def test_counts_of_triangles_agree_with_networkit():
    networkit = pytest.importorskip("networkit")
    graph = nx.barabasi_albert_graph(2000, 8, seed=1)
    counter = networkit.centrality.LocalClusteringCoefficient(
        networkit.nxadapter.nx2nk(graph), turbo=False
    )
    counter.run()
    degrees = np.array([degree for _, degree in graph.degree])
    expected = np.array(counter.scores()) * degrees * (degrees - 1)
    table = pattern_counts(graph, 4, weighting="count")
    closed = table.rows[:, [table.names.index("0-1-2-0")]].toarray().ravel()
    np.testing.assert_allclose(closed, expected, rtol=1e-9)


def test_work_is_a_fixed_number_of_nanoseconds():
    """The star of 1000 rays has 1000^2 + 3000 walks of two steps and 4000 steps."""
    star = ragged_star(1000)
    for max_work, is_exact in ((2.5e6, True), (1.9e6, False)):
        table = pattern_counts(star, 4, max_work=max_work, random_state=0)
        assert table.is_exact.all() == is_exact
    with pytest.raises(InputError, match="max_work"):
        pattern_counts(star, 4, weighting="count", max_work=1.9e6)
