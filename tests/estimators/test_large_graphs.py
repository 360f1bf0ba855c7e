"""One graph that is embedded in ranges of nodes, and fitted to some of them."""

import networkx as nx
import numpy as np
import pytest

from gskn import GSKN, as_batch
from gskn.estimators import _gskn
from gskn.layers import BRANCHES, AnonymousLayer, _anonymous
from gskn.walks import _pattern_rows, pattern_counts
from tests.walks.test_counts import ragged_star


def with_twins_and_weights(seed):
    """Return a labelled graph with leaves of a hub, weights, loops and isolated nodes."""
    rng = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(40, 70, seed=seed)
    graph.add_edges_from((0, leaf) for leaf in range(40, 60))
    graph.add_nodes_from([60, 61, 62])
    graph.add_edge(3, 3)
    for edge in graph.edges:
        graph.edges[edge]["weight"] = float(rng.integers(1, 4)) if seed % 2 else 1.0
        graph.edges[edge]["label"] = "ab"[int(rng.integers(2))]
    nx.set_node_attributes(graph, {node: "xyz"[node % 3] for node in graph}, "label")
    return as_batch(graph)


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("seed", [0, 1])
def test_ranges_of_nodes_give_the_same_embeddings(branch, seed, monkeypatch):
    graph = with_twins_and_weights(seed)
    model = GSKN((branch,), anonymous_length=4, n_landmarks=4, random_state=0).fit(graph)
    nodes, whole = model.transform_nodes(graph), model.transform(graph)
    monkeypatch.setattr(_gskn, "EMBEDDING_CHUNK_CELLS", 7 * nodes.shape[1])
    ranges = list(model.iter_nodes(graph))
    assert [len(rows) for rows in ranges] == [7] * 9
    np.testing.assert_allclose(np.concatenate(ranges), nodes, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.transform(graph), whole, rtol=1e-9, atol=1e-12)
    two_layers = GSKN((branch,), n_layers=2, anonymous_length=4, n_landmarks=4)
    two_layers.fit(graph)
    rows = np.concatenate(list(two_layers.iter_nodes(graph)))
    monkeypatch.undo()
    expected = two_layers.transform_nodes(graph)
    np.testing.assert_allclose(rows, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "sampled"])
def test_samples_do_not_depend_on_ranges_and_threads(method, monkeypatch):
    def exact_work(walks, length, _max_work):
        is_star = walks.batch.graph_sizes > 100
        return np.where(is_star & (length > 4), np.inf, 0.0)

    monkeypatch.setattr(_pattern_rows, "exact_work", exact_work)
    graph = as_batch([ragged_star(700), nx.path_graph(5)])
    table = pattern_counts(graph, 6, method=method)
    assert table.is_exact.tolist() == [False, method == "auto"]
    model = GSKN(("anonymous",), method=method, n_landmarks=4, random_state=0).fit(graph)
    expected = model.transform_nodes(graph)
    monkeypatch.setattr(_gskn, "EMBEDDING_CHUNK_CELLS", 100 * expected.shape[1])
    for n_jobs in (1, 2):
        rows = list(model.set_params(n_jobs=n_jobs).iter_nodes(graph))
        assert len(rows) > 10
        np.testing.assert_allclose(np.concatenate(rows), expected, rtol=1e-9, atol=1e-12)


def test_a_fit_to_a_large_graph_uses_some_of_its_nodes(monkeypatch):
    graph = as_batch(nx.random_regular_graph(4, 600, seed=0))
    everything = GSKN(("anonymous",), random_state=0).fit(graph)
    monkeypatch.setattr(_anonymous, "FIT_NODES", 100)
    n_rows = []

    def count(self, tables, *_):
        n_rows.extend(table.rows.shape[0] for table in tables)
        return choose(self, tables, *_)

    choose = AnonymousLayer._choose_landmarks
    monkeypatch.setattr(AnonymousLayer, "_choose_landmarks", count)
    sampled = GSKN(("anonymous",), random_state=0).fit(graph)
    assert set(n_rows) == {100}
    one, other = (model.transform_nodes(graph) for model in (everything, sampled))
    assert one.shape == other.shape
    assert np.isfinite(other).all()
    small = GSKN(("anonymous",), random_state=0).fit(as_batch(nx.path_graph(150)))
    assert n_rows[-1] == 150
    assert small.stack_
