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


def test_classes_of_new_graphs_are_found(halves):
    (graphs, y), test = halves
    model = GSKNClassifier(random_state=0).fit(graphs, y)
    assert model.score(*test) > 0.9
    assert model.classes_.tolist() == np.unique(y).tolist()
    assert model.decision_function(test[0]).shape == (len(test[1]), len(model.classes_))
    assert model.C_ in {10.0**n for n in range(-4, 1)}


def test_probabilities_where_they_are_defined(halves):
    (graphs, y), test = halves
    model = GSKNClassifier(classifier="logistic", random_state=0).fit(graphs, y)
    chances = model.predict_proba(test[0])
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(test[0])).all()
    assert not hasattr(GSKNClassifier(), "predict_proba")


def test_c_is_chosen_by_inner_folds_and_may_be_given(halves):
    (graphs, y), _ = halves
    assert GSKNClassifier(C=0.25, random_state=0).fit(graphs, y).C_ == 0.25
    assert GSKNClassifier(C=[1e-12, 0.1], random_state=0).fit(graphs, y).C_ == 0.1


def test_names_of_classes_may_be_words(halves):
    (graphs, y), _ = halves
    names = np.where(y == y[0], "first", "other")
    model = GSKNClassifier(C=1.0, random_state=0).fit(graphs, names)
    assert set(model.predict(graphs)) == {"first", "other"}


def test_the_given_embedding_is_used_and_left_alone(halves):
    (graphs, y), _ = halves
    embedding = GSKN(("walk",), walk_length=2)
    model = GSKNClassifier(embedding, C=1.0, random_state=0).fit(graphs, y)
    assert not hasattr(embedding, "stack_")
    assert embedding.random_state is None
    assert model.embedding_.get_feature_names_out()[-1].startswith("log_walk_2_")
    assert model.get_params()["embedding__walk_length"] == 2


def test_a_class_of_one_graph_needs_no_folds(halves):
    (graphs, _y), _ = halves
    few = np.zeros(10, dtype=int)
    few[0] = 1
    assert GSKNClassifier(random_state=0).fit(graphs[:10], few).C_ == 1.0


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
def test_what_cannot_be_is_refused(halves, options, y, message):
    with pytest.raises(InputError, match=message):
        GSKNClassifier(**options).fit(halves[0][0][:2], y)


def test_a_model_that_did_not_converge_says_so(halves):
    graphs = halves[0][0][:100]
    chance = np.random.default_rng(0).integers(0, 2, 100)
    with pytest.warns(ConvergenceWarning):
        GSKNClassifier(C=1e9, random_state=0).fit(graphs, chance)


def test_no_graphs_have_no_predictions():
    data = datasets.load("MUTAG")
    model = GSKNClassifier(random_state=0).fit(data.graphs[::4], data.y[::4])
    assert model.predict([]).shape == (0,)
    assert model.decision_function([]).shape[0] == 0
