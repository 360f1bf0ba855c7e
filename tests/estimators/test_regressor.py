import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold

from gskn import GSKN, GSKNRegressor, datasets
from gskn.estimators import GRID
from gskn.estimators._gram import gram, standardize
from gskn.estimators._kernel_machines import fit_ridge
from gskn.exceptions import GsknWarning, InputError

KERNELS = ("linear", "rbf", "laplacian")


@pytest.fixture(scope="module")
def mutag():
    """Graphs with the number of their edges."""
    graphs = datasets.load("MUTAG").graphs
    return graphs, np.array([graph.adjacency.nnz / 2 for graph in graphs])


def small(**options):
    """A regressor with a fixed small embedding."""
    return GSKNRegressor(GSKN(("walk",), n_landmarks=8), random_state=0, **options)


def test_values_of_new_graphs_are_predicted(mutag):
    graphs, y = mutag
    model = GSKNRegressor(random_state=0).fit(graphs[::2], y[::2])
    assert model.score(graphs[1::2], y[1::2]) > 0.98
    assert model.selected_.params in GRID
    assert model.selected_.metric == "negative mean squared error"
    of_embedding = [
        row for row in model.selected_.scores if row["params"] == model.selected_.params
    ]
    best = max(of_embedding, key=lambda row: row["score"])
    assert (best["kernel"], best["alpha"]) == (model.kernel_, model.alpha_)
    assert "alpha" in model.selected_.to_frame().columns


@pytest.mark.parametrize("kernel", KERNELS)
def test_predictions_match_kernel_ridge_of_scikit_learn(kernel, mutag):
    graphs, y = mutag
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    model = small(kernel=kernel, alpha=0.1).fit(graphs[train], y[train])
    embeddings = model.embedding_.transform(graphs)
    scaled, others = standardize(embeddings[train], embeddings[test])
    ridge = KernelRidge(alpha=0.1, kernel="precomputed")
    ridge.fit(gram(scaled, scaled, kernel), y[train] - y[train].mean())
    expected = ridge.predict(gram(others, scaled, kernel)) + y[train].mean()
    np.testing.assert_allclose(model.predict(graphs[test]), expected, rtol=1e-8)


def test_selection_compares_mean_squared_errors(mutag):
    graphs, y = mutag
    model = small(kernel="rbf", alpha=[0.01, 1.0]).fit(graphs, y)
    embeddings = model.embedding_.transform(graphs)
    scaled, _ = standardize(embeddings, embeddings)
    kernel = gram(scaled, scaled, "rbf")
    errors = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(y):
        dual = fit_ridge(kernel[np.ix_(train, train)], y[train], 0.01, None)
        predicted = kernel[np.ix_(test, train)] @ dual.coef + dual.intercept
        errors.append(((predicted[:, 0] - y[test]) ** 2).mean())
    (row,) = [row for row in model.selected_.scores if row["alpha"] == 0.01]
    assert row["score"] == pytest.approx(-np.mean(errors), rel=1e-6)
    assert row["standard_error"] == pytest.approx(np.std(errors, ddof=1) / np.sqrt(5))


def test_linear_model_is_additive_in_graph_embeddings(mutag):
    graphs, y = mutag
    model = small(kernel="linear").fit(graphs, y)
    outputs = model.embedding_.transform(graphs) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(outputs[:, 0], model.predict(graphs), atol=1e-9)


def test_weight_two_equals_a_repeated_sample():
    generator = np.random.default_rng(0)
    embeddings, y = generator.normal(size=(20, 3)), generator.normal(size=20)
    repeated = np.r_[np.arange(20), 3]
    weights = np.ones(20)
    weights[3] = 2
    weighted = fit_ridge(gram(embeddings, embeddings, "rbf"), y, 0.1, weights)
    twice = fit_ridge(
        gram(embeddings[repeated], embeddings[repeated], "rbf"), y[repeated], 0.1, None
    )
    points = generator.normal(size=(5, 3))
    np.testing.assert_allclose(
        gram(points, embeddings, "rbf") @ weighted.coef + weighted.intercept,
        gram(points, embeddings[repeated], "rbf") @ twice.coef + twice.intercept,
    )


def test_graphs_of_weight_zero_are_not_used(mutag):
    graphs, y = mutag
    weights = (np.arange(len(y)) % 2).astype(float)
    weighted = small(alpha=0.1).fit(graphs, y, sample_weight=weights)
    expected = small(alpha=0.1).fit(graphs[1::2], y[1::2])
    np.testing.assert_array_equal(weighted.predict(graphs), expected.predict(graphs))


def test_one_graph_and_constant_targets_predict_the_mean(mutag):
    graphs, _ = mutag
    with pytest.warns(GsknWarning, match="Nothing is selected: there is one graph"):
        single = GSKNRegressor(random_state=0).fit(graphs[:1], [2.5])
    np.testing.assert_allclose(single.predict(graphs[:3]), 2.5)
    constant = small().fit(graphs[:20], np.full(20, -3.0))
    np.testing.assert_allclose(constant.predict(graphs[:30]), -3.0)


def test_selection_can_be_skipped(mutag):
    graphs, y = mutag
    model = GSKNRegressor(selection="none", random_state=0).fit(graphs, y)
    assert (model.kernel_, model.alpha_) == ("laplacian", 0.01)
    assert model.selected_.scores == ()


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"alpha": 0}, [0, 1], "alpha must be above 0"),
        ({"kernel": "cubic"}, [0, 1], "kernel must be one of"),
        ({}, ["a", "b"], "y must be numbers"),
        ({}, [0, np.nan], "graph 1 is missing \\(nan\\)"),
        ({}, [0, 1e90], "at most 1e\\+70 in absolute value, got 1e\\+90"),
        ({}, [1, 2j], "its type is complex128"),
        ({}, np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "its type is datetime64"),
        ({}, [0, np.inf], "finite"),
        ({}, [1], "y has shape"),
    ],
)
def test_invalid_parameters_and_targets_raise(mutag, options, y, message):
    with pytest.raises(InputError, match=message):
        GSKNRegressor(**options).fit(mutag[0][:2], y)


def test_largest_targets_are_finite(mutag):
    graphs, y = mutag
    model = small(kernel="laplacian").fit(graphs, y)
    scaled = small(kernel="laplacian").fit(graphs, 1e67 * y)
    np.testing.assert_allclose(scaled.predict(graphs), 1e67 * model.predict(graphs))
    assert np.isfinite([row["standard_error"] for row in scaled.selected_.scores]).all()


def test_singular_kernel_raises():
    with pytest.raises(InputError, match="larger alpha"):
        fit_ridge(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([0.0, 1.0]), 1e-9, None)


def test_no_graphs_raise(mutag):
    with pytest.raises(InputError, match="no graphs"):
        GSKNRegressor().fit(mutag[0][:0], [])


def test_probabilities_of_a_regressor_name_the_classifier():
    model = GSKNRegressor()
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="use GSKNClassifier"):
        model.predict_proba([])
