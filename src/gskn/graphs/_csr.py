"""Graphs from CSR arrays, which are not copied if they are memory-mapped."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._archives import read_arrays
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import FileFormatError, InputError, describe_error
from gskn.graphs._assemble import GraphParts, as_floats
from gskn.graphs._batch import MAX_NODES, GraphBatch
from gskn.graphs._options import ReadOptions
from gskn.graphs._sparse import check_csr, make_csr, ones

_BLOCK = 2**22  # entries that are checked at once
_FILES = ("indptr.npy", "indices.npy", "weights.npy")
_MEMBERS = ("format", "shape", "indptr", "indices", "data")  # of scipy.sparse.save_npz


def from_csr(indptr: Any, indices: Any, weights: Any = None) -> GraphBatch:
    """Return one graph given as CSR arrays.

    Parameters
    ----------
    indptr : array-like of int, shape (n_nodes + 1,)
        First entry of the neighbors of every node, then the number of entries.
    indices : array-like of int, shape (n_entries,)
        Neighbors of every node, ascending, without repetition. An undirected edge is
        listed at both ends.
    weights : array-like of float, shape (n_entries,), default=None
        Positive weights; None is 1 for all edges.

    Returns
    -------
    graph : GraphBatch
        One graph. Read-only arrays of type int32, such as a file that is mapped into memory
        with ``numpy.load(path, mmap_mode="r")``, are used without a copy.

    Raises
    ------
    InputError
        If the arrays are not the CSR arrays of a graph.

    Examples
    --------
    >>> import numpy as np
    >>> from gskn.graphs import from_csr
    >>> from_csr(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]))
    GraphBatch(n_graphs=1, n_nodes=3, n_edges=2, undirected)
    """
    indptr, indices = np.asanyarray(indptr), np.asanyarray(indices)
    if indptr.ndim != 1 or not len(indptr):
        raise InputError(f"indptr must be a list of integers, got shape {indptr.shape}.")
    adjacency = as_adjacency(indptr, indices, weights, "The graph")
    if adjacency is None:
        raise InputError(
            "The neighbors of a node must be ascending without repetition, and weights "
            "positive. Sort them, or pass a scipy.sparse matrix to as_batch."
        )
    return GraphBatch(adjacency, np.array([0, len(indptr) - 1]))


def from_sparse(matrix: Any, options: ReadOptions) -> GraphBatch | None:
    """Return the graph of a scipy matrix; None unless it is sorted CSR without zeros."""
    has_weights = options.edge_weight is not None and matrix.dtype != bool
    if matrix.format != "csr" or not options.is_directed(default=True):
        return None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return None
    indptr, indices, data = map(np.asanyarray, (matrix.indptr, matrix.indices, matrix.data))
    if data.dtype.kind not in "biuf" or data.shape != indices.shape:
        return None  # complex, damaged, or with unused capacity
    is_valid = len(indptr) == matrix.shape[0] + 1 and indptr[-1] == len(indices)
    if not is_valid or not (has_weights or (data != 0).all()):
        return None
    adjacency = as_adjacency(indptr, indices, data if has_weights else None, "Graph 0")
    if adjacency is None:
        return None
    return GraphBatch(adjacency, np.array([0, matrix.shape[0]]))


def as_adjacency(
    indptr: AnyArray, indices: AnyArray, weights: Any, name: str
) -> csr_array | None:
    """Return a validated adjacency matrix, or None if it is not in canonical form."""
    n_nodes = len(indptr) - 1
    if n_nodes > MAX_NODES:
        raise InputError(f"{name} has {n_nodes} nodes, more than {MAX_NODES}.")
    _check_arrays(indptr, indices, n_nodes, name)
    offsets = indptr.astype(np.int64, copy=False)
    if not _is_ascending(offsets, indices):
        return None
    data = _as_weights(weights, len(indices), name)
    if data is None:
        return None
    return make_csr(data, _own(indices, np.int32), _own(indptr, indptr.dtype))


def read_csr_folder(path: Path) -> GraphBatch:
    """Read the graph in the files ``indptr.npy``, ``indices.npy`` and ``weights.npy``.

    The files are mapped into memory.
    """
    arrays = [_map_array(path / name) for name in _FILES if (path / name).exists()]
    try:
        return from_csr(*arrays)
    except InputError as error:
        raise FileFormatError(path, str(error)) from error


def is_csr_folder(path: Path) -> bool:
    """Return whether a folder contains the CSR arrays of a graph."""
    return all((path / name).is_file() for name in _FILES[:2])


def read_sparse_npz(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read a CSR matrix that ``scipy.sparse.save_npz`` wrote."""
    arrays = read_arrays(path, _MEMBERS)
    missing = [name for name in _MEMBERS if name not in arrays]
    if missing:
        raise InputError(f"The array {missing[0]!r} is missing; use scipy.sparse.save_npz.")
    kind, shape = arrays["format"].tolist(), arrays["shape"].tolist()
    if kind not in {"csr", b"csr"} or np.shape(shape) != (2,) or shape[0] != shape[1]:
        raise InputError(f"The matrix must be square CSR, got {kind} of shape {shape}.")
    indptr, indices = check_csr(
        arrays["indptr"], arrays["indices"], (int(shape[0]), int(shape[1])), "The matrix"
    )
    source = np.repeat(np.arange(shape[0]), np.diff(indptr))
    weight = None
    if options.edge_weight is not None and arrays["data"].dtype != bool:
        weight = as_floats(arrays["data"], "The weights")
    directed = options.is_directed(default=True)
    return [GraphParts([shape[0]], source, indices, weight=weight, directed=directed)]


def _map_array(path: Path) -> AnyArray:
    try:
        array: AnyArray = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FileFormatError(path, f"not an array: {describe_error(error)}") from error
    return array


def _check_arrays(indptr: AnyArray, indices: AnyArray, n_nodes: int, name: str) -> None:
    """Raise unless indices are in range; blocks are compared, so memory stays small."""
    for part, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            raise InputError(
                f"{name}: {part} must be a list of integers, got {array.dtype} of shape "
                f"{array.shape}."
            )
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise InputError(
            f"{name}: indptr must increase from 0 to the number of entries, {len(indices)}."
        )
    for begin in range(0, len(indices), _BLOCK):
        block = indices[begin : begin + _BLOCK]
        if block.min() < 0 or block.max() >= n_nodes:
            wrong = block[(block < 0) | (block >= n_nodes)][0]
            raise InputError(
                f"{name}: column {wrong} is out of range for {n_nodes} columns, counted "
                "from 0."
            )


def _is_ascending(indptr: IndexArray, indices: AnyArray) -> bool:
    """Return whether the entries of every row ascend."""
    is_first = np.zeros(len(indices) + 1, dtype=bool)
    is_first[indptr] = True
    for begin in range(0, len(indices), _BLOCK):
        block = indices[begin : begin + _BLOCK + 1]
        ascends = block[1:] > block[:-1]
        if not (ascends | is_first[begin + 1 : begin + len(block)]).all():
            return False
    return True


def _as_weights(weights: Any, n_entries: int, name: str) -> FloatArray | None:
    """Return weights as floats; None if one is not positive."""
    if weights is None:
        return ones(n_entries)
    array = np.asanyarray(weights)
    if array.shape != (n_entries,) or array.dtype.kind not in "biuf":
        raise InputError(
            f"{name}: weights must be {n_entries} numbers, got {array.dtype} of shape "
            f"{array.shape}."
        )
    for begin in range(0, n_entries, _BLOCK):
        block = array[begin : begin + _BLOCK]
        if not ((block > 0) & np.isfinite(block)).all():
            return None
    return _own(array, np.float64)


def _own(array: AnyArray, dtype: Any) -> AnyArray:
    """Return an array that nobody changes: itself if it is read-only, else a copy."""
    if array.dtype == dtype and not array.flags.writeable:
        return array.view(np.ndarray)
    return np.array(array, dtype=dtype)
