import pickle

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import (
    bsr_array,
    coo_array,
    csc_array,
    csr_array,
    csr_matrix,
    dia_array,
    dok_array,
    lil_array,
    vstack,
)
from scipy.sparse.csgraph import connected_components, shortest_path
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

from gskn import GraphBatch, as_batch
from gskn.exceptions import InputError
from tests.graphs.test_batch import batch_of
from tests.reference.graphs import Spec
from tests.strategies import spec_lists

OPERATIONS = {
    "abs": abs,
    "add": lambda m: m + m,
    "asformat": lambda m: m.asformat("csc"),
    "astype": lambda m: m.astype(np.float32),
    "compare": lambda m: m > 1,
    "components": lambda m: connected_components(m, directed=True)[0],
    "copy": lambda m: m.copy(),
    "csr": csr_array,
    "dense": lambda m: m.toarray(),
    "diagonal": lambda m: m.diagonal(),
    "elementwise": lambda m: m.multiply(m),
    "elementwise by a row": lambda m: m.multiply(np.arange(m.shape[0])[None]),
    "find": lambda m: np.array(m.nonzero()),
    "lil": lambda m: m.tolil(),
    "matrix": lambda m: m @ m,
    "max": lambda m: m.max(axis=0).toarray() if m.shape[0] else 0,
    "maximum": lambda m: m.maximum(m.T),
    "paths": lambda m: shortest_path(m, method="D") if m.shape[0] else 0,
    "pickled": lambda m: pickle.loads(pickle.dumps(m)),
    "power": lambda m: m.power(2),
    "rows": lambda m: m[: m.shape[0] // 2],
    "scale": lambda m: 2 * m,
    "scikit-learn": lambda m: check_array(m, accept_sparse="csr") if m.shape[0] else 0,
    "scikit-learn normalize": lambda m: normalize(m) if m.shape[0] else 0,
    "stack": lambda m: vstack([m, m]),
    "sum": lambda m: m.sum(axis=1),
    "transpose": lambda m: m.T.tocsr(),
    "vector": lambda m: m @ np.arange(m.shape[0]),
    "wide": lambda m: m @ np.ones((m.shape[0], 3)),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(specs=spec_lists())
def test_scipy_operations_accept_the_adjacency(name, specs):
    matrix = batch_of(specs).adjacency
    expected = _dense(OPERATIONS[name](csr_array(matrix.toarray())))
    np.testing.assert_array_equal(_dense(OPERATIONS[name](matrix)), expected)


def _dense(result):
    return result.toarray() if hasattr(result, "toarray") else result


def test_both_index_arrays_have_one_type(monkeypatch):
    specs = [Spec(3, [(0, 2), (1, 2), (0, 1)]), Spec(2, [(0, 1)])]
    expected = batch_of(specs)
    assert type(expected.adjacency) is csr_array
    n_entries = expected.adjacency.nnz
    for limit, dtype in ((n_entries, np.int32), (n_entries - 1, np.int64)):
        monkeypatch.setattr("gskn.graphs._sparse._MAX_INT32", limit)
        batch = batch_of(specs)
        for matrix in (batch.adjacency, GraphBatch.concat([batch]).adjacency):
            assert matrix.indices.dtype == matrix.indptr.dtype == dtype
            np.testing.assert_array_equal(matrix.toarray(), expected.adjacency.toarray())
        assert batch[1].adjacency.indices.dtype == np.int32
        assert batch.degrees.dtype == np.int64


def test_products_can_be_sorted():
    batch = batch_of([Spec(3, [(0, 2), (1, 2), (0, 0), (0, 1)])])
    product = (batch.adjacency @ batch.adjacency).copy()
    product.sort_indices()
    for row in range(3):
        columns = product.indices[product.indptr[row] : product.indptr[row + 1]]
        assert (np.diff(columns) > 0).all()


# --- matrices with modified arrays ------------------------------------------------------

RING = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=float)
FORMATS = (bsr_array, coo_array, csc_array, csr_array, dia_array, dok_array, lil_array)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_sparse_format_equals_the_dense_matrix(kind):
    generator = np.random.default_rng(0)
    for size in (0, 1, 6):
        dense = generator.integers(0, 3, (size, size)) * 1.5
        np.testing.assert_array_equal(as_batch(kind(dense)).adjacency.toarray(), dense)
        np.testing.assert_array_equal(
            as_batch(kind(dense != 0)).adjacency.toarray(), dense != 0
        )


def test_blocks_of_any_shape_are_read():
    dense = np.arange(36.0).reshape(6, 6)
    for shape in ((1, 1), (2, 3), (3, 2), (6, 6)):
        matrix = bsr_array(dense, blocksize=shape)
        np.testing.assert_array_equal(as_batch(matrix).adjacency.toarray(), dense)


def test_matrix_may_have_unused_capacity():
    matrix = csr_array(RING)
    matrix.indices = np.append(matrix.indices, [99, -5])
    matrix.data = np.append(matrix.data, [1.0, 1.0])
    np.testing.assert_array_equal(as_batch(matrix).adjacency.toarray(), RING)


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, csc_array, bsr_array])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("indptr", [0, 2, 4, 6, 10**9]),
        ("indptr", [0, 8, 2, 4, 8]),
        ("indptr", [0, -40, 4, 6, 8]),
        ("indptr", [5, 6, 7, 8, 8]),
        ("indptr", [0, 2]),
        ("indptr", []),
        ("indices", [1, 3, 0, 2, 1, 3, 0, 10**9]),
        ("indices", [1, 3, 0, 2, 1, 3, 0, -40]),
        ("indices", [1.5] * 8),
        ("indices", [1]),
    ],
)
def test_compressed_matrices_with_invalid_indices_raise(kind, name, values):
    matrix = kind(RING)
    dtype = None if values and isinstance(values[0], float) else np.int32
    setattr(matrix, name, np.array(values, dtype=dtype))
    with pytest.raises(InputError, match="Graph 0: "):
        as_batch(matrix)


@pytest.mark.parametrize("value", [-1, 4, 10**9, 2**40])
@pytest.mark.parametrize("end", [0, 1])
def test_coordinates_outside_the_matrix_raise(value, end):
    matrix = coo_array(RING)
    ends = [np.array(part, dtype=np.int64) for part in matrix.coords]
    ends[end][3] = value
    matrix.coords = tuple(ends)
    with pytest.raises(InputError, match=f"Graph 0 has an edge at node {value}"):
        as_batch(matrix)


def damage(kind, **arrays):
    matrix = kind(RING)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def damaged_lil(name, row):
    matrix = lil_array(RING)
    getattr(matrix, name)[0] = row
    return matrix


def damaged_dok(key, value):
    matrix = dok_array(RING)
    matrix._dict[key] = value
    return matrix


@pytest.mark.parametrize(
    "matrix",
    [
        damage(csr_array, data=np.ones(3)),
        damage(csr_array, data=np.ones((8, 1))),
        damage(csr_array, data=np.array(["a"] * 8)),
        damage(coo_array, data=np.ones(3)),
        damage(coo_array, coords=(np.zeros(3, int), np.zeros(8, int))),
        damage(bsr_array, data=np.ones((4, 3, 3))),
        damage(bsr_array, data=np.ones((4, 0, 2))),
        damage(dia_array, offsets=np.array([1])),
        damage(dia_array, data=np.ones(4)),
        damaged_lil("rows", [0, 99]),
        damaged_lil("rows", [-1, 2]),
        damaged_lil("rows", None),
        damaged_lil("data", [1.0]),
        damaged_lil("data", ["a", "b"]),
        damaged_dok((0, 99), 1.0),
        damaged_dok((-1, 0), 1.0),
        damaged_dok((10**30, 0), 1.0),
        damaged_dok((0,), 1.0),
        damaged_dok((0, 1), 10**400),
        coo_array((2, 2, 2)),
    ],
)
def test_matrices_with_inconsistent_arrays_raise(matrix):
    for weight in ("auto", None):
        with pytest.raises(InputError):
            as_batch(matrix, edge_weight=weight)
