import networkx as nx
import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from gskn import as_batch
from gskn.baselines import WWLKernel
from gskn.baselines._shared import _transport
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, random_graphs


def with_attributes(seed, n_graphs=6, n_attributes=2):
    generator = np.random.default_rng(seed)
    graphs = random_graphs(seed, n_graphs)
    for graph in graphs:
        for node in graph:
            graph.nodes[node]["x"] = generator.normal(3.0, 2.0, n_attributes).tolist()
    return graphs


def as_attributed(graphs):
    return as_batch(graphs, node_attributes="x")


def with_reversed_nodes(graph):
    copied = nx.Graph()
    copied.add_nodes_from((v, graph.nodes[v]) for v in sorted(graph, reverse=True))
    copied.add_edges_from(graph.edges)
    return copied


def solve_all(graphs, distance):
    found = np.zeros((len(graphs), len(graphs)))
    for i, one in enumerate(graphs):
        for j, other in enumerate(graphs):
            costs = np.array([[distance(a, b) for b in other] for a in one])
            found[i, j] = ot.emd2([], [], costs)
    return found


def slow_color_distances(graphs, n_iterations):
    """Compare sequences of colors (nested tuples) by Hamming distance; solve with POT."""
    sequences = []
    for graph in graphs:
        colors = {v: graph.nodes[v].get("label", graph.degree(v)) for v in graph}
        rounds = [colors]
        for _ in range(n_iterations):
            last = rounds[-1]
            rounds.append(
                {v: (last[v], sorted((last[w] for w in graph[v]), key=repr)) for v in graph}
            )
        sequences.append([[colors[v] for colors in rounds] for v in graph])
    return solve_all(sequences, hamming)


def hamming(one, other):
    return np.mean([a != b for a, b in zip(one, other, strict=True)])


def slow_attribute_distances(graphs, n_iterations):
    """Aggregate attributes node by node; solve with POT."""
    everything = np.array([g.nodes[v]["x"] for g in graphs for v in g])
    mean, spread = everything.mean(axis=0), everything.std(axis=0)
    clouds = []
    for graph in graphs:
        rows = [{v: (np.array(graph.nodes[v]["x"]) - mean) / spread for v in graph}]
        for _ in range(n_iterations):
            last = rows[-1]
            means = {
                v: np.mean([last[w] for w in graph[v]], axis=0) if graph[v] else 0.0
                for v in graph
            }
            rows.append({v: (last[v] + means[v]) / 2 for v in graph})
        clouds.append([np.concatenate([one[v] for one in rows]) for v in graph])
    return solve_all(clouds, lambda a, b: np.linalg.norm(a - b))


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.booleans(), st.integers(0, 3))
def test_label_distances_equal_pot(seed, labelled, n_iterations):
    graphs = random_graphs(seed, labelled=labelled)
    found = WWLKernel(n_iterations).fit(as_given(graphs)).distances()
    expected = slow_color_distances(graphs, n_iterations)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.integers(0, 3))
def test_attribute_distances_equal_pot(seed, n_iterations):
    graphs = with_attributes(seed)
    found = WWLKernel(n_iterations).fit(as_attributed(graphs)).distances()
    np.testing.assert_allclose(
        found, slow_attribute_distances(graphs, n_iterations), atol=1e-9
    )


def test_distances_of_one_attribute_equal_scipy():
    graphs = with_attributes(0, n_attributes=1)
    values = [np.array([g.nodes[v]["x"][0] for v in g]) for g in graphs]
    spread = np.concatenate(values).std()
    expected = [[wasserstein_distance(a, b) / spread for b in values] for a in values]
    found = WWLKernel(0).fit(as_attributed(graphs)).distances()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("read", [as_given, as_attributed])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**20))
def test_kernel_is_symmetric_and_consistent(read, seed):
    batch = read(with_attributes(seed, 8))
    model = WWLKernel(2, gamma=0.7)
    whole = model.fit_transform(batch)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_allclose(np.diagonal(whole), 1)
    np.testing.assert_allclose(np.exp(-0.7 * model.distances(batch)), whole, atol=1e-12)
    np.testing.assert_array_equal(model.transform(batch[[3]])[0] > 0, True)
    if read is as_given:  # not guaranteed for attributes
        assert np.linalg.eigvalsh(whole).min() > -1e-9
        rest = model.fit(batch[:5]).transform(
            batch[5:]
        )  # attributes are scaled by the training graphs
        np.testing.assert_allclose(rest, whole[5:, :5], atol=1e-12)


def test_new_graphs_are_scaled_by_training_graphs():
    graphs = with_attributes(4)
    model = WWLKernel(1).fit(as_attributed(graphs))
    one = as_attributed(graphs[2:3])
    np.testing.assert_allclose(model.distances(one), model.distances()[2:3], atol=1e-12)


@pytest.mark.parametrize("read", [as_given, as_attributed])
def test_relabeling_nodes_preserves_kernel(read):
    graphs = with_attributes(7)
    others = [with_reversed_nodes(graph) for graph in graphs]
    model = WWLKernel().fit(read(graphs))
    np.testing.assert_allclose(model.distances(read(others)), model.distances(), atol=1e-9)


def test_auto_prefers_attributes_to_labels():
    graphs = with_attributes(5)
    both = as_batch(graphs, node_label="label", node_attributes="x")
    for node_features, read in (("auto", as_attributed), ("labels", as_given)):
        found = WWLKernel(node_features=node_features).fit(both).distances()
        expected = WWLKernel().fit(read(graphs)).distances()
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_distances_do_not_depend_on_chunks(monkeypatch):
    batch = as_attributed(with_attributes(2, 9))
    model = WWLKernel().fit(batch)
    whole = model.distances()
    monkeypatch.setattr(_transport, "_RUN_NODES", 7)
    np.testing.assert_allclose(model.distances(), whole, atol=1e-12)
    np.testing.assert_allclose(model.distances(batch), whole, atol=1e-12)


@pytest.mark.parametrize("attributed", [True, False])
def test_kernel_of_graphs_without_nodes_is_zero(attributed):
    path = nx.path_graph(3)
    nx.set_node_attributes(path, 1.0, "x")
    options = {"node_attributes": "x"} if attributed else {}
    batch = as_batch([path, nx.empty_graph(0), nx.empty_graph(0)], **options)
    found = WWLKernel().fit_transform(batch)
    np.testing.assert_allclose(found, [[1, 0, 0], [0, 1, 1], [0, 1, 1]], atol=1e-12)


def test_unsupported_input_raises(monkeypatch):
    batch = as_given(random_graphs(0))
    with pytest.raises(InputError, match="WWL compares node attributes, but the"):
        WWLKernel(node_features="attributes").fit(batch)
    supported = r"\('labels',\), \('attributes',\), got \('labels', 'attributes'\)"
    with pytest.raises(
        InputError, match=f"node_features must be one of 'auto', {supported}"
    ):
        WWLKernel(node_features=("labels", "attributes")).fit(batch)
    with pytest.raises(InputError, match="gamma must be above 0"):
        WWLKernel(gamma=0).fit(batch)
    attributed = as_attributed(with_attributes(0))
    wider = as_attributed(with_attributes(0, n_attributes=3))
    with pytest.raises(
        InputError, match="have 3 node attributes, but the training graphs had 2"
    ):
        WWLKernel().fit(attributed).transform(wider)
    monkeypatch.setattr(_transport, "_SECONDS_PER_PAIR", 1e5)
    with pytest.raises(InputError, match="transport between attributes would take"):
        WWLKernel().fit_transform(attributed)
