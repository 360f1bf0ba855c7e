import numpy as np
import pytest

from gskn.exceptions import InputError
from gskn.pooling import pool


def test_graphs_are_sums_or_means_of_their_nodes():
    rows = np.arange(10.0).reshape(5, 2)
    ptr = np.array([0, 0, 2, 5, 5])
    np.testing.assert_array_equal(
        pool(rows, ptr), [[0, 0], rows[:2].sum(0), rows[2:].sum(0), [0, 0]]
    )
    np.testing.assert_array_equal(
        pool(rows, ptr, pooling="mean"),
        [[0, 0], rows[:2].mean(0), rows[2:].mean(0), [0, 0]],
    )


def test_a_batch_without_nodes_has_zero_rows():
    assert pool(np.empty((0, 3)), np.zeros(3, int)).tolist() == [[0, 0, 0]] * 2
    assert pool(np.empty((0, 3)), np.zeros(1, int)).shape == (0, 3)


def test_another_pooling_is_refused():
    with pytest.raises(InputError, match="pooling must be one of"):
        pool(np.empty((0, 3)), np.zeros(1, int), pooling="max")
