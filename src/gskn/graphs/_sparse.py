"""CSR matrices: creation from arrays, and validation of matrices from callers and files."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import InputError

_MAX_INT32 = np.iinfo(np.int32).max


def make_csr(data: FloatArray, indices: AnyArray, indptr: AnyArray) -> csr_array:
    """Wrap sorted, duplicate-free CSR arrays of a square matrix without checks.

    Both index arrays are int32 for up to 2^31 - 1 entries, else int64. With int32 columns
    and int64 offsets, a matrix of more entries would need a quarter less memory, but then
    scipy copies the columns to int64 in most operations. Measured on COLLAB (24.6 million
    entries): to compute `GraphBatch.directed` took 105 ms and a peak of 970 MB instead of
    65 ms and 700 MB.
    """
    n_nodes = len(indptr) - 1
    index = _index_type(len(indices))
    matrix = csr_array((n_nodes, n_nodes), dtype=np.float64)
    matrix.data = data
    matrix.indices = indices.astype(index, copy=False)
    matrix.indptr = indptr.astype(index, copy=False)
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def plain_csr(
    data: FloatArray, indices: AnyArray, indptr: AnyArray, shape: tuple[int, int]
) -> csr_array:
    """Wrap CSR arrays in a matrix of one index type, int32 where the entries allow it."""
    index = _index_type(len(indices))
    arrays = (data, indices.astype(index, copy=False), indptr.astype(index, copy=False))
    return csr_array(arrays, shape=shape)


def ones(n_entries: int) -> FloatArray:
    """Return entries of one in the memory of a single number; they cannot be modified."""
    return np.broadcast_to(np.float64(1.0), n_entries)


def are_ones(entries: FloatArray) -> bool:
    """Return whether an array is a result of `ones`."""
    return entries.strides == (0,) and (entries[:1] == 1.0).all()


def _index_type(n_entries: int) -> type[np.int32 | np.int64]:
    return np.int32 if n_entries <= _MAX_INT32 else np.int64


def pool_matrix(graph_ptr: IndexArray) -> csr_array:
    """Return the matrix whose product with node features is their sum over every graph."""
    n_nodes = int(graph_ptr[-1])
    entries = (np.ones(n_nodes), np.arange(n_nodes), graph_ptr)
    return csr_array(entries, shape=(len(graph_ptr) - 1, n_nodes))


def read_entries(matrix: Any, name: str) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return row, column and value of every stored entry of a scipy sparse matrix.

    The arrays of a sparse matrix may have been modified, and the compiled conversions of
    scipy do not check them. Rows and columns of COO, DIA, LIL and DOK matrices are not
    compared with the shape here.

    Raises
    ------
    InputError
        If the arrays are inconsistent.
    """
    try:
        rows, columns, values = _READERS[matrix.format](matrix, name)
        shapes = {rows.shape, columns.shape, values.shape}
    except InputError:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise InputError(f"{name}: the sparse matrix is damaged: {error}.") from error
    if shapes != {(rows.size,)}:
        raise InputError(
            f"{name}: the sparse matrix is damaged: rows, columns and values have the "
            f"shapes {rows.shape}, {columns.shape} and {values.shape}."
        )
    return rows, columns, values


_Entries = tuple[AnyArray, AnyArray, AnyArray]


def _read_csr(matrix: Any, name: str) -> _Entries:
    return _read_compressed(matrix, matrix.shape, name)


def _read_csc(matrix: Any, name: str) -> _Entries:
    columns, rows, values = _read_compressed(matrix, matrix.shape[::-1], name)
    return rows, columns, values


def _read_compressed(matrix: Any, shape: tuple[int, int], name: str) -> _Entries:
    indptr, indices, data = _without_spare(matrix)
    indptr, indices = check_csr(indptr, indices, shape, name)
    return np.repeat(np.arange(shape[0]), np.diff(indptr)), indices, data


def _without_spare(matrix: Any) -> _Entries:
    """Return the arrays of a compressed matrix without unused capacity."""
    indptr, indices, data = map(np.asarray, (matrix.indptr, matrix.indices, matrix.data))
    n_entries = indptr[-1] if len(indptr) and indptr.dtype.kind in "iu" else -1
    if 0 <= n_entries <= len(indices):
        indices, data = indices[:n_entries], data[:n_entries]
    return indptr, indices, data


def _read_bsr(matrix: Any, name: str) -> _Entries:
    indptr, indices, data = _without_spare(matrix)
    height, width = data.shape[1:]
    n_rows, n_columns = matrix.shape
    if n_rows % height or n_columns % width:
        raise InputError(
            f"{name}: blocks of shape {(height, width)} do not divide the shape "
            f"{matrix.shape}."
        )
    shape = (n_rows // height, n_columns // width)
    indptr, indices = check_csr(indptr, indices, shape, name)
    block_rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows = block_rows[:, None, None] * height + np.arange(height)[:, None]
    columns = indices[:, None, None] * width + np.arange(width)
    blocks = (len(indices), height, width)
    return (
        np.broadcast_to(rows, blocks).ravel(),
        np.broadcast_to(columns, blocks).ravel(),
        data.ravel(),
    )


def _read_coo(matrix: Any, _name: str) -> _Entries:
    rows, columns, values = map(np.asarray, (matrix.row, matrix.col, matrix.data))
    return rows, columns, values


def _read_dia(matrix: Any, name: str) -> _Entries:
    data, offsets = np.asarray(matrix.data), np.asarray(matrix.offsets)
    if data.ndim != 2 or offsets.shape != data.shape[:1] or offsets.dtype.kind not in "iu":
        raise InputError(f"{name}: a DIA matrix needs one integer offset per diagonal.")
    columns = np.broadcast_to(np.arange(data.shape[1]), data.shape)
    rows = columns - offsets[:, None].astype(np.int64)
    stored = (rows >= 0) & (rows < matrix.shape[0]) & (columns < matrix.shape[1])
    stored &= data != 0
    return rows[stored], columns[stored], data[stored]


def _read_lil(matrix: Any, name: str) -> _Entries:
    if not len(matrix.rows) == len(matrix.data) == matrix.shape[0]:
        raise InputError(f"{name}: a LIL matrix needs one list per row.")
    counts = [len(row) for row in matrix.rows]
    if counts != [len(row) for row in matrix.data]:
        raise InputError(
            f"{name}: a row of the LIL matrix has unequal numbers of columns and values."
        )
    columns = np.fromiter(chain.from_iterable(matrix.rows), np.int64, sum(counts))
    values = np.fromiter(chain.from_iterable(matrix.data), matrix.dtype, sum(counts))
    return np.repeat(np.arange(len(counts)), counts), columns, values


def _read_dok(matrix: Any, _name: str) -> _Entries:
    entries = list(matrix.items())
    ends = np.array([key for key, _ in entries], dtype=np.int64).reshape(-1, 2)
    values = np.array([value for _, value in entries], dtype=matrix.dtype)
    return ends[:, 0], ends[:, 1], values


_READERS: dict[str, Callable[[Any, str], _Entries]] = {
    "bsr": _read_bsr,
    "coo": _read_coo,
    "csc": _read_csc,
    "csr": _read_csr,
    "dia": _read_dia,
    "dok": _read_dok,
    "lil": _read_lil,
}


def check_csr(
    indptr: AnyArray, indices: AnyArray, shape: tuple[int, int], name: str
) -> tuple[IndexArray, IndexArray]:
    """Check the index arrays of a CSR matrix from a file or a caller.

    scipy and the compiled loops do not check indices: an invalid index reads or writes
    outside of an array.

    Returns
    -------
    indptr, indices : ndarray of int64

    Raises
    ------
    InputError
        If the arrays are not the index arrays of a matrix of this shape.
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
            f"{name}: indptr has {len(indptr)} entries, but {n_rows} rows require "
            f"{n_rows + 1}."
        )
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise InputError(
            f"{name}: indptr must increase from 0 to the number of entries, {len(indices)}."
        )
    if indices.size and (indices.min() < 0 or indices.max() >= n_columns):
        wrong = indices[(indices < 0) | (indices >= n_columns)][0]
        raise InputError(
            f"{name}: column {wrong} is out of range for {n_columns} columns, counted "
            "from 0."
        )
    return indptr.astype(np.int64, copy=False), indices.astype(np.int64, copy=False)
