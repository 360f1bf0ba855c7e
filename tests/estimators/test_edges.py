"""Embeddings that depend on labels and attributes of edges."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gskn import GSKN, GSKNClassifier, as_batch, datasets
from gskn.estimators import _gskn
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.kernels import joint_kernel, path_kernel, walk_kernel
from gskn.layers import BRANCHES

BRANCH_NAMES = [name for name, layer in BRANCHES.items() if layer.compares_edges]
MUTAG = datasets.load("MUTAG").graphs[:30]


def ring(*labels):
    """Return a ring of carbon atoms whose bonds have labels."""
    graph = nx.cycle_graph(len(labels))
    nx.set_node_attributes(graph, "C", "label")
    nx.set_edge_attributes(graph, dict(zip(graph.edges, labels, strict=True)), "label")
    return graph


BENZENE, CYCLOHEXANE = ring(*6 * ["aromatic"]), ring(*6 * ["single"])


@pytest.mark.parametrize("branch", BRANCH_NAMES)
def test_benzene_and_cyclohexane_have_different_embeddings(branch):
    model = GSKN((branch,), random_state=0).fit([BENZENE, CYCLOHEXANE])
    benzene, cyclohexane = model.transform([BENZENE, CYCLOHEXANE])
    assert np.abs(benzene - cyclohexane).max() > 0.1
    assert model.edge_features_ == ("labels",)


@pytest.mark.parametrize("branch", BRANCH_NAMES)
@pytest.mark.parametrize("weighting", ["count", "probability"])
def test_edge_features_none_equals_graphs_without_edge_data(branch, weighting):
    model = GSKN((branch,), weighting=weighting, edge_features="none", random_state=0)
    embeddings = model.fit_transform(MUTAG)
    assert model.edge_features_ == ()
    plain = GSKN((branch,), weighting=weighting, random_state=0)
    np.testing.assert_array_equal(
        plain.fit_transform(MUTAG.without_edge_data()), embeddings
    )


@pytest.mark.parametrize(
    ("branch", "kernel"),
    [("walk", walk_kernel), ("path", path_kernel), ("joint", joint_kernel)],
)
@pytest.mark.parametrize("weighting", ["count", "probability"])
def test_with_all_walks_as_landmarks_products_are_the_kernel(branch, kernel, weighting):
    """Isolated nodes stay, so the kernel of staying is compared, too."""
    graphs = [ring("single", "double", "single"), ring("double", "single", "aromatic")]
    graphs[0].add_node("isolated", label="N")
    model = GSKN(
        (branch,),
        aggregate=False,
        weighting=weighting,
        n_landmarks=4096,
        pooling="sum",
        eps=1e-12,
        random_state=0,
    )
    embeddings = model.fit_transform(graphs)
    expected = kernel(graphs, length=3, weighting=weighting)
    np.testing.assert_allclose(embeddings @ embeddings.T, expected, rtol=1e-6)


def test_edge_attributes_are_compared():
    near, same, far = (nx.path_graph(3) for _ in range(3))
    for graph, length in ((near, 1.0), (same, 1.0), (far, 3.0)):
        nx.set_edge_attributes(graph, [length, 1.0], "attributes")
    model = GSKN(("walk",), random_state=0).fit([near, far])
    rows = model.transform([near, same, far])
    assert model.edge_features_ == ("attributes",)
    np.testing.assert_array_equal(rows[0], rows[1])
    assert np.abs(rows[0] - rows[2]).max() > 0.1


def test_selected_edge_features_are_used():
    graph = ring("single", "double", "single")
    nx.set_edge_attributes(graph, {edge: [1.0] for edge in graph.edges}, "attributes")
    used = {
        selection: GSKN(("walk",), edge_features=selection).fit([graph]).edge_features_
        for selection in ("auto", "labels", "attributes", "none")
    }
    assert used == {
        "auto": ("labels", "attributes"),
        "labels": ("labels",),
        "attributes": ("attributes",),
        "none": (),
    }


def test_unseen_edge_labels_are_one_label():
    model = GSKN(random_state=0).fit([BENZENE, CYCLOHEXANE])
    rows = model.transform([ring(*6 * ["x"]), ring(*6 * ["y"]), BENZENE])
    np.testing.assert_array_equal(rows[0], rows[1])
    assert np.abs(rows[0] - rows[2]).max() > 0.01


def test_graphs_without_edges_need_no_edge_labels():
    model = GSKN(("walk",), random_state=0).fit([BENZENE, CYCLOHEXANE])
    atom = nx.empty_graph(1)
    atom.add_node(0, label="C")
    assert np.isfinite(model.transform([atom])).all()
    both = GSKN(("walk",), random_state=0).fit([BENZENE, atom]).transform([atom, BENZENE])
    alone = GSKN(("walk",), random_state=0).fit([BENZENE, atom]).transform([atom])
    np.testing.assert_allclose(both[:1], alone, atol=1e-12)


def test_missing_edge_data_raises():
    plain = MUTAG.without_edge_data()
    model = GSKN(("walk",), random_state=0).fit(MUTAG)
    with pytest.raises(InputError, match=r"no edge labels.*edge_features='none'"):
        model.transform(plain)
    with pytest.raises(InputError, match="no edge attributes"):
        GSKN(("walk",), edge_features="attributes").fit(MUTAG)
    two, one = (
        replace(plain, edge_attributes=np.ones((plain.adjacency.nnz, n))) for n in (2, 1)
    )
    with pytest.raises(InputError, match="1 edge attributes, .*fitted with 2"):
        GSKN(("walk",), random_state=0).fit(two).transform(one)
    huge = replace(plain, edge_attributes=np.full((plain.adjacency.nnz, 1), 1e200))
    with pytest.raises(InputError, match=r"An edge attribute .*overflows"):
        GSKN(("walk",), random_state=0).fit(huge)


@pytest.mark.parametrize("value", ["bonds", (), ["labels", "degrees"], None, 3])
def test_invalid_edge_features_raise(value):
    with pytest.raises(InputError, match="edge_features must be 'auto', 'none' or"):
        GSKN(edge_features=value).fit(MUTAG)


@pytest.mark.parametrize("branch", BRANCH_NAMES)
@pytest.mark.parametrize("n_layers", [1, 2])
def test_embeddings_with_edges_do_not_depend_on_other_graphs(branch, n_layers, monkeypatch):
    model = GSKN((branch,), n_layers=n_layers, n_landmarks=16, random_state=0).fit(MUTAG)
    whole = model.transform(MUTAG)
    for chunk_cells in (100 * whole.shape[1], 1):
        monkeypatch.setattr(_gskn, "EMBEDDING_CHUNK_CELLS", chunk_cells)
        np.testing.assert_allclose(model.transform(MUTAG), whole, rtol=1e-8, atol=1e-9)
    shuffled = GraphBatch.concat([MUTAG[5], as_batch([BENZENE]), MUTAG[2]])
    np.testing.assert_allclose(model.transform(shuffled)[0], whole[5], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "branches", [("walk", "degree-walk", "anonymous"), ("label-path",)]
)
def test_precomputation_with_edges_equals_fit(branches):
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    model = GSKN(branches, random_state=0)
    rows = GSKN.precompute(MUTAG).split(train, test).embed(model)
    expected = model.fit(MUTAG[train])
    for part, numbers in zip(rows, (train, test), strict=True):
        np.testing.assert_allclose(part, expected.transform(MUTAG[numbers]), atol=1e-9)


def test_classifier_uses_edge_labels():
    """Rings of single bonds against rings of double bonds: only bonds differ."""
    graphs = [ring(*n * [label]) for label in ("single", "double") for n in range(3, 13)]
    y = np.repeat([0, 1], 10)
    scores = []
    for edge_features in ("auto", "none"):
        embedding = GSKN(("walk",), pooling="mean", edge_features=edge_features)
        model = GSKNClassifier(embedding, selection="none", random_state=0)
        scores.append(model.fit(graphs[::2], y[::2]).score(graphs[1::2], y[1::2]))
    assert scores == [1.0, 0.5]
