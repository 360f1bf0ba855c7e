from collections import Counter

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import ShortestPathKernel
from gskn.baselines._shared import _pairs
from tests.baselines.test_wl import as_given, as_grakel, random_graphs


def slow_counts(graph):
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    label = graph.nodes(data="label")
    return Counter(
        (label[u], label[v], d) for u in graph for v, d in lengths[u].items() if d
    )


def slow_kernel(graphs):
    counts = [slow_counts(graph) for graph in graphs]
    return np.array([[sum(a[k] * b[k] for k in a) for b in counts] for a in counts], float)


@given(st.integers(0, 2**20), st.booleans())
def test_kernel_equals_definition(seed, labelled):
    graphs = random_graphs(seed, labelled=labelled)
    found = ShortestPathKernel(normalize=False).fit_transform(as_given(graphs))
    np.testing.assert_array_equal(found, slow_kernel(graphs))


def test_kernel_equals_grakel(grakel):
    graphs = [g for g in random_graphs(3, 30) if g.number_of_edges()]
    theirs = grakel.ShortestPath(with_labels=True, normalize=True)
    found = ShortestPathKernel().fit_transform(as_given(graphs))
    expected = theirs.fit_transform(as_grakel(grakel, graphs))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(st.integers(0, 2**20))
def test_transform_equals_block_of_fit_transform(seed):
    batch = as_given(random_graphs(seed))
    model = ShortestPathKernel()
    whole = model.fit_transform(batch)
    rest = model.fit(batch[:5]).transform(batch[5:])
    np.testing.assert_allclose(rest, whole[5:, :5], atol=1e-12)
    assert np.linalg.eigvalsh(whole).min() > -1e-9


def test_labels_are_ignored_without_node_features():
    graphs = random_graphs(4)
    labelled, plain = as_given(graphs), as_batch(graphs, node_label=None)
    model = ShortestPathKernel(node_features=()).fit(labelled)
    expected = ShortestPathKernel().fit_transform(plain)
    np.testing.assert_array_equal(model.transform(plain), expected)
    np.testing.assert_array_equal(model.transform(labelled), expected)


def test_kernel_does_not_depend_on_chunks(monkeypatch):
    batch = as_given(random_graphs(5))
    whole = ShortestPathKernel().fit_transform(batch)
    monkeypatch.setattr(_pairs, "_CELLS", 20)
    monkeypatch.setattr(_pairs, "_RUN_NODES", 7)
    np.testing.assert_array_equal(ShortestPathKernel().fit_transform(batch), whole)
