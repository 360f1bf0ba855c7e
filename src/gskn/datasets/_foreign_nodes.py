"""Public forms of the node sets, rewritten as the npz that `read_npz` reads.

Planetoid publishes pickles. They are read by an unpickler that knows arrays, CSR
matrices and dicts and refuses everything else, so a file cannot run code.
"""

import io
import json
import pickle
from collections import defaultdict
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._types import AnyArray
from gskn.exceptions import FileFormatError

PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
_MALFORMED = (ValueError, KeyError, TypeError, IndexError, EOFError)
GRAPHSAGE_PARTS = ("G.json", "class_map.json", "id_map.json", "feats.npy")


def arrays_from_planetoid(*contents: bytes) -> dict[str, AnyArray]:
    """Convert the eight files of a Planetoid set, in the order of their names above."""
    try:
        parts = dict(zip(PLANETOID_PARTS, contents, strict=True))
        test = np.array(parts.pop("test.index").split(), dtype=np.int64)
        _, tx, allx, _, ty, ally, graph = (_unpickle(parts[name]) for name in parts)
        # Test nodes are stored out of order; the index says which node a row belongs to.
        order = np.arange(allx.shape[0] + tx.shape[0])
        order[test] = np.sort(test)
        attributes = vstack([allx, tx]).tocsr()[order]
        labels = np.concatenate([ally, ty])[order].argmax(axis=1)
        pairs = np.array([(node, other) for node, row in graph.items() for other in row])
    except (*_MALFORMED, pickle.UnpicklingError, AttributeError) as error:
        raise FileFormatError(
            "the download", f"not in Planetoid's form: {error}"
        ) from error
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return _node_arrays(len(order), pairs, attributes.astype(np.float32), labels)


def arrays_from_graphsage(*contents: bytes) -> dict[str, AnyArray]:
    """Convert the four files of a GraphSAGE set, in the order of their names above."""
    try:
        graph, classes, ids = (json.loads(content) for content in contents[:3])
        features = np.load(io.BytesIO(contents[3]), allow_pickle=False)
        position = [ids[str(node["id"])] for node in graph["nodes"]]
        pairs = np.array([(link["source"], link["target"]) for link in graph["links"]])
        pairs = np.array(position)[pairs]
        labels = np.zeros(
            (len(position), len(next(iter(classes.values())))), dtype=np.uint8
        )
        for node, row in classes.items():
            labels[ids[node]] = row
    except (*_MALFORMED, StopIteration) as error:
        raise FileFormatError(
            "the download", f"not in GraphSAGE's form: {error}"
        ) from error
    loops = np.unique(pairs[pairs[:, 0] == pairs[:, 1], 0])
    arrays = _node_arrays(
        len(position), pairs[pairs[:, 0] != pairs[:, 1]], csr_array(features), labels
    )
    arrays["labels"] = np.packbits(labels, axis=1)
    return {**arrays, "selfloops": loops, "label_shape": np.array(labels.shape)}


def _node_arrays(
    n_nodes: int, pairs: AnyArray, attributes: csr_array, labels: AnyArray
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


class _CsrState:
    """Takes the place of scipy's class: an inert bag for the state of a matrix."""

    def as_matrix(self) -> csr_array:
        state = self.__dict__
        return csr_array(
            (state["data"], state["indices"], state["indptr"]), shape=state["_shape"]
        )


def _blank(_kind: object, _base: object, _state: object) -> _CsrState:
    return _CsrState()


def _as_bytes(text: str, _encoding: str) -> bytes:
    """Undo what Python 3 does to bytes in an old protocol; codecs at large stay out."""
    return text.encode("latin1")


_make_array = np.empty(0).__reduce__()[0]
_HARMLESS: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): _make_array,
    ("numpy._core.multiarray", "_reconstruct"): _make_array,
    ("scipy.sparse.csr", "csr_matrix"): _CsrState,
    ("scipy.sparse._csr", "csr_matrix"): _CsrState,
    ("copy_reg", "_reconstructor"): _blank,
    ("copyreg", "_reconstructor"): _blank,
    ("__builtin__", "object"): object,
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
    ("_codecs", "encode"): _as_bytes,
}


class _HarmlessUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _HARMLESS:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a data set")
        return _HARMLESS[module, name]


def _unpickle(content: bytes) -> Any:
    # Written by Python 2, whose strings are bytes.
    value = _HarmlessUnpickler(io.BytesIO(content), encoding="latin1").load()
    return value.as_matrix() if isinstance(value, _CsrState) else value
