import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, as_batch, datasets
from gskn.datasets import Dataset
from gskn.estimators import gram, standardize
from gskn.evaluation import MODELS, Model, ResultFile, evaluate_nodes
from gskn.evaluation import _node_classifiers as node_classifiers
from gskn.evaluation import _nodes as nodes
from gskn.evaluation._node_classifiers import (
    LOGISTIC,
    NODE_CLASSIFIERS,
    classify_nodes,
    fit_labels,
    nystrom_features,
)
from gskn.exceptions import InputError
from gskn.graphs import GraphParts, assemble

SMALL = Model(
    "small",
    "patterns of four nodes",
    ({"branches": ("anonymous",), "anonymous_length": 4},),
)


def rings_and_paths(n_components=60, seed=0):
    """Return one graph of many components: nodes of triangles, squares and paths."""
    generator = np.random.default_rng(seed)
    blocks, y = [], []
    for kind in generator.integers(0, 3, n_components):
        size = (3, 4, 5)[kind]
        block = np.zeros((size, size))
        for a in range(size - (kind == 2)):
            block[a, (a + 1) % size] = block[(a + 1) % size, a] = 1
        blocks.append(block)
        y += [kind] * size
    n_nodes = len(y)
    whole = np.zeros((n_nodes, n_nodes))
    first = 0
    for block in blocks:
        whole[first : first + len(block), first : first + len(block)] = block
        first += len(block)
    return Dataset("components", as_batch([whole]), np.array(y), "node")


@pytest.fixture(scope="module")
def data():
    return rings_and_paths()


def test_components_are_classified_and_recorded(data):
    records = evaluate_nodes(data, [SMALL], repeats=2)
    assert [(r.protocol, r.repeat) for r in records] == [
        ("nodes-30", 0),
        ("nodes-30", 1),
        ("nodes-70", 0),
        ("nodes-70", 1),
    ]
    assert all(r.scores["micro_f1"] > 0.9 for r in records)
    assert set(records[0].scores) == {"accuracy", "macro_f1", "micro_f1"}
    assert records[0].chosen["C"] in (0.01, 0.1, 1.0)


def test_scores_match_scikit_learn(data):
    (record,) = evaluate_nodes(data, [SMALL], train_sizes=[0.5], repeats=1, seed=4)
    model = GSKN(random_state=4, **SMALL.grid[0]).fit(data.graphs)
    embeddings = model.transform_nodes(data.graphs)
    splitter = ShuffleSplit(1, train_size=0.5, random_state=4)
    train, test = next(splitter.split(data.y))
    scaler = StandardScaler().fit(embeddings[train])
    model = LogisticRegression(C=record.chosen["C"], max_iter=500)
    model.fit(scaler.transform(embeddings[train]), data.y[train])
    predicted = model.predict(scaler.transform(embeddings[test]))
    expected = f1_score(data.y[test], predicted, average="macro")
    assert record.scores["macro_f1"] == pytest.approx(expected, abs=1e-6)


def test_nodes_may_have_several_labels(data):
    both = np.column_stack([data.y == 0, data.y < 2, data.y >= 0]).astype(int)
    several = Dataset("several", data.graphs, both, "node")
    (record,) = evaluate_nodes(several, [SMALL], train_sizes=[0.7], repeats=1, n_jobs=2)
    assert record.scores["micro_f1"] > 0.9
    assert record.scores["accuracy"] <= record.scores["micro_f1"]


def test_embedding_is_selected_on_held_out_nodes(data):
    two = Model(
        "two",
        "walks of regular components, and patterns",
        (
            {"branches": ("walk",), "walk_length": 1, "node_features": "degrees"},
            *SMALL.grid,
        ),
    )
    (record,) = evaluate_nodes(data, [two], train_sizes=[0.7], repeats=1)
    assert record.chosen["embedding"]["branches"] == ["anonymous"]


def test_resumed_run_computes_no_embeddings_again(data, tmp_path, monkeypatch):
    file = ResultFile(tmp_path / "runs.jsonl")
    first = evaluate_nodes(data, [SMALL], repeats=2, results=file)
    monkeypatch.setattr(nodes._Run, "_embed", lambda *_: pytest.fail("embedded again"))
    assert evaluate_nodes(data, [SMALL], repeats=2, results=file) == first
    assert len(file.read()) == 4


def test_splits_are_disjoint_and_have_the_requested_size():
    train, test = nodes._random_split(101, 0.3, 7)
    assert (len(train), len(test)) == (30, 71)
    assert sorted([*train, *test]) == list(range(101))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"train_sizes": [0.3, 1.0]}, r"must be between 0 and 1, got \(0.3, 1.0\)"),
        ({"models": ["gnn"]}, "no model 'gnn'"),
        ({"models": ["sp"]}, "'sp' embeds graphs only, not nodes"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_invalid_arguments_raise(data, options, message):
    with pytest.raises(InputError, match=message):
        evaluate_nodes(data, **options)


def circle(n_nodes=400):
    """Return a ring whose nodes are inside or outside of a circle, by two attributes."""
    attributes = np.random.default_rng(0).normal(size=(n_nodes, 2))
    nodes = np.arange(n_nodes)
    part = GraphParts([n_nodes], nodes, (nodes + 1) % n_nodes, attributes=attributes)
    radius = np.hypot(*attributes.T)
    y = np.column_stack([radius < 1.2, radius < 1.5, attributes[:, 0] > 0]).astype(int)
    return Dataset("circle", assemble([part]), y[:, 0], "node"), y


class Attributes:
    """Node embeddings that are equal to the attributes."""

    def get_params(self, **_):
        return {}

    def set_params(self, **_):
        return self

    def fit(self, _):
        return self

    def transform_nodes(self, graphs):
        return graphs.node_attributes


def attribute_model(node_classifiers):
    return Model(
        "attributes",
        "attributes of nodes",
        ({},),
        estimator=Attributes,
        node_classifiers=node_classifiers,
    )


BEST, LINEAR = attribute_model(NODE_CLASSIFIERS), attribute_model(LOGISTIC)


def test_kernel_is_selected_where_it_is_better_than_a_linear_classifier():
    data, _ = circle()
    (best,) = evaluate_nodes(data, [BEST], train_sizes=[0.7], repeats=1)
    (linear,) = evaluate_nodes(data, [LINEAR], train_sizes=[0.7], repeats=1)
    assert best.chosen["node_classifier"]["kernel"] in {"rbf", "laplacian"}
    assert linear.chosen["node_classifier"]["kernel"] == "linear"
    assert best.scores["accuracy"] > 0.9
    assert best.scores["accuracy"] > linear.scores["accuracy"] + 0.2


def test_linear_classifier_is_selected_for_a_linear_problem():
    data, y = circle()
    data = Dataset("halves", data.graphs, y[:, 2], "node")
    (record,) = evaluate_nodes(data, [BEST], train_sizes=[0.3], repeats=1)
    assert record.chosen["node_classifier"]["kernel"] == "linear"


def test_kernel_classifiers_of_several_labels():
    data, y = circle()
    several = Dataset("several", data.graphs, y, "node")
    first, again = (
        evaluate_nodes(several, [BEST], train_sizes=[0.7], repeats=1) for _ in range(2)
    )
    assert first[0].scores["micro_f1"] > 0.9
    assert first[0].scores == again[0].scores
    assert first[0].chosen == again[0].chosen


@pytest.mark.parametrize("model", [BEST, SMALL])
def test_selection_does_not_use_the_classes_of_test_nodes(data, model):
    data = circle()[0] if model is BEST else data
    (before,) = evaluate_nodes(data, [model], train_sizes=[0.5], repeats=1)
    _, test = nodes._random_split(len(data.y), 0.5, 0)
    y = data.y.copy()
    y[test] = np.random.default_rng(1).permutation(y[test])
    (after,) = evaluate_nodes(
        Dataset("changed", data.graphs, y, "node"), [model], train_sizes=[0.5], repeats=1
    )
    assert after.chosen == before.chosen
    assert after.scores != before.scores


def test_nystrom_features_of_all_nodes_are_exact():
    embeddings = np.random.default_rng(0).normal(size=(60, 5))
    train, test = embeddings[:40], embeddings[40:]
    scaled = standardize(train, test)
    for kernel in ("rbf", "laplacian"):
        features = nystrom_features(train, test, kernel, seed=3)
        products = features[1] @ features[0].T
        np.testing.assert_allclose(products, gram(scaled[1], scaled[0], kernel), atol=1e-6)


def test_least_squares_match_kernel_ridge_regression():
    generator = np.random.default_rng(0)
    train, test = generator.normal(size=(60, 4)), generator.normal(size=(30, 4))
    y = (np.hypot(train[:, 0], train[:, 1]) < 1).astype(int)
    (predicted,) = classify_nodes(train, y, test, [{"kernel": "rbf", "C": 10.0}], 0)
    left, right = standardize(train, test)
    K, K_test = gram(left, left, "rbf"), gram(right, left, "rbf")
    center = np.eye(60) - 1 / 60
    targets = np.where(y == 1, 1.0, -1.0)
    machine = KernelRidge(alpha=0.1, kernel="precomputed")
    machine.fit(center @ K @ center, targets - targets.mean())
    values = machine.predict((K_test - K.mean(axis=0)) @ center) + targets.mean()
    np.testing.assert_array_equal(predicted, values > 0)


def test_regressions_fitted_together_match_scikit_learn():
    generator = np.random.default_rng(0)
    features = generator.normal(size=(80, 6))
    y = (features[:, :3] + generator.normal(size=(80, 3)) > 0).astype(int)
    weights, bias = fit_labels(features, y, C=0.5)
    for label in range(3):
        one = LogisticRegression(C=0.5, tol=1e-8).fit(features, y[:, label])
        np.testing.assert_allclose(weights[:, label], one.coef_[0], atol=1e-2)
        np.testing.assert_allclose(bias[label], one.intercept_[0], atol=1e-2)


def test_many_columns_of_several_labels_match_few(monkeypatch):
    data, y = circle(200)
    embeddings = data.graphs.node_attributes
    call = (embeddings[:150], y[:150], embeddings[150:], LOGISTIC, 0)
    expected = list(classify_nodes(*call))
    monkeypatch.setattr(node_classifiers, "_MAX_NEWTON_COLUMNS", 0)
    np.testing.assert_array_equal(list(classify_nodes(*call)), expected)


def test_fixed_models_keep_logistic_regression_and_their_configuration():
    for name in ("rw+aw-64", "nodes-64", "rw-32"):
        assert not MODELS[name].node_classifiers
        assert "node_classifiers" not in MODELS[name].configuration
    assert len(MODELS["nodes"].configuration["node_classifiers"]) == len(NODE_CLASSIFIERS)


def test_data_set_with_classes_of_graphs_raises():
    with pytest.raises(InputError, match="classes of graphs; use evaluate"):
        evaluate_nodes(datasets.load("regular"))
