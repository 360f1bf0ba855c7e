from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch, datasets, kernels
from gskn.baselines import GCKN
from gskn.baselines import _gckn as module
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, random_graphs

MANY = 1000  # landmarks, more than there are paths


def slow_walks(graph, length, *, simple):
    """Return the labels along all paths or walks from every node."""
    if simple:
        found = [
            p
            for p in permutations(graph, length)
            if all(graph.has_edge(*step) for step in pairwise(p))
        ]
    else:
        found = [(v,) for v in graph]
        for _ in range(length - 1):
            found = [(*w, v) for w in found for v in (list(graph[w[-1]]) or [w[-1]])]
    label = graph.nodes(data="label")
    return {
        v: np.array([[label[u] for u in w] for w in found if w[0] == v]).reshape(-1, length)
        for v in graph
    }


def slow_nodes(one, other, sigma):
    """Return the kernel of two nodes: a sum over all pairs of walks."""
    mean_agreement = (one[:, None] == other[None]).mean(axis=2)
    return np.exp((mean_agreement - 1) / sigma**2).sum()


def slow_kernel(graphs, length, sigma, variant):
    walks = [slow_walks(g, length, simple=variant != "walk") for g in graphs]
    kernel = np.zeros((len(graphs), len(graphs)))
    for i, one in enumerate(walks):
        for j, other in enumerate(walks):
            for a in one.values():
                for b in other.values():
                    own = [slow_nodes(x, y, sigma) for x, y in ((a, b), (a, a), (b, b))]
                    if variant == "subtree":
                        scale = np.sqrt(own[1] * own[2])
                        cosine = own[0] / scale if scale else 0
                        own[0] = scale * np.exp((cosine - 1) / sigma**2)
                    kernel[i, j] += own[0]
    return kernel


@pytest.mark.parametrize("variant", ["path", "walk", "subtree"])
@settings(max_examples=12)
@given(seed=st.integers(0, 2**20), length=st.integers(1, 3))
def test_kernel_with_all_paths_as_landmarks_equals_definition(variant, seed, length):
    graphs = random_graphs(seed, 4)
    model = GCKN(variant, path_length=length, n_landmarks=MANY, sigma=0.8, aggregate=False)
    embeddings = model.fit_transform(as_given(graphs))
    expected = slow_kernel(graphs, length, 0.8, variant)
    np.testing.assert_allclose(embeddings @ embeddings.T, expected, rtol=1e-4, atol=1e-4)


def test_embedding_of_an_edge_has_closed_form():
    """The paths of the edge a-b are ab and ba and disagree: K = 2 + 2 / e for sigma 1.

    The paths of one node are a and b, with the same kernel. In the subtree variant node
    embeddings have norm 1 and cosine 1 / e.
    """
    edge = nx.Graph([(0, 1)])
    nx.set_node_attributes(edge, {0: "a", 1: "b"}, "label")
    batch = as_batch([edge], node_label="label")
    once = 2 + 2 / np.e
    for variant, length, aggregate, expected in [
        ("path", 2, False, once),
        ("path", 2, True, 2 * once),
        ("path", 3, False, 0),  # no such path
        ("walk", 3, False, 2 + 2 * np.exp(-1)),  # aba and bab
        ("subtree", 2, False, 2 + 2 * np.exp(np.exp(-1) - 1)),
    ]:
        model = GCKN(variant, path_length=length, sigma=1, aggregate=aggregate)
        embeddings = model.fit_transform(batch)
        np.testing.assert_allclose(
            embeddings @ embeddings.T, [[expected]], rtol=1e-5, atol=1e-5
        )


def test_kernel_of_all_lengths_is_sum_of_exact_kernels():
    batch = as_given(random_graphs(3, 6))
    embeddings = GCKN(n_landmarks=MANY, sigma=0.7).fit_transform(batch)
    expected = sum(
        kernels.path_kernel(batch, length=n, alpha=1 / (0.7**2 * n)) for n in (1, 2, 3)
    )
    np.testing.assert_allclose(embeddings @ embeddings.T, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("variant", ["path", "walk", "subtree"])
def test_embedding_depends_only_on_its_graph(variant, monkeypatch):
    graphs = datasets.load("structure").graphs[::20]
    model = GCKN(variant, n_landmarks=8, random_state=0).fit(graphs[::2])
    embeddings = model.transform(graphs)
    assert embeddings.shape[1] == len(model.get_feature_names_out())
    np.testing.assert_allclose(model.transform(graphs[::-1])[::-1], embeddings, rtol=1e-9)
    monkeypatch.setattr(module, "_CHUNK_CELLS", 100)
    np.testing.assert_allclose(model.transform(graphs), embeddings, rtol=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 2**20), st.sampled_from(["path", "walk", "subtree"]))
def test_relabeling_nodes_preserves_embedding(seed, variant):
    graphs = random_graphs(seed, 4)
    model = GCKN(variant, n_landmarks=4, random_state=0).fit(as_given(graphs))
    order = np.random.default_rng(seed).permutation(len(graphs[0]))
    shuffled = nx.relabel_nodes(graphs[0], dict(enumerate(order.tolist())))
    embeddings = [model.transform(as_given([graph])) for graph in (graphs[0], shuffled)]
    np.testing.assert_allclose(*embeddings, rtol=1e-6, atol=1e-6)


def test_attributes_have_unit_norm():
    """Attributes are standardized and scaled to unit norm; here to opposite directions."""
    graphs = []
    for value in (1.0, 2.0):
        graph = nx.path_graph(2)
        nx.set_node_attributes(graph, {0: value, 1: -value}, "x")
        graphs.append(graph)
    batch = as_batch(graphs, node_attributes=["x"])
    embeddings = GCKN(path_length=1, sigma=1, weighting="probability").fit_transform(batch)
    np.testing.assert_allclose(
        embeddings @ embeddings.T, np.full((2, 2), 2 + 2 * np.exp(-2)), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"variant": "tree"},
            "must be one of 'path', 'walk', 'subtree', got 'tree'",
        ),
        ({"path_length": 11}, "path_length must be at most 10 for the variant 'path', got"),
        ({"node_features": ()}, "node_features must be 'auto' or some of 'labels'"),
        ({"sigma": 0}, "sigma must be at least 0.001, got 0"),
        ({"pooling": "max"}, "pooling must be one of 'sum', 'mean', 'log', got 'max'"),
    ],
)
def test_invalid_parameters_raise(parameters, message):
    with pytest.raises(InputError, match=message):
        GCKN(**parameters).fit(datasets.rings(3).graphs)


def test_fit_without_nodes_raises():
    with pytest.raises(InputError, match="There are no nodes to fit to in 1 graphs"):
        GCKN().fit([nx.empty_graph(0)])


def test_several_poolings_are_concatenated():
    graphs = datasets.load("structure").graphs[:10]
    model = GCKN(pooling=("mean", "log"), random_state=0)
    embeddings = model.fit_transform(graphs)
    parts = [
        GCKN(pooling=name, random_state=0).fit_transform(graphs) for name in ("mean", "log")
    ]
    np.testing.assert_array_equal(embeddings, np.hstack(parts))
    names = model.get_feature_names_out()
    assert len(set(names)) == embeddings.shape[1]
    assert names[0].startswith("mean_path_1_")
    assert model.transform([]).shape == (0, embeddings.shape[1])
