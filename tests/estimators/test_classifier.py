import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gskn import GSKN, GSKNClassifier, datasets
from gskn.exceptions import InputError


@pytest.fixture(scope="module")
def halves():
    data = datasets.load("structure")
    even = np.arange(data.graphs.n_graphs) % 2 == 0
    return (data.graphs[even], data.y[even]), (data.graphs[~even], data.y[~even])


def test_classes_of_new_graphs_are_predicted(halves):
    (graphs, y), test = halves
    model = GSKNClassifier(random_state=0).fit(graphs, y)
    assert model.score(*test) > 0.9
    assert model.classes_.tolist() == np.unique(y).tolist()
    assert model.decision_function(test[0]).shape == (len(test[1]), len(model.classes_))
    assert model.C_ in {10.0**n for n in range(-4, 1)}


def test_logistic_regression_predicts_probabilities(halves):
    (graphs, y), test = halves
    model = GSKNClassifier(classifier="logistic", random_state=0).fit(graphs, y)
    probabilities = model.predict_proba(test[0])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(test[0])).all()
    assert not hasattr(GSKNClassifier(), "predict_proba")


def test_c_is_selected_by_inner_folds_unless_fixed(halves):
    (graphs, y), _ = halves
    assert GSKNClassifier(C=0.25, random_state=0).fit(graphs, y).C_ == 0.25
    assert GSKNClassifier(C=[1e-12, 0.1], random_state=0).fit(graphs, y).C_ == 0.1


def test_classes_may_be_strings(halves):
    (graphs, y), _ = halves
    names = np.where(y == y[0], "first", "other")
    model = GSKNClassifier(C=1.0, random_state=0).fit(graphs, names)
    assert set(model.predict(graphs)) == {"first", "other"}


def test_embedding_is_cloned(halves):
    (graphs, y), _ = halves
    embedding = GSKN(("walk",), walk_length=2)
    model = GSKNClassifier(embedding, C=1.0, random_state=0).fit(graphs, y)
    assert not hasattr(embedding, "stack_")
    assert embedding.random_state is None
    assert model.embedding_.get_feature_names_out()[-1].startswith("walk_2_")
    assert model.get_params()["embedding__walk_length"] == 2


def test_class_of_one_graph_needs_no_folds(halves):
    (graphs, _), _ = halves
    y = np.zeros(10, dtype=int)
    y[0] = 1
    assert GSKNClassifier(random_state=0).fit(graphs[:10], y).C_ == 1.0


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"classifier": "forest"}, [0, 1], "classifier must be one of"),
        ({"C": -1.0}, [0, 1], "C must be at least 0, got -1"),
        ({"C": []}, [0, 1], "C must be one or more positive numbers"),
        ({"C": ["much"]}, [0, 1], "C must be a number, got 'much'"),
        ({"cv": 1}, [0, 1], "cv must be at least 2"),
        ({}, [0], "y has shape"),
        ({}, [0, 0], "one class \\(0\\)"),
        ({}, ["a", "a"], "one class \\(a\\)"),
        ({"embedding": "deep"}, [0, 1], "embedding must be a GSKN"),
        ({}, [0.5, 1.5], "continuous"),
    ],
)
def test_invalid_parameters_raise(halves, options, y, message):
    with pytest.raises(InputError, match=message):
        GSKNClassifier(**options).fit(halves[0][0][:2], y)


def test_model_that_did_not_converge_warns(halves):
    graphs = halves[0][0][:100]
    random_y = np.random.default_rng(0).integers(0, 2, 100)
    with pytest.warns(ConvergenceWarning):
        GSKNClassifier(C=1e9, random_state=0).fit(graphs, random_y)


def test_no_graphs_give_no_predictions():
    data = datasets.load("MUTAG")
    model = GSKNClassifier(random_state=0).fit(data.graphs[::4], data.y[::4])
    assert model.predict([]).shape == (0,)
    assert model.decision_function([]).shape[0] == 0
