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
    """Every sequence of nodes, with its chance."""
    chances = Counter()
    for walk in product(graph, repeat=length):
        chance = 1 / len(graph)
        for u, v in pairwise(walk):
            around = list(graph[u]) or [u]
            chance *= (v in around) / len(around)
        symbols = [list(dict.fromkeys(walk)).index(node) for node in walk]
        chances["-".join(map(str, symbols))] += chance
    return chances


@settings(max_examples=15)
@given(st.integers(0, 2**20))
def test_chances_are_those_of_the_definition(seed):
    graphs = random_graphs(seed, 3, labelled=False)
    model = AWEFeatures(length=4).fit(graphs)
    for row, graph in zip(model.transform(graphs), graphs, strict=True):
        expected = slow_distribution(graph, 4)
        names = model.get_feature_names_out()
        np.testing.assert_allclose(row, [expected[name] for name in names], atol=1e-12)


def test_chances_of_complete_graphs_in_closed_form():
    """A walk of four nodes on K_n returns at its third step if it turned back, or came
    round: 0-1-0-1 has 1/(n-1)^2, and 0-1-2-0 (n-2)/(n-1)^2."""
    sizes = np.arange(3, 9)
    model = AWEFeatures(length=4)
    rows = model.fit_transform([nx.complete_graph(int(n)) for n in sizes])
    columns = dict(zip(model.get_feature_names_out(), rows.T, strict=True))
    np.testing.assert_allclose(columns["0-1-0-1"], 1 / (sizes - 1) ** 2)
    np.testing.assert_allclose(columns["0-1-2-0"], (sizes - 2) / (sizes - 1) ** 2)


@given(st.integers(0, 2**20))
def test_chances_do_not_know_the_order_of_nodes(seed):
    (graph,) = random_graphs(seed, 1, labelled=False)
    order = np.random.default_rng(seed).permutation(len(graph))
    shuffled = nx.relabel_nodes(graph, dict(enumerate(order.tolist())))
    model = AWEFeatures(length=5).fit([graph])
    np.testing.assert_allclose(
        model.transform([graph]), model.transform([shuffled]), atol=1e-12
    )


def test_large_batches_are_counted_in_parts(monkeypatch):
    graphs = datasets.load("structure").graphs[:20]
    whole = AWEFeatures(length=5).fit_transform(graphs)
    monkeypatch.setattr(module, "_CELLS", 52 * 30)
    np.testing.assert_array_equal(AWEFeatures(length=5).fit_transform(graphs), whole)


def test_chances_end_where_they_are_not_exact():
    with pytest.raises(InputError, match="length must be at most 8, got 9; use AWE"):
        AWEFeatures(length=9).fit(datasets.rings(3).graphs)


def test_vectors_reach_the_optimum_of_negative_sampling():
    """On K_n a walk of three nodes turns back with chance 1/(n-1), whatever stands around.

    A walk of chance p is the right answer in a share p of all cases, and among the k wrong
    ones, drawn with chance q, in a share (1 - p) k q, for it is not drawn against itself.
    So the best score is log(p / ((1 - p) k q)) (Levy and Goldberg, Neural word embedding
    as implicit matrix factorization, 2014, who draw it against itself, too).
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
    rows, vectors = model.fit_transform(graphs), model.vectors_
    corpus = model._read(as_batch(graphs), vectors.training.seed)
    for number, row in enumerate(rows):
        own = corpus.words[corpus.graph_ptr[number] : corpus.graph_ptr[number + 1]]
        shares = (own[:, None] == vectors.known).mean(axis=0)  # of those drawn, near p
        around = shares @ vectors.contexts
        scores = vectors.outputs @ np.concatenate([row, around])
        wrong = 2 * (1 - shares) * vectors.chances
        np.testing.assert_allclose(scores, np.log(shares / wrong), atol=0.12)


def test_a_row_depends_on_its_graph_alone():
    graphs = datasets.load("structure").graphs[::20]
    model = AWE(**SMALL).fit(graphs)
    rows = model.transform(graphs)
    np.testing.assert_array_equal(model.fit_transform(graphs), rows)
    np.testing.assert_array_equal(model.transform(graphs[::-1])[::-1], rows)
    np.testing.assert_array_equal(model.transform(graphs[3:4]), rows[3:4])


def test_walks_are_sampled_in_parts(monkeypatch):
    graphs = datasets.load("structure").graphs[:10]
    whole = AWE(**SMALL).fit_transform(graphs)
    monkeypatch.setattr(module, "_WALKS_AT_ONCE", 40)
    np.testing.assert_array_equal(AWE(**SMALL).fit_transform(graphs), whole)


def test_graphs_without_a_known_walk_have_no_row():
    model = AWE(**SMALL).fit([nx.complete_graph(2)])  # 0-1-0-1 only
    rows = model.transform([nx.empty_graph(0), nx.empty_graph(3), nx.complete_graph(2)])
    assert not rows[:2].any()
    assert rows[2].any()


def test_walks_tell_rings_apart_that_colors_do_not():
    graphs = datasets.load("regular").graphs[::10]
    y = datasets.load("regular").y[::10]
    rows = AWE(length=7, n_dimensions=16, random_state=0).fit_transform(graphs)
    centres = np.array([rows[y == k].mean(axis=0) for k in np.unique(y)])
    nearest = ((rows[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (np.unique(y)[nearest] == y).mean() > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"length": 17}, "length must be at most 16, got 17"),
        ({"n_walks": 16}, "n_walks must be more than window = 16, got 16: a walk is"),
        ({"n_dimensions": 0}, "n_dimensions must be at least 1, got 0"),
        ({"learning_rate": -1}, "learning_rate must be at least 0, got -1"),
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        AWE(**parameters).fit(datasets.rings(3).graphs)


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(InputError, match="1 times or more in 1 graphs; give more graphs.$"):
        AWE().fit([nx.empty_graph(0)])
