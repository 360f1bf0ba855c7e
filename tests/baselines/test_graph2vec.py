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
    """Return graphs without edges, of nodes that many times of each label."""
    graphs = []
    for row in counts:
        graph = nx.empty_graph(int(row.sum()))
        labels = np.repeat(np.arange(len(row)), row).tolist()
        nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
        graphs.append(graph)
    return as_batch(graphs, node_label="label")


def slow_words(graph, n_iterations):
    """Colors of all rounds as nested tuples, and how often each occurs."""
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
def test_words_are_the_colors_of_all_rounds(seed, labelled):
    graphs = random_graphs(seed, labelled=labelled)
    corpus = Graph2Vec(2)._read(as_given(graphs), np.uint64(0))
    expected = [slow_words(graph, 2) for graph in graphs]
    names = {}
    for number, own in enumerate(expected):
        words = corpus.words[corpus.graph_ptr[number] : corpus.graph_ptr[number + 1]]
        assert sorted(Counter(words.tolist()).values()) == sorted(own.values())
        names[number] = set(words.tolist())
    for i, one in enumerate(expected):
        for j, other in enumerate(expected):
            assert len(names[i] & names[j]) == len(set(one) & set(other))


def test_vectors_reach_the_optimum_of_negative_sampling():
    """Scores become log(p / ((1 - p) k q)): p is the share of a word in its graph, q the
    chance to draw it, k times, against other words (as in the test of AWE)."""
    counts = np.array([[40, 40, 40], [80, 20, 20], [20, 30, 70], [10, 80, 30]])
    model = Graph2Vec(
        n_iterations=0,
        n_dimensions=16,
        n_epochs=400,
        n_negatives=3,
        learning_rate=0.1,
        random_state=0,
    )
    rows = model.fit_transform(bags(counts))
    shares = counts / counts.sum(axis=1, keepdims=True)
    sums = counts.sum(axis=0)
    chances = sums**0.75 / (sums**0.75).sum()
    order = [int((model.vectors_.chances - q).__abs__().argmin()) for q in chances]
    scores = rows @ model.vectors_.outputs[order].T
    expected = np.log(shares / ((1 - shares) * 3 * chances))
    np.testing.assert_allclose(scores, expected, atol=0.15)


def test_gensim_finds_the_same_neighbors():
    doc2vec = pytest.importorskip(
        "gensim.models.doc2vec", reason="gensim has no wheel for this Python"
    )
    data = datasets.load("structure")
    graphs = data.graphs[::4]
    model = Graph2Vec(n_epochs=20, random_state=0)
    rows = model.fit_transform(graphs)
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
    ours, expected = cosines(rows), cosines(theirs.dv.vectors)
    above = np.triu_indices(len(rows), 1)
    assert np.corrcoef(ours[above], expected[above])[0, 1] > 0.85
    # Their neighbors are of the same class no more often than ours, but for noise.
    y = data.y[::4]
    assert same_class(ours, y) > same_class(expected, y) - 0.1


def cosines(rows):
    rows = rows - rows.mean(axis=0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def same_class(similarity, y):
    """Return the share of graphs whose nearest other one is of the same class."""
    others = np.where(np.eye(len(y), dtype=bool), -2, similarity)
    return (y[others.argmax(axis=1)] == y).mean()


@settings(max_examples=20)
@given(st.integers(0, 2**20))
def test_the_order_of_nodes_changes_nothing(seed):
    graphs = random_graphs(seed)
    model = Graph2Vec(**SMALL).fit(as_given(graphs))
    order = np.random.default_rng(seed).permutation(len(graphs[0]))
    shuffled = nx.relabel_nodes(graphs[0], dict(enumerate(order.tolist())))
    rows = [model.transform(as_given([graph])) for graph in (graphs[0], shuffled)]
    np.testing.assert_array_equal(*rows)


def test_a_row_depends_on_its_graph_alone():
    graphs = as_given(random_graphs(2, 12))
    model = Graph2Vec(**SMALL).fit(graphs)
    rows = model.transform(graphs)
    np.testing.assert_array_equal(model.fit_transform(graphs), rows)
    np.testing.assert_array_equal(model.transform(graphs[::-1])[::-1], rows)
    np.testing.assert_array_equal(model.transform(graphs[5:6]), rows[5:6])
    assert list(model.get_feature_names_out()[:2]) == ["graph2vec_0", "graph2vec_1"]


def test_rare_and_unknown_words_are_passed_over():
    counts = np.array([[6, 5, 0], [4, 6, 1]])
    model = Graph2Vec(0, n_dimensions=4, random_state=0)
    assert len(model.fit(bags(counts)).vectors_.known) == 2
    rows = model.transform(bags(np.array([[3, 2, 0], [3, 2, 9], [0, 0, 4]])))
    np.testing.assert_array_equal(rows[0], rows[1])
    assert not rows[2].any()


def test_attributes_alone_are_refused():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "x")
    with pytest.raises(InputError, match="Graph2Vec compares labels of nodes, but the"):
        Graph2Vec().fit(as_batch([graph], node_attributes=["x"]))


def test_too_few_words_are_refused():
    with pytest.raises(
        InputError, match="99 times or more in 2 graphs; .* smaller min_count"
    ):
        Graph2Vec(min_count=99).fit(datasets.rings(3).graphs)
