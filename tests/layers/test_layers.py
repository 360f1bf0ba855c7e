from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gskn import GSKN, AttributeEncoder, as_batch, datasets
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.layers import (
    BRANCHES,
    AnonymousLayer,
    DegreeWalkLayer,
    InducedLayer,
    JointLayer,
    LabelPathLayer,
    LayerParams,
    NodeFeatures,
    PathLayer,
    WalkLayer,
    _enumerated,
    _path,
    _rare_walks,
)
from gskn.layers._landmarks import choose_landmarks
from gskn.layers._rare_walks import RareWalks
from tests.reference import layers as reference
from tests.reference import walks as walks_reference
from tests.walks.test_counts import graphs

LAYERS = {
    "walk": (WalkLayer, reference.walk_values),
    "degree-walk": (DegreeWalkLayer, reference.walk_values),
    "path": (PathLayer, reference.path_values),
    "label-path": (LabelPathLayer, reference.path_values),
    "anonymous": (AnonymousLayer, reference.anonymous_values),
    "joint": (JointLayer, reference.joint_values),
    "induced": (InducedLayer, reference.induced_values),
}


def test_every_branch_has_a_reference():
    assert {name: layer for name, (layer, _) in LAYERS.items()} == BRANCHES


def attributes(n_nodes, seed=0):
    """Return attributes of which some are equal."""
    return np.random.default_rng(seed).integers(0, 3, (n_nodes, 2)).astype(float)


def fitted(kind, length, batch, features, **options):
    layer = LAYERS[kind][0](length, LayerParams(**options))
    return fit(layer, batch, NodeFeatures.from_rows(features))


def fit(layer, batch, features):
    layer.fit(batch, features, np.random.default_rng(1))
    return layer


@pytest.mark.reference
@pytest.mark.parametrize("kind", LAYERS)
@settings(max_examples=25)
@given(
    graph=graphs(max_nodes=4),
    length=st.integers(1, 4),
    aggregate=st.booleans(),
    weighting=st.sampled_from(["count", "probability"]),
    n_landmarks=st.sampled_from([2, 64]),
)
def test_layer_sums_over_all_walks(kind, graph, length, aggregate, weighting, n_landmarks):
    assume(len(graph))
    batch, features = as_batch(graph), attributes(len(graph))
    layer = fitted(
        kind,
        length,
        batch,
        features,
        aggregate=aggregate,
        weighting=weighting,
        n_landmarks=n_landmarks,
        alpha=0.7,
        beta=0.4,
        eps=1e-3,
    )
    embeddings = np.hstack(layer.transform(batch, NodeFeatures.from_rows(features), None))
    expected = reference.layer_rows(layer, LAYERS[kind][1], graph, features)
    np.testing.assert_allclose(embeddings, expected, rtol=1e-8, atol=1e-9)


TWINS = {
    "complete": nx.complete_graph(4),
    "star": nx.star_graph(4),
    "parts": nx.complete_multipartite_graph(2, 1, 2),
    "isolated": nx.empty_graph(3),
    "loops": nx.Graph([*nx.star_graph(3).edges, (1, 1), (2, 2), (3, 3)]),
    "all loops": nx.Graph([*nx.complete_graph(3).edges, (0, 0), (1, 1), (2, 2)]),
}


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("weighting", ["count", "probability"])
def test_walks_of_twins_are_counted_together(kind, name, weighting):
    graph = nx.convert_node_labels_to_integers(TWINS[name])
    batch, features = as_batch(graph), np.ones((len(graph), 2))
    features[0] = 2
    layer = fitted(kind, 5, batch, features, weighting=weighting, alpha=0.7, eps=1e-3)
    embeddings = np.hstack(layer.transform(batch, NodeFeatures.from_rows(features), None))
    expected = reference.layer_rows(layer, LAYERS[kind][1], graph, features)
    np.testing.assert_allclose(embeddings, expected, rtol=1e-8, atol=1e-9)


@settings(max_examples=50)
@given(
    graph=st.builds(
        nx.gnp_random_graph, st.integers(1, 8), st.floats(0, 1), st.integers(0, 99)
    ),
    length=st.integers(2, 5),
    weighting=st.sampled_from(["count", "probability"]),
    n_vectors=st.integers(1, 3),
)
def test_signed_sums_over_paths_match_enumeration(graph, length, weighting, n_vectors):
    """Few distinct feature vectors leave many twins."""
    batch = as_batch(graph)
    features = np.random.default_rng(0).integers(0, n_vectors, (len(graph), 1)) / 2
    layer = fitted("path", length, batch, features, weighting=weighting, eps=1e-3)
    embeddings = np.hstack(layer.transform(batch, NodeFeatures.from_rows(features), None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_path, "MAX_SIGNED_LENGTH", 1)
        expected = np.hstack(layer.transform(batch, NodeFeatures.from_rows(features), None))
    np.testing.assert_allclose(embeddings, expected, rtol=1e-8, atol=1e-8)


def test_small_scratch_space_does_not_change_embeddings(monkeypatch):
    batch = datasets.load("structure").graphs[:5]
    features = NodeFeatures.from_rows(attributes(batch.n_nodes))
    layer = fitted("path", 5, batch, features.table)
    expected = np.hstack(layer.transform(batch, features, None))
    monkeypatch.setattr(_path, "PATH_SCRATCH_CELLS", 1)
    np.testing.assert_allclose(np.hstack(layer.transform(batch, features, 2)), expected)


@pytest.mark.parametrize("kind", LAYERS)
def test_shared_features_do_not_change_embeddings(kind):
    batch = datasets.load("structure").graphs[:20]
    encoder = AttributeEncoder().fit(batch)
    layer = LAYERS[kind][0](3, LayerParams(n_landmarks=8))
    shared = NodeFeatures(*encoder.distinct_rows(batch))
    fit(layer, batch, shared)
    np.testing.assert_allclose(
        np.hstack(layer.transform(batch, shared, None)),
        np.hstack(
            layer.transform(batch, NodeFeatures.from_rows(encoder.transform(batch)), None)
        ),
        atol=1e-12,
    )


@pytest.mark.parametrize("kind", LAYERS)
def test_threads_do_not_change_embeddings(kind, monkeypatch):
    monkeypatch.setattr(_enumerated, "ENUMERATION_CHUNK_NODES", 50)
    monkeypatch.setattr(_path, "ENUMERATION_CHUNK_NODES", 50)
    batch = datasets.load("structure").graphs[:20]
    features = NodeFeatures.from_rows(attributes(batch.n_nodes))
    one, two = (
        np.hstack(fitted(kind, 4, batch, features.table).transform(batch, features, n))
        for n in (1, 2)
    )
    np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("kind", ["path", "joint"])
def test_sampled_embeddings_approach_exact_ones(kind):
    """With 4000 walks the mean error is near 1/sqrt(4000) of the sums, below 0.02."""
    batch = as_batch([nx.gnm_random_graph(12, 30, seed=1), nx.star_graph(4)])
    features = attributes(batch.n_nodes)
    exact = fitted(kind, 4, batch, features, method="exact", eps=1.0)
    sampled = fitted(kind, 4, batch, features, method="sampled", n_walks=4000, eps=1.0)
    embeddings = [
        np.hstack(layer.transform(batch, NodeFeatures.from_rows(features), None))
        for layer in (exact, sampled)
    ]
    assert (
        np.abs(embeddings[0] - embeddings[1]).mean()
        < 0.02 * np.abs(embeddings[0]).mean() + 1e-3
    )
    assert np.abs(embeddings[0] - embeddings[1]).max() > 0  # or nothing was sampled


@pytest.mark.parametrize("kind", ["path", "joint"])
def test_sampled_embeddings_do_not_depend_on_other_graphs(kind):
    listed = [nx.gnm_random_graph(9, 20, seed=n) for n in range(4)]
    batch = as_batch(listed)
    layer = fitted(kind, 4, batch, attributes(batch.n_nodes), method="sampled")
    features = attributes(9)
    alone = np.hstack(
        layer.transform(as_batch(listed[2]), NodeFeatures.from_rows(features), None)
    )
    shuffled = GraphBatch.concat([as_batch(listed[n]) for n in (3, 2, 0)])
    together = np.hstack(
        layer.transform(shuffled, NodeFeatures.from_rows(np.tile(features, (3, 1))), None)
    )
    np.testing.assert_allclose(alone, together[9:18], atol=1e-12)


def test_too_many_walks_are_sampled_or_raise(monkeypatch, caplog):
    monkeypatch.setattr(_enumerated, "_MAX_WALKS", 10)
    batch = as_batch([nx.complete_graph(5), nx.path_graph(2)])
    features = attributes(batch.n_nodes)
    layer = fitted("joint", 3, batch, features)
    with caplog.at_level("INFO"):
        layer.transform(batch, NodeFeatures.from_rows(features), None)
    assert "1 graphs are sampled: graph 0" in caplog.text
    counting = fitted("joint", 3, batch, features, weighting="count")
    with pytest.raises(InputError, match="Graph 0 .*weighting='probability'"):
        counting.transform(batch, NodeFeatures.from_rows(features), None)


def test_graph_without_long_paths_has_zero_embeddings():
    batch = as_batch([nx.path_graph(2)])
    layer = fitted("path", 3, batch, attributes(2), aggregate=False)
    (embeddings,) = layer.transform(batch, NodeFeatures.from_rows(attributes(2)), None)
    np.testing.assert_allclose(embeddings, 0)


@pytest.mark.parametrize("name", ["MUTAG", "structure"])
@pytest.mark.parametrize("n_landmarks", [32, 100])
def test_number_of_columns_does_not_depend_on_seed(name, n_landmarks):
    graphs = datasets.load(name).graphs
    names = []
    for seed in range(5):
        model = GSKN(("walk", "degree-walk", "anonymous"), n_landmarks=n_landmarks)
        model.set_params(walk_length=4, anonymous_length=4, random_state=seed).fit(graphs)
        names.append(model.get_feature_names_out().tolist())
    assert all(other == names[0] for other in names)


def test_without_rare_walks_landmarks_are_sampled_walks():
    graphs = datasets.load("MUTAG").graphs
    counts = set()
    for seed in range(5):
        model = GSKN(("walk",), rare_walks=False, random_state=seed).fit(graphs)
        counts.add(model.n_node_features_out_)
    assert len(counts) > 1
    assert max(counts) <= GSKN(("walk",)).fit(graphs).n_node_features_out_


def slow_sequences(graph, codes, length):
    """Return the codes along all walks."""
    return {
        tuple(codes[node] for node in walk)
        for start in graph
        for walk in walks_reference.walks(graph, start, length)
    }


@settings(max_examples=30)
@given(graph=graphs(max_nodes=5), seed=st.integers(0, 99))
def test_sequences_of_codes_are_complete(graph, seed):
    if not len(graph):
        return
    codes = np.random.default_rng(seed).integers(0, 3, len(graph))
    rare = RareWalks(as_batch(graph), NodeFeatures(np.eye(3), codes), 1000)
    for length in (3, 1, 4):
        sequences = rare.sequences(length)
        expected = slow_sequences(graph, codes, length)
        assert len(sequences) == len(expected)
        assert set(map(tuple, sequences.tolist())) == expected
    few = RareWalks(as_batch(graph), NodeFeatures(np.eye(3), codes), 2).sequences(4)
    assert len(few) == min(2, len(slow_sequences(graph, codes, 4)))
    assert set(map(tuple, few.tolist())) <= slow_sequences(graph, codes, 4)


def test_sequences_that_take_too_much_work_are_left_out(monkeypatch):
    monkeypatch.setattr(_rare_walks, "_MAX_WORK", 5)
    rare = RareWalks(
        as_batch(nx.complete_graph(4)), NodeFeatures(np.eye(4), np.arange(4)), 100
    )
    assert rare.sequences(1).shape == (4, 1)
    assert rare.sequences(2).shape == (0, 2)


def test_sparse_points_have_distinct_centers():
    points = np.eye(200)
    landmarks = choose_landmarks(points, np.ones(200), 50, 0)
    assert landmarks.shape == (50, 200)
    np.testing.assert_allclose(landmarks.sum(axis=1), 1)
    np.testing.assert_array_equal(landmarks, choose_landmarks(points, np.ones(200), 50, 0))


@pytest.mark.reference
@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("weighting", ["count", "probability"])
def test_sums_per_graph_equal_sums_of_node_embeddings(kind, weighting):
    batch = as_batch([nx.empty_graph(0), *TWINS.values(), nx.path_graph(6)])
    features = NodeFeatures.from_rows(attributes(batch.n_nodes))
    layer = LAYERS[kind][0](3, LayerParams(n_landmarks=8, weighting=weighting, eps=1e-3))
    fit(layer, batch, features)
    blocks = layer.transform(batch, features, None)
    sums = layer.transform_graphs(batch, features, None)
    for block, block_sums in zip(blocks, sums, strict=True):
        expected = [block[a:b].sum(axis=0) for a, b in pairwise(batch.graph_ptr)]
        np.testing.assert_allclose(block_sums, expected, rtol=1e-9, atol=1e-9)
