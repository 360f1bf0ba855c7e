"""Digests of inputs, which identify the records of a run.

`joblib.hash` is not used: its result depends on the memory layout of an array (strides) and
on the default pickle protocol, which changed in Python 3.14, so stored records would not be
found again.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gskn._types import AnyArray, IndexArray
from gskn.datasets import Dataset
from gskn.graphs import GraphBatch


def digest(*parts: Any) -> str:
    """Return a digest of bytes or buffers with 16 hexadecimal digits."""
    total = hashlib.blake2b(digest_size=8)
    for part in parts:
        total.update(part)
    return total.hexdigest()


def digest_data(data: Dataset) -> str:
    """Return a digest of graphs and classes, which changes if a file was edited.

    Labels and attributes of edges are not included, because many models do not use them;
    see `digest_edges`.
    """
    batch = data.graphs
    arrays = [
        batch.adjacency.indptr.astype(np.int64),
        batch.adjacency.indices,
        batch.adjacency.data,
        batch.graph_ptr,
        batch.node_labels,
        batch.node_attributes,
        data.y if data.y.dtype.kind in "iufb" else data.y.astype(str),
        data.labelled,
    ]
    return digest(repr(batch.label_values).encode(), *_buffers(arrays))


def digest_edges(batch: GraphBatch) -> str | None:
    """Return a digest of labels and attributes of edges, None if there are none."""
    arrays = [batch.edge_labels, batch.edge_attributes]
    if all(array is None for array in arrays):
        return None
    return digest(repr(batch.edge_label_values).encode(), *_buffers(arrays))


def _buffers(arrays: Sequence[AnyArray | None]) -> Iterator[Any]:
    """Yield shapes and values of the arrays that are not None."""
    for array in arrays:
        if array is not None:
            yield str(array.shape).encode()
            yield np.ascontiguousarray(array).ravel().view(np.uint8).data


def digest_folds(tests: Sequence[IndexArray]) -> str:
    """Return a digest of the test indices of folds; their order in a fold is irrelevant."""
    sets = [np.sort(np.asarray(test)).astype("<i8") for test in tests]
    return digest(*(part for test in sets for part in (b"%d:" % len(test), test.tobytes())))
