from operator import eq

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from gskn import as_batch, datasets
from gskn.baselines import WLKernel, WLOAKernel
from gskn.exceptions import InputError
from gskn.kernels import subtree_kernel


def random_graphs(seed, n_graphs=8, labelled=True, bonds=False):
    generator = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n_nodes = int(generator.integers(1, 9))
        graph = nx.gnp_random_graph(n_nodes, 0.4, seed=int(generator.integers(2**31)))
        for node in graph if labelled else ():
            graph.nodes[node]["label"] = "abc"[generator.integers(3)]
        for edge in graph.edges if bonds else ():
            graph.edges[edge]["label"] = "-="[generator.integers(2)]
        graphs.append(graph)
    return graphs


def permuted(graph, seed):
    """Return the same graph with its nodes in random order."""
    names = np.random.default_rng(seed).permutation(len(graph)).tolist()
    renamed = nx.relabel_nodes(graph, dict(zip(graph, names, strict=True)))
    result = nx.Graph()
    result.add_nodes_from(sorted(renamed.nodes(data=True)))
    result.add_edges_from(renamed.edges(data=True))
    return result


def as_given(graphs):
    return as_batch(graphs, node_label="label") if graphs[0].nodes[0] else as_batch(graphs)


def slow_colors(graphs, n_iterations):
    """Return the colors (nested tuples) of all iterations, one list for every node."""
    colors = [{v: g.nodes[v].get("label", g.degree(v)) for v in g} for g in graphs]
    rounds = [colors]
    for _ in range(n_iterations):
        colors = [
            {v: (own[v], tuple(sorted(pairs(g, v, own), key=repr))) for v in g}
            for g, own in zip(graphs, colors, strict=True)
        ]
        rounds.append(colors)
    return [
        [[colors[number][v] for colors in rounds] for v in g]
        for number, g in enumerate(graphs)
    ]


def pairs(graph, node, colors):
    """Return the labels of the edges of a node, with the colors of the neighbors."""
    return [(edge.get("label"), colors[other]) for other, edge in graph[node].items()]


def agreement(one, other):
    """Return the number of iterations with equal colors for all pairs of nodes."""
    return np.array([[sum(map(eq, a, b)) for b in other] for a in one])


def slow_kernel(graphs, n_iterations):
    """Sum the agreement of all pairs of nodes."""
    colors = slow_colors(graphs, n_iterations)
    return np.array([[agreement(a, b).sum() for b in colors] for a in colors])


def slow_assignment(graphs, n_iterations):
    """Sum the agreement of the best matching, found by the Hungarian method."""
    colors = slow_colors(graphs, n_iterations)
    result = np.zeros((len(graphs), len(graphs)))
    for i, one in enumerate(colors):
        for j, other in enumerate(colors):
            values = agreement(one, other)
            result[i, j] = values[linear_sum_assignment(values, maximize=True)].sum()
    return result


def as_grakel(grakel, graphs):
    return [
        grakel.Graph(
            {edge: 1 for u, v in g.edges for edge in ((u, v), (v, u))},
            node_labels=dict(g.nodes(data="label")),
        )
        for g in graphs
    ]


@given(st.integers(0, 2**20), st.booleans(), st.booleans(), st.integers(0, 3))
def test_kernel_equals_definition(seed, labelled, bonds, n_iterations):
    graphs = random_graphs(seed, labelled=labelled, bonds=bonds)
    kernel = WLKernel(n_iterations, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(kernel, slow_kernel(graphs, n_iterations))


@given(st.integers(0, 2**20), st.booleans(), st.booleans(), st.integers(0, 3))
def test_assignment_kernel_equals_best_matching(seed, labelled, bonds, n_iterations):
    graphs = random_graphs(seed, 5, labelled=labelled, bonds=bonds)
    kernel = WLOAKernel(n_iterations, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(kernel, slow_assignment(graphs, n_iterations))


def test_kernel_equals_grakel(grakel):
    graphs = [g for g in random_graphs(0, 30) if g.number_of_edges()]
    expected = grakel.WeisfeilerLehman(n_iter=3, base_graph_kernel=grakel.VertexHistogram)
    found = WLKernel(3, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(found, expected.fit_transform(as_grakel(grakel, graphs)))


@pytest.mark.parametrize("normalize", [True, False])
def test_assignment_kernel_equals_grakel(grakel, normalize):
    # GraKeL drops nodes without edges after the first iteration.
    graphs = [g for g in random_graphs(0, 60) if min(dict(g.degree).values())]
    assert len(graphs) > 20
    expected = grakel.WeisfeilerLehmanOptimalAssignment(n_iter=3, normalize=normalize)
    found = WLOAKernel(3, normalize=normalize).fit_transform(as_given(graphs))
    np.testing.assert_allclose(found, expected.fit_transform(as_grakel(grakel, graphs)))


@pytest.mark.parametrize("kind", [WLKernel, WLOAKernel])
@pytest.mark.parametrize("normalize", [True, False])
@given(seed=st.integers(0, 2**20), bonds=st.booleans())
def test_transform_equals_block_of_fit_transform(kind, normalize, seed, bonds):
    batch = as_given(random_graphs(seed, bonds=bonds))
    model = kind(2, normalize=normalize)
    whole = model.fit_transform(batch)
    np.testing.assert_allclose(
        model.fit(batch[:5]).transform(batch[5:]), whole[5:, :5], atol=1e-12
    )
    np.testing.assert_allclose(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-9 * max(1, whole.max())


@pytest.mark.parametrize("kind", [WLKernel, WLOAKernel])
@pytest.mark.parametrize("bonds", [False, True])
def test_relabeling_nodes_preserves_kernel(kind, bonds):
    graphs = random_graphs(2, bonds=bonds)
    others = [permuted(g, seed) for seed, g in enumerate(graphs)]
    kernel = kind(3).fit(as_given(graphs)).transform(as_given(others))
    np.testing.assert_allclose(kernel, kind(3).fit_transform(as_given(graphs)), atol=1e-12)


def test_labels_are_compared_by_value():
    graphs = random_graphs(1)
    model = WLKernel(2).fit(as_given(graphs))
    one = as_given(graphs[:1])  # other label values, in another order
    np.testing.assert_allclose(model.transform(one), model.transform(as_given(graphs))[:1])


@pytest.mark.parametrize("kind", [WLKernel, WLOAKernel])
def test_edge_labels_are_compared_unless_they_are_excluded(kind):
    single, double = (nx.cycle_graph(4) for _ in range(2))
    nx.set_edge_attributes(single, "-", "label")
    nx.set_edge_attributes(double, "=", "label")
    kernel = kind(1, normalize=False).fit_transform([single, double])
    assert kernel[0, 1] < kernel[0, 0]
    kernel = kind(1, edge_features="none").fit_transform([single, double])
    np.testing.assert_allclose(kernel, 1)
    model = kind(1).fit([single, double])
    with pytest.raises(InputError, match="compares edge labels, but the graphs have none"):
        model.transform([nx.cycle_graph(4)])
    assert model.transform([nx.empty_graph(2)]).shape == (1, 2)
    with pytest.raises(InputError, match="edge_features must be one of"):
        kind(1, edge_features="attributes").fit([single])


def test_subtree_kernel_of_bonds_equals_wl_kernel():
    graphs = random_graphs(3, bonds=True)
    kernel = WLKernel(2, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(kernel, subtree_kernel(as_given(graphs), depth=2))


def test_graphs_with_attributes_only_raise():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "x")
    batch = as_batch([graph], node_attributes=["x"])
    with pytest.raises(
        InputError, match="WLKernel compares node labels, but the graphs have"
    ):
        WLKernel().fit(batch)


def test_regular_graphs_have_equal_kernels():
    data = datasets.load("regular")
    kernel = WLKernel().fit_transform(data.graphs)
    np.testing.assert_allclose(kernel, 1)
