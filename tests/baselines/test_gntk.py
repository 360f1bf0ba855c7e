import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import GNTK, _gntk
from gskn.baselines._shared._jit_tangent import pass_layer
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, random_graphs
from tests.baselines.test_wwl import as_attributed, with_attributes, with_reversed_nodes


def closed(graph, scale):
    matrix = nx.to_numpy_array(graph, nodelist=sorted(graph)) + np.eye(len(graph))
    return matrix / matrix.sum(axis=1, keepdims=True) if scale == "degree" else matrix


def one_hot(graphs):
    """Return one-hot labels, or degrees, over all graphs."""
    tags = [[g.nodes[v].get("label", g.degree(v)) for v in sorted(g)] for g in graphs]
    values = sorted({tag for own in tags for tag in own})
    return [np.array([[tag == value for value in values] for tag in own]) for own in tags]


def layer(sigma, theta, left, right):
    """Return covariances and tangent kernels after a ReLU layer, from the definition."""
    scale = np.sqrt(np.outer(left, right))
    cosine = np.clip(sigma / scale, -1, 1)
    angle = np.arccos(cosine)
    slope = (math.pi - angle) / math.pi
    sigma = scale * (np.sin(angle) + (math.pi - angle) * cosine) / math.pi
    return sigma, theta * slope + sigma


def test_polynomial_angles_equal_library_function():
    near = 1 - np.array([0.0, 1e-16, 1e-12, 1e-8, 1e-4, 0.5 - 1e-16, 0.5, 0.5 + 1e-16, 1])
    cosines = np.concatenate([near, -near, np.linspace(-1, 1, 999)])
    left, right = np.array([2.0]), np.full(len(cosines), 4.0)  # division is exact
    sigma, theta = 8 * cosines[None], np.ones((1, len(cosines)))
    expected = layer(sigma, theta, left**2, right**2)
    pass_layer(sigma, theta, left, right)
    np.testing.assert_allclose(sigma, expected[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(theta, expected[1], rtol=0, atol=1e-14)


def slow_tangent(A, X, B, Y, n_blocks, n_layers):
    """Yield the tangent kernel of the nodes of two graphs after every block."""
    sigmas = {"xx": (A, X, A, X), "yy": (B, Y, B, Y), "xy": (A, X, B, Y)}
    sigmas = {key: (P, Q, X @ Y.T * 1.0) for key, (P, X, Q, Y) in sigmas.items()}
    theta = sigmas["xy"][2]
    yield theta
    for _ in range(n_blocks):
        sigmas = {key: (P, Q, P @ sigma @ Q.T) for key, (P, Q, sigma) in sigmas.items()}
        theta = A @ theta @ B.T
        for _ in range(n_layers):
            left, right = (np.diagonal(sigmas[key][2]) for key in ("xx", "yy"))
            _, theta = layer(sigmas["xy"][2], theta, left, right)
            ends = {"xx": (left, left), "yy": (right, right), "xy": (left, right)}
            sigmas = {
                key: (P, Q, layer(sigma, 0, *ends[key])[0])
                for key, (P, Q, sigma) in sigmas.items()
            }
        yield theta


def slow_kernel(graphs, n_blocks, n_layers, jumping, scale):
    matrices = [closed(graph, scale) for graph in graphs]
    rows = one_hot(graphs)
    kernel = np.zeros((len(graphs), len(graphs)))
    for i, (A, X) in enumerate(zip(matrices, rows, strict=True)):
        for j, (B, Y) in enumerate(zip(matrices, rows, strict=True)):
            thetas = list(slow_tangent(A, X * 1.0, B, Y * 1.0, n_blocks, n_layers))
            kernel[i, j] = sum(t.sum() for t in (thetas if jumping else thetas[-1:]))
    return kernel


@settings(max_examples=25)
@given(
    st.integers(0, 2**20),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["degree", "uniform"]),
)
def test_kernel_equals_definition(seed, labelled, n_blocks, n_layers, jumping, scale):
    graphs = random_graphs(seed, 5, labelled=labelled)
    model = GNTK(n_blocks, n_layers, jumping=jumping, scale=scale, normalize=False)
    expected = slow_kernel(graphs, n_blocks, n_layers, jumping, scale)
    np.testing.assert_allclose(model.fit_transform(as_given(graphs)), expected, rtol=1e-6)


def gradients(graph, rows, weights):
    """Return the gradient of a finite network of two blocks in all three weights."""
    first, second, last = weights
    gain = math.sqrt(2 / len(last))
    A = closed(graph, "uniform")
    entering = A @ rows
    hidden = entering @ first.T
    middle = A @ (gain * np.maximum(hidden, 0))
    upper = middle @ second.T
    to_last = gain * np.maximum(upper, 0).sum(axis=0)
    to_upper = gain * last * (upper > 0)
    to_hidden = gain * (A.T @ (to_upper @ second)) * (hidden > 0)
    return np.concatenate(
        [(to_hidden.T @ entering).ravel(), (to_upper.T @ middle).ravel(), to_last]
    )


def test_kernel_equals_wide_networks():
    """The mean over 12 networks with 1,000 units per layer has an error of 2.5%."""
    graphs = [nx.path_graph(3), nx.complete_graph(4), nx.star_graph(3)]
    rows = one_hot(graphs)
    generator = np.random.default_rng(0)
    width, measured = 1000, []
    for _ in range(12):
        shapes = [(width, rows[0].shape[1]), (width, width), width]
        weights = [generator.normal(size=shape) for shape in shapes]
        found = [gradients(g, own, weights) for g, own in zip(graphs, rows, strict=True)]
        measured.append([[one @ other for other in found] for one in found])
    model = GNTK(2, 1, jumping=False, scale="uniform", normalize=False)
    kernel = model.fit_transform(as_batch(graphs))
    np.testing.assert_allclose(kernel, np.mean(measured, axis=0), rtol=0.075)


def test_kernel_of_single_nodes_has_closed_form():
    """Equal inputs of norm 1 have n_layers + 1, orthogonal inputs with one layer 1 / pi."""
    graphs = [nx.empty_graph(1), nx.empty_graph(1)]
    for graph, label in zip(graphs, "ab", strict=True):
        graph.nodes[0]["label"] = label
    found = GNTK(1, 1, jumping=False, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_allclose(found, [[2, 1 / math.pi], [1 / math.pi, 2]])
    found = GNTK(1, 3, jumping=False, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_allclose(np.diagonal(found), 4)


@pytest.mark.parametrize("read", [as_given, as_attributed])
@pytest.mark.parametrize("normalize", [True, False])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**20))
def test_kernel_is_symmetric_and_consistent(read, normalize, seed):
    batch = read(with_attributes(seed, 8))
    model = GNTK(normalize=normalize)
    whole = model.fit_transform(batch)
    np.testing.assert_array_equal(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-6 * whole.max()
    one_by_one = np.vstack([model.transform(batch[[number]]) for number in range(8)])
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-6, atol=1e-9)
    if read is as_given:  # attributes are scaled by the training graphs
        rest = model.fit(batch[:5]).transform(batch[5:])
        np.testing.assert_allclose(rest, whole[5:, :5], rtol=1e-6)


@pytest.mark.parametrize("read", [as_given, as_attributed])
def test_kernel_does_not_depend_on_tiles_threads_and_chunks(read, monkeypatch):
    batch = read(with_attributes(5, 12))
    whole = GNTK(3).fit_transform(batch)
    monkeypatch.setattr(_gntk, "_TILE", 5)
    monkeypatch.setattr(_gntk, "_RUN_NODES", 9)
    found = GNTK(3, n_jobs=2).fit_transform(batch)
    np.testing.assert_allclose(found, whole, rtol=1e-6)


def test_auto_uses_labels_and_attributes():
    graphs = with_attributes(3)
    both = as_batch(graphs, node_label="label", node_attributes="x")
    unlabelled = as_batch(graphs, node_label=None, node_attributes="x")
    kernels = {
        node_features: GNTK(node_features=node_features).fit_transform(both)
        for node_features in ("auto", "labels", "attributes", ("attributes", "labels"))
    }
    np.testing.assert_allclose(
        kernels["labels"], GNTK().fit_transform(as_given(graphs)), rtol=1e-6
    )
    np.testing.assert_allclose(
        kernels["attributes"], GNTK().fit_transform(unlabelled), rtol=1e-6
    )
    np.testing.assert_array_equal(kernels["auto"], kernels["attributes", "labels"])
    for node_features in ("labels", "attributes"):
        assert np.abs(kernels["auto"] - kernels[node_features]).max() > 1e-3


def test_relabeling_nodes_preserves_kernel():
    graphs = random_graphs(6)
    others = [with_reversed_nodes(graph) for graph in graphs]
    model = GNTK().fit(as_given(graphs))
    np.testing.assert_allclose(
        model.transform(as_given(others)), model.transform(as_given(graphs)), rtol=1e-6
    )


def test_kernel_of_zero_nodes_and_empty_graphs_is_zero():
    path = nx.path_graph(2)
    nx.set_node_attributes(path, [1.0], "x")  # constant: standardized to zero
    batch = as_batch([path, nx.empty_graph(0)], node_attributes="x")
    np.testing.assert_array_equal(GNTK().fit_transform(batch), np.zeros((2, 2)))


def test_unsupported_input_raises(monkeypatch):
    batch = as_given(random_graphs(0))
    with pytest.raises(InputError, match="GNTK compares node attributes, but the"):
        GNTK(node_features="attributes").fit(batch)
    monkeypatch.setattr(_gntk, "_SECONDS_PER_CELL", 1e5)
    with pytest.raises(InputError, match="GNTK would take .* days"):
        GNTK().fit_transform(batch)
    monkeypatch.setattr(_gntk, "_MAX_NODES", 3)
    with pytest.raises(InputError, match="nodes. GNTK stores"):
        GNTK().fit(batch)
