"""What all other systems have in common."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gskn import as_batch
from gskn import baselines as systems
from gskn.baselines._shared._colors import hash_value
from gskn.exceptions import InputError

OF_LABELS = [
    systems.WLKernel(),
    systems.WLOAKernel(),
    systems.ShortestPathKernel(),
    systems.RandomWalkKernel(0.05),
    systems.WWLKernel(),
    systems.GNTK(),
    systems.RetGK(node_width=1, graph_width=1),
    systems.Graph2Vec(n_dimensions=4, min_count=1, n_epochs=2, random_state=0),
]
OF_ATTRIBUTES = [
    systems.HashGraphKernel(random_state=0),
    systems.HashGraphKernel("sp", random_state=0),
    systems.WWLKernel(),
    systems.GNTK(),
    systems.RetGK(),
    systems.GCKN(random_state=0),
]
OF_STRUCTURE = [
    systems.LDP(n_bins=3),
    systems.GraphletKernel(),
    systems.AWEFeatures(4),
    systems.AWE(4, n_dimensions=4, n_epochs=2, random_state=0),
]
ALL = [*OF_LABELS, *OF_ATTRIBUTES, *OF_STRUCTURE]


def path(*labels):
    graph = nx.path_graph(len(labels))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


def labelled(*graphs):
    return as_batch([path(*labels) for labels in graphs], node_label="label")


def with_attributes(n_graphs):
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(6, 0.5, seed=n) for n in range(n_graphs)]
    for graph in graphs:
        rows = {node: rng.normal(size=2).tolist() for node in graph}
        nx.set_node_attributes(graph, rows, "attributes")
    return as_batch(graphs)


def named(models):
    return {"argvalues": models, "ids": [repr(model) for model in models]}


@pytest.mark.parametrize("model", **named(OF_LABELS))
def test_labels_are_the_same_whichever_others_there_are(model):
    """Batches of other labels number theirs otherwise."""
    letters = "abcdef"
    whole = labelled(*(3 * letter for letter in letters))
    expected = clone(model).fit(whole).transform(whole)
    fitted = clone(model).fit(whole)
    for number, letter in enumerate(letters):
        np.testing.assert_allclose(
            fitted.transform(labelled(3 * letter)), expected[[number]], atol=1e-12
        )


@pytest.mark.parametrize("model", **named(OF_LABELS))
def test_labels_and_none_are_not_compared(model):
    plain, with_labels = as_batch([nx.path_graph(3)] * 2), labelled("aab", "abb")
    for first, second in ((plain, with_labels), (with_labels, plain)):
        with pytest.raises(InputError, match="was fitted to graphs with .*labels of nodes"):
            clone(model).fit(first).transform(second)


@pytest.mark.parametrize("model", **named(ALL))
def test_nothing_is_no_failure(model):
    if model in OF_ATTRIBUTES:
        batch = with_attributes(4)
    else:
        batch = labelled("aab", "abb", "b") if model in OF_LABELS else labelled("aab", "b")
    fitted = clone(model).fit(batch)
    n_columns = fitted.transform(batch).shape[1]
    assert fitted.transform(as_batch([])).shape == (0, n_columns)
    found = fitted.transform(as_batch([nx.empty_graph(0)]))
    assert found.shape == (1, n_columns)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("model", **named(ALL))
def test_parameters_are_not_changed_and_fit_comes_first(model):
    batch = with_attributes(4) if model in OF_ATTRIBUTES else as_batch([nx.path_graph(4)])
    fresh = clone(model)
    with pytest.raises(NotFittedError):
        fresh.transform(batch)
    if hasattr(fresh, "get_feature_names_out"):
        with pytest.raises(NotFittedError):
            fresh.get_feature_names_out()
    assert fresh.fit(batch) is fresh
    assert fresh.get_params() == model.get_params()


def test_what_is_equal_has_equal_bits():
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


def test_copies_are_equal_for_retgk_whatever_the_rounding():
    rng = np.random.default_rng(0)

    def turned(graph):
        order = rng.permutation(len(graph)).tolist()
        return nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))

    copies = [turned(nx.petersen_graph()) for _ in range(6)]
    np.testing.assert_allclose(systems.RetGK().fit_transform(copies), 1, atol=1e-6)
    graph = nx.gnp_random_graph(8, 0.4, seed=1)
    mostly = [turned(graph) for _ in range(8)] + [nx.path_graph(5)]
    kernel = systems.RetGK().fit_transform(mostly)
    np.testing.assert_allclose(kernel[:8, :8], 1, atol=1e-6)
    assert kernel[8, 0] < 0.9


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (systems.WWLKernel(gamma=np.inf), "gamma must be at most 1e\\+06, got inf"),
        (systems.GCKN(sigma=1e300), "sigma must be at most"),
        (systems.HashGraphKernel(width=np.inf), "width must be at most"),
        (systems.AWE(learning_rate=2.0), "learning_rate must be at most 1, got 2"),
        (systems.RetGK(random_state="x"), "random_state"),
    ],
)
def test_numbers_beyond_use_are_refused(model, message):
    with pytest.raises(InputError, match=message):
        model.fit(with_attributes(3))


@pytest.mark.parametrize("model", **named(ALL))
def test_flags_are_true_or_false(model):
    flags = [name for name, value in model.get_params().items() if isinstance(value, bool)]
    for name in flags:
        broken = clone(model).set_params(**{name: "yes"})
        with pytest.raises(InputError, match=f"{name} must be True or False, got 'yes'"):
            broken.fit(with_attributes(3))


def test_labels_alone_are_degrees_where_there_are_none():
    batch = with_attributes(5)
    plain = [nx.gnp_random_graph(6, 0.5, seed=n) for n in range(5)]
    for kind in (systems.WWLKernel, systems.GNTK):
        found = kind(sources="labels").fit_transform(batch)
        np.testing.assert_allclose(found, kind().fit_transform(plain))


def test_graphs_too_large_are_refused_before_they_fill_memory():
    ring = nx.cycle_graph(17_000)
    with pytest.raises(InputError, match="has 17000 nodes, and RetGK holds"):
        systems.RetGK().fit([ring])
    with pytest.raises(InputError, match="would take .* days"):
        systems.ShortestPathKernel().fit(as_batch(csr_array((10**6, 10**6))))
