import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from gskn import as_batch, datasets
from gskn.exceptions import InputError, UnusedDataWarning
from gskn.networks import (
    DDGK,
    GAT,
    GCN,
    GIN,
    GraLSP,
    GraphSAGE,
    GraphSTONE,
    NodeNetwork,
    PatchySAN,
)

pytest.importorskip("torch", reason="needs the torch extra")

pytestmark = pytest.mark.torch
NETWORKS = (GIN, GCN, GraphSAGE, GAT)
SMALL = {"n_layers": 2, "n_hidden": 8, "max_epochs": 4, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    loaded = datasets.load("structure")
    return loaded.graphs[::8], loaded.y[::8]


@pytest.fixture(scope="module", params=NETWORKS)
def fitted(request, data):
    return request.param(**SMALL, n_seeds=2).fit(*data)


def test_training_loss_decreases_on_structure(fitted, data):
    model = clone(fitted).set_params(max_epochs=25, n_seeds=1).fit(*data)
    losses = model.history_[0]["loss"]
    assert losses[-1] < 0.7 * losses[0]


def test_gin_separates_structure():
    loaded = datasets.load("structure")
    train, test = np.arange(0, 400, 2), np.arange(1, 400, 8)
    model = GIN(n_hidden=32, max_epochs=30, random_state=0)
    model.fit(loaded.graphs[train], loaded.y[train])
    assert model.score(loaded.graphs[test], loaded.y[test]) > 0.6


def test_gin_is_at_chance_on_regular_graphs():
    """All nodes have the same features and degrees, so all embeddings are equal."""
    loaded = datasets.regular(n_per_class=10)
    model = GIN(**SMALL).fit(loaded.graphs, loaded.y)
    probabilities = model.predict_proba(loaded.graphs)
    np.testing.assert_allclose(probabilities, probabilities[[0]].repeat(20, 0), atol=1e-6)


def test_output_does_not_depend_on_the_order_of_nodes(fitted):
    graph = nx.lollipop_graph(5, 4)
    order = np.random.default_rng(0).permutation(9)
    renumbered = nx.to_numpy_array(graph)[np.ix_(order, order)]
    first, second = fitted.predict_proba([nx.to_numpy_array(graph), renumbered])
    np.testing.assert_allclose(first, second, atol=1e-5)


def test_output_of_a_graph_does_not_depend_on_other_graphs(fitted, data):
    graphs, _ = data
    whole = fitted.predict_proba(graphs)
    for number in (0, 20, graphs.n_graphs - 1):
        alone = fitted.predict_proba(graphs[[number]])
        np.testing.assert_allclose(alone, whole[[number]], atol=1e-5)


def test_probabilities_are_the_mean_of_the_members(fitted, data):
    graphs, _ = data
    whole = fitted.predict_proba(graphs[:5])
    single = clone(fitted)
    vars(single).update(vars(fitted))
    parts = []
    for member in fitted.members_:
        single.members_ = [member]
        parts.append(single.predict_proba(graphs[:5]))
    np.testing.assert_allclose(whole, np.mean(parts, axis=0))
    assert not np.allclose(parts[0], parts[1])
    np.testing.assert_allclose(whole.sum(axis=1), 1)


def test_seed_determines_the_network(fitted, data):
    graphs, y = data
    again = clone(fitted).fit(graphs, y)
    np.testing.assert_array_equal(again.predict_proba(graphs), fitted.predict_proba(graphs))
    other = clone(fitted).set_params(random_state=1).fit(graphs, y)
    assert (other.predict_proba(graphs) != fitted.predict_proba(graphs)).any()


def test_warm_start_adds_members(data):
    graphs, y = data
    together = GIN(**SMALL, n_seeds=2).fit(graphs, y).predict_proba(graphs)
    model = GIN(**SMALL, warm_start=True).fit(graphs, y)
    first = model.members_[0]
    model.set_params(n_seeds=2).fit(graphs, y)
    assert model.members_[0] is first
    np.testing.assert_array_equal(model.predict_proba(graphs), together)
    with pytest.raises(InputError, match="n_seeds must be at least 2"):
        model.set_params(n_seeds=1).fit(graphs, y)
    with pytest.raises(InputError, match="same graphs and classes"):
        model.set_params(n_seeds=2).fit(graphs, y > 1)


@pytest.mark.slow
def test_processes_do_not_change_the_network(data):
    graphs, y = data
    models = [GIN(**SMALL, n_seeds=2, n_jobs=n).fit(graphs, y) for n in (1, 2)]
    np.testing.assert_array_equal(*(model.predict_proba(graphs) for model in models))


def test_validation_results_are_the_best_of_the_history(fitted):
    best = [min(history["validation_loss"]) for history in fitted.history_]
    assert fitted.validation_loss_ == pytest.approx(np.mean(best))
    assert 0 <= fitted.validation_accuracy_ <= 1
    for history in fitted.history_:
        assert history["validation_loss"][history["best_epoch"]] == pytest.approx(
            min(history["validation_loss"])
        )


def test_training_without_validation_part(data):
    model = GIN(**SMALL, validation_size=0.0).fit(*data)
    assert model.history_[0]["validation_loss"] == []
    assert np.isnan(model.validation_accuracy_)
    tiny = GIN(**SMALL).fit([nx.path_graph(2), nx.path_graph(3)], [0, 1])
    assert tiny.predict([nx.path_graph(4)]).shape == (1,)


def test_balanced_classes_change_the_network(data):
    graphs, y = data
    uneven = np.flatnonzero((y == 0) | (np.arange(len(y)) % 3 == 0))
    models = [
        GIN(**SMALL, class_weight=weight).fit(graphs[uneven], y[uneven])
        for weight in (None, "balanced")
    ]
    first, second = (model.predict_proba(graphs) for model in models)
    assert (first != second).any()


@pytest.mark.parametrize("readout", ["sum", "mean", "max"])
def test_labels_attributes_weights_and_empty_graphs_are_supported(readout):
    graphs = []
    for number in range(12):
        graph = nx.path_graph(number % 4)
        for node in graph:
            graph.nodes[node].update(label="ab"[node % 2], attributes=[float(node)])
        nx.set_edge_attributes(graph, 0.5 + number, "weight")
        graphs.append(graph)
    batch = as_batch(graphs)
    assert batch.is_weighted
    y = [str(number % 2) for number in range(12)]
    for network in NETWORKS:
        model = network(**SMALL, readout=readout).fit(batch, y)
        assert set(model.predict(batch)) <= {"0", "1"}
        assert np.isfinite(model.predict_proba(batch)).all()
    assert model.predict_proba([]).shape == (0, 2)


def test_max_aggregation_of_graphsage(data):
    model = GraphSAGE(**SMALL, aggregation="max").fit(*data)
    assert np.isfinite(model.predict_proba(data[0])).all()


@pytest.fixture(scope="module")
def bonds():
    """Return paths whose class is the label of their edges."""
    graphs = []
    for number in range(40):
        graph = nx.path_graph(3 + number % 5)
        nx.set_edge_attributes(graph, "-="[number % 2], "label")
        graphs.append(graph)
    return as_batch(graphs), np.arange(40) % 2


def test_gin_uses_edge_labels(bonds, tmp_path):
    graphs, y = bonds
    model = GIN(n_layers=2, n_hidden=8, max_epochs=40, random_state=0).fit(graphs, y)
    assert model.edge_label_values_ == ("-", "=")
    assert model.score(graphs, y) == 1
    model.save(tmp_path / "model")
    loaded = GIN.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(graphs), model.predict_proba(graphs))
    without = model.predict_proba(graphs.without_edge_data())
    assert np.isfinite(without).all()
    np.testing.assert_allclose(without[0], without[5], atol=1e-6)  # equal paths


def test_gin_ignores_edge_labels_on_request(bonds):
    graphs, y = bonds
    model = GIN(**SMALL, edge_features="none").fit(graphs, y)
    plain = GIN(**SMALL).fit(graphs.without_edge_data(), y)
    assert model.edge_label_values_ == plain.edge_label_values_ == ()
    np.testing.assert_array_equal(model.predict_proba(graphs), plain.predict_proba(graphs))
    with pytest.raises(InputError, match="edge_features must be one of 'auto', 'none'"):
        GIN(edge_features="labels").fit(graphs, y)


def test_unused_edge_data_is_reported(bonds):
    graphs, y = bonds
    with pytest.warns(UnusedDataWarning, match="Edge labels are not used by GCN"):
        GCN(**SMALL).fit(graphs, y)
    with pytest.warns(UnusedDataWarning, match="Edge labels are not used by PatchySAN"):
        PatchySAN(max_epochs=1).fit(graphs, y)
    for kind in (GraLSP, GraphSTONE):
        message = f"Edge labels are not used by {kind.__name__}"
        with pytest.warns(UnusedDataWarning, match=message):
            kind(max_epochs=1).fit(graphs[:4])
    with pytest.warns(UnusedDataWarning, match="Edge labels are not used by DDGK"):
        DDGK(n_sources=1, n_steps=1).fit(graphs[:4])
    nodes = np.arange(graphs.n_nodes) % 2
    with pytest.warns(UnusedDataWarning, match="not used by NodeNetwork"):
        NodeNetwork(n_hidden=4, max_epochs=1).fit(graphs, nodes)
    attributed = nx.path_graph(3)
    for edge in attributed.edges:
        attributed.edges[edge].update(label="-", attributes=[1.0])
    message = "Edge attributes are not used by GIN.*with edge_attributes=None"
    with pytest.warns(UnusedDataWarning, match=message):
        GIN(**SMALL).fit([attributed] * 4, [0, 1, 0, 1])


def test_edge_labels_that_are_new_have_no_vector(bonds):
    graphs, y = bonds
    model = GIN(**SMALL).fit(graphs, y)
    other = nx.path_graph(4)
    nx.set_edge_attributes(other, "#", "label")
    new = model.predict_proba(as_batch([other]))
    plain = model.predict_proba(as_batch([nx.path_graph(4)]))
    np.testing.assert_allclose(new, plain)


def test_grid_search_of_scikit_learn(data):
    search = GridSearchCV(GCN(**SMALL), {"readout": ["sum", "mean"]}, cv=2).fit(*data)
    assert search.best_params_["readout"] in {"sum", "mean"}


def test_progress_is_shown_on_request(data, capsys):
    GIN(**SMALL, verbose=1).fit(*data)
    assert "training" in capsys.readouterr().err
    GIN(**SMALL).fit(*data)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_layers": 0}, "n_layers must be at least 1, got 0"),
        ({"n_hidden": 2.5}, "n_hidden must be an integer"),
        ({"dropout": 1.0}, "dropout must be below 1"),
        ({"readout": "median"}, "readout must be one of 'sum', 'mean', 'max'"),
        ({"learning_rate": 0}, "learning_rate must be above 0"),
        ({"validation_size": 1}, "validation_size must be below 1"),
        ({"class_weight": "even"}, "class_weight must be one of 'balanced'"),
        ({"n_jobs": 0}, "n_jobs must be None"),
        ({"warm_start": "yes"}, "warm_start must be True or False"),
        ({"node_features": "colors"}, "node_features must be"),
    ],
)
def test_invalid_parameters_raise(data, params, message):
    with pytest.raises(InputError, match=message):
        GIN(**params).fit(*data)


def test_invalid_parameters_of_convolutions_raise(data):
    with pytest.raises(InputError, match="n_hidden must be a multiple of n_heads"):
        GAT(n_hidden=10, n_heads=4).fit(*data)
    with pytest.raises(InputError, match="aggregation must be one of"):
        GraphSAGE(aggregation="median").fit(*data)


def test_invalid_classes_raise(data):
    graphs, y = data
    with pytest.raises(InputError, match="y has shape"):
        GIN().fit(graphs, y[:-1])
    with pytest.raises(InputError, match="same class"):
        GIN().fit(graphs, np.zeros(len(y)))


def test_network_that_is_not_fitted_raises(data):
    for call in (GIN().predict_proba, GIN().save):
        with pytest.raises(NotFittedError):
            call(data[0])
