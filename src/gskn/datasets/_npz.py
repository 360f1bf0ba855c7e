"""Node sets in npz format: CSR adjacency, CSR attributes and labels of one graph."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from gskn._archives import read_arrays
from gskn._limits import max_unpacked_bytes
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs import GraphBatch, GraphParts, assemble, check_csr

_ADJACENCY = ("adj_shape", "adj_indptr", "adj_indices")
_ATTRIBUTES = ("attr_shape", "attr_indptr", "attr_indices", "attr_data")
_REQUIRED = (*_ADJACENCY, *_ATTRIBUTES, "labels")
_OPTIONAL = ("selfloops", "label_shape")


def read_npz(path: Path) -> tuple[GraphBatch, AnyArray]:
    """Read a node set.

    Parameters
    ----------
    path : Path
        Archive of the arrays ``adj_indptr``, ``adj_indices`` and ``adj_shape``,
        ``attr_indptr``, ``attr_indices``, ``attr_data`` and ``attr_shape``, and
        ``labels``: one integer per node, or packed bits with their shape in
        ``label_shape``. ``selfloops`` may contain nodes with a self-loop. Index arrays may
        have any integer type.

    Returns
    -------
    graphs : GraphBatch
        One graph.
    y : ndarray of shape (n_nodes,) or (n_nodes, n_labels)
        Class of every node, or 0 or 1 for every class.

    Raises
    ------
    FileFormatError
        If the file is malformed or needs too much memory.
    """
    arrays = read_arrays(path, (*_REQUIRED, *_OPTIONAL))
    for name in _REQUIRED:
        if name not in arrays:
            raise FileFormatError(path, f"not a node set: the array {name!r} is missing")
    try:
        _check_memory(arrays, max_unpacked_bytes(path.stat().st_size))
        return graph_from_arrays(arrays)
    except InputError as error:
        raise FileFormatError(path, f"not a node set: {error}") from error


def graph_from_arrays(arrays: dict[str, AnyArray]) -> tuple[GraphBatch, AnyArray]:
    """Return the graph and the classes of its nodes; see `read_npz` for the arrays."""
    return _read_graph(arrays), _read_labels(arrays)


def _check_memory(arrays: dict[str, AnyArray], max_bytes: int) -> None:
    """Raise if the arrays need too much memory after conversion."""
    n_nodes, n_attributes = _shape(arrays, "attr_shape")
    n_labels = _shape(arrays, "label_shape")[1] if arrays["labels"].ndim == 2 else 1
    n_bytes = 8 * (
        4 * arrays["adj_indices"].size  # source and target, and both with the self-loops
        + 3 * arrays["attr_indices"].size
        + 2 * n_nodes * (n_attributes + n_labels)  # `assemble` copies the attributes
    )
    if n_bytes > max_bytes:
        raise InputError(
            f"the arrays need {n_bytes} bytes, more than the limit of {max_bytes} for a "
            "file of this size"
        )


def _read_graph(arrays: dict[str, AnyArray]) -> GraphBatch:
    n_nodes, n_columns = _shape(arrays, "adj_shape")
    if n_nodes != n_columns:
        raise InputError(f"adj_shape must be square, got {n_nodes} x {n_columns}")
    indptr, target = check_csr(
        arrays["adj_indptr"], arrays["adj_indices"], (n_nodes, n_nodes), "adj"
    )
    source = np.repeat(np.arange(n_nodes), np.diff(indptr))
    loops = _read_loops(arrays)
    part = GraphParts(
        [n_nodes],
        np.concatenate([source, loops]),
        np.concatenate([target, loops]),
        attributes=_read_attributes(arrays, n_nodes),
    )
    return assemble([part])


def _read_loops(arrays: dict[str, AnyArray]) -> IndexArray:
    loops = arrays.get("selfloops", np.empty(0, dtype=np.int64))
    if loops.ndim != 1 or (loops.size and loops.dtype.kind not in "iu"):
        raise InputError(
            f"selfloops must be a list of integers, got {loops.dtype} of shape "
            f"{loops.shape}"
        )
    return loops.astype(np.int64)


def _read_attributes(arrays: dict[str, AnyArray], n_nodes: int) -> FloatArray | None:
    """Return the attributes, or None if there are no columns."""
    shape = _shape(arrays, "attr_shape")
    values = arrays["attr_data"]
    if shape[0] != n_nodes:
        raise InputError(f"attr_shape has {shape[0]} rows for {n_nodes} nodes")
    indptr, indices = check_csr(
        arrays["attr_indptr"], arrays["attr_indices"], shape, "attr"
    )
    if values.shape != indices.shape or values.dtype.kind not in "biuf":
        raise InputError(
            f"attr_data must be {len(indices)} numbers, one for each of attr_indices, got "
            f"{values.dtype} of shape {values.shape}"
        )
    matrix = csr_array((values.astype(np.float64), indices, indptr), shape=shape)
    attributes: FloatArray = matrix.toarray()
    return attributes if shape[1] else None


def _read_labels(arrays: dict[str, AnyArray]) -> IndexArray:
    labels = arrays["labels"]
    n_nodes = _shape(arrays, "adj_shape")[0]
    if labels.ndim == 2:
        return _unpack_labels(labels, _shape(arrays, "label_shape"), n_nodes)
    if labels.shape != (n_nodes,):
        raise InputError(
            f"labels must be one number per node, got shape {labels.shape} for {n_nodes} "
            "nodes"
        )
    if labels.dtype.kind not in "biuf" or not _are_integers(labels):
        raise InputError("labels must be integers")
    return labels.astype(np.int64)


def _are_integers(labels: AnyArray) -> bool:
    if labels.dtype.kind in "bi":
        return True
    # 2**63 is the smallest positive float beyond the range of int64.
    values = labels.astype(np.float64)
    return bool(((np.abs(values) < 2.0**63) & (np.trunc(values) == values)).all())


def _unpack_labels(labels: AnyArray, shape: tuple[int, int], n_nodes: int) -> IndexArray:
    """Unpack one bit per node and class."""
    n_labels = shape[1]
    if (
        labels.dtype != np.uint8
        or labels.shape != (n_nodes, -(-n_labels // 8))
        or shape[0] != n_nodes
    ):
        raise InputError(
            f"labels of {labels.dtype} and shape {labels.shape} are not the packed bits of "
            f"{shape[0]} x {n_labels} labels for {n_nodes} nodes"
        )
    return np.unpackbits(labels, axis=1)[:, :n_labels].astype(np.int64)


def _shape(arrays: dict[str, AnyArray], name: str) -> tuple[int, int]:
    if name not in arrays:
        raise InputError(f"the array {name!r} is missing")
    array = arrays[name]
    if array.shape != (2,) or array.dtype.kind not in "iu" or array.min() < 0:
        raise InputError(
            f"{name} must contain two sizes, got {array.dtype} of shape {array.shape}"
        )
    n_rows, n_columns = array.tolist()
    return n_rows, n_columns
