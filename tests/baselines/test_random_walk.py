import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.baselines import RandomWalkKernel
from gskn.baselines import _random_walk as module
from gskn.baselines._random_walk import spectral_norms
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, as_grakel, permuted, random_graphs
from tests.reference.graphs import adjacency
from tests.strategies import spec_lists


def product_graph(one, other):
    """Return the adjacency matrix of the direct product of two labelled graphs."""
    pairs = [
        (u, v)
        for u in one
        for v in other
        if one.nodes[u].get("label") == other.nodes[v].get("label")
    ]

    def weight(graph, u, v):
        return graph.edges[u, v].get("weight", 1.0) if graph.has_edge(u, v) else 0.0

    entries = [
        [weight(one, a, c) * weight(other, b, d) for c, d in pairs] for a, b in pairs
    ]
    return np.array(entries).reshape(len(pairs), len(pairs))


def slow_kernel(graphs, decay, n_steps):
    result = np.zeros((len(graphs), len(graphs)))
    for i, one in enumerate(graphs):
        for j, other in enumerate(graphs):
            matrix = product_graph(one, other)
            for step in range(n_steps + 1):
                result[i, j] += decay**step * np.linalg.matrix_power(matrix, step).sum()
    return result


@given(st.integers(0, 2**20), st.booleans(), st.integers(0, 5))
def test_kernel_equals_definition(seed, labelled, n_steps):
    graphs = random_graphs(seed, 4, labelled=labelled)
    model = RandomWalkKernel(0.3, n_steps=n_steps, normalize=False)
    expected = slow_kernel(graphs, 0.3, n_steps)
    np.testing.assert_allclose(model.fit_transform(as_given(graphs)), expected, rtol=1e-9)


@pytest.mark.parametrize("labelled", [True, False])
def test_kernel_of_weighted_directed_graphs_equals_definition(labelled):
    generator = np.random.default_rng(0)
    graphs = []
    for seed in range(5):
        graph = nx.gnp_random_graph(6, 0.3, seed=seed, directed=True)
        for u, v in graph.edges:
            graph.edges[u, v]["weight"] = float(generator.integers(1, 4))
        for node in graph if labelled else ():
            graph.nodes[node]["label"] = "ab"[generator.integers(2)]
        graphs.append(graph)
    model = RandomWalkKernel(0.05, n_steps=7, normalize=False)
    found = model.fit_transform(as_batch(graphs))
    np.testing.assert_allclose(found, slow_kernel(graphs, 0.05, 7), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:changing format")  # raised inside GraKeL
@pytest.mark.parametrize("labelled", [True, False])
def test_kernel_equals_grakel(grakel, labelled):
    batch = as_given([g for g in random_graphs(7, 20) if min(dict(g.degree).values())])
    graphs = [batch.to_networkx(number) for number in range(len(batch))]
    model = RandomWalkKernel(
        0.01, n_steps=300, node_features="auto" if labelled else (), normalize=False
    )
    found = model.fit_transform(batch)
    if labelled:
        # GraKeL ignores labels in walks without steps; its method "fast" is wrong for
        # edges between different labels.
        theirs = grakel.RandomWalkLabeled(lamda=0.01, method_type="baseline")
        steps = model.set_params(n_steps=0).fit_transform(batch)
        found += np.outer(batch.graph_sizes, batch.graph_sizes) - steps
    else:
        theirs = grakel.RandomWalk(lamda=0.01, method_type="baseline")
    expected = theirs.fit_transform(as_grakel(grakel, graphs))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_kernel_of_many_steps_equals_linear_system():
    graphs = random_graphs(7, 4)
    model = RandomWalkKernel(0.02, n_steps=500, normalize=False)
    found = model.fit_transform(as_given(graphs))
    for i, one in enumerate(graphs):
        for j, other in enumerate(graphs):
            matrix = product_graph(one, other)
            ones = np.ones(len(matrix))
            value = ones @ np.linalg.solve(np.eye(len(matrix)) - 0.02 * matrix, ones)
            np.testing.assert_allclose(found[i, j], value, rtol=1e-9)


@pytest.mark.parametrize("normalize", [True, False])
@given(seed=st.integers(0, 2**20), labelled=st.booleans())
def test_transform_equals_block_of_fit_transform(normalize, seed, labelled):
    batch = as_given(random_graphs(seed, labelled=labelled))
    model = RandomWalkKernel(0.02, normalize=normalize)
    whole = model.fit_transform(batch)
    rest = model.fit(batch[:5]).transform(batch[5:])
    np.testing.assert_allclose(rest, whole[5:, :5], rtol=1e-9)
    np.testing.assert_array_equal(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-8 * whole.max()


@pytest.mark.parametrize("labelled", [True, False])
def test_relabeling_nodes_preserves_kernel(labelled):
    graphs = random_graphs(2, labelled=labelled)
    others = [permuted(g, seed) for seed, g in enumerate(graphs)]
    model = RandomWalkKernel(0.02)
    whole = model.fit_transform(as_given(graphs))
    np.testing.assert_allclose(model.transform(as_given(others)), whole, rtol=1e-9)


@given(spec_lists(min_size=1, labelled=False, n_attributes=0))
def test_spectral_norms_are_close_upper_bounds(specs):
    matrices = [adjacency(spec) for spec in specs]
    found = spectral_norms(as_batch(matrices))
    exact = np.array([np.linalg.norm(m, 2) if len(m) else 0 for m in matrices])
    assert (found >= exact * (1 - 1e-12)).all()
    assert (found <= exact * 1.1).all()


def test_decay_is_relative_to_its_bound():
    model = RandomWalkKernel(share=0.4).fit([nx.complete_graph(5), nx.path_graph(4)])
    assert model.decay_ == pytest.approx(0.4 / 4**2)
    whole = model.fit_transform([nx.empty_graph(3), nx.empty_graph(1)])
    assert model.decay_ == 0
    np.testing.assert_allclose(whole, 1)


@pytest.mark.parametrize("labelled", [True, False])
def test_new_graphs_can_exceed_the_bound(labelled):
    small, large = nx.complete_graph(4), nx.complete_graph(40)
    for graph in (small, large):
        nx.set_node_attributes(graph, "a" if labelled else None, "label")
    key = "label" if labelled else None
    model = RandomWalkKernel(share=0.9).fit(as_batch([small], node_label=key))
    row = model.transform(as_batch([large], node_label=key))
    assert 0 < row[0, 0] <= 1


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_kernel_does_not_depend_on_threads(n_jobs, monkeypatch):
    monkeypatch.setattr(module, "_PAIRS", 5)
    batch = as_given(random_graphs(5))
    expected = RandomWalkKernel(0.02).fit_transform(batch)
    found = RandomWalkKernel(0.02, n_jobs=n_jobs).fit_transform(batch)
    np.testing.assert_array_equal(found, expected)


def test_unsupported_input_raises():
    labelled, plain = (as_given(random_graphs(0, labelled=yes)) for yes in (True, False))
    with pytest.raises(InputError, match="was fitted to graphs with node labels"):
        RandomWalkKernel().fit(labelled).transform(plain)
    with pytest.raises(InputError, match="use a smaller decay or n_steps"):
        RandomWalkKernel(1e6, n_steps=1000).fit(datasets.rings(3).graphs)
    with pytest.raises(InputError, match="use a smaller decay or n_steps"):
        RandomWalkKernel(1e6, n_steps=1000).fit_transform(labelled)
    with pytest.raises(InputError, match="share must be between 0 and 1, got 2"):
        RandomWalkKernel(share=2).fit(plain)
    with pytest.raises(InputError, match="decay must be at least 0, got -1"):
        RandomWalkKernel(-1).fit(plain)


def test_long_runtime_raises(monkeypatch):
    monkeypatch.setattr(module, "_SECONDS", 1e6)
    with pytest.raises(InputError, match="random walk kernel would take .* days"):
        RandomWalkKernel(0.02).fit_transform(as_given(random_graphs(0)))
