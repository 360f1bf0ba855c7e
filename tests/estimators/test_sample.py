import numpy as np
import pytest

from gskn import GSKN, as_batch, datasets
from gskn.estimators import _gskn, _sample
from gskn.estimators._sample import sample_graphs
from gskn.exceptions import InputError
from gskn.graphs import iter_graphs

GRAPHS = next(iter_graphs(datasets.load("structure").graphs, chunk_edges=2**30))


def sample(graphs, chunk_edges, n_nodes, seed=0):
    chunks = iter_graphs(graphs, chunk_edges=chunk_edges)
    return sample_graphs(chunks, n_nodes, np.random.default_rng(seed))


def test_sample_does_not_depend_on_chunks():
    expected = sample(GRAPHS, 2**30, 2000).graph_names.tolist()
    assert expected == sorted(expected)
    for chunk_edges in (1, 333, 5000):
        sampled = sample(GRAPHS, chunk_edges, 2000)
        assert sampled.graph_names.tolist() == expected
    assert 2000 <= sampled.n_nodes < 2000 + GRAPHS.graph_sizes.max()
    assert sample(GRAPHS, 5000, 2000, seed=1).graph_names.tolist() != expected


def test_small_sets_are_not_sampled():
    assert sample(GRAPHS, 1000, GRAPHS.n_nodes + 1).n_graphs == GRAPHS.n_graphs


def test_every_graph_is_equally_likely():
    rings = as_batch([np.ones((2, 2)) - np.eye(2)] * 50)
    counts = np.zeros(50)
    for seed in range(400):
        counts[sample(rings, 20, 20, seed).graph_names.astype(int)] += 1
    assert counts.sum() == 400 * 10
    # 80 on average, with a standard deviation of 8; the seeds are fixed.
    assert abs(counts - 80).max() < 4 * 8


def test_graphs_without_nodes_are_sampled():
    empty = as_batch([np.zeros((0, 0))] * 100)
    assert sample(empty, 1, 20).n_graphs == 20
    with pytest.raises(InputError, match="no graphs to fit to"):
        sample_graphs([], 20, np.random.default_rng(0))


def test_model_fitted_to_chunks_equals_model_fitted_to_all_graphs(monkeypatch):
    whole = GSKN(random_state=0).fit(GRAPHS).transform(GRAPHS)
    model = GSKN(random_state=0).fit_chunks(iter_graphs(GRAPHS, chunk_edges=500))
    np.testing.assert_array_equal(model.transform(GRAPHS), whole)
    for module in (_gskn, _sample):
        monkeypatch.setattr(module, "FIT_NODES", 1000)
    some, others = (
        GSKN(random_state=0)
        .fit_chunks(iter_graphs(GRAPHS, chunk_edges=n))
        .transform(GRAPHS)
        for n in (100, 3000)
    )
    np.testing.assert_array_equal(some, others)
    assert some.shape != whole.shape or abs(some - whole).max() > 0.01


def test_invalid_parameters_raise_before_graphs_are_read():
    def chunks():
        raise AssertionError("read")
        yield

    with pytest.raises(InputError, match="walk_length"):
        GSKN(walk_length=0).fit_chunks(chunks())
