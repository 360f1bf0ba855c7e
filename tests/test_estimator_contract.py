"""Tests that every estimator of the package passes.

scikit-learn's `check_estimator` passes arrays of numbers to estimators. The checks that
apply to graphs (parameters, clone, pickle, fit state, feature names) are here.
"""

import copy
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import (
    check_do_not_raise_errors_in_init_or_set_params,
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

from gskn import (
    GSKN,
    AttributeEncoder,
    GSKNClassifier,
    GSKNRegressor,
    NodeEmbedding,
    datasets,
)
from gskn.estimators import ColorHistogram
from gskn.graphs import GraphBatch
from gskn.layers import BRANCHES

ESTIMATORS = {
    "GSKN": GSKN(n_landmarks=8, random_state=3),
    "deep GSKN": GSKN(
        list(BRANCHES),
        anonymous_length=4,
        n_layers=2,
        n_landmarks=6,
        pooling="mean",
        random_state=3,
    ),
    "sampled GSKN": GSKN(["anonymous", "joint"], method="sampled", random_state=3),
    "GSKNClassifier": GSKNClassifier(random_state=3),
    "linear GSKNClassifier": GSKNClassifier(
        GSKN(("walk",), n_landmarks=8), kernel="linear", C=1.0, random_state=3
    ),
    "GSKNRegressor": GSKNRegressor(random_state=3),
    "linear GSKNRegressor": GSKNRegressor(
        GSKN(("walk",), n_landmarks=8), kernel="linear", alpha=1.0, random_state=3
    ),
    "AttributeEncoder": AttributeEncoder(),
    "ColorHistogram": ColorHistogram(pattern_length=4),
    "NodeEmbedding": NodeEmbedding(GSKN(("walk",), n_landmarks=8, random_state=3)),
}


@pytest.fixture(autouse=True)
def small_grid(monkeypatch):
    """Let classifiers and regressors select among two small embeddings."""
    grid = ({"n_landmarks": 4}, {"n_landmarks": 8, "branches": ("walk",)})
    monkeypatch.setattr("gskn.estimators._base.GRID", grid)


@pytest.fixture(scope="module")
def data():
    loaded = datasets.load("structure")
    chosen = np.arange(0, loaded.graphs.n_graphs, 8)
    return loaded.graphs[chosen], loaded.y[chosen]


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return clone(ESTIMATORS[request.param])


def output(model, graphs):
    if hasattr(model, "decision_function"):
        return model.decision_function(graphs)
    if hasattr(model, "predict"):
        return model.predict(graphs)
    return np.asarray(model.transform(graphs))


def test_fit_returns_self_and_changes_no_parameter(estimator, data):
    before = copy.deepcopy(estimator.get_params())
    values = {name: id(value) for name, value in estimator.get_params(deep=False).items()}
    assert estimator.fit(*data) is estimator
    assert {n: id(v) for n, v in estimator.get_params(deep=False).items()} == values
    assert repr(estimator.get_params()) == repr(before)


def test_clone_keeps_every_parameter(estimator):
    assert repr(clone(estimator).get_params()) == repr(estimator.get_params())


def test_second_fit_equals_a_first_fit(estimator, data):
    graphs, y = data
    other = GraphBatch.concat([graphs[:7], graphs[-7:]])
    estimator.fit(other, np.concatenate([y[:7], y[-7:]]))
    again = output(estimator.fit(graphs, y), graphs)
    fresh = output(clone(estimator).fit(graphs, y), graphs)
    np.testing.assert_allclose(again, fresh, rtol=1e-10, atol=1e-12)


def test_estimator_that_is_not_fitted_raises(estimator, data):
    with pytest.raises(NotFittedError):
        output(estimator, data[0])


def test_transform_is_repeatable_and_changes_no_state(estimator, data):
    graphs, y = data
    estimator.fit(graphs, y)
    state = pickle.dumps(estimator.__dict__)
    first = output(estimator, graphs)
    np.testing.assert_array_equal(first, output(estimator, graphs))
    assert pickle.dumps(estimator.__dict__) == state


def test_pickled_copy_gives_the_same_output(estimator, data):
    graphs, y = data
    estimator.fit(graphs, y)
    copied = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(output(copied, graphs), output(estimator, graphs))


def test_input_is_not_changed(estimator, data):
    graphs, y = data
    before = (graphs.adjacency.toarray(), graphs.graph_ptr.copy(), y.copy())
    output(estimator.fit(graphs, y), graphs)
    np.testing.assert_array_equal(before[0], graphs.adjacency.toarray())
    np.testing.assert_array_equal(before[1], graphs.graph_ptr)
    np.testing.assert_array_equal(before[2], y)


def test_output_of_a_graph_does_not_depend_on_other_graphs(estimator, data):
    graphs, y = data
    estimator.fit(graphs, y)
    if isinstance(estimator, AttributeEncoder | NodeEmbedding):
        pytest.skip("the output has one row per node, not per graph")
    whole = output(estimator, graphs)
    order = np.random.default_rng(0).permutation(graphs.n_graphs)
    np.testing.assert_allclose(output(estimator, graphs[order]), whole[order], 1e-10, 1e-12)
    for number in (0, 17, graphs.n_graphs - 1):
        alone = output(estimator, graphs[[number]])
        np.testing.assert_allclose(alone, whole[[number]], 1e-10, 1e-12)


def test_number_of_threads_does_not_change_output(estimator, data):
    graphs, y = data
    if "n_jobs" not in estimator.get_params():
        pytest.skip("the estimator has no parameter n_jobs")
    outputs = [
        output(clone(estimator).set_params(n_jobs=n).fit(graphs, y), graphs) for n in (1, 2)
    ]
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "check",
    [
        check_do_not_raise_errors_in_init_or_set_params,
        check_get_params_invariance,
        check_no_attributes_set_in_init,
        check_set_params,
    ],
)
def test_applicable_checks_of_scikit_learn_pass(estimator, check):
    check(type(estimator).__name__, estimator)
    check_parameters_default_constructible(type(estimator).__name__, type(estimator)())


def test_feature_names_contain_branch_length_and_landmark(data):
    graphs, y = data
    model = GSKN(n_landmarks=4, random_state=0).fit(graphs, y)
    names = model.get_feature_names_out().tolist()
    assert names[0] == "mean_walk_1_0"
    assert names[-1] == "log_anonymous_6_3"
    assert len(names) == len(set(names)) == model.transform(graphs).shape[1]


def test_embeddings_can_be_a_data_frame(data):
    model = GSKN(n_landmarks=4, random_state=0).set_output(transform="pandas")
    frame = model.fit_transform(data[0])
    assert frame.columns.tolist() == model.get_feature_names_out().tolist()
    assert frame.shape == (data[0].n_graphs, len(frame.columns))
    assert model.fit(data[0]).transform(data[0][:3]).index.tolist() == [0, 1, 2]


def test_embeddings_of_an_edge_table_do_not_get_its_index():
    edges = pd.DataFrame(
        {"graph": [0, 0, 0, 1, 1], "source": [0, 1, 2, 0, 1], "target": [1, 2, 0, 1, 2]},
        index=list("abcde"),
    )
    model = GSKN(random_state=0).set_output(transform="pandas")
    for frame in (model.fit_transform(edges), model.transform(edges)):
        assert frame.index.tolist() == [0, 1]
        assert frame.columns.tolist() == model.get_feature_names_out().tolist()
    one_each = edges.iloc[[0, 3]]
    assert model.transform(one_each).index.tolist() == [0, 1]
    assert isinstance(GSKN(random_state=0).fit_transform(edges), np.ndarray)


def test_fit_transform_equals_fit_and_transform(data):
    for name in ("GSKN", "deep GSKN", "sampled GSKN"):
        model = clone(ESTIMATORS[name])
        together = model.fit_transform(data[0])
        np.testing.assert_allclose(together, model.transform(data[0]), 1e-10, 1e-12)


def test_pipelines_and_searches_of_scikit_learn_work(data):
    graphs, y = data
    pipeline = make_pipeline(GSKN(random_state=0), StandardScaler(), LinearSVC(C=1e-3))
    assert cross_val_score(pipeline, graphs, y, cv=3).mean() > 0.5
    search = GridSearchCV(pipeline, {"gskn__n_landmarks": [2, 16]}, cv=3).fit(graphs, y)
    assert search.best_params_["gskn__n_landmarks"] in {2, 16}
    assert "GSKN" in pipeline._repr_html_()


@pytest.mark.parametrize("kind", [GSKNClassifier, GSKNRegressor])
def test_parameters_of_the_default_embedding_are_parameters_of_the_model(kind, data):
    graphs, y = data
    model = kind(kernel="laplacian", cv=2, random_state=0)
    grid = {"embedding__walk_length": [1, 2], "embedding__branches": [("walk",)]}
    search = GridSearchCV(model, grid, cv=2).fit(graphs, y)
    assert search.best_params_["embedding__walk_length"] in {1, 2}
    assert "embedding" in search.best_estimator_._repr_html_()
    assert kind.__name__ in model._repr_html_()
    name = "C" if kind is GSKNClassifier else "alpha"
    selected = search.best_estimator_.selected_
    assert f"kernel=laplacian, {name}={selected.strength:g}." in selected._repr_html_()
    assert np.isfinite(cross_val_score(model, graphs, y, cv=2)).all()


def test_lists_of_networkx_graphs_are_accepted(data):
    del data
    listed = [nx.cycle_graph(n) for n in range(3, 9)] * 3
    y = [len(graph) > 5 for graph in listed]
    model = GSKNClassifier(random_state=0).fit(listed, y)
    assert model.predict([nx.cycle_graph(3), nx.cycle_graph(8)]).tolist() == [False, True]
