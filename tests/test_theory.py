"""Lemmas and theorems of the paper's section 4, on real instances."""

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
from gskn.kernels._subtree import subtree_colours
from gskn.walks import pattern_counts

ALL = 10**4  # landmarks: every distinct walk or pattern is one


@pytest.fixture(scope="module")
def atlas():
    """All graphs of one to six nodes, connected or not."""
    return as_batch([graph for graph in graph_atlas_g() if 0 < len(graph) <= 6])


def classes(rows, decimals):
    """Number rows so that two are equal if they agree to so many decimals."""
    scaled = np.round(np.asarray(rows) / max(np.abs(rows).max(), 1e-300), decimals) + 0.0
    return np.unique(scaled, axis=0, return_inverse=True)[1].ravel()


def refines(fine, coarse):
    """Tell whether what differs in the second also differs in the first."""
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine))


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("weighting", ["probability", "count"])
def test_random_walks_do_not_tell_rings_apart(k, weighting):
    """Lemma 4 and Theorem 3: nodes of all rings are equal for walks, at any depth."""
    pair = datasets.rings(k).graphs
    model = GSKN(("walk",), walk_length=5, n_layers=3, weighting=weighting, random_state=0)
    nodes = model.fit(pair).transform_nodes(pair)
    np.testing.assert_allclose(nodes, np.broadcast_to(nodes[0], nodes.shape), atol=1e-9)


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_anonymous_walks_tell_rings_apart_from_length_k_plus_1(k):
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


def test_regular_graphs_are_told_apart_by_patterns_and_not_by_walks():
    data = datasets.load("regular")
    odd = np.arange(data.graphs.n_graphs) % 2 == 1
    walks = GSKN(("walk",), attributes="degrees", walk_length=6, random_state=0)
    rows = walks.fit_transform(data.graphs)
    np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), rtol=1e-9)
    model = GSKNClassifier(GSKN(("anonymous",)), random_state=0)
    model.fit(data.graphs[~odd], data.y[~odd])
    assert model.score(data.graphs[odd], data.y[odd]) == 1.0


@pytest.mark.parametrize("weighting", ["probability", "count"])
def test_rows_separate_exactly_what_patterns_separate(atlas, weighting):
    """Lemma 2, with a landmark for every pattern: the map of distributions is injective."""
    for length in (4, 5, 6):
        options = {"weighting": weighting, "anonymous_length": length}
        model = GSKN(("anonymous",), n_landmarks=ALL, aggregate=False, **options)
        table = pattern_counts(atlas, length, weighting=weighting)
        nodes = model.fit(atlas).transform_nodes(atlas)
        by_rows, by_patterns = classes(nodes, 9), classes(table.rows.toarray(), 9)
        assert refines(by_rows, by_patterns)
        assert refines(by_patterns, by_rows)
        graphs = model.transform(atlas)
        by_rows = classes(graphs, 9)
        by_patterns = classes(table.graph_rows().toarray(), 9)
        assert len(set(by_rows)) > 50
        assert refines(by_rows, by_patterns)
        assert refines(by_patterns, by_rows)


def test_walks_of_one_layer_are_injective(atlas):
    """Lemma 2 for walks: nodes differ as soon as they or their neighbours do."""
    model = GSKN(("walk",), walk_length=2, n_landmarks=ALL, aggregate=False, random_state=0)
    nodes = model.fit(atlas).transform_nodes(atlas)
    colours = subtree_colours(atlas, 1)[1]
    assert refines(classes(nodes, 7), colours)
    assert refines(colours, classes(nodes, 7))


def test_gskn_separates_whatever_1_wl_separates(atlas):
    """Corollary 1, on all graphs of up to six nodes; and rows of walks see no more."""
    colours = subtree_colours(atlas, 6)[-1]
    histograms = np.zeros((atlas.n_graphs, colours.max() + 1))
    np.add.at(histograms, (atlas.node_graphs, colours), 1)
    model = GSKN(
        ("walk",),
        walk_length=2,
        n_layers=3,
        n_landmarks=ALL,
        aggregate=False,
        weighting="count",
        random_state=0,
    )
    rows = model.fit(atlas).transform(atlas)
    by_wl = classes(histograms, 9)
    assert len(set(by_wl.tolist())) > 190
    assert refines(classes(rows, 7), by_wl)
    nodes = model.transform_nodes(atlas)
    assert refines(colours, classes(nodes, 6))


def test_gskn_sees_more_than_1_wl():
    """Lemma 4: both branches together distinguish pairs that 1-WL does not."""
    equal_for_wl = []
    for name, make in datasets.PAIRS.items():
        pair = make().graphs
        colours = subtree_colours(pair, 8)[-1]
        cut = pair.graph_ptr[1]
        if not np.array_equal(np.sort(colours[:cut]), np.sort(colours[cut:])):
            continue
        equal_for_wl.append(name)
        rows = GSKN(anonymous_length=8, random_state=0).fit_transform(pair)
        assert np.abs(rows[0] - rows[1]).max() > 1e-6, name
    assert equal_for_wl == ["rings", "decalin-bicyclopentyl", "rook-shrikhande"]


def small_graphs():
    """Return labelled and weighted graphs with a dead end, a loop and two components."""
    labelled = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    other = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (3, 3)])
    other.add_node(4)
    graphs = [labelled, other, nx.star_graph(3)]
    for number, graph in enumerate(graphs):
        nx.set_node_attributes(
            graph, {node: "CNO"[(node + number) % 3] for node in graph}, "label"
        )
    return as_batch(graphs)


@pytest.mark.parametrize("weighting", ["probability", "count"])
@pytest.mark.parametrize("level", ["node", "graph"])
def test_all_points_as_landmarks_reproduce_the_kernel(weighting, level):
    graphs = small_graphs()
    options = {"weighting": weighting, "level": level}
    kernels = {
        "walk": walk_kernel(graphs, length=3, **options),
        "path": path_kernel(graphs, length=3, **options),
        "anonymous": anonymous_walk_kernel(graphs, length=5, **options),
        "joint": joint_kernel(graphs, length=3, **options),
    }
    for name, kernel in kernels.items():
        rows = embed(graphs, (name,), weighting, level)
        np.testing.assert_allclose(rows @ rows.T, kernel, rtol=1e-8, atol=1e-8)
    both = anonymous_random_walk_kernel(graphs, length=3, anonymous_length=5, **options)
    rows = embed(graphs, ("walk", "anonymous"), weighting, level)
    np.testing.assert_allclose(rows @ rows.T, both, rtol=1e-8, atol=1e-8)


def embed(graphs, branches, weighting, level):
    model = GSKN(
        branches,
        anonymous_length=5,
        n_landmarks=ALL,
        aggregate=False,
        weighting=weighting,
        eps=0.0,
        random_state=0,
    ).fit(graphs)
    return model.transform_nodes(graphs) if level == "node" else model.transform(graphs)


def test_one_branch_that_differs_is_enough():
    """Lemma 1: concatenation keeps whatever either branch separates."""
    graphs = datasets.load("structure").graphs[::16]
    one, two, both = (
        GSKN(branches, random_state=0).fit_transform(graphs)
        for branches in (("walk",), ("anonymous",), ("walk", "anonymous"))
    )
    for i, j in itertools.combinations(range(graphs.n_graphs), 2):
        parts = max(np.abs(one[i] - one[j]).max(), np.abs(two[i] - two[j]).max())
        assert np.abs(both[i] - both[j]).max() == pytest.approx(parts, rel=1e-9, abs=1e-9)
