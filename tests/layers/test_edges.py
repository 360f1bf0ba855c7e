"""Walks that compare edges."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gskn import as_batch
from gskn.graphs import GraphBatch
from gskn.layers import (
    BRANCHES,
    EdgeFeatures,
    LayerParams,
    NodeFeatures,
    _enumerated,
    _rare_walks,
)
from gskn.layers._rare_walks import RareWalks
from tests.layers.test_layers import LAYERS, attributes
from tests.reference import layers as reference
from tests.reference import walks as walks_reference
from tests.walks.test_counts import graphs

EDGE_BRANCHES = [name for name, layer in BRANCHES.items() if layer.compares_edges]
VECTORS = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, -1.0], [2.0, 2.0]])


def with_edges(graph, seed):
    """Draw one of three vectors for every edge; the fourth belongs to staying."""
    generator = np.random.default_rng(seed)
    for _, _, data in graph.edges(data=True):
        data["code"] = int(generator.integers(3))
        data["vector"] = VECTORS[data["code"]]
    graph.graph["vector"] = VECTORS[3]
    return graph


def edge_features(graph, batch):
    """Return the features of the edges in the order of the batch."""
    entries = batch.adjacency.tocoo()
    pairs = zip(entries.row.tolist(), entries.col.tolist(), strict=True)
    codes = [graph.edges[pair]["code"] for pair in pairs]
    return EdgeFeatures(VECTORS, np.array(codes, dtype=np.int64))


def fit(kind, length, batch, features, **options):
    layer = BRANCHES[kind](length, LayerParams(**options))
    layer.fit(batch, features, np.random.default_rng(1))
    return layer


def test_anonymous_branches_do_not_compare_edges():
    assert set(BRANCHES) - set(EDGE_BRANCHES) == {"anonymous", "induced"}


@pytest.mark.reference
@pytest.mark.parametrize("kind", EDGE_BRANCHES)
@settings(max_examples=25)
@given(
    graph=graphs(max_nodes=4),
    length=st.integers(1, 4),
    weighting=st.sampled_from(["count", "probability"]),
    n_landmarks=st.sampled_from([2, 64]),
    seed=st.integers(0, 99),
)
def test_layer_sums_over_all_walks_with_edges(
    kind, graph, length, weighting, n_landmarks, seed
):
    assume(len(graph))
    graph = with_edges(graph, seed)
    batch, rows = as_batch(graph), attributes(len(graph))
    features = NodeFeatures.from_rows(rows, edge_features(graph, batch))
    options = {"weighting": weighting, "n_landmarks": n_landmarks}
    layer = fit(kind, length, batch, features, alpha=0.7, beta=0.4, eps=1e-3, **options)
    embeddings = np.hstack(layer.transform(batch, features, None))
    expected = reference.layer_rows(layer, LAYERS[kind][1], graph, rows)
    np.testing.assert_allclose(embeddings, expected, rtol=1e-8, atol=1e-9)
    sums = np.hstack(layer.transform_graphs(batch, features, None))
    np.testing.assert_allclose(sums, expected.sum(axis=0)[None], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kind", EDGE_BRANCHES)
def test_equal_vectors_of_all_edges_do_not_change_inner_products(kind):
    """All walks are landmarks, and the factor of every step is 1."""
    graph = nx.gnm_random_graph(9, 16, seed=3)
    batch, rows = as_batch(graph), attributes(9)
    codes = np.zeros(batch.adjacency.nnz, dtype=np.int64)
    edges = EdgeFeatures(np.array([[1.0, 0.0], [0.0, 1.0]]), codes)
    plain, same = NodeFeatures.from_rows(rows), NodeFeatures.from_rows(rows, edges)
    embeddings = [
        np.hstack(
            fit(kind, 3, batch, features, n_landmarks=4096).transform(batch, features, None)
        )
        for features in (plain, same)
    ]
    products = [rows @ rows.T for rows in embeddings]
    np.testing.assert_allclose(products[0], products[1], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", ["path", "joint"])
def test_sampled_walks_with_edges_approach_exact_ones(kind):
    """With 4000 walks the mean error is near 1/sqrt(4000) of the sums, below 0.02."""
    graph = with_edges(
        nx.disjoint_union(nx.gnm_random_graph(12, 30, seed=1), nx.Graph()), 0
    )
    graph.add_node(12)
    batch, rows = as_batch(graph), attributes(13)
    features = NodeFeatures.from_rows(rows, edge_features(graph, batch))
    exact, sampled = (
        np.hstack(
            fit(kind, 4, batch, features, method=method, n_walks=4000, eps=1.0).transform(
                batch, features, None
            )
        )
        for method in ("exact", "sampled")
    )
    assert np.abs(exact - sampled).mean() < 0.02 * np.abs(exact).mean() + 1e-3
    assert np.abs(exact - sampled).max() > 0  # or nothing was sampled


@pytest.mark.parametrize("kind", EDGE_BRANCHES)
def test_threads_and_other_graphs_do_not_change_embeddings_with_edges(kind, monkeypatch):
    monkeypatch.setattr(_enumerated, "ENUMERATION_CHUNK_NODES", 10)
    listed = [with_edges(nx.gnm_random_graph(9, 20, seed=n), n) for n in range(4)]
    batches = [as_batch(graph) for graph in listed]
    edges = [edge_features(*pair) for pair in zip(listed, batches, strict=True)]

    def features(numbers):
        codes = np.concatenate([edges[number].codes for number in numbers])
        rows = np.tile(attributes(9), (len(numbers), 1))
        return NodeFeatures.from_rows(rows, EdgeFeatures(VECTORS, codes))

    layer = fit(kind, 4, GraphBatch.concat(batches), features(range(4)))
    alone = np.hstack(layer.transform(batches[2], features([2]), 2))
    shuffled = GraphBatch.concat([batches[number] for number in (3, 2, 0)])
    together = np.hstack(layer.transform(shuffled, features([3, 2, 0]), None))
    np.testing.assert_allclose(alone, together[9:18], atol=1e-12)


def slow_sequences(graph, codes, length):
    """Return the codes of nodes and steps along all walks."""
    return {
        (
            *(codes[node] for node in walk),
            *(
                graph.edges[step]["code"] if graph.has_edge(*step) else 3
                for step in itertools.pairwise(walk)
            ),
        )
        for start in graph
        for walk in walks_reference.walks(graph, start, length)
    }


@settings(max_examples=30)
@given(graph=graphs(max_nodes=5), seed=st.integers(0, 99))
def test_sequences_with_edges_are_complete(graph, seed):
    assume(len(graph))
    graph = with_edges(graph, seed)
    codes = np.random.default_rng(seed).integers(0, 3, len(graph))
    batch = as_batch(graph)
    features = NodeFeatures(np.eye(3), codes, edge_features(graph, batch))
    rare = RareWalks(batch, features, 1000)
    for length in (3, 1, 4):
        sequences = rare.sequences(length)
        expected = slow_sequences(graph, codes, length)
        assert len(sequences) == len(expected)
        assert set(map(tuple, sequences.tolist())) == expected
    few = RareWalks(batch, features, 2).sequences(4)
    assert len(few) == min(2, len(slow_sequences(graph, codes, 4)))
    assert set(map(tuple, few.tolist())) <= slow_sequences(graph, codes, 4)


def test_sequences_with_edges_that_take_too_much_work_are_left_out(monkeypatch):
    monkeypatch.setattr(_rare_walks, "_MAX_WORK", 5)
    graph = with_edges(nx.complete_graph(4), 0)
    batch = as_batch(graph)
    features = NodeFeatures(np.eye(4), np.arange(4), edge_features(graph, batch))
    rare = RareWalks(batch, features, 100)
    assert rare.sequences(1).shape == (4, 1)
    assert rare.sequences(2).shape == (0, 3)
