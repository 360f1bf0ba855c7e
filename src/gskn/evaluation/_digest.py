"""Digests of inputs, which identify the records of a run.

`joblib.hash` is not used: its result depends on the memory layout of an array (strides) and
on the default pickle protocol, which changed in Python 3.14, so stored records would not be
found again.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from gskn._types import IndexArray
from gskn.datasets import Dataset


def digest(*parts: Any) -> str:
    """Return a digest of bytes or buffers with 16 hexadecimal digits."""
    total = hashlib.blake2b(digest_size=8)
    for part in parts:
        total.update(part)
    return total.hexdigest()


def digest_data(data: Dataset) -> str:
    """Return a digest of graphs and classes, which changes if a file was edited.

    Labels and attributes of edges are not included: no model uses them, and records of
    models that do not use them must stay valid for sets that now have them. A model that
    uses them has to add them to the key of its records.
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
    parts: list[Any] = [repr(batch.label_values).encode()]
    for array in arrays:
        if array is not None:
            flat = np.ascontiguousarray(array).ravel()
            parts += [str(array.shape).encode(), flat.view(np.uint8).data]
    return digest(*parts)


def digest_folds(tests: Sequence[IndexArray]) -> str:
    """Return a digest of the test indices of folds; their order in a fold is irrelevant."""
    sets = [np.sort(np.asarray(test)).astype("<i8") for test in tests]
    return digest(*(part for test in sets for part in (b"%d:" % len(test), test.tobytes())))
