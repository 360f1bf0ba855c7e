import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from gskn import as_batch, datasets
from gskn.colors import refine_colors
from gskn.estimators import ColorHistogram
from gskn.exceptions import InputError
from tests.colors.test_colors import colored_graphs

METHODS = ["1-wl", "2-fwl"]


@pytest.mark.parametrize("method", METHODS)
@given(colored_graphs())
def test_embedding_does_not_depend_on_other_graphs_or_node_order(method, graphs):
    model = ColorHistogram(method, n_rounds=2, n_columns=16).fit(graphs)
    together = model.transform(graphs)
    for graph, row in zip(graphs, together, strict=True):
        order = np.random.default_rng(0).permutation(len(graph)).tolist()
        renamed = nx.relabel_nodes(graph, dict(enumerate(order)))
        np.testing.assert_array_equal(model.transform(graph)[0], row)
        np.testing.assert_array_equal(model.transform(renamed)[0], row)


@pytest.mark.parametrize("method", METHODS)
@given(colored_graphs())
def test_graph_embeddings_are_sums_of_node_embeddings(method, graphs):
    batch = as_batch(graphs)
    model = ColorHistogram(method, n_columns=8).fit(batch)
    nodes = model.transform_nodes(batch)
    assert set(np.abs(nodes).sum(axis=1)) <= {4.0}
    sums = [part.sum(axis=0) for part in np.split(nodes, batch.graph_ptr[1:-1])]
    np.testing.assert_array_equal(model.transform(batch), sums)


@given(colored_graphs())
def test_nodes_with_many_columns_are_equal_if_their_colors_are(graphs):
    model = ColorHistogram(n_rounds=3, n_columns=10_000).fit(graphs)
    nodes = model.transform_nodes(graphs)
    _, groups = np.unique(nodes, axis=0, return_inverse=True)
    colors = refine_colors(graphs, n_rounds=3)
    pairs = set(zip(groups.ravel().tolist(), colors.tolist(), strict=True))
    assert len(pairs) == len({color for _, color in pairs})


def test_power_grows_with_patterns_and_pairs():
    rings, rook = datasets.rings(3).graphs, datasets.rook_shrikhande().graphs

    def differs(graphs, *arguments, **options):
        one, two = ColorHistogram(*arguments, **options).fit_transform(graphs)
        return bool((one != two).any())

    assert not differs(rings)
    assert differs(rings, pattern_length=4)
    assert differs(rings, "2-fwl")
    assert not differs(rook, "2-fwl")
    assert differs(rook, pattern_length=8)


@pytest.mark.parametrize("method", METHODS)
def test_both_signs_occur_in_every_column(method):
    graph = nx.gnp_random_graph(80, 0.1, seed=0)
    model = ColorHistogram(method, n_rounds=2, n_columns=4).fit(graph)
    rows = model.transform_nodes(graph)
    assert ((rows == 1).any(axis=0) & (rows == -1).any(axis=0))[-4:].all()


def test_normalized_histograms_are_divided_by_the_number_of_nodes():
    graphs = [nx.path_graph(4), nx.cycle_graph(5)]
    plain = ColorHistogram().fit_transform(graphs)
    normalized = ColorHistogram(normalize=True).fit_transform(graphs)
    np.testing.assert_allclose(normalized, plain / [[4], [5]])


def test_names_and_number_of_columns():
    model = ColorHistogram(n_rounds=1, n_columns=3).fit(nx.path_graph(2))
    names = model.get_feature_names_out()
    assert len(names) == model.n_features_out_ == 6
    assert names[0] == "color_0_0"
    assert names[-1] == "color_1_2"


@pytest.mark.parametrize(
    "options",
    [{"method": "3-wl"}, {"n_rounds": -1}, {"n_columns": 0}, {"pattern_length": 9}],
)
def test_invalid_parameters_raise(options):
    with pytest.raises(InputError, match=next(iter(options))):
        ColorHistogram(**options).fit(nx.path_graph(2))


def test_too_many_columns_raise():
    model = ColorHistogram(n_rounds=10_000, n_columns=100_000).fit(nx.path_graph(2))
    with pytest.raises(InputError, match="smaller n_columns"):
        model.transform([nx.path_graph(2)] * 2)


def test_graphs_that_are_too_large_raise():
    dense = nx.gnp_random_graph(500, 0.5, seed=0)
    with pytest.raises(InputError, match="smaller pattern_length"):
        ColorHistogram(pattern_length=8).fit_transform(dense)
    with pytest.raises(InputError, match="method='1-wl'"):
        ColorHistogram("2-fwl").fit_transform(nx.path_graph(1001))
