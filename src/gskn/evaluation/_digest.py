"""Digests: what a run was made of, in sixteen signs."""

import hashlib
from typing import Any

import numpy as np

from gskn.datasets import Dataset


def digest(*parts: Any) -> str:
    """Return sixteen hexadecimal digits of bytes, or of what has them."""
    total = hashlib.blake2b(digest_size=8)
    for part in parts:
        total.update(part)
    return total.hexdigest()


def digest_data(data: Dataset) -> str:
    """Return a digest of graphs and classes: edited files are another set."""
    batch = data.graphs
    arrays = [
        batch.adjacency.indptr,
        batch.adjacency.indices,
        batch.adjacency.data,
        batch.graph_ptr,
        batch.node_labels,
        batch.node_attributes,
        data.y if data.y.dtype.kind in "iufb" else data.y.astype(str),
    ]
    texts: list[Any] = [repr(batch.label_values).encode()]
    for array in arrays:
        if array is not None:
            flat = np.ascontiguousarray(array).ravel()
            texts += [str(array.shape).encode(), flat.view(np.uint8).data]
    return digest(*texts)
