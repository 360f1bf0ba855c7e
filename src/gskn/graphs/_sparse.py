"""CSR with int32 columns and int64 offsets, of which all of scipy takes no offence."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import FloatArray, IndexArray, NodeArray


class Adjacency(csr_array):
    """A square CSR matrix whose columns are int32 and whose offsets are int64.

    scipy's constructor gives both one type, which would double the columns of every
    batch with many edges, or bound the edges of a batch. Most operations accept the
    mixture; those that do not (conversion to COO, ``scipy.sparse.csgraph``) ask for
    ``tocsr``, ``tocoo`` or ``asformat`` first, and get a plain matrix of one type here.
    """

    def tocsr(self, copy: bool = False) -> csr_array:  # noqa: FBT001, FBT002 - scipy's form
        """Return a plain CSR array with one index type; weights and columns are shared."""
        plain = plain_csr(self.data, self.indices, self.indptr, self.shape)
        plain = plain.copy() if copy else plain
        # Asked of self, whose answer is kept; products of this class are unsorted.
        plain.has_canonical_format = self.has_canonical_format
        return plain

    def asformat(self, format: str | None, copy: bool = False) -> Any:  # noqa: A002, FBT001, FBT002
        """Convert to the named format, None or "csr" to a plain CSR array."""
        return self.tocsr(copy=copy).asformat(format)

    def tocoo(self, copy: bool = True) -> Any:  # noqa: FBT001, FBT002
        """Convert to COO."""
        return self.tocsr().tocoo(copy=copy)

    def copy(self) -> csr_array:
        """Return a plain, writable copy."""
        return self.tocsr(copy=True)


def make_csr(data: FloatArray, indices: NodeArray, indptr: IndexArray) -> Adjacency:
    """Wrap sorted, duplicate-free CSR arrays of a square matrix without copying."""
    n_nodes = len(indptr) - 1
    matrix = Adjacency((n_nodes, n_nodes), dtype=np.float64)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def plain_csr(
    data: FloatArray, indices: NodeArray, indptr: IndexArray, shape: tuple[int, int]
) -> csr_array:
    """Wrap CSR arrays in a matrix of one index type, int32 where the entries allow it."""
    index = np.int32 if len(indices) <= np.iinfo(np.int32).max else np.int64
    arrays = (data, indices.astype(index, copy=False), indptr.astype(index, copy=False))
    return csr_array(arrays, shape=shape)


def pool_matrix(graph_ptr: IndexArray) -> csr_array:
    """Return the matrix that adds up the nodes of every graph."""
    n_nodes = int(graph_ptr[-1])
    entries = (np.ones(n_nodes), np.arange(n_nodes), graph_ptr)
    return csr_array(entries, shape=(len(graph_ptr) - 1, n_nodes))
