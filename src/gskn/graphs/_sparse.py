"""CSR matrices with int32 indices and int64 indptr that every scipy function accepts."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray
from gskn.exceptions import InputError


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


def check_csr(
    indptr: AnyArray, indices: AnyArray, shape: tuple[int, int], name: str
) -> tuple[IndexArray, IndexArray]:
    """Check the index arrays of a CSR matrix from a file or a caller.

    scipy and the compiled loops index with them without looking: a wrong value reads or
    writes memory that belongs to something else.

    Returns
    -------
    indptr, indices : ndarray of int64

    Raises
    ------
    InputError
        If they are not the index arrays of a matrix of this shape.
    """
    for part, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            raise InputError(
                f"{name}: {part} must be a list of integers, got {array.dtype} of shape "
                f"{array.shape}."
            )
    n_rows, n_columns = shape
    if len(indptr) != n_rows + 1:
        raise InputError(
            f"{name}: indptr has {len(indptr)} entries, but {n_rows} rows need "
            f"{n_rows + 1}."
        )
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise InputError(
            f"{name}: indptr must rise from 0 to the {len(indices)} entries there are."
        )
    if indices.size and (indices.min() < 0 or indices.max() >= n_columns):
        wrong = indices[(indices < 0) | (indices >= n_columns)][0]
        raise InputError(
            f"{name}: column {wrong} does not exist; there are {n_columns}, counted from 0."
        )
    return indptr.astype(np.int64, copy=False), indices.astype(np.int64, copy=False)
