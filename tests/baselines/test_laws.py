"""Laws that every variant of every baseline in the registry satisfies."""

import inspect

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gskn import as_batch, baselines
from gskn.baselines import BASELINES, GraphKernel
from gskn.baselines._shared._vectors import GraphVectors
from gskn.colors import hash_value
from gskn.exceptions import InputError

# Parameters that make a baseline fast on small graphs; others keep their defaults.
SMALL_PARAMS = {
    baselines.LDP: {"n_bins": 3},
    baselines.AWEFeatures: {"length": 4},
    baselines.AWE: {"length": 4, "n_dimensions": 4, "n_epochs": 2},
    baselines.Graph2Vec: {"n_dimensions": 4, "min_count": 1, "n_epochs": 2},
    baselines.RandomWalkKernel: {"decay": 0.05},
}
VARIANTS = [(baseline, variant) for baseline in BASELINES for variant in baseline.variants]
NEED_ATTRIBUTES = ("hgk-wl", "hgk-sp")


def make_model(baseline, variant):
    model = baseline(**{**variant.grid[0], **SMALL_PARAMS.get(baseline, {})})
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model


MODELS = {variant.name: make_model(baseline, variant) for baseline, variant in VARIANTS}
LABEL_MODELS = [name for name in MODELS if name not in NEED_ATTRIBUTES]
# Only these classes compare labels by `check_labels`; GCKN has an encoder.
CHECKED_MODELS = [
    name
    for name in LABEL_MODELS
    if isinstance(MODELS[name], GraphKernel | GraphVectors)
    and "labels" in type(MODELS[name]).uses
]


def path(*labels):
    graph = nx.path_graph(len(labels))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


def labelled(*graphs):
    return as_batch([path(*labels) for labels in graphs], node_label="label")


def attributed(n_graphs, node_label=None):
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(6, 0.5, seed=n) for n in range(n_graphs)]
    for graph in graphs:
        attributes = {node: rng.normal(size=2).tolist() for node in graph}
        nx.set_node_attributes(graph, attributes, "attributes")
        nx.set_node_attributes(graph, {node: "ab"[node % 2] for node in graph}, "label")
    return as_batch(graphs, node_label=node_label)


def labelled_and_attributed(n_graphs):
    return attributed(n_graphs, node_label="label")


def training_graphs(name):
    """Return graphs that the model supports: with labels, or with labels and attributes."""
    if name in NEED_ATTRIBUTES:
        return labelled_and_attributed(4)
    return labelled("aab", "abb", "b")


def test_names_of_variants_are_distinct():
    assert len(MODELS) == len(VARIANTS)
    assert len({variant.label for _, variant in VARIANTS}) == len(VARIANTS)


@pytest.mark.parametrize("baseline", BASELINES)
def test_registered_class_has_data_and_docstring(baseline):
    assert getattr(baselines, baseline.__name__) is baseline
    assert baseline.__name__ in baselines.__all__
    assert baseline.variants
    assert baseline.output in {"embedding", "kernel"}
    assert baseline.uses
    sections = ("Parameters", "Notes", "References", "Examples")
    assert all(f"\n{name}\n---" in inspect.getdoc(baseline) for name in sections)


def test_every_exported_estimator_is_registered():
    exported = [getattr(baselines, name) for name in baselines.__all__]
    classes = [c for c in exported if isinstance(c, type) and not inspect.isabstract(c)]
    concrete = {c for c in classes if issubclass(c, baselines.Baseline) and c.__init__}
    assert concrete - {baselines.Baseline} == set(BASELINES)


@pytest.mark.parametrize(("baseline", "variant"), VARIANTS)
def test_grid_has_valid_distinct_parameters(baseline, variant):
    models = [baseline(**params) for params in variant.grid]
    assert len({repr(model.get_params()) for model in models}) == len(models)


@pytest.mark.parametrize("name", MODELS)
def test_output_has_declared_shape(name):
    batch = training_graphs(name)
    result = clone(MODELS[name]).fit_transform(batch)
    assert len(result) == len(batch)
    if type(MODELS[name]).output == "kernel":
        assert result.shape == (len(batch), len(batch))
        np.testing.assert_array_equal(result, result.T)


@pytest.mark.parametrize("name", MODELS)
def test_embedding_without_training_does_not_depend_on_training(name):
    batch, model = training_graphs(name), clone(MODELS[name])
    if model.depends_on_training(batch):
        pytest.skip("depends on the training graphs")
    result = clone(model).fit_transform(batch)
    columns = slice(0, 2) if model.output == "kernel" else slice(None)
    found = clone(model).fit(batch[:2]).transform(batch)
    np.testing.assert_allclose(found, result[:, columns], atol=1e-12)


@pytest.mark.parametrize("name", LABEL_MODELS)
def test_result_does_not_depend_on_other_labels_of_batch(name):
    """The label values of a batch are numbered in another order in another batch."""
    letters = "abcdef"
    whole = labelled(*(3 * letter for letter in letters))
    fitted = clone(MODELS[name]).fit(whole)
    expected = fitted.transform(whole)
    for number, letter in enumerate(letters):
        np.testing.assert_allclose(
            fitted.transform(labelled(3 * letter)), expected[[number]], atol=1e-12
        )


@pytest.mark.parametrize("name", CHECKED_MODELS)
def test_mixing_labelled_and_unlabelled_graphs_raises(name):
    plain, with_labels = as_batch([nx.path_graph(3)] * 2), labelled("aab", "abb")
    for first, second in ((plain, with_labels), (with_labels, plain)):
        with pytest.raises(InputError, match="was fitted to graphs with.* node labels"):
            clone(MODELS[name]).fit(first).transform(second)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("read", [training_graphs, lambda _: labelled_and_attributed(4)])
def test_empty_batches_and_graphs_are_accepted(name, read):
    batch = read(name)
    fitted = clone(MODELS[name]).fit(batch)
    n_columns = fitted.transform(batch).shape[1]
    assert fitted.transform(as_batch([])).shape == (0, n_columns)
    result = fitted.transform(as_batch([nx.empty_graph(0)]))
    assert result.shape == (1, n_columns)
    assert np.isfinite(result).all()


@pytest.mark.parametrize("name", MODELS)
def test_fit_keeps_parameters_and_is_required(name):
    batch, model = training_graphs(name), clone(MODELS[name])
    with pytest.raises(NotFittedError):
        model.transform(batch)
    if model.output == "embedding":
        with pytest.raises(NotFittedError):
            model.get_feature_names_out()
    assert model.fit(batch) is model
    assert model.get_params() == MODELS[name].get_params()


@pytest.mark.parametrize("name", MODELS)
def test_flags_must_be_booleans(name):
    params = MODELS[name].get_params()
    for flag in [key for key, value in params.items() if isinstance(value, bool)]:
        model = clone(MODELS[name]).set_params(**{flag: "yes"})
        with pytest.raises(InputError, match=f"{flag} must be True or False, got 'yes'"):
            model.fit(labelled_and_attributed(3))


@pytest.mark.parametrize(
    "name",
    [name for name, model in MODELS.items() if "node_features" in model.get_params()],
)
@pytest.mark.parametrize("value", ["color", ("labels", "color"), None])
def test_unknown_node_features_raise(name, value):
    with pytest.raises(InputError, match="node_features must be"):
        clone(MODELS[name]).set_params(node_features=value).fit(labelled_and_attributed(3))


def test_equal_labels_have_equal_hashes():
    for group in (
        [1, 1.0, True, np.int64(1), np.float32(1)],
        [0, -0.0, False],
        [(1, 2), (1.0, 2.0)],
        [frozenset({0, 8}), frozenset({8.0, 0})],
        ["a", np.str_("a")],
    ):
        assert len({hash_value(value) for value in group}) == 1
    different = [1, "1", 1.5, (1,), frozenset({1}), None, float("inf"), float("nan")]
    assert len({hash_value(value) for value in different}) == len(different)


def test_retgk_kernel_of_isomorphic_graphs_is_one():
    rng = np.random.default_rng(0)

    def relabeled(graph):
        order = rng.permutation(len(graph)).tolist()
        return nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))

    copies = [relabeled(nx.petersen_graph()) for _ in range(6)]
    np.testing.assert_allclose(baselines.RetGK().fit_transform(copies), 1, atol=1e-6)
    graph = nx.gnp_random_graph(8, 0.4, seed=1)
    graphs = [relabeled(graph) for _ in range(8)] + [nx.path_graph(5)]
    kernel = baselines.RetGK().fit_transform(graphs)
    np.testing.assert_allclose(kernel[:8, :8], 1, atol=1e-6)
    assert kernel[8, 0] < 0.9


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (baselines.WWLKernel(gamma=np.inf), "gamma must be at most 1e\\+06, got inf"),
        (baselines.GCKN(sigma=1e300), "sigma must be at most"),
        (baselines.HashGraphKernel(width=np.inf), "width must be at most"),
        (baselines.AWE(learning_rate=2.0), "learning_rate must be at most 1, got 2"),
        (baselines.RetGK(random_state="x"), "random_state"),
    ],
)
def test_numbers_out_of_range_raise(model, message):
    with pytest.raises(InputError, match=message):
        model.fit(attributed(3))


@pytest.mark.parametrize("baseline", [baselines.WWLKernel, baselines.GNTK])
def test_labels_of_unlabelled_graphs_are_degrees(baseline):
    plain = [nx.gnp_random_graph(6, 0.5, seed=n) for n in range(5)]
    kernel = baseline(node_features="labels").fit_transform(attributed(5))
    np.testing.assert_allclose(kernel, baseline().fit_transform(plain))


def test_large_graphs_raise_before_memory_is_allocated():
    ring = nx.cycle_graph(17_000)
    with pytest.raises(InputError, match="has 17000 nodes. RetGK stores"):
        baselines.RetGK().fit([ring])
    with pytest.raises(InputError, match="would take .* days"):
        baselines.ShortestPathKernel().fit(as_batch(csr_array((10**6, 10**6))))
