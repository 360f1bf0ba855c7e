"""Lemmas and theorems of section 4 of the paper, tested on concrete graphs."""

import itertools

import networkx as nx
import numpy as np
import pytest
from networkx.generators.atlas import graph_atlas_g

from gskn import GSKN, GSKNClassifier, as_batch, datasets
from gskn.kernels import (
    anonymous_random_walk_kernel,
    anonymous_walk_kernel,
    joint_kernel,
    path_kernel,
    walk_kernel,
)
from gskn.kernels._subtree import subtree_colors
from gskn.walks import pattern_counts

ALL = 10**4  # landmarks: every distinct walk or pattern becomes one


@pytest.fixture(scope="module")
def atlas():
    """All graphs of one to six nodes, connected or not."""
    return as_batch([graph for graph in graph_atlas_g() if 0 < len(graph) <= 6])


def groups(vectors, decimals):
    """Return equal integers for vectors that agree to this number of decimals."""
    scale = max(np.abs(vectors).max(), 1e-300)
    rounded = np.round(np.asarray(vectors) / scale, decimals) + 0.0
    return np.unique(rounded, axis=0, return_inverse=True)[1].ravel()


def refines(fine, coarse):
    """Return whether items that differ in the second grouping differ in the first."""
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine))


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("weighting", ["probability", "count"])
def test_walk_branch_does_not_distinguish_rings(k, weighting):
    """Lemma 4 and Theorem 3: all nodes of rings have equal embeddings in every layer."""
    pair = datasets.rings(k).graphs
    model = GSKN(("walk",), walk_length=5, n_layers=3, weighting=weighting, random_state=0)
    nodes = model.fit(pair).transform_nodes(pair)
    np.testing.assert_allclose(nodes, np.broadcast_to(nodes[0], nodes.shape), atol=1e-9)


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_anonymous_branch_distinguishes_rings_from_length_k_plus_1(k):
    pair = datasets.rings(k).graphs
    for length in range(1, k + 2):
        model = GSKN(("anonymous",), anonymous_length=length, random_state=0).fit(pair)
        graphs, nodes = model.transform(pair), model.transform_nodes(pair)
        large, small = nodes[0], nodes[2 * k]
        if length <= k:
            np.testing.assert_allclose(graphs[0], graphs[1], atol=1e-9)
            np.testing.assert_allclose(large, small, atol=1e-9)
        else:
            assert np.abs(graphs[0] - graphs[1]).max() > 1e-3
            assert np.abs(large - small).max() > 1e-4


def test_only_anonymous_branch_distinguishes_regular_graphs():
    data = datasets.load("regular")
    odd = np.arange(data.graphs.n_graphs) % 2 == 1
    walks = GSKN(("walk",), node_features="degrees", walk_length=6, random_state=0)
    embeddings = walks.fit_transform(data.graphs)
    expected = np.broadcast_to(embeddings[0], embeddings.shape)
    np.testing.assert_allclose(embeddings, expected, rtol=1e-9)
    model = GSKNClassifier(GSKN(("anonymous",)), random_state=0)
    model.fit(data.graphs[~odd], data.y[~odd])
    assert model.score(data.graphs[odd], data.y[odd]) == 1.0


@pytest.mark.parametrize("weighting", ["probability", "count"])
def test_embeddings_distinguish_the_same_nodes_as_patterns(atlas, weighting):
    """Lemma 2: with a landmark for every pattern, the feature map is injective."""
    for length in (4, 5, 6):
        options = {"weighting": weighting, "anonymous_length": length}
        options |= {"n_landmarks": ALL, "aggregate": False, "pooling": "sum"}
        model = GSKN(("anonymous",), **options)
        table = pattern_counts(atlas, length, weighting=weighting)
        nodes = model.fit(atlas).transform_nodes(atlas)
        by_embedding, by_patterns = groups(nodes, 9), groups(table.rows.toarray(), 9)
        assert refines(by_embedding, by_patterns)
        assert refines(by_patterns, by_embedding)
        graphs = model.transform(atlas)
        by_embedding = groups(graphs, 9)
        by_patterns = groups(table.graph_rows().toarray(), 9)
        assert len(set(by_embedding)) > 50
        assert refines(by_embedding, by_patterns)
        assert refines(by_patterns, by_embedding)


def test_one_walk_layer_distinguishes_the_same_nodes_as_one_refinement(atlas):
    """Lemma 2 for walks: embeddings differ if the nodes or their neighbors differ."""
    model = GSKN(("walk",), walk_length=2, n_landmarks=ALL, aggregate=False, random_state=0)
    nodes = model.fit(atlas).transform_nodes(atlas)
    colors = subtree_colors(atlas, 1)[1]
    assert refines(groups(nodes, 7), colors)
    assert refines(colors, groups(nodes, 7))


def test_walk_branch_is_as_expressive_as_1_wl(atlas):
    """Corollary 1, and its converse, on all graphs of up to six nodes."""
    colors = subtree_colors(atlas, 6)[-1]
    histograms = np.zeros((atlas.n_graphs, colors.max() + 1))
    np.add.at(histograms, (atlas.node_graphs, colors), 1)
    model = GSKN(
        ("walk",),
        walk_length=2,
        n_layers=3,
        n_landmarks=ALL,
        aggregate=False,
        weighting="count",
        pooling="sum",
        random_state=0,
    )
    graphs = model.fit(atlas).transform(atlas)
    by_wl = groups(histograms, 9)
    assert len(set(by_wl.tolist())) > 190
    assert refines(groups(graphs, 7), by_wl)
    nodes = model.transform_nodes(atlas)
    assert refines(colors, groups(nodes, 6))


@pytest.mark.parametrize("name", ["rings", "decalin-bicyclopentyl", "rook-shrikhande"])
def test_gskn_distinguishes_pairs_that_1_wl_does_not(name):
    """Lemma 4."""
    pair = datasets.PAIRS[name]().graphs
    colors = subtree_colors(pair, 8)[-1]
    end = pair.graph_ptr[1]
    np.testing.assert_array_equal(np.sort(colors[:end]), np.sort(colors[end:]))
    embeddings = GSKN(anonymous_length=8, random_state=0).fit_transform(pair)
    assert np.abs(embeddings[0] - embeddings[1]).max() > 1e-6


def small_graphs():
    """Return labeled graphs, one with a self-loop and an isolated node."""
    labelled = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    other = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (3, 3)])
    other.add_node(4)
    graphs = [labelled, other, nx.star_graph(3)]
    for index, graph in enumerate(graphs):
        labels = {node: "CNO"[(node + index) % 3] for node in graph}
        nx.set_node_attributes(graph, labels, "label")
    return as_batch(graphs)


@pytest.mark.parametrize("weighting", ["probability", "count"])
@pytest.mark.parametrize("level", ["node", "graph"])
def test_all_points_as_landmarks_reproduce_kernel(weighting, level):
    graphs = small_graphs()
    options = {"weighting": weighting, "level": level}
    kernels = {
        "walk": walk_kernel(graphs, length=3, **options),
        "path": path_kernel(graphs, length=3, **options),
        "anonymous": anonymous_walk_kernel(graphs, length=5, **options),
        "joint": joint_kernel(graphs, length=3, **options),
    }
    for name, kernel in kernels.items():
        Z = embed(graphs, (name,), weighting, level)
        np.testing.assert_allclose(Z @ Z.T, kernel, rtol=1e-8, atol=1e-8)
    kernel = anonymous_random_walk_kernel(graphs, length=3, anonymous_length=5, **options)
    Z = embed(graphs, ("walk", "anonymous"), weighting, level)
    np.testing.assert_allclose(Z @ Z.T, kernel, rtol=1e-8, atol=1e-8)


def embed(graphs, branches, weighting, level):
    model = GSKN(
        branches,
        anonymous_length=5,
        n_landmarks=ALL,
        aggregate=False,
        weighting=weighting,
        pooling="sum",
        eps=0.0,
        random_state=0,
    ).fit(graphs)
    return model.transform_nodes(graphs) if level == "node" else model.transform(graphs)


def test_concatenation_distinguishes_what_one_branch_distinguishes():
    """Lemma 1."""
    graphs = datasets.load("structure").graphs[::16]
    walk, anonymous, both = (
        GSKN(branches, random_state=0).fit_transform(graphs)
        for branches in (("walk",), ("anonymous",), ("walk", "anonymous"))
    )
    for i, j in itertools.combinations(range(graphs.n_graphs), 2):
        difference = max(
            np.abs(branch[i] - branch[j]).max() for branch in (walk, anonymous)
        )
        assert np.abs(both[i] - both[j]).max() == pytest.approx(
            difference, rel=1e-9, abs=1e-9
        )
