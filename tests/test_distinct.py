import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import AttributeEncoder, datasets
from gskn._distinct import distinct


@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), max_size=20))
def test_distinct_rows_are_found(rows):
    array = np.array(rows, dtype=float).reshape(len(rows), 3)
    first, codes = distinct(array)
    np.testing.assert_array_equal(array[first][codes], array)
    assert len(first) == len({tuple(row) for row in rows})


def test_rows_with_equal_projections_are_distinguished():
    weights = np.random.default_rng(0).random(2)
    rows = np.array([[1 / weights[0], 0], [0, 1 / weights[1]], [1 / weights[0], 0]])
    assert len(set((rows * weights).sum(axis=1))) == 1
    first, codes = distinct(rows)
    assert len(first) == 2
    np.testing.assert_array_equal(rows[first][codes], rows)


@pytest.mark.parametrize(
    "node_features", ["auto", ("labels", "degrees"), ("labels", "attributes")]
)
def test_distinct_rows_of_nodes_match_transform(node_features):
    graphs = datasets.load("structure").graphs[:50]
    labels = graphs.degrees % 3
    attributes = np.column_stack([labels, graphs.degrees]).astype(float)
    graphs = type(graphs)(
        *(graphs.adjacency, graphs.graph_ptr, labels, ("a", "b", "c"), attributes)
    )
    encoder = AttributeEncoder(node_features=node_features).fit(graphs[:20])
    table, codes = encoder.distinct_rows(graphs)
    np.testing.assert_array_equal(table[codes], encoder.transform(graphs))
    assert len(table) < graphs.n_nodes / 10
