import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.baselines import RetGK
from gskn.baselines import _retgk as module
from gskn.baselines._retgk import return_probabilities
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, permuted, random_graphs


def with_attributes(graphs, seed=0):
    generator = np.random.default_rng(seed)
    for graph in graphs:
        for node in graph:
            graph.nodes[node]["attributes"] = generator.normal(size=2).tolist()
    return graphs


def slow_returns(graph, n_steps, loops):
    """Return diagonals of powers of the transition matrix."""
    matrix = nx.to_numpy_array(graph) + (np.eye(len(graph)) if loops else 0)
    steps = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    powers = [np.linalg.matrix_power(steps, n) for n in range(1, n_steps + 1)]
    return np.array([np.diagonal(power) for power in powers]).T


def slow_distances(graphs, n_steps, loops, width):
    """Return distances of means, computed for every pair of nodes."""
    returns = [slow_returns(graph, n_steps, loops) for graph in graphs]

    def product(i, j):
        total = 0.0
        for u, row in zip(graphs[i], returns[i], strict=True):
            for v, other in zip(graphs[j], returns[j], strict=True):
                one, two = graphs[i].nodes[u], graphs[j].nodes[v]
                if one.get("label") == two.get("label"):
                    difference = np.subtract(
                        one.get("attributes", 0), two.get("attributes", 0)
                    )
                    exponent = np.linalg.norm(row - other) / width
                    exponent += np.linalg.norm(difference) / np.sqrt(2)
                    total += np.exp(-exponent)
        return total / (len(graphs[i]) * len(graphs[j]))

    numbers = range(len(graphs))
    inner = np.array([[product(i, j) for j in numbers] for i in numbers])
    squares = np.diagonal(inner)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2 * inner, 0))


@given(st.integers(0, 2**20), st.booleans(), st.booleans(), st.booleans())
def test_kernel_equals_definition(seed, labelled, attributed, loops):
    graphs = random_graphs(seed, 4, labelled=labelled)
    if attributed:
        with_attributes(graphs, seed)
    model = RetGK(6, loops=loops, node_width=0.5, graph_width=0.7)
    expected = slow_distances(graphs, 6, loops, 0.5)
    found = model.fit_transform(as_batch(graphs))
    np.testing.assert_allclose(found, np.exp(-expected / 0.7), atol=1e-6)
    found = model.set_params(kernel="gaussian").fit_transform(as_batch(graphs))
    np.testing.assert_allclose(found, np.exp(-((expected / 0.7) ** 2)), atol=1e-9)


def test_kernel_of_rings_has_closed_form():
    # With self-loops a ring of n nodes has the eigenvalues (1 + 2 cos(2 pi k / n)) / 3; a
    # walk on a triangle is uniform after one step.
    steps = np.arange(1, 51)
    values = (1 + 2 * np.cos(2 * np.pi * np.arange(6) / 6)) / 3
    ring = (values[:, None] ** steps).mean(axis=0)
    batch = datasets.rings(3).graphs
    found = return_probabilities(batch, 50, loops=True)
    np.testing.assert_allclose(found[:6], np.tile(ring, (6, 1)), atol=1e-12)
    np.testing.assert_allclose(found[6:], 1 / 3, atol=1e-12)
    similarity = np.exp(-np.linalg.norm(ring - 1 / 3))
    kernel = RetGK(node_width=1, graph_width=1).fit_transform(batch)
    np.testing.assert_allclose(
        kernel[0, 1], np.exp(-np.sqrt(2 - 2 * similarity)), rtol=1e-9
    )


@given(st.integers(0, 2**20), st.booleans())
def test_return_probabilities_equal_matrix_powers(seed, loops):
    graphs = random_graphs(seed, 3, labelled=False)
    expected = np.concatenate([slow_returns(graph, 9, loops) for graph in graphs])
    found = return_probabilities(as_batch(graphs), 9, loops=loops)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("attributed", [True, False])
@given(seed=st.integers(0, 2**20), labelled=st.booleans())
def test_transform_equals_block_of_fit_transform(attributed, seed, labelled):
    graphs = random_graphs(seed, labelled=labelled)
    batch = as_batch(with_attributes(graphs) if attributed else graphs)
    model = RetGK(node_width=0.5, graph_width=0.7)
    whole = model.fit_transform(batch)
    rest = model.fit(batch[:5]).transform(batch[5:])
    np.testing.assert_allclose(rest, whole[5:, :5], atol=1e-6)
    np.testing.assert_allclose(whole, whole.T, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(whole), 1, atol=1e-6)
    assert np.linalg.eigvalsh(whole).min() > -1e-6


def test_default_widths_are_medians_of_training_graphs():
    batch = as_given(random_graphs(4, 12))
    model = RetGK(10)
    kernel = model.fit_transform(batch)
    distances = -np.log(kernel) * model.graph_width_
    assert np.median(distances) == pytest.approx(model.graph_width_)
    returns = return_probabilities(batch, 10, loops=True)
    gaps = [np.linalg.norm(a - b) for n, a in enumerate(returns) for b in returns[:n]]
    assert model.node_width_ == pytest.approx(np.median(gaps))
    regular = RetGK().fit(datasets.load("regular").graphs[:3])
    assert regular.graph_width_ > 0


def test_relabeling_nodes_preserves_kernel():
    graphs = random_graphs(2)
    others = [permuted(g, seed) for seed, g in enumerate(graphs)]
    model = RetGK()
    whole = model.fit_transform(as_given(graphs))
    np.testing.assert_allclose(model.transform(as_given(others)), whole, atol=1e-6)


@pytest.mark.parametrize(
    ("node_features", "read"),
    [
        (("labels",), {"node_attributes": None}),
        (("attributes",), {"node_label": None}),
        ((), {"node_attributes": None, "node_label": None}),
    ],
)
def test_node_features_are_selected_by_name(node_features, read):
    graphs = with_attributes(random_graphs(3))
    expected = RetGK().fit_transform(as_batch(graphs, **read))
    found = RetGK(node_features=node_features).fit_transform(as_batch(graphs))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_kernel_does_not_depend_on_threads_and_chunks(n_jobs, monkeypatch):
    batch = as_given(random_graphs(5, 20))
    model = RetGK()
    whole, rest = model.fit_transform(batch), model.transform(batch[:7])
    monkeypatch.setattr(module, "_CELLS", 40)
    monkeypatch.setattr(module, "_ROWS", 10)
    model.set_params(n_jobs=n_jobs)
    np.testing.assert_allclose(model.fit_transform(batch), whole, atol=1e-7)
    np.testing.assert_allclose(model.transform(batch[:7]), rest, atol=1e-7)


def test_unsupported_input_raises(monkeypatch):
    graphs = as_batch(random_graphs(0, labelled=False))
    with pytest.raises(InputError, match="RetGK compares undirected graphs, but graph 0"):
        RetGK().fit([nx.DiGraph([(0, 1)])])
    with pytest.raises(InputError, match="node_width must be above 0, got 0"):
        RetGK(node_width=0).fit(graphs)
    with pytest.raises(InputError, match="kernel must be one of 'laplacian', 'gaussian'"):
        RetGK(kernel="linear").fit(graphs)
    attributed = as_batch(with_attributes(random_graphs(0, labelled=False)))
    with pytest.raises(
        InputError, match="have 2 node attributes, but the training graphs had 0"
    ):
        RetGK().fit(graphs).transform(attributed)
    supported = r"\(\), \('labels',\), \('attributes',\), \('labels', 'attributes'\), got"
    with pytest.raises(
        InputError, match=f"node_features must be one of 'auto', {supported}"
    ):
        RetGK(node_features="degrees").fit(graphs)
    monkeypatch.setattr(module, "_SECONDS_PER_PAIR", 1e6)
    with pytest.raises(InputError, match="RetGK would take .* days"):
        RetGK().fit(graphs)
