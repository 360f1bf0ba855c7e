from collections import Counter
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.baselines import AWE, AWEFeatures
from gskn.baselines import _awe as module
from gskn.exceptions import InputError
from tests.baselines.test_wl import random_graphs

SMALL = {"length": 4, "n_walks": 5, "window": 4, "n_dimensions": 8, "random_state": 1}


def slow_distribution(graph, length):
    """Return the probability of every pattern, from all sequences of nodes."""
    probabilities = Counter()
    for walk in product(graph, repeat=length):
        probability = 1 / len(graph)
        for u, v in pairwise(walk):
            neighbors = list(graph[u]) or [u]
            probability *= (v in neighbors) / len(neighbors)
        symbols = [list(dict.fromkeys(walk)).index(node) for node in walk]
        probabilities["-".join(map(str, symbols))] += probability
    return probabilities


@settings(max_examples=15)
@given(st.integers(0, 2**20))
def test_probabilities_equal_definition(seed):
    graphs = random_graphs(seed, 3, labelled=False)
    model = AWEFeatures(length=4).fit(graphs)
    for row, graph in zip(model.transform(graphs), graphs, strict=True):
        expected = slow_distribution(graph, 4)
        names = model.get_feature_names_out()
        np.testing.assert_allclose(row, [expected[name] for name in names], atol=1e-12)


def test_probabilities_of_complete_graphs_have_closed_form():
    """On K_n the pattern 0-1-0-1 has probability 1/(n-1)^2, and 0-1-2-0 (n-2)/(n-1)^2."""
    sizes = np.arange(3, 9)
    model = AWEFeatures(length=4)
    embeddings = model.fit_transform([nx.complete_graph(int(n)) for n in sizes])
    columns = dict(zip(model.get_feature_names_out(), embeddings.T, strict=True))
    np.testing.assert_allclose(columns["0-1-0-1"], 1 / (sizes - 1) ** 2)
    np.testing.assert_allclose(columns["0-1-2-0"], (sizes - 2) / (sizes - 1) ** 2)


@given(st.integers(0, 2**20))
def test_relabeling_nodes_preserves_embedding(seed):
    (graph,) = random_graphs(seed, 1, labelled=False)
    order = np.random.default_rng(seed).permutation(len(graph))
    shuffled = nx.relabel_nodes(graph, dict(enumerate(order.tolist())))
    model = AWEFeatures(length=5).fit([graph])
    np.testing.assert_allclose(
        model.transform([graph]), model.transform([shuffled]), atol=1e-12
    )


def test_features_do_not_depend_on_chunks(monkeypatch):
    graphs = datasets.load("structure").graphs[:20]
    whole = AWEFeatures(length=5).fit_transform(graphs)
    monkeypatch.setattr(module, "_CELLS", 52 * 30)
    np.testing.assert_array_equal(AWEFeatures(length=5).fit_transform(graphs), whole)


def test_features_of_long_walks_raise():
    with pytest.raises(InputError, match="length must be at most 8, got 9; use AWE"):
        AWEFeatures(length=9).fit(datasets.rings(3).graphs)


def test_vectors_reach_optimum_of_negative_sampling():
    """On K_n a walk of three nodes returns with probability 1/(n-1) in every context.

    A walk with probability p is the positive example in a fraction p of all cases, and one
    of the k negative examples, sampled with probability q, in a fraction (1 - p) k q,
    because it is not sampled against itself. The optimal score is log(p / ((1 - p) k q))
    (Levy and Goldberg, "Neural word embedding as implicit matrix factorization", 2014, who
    also sample a word against itself).
    """
    sizes = np.array([3, 4, 6])
    graphs = [nx.complete_graph(int(n)) for n in sizes]
    model = AWE(
        length=3,
        n_walks=300,
        window=8,
        n_dimensions=4,
        n_epochs=60,
        n_negatives=2,
        learning_rate=0.05,
        random_state=0,
    )
    embeddings, vectors = model.fit_transform(graphs), model.vectors_
    corpus = model._read(as_batch(graphs), vectors.training.seed)
    for number, embedding in enumerate(embeddings):
        words = corpus.words[corpus.graph_ptr[number] : corpus.graph_ptr[number + 1]]
        fractions = (words[:, None] == vectors.vocabulary).mean(axis=0)  # estimate of p
        context = fractions @ vectors.contexts
        scores = vectors.outputs @ np.concatenate([embedding, context])
        negatives = 2 * (1 - fractions) * vectors.probabilities
        np.testing.assert_allclose(scores, np.log(fractions / negatives), atol=0.12)


def test_embedding_depends_only_on_its_graph():
    graphs = datasets.load("structure").graphs[::20]
    model = AWE(**SMALL).fit(graphs)
    embeddings = model.transform(graphs)
    np.testing.assert_array_equal(model.fit_transform(graphs), embeddings)
    np.testing.assert_array_equal(model.transform(graphs[::-1])[::-1], embeddings)
    np.testing.assert_array_equal(model.transform(graphs[3:4]), embeddings[3:4])


def test_vectors_do_not_depend_on_chunks(monkeypatch):
    graphs = datasets.load("structure").graphs[:10]
    whole = AWE(**SMALL).fit_transform(graphs)
    monkeypatch.setattr(module, "_WALKS_AT_ONCE", 40)
    np.testing.assert_array_equal(AWE(**SMALL).fit_transform(graphs), whole)


def test_graphs_without_known_walks_have_zero_embeddings():
    model = AWE(**SMALL).fit([nx.complete_graph(2)])  # 0-1-0-1 only
    graphs = [nx.empty_graph(0), nx.empty_graph(3), nx.complete_graph(2)]
    embeddings = model.transform(graphs)
    assert not embeddings[:2].any()
    assert embeddings[2].any()


def test_vectors_separate_regular_graphs():
    graphs = datasets.load("regular").graphs[::10]
    y = datasets.load("regular").y[::10]
    embeddings = AWE(length=7, n_dimensions=16, random_state=0).fit_transform(graphs)
    centers = np.array([embeddings[y == k].mean(axis=0) for k in np.unique(y)])
    nearest = ((embeddings[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert (np.unique(y)[nearest] == y).mean() > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"length": 17}, "length must be at most 16, got 17"),
        ({"n_walks": 16}, "n_walks must be greater than window = 16, got 16: a walk"),
        ({"n_dimensions": 0}, "n_dimensions must be at least 1, got 0"),
        ({"learning_rate": -1}, "learning_rate must be at least 0, got -1"),
    ],
)
def test_invalid_parameters_raise(parameters, message):
    with pytest.raises(InputError, match=message):
        AWE(**parameters).fit(datasets.rings(3).graphs)


def test_fit_without_nodes_raises():
    with pytest.raises(InputError, match="1 times or more in 1 graphs; use more graphs.$"):
        AWE().fit([nx.empty_graph(0)])
