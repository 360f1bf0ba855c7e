"""Node sets in npz: CSR adjacency, CSR attributes and labels of one graph."""

import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, IndexArray
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs import GraphBatch
from gskn.graphs._assemble import GraphParts, assemble

_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)


def read_npz(path: Path) -> tuple[GraphBatch, AnyArray]:
    """Read the graph and the labels; index arrays may be of any small integer type."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        return _build(arrays)
    except (*_UNREADABLE, InputError) as error:
        raise FileFormatError(path, f"not a node set in npz: {error}") from error


def _build(arrays: dict[str, AnyArray]) -> tuple[GraphBatch, AnyArray]:
    n_nodes = int(arrays["adj_shape"][0])
    indptr: IndexArray = arrays["adj_indptr"].astype(np.int64)
    source = np.repeat(np.arange(n_nodes), np.diff(indptr))
    target = arrays["adj_indices"].astype(np.int64)
    loops = arrays.get("selfloops", np.empty(0)).astype(np.int64)
    attributes = csr_array(
        (
            arrays["attr_data"].astype(np.float64),
            arrays["attr_indices"].astype(np.int64),
            arrays["attr_indptr"].astype(np.int64),
        ),
        shape=tuple(arrays["attr_shape"].tolist()),
    )
    part = GraphParts(
        [n_nodes],
        np.concatenate([source, loops]),
        np.concatenate([target, loops]),
        attributes=attributes.toarray(),
    )
    return assemble([part]), _labels(arrays)


def _labels(arrays: dict[str, AnyArray]) -> AnyArray:
    labels = arrays["labels"]
    if labels.ndim == 2:  # a bit for every label a node may have
        labels = np.unpackbits(labels, axis=1)[:, : int(arrays["label_shape"][1])]
    return labels.astype(np.int64)
