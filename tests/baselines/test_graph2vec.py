from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch, datasets
from gskn.baselines import Graph2Vec
from gskn.exceptions import InputError
from tests.baselines.test_wl import as_given, random_graphs

SMALL = {"n_dimensions": 8, "min_count": 1, "random_state": 1}


def bags(counts):
    """Return graphs without edges that have these numbers of nodes of each label."""
    graphs = []
    for row in counts:
        graph = nx.empty_graph(int(row.sum()))
        labels = np.repeat(np.arange(len(row)), row).tolist()
        nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
        graphs.append(graph)
    return as_batch(graphs, node_label="label")


def slow_words(graph, n_iterations):
    """Return the number of occurrences of the colors (nested tuples) of all iterations."""
    colors = {v: graph.nodes[v].get("label", graph.degree(v)) for v in graph}
    found = Counter((0, color) for color in colors.values())
    for number in range(n_iterations):
        colors = {
            v: (colors[v], tuple(sorted((colors[w] for w in graph[v]), key=repr)))
            for v in graph
        }
        found.update((number + 1, color) for color in colors.values())
    return found


@given(st.integers(0, 2**20), st.booleans())
def test_words_are_colors_of_all_iterations(seed, labelled):
    graphs = random_graphs(seed, labelled=labelled)
    corpus = Graph2Vec(2)._read(as_given(graphs), np.uint64(0))
    expected = [slow_words(graph, 2) for graph in graphs]
    names = {}
    for number, counts in enumerate(expected):
        words = corpus.words[corpus.graph_ptr[number] : corpus.graph_ptr[number + 1]]
        assert sorted(Counter(words.tolist()).values()) == sorted(counts.values())
        names[number] = set(words.tolist())
    for i, one in enumerate(expected):
        for j, other in enumerate(expected):
            assert len(names[i] & names[j]) == len(set(one) & set(other))


def test_vectors_reach_optimum_of_negative_sampling():
    """Scores converge to log(p / ((1 - p) k q)) for a word with frequency p in its graph
    and probability q among k negative examples (see the test of AWE)."""
    counts = np.array([[40, 40, 40], [80, 20, 20], [20, 30, 70], [10, 80, 30]])
    model = Graph2Vec(
        n_iterations=0,
        n_dimensions=16,
        n_epochs=400,
        n_negatives=3,
        learning_rate=0.1,
        random_state=0,
    )
    embeddings = model.fit_transform(bags(counts))
    frequencies = counts / counts.sum(axis=1, keepdims=True)
    sums = counts.sum(axis=0)
    probabilities = sums**0.75 / (sums**0.75).sum()
    order = [int(abs(model.vectors_.probabilities - q).argmin()) for q in probabilities]
    scores = embeddings @ model.vectors_.outputs[order].T
    expected = np.log(frequencies / ((1 - frequencies) * 3 * probabilities))
    np.testing.assert_allclose(scores, expected, atol=0.15)


def test_similarities_agree_with_gensim():
    doc2vec = pytest.importorskip(
        "gensim.models.doc2vec", reason="gensim has no wheel for this Python"
    )
    data = datasets.load("structure")
    graphs = data.graphs[::4]
    model = Graph2Vec(n_epochs=20, random_state=0)
    embeddings = model.fit_transform(graphs)
    corpus = model._read(graphs, np.uint64(0))
    words = [str(word) for word in corpus.words]
    documents = [
        doc2vec.TaggedDocument(words[first:last], [number])
        for number, (first, last) in enumerate(
            zip(corpus.graph_ptr[:-1], corpus.graph_ptr[1:], strict=True)
        )
    ]
    theirs = doc2vec.Doc2Vec(
        documents,
        vector_size=128,
        window=0,
        min_count=5,
        dm=0,
        sample=0,
        workers=1,
        epochs=20,
        seed=0,
    )
    ours, expected = cosines(embeddings), cosines(theirs.dv.vectors)
    above = np.triu_indices(len(embeddings), 1)
    assert np.corrcoef(ours[above], expected[above])[0, 1] > 0.85
    # Nearest neighbors have the same class as often as for gensim, up to noise.
    y = data.y[::4]
    assert same_class(ours, y) > same_class(expected, y) - 0.1


def cosines(embeddings):
    centered = embeddings - embeddings.mean(axis=0)
    unit = centered / np.linalg.norm(centered, axis=1, keepdims=True)
    return unit @ unit.T


def same_class(similarity, y):
    """Return the fraction of graphs whose nearest neighbor has the same class."""
    others = np.where(np.eye(len(y), dtype=bool), -2, similarity)
    return (y[others.argmax(axis=1)] == y).mean()


@settings(max_examples=20)
@given(st.integers(0, 2**20))
def test_relabeling_nodes_preserves_embedding(seed):
    graphs = random_graphs(seed)
    model = Graph2Vec(**SMALL).fit(as_given(graphs))
    order = np.random.default_rng(seed).permutation(len(graphs[0]))
    shuffled = nx.relabel_nodes(graphs[0], dict(enumerate(order.tolist())))
    embeddings = [model.transform(as_given([graph])) for graph in (graphs[0], shuffled)]
    np.testing.assert_array_equal(*embeddings)


def test_embedding_depends_only_on_its_graph():
    graphs = as_given(random_graphs(2, 12))
    model = Graph2Vec(**SMALL).fit(graphs)
    embeddings = model.transform(graphs)
    np.testing.assert_array_equal(model.fit_transform(graphs), embeddings)
    np.testing.assert_array_equal(model.transform(graphs[::-1])[::-1], embeddings)
    np.testing.assert_array_equal(model.transform(graphs[5:6]), embeddings[5:6])
    assert list(model.get_feature_names_out()[:2]) == ["graph2vec_0", "graph2vec_1"]


def test_rare_and_unknown_words_are_ignored():
    counts = np.array([[6, 5, 0], [4, 6, 1]])
    model = Graph2Vec(0, n_dimensions=4, random_state=0)
    assert len(model.fit(bags(counts)).vectors_.vocabulary) == 2
    embeddings = model.transform(bags(np.array([[3, 2, 0], [3, 2, 9], [0, 0, 4]])))
    np.testing.assert_array_equal(embeddings[0], embeddings[1])
    assert not embeddings[2].any()


def test_graphs_with_attributes_only_raise():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "x")
    with pytest.raises(InputError, match="Graph2Vec compares node labels, but the"):
        Graph2Vec().fit(as_batch([graph], node_attributes=["x"]))


def test_fit_without_frequent_words_raises():
    with pytest.raises(
        InputError, match="99 times or more in 2 graphs; .* smaller min_count"
    ):
        Graph2Vec(min_count=99).fit(datasets.rings(3).graphs)
