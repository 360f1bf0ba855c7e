import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from gskn import GSKN, GSKNClassifier, datasets
from gskn.estimators import GRID, ClassTask, fit_outputs, ignore_convergence
from gskn.estimators._calibration import Calibration
from gskn.estimators._gram import gram, standardize
from gskn.estimators._gskn_precomputation import GSKNSplit
from gskn.estimators._kernel_machines import class_means, class_pairs, fit_svm
from gskn.exceptions import GsknWarning, InputError

KERNELS = ("linear", "rbf", "laplacian")


@pytest.fixture(scope="module")
def halves():
    data = datasets.load("structure")
    even = np.arange(data.graphs.n_graphs) % 8
    return (
        (data.graphs[even == 0], data.y[even == 0]),
        (data.graphs[even == 1], data.y[even == 1]),
    )


@pytest.fixture(scope="module")
def fitted(halves):
    """The classifier without arguments, except for its seed."""
    return GSKNClassifier(random_state=0).fit(*halves[0])


@pytest.fixture(scope="module")
def mutag():
    data = datasets.load("MUTAG")
    return data.graphs, data.y


def small(**options):
    """A classifier with a fixed small embedding."""
    return GSKNClassifier(GSKN(("walk",), n_landmarks=8), random_state=0, **options)


def test_new_graphs_are_classified(fitted, halves):
    (_, y), test = halves
    assert fitted.score(*test) > 0.9
    assert fitted.classes_.tolist() == np.unique(y).tolist()
    decision = fitted.decision_function(test[0])
    assert decision.shape == (len(test[1]), len(fitted.classes_))
    expected = fitted.classes_[decision.argmax(axis=1)]
    np.testing.assert_array_equal(fitted.predict(test[0]), expected)


def test_selection_is_reported_with_the_scores_of_all_candidates(fitted):
    selected = fitted.selected_
    assert repr(selected).startswith("<Selected: branches=")
    assert len(repr(selected)) < 500  # the scores are a long table
    assert selected.kernel == fitted.kernel_
    assert selected.strength == fitted.C_
    assert selected.params in GRID
    embedding = fitted.embedding_.get_params()
    assert all(embedding[name] == value for name, value in selected.params.items())
    n_machines = 11
    assert len(selected.scores) == len(GRID) - 1 + n_machines
    of_embedding = [row for row in selected.scores if row["params"] == selected.params]
    best = max(of_embedding, key=lambda row: row["score"])
    assert (best["kernel"], best["C"]) == (fitted.kernel_, fitted.C_)
    assert f"{len(selected.scores)} candidates" in selected.reason
    frame = selected.to_frame()
    assert frame.score.is_monotonic_decreasing
    assert {"kernel", "C", "standard_error", "n_landmarks"} <= set(frame.columns)
    assert len(frame) == len(selected.scores)


def test_machine_is_fitted_to_the_embeddings_of_the_final_model(mutag, monkeypatch):
    """Embeddings of the screening are used only if they equal the final ones."""
    graphs, y = mutag
    model = GSKNClassifier(C=10.0, kernel="rbf", random_state=0).fit(graphs, y)
    assert_consistent(model, graphs)
    embed = GSKNSplit.embed

    def embed_others(self, estimator):
        train, test = embed(self, estimator)
        return train[:, ::-1], test

    monkeypatch.setattr(GSKNSplit, "embed", embed_others)
    other = GSKNClassifier(C=10.0, kernel="rbf", random_state=0).fit(graphs, y)
    assert_consistent(other, graphs)


def assert_consistent(model, graphs):
    embeddings = model.embedding_.transform(graphs)
    np.testing.assert_allclose(model.machine_.scaling.mean, embeddings.mean(axis=0))


def test_selected_machine_predicts_as_the_svm_of_the_evaluation(mutag):
    graphs, y = mutag
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    for kernel in KERNELS:
        model = small(kernel=kernel).fit(graphs[train], y[train])
        params = {"kernel": kernel, "C": model.C_}
        embeddings = model.embedding_.transform(graphs)
        task = ClassTask.from_targets(y[train])
        (expected,) = fit_outputs([params], embeddings[train], embeddings[test], task)
        expected_classes = task.classes[(expected[:, 0] > 0).astype(int)]
        np.testing.assert_array_equal(model.predict(graphs[test]), expected_classes)
        decision = model.decision_function(graphs[test])
        np.testing.assert_allclose(decision, expected[:, 0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_match_pairwise_svms_of_scikit_learn(n_classes):
    generator = np.random.default_rng(0)
    codes = np.arange(60) % n_classes
    embeddings = generator.normal(size=(60, 4)) + codes[:, None]
    kernel = gram(embeddings, embeddings, "rbf")
    weights = generator.uniform(0.5, 2, 60)
    dual = fit_svm(kernel, codes, 2.0, weights)
    svm = SVC(kernel="precomputed", C=2.0, decision_function_shape="ovo")
    pairwise = svm.fit(kernel, codes, weights).decision_function(kernel)
    outputs = kernel @ dual.coef + dual.intercept
    pairwise = pairwise.reshape(outputs.shape)
    np.testing.assert_allclose(outputs, pairwise, atol=1e-9)
    if n_classes == 2:
        np.testing.assert_array_equal(class_means(outputs), outputs)
        return
    expected = np.zeros((60, n_classes))
    for column, (first, second) in enumerate(class_pairs(n_classes)):
        expected[:, first] += pairwise[:, column] / (n_classes - 1)
        expected[:, second] -= pairwise[:, column] / (n_classes - 1)
    np.testing.assert_allclose(class_means(outputs), expected, atol=1e-9)


@pytest.mark.parametrize("case", ["two classes", "several classes"])
def test_linear_model_is_additive_in_graph_embeddings(case, halves, mutag):
    graphs, y = mutag if case == "two classes" else halves[0]
    model = small(kernel="linear").fit(graphs, y)
    assert model.kernel_ == "linear"
    embeddings = model.embedding_.transform(graphs)
    outputs = embeddings @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(outputs, model.machine_.decide(embeddings), atol=1e-9)
    n_classes = len(model.classes_)
    if n_classes == 2:
        decision = model.decision_function(graphs)
        np.testing.assert_allclose(outputs[:, 0], decision, atol=1e-9)
        return
    votes = np.zeros((len(y), n_classes))
    for column, (first, second) in enumerate(class_pairs(n_classes)):
        votes[:, first] += outputs[:, column] > 0
        votes[:, second] += outputs[:, column] <= 0
    decision = model.decision_function(graphs)
    assert (np.abs(decision - votes) < 1 / 3).all()


def test_other_kernels_have_no_coefficients(mutag):
    with pytest.raises(AttributeError, match="kernel='linear'"):
        _ = small(kernel="rbf", C=1.0).fit(*mutag).coef_


@pytest.mark.parametrize("kernel", KERNELS)
def test_probabilities_are_calibrated_for_every_kernel(kernel, halves, mutag):
    for graphs, y in (halves[0], mutag):
        model = small(kernel=kernel).fit(graphs, y)
        probabilities = model.predict_proba(graphs)
        assert probabilities.shape == (len(y), len(model.classes_))
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        agreement = model.classes_[probabilities.argmax(axis=1)] == model.predict(graphs)
        assert agreement.mean() > 0.9


def test_decision_values_that_are_wrong_give_frequencies_of_classes():
    codes = np.array([0, 0, 0, 1])
    wrong = Calibration.from_outputs(np.array([[1.0], [2.0], [1.5], [-1.0]]), codes, None)
    np.testing.assert_allclose(
        wrong.probabilities(np.array([[-9.0], [9.0]])), [[0.75, 0.25]] * 2
    )
    weights = np.array([1.0, 1.0, 1.0, 3.0])
    wrong = Calibration.from_outputs(
        np.array([[1.0], [2.0], [1.5], [-1.0]]), codes, weights
    )
    np.testing.assert_allclose(wrong.probabilities(np.array([[0.0]])), [[0.5, 0.5]])
    right = Calibration.from_outputs(-np.array([[1.0], [2.0], [1.5], [-1.0]]), codes, None)
    assert right.coef[0, 0] > 0


def test_calibration_recovers_probabilities():
    generator = np.random.default_rng(0)
    outputs = generator.normal(size=(20_000, 1))
    expected = 1 / (1 + np.exp(-(2 * outputs[:, 0] - 1)))
    codes = (generator.uniform(size=20_000) < expected).astype(int)
    probabilities = Calibration.from_outputs(outputs, codes, None).probabilities(outputs)
    np.testing.assert_allclose(probabilities[:, 1], expected, atol=0.02)


def test_c_is_selected_by_inner_folds_unless_it_is_given(halves):
    graphs, y = halves[0]
    assert small(C=0.25).fit(graphs, y).C_ == 0.25
    assert small(C=[1e-12, 10.0]).fit(graphs, y).C_ == 10.0
    assert small(C=np.array([1e-12, 10.0])).fit(graphs, y).C_ == 10.0


def test_selection_can_be_skipped(halves):
    graphs, y = halves[0]
    model = GSKNClassifier(selection="none", random_state=0).fit(graphs, y)
    assert (model.kernel_, model.C_) == ("laplacian", 10.0)
    assert model.selected_.scores == ()
    assert model.selected_.reason == "nothing to select"
    assert model.embedding_.get_params()["n_landmarks"] == GSKN().n_landmarks
    np.testing.assert_allclose(model.predict_proba(graphs).sum(axis=1), 1)
    given = small(selection="none", kernel="rbf", C=3.0).fit(graphs, y)
    assert (given.kernel_, given.C_) == ("rbf", 3.0)
    with pytest.raises(InputError, match="one value of C"):
        small(selection="none", C=[1.0, 2.0]).fit(graphs, y)


def test_classes_may_be_strings(halves):
    graphs, y = halves[0]
    names = np.where(y == y[0], "first", "other")
    model = small(C=10.0).fit(graphs, names)
    assert set(model.predict(graphs)) == {"first", "other"}


def test_given_embedding_is_used_and_not_changed(halves):
    graphs, y = halves[0]
    embedding = GSKN(("walk",), walk_length=2)
    model = GSKNClassifier(embedding, C=1.0, random_state=0).fit(graphs, y)
    assert not hasattr(embedding, "stack_")
    assert embedding.random_state is None
    assert model.embedding_.get_feature_names_out()[-1].startswith("log_walk_2_")
    assert model.get_params()["embedding__walk_length"] == 2


def test_parameters_of_the_default_embedding_can_be_searched(halves):
    graphs, y = halves[0]
    model = GSKNClassifier(kernel="laplacian", C=10.0, cv=2, random_state=0)
    assert model.get_params()["embedding__walk_length"] == GSKN().walk_length
    grid = {"embedding__walk_length": [1, 3], "embedding__branches": [("walk",)]}
    search = GridSearchCV(model, grid, cv=2).fit(graphs, y)
    assert search.best_estimator_.embedding.walk_length in {1, 3}
    assert model.embedding is None
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(embedding__color=1)
    assert model.embedding is None
    assert model.set_params(embedding=None, embedding__alpha=2.0).embedding.alpha == 2.0


def test_class_with_one_graph_needs_no_folds(halves):
    graphs, _ = halves[0]
    y = np.zeros(10, dtype=int)
    y[0] = 1
    with pytest.warns(GsknWarning, match="Nothing is selected: the class 1 has one graph"):
        model = GSKNClassifier(random_state=0).fit(graphs[:10], y)
    assert (model.kernel_, model.C_) == ("laplacian", 10.0)
    assert "the class 1 has one graph" in model.selected_.reason
    fixed = GSKNClassifier(selection="none", random_state=0).fit(graphs[:10], y)
    np.testing.assert_array_equal(fixed.predict(graphs), model.predict(graphs))
    np.testing.assert_allclose(model.predict_proba(graphs).sum(axis=1), 1)


def test_graphs_of_weight_zero_are_not_used(mutag):
    graphs, y = mutag
    weights = (np.arange(len(y)) % 2).astype(float)
    weighted = small(C=10.0).fit(graphs, y, sample_weight=weights)
    expected = small(C=10.0).fit(graphs[1::2], y[1::2])
    np.testing.assert_array_equal(
        weighted.decision_function(graphs), expected.decision_function(graphs)
    )


def test_weights_move_the_decision(mutag):
    graphs, y = mutag
    options = {"kernel": "laplacian", "C": 0.1}
    plain = small(**options).fit(graphs, y).decision_function(graphs).mean()
    for weights in ({"sample_weight": np.where(y == y.min(), 10.0, 1.0)}, {}):
        balanced = None if weights else "balanced"
        model = small(**options, class_weight=balanced).fit(graphs, y, **weights)
        assert model.decision_function(graphs).mean() < plain


def test_balanced_classes_equal_inverse_frequencies(mutag):
    graphs, y = mutag
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    weights = (len(y) / 2 / counts)[codes]
    by_weight = small().fit(graphs, y, sample_weight=weights)
    balanced = small(class_weight="balanced").fit(graphs, y)
    np.testing.assert_allclose(
        balanced.decision_function(graphs), by_weight.decision_function(graphs), atol=1e-9
    )
    assert balanced.selected_ == by_weight.selected_


def test_progress_of_the_selection_is_shown(mutag, capsys):
    graphs, y = mutag
    GSKNClassifier(random_state=0, verbose=1, C=1.0, cv=2).fit(graphs[::4], y[::4])
    shown = capsys.readouterr().err
    assert "selection" in shown
    assert "100%" in shown


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"selection": "all"}, [0, 1], "selection must be one of"),
        ({"kernel": "cubic"}, [0, 1], "kernel must be one of"),
        ({"class_weight": "equal"}, [0, 1], "class_weight must be one of"),
        ({"C": -1.0}, [0, 1], "C must be at least 0, got -1"),
        ({"C": []}, [0, 1], "C must be one or more positive numbers"),
        ({"C": ["much"]}, [0, 1], "C must be a number, got 'much'"),
        ({"cv": 1}, [0, 1], "cv must be at least 2"),
        ({"n_jobs": 0}, [0, 1], "n_jobs must be"),
        ({"verbose": "yes"}, [0, 1], "verbose must be"),
        ({}, [0], "y has shape"),
        ({}, [0, 0], "same class \\(0\\)"),
        ({}, ["a", "a"], "same class \\(.*a.*\\)"),
        ({"embedding": "deep"}, [0, 1], "embedding must be a GSKN"),
        ({}, [0.5, 1.5], "look like regression targets"),
        ({}, [0, None], "graph 1 is missing \\(None\\)"),
        ({}, [np.nan, 1], "graph 0 is missing \\(nan\\)"),
        ({}, [b"a", b"b"], "y must be text or integers"),
        ({}, np.array(["a", 1], dtype=object), "y must be text or integers"),
        ({}, np.array([0, 1], dtype=object), "y has type object and kind 'unknown'"),
        ({}, [[1], [1, 2]], "y is not a list of single targets"),
    ],
)
def test_invalid_parameters_and_classes_raise(halves, options, y, message):
    with pytest.raises(InputError, match=message):
        GSKNClassifier(**options).fit(halves[0][0][:2], y)


def test_missing_targets_are_reported_by_the_number_of_the_graph(halves):
    graphs, y = halves[0]
    y = y.astype(float)
    y[[0, 7]] = np.nan
    weights = np.ones(len(y))
    weights[0] = 0.0  # this graph is not used, so it needs no class
    with pytest.raises(InputError, match="graph 7 is missing"):
        small().fit(graphs, y, sample_weight=weights)
    weights[7] = 0.0
    model = small(C=1.0, kernel="linear").fit(graphs, y, sample_weight=weights)
    assert np.isfinite(model.classes_).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0], "shape"), ([-1, 1], "not negative"), ([0, 0], "all zero"), (["a", 1], "numb")],
)
def test_invalid_weights_raise(halves, weights, message):
    with pytest.raises(InputError, match=message):
        GSKNClassifier().fit(halves[0][0][:2], [0, 1], sample_weight=weights)


def test_svm_that_does_not_converge_warns(monkeypatch, mutag):
    graphs, y = mutag
    monkeypatch.setattr("gskn.estimators._kernel_machines._MAX_ITER", 3)
    with pytest.warns(ConvergenceWarning):
        small(C=1e9).fit(graphs, y)
    with ignore_convergence():
        small(C=1e9).fit(graphs, y)


def test_no_graphs_have_no_predictions(mutag):
    graphs, y = mutag
    model = small(C=1.0).fit(graphs[::4], y[::4])
    assert model.predict([]).shape == (0,)
    assert model.decision_function([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 2)


def test_predictions_in_chunks_are_the_same(monkeypatch, mutag):
    graphs, y = mutag
    model = small(C=1.0, kernel="laplacian").fit(graphs, y)
    whole = model.decision_function(graphs)
    monkeypatch.setattr("gskn.estimators._kernel_machines._CHUNK_CELLS", 1000)
    np.testing.assert_allclose(model.decision_function(graphs), whole, rtol=1e-10)


def test_standardized_training_embeddings_are_the_points(mutag):
    graphs, y = mutag
    model = small(C=1.0, kernel="laplacian").fit(graphs, y)
    embeddings = model.embedding_.transform(graphs)
    scaled, _ = standardize(embeddings, embeddings)
    distances = np.abs(scaled[:, None] - model.machine_.points[None]).max(axis=2)
    assert distances.min(axis=0).max() < 1e-9
