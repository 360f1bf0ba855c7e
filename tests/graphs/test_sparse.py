import pickle

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array, vstack
from scipy.sparse.csgraph import connected_components, shortest_path
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

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
def test_scipy_works_on_the_adjacency_as_on_any_matrix(name, specs):
    matrix = batch_of(specs).adjacency
    plain = csr_array(matrix.toarray())
    got, expected = OPERATIONS[name](matrix), OPERATIONS[name](plain)
    got, expected = (x.toarray() if hasattr(x, "toarray") else x for x in (got, expected))
    np.testing.assert_array_equal(got, expected)


def test_the_plain_matrix_shares_columns_and_weights():
    matrix = batch_of([]).adjacency
    plain = matrix.tocsr()
    assert type(plain) is csr_array
    assert plain.indices.dtype == plain.indptr.dtype == np.int32
    assert matrix.indptr.dtype == np.int64


def test_products_do_not_claim_to_be_sorted():
    batch = batch_of([Spec(3, [(0, 2), (1, 2), (0, 0), (0, 1)])])
    product = (batch.adjacency @ batch.adjacency).copy()
    product.sort_indices()
    for row in range(3):
        columns = product.indices[product.indptr[row] : product.indptr[row + 1]]
        assert (np.diff(columns) > 0).all()
