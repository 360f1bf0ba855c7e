import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from gskn import as_batch
from gskn.exceptions import InputError
from gskn.networks import NodeNetwork, UnsupervisedNodeNetwork

pytest.importorskip("torch", reason="needs the torch extra")

pytestmark = pytest.mark.torch
NAMES = ("gcn", "sage", "gat", "gin")


@pytest.fixture(scope="module")
def communities():
    """Return a graph of two dense groups with noisy attributes, and the groups."""
    graph = nx.planted_partition_graph(2, 40, 0.3, 0.02, seed=0)
    y = np.repeat([0, 1], 40)
    noise = np.random.default_rng(0).normal(size=(80, 4))
    for node in graph:
        graph.nodes[node]["attributes"] = (noise[node] + y[node]).tolist()
    return as_batch(graph, node_attributes="attributes"), y


@pytest.fixture(scope="module")
def split():
    order = np.random.default_rng(1).permutation(80)
    return order[:30], order[30:]


@pytest.mark.parametrize("name", NAMES)
def test_supervised_network_finds_communities(name, communities, split):
    graph, y = communities
    train, test = split
    model = NodeNetwork(name, max_epochs=60, random_state=0)
    model.fit(graph, y[train], nodes=train)
    assert model.history_[0]["loss"][-1] < model.history_[0]["loss"][0]
    assert (model.predict(graph, test) == y[test]).mean() > 0.85
    assert model.predict_proba(graph).shape == (80, 2)


@pytest.mark.parametrize("name", NAMES)
def test_unsupervised_network_finds_communities(name, communities, split):
    graph, y = communities
    train, test = split
    model = UnsupervisedNodeNetwork(name, max_epochs=60, random_state=0).fit(graph)
    rows = model.transform_nodes(graph)
    np.testing.assert_allclose((rows**2).sum(axis=1), 1, atol=1e-5)
    classifier = LogisticRegression().fit(rows[train], y[train])
    assert classifier.score(rows[test], y[test]) > 0.85
    assert model.history_[0]["loss"][-1] < model.history_[0]["loss"][0]


def test_several_labels(communities, split):
    graph, y = communities
    train, test = split
    labels = np.column_stack([y, 1 - y, np.ones_like(y)])
    model = NodeNetwork(max_epochs=60, random_state=0).fit(graph, labels[train], train)
    predicted = model.predict(graph, test)
    assert predicted.shape == (50, 3)
    assert (predicted == labels[test]).mean() > 0.85


def test_balanced_classes_find_more_nodes_of_a_rare_class(communities, split):
    graph, y = communities
    train, test = split
    rare = np.concatenate([train[y[train] == 0], train[y[train] == 1][:3]])
    n_found = [
        NodeNetwork(max_epochs=10, class_weight=weight, random_state=0)
        .fit(graph, y[rare], rare)
        .predict(graph, test)
        .sum()
        for weight in (None, "balanced")
    ]
    assert n_found[0] < n_found[1]
    model = NodeNetwork(class_weight="balanced")
    with pytest.raises(InputError, match="needs one class per node"):
        model.fit(graph, np.eye(2, dtype=int)[y])
    with pytest.raises(InputError, match="class_weight must be one of"):
        NodeNetwork(class_weight="even").fit(graph, y)


def test_seed_determines_the_network(communities, split):
    graph, y = communities
    train, _ = split
    model = NodeNetwork(max_epochs=5, n_seeds=2, random_state=0).fit(graph, y[train], train)
    again = clone(model).fit(graph, y[train], train)
    np.testing.assert_array_equal(model.predict_proba(graph), again.predict_proba(graph))
    embedding = UnsupervisedNodeNetwork(max_epochs=5, random_state=0).fit(graph)
    repeated = clone(embedding).fit(graph).transform_nodes(graph)
    np.testing.assert_array_equal(embedding.transform_nodes(graph), repeated)


def test_output_does_not_depend_on_the_order_of_nodes(communities):
    graph, _ = communities
    model = UnsupervisedNodeNetwork("gin", max_epochs=3, random_state=0).fit(graph)
    order = np.random.default_rng(0).permutation(80)
    matrix = graph.adjacency.toarray()[np.ix_(order, order)]
    renumbered = nx.from_numpy_array(matrix)
    for node, old in enumerate(order):
        renumbered.nodes[node]["attributes"] = graph.node_attributes[old].tolist()
    rows = model.transform_nodes(as_batch(renumbered, node_attributes="attributes"))
    np.testing.assert_allclose(rows, model.transform_nodes(graph)[order], atol=1e-5)


def test_invalid_input_raises(communities):
    graph, y = communities
    with pytest.raises(InputError, match="convolution must be one of"):
        NodeNetwork("mlp").fit(graph, y)
    with pytest.raises(InputError, match="nodes contains 80"):
        NodeNetwork().fit(graph, y[:2], nodes=[0, 80])
    with pytest.raises(InputError, match="list of node numbers"):
        NodeNetwork().fit(graph, y[:2], nodes=[0.5, 1])
    with pytest.raises(InputError, match="y has shape"):
        NodeNetwork().fit(graph, y[:2], nodes=[0])
    with pytest.raises(InputError, match="only 0 and 1"):
        NodeNetwork().fit(graph, np.full((80, 2), 3))
    with pytest.raises(InputError, match="no nodes"):
        UnsupervisedNodeNetwork().fit([])
    with pytest.raises(InputError, match="walk_length must be at least 2"):
        UnsupervisedNodeNetwork(walk_length=1).fit(graph)
    with pytest.raises(InputError, match="multiple of n_heads"):
        NodeNetwork("gat", n_hidden=9).fit(graph, y)
