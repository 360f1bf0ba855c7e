from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import GraphletKernel
from gskn.baselines._graphlet import _FOUR, _THREE, graphlet_counts
from gskn.exceptions import InputError
from tests.baselines.test_wl import permuted

# In the order of the columns of `graphlet_counts`.
GRAPHLETS = {
    3: [nx.empty_graph(3), nx.Graph([(0, 1)]), nx.path_graph(3), nx.complete_graph(3)],
    4: [
        nx.empty_graph(4),
        nx.Graph([(0, 1)]),
        nx.path_graph(3),
        nx.Graph([(0, 1), (2, 3)]),
        nx.complete_graph(3),
        nx.star_graph(3),
        nx.path_graph(4),
        nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)]),
        nx.cycle_graph(4),
        nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
        nx.complete_graph(4),
    ],
}
for SIZE, GRAPHS in GRAPHLETS.items():
    for GRAPH in GRAPHS:
        GRAPH.add_nodes_from(range(SIZE))


def random_graphs(seed, n_graphs=5):
    generator = np.random.default_rng(seed)
    sizes, densities = generator.integers(0, 9, n_graphs), generator.random(n_graphs)
    pairs = zip(sizes.tolist(), densities, strict=True)
    return [nx.gnp_random_graph(n, p, seed=seed) for n, p in pairs]


def degrees(graph):
    """Return sorted degrees, which distinguish all graphs of up to four nodes."""
    return sorted(degree for _, degree in graph.degree)


def slow_counts(graph, size):
    """Count graphlets by enumerating all sets of nodes."""
    kinds = [degrees(graphlet) for graphlet in GRAPHLETS[size]]
    counts = np.zeros(len(kinds))
    for nodes in combinations(graph, size):
        counts[kinds.index(degrees(graph.subgraph(nodes)))] += 1
    return counts


@given(st.integers(0, 2**20), st.sampled_from([3, 4]))
def test_counts_equal_enumeration(seed, size):
    graphs = random_graphs(seed)
    found = graphlet_counts(as_batch(graphs), size)
    np.testing.assert_array_equal(found, [slow_counts(graph, size) for graph in graphs])


@pytest.mark.parametrize(("size", "table"), [(3, _THREE), (4, _FOUR)])
def test_tables_count_graphlets_in_graphlets(size, table):
    for row, part in zip(table, GRAPHLETS[size], strict=True):
        for count, whole in zip(row, GRAPHLETS[size], strict=True):
            edge_sets = combinations(whole.edges, part.number_of_edges())
            subgraphs = [nx.Graph(list(edges)) for edges in edge_sets]
            for graph in subgraphs:
                graph.add_nodes_from(range(size))
            assert count == sum(nx.is_isomorphic(part, graph) for graph in subgraphs)


def test_counts_of_large_graphs_have_closed_forms():
    clique, bipartite = nx.complete_graph(150), nx.complete_bipartite_graph(90, 70)
    counts = graphlet_counts(as_batch([clique, bipartite]), 4)
    np.testing.assert_array_equal(counts[0], [0] * 10 + [comb(150, 4)])
    expected = np.zeros(11)
    expected[0] = comb(90, 4) + comb(70, 4)
    expected[5] = 90 * comb(70, 3) + 70 * comb(90, 3)
    expected[8] = comb(90, 2) * comb(70, 2)
    np.testing.assert_array_equal(counts[1], expected)


def test_self_loops_and_weights_are_ignored():
    graph = nx.gnp_random_graph(12, 0.4, seed=0)
    plain = graphlet_counts(as_batch([graph]), 4)
    nx.set_edge_attributes(graph, 2.5, "weight")
    graph.add_edges_from([(0, 0), (3, 3)])
    np.testing.assert_array_equal(graphlet_counts(as_batch([graph]), 4), plain)


@pytest.mark.parametrize("size", [3, 4])
def test_kernel_agrees_with_samples_of_grakel(grakel, size):
    # GraKeL samples sizes from 3 to k uniformly. The standard deviation of a frequency in
    # 2,000 samples is at most 0.011. (Its enumeration counts one graphlet twice.)
    graphs = [nx.gnp_random_graph(9, p, seed=0) for p in (0.2, 0.4, 0.6)]
    theirs = grakel.GraphletSampling(
        k=size, sampling={"n_samples": 2000}, normalize=True, random_state=0
    )
    matrices = [[nx.to_numpy_array(graph), {}] for graph in graphs]
    ours = sum(
        GraphletKernel(k, normalize=False).fit_transform(as_batch(graphs))
        for k in range(3, size + 1)
    )
    roots = np.sqrt(np.diag(ours))
    expected = theirs.fit_transform(matrices)
    np.testing.assert_allclose(ours / np.outer(roots, roots), expected, atol=0.04)


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
@given(seed=st.integers(0, 2**20), size=st.sampled_from([3, 4]))
def test_transform_equals_block_of_fit_transform(connected, normalize, seed, size):
    batch = as_batch(random_graphs(seed, 8))
    model = GraphletKernel(size, connected=connected, normalize=normalize)
    whole = model.fit_transform(batch)
    rest = model.fit(batch[:5]).transform(batch[5:])
    np.testing.assert_allclose(rest, whole[5:, :5], atol=1e-12)
    assert np.linalg.eigvalsh(whole).min() > -1e-9


def test_connected_graphlets_are_last_columns():
    for size, graphs in GRAPHLETS.items():
        kernel = GraphletKernel(size, connected=True).fit_transform(as_batch(graphs))
        expected = np.diag([float(nx.is_connected(graph)) for graph in graphs])
        np.testing.assert_array_equal(kernel, expected)


def test_relabeling_nodes_preserves_counts():
    graphs = [graph for graph in random_graphs(2, 20) if len(graph)]
    others = [permuted(g, seed) for seed, g in enumerate(graphs)]
    ours, theirs = (graphlet_counts(as_batch(some), 4) for some in (graphs, others))
    np.testing.assert_array_equal(ours, theirs)


def test_unsupported_input_raises():
    directed = as_batch([nx.path_graph(3), nx.DiGraph([(0, 1)])])
    with pytest.raises(InputError, match="but graph 1 is directed; remove it, or add"):
        GraphletKernel().fit(directed)
    with pytest.raises(InputError, match="size must be at most 4, got 5"):
        GraphletKernel(5).fit([nx.path_graph(3)])
    with pytest.raises(InputError, match="size must be at least 3, got 2"):
        GraphletKernel(2).fit([nx.path_graph(3)])
