import numpy as np
import pytest

from gskn.exceptions import InputError
from gskn.pooling import pool


def test_graph_embedding_is_sum_or_mean_of_node_embeddings():
    nodes = np.arange(10.0).reshape(5, 2)
    ptr = np.array([0, 0, 2, 5, 5])
    np.testing.assert_array_equal(
        pool(nodes, ptr), [[0, 0], nodes[:2].sum(0), nodes[2:].sum(0), [0, 0]]
    )
    np.testing.assert_array_equal(
        pool(nodes, ptr, pooling="mean"),
        [[0, 0], nodes[:2].mean(0), nodes[2:].mean(0), [0, 0]],
    )


def test_log_pooling_is_signed_logarithm_of_sum():
    nodes = np.array([[3.0, -3.0], [4.0, -4.0], [0.0, 0.0]])
    pooled = pool(nodes, np.array([0, 2, 3]), pooling="log")
    np.testing.assert_allclose(pooled, [[np.log(8), -np.log(8)], [0, 0]])


def test_graph_without_nodes_has_embedding_zero():
    assert pool(np.empty((0, 3)), np.zeros(3, int)).tolist() == [[0, 0, 0]] * 2
    assert pool(np.empty((0, 3)), np.zeros(1, int)).shape == (0, 3)


def test_several_poolings_are_concatenated():
    nodes = np.random.default_rng(0).normal(size=(5, 2))
    ptr = np.array([0, 2, 2, 5])
    for poolings in (("mean", "log"), ["log", "sum", "mean"], ("sum",)):
        expected = np.hstack([pool(nodes, ptr, pooling=name) for name in poolings])
        np.testing.assert_array_equal(pool(nodes, ptr, pooling=poolings), expected)


@pytest.mark.parametrize("pooling", ["max", ("mean", "max"), None, {"mean"}, ("mean", 1)])
def test_unknown_pooling_raises(pooling):
    with pytest.raises(InputError, match="pooling must be one of"):
        pool(np.empty((0, 3)), np.zeros(1, int), pooling=pooling)


@pytest.mark.parametrize(
    ("pooling", "message"), [((), "not be empty"), (("mean", "mean"), "a name twice")]
)
def test_empty_and_repeated_poolings_raise(pooling, message):
    with pytest.raises(InputError, match=message):
        pool(np.empty((0, 3)), np.zeros(1, int), pooling=pooling)
