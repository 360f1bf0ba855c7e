import networkx as nx
import numpy as np
import pytest
from grakel import Graph, VertexHistogram, WeisfeilerLehman
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.baselines import WLKernel
from gskn.exceptions import InputError


def random_graphs(seed, n_graphs=8, labelled=True):
    generator = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n_nodes = int(generator.integers(1, 9))
        graph = nx.gnp_random_graph(n_nodes, 0.4, seed=int(generator.integers(2**31)))
        for node in graph if labelled else ():
            graph.nodes[node]["label"] = "abc"[generator.integers(3)]
        graphs.append(graph)
    return graphs


def as_given(graphs):
    return as_batch(graphs, node_label="label") if graphs[0].nodes[0] else as_batch(graphs)


def slow_kernel(graphs, n_iterations):
    """Colours as nested tuples, compared one by one."""
    colours = [{v: g.nodes[v].get("label", g.degree(v)) for v in g} for g in graphs]
    total = np.zeros((len(graphs), len(graphs)))
    for _ in range(n_iterations + 1):
        for i, one in enumerate(colours):
            for j, other in enumerate(colours):
                total[i, j] += sum(a == b for a in one.values() for b in other.values())
        colours = [
            {v: (own[v], tuple(sorted((own[w] for w in g[v]), key=repr))) for v in g}
            for g, own in zip(graphs, colours, strict=True)
        ]
    return total


@given(st.integers(0, 2**20), st.booleans(), st.integers(0, 3))
def test_colours_are_those_of_the_definition(seed, labelled, n_iterations):
    graphs = random_graphs(seed, labelled=labelled)
    kernel = WLKernel(n_iterations, normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(kernel, slow_kernel(graphs, n_iterations))


def test_grakel_gives_the_same():
    graphs = random_graphs(0, 30)
    theirs = [
        Graph(
            {edge: 1 for u, v in g.edges for edge in ((u, v), (v, u))} or {(0, 0): 0},
            node_labels=dict(g.nodes(data="label")),
        )
        for g in graphs
        if g.number_of_edges()
    ]
    ours = [g for g in graphs if g.number_of_edges()]
    expected = WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram)
    found = WLKernel(3, normalize=False).fit_transform(as_given(ours))
    np.testing.assert_array_equal(found, expected.fit_transform(theirs))


@pytest.mark.parametrize("normalize", [True, False])
@given(seed=st.integers(0, 2**20))
def test_unseen_graphs_get_the_block_of_the_union(normalize, seed):
    batch = as_given(random_graphs(seed))
    model = WLKernel(2, normalize=normalize)
    whole = model.fit_transform(batch)
    np.testing.assert_allclose(
        model.fit(batch[:5]).transform(batch[5:]), whole[5:, :5], atol=1e-12
    )
    np.testing.assert_allclose(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-9 * max(1, whole.max())


def test_labels_are_known_by_value_whatever_their_order():
    graphs = random_graphs(1)
    model = WLKernel(2).fit(as_given(graphs))
    one = as_given(graphs[:1])  # label values in another order, or fewer
    np.testing.assert_allclose(model.transform(one), model.transform(as_given(graphs))[:1])


def test_attributes_alone_are_refused():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "x")
    batch = as_batch([graph], node_attributes=["x"])
    with pytest.raises(
        InputError, match="WL compares labels of nodes, but the graphs have"
    ):
        WLKernel().fit(batch)


def test_regular_graphs_are_all_alike():
    data = datasets.load("regular")
    kernel = WLKernel().fit_transform(data.graphs)
    np.testing.assert_allclose(kernel, 1)
