"""Labels and attributes of edges: from one value per listed edge to one per CSR entry.

- An edge that is listed several times must have the same label and attributes every time.
- If the source is undirected, both directions of an edge have the values of the edge, and
  a pair that is listed in both directions must have the same values in both.
- If the source is directed, every direction has its own values. A graph in which they
  differ is directed.
- An edge of weight zero is not an edge; its values are dropped.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, BoolArray, IndexArray, NodeArray
from gskn._validation import shorten
from gskn.exceptions import InputError


@dataclass(frozen=True)
class EntryMap:
    """The entries of an adjacency matrix that every listed edge belongs to.

    Attributes
    ----------
    n_entries : int
        Number of entries of the matrix.
    entries : ndarray of shape (n_listed,) or None
        Entry of every listed edge, then of the reverse of every undirected edge; -1 for an
        edge that is not in the matrix. None: edge i is entry i.
    edges : ndarray of shape (n_listed,) or None
        Index of the edge of every element of ``entries``.
    """

    n_entries: int
    entries: IndexArray | None = None
    edges: IndexArray | None = None

    @classmethod
    def from_edges(
        cls,
        source: NodeArray,
        target: NodeArray,
        adjacency: csr_array,
        mirrored: BoolArray | None,
    ) -> "EntryMap":
        """Find the entries of edges; edges between ``mirrored`` nodes go both ways."""
        n_nodes, n_entries = adjacency.shape[0], adjacency.nnz
        rows = np.repeat(np.arange(n_nodes, dtype=np.int32), np.diff(adjacency.indptr))
        edges = np.arange(len(source))
        if mirrored is not None:
            both = np.flatnonzero(mirrored[source])
            source, target = (
                np.concatenate([source, target[both]]),
                np.concatenate([target, source[both]]),
            )
            edges = np.concatenate([edges, both])
        elif np.array_equal(source, rows) and np.array_equal(target, adjacency.indices):
            return cls(n_entries)  # sorted and without repetition, as benchmark sets are
        keys = rows.astype(np.int64) * n_nodes + adjacency.indices
        listed = source.astype(np.int64) * n_nodes + target
        entries = np.searchsorted(keys, listed)
        inside = entries < n_entries
        inside[inside] = keys[entries[inside]] == listed[inside]
        return cls(n_entries, np.where(inside, entries, -1), edges)

    def place(
        self, values: AnyArray, what: str, describe: Callable[[int, int, str], InputError]
    ) -> AnyArray:
        """Return the value of every entry; raise if an entry has two different values."""
        if self.entries is None or self.edges is None:
            return values
        placed = np.empty((self.n_entries, *values.shape[1:]), dtype=values.dtype)
        listed = self.entries >= 0
        entries, edges = self.entries[listed], self.edges[listed]
        placed[entries] = values[edges]
        differs = placed[entries] != values[edges]
        differs = differs if values.ndim == 1 else differs.any(axis=1)
        if differs.any():
            number = int(np.argmax(differs))
            # The last of the edges of an entry determined its value.
            same = np.flatnonzero(entries == entries[number])[-1]
            raise describe(int(edges[number]), int(edges[same]), what)
        return placed


def conflict(ends: str, values: tuple[Any, Any], what: str) -> InputError:
    """Return the error for an edge with two different labels or attributes."""
    option = "edge_label" if what == "edge labels" else "edge_attributes"
    first, second = (shorten(value, 40) for value in values)
    return InputError(
        f"{ends} is listed with different {what}, {first} and {second}; keep one of them, "
        f"or ignore them with {option}=None. Both directions of an undirected edge are one "
        "edge."
    )


def split_features(
    features: Sequence[AnyArray | None], sizes: Sequence[int] | IndexArray
) -> tuple[list[Any], list[Any]]:
    """Return edge features as labels if all of them are categorical, else as attributes.

    Integers are labels, and so are rows of several integers (as tuples). Rows of real
    numbers are labels if all rows of all graphs are one-hot, with at least two columns:
    the label is the index of the column. Other real numbers are attributes.
    """
    none: list[Any] = [None] * len(features)
    filled = [
        feature
        for feature, size in zip(features, sizes, strict=True)
        if feature is not None and size
    ]
    if filled and all(feature.dtype.kind in "iub" for feature in filled):
        return [_as_integers(feature) for feature in features], none
    widths = {feature.shape[1:] for feature in filled}
    if len(widths) == 1 and all(is_one_hot(feature) for feature in filled):
        return [_as_columns(feature) for feature in features], none
    return none, list(features)


def is_one_hot(features: AnyArray) -> bool:
    """Return whether all rows have one 1 and otherwise 0, in at least two columns."""
    if features.ndim != 2 or features.shape[1] < 2 or features.dtype.kind not in "iubf":
        return False
    ones = features == 1
    return bool((ones | (features == 0)).all() and (ones.sum(axis=1) == 1).all())


def _as_integers(features: AnyArray | None) -> list[Hashable] | AnyArray | None:
    if features is None or features.ndim != 2:
        return features
    if features.shape[1] == 1:
        return features[:, 0]
    return [tuple(row) for row in features.tolist()]


def _as_columns(features: AnyArray | None) -> AnyArray | None:
    if features is None or features.ndim != 2 or not features.shape[1]:
        return None
    columns: IndexArray = features.argmax(axis=1)
    return columns
