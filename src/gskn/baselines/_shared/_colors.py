"""Node colors as 64-bit hashes that are equal across graphs, calls and processes.

Among n distinct colors, the probability that two have the same hash is about
n^2 / 2^65: one in a million for five million colors.
"""

import hashlib
from collections.abc import Hashable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

Colors: TypeAlias = NDArray[np.uint64]


def initial_colors(batch: GraphBatch, system: str) -> Colors:
    """Return the colors of the node labels, or of the degrees if there are no labels."""
    if batch.node_labels is not None:
        hashes = [hash_value(value) for value in batch.label_values] or [0]
        # Without the dtype numpy may convert 64-bit integers to floats of 53 bits.
        return np.array(hashes, dtype=np.uint64)[batch.node_labels]
    if batch.n_attributes:
        raise InputError(
            f"{system} compares node labels, but the graphs have only node attributes; "
            "add node labels, or remove the attributes to compare degrees."
        )
    return mix(batch.degrees.astype(np.uint64))


def edge_colors(batch: GraphBatch) -> Colors | None:
    """Return the colors of the edge labels, None if there are no labels."""
    if batch.edge_labels is None:
        return None
    hashes = [hash_value(value) for value in batch.edge_label_values] or [0]
    return np.array(hashes, dtype=np.uint64)[batch.edge_labels]


def refine(
    batch: GraphBatch,
    colors: Colors,
    n_iterations: int,
    colors_of_edges: Colors | None = None,
) -> Iterator[Colors]:
    """Yield the Weisfeiler-Lehman colors of iterations 0 to ``n_iterations``.

    If edges have colors, pairs of the color of a neighbor and of the edge to it are
    compared instead of neighbors.
    """
    adjacency = batch.adjacency
    ones = np.ones(adjacency.nnz, dtype=np.uint64)
    yield colors
    for _ in range(n_iterations):
        # The sum of mixed hashes modulo 2^64 is a hash of the multiset of neighbors. The
        # color of the node itself is mixed twice, so that it differs from a neighbor's.
        mixed = mix(colors)
        if colors_of_edges is None:
            steps = _as_steps(adjacency, ones)
            colors = mix(mix(mixed) + steps @ mixed)
        else:
            pairs = mix(mixed[adjacency.indices] + colors_of_edges)
            sums = _as_steps(adjacency, pairs) @ np.ones(len(colors), dtype=np.uint64)
            colors = mix(mix(mixed) + sums)
        yield colors


def _as_steps(adjacency: csr_array, values: Colors) -> csr_array:
    """Return the adjacency matrix with other values."""
    entries = (values, adjacency.indices, adjacency.indptr)
    return csr_array(entries, shape=adjacency.shape)


def mix(values: Colors) -> Colors:
    """Return hashes of 64-bit numbers (the finalizer of splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def check_labels(batch: GraphBatch, system: str, *, labelled: bool) -> None:
    """Raise if the graphs have labels and the training graphs do not, or vice versa."""
    has_labels = batch.node_labels is not None
    if not batch.n_nodes or has_labels == labelled:
        return
    training, new = ("with", "have no") if labelled else ("without", "have")
    raise InputError(
        f"{system} was fitted to graphs {training} node labels, but these graphs {new} "
        "node labels; use the same kind of graphs."
    )


def hash_value(value: Hashable) -> int:
    """Return a 64-bit hash of a label, the same in every process.

    Equal values have equal hashes: 1, 1.0 and True.
    """
    digest = hashlib.blake2b(_canonical(value).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _canonical(value: Hashable) -> str:
    """Return a string that is equal for equal values."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | float) and value == value // 1:
        value = int(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_canonical, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_canonical, value)))}}}"
    return repr(value)
