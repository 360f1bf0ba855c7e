from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from gskn import GSKN, GSKNClassifier, GSKNRegressor, as_batch, datasets
from gskn.exceptions import InputError
from gskn.explain import (
    Pattern,
    explain,
    explain_html,
    global_patterns,
    occlusion,
    occurrences,
)
from gskn.integrations.rdkit import MoleculeFeaturizer
from gskn.layers import BRANCHES
from tests.graphs.test_edge_data import batch_of
from tests.reference import explanations as reference
from tests.strategies import spec_lists
from tests.walks.test_counts import graphs

VIEWS = [
    ("nodes", "start"),
    ("nodes", "visited"),
    ("edges", "visited"),
    ("patterns", "visited"),
    ("landmarks", "visited"),
]


ANONYMOUS = {"anonymous", "induced"}


@pytest.fixture(scope="module")
def mutag():
    return datasets.load("MUTAG")


def check_law(explanation, prediction, tolerance=1e-9):
    total = explanation.baseline + explanation.sums + explanation.remainder
    np.testing.assert_allclose(
        total, explanation.prediction, atol=tolerance, rtol=tolerance
    )
    np.testing.assert_allclose(explanation.prediction, prediction, atol=1e-9, rtol=1e-9)
    if explanation.exact:
        assert not explanation.remainder.any()


def regressor(batch, **parameters):
    embedding = GSKN(random_state=0, alpha=0.7, beta=0.4, eps=1e-3, **parameters)
    y = batch.graph_edges + 0.5 * np.arange(batch.n_graphs)
    model = GSKNRegressor(embedding, kernel="linear", alpha=1.0, selection="none")
    return model.fit(batch, y)


@pytest.mark.reference
@pytest.mark.parametrize("branch", BRANCHES)
@settings(max_examples=10)
@given(
    graph=graphs(max_nodes=4),
    length=st.integers(1, 4),
    weighting=st.sampled_from(["count", "probability"]),
    pooling=st.sampled_from(["sum", "mean"]),
    n_layers=st.integers(1, 2),
)
def test_contributions_are_sums_over_all_walks(
    branch, graph, length, weighting, pooling, n_layers
):
    assume(len(graph))
    batch = as_batch([graph, nx.path_graph(3)])
    model = regressor(
        batch,
        branches=(branch,),
        n_layers=n_layers,
        walk_length=length,
        anonymous_length=length,
        weighting=weighting,
        pooling=pooling,
        n_landmarks=8,
    )
    n_nodes = len(graph) if pooling == "mean" else 1
    slopes = model.coef_[0] / n_nodes
    walks = list(reference.weighted_walks(model.embedding_, graph, batch[0], slopes))
    start = explain(model, batch[0], view="start").contributions
    np.testing.assert_allclose(start, reference.by_start(walks, len(graph)), atol=1e-8)
    visited = explain(model, batch[0]).contributions
    np.testing.assert_allclose(visited, reference.by_visits(walks, len(graph)), atol=1e-8)
    edges = explain(model, batch[0], by="edges")
    expected = reference.by_edges(walks, directed=bool(batch[0].is_directed))
    assert set(expected) <= set(edges.names)
    values = [expected[pair] for pair in edges.names]
    np.testing.assert_allclose(edges.contributions, values, atol=1e-8)


@pytest.mark.reference
@pytest.mark.parametrize("branch", BRANCHES)
@settings(max_examples=10)
@given(graph=graphs(max_nodes=4), length=st.integers(1, 4))
def test_patterns_and_landmarks_are_sums_over_all_walks(branch, graph, length):
    assume(len(graph))
    batch = as_batch([graph, nx.path_graph(3)])
    lengths = {"walk_length": length, "anonymous_length": length}
    model = regressor(batch, branches=(branch,), pooling="sum", n_landmarks=8, **lengths)
    arguments = model.embedding_, graph, batch[0], model.coef_[0]
    walks = reference.weighted_walks(*arguments)
    expected = reference.by_pattern(walks, graph, batch[0].degrees.tolist())
    explanation = explain(model, batch[0], by="patterns")
    values = Counter()  # directed induced walks of several keys have one pattern
    for p, value in zip(explanation.patterns, explanation.contributions, strict=True):
        values[p.length, p.labels, p.symbols, p.arcs] += value
    for key in expected.keys() | values.keys():
        assert values[key] == pytest.approx(expected[key], abs=1e-8)
    expected = reference.by_landmark(reference.weighted_kernels(*arguments))
    explanation = explain(model, batch[0], by="landmarks")
    for pattern, value in zip(explanation.patterns, explanation.contributions, strict=True):
        wanted = expected.pop((pattern.length, pattern.landmark), 0.0)
        assert value == pytest.approx(wanted, abs=1e-8)
    assert not any(expected.values())


@settings(max_examples=15)
@given(
    specs=spec_lists(min_size=2, edge_labelled=True),
    pooling=st.sampled_from(["sum", "mean", ("sum", "mean")]),
    n_layers=st.integers(1, 2),
)
def test_contributions_of_all_branches_add_up(specs, pooling, n_layers):
    """Directed or not, with weights, self-loops, isolated nodes and empty graphs."""
    assume(any(spec.n_nodes for spec in specs))
    batch = batch_of(specs)
    embedding = GSKN(
        tuple(BRANCHES),
        n_layers=n_layers,
        pooling=pooling,
        anonymous_length=4,
        n_landmarks=6,
        random_state=0,
    )
    y = batch.graph_edges + 0.5 * np.arange(batch.n_graphs)
    model = GSKNRegressor(embedding, kernel="linear", alpha=1.0, selection="none")
    model.fit(batch, y)
    for by, view in VIEWS:
        explanation = explain(model, batch, by=by, view=view)
        assert explanation.exact
        check_law(explanation, model.predict(batch))


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize(
    ("n_layers", "pooling"), [(1, "sum"), (2, "mean"), (1, ("sum", "mean"))]
)
def test_contributions_add_up_to_predictions(mutag, branch, n_layers, pooling):
    embedding = GSKN(
        (branch,), n_layers=n_layers, pooling=pooling, anonymous_length=4, n_landmarks=8
    )
    model = GSKNClassifier(
        embedding, kernel="linear", C=1.0, selection="none", random_state=0
    )
    model.fit(mutag.graphs[::8], mutag.y[::8])
    batch = mutag.graphs[1::40]
    for by, view in VIEWS:
        explanation = explain(model, batch, by=by, view=view)
        assert explanation.exact
        check_law(explanation, model.decision_function(batch))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("gradient", ["path", "local"])
def test_models_that_are_not_linear_report_the_remainder(mutag, kernel, gradient):
    model = GSKNClassifier(kernel=kernel, C=1.0, selection="none", random_state=0)
    model.fit(mutag.graphs[::4], mutag.y[::4])
    batch = mutag.graphs[1::16]
    for by, view in VIEWS:
        explanation = explain(model, batch, by=by, view=view, gradient=gradient)
        assert not explanation.exact
        check_law(explanation, model.decision_function(batch))
        largest = np.abs(explanation.remainder).max()
        assert largest < 1e-3 if gradient == "path" else largest > 1e-3


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_gradients_are_limits_of_differences(mutag, kernel):
    model = GSKNClassifier(kernel=kernel, C=1.0, selection="none", random_state=0)
    model.fit(mutag.graphs[::4], mutag.y[::4])
    batch = mutag.graphs[1]
    explanation = explain(model, batch, gradient="local")
    embeddings = model.embedding_.transform_nodes(batch).sum(axis=0)
    size = batch.n_nodes

    def decide(sums):
        pooled = [sums / size, np.copysign(np.log1p(np.abs(sums)), sums)]
        return model.machine_.decide(np.concatenate(pooled)[None])[0, 0]

    step = 1e-5
    slope = decide(embeddings * (1 + step)) - decide(embeddings * (1 - step))
    assert explanation.sums[0] == pytest.approx(slope / (2 * step), rel=1e-5)


def test_more_classes_are_explained_one_by_one():
    data = datasets.load("MUTAG")
    batch, y = data.graphs[::3], np.arange(63) % 3
    model = GSKNClassifier(
        GSKN(pooling="mean"), kernel="linear", C=1.0, selection="none", random_state=0
    )
    model.fit(batch, y)
    each = [explain(model, batch, target=number) for number in range(3)]
    np.testing.assert_allclose(sum(e.prediction for e in each), 0, atol=1e-9)
    for explanation in each:
        check_law(explanation, explanation.prediction)
    predicted = model.predict(batch)
    assert explain(model, batch).targets == tuple(predicted.tolist())
    chosen = [each[c].prediction[number] for number, c in enumerate(predicted)]
    np.testing.assert_allclose(explain(model, batch).prediction, chosen)


def test_first_of_two_classes_has_the_negative_explanation(mutag):
    model = GSKNClassifier(
        GSKN(pooling="mean"), kernel="linear", C=1.0, selection="none", random_state=0
    )
    model.fit(mutag.graphs[::4], mutag.y[::4])
    first, second = (explain(model, mutag.graphs[1], target=c) for c in model.classes_)
    np.testing.assert_allclose(first.contributions, -second.contributions)
    np.testing.assert_allclose(first.baseline, -second.baseline)
    assert explain(model, mutag.graphs[1]).targets == second.targets


@pytest.mark.parametrize(
    "scaler", [StandardScaler(), StandardScaler(with_mean=False), None]
)
def test_pipelines_are_explained(mutag, scaler):
    batch, y = mutag.graphs[::4], mutag.y[::4]
    steps = [GSKN(pooling="mean", random_state=0), scaler or "passthrough"]
    classifier = make_pipeline(*steps, LogisticRegression(max_iter=5000)).fit(batch, y)
    ridge = make_pipeline(*steps, Ridge()).fit(batch, batch.n_nodes * y)
    many = make_pipeline(*steps, LogisticRegression(max_iter=5000))
    many.fit(batch, np.arange(len(y)) % 3)
    for by, view in VIEWS:
        check_law(
            explain(classifier, batch, by=by, view=view),
            classifier.decision_function(batch),
        )
        check_law(explain(ridge, batch, by=by, view=view), ridge.predict(batch))
        explanation = explain(many, batch, target=2, by=by, view=view)
        check_law(explanation, many.decision_function(batch)[:, 2])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_steps_before_a_model_convert_graphs(kernel):
    smiles, y = ["CCO", "c1ccccc1O", "CC(=O)N", "CCCC", "OCCO"], [1, 1, 0, 0, 1]
    model = GSKNClassifier(
        GSKN(pooling="sum"), kernel=kernel, C=1.0, selection="none", random_state=0
    )
    pipeline = make_pipeline("passthrough", MoleculeFeaturizer(), model).fit(smiles, y)
    explanation = explain(pipeline, smiles)
    assert explanation.exact == (kernel == "linear")
    check_law(explanation, pipeline.decision_function(smiles))
    removed = occlusion(pipeline, smiles)
    np.testing.assert_allclose(removed.prediction, explanation.prediction)
    html = explain_html(pipeline, smiles)
    for word in ("GSKNClassifier", "baseline rate", "distance", f"{kernel} kernel"):
        assert word in html


def test_graphs_are_explained_alone_as_in_a_batch(mutag):
    batch = mutag.graphs[:6]
    model = regressor(batch, pooling="mean", anonymous_length=4)
    for by, view in VIEWS:
        together = explain(model, batch, by=by, view=view)
        assert len(together) == 6
        for number, explanation in enumerate(together):
            alone = explain(model, batch[number], by=by, view=view)
            check_law(explanation, model.predict(batch[number]))
            if by != "landmarks":
                left = dict(zip(alone.names, alone.contributions, strict=True))
                right = dict(zip(explanation.names, explanation.contributions, strict=True))
                assert left.keys() == right.keys()
                for name in left:
                    assert left[name] == pytest.approx(right[name], abs=1e-9)


@pytest.mark.parametrize("branch", BRANCHES)
def test_bonds_are_part_of_explanations(branch):
    batch = as_batch(["CC=O", "CCO", "C=CC#N", "c1ccccc1C"], smiles=True)
    model = regressor(batch, branches=(branch,), anonymous_length=4, pooling="sum")
    for by, view in VIEWS:
        check_law(explain(model, batch, by=by, view=view), model.predict(batch))
    patterns = explain(model, batch, by="patterns")[0].patterns
    names = {bond for pattern in patterns for bond in pattern.bonds or ()}
    assert names == (set() if branch in ANONYMOUS else {"single", "double"})
    for pattern in patterns:
        assert len(occurrences(model, batch[0], pattern)) > 0


def test_empty_graphs_have_only_a_baseline():
    batch = as_batch([nx.path_graph(3), nx.empty_graph(0), nx.empty_graph(2)])
    model = regressor(batch, pooling="sum")
    for by, view in VIEWS:
        explanation = explain(model, batch, by=by, view=view)
        check_law(explanation, model.predict(batch))
        np.testing.assert_allclose(explanation[1].prediction, explanation.baseline[1])
        assert not explanation[1].contributions.any()
    assert len(explain(model, batch[:0])) == 0


def test_only_the_ring_is_blamed_for_the_ring():
    triangle, path = nx.cycle_graph(3), nx.path_graph(6)
    tadpole = nx.lollipop_graph(3, 6)
    batch = as_batch([nx.disjoint_union(triangle, path), nx.path_graph(9)] * 5)
    embedding = GSKN(("anonymous",), anonymous_length=4, pooling="sum")
    model = GSKNRegressor(embedding, kernel="linear", selection="none", random_state=0)
    model.fit(batch, [1, 0] * 5)
    patterns = explain(model, tadpole, by="patterns")
    values = dict(zip(patterns.names, patterns.contributions, strict=True))
    assert values["anonymous 0-1-2-0"] > 0
    walks = occurrences(model, tadpole, Pattern("anonymous", 4, symbols=(0, 1, 2, 0)))
    assert set(walks.ravel().tolist()) == {0, 1, 2}
    assert len(walks) == 6


@pytest.mark.parametrize("branch", BRANCHES)
def test_patterns_occur_as_often_as_they_are_counted(mutag, branch):
    batch = mutag.graphs[:4]
    model = regressor(
        batch, branches=(branch,), weighting="count", anonymous_length=4, pooling="sum"
    )
    explanation = explain(model, batch[0], by="patterns")
    for pattern, amount in zip(explanation.patterns, explanation.amounts, strict=True):
        walks = occurrences(model, batch[0], pattern)
        assert len(walks) == pytest.approx(amount)


def test_an_index_selects_one_graph(mutag):
    batch = mutag.graphs[:3]
    explanation = explain(regressor(batch, branches=("walk",), pooling="sum"), batch)
    last = explanation[np.int64(-1)]
    np.testing.assert_array_equal(last.contributions, explanation[2].contributions)
    with pytest.raises(TypeError, match="slice"):
        explanation[:2]
    with pytest.raises(IndexError):
        explanation[3]


def test_global_patterns_sum_over_graphs(mutag):
    batch = mutag.graphs[:10]
    model = regressor(batch, pooling="mean", anonymous_length=4)
    for by in ("patterns", "landmarks"):
        explanation = explain(model, batch, by=by)
        best = global_patterns(model, batch, top=5, by=by)
        assert len(best) == 5
        assert (np.diff(best.magnitudes) <= 0).all()
        for number, pattern in enumerate(best.patterns):
            entries = [p == pattern for p in explanation.patterns]
            values = explanation.contributions[np.array(entries)]
            assert best.contributions[number] == pytest.approx(values.sum())
            assert best.n_graphs[number] <= len(values)
        frame = best.to_frame()
        assert frame["pattern"].tolist() == [pattern.name for pattern in best.patterns]
        assert best.patterns[0].name in best._repr_html_()


def test_occlusion_removes_one_node_at_a_time(mutag):
    batch = mutag.graphs[:3]
    model = regressor(batch, pooling="sum", anonymous_length=4)
    explanation = occlusion(model, batch)
    check_law(explanation, model.predict(batch))
    graph = batch.to_networkx(1)
    for node in graph:
        smaller = nx.convert_node_labels_to_integers(graph.subgraph(set(graph) - {node}))
        difference = model.predict(batch[1])[0] - model.predict(smaller)[0]
        assert explanation[1].contributions[node] == pytest.approx(difference, abs=1e-8)


def test_frames_and_tables_name_the_entries(mutag):
    batch = mutag.graphs[:2]
    model = regressor(batch, anonymous_length=4)
    for by, view in VIEWS:
        explanation = explain(model, batch, by=by, view=view)
        frame = explanation.to_frame()
        assert frame["contribution"].tolist() == explanation.contributions.tolist()
        assert len(frame) == len(explanation.names)
        largest = explanation[0].names[explanation[0].order[0]]
        assert str(largest).replace("'", "&#x27;") in explanation[0]._repr_html_()
        assert "prediction" in explanation._repr_html_()
    edges = explain(model, batch, by="edges")
    np.testing.assert_allclose(
        np.add.reduceat(edges.node_values(), batch.graph_ptr[:-1]), edges.sums
    )
    with pytest.raises(InputError, match="do not belong to nodes"):
        explain(model, batch, by="patterns").node_values()


def test_sampled_walks_are_explained_by_their_start():
    batch = as_batch([nx.gnp_random_graph(12, 0.5, seed=1), nx.path_graph(5)])
    model = regressor(batch, branches=("anonymous",), method="sampled", pooling="sum")
    check_law(explain(model, batch, view="start"), model.predict(batch))
    check_law(explain(model, batch, by="patterns"), model.predict(batch))
    check_law(explain(model, batch, by="landmarks"), model.predict(batch))
    with pytest.raises(InputError, match="samples anonymous walks"):
        explain(model, batch)


def test_walks_of_dense_graphs_are_summed_without_a_list():
    batch = as_batch([nx.complete_graph(60), nx.path_graph(5)])
    model = regressor(batch, anonymous_length=6, pooling="mean")
    for by, view in VIEWS:
        check_law(explain(model, batch, by=by, view=view), model.predict(batch))
    values = explain(model, batch[0]).contributions  # all nodes are alike
    np.testing.assert_allclose(values, values.mean(), rtol=1e-6)


def test_too_many_walks_are_explained_by_their_start():
    batch = as_batch([nx.complete_graph(60), nx.path_graph(5)])
    model = regressor(batch, branches=("induced",), anonymous_length=5, pooling="mean")
    check_law(explain(model, batch, view="start"), model.predict(batch))
    with pytest.raises(InputError, match="too many to list"):
        explain(model, batch)


def test_unsupported_models_raise(mutag):
    batch, y = mutag.graphs[:20], mutag.y[:20]
    gskn = GSKN(random_state=0)
    with pytest.raises(InputError, match="Cannot explain GSKN;"):
        explain(gskn.fit(batch), batch)
    scaled = make_pipeline(gskn, MinMaxScaler(), LogisticRegression()).fit(batch, y)
    with pytest.raises(InputError, match="MinMaxScaler"):
        explain(scaled, batch)
    with pytest.raises(InputError, match="not a fitted linear model"):
        explain(make_pipeline(gskn, SVC()).fit(batch, y), batch)
    pairs = make_pipeline(gskn, SVC(kernel="linear")).fit(batch, np.arange(20) % 4)
    with pytest.raises(InputError, match="one row per class"):
        explain(pairs, batch)
    two = make_pipeline(gskn, Ridge()).fit(batch, np.column_stack([y, y]))
    with pytest.raises(InputError, match="2 targets"):
        explain(two, batch)
    with pytest.raises(InputError, match="0 steps that are GSKN"):
        explain(make_pipeline(StandardScaler(), Ridge()), batch)
    with pytest.raises(InputError, match="last step of the pipeline is GSKN"):
        explain(make_pipeline(gskn, "passthrough").fit(batch), batch)


def test_unknown_targets_raise(mutag):
    batch = mutag.graphs[:4]
    model = regressor(batch, anonymous_length=4)
    with pytest.raises(InputError, match="one target"):
        explain(model, batch, target=1)
    classifier = make_pipeline(GSKN(random_state=0), LogisticRegression())
    classifier.fit(mutag.graphs[::4], mutag.y[::4])
    with pytest.raises(InputError, match="is not a class"):
        explain(classifier, batch, target="mutagenic")
    with pytest.raises(InputError, match="must be a Pattern, got 'walk C-C'"):
        occurrences(model, batch[0], "walk C-C")
    with pytest.raises(InputError, match="one graph"):
        occurrences(model, batch, Pattern("walk", 2, labels=("C", "C")))
    with pytest.raises(InputError, match="no branch 'path'"):
        occurrences(model, batch[0], Pattern("path", 2, labels=("C", "C")))


def test_sums_over_missing_paths_are_not_scaled_up():
    """The signed sum over paths of four nodes among three is zero up to rounding."""
    graph = nx.Graph([(0, 0), (0, 1), (1, 2)])
    batch = as_batch([graph, nx.path_graph(3)])
    model = regressor(batch, branches=("path",), walk_length=4, pooling="sum")
    assert np.abs(model.coef_).max() < 1e3
    check_law(explain(model, batch), model.predict(batch))
