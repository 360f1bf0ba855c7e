"""Conversion of the published files of node sets to the npz format of `read_npz`.

Planetoid publishes pickles. The unpickler creates only plain records, lists and dicts, so
a file can neither execute code nor make numpy or scipy access memory outside of an array.
"""

import io
import json
import pickle
import pickletools
import re
from collections import defaultdict
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._archives import read_array
from gskn._limits import max_unpacked_bytes
from gskn._types import AnyArray, IndexArray
from gskn._validation import shorten
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs import check_csr

PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
GRAPHSAGE_PARTS = ("G.json", "class_map.json", "id_map.json", "feats.npy")
TABLE_PARTS = ("edges", "target")
_MALFORMED = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    OverflowError,
    RecursionError,
    StopIteration,
    pickle.UnpicklingError,
)


def arrays_from_planetoid(*contents: bytes) -> dict[str, AnyArray]:
    """Convert the eight files of a Planetoid set, in the order of PLANETOID_PARTS."""
    try:
        return _convert_planetoid(dict(zip(PLANETOID_PARTS, contents, strict=True)))
    except _MALFORMED as error:
        raise FileFormatError(
            "the download", f"not in Planetoid format: {describe_error(error)}"
        ) from error


def arrays_from_graphsage(*contents: bytes) -> dict[str, AnyArray]:
    """Convert the four files of a GraphSAGE set, in the order of GRAPHSAGE_PARTS."""
    try:
        return _convert_graphsage(dict(zip(GRAPHSAGE_PARTS, contents, strict=True)))
    except _MALFORMED as error:
        raise FileFormatError(
            "the download", f"not in GraphSAGE format: {describe_error(error)}"
        ) from error


def arrays_from_tables(*contents: bytes) -> dict[str, AnyArray]:
    """Convert two csv tables, ``id_1,id_2`` of edges and ``id,target`` of all nodes."""
    try:
        return _convert_tables(dict(zip(TABLE_PARTS, contents, strict=True)))
    except _MALFORMED as error:
        raise FileFormatError(
            "the download", f"not tables of edges and classes: {describe_error(error)}"
        ) from error


def _convert_planetoid(parts: dict[str, bytes]) -> dict[str, AnyArray]:
    test = np.array(parts["test.index"].split(), dtype=np.int64)
    tx, allx = (_as_matrix(_unpickle(parts[name])) for name in ("tx", "allx"))
    ty, ally = (_as_array(_unpickle(parts[name])) for name in ("ty", "ally"))
    # Test nodes are not sorted; the index contains the node of each row.
    order = np.arange(allx.shape[0] + tx.shape[0])
    order[test] = np.sort(test)
    attributes = vstack([allx, tx]).tocsr()[order]
    labels = np.concatenate([ally, ty])[order].argmax(axis=1)
    graph = _unpickle(parts["graph"])
    # A pickle may refer to one list many times.
    if sum(map(len, graph.values())) > len(parts["graph"]):
        raise ValueError("the graph has more edges than its file has bytes")
    pairs = [(node, other) for node, row in graph.items() for other in row]
    edges = _as_edges(pairs, len(order))
    edges = edges[edges[:, 0] != edges[:, 1]]
    return _node_arrays(len(order), edges, attributes.astype(np.float32), labels)


def _convert_graphsage(parts: dict[str, bytes]) -> dict[str, AnyArray]:
    graph, classes, ids = (json.loads(parts[name]) for name in GRAPHSAGE_PARTS[:3])
    features = read_array(parts["feats.npy"])
    position = np.array([ids[str(node["id"])] for node in graph["nodes"]])
    n_nodes = len(position)
    links = [(link["source"], link["target"]) for link in graph["links"]]
    pairs = _as_edges(position[_as_edges(links, n_nodes)], n_nodes)
    n_labels = len(next(iter(classes.values())))
    if features.dtype.kind not in "biuf" or features.shape[:1] != (n_nodes,):
        raise ValueError(
            f"features of {features.dtype} and shape {features.shape} for {n_nodes} nodes"
        )
    if n_nodes * n_labels > max_unpacked_bytes(sum(map(len, parts.values()))):
        raise ValueError(f"{n_labels} labels for {n_nodes} nodes are too many")
    labels = np.zeros((n_nodes, n_labels), dtype=np.uint8)
    for node, row in classes.items():
        labels[ids[node]] = row
    loops = np.unique(pairs[pairs[:, 0] == pairs[:, 1], 0])
    arrays = _node_arrays(
        n_nodes, pairs[pairs[:, 0] != pairs[:, 1]], csr_array(features), labels
    )
    arrays["labels"] = np.packbits(labels, axis=1)
    return {**arrays, "selfloops": loops, "label_shape": np.array(labels.shape)}


def _convert_tables(parts: dict[str, bytes]) -> dict[str, AnyArray]:
    classes = _read_table(parts["target"], "id,target")
    n_nodes = len(classes)
    order = np.argsort(classes[:, 0])
    if (classes[order, 0] != np.arange(n_nodes)).any():
        raise ValueError("the nodes of the classes are not 0, 1, 2 and so on, once each")
    pairs = _as_edges(_read_table(parts["edges"], "id_1,id_2"), n_nodes)
    is_loop = pairs[:, 0] == pairs[:, 1]
    arrays = _node_arrays(
        n_nodes, pairs[~is_loop], csr_array((n_nodes, 0)), classes[order, 1]
    )
    return {**arrays, "selfloops": np.unique(pairs[is_loop, 0])}


def _read_table(content: bytes, header: str) -> IndexArray:
    """Read a csv table with two columns of integers."""
    first, _, rows = content.decode("utf-8-sig", "replace").partition("\n")
    if first.strip() != header:
        raise ValueError(f"the header must be {header!r}, got {shorten(first.strip())}")
    if not rows.strip():
        raise ValueError(f"the table {header!r} has no rows")
    table: IndexArray = np.loadtxt(
        io.StringIO(rows), dtype=np.int64, comments=None, delimiter=",", ndmin=2
    )
    if table.shape[1] != 2:
        raise ValueError(f"the table {header!r} has {table.shape[1]} columns")
    return table


def _as_edges(pairs: Any, n_nodes: int) -> IndexArray:
    """Check pairs of nodes."""
    edges = np.array(pairs)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise ValueError("edges must be pairs of integers")
    if edges.min() < 0 or edges.max() >= n_nodes:
        raise ValueError(f"an edge has a node that is out of range for {n_nodes} nodes")
    return edges.astype(np.int64)


def _node_arrays(
    n_nodes: int, pairs: IndexArray, attributes: csr_array, labels: AnyArray
) -> dict[str, AnyArray]:
    both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    counts = np.bincount(both[:, 0], minlength=n_nodes)
    attributes.eliminate_zeros()
    return {
        "adj_indptr": np.concatenate(([0], np.cumsum(counts))),
        "adj_indices": both[:, 1],
        "adj_shape": np.array([n_nodes, n_nodes]),
        "attr_indptr": attributes.indptr,
        "attr_indices": attributes.indices,
        "attr_data": attributes.data,
        "attr_shape": np.array(attributes.shape),
        "labels": labels,
    }


class _Record:
    """Replacement of an object in a pickle by its arguments and its state."""

    def __init__(self, *arguments: object):
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: object) -> None:
        self.state = state


class _Type(_Record):
    """A numpy dtype."""


class _Array(_Record):
    """A numpy array."""


class _Matrix(_Record):
    """A CSR matrix of scipy."""


def _as_bytes(text: str, _encoding: str) -> bytes:
    """Encode bytes that old protocols store as latin1 text."""
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("scipy.sparse.csr", "csr_matrix"): _Matrix,
    ("scipy.sparse._csr", "csr_matrix"): _Matrix,
    ("copy_reg", "_reconstructor"): _Matrix,
    ("copyreg", "_reconstructor"): _Matrix,
    ("__builtin__", "object"): object,
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
    ("_codecs", "encode"): _as_bytes,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a data set")
        return _ALLOWED[module, name]


def _unpickle(content: bytes) -> Any:
    for operation, argument, _ in pickletools.genops(content):
        # The unpickler allocates a table of this size.
        if operation.name.endswith("PUT") and int(argument or 0) > len(content):
            raise ValueError("the pickle declares more objects than it has bytes")
    # The pickles are from Python 2, whose strings are bytes.
    return _Unpickler(io.BytesIO(content), encoding="latin1").load()


def _as_matrix(value: Any) -> csr_array:
    if not isinstance(value, _Matrix):
        raise TypeError("the attributes are not a CSR matrix")
    n_rows, n_columns = map(int, value.state["_shape"])
    data, indices, indptr = (
        _as_array(value.state[name]) for name in ("data", "indices", "indptr")
    )
    indptr, indices = check_csr(indptr, indices, (n_rows, n_columns), "attributes")
    if data.shape != indices.shape:
        raise ValueError(f"{len(data)} values for {len(indices)} entries of a matrix")
    return csr_array((data, indices, indptr), shape=(n_rows, n_columns))


def _as_array(value: Any) -> AnyArray:
    if not isinstance(value, _Array):
        raise TypeError("a part is not an array")
    _, shape, dtype, is_fortran, content = value.state
    name, order = dtype.arguments[0], dtype.state[1]
    if not isinstance(dtype, _Type) or not re.fullmatch("[<>=|][biuf][1248]", order + name):
        raise TypeError("an array has a type other than numbers")
    if isinstance(content, str):
        content = content.encode("latin1")
    array = np.frombuffer(content, dtype=order + name)
    return array.reshape(shape, order="F" if is_fortran else "C")
