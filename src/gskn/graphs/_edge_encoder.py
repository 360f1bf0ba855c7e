"""EdgeEncoder: labels and attributes of edges as real vectors."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.preprocessing import StandardScaler, normalize

from gskn._distinct import distinct
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_edge_features
from gskn.exceptions import InputError
from gskn.graphs._batch import GraphBatch
from gskn.graphs._encoder import LARGEST, check_size


@dataclass(frozen=True)
class EdgeEncoder:
    """Encode edges as `AttributeEncoder` encodes nodes.

    Labels are one-hot encoded, with one more column for all labels not seen in training.
    Attributes are standardized by the training edges and scaled to unit norm. The last
    column belongs to steps without an edge: at a dead end, a walk stays.

    Attributes
    ----------
    edge_features : tuple of str
        Edge data that is encoded, some of "labels" and "attributes".
    label_values : tuple
        Labels of the training edges, in the order of their columns.
    mean, scale : ndarray of shape (n_edge_attributes,)
        Mean and standard deviation of the attributes of the training edges.
    """

    edge_features: tuple[str, ...]
    label_values: tuple[Hashable, ...] = ()
    mean: FloatArray = field(default_factory=lambda: np.empty(0))
    scale: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def from_batch(
        cls, batch: GraphBatch, edge_features: str | Sequence[str]
    ) -> Self | None:
        """Learn labels and attributes of training edges; None if none are used."""
        selection = select_edge_features(edge_features, batch)
        if not selection:
            return None
        label_values: tuple[Hashable, ...] = ()
        mean, scale = np.empty(0), np.empty(0)
        if "labels" in selection:
            present = np.unique(_require(batch.edge_labels, "labels"))
            label_values = tuple(batch.edge_label_values[number] for number in present)
        if "attributes" in selection:
            values = _require(batch.edge_attributes, "attributes")
            mean, scale = np.zeros(values.shape[1]), np.ones(values.shape[1])
            if values.size:
                scaler = StandardScaler().fit(check_size(values, "An edge attribute"))
                mean, scale = scaler.mean_, scaler.scale_
        return cls(selection, label_values, mean, scale)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        n_label_columns = len(self.label_values) + 1 if self.uses_labels else 0
        return n_label_columns + len(self.mean) + 1

    @property
    def uses_labels(self) -> bool:
        """Whether labels are encoded."""
        return "labels" in self.edge_features

    def distinct_rows(self, batch: GraphBatch) -> tuple[FloatArray, IndexArray]:
        """Return the distinct vectors, and the index of the vector of every edge.

        The last vector belongs to steps without an edge.
        """
        n_entries = batch.adjacency.nnz
        if not n_entries:  # the graphs may lack labels and attributes
            return self._table(np.empty(0, np.int64), np.empty((0, len(self.mean)))), (
                np.empty(0, np.int64)
            )
        columns = np.zeros(n_entries, np.int64)
        if self.uses_labels:
            columns = self._label_columns(batch)
        if "attributes" not in self.edge_features:
            every = np.arange(len(self.label_values) + 1)
            return self._table(every, np.empty((len(every), 0))), columns
        attributes = self._encode_attributes(batch)
        first, codes = distinct(np.column_stack([columns, attributes]))
        return self._table(columns[first], attributes[first]), codes

    def _table(self, columns: IndexArray, attributes: FloatArray) -> FloatArray:
        """Return one vector per column of a label, and one for steps without an edge."""
        n_rows = len(columns)
        table = np.zeros((n_rows + 1, self.n_features))
        if self.uses_labels:
            table[np.arange(n_rows), columns] = 1
        table[:n_rows, self.n_features - 1 - len(self.mean) : -1] = attributes
        table[-1, -1] = 1
        return table

    def _label_columns(self, batch: GraphBatch) -> IndexArray:
        """Return the column of the label of every edge."""
        labels = _require(batch.edge_labels, "labels")
        column = {value: number for number, value in enumerate(self.label_values)}
        unseen = len(column)
        table = [column.get(value, unseen) for value in batch.edge_label_values]
        columns: IndexArray = np.array(table, dtype=np.int64)[labels]
        return columns

    def _encode_attributes(self, batch: GraphBatch) -> FloatArray:
        values = _require(batch.edge_attributes, "attributes")
        if values.shape[1] != len(self.mean):
            raise InputError(
                f"The graphs have {values.shape[1]} edge attributes, but the model was "
                f"fitted with {len(self.mean)}; give the same attributes."
            )
        if not values.size:
            return np.zeros(values.shape)
        scaled = (check_size(values, "An edge attribute") - self.mean) / self.scale
        unit: FloatArray = normalize(scaled.clip(-LARGEST, LARGEST))
        return unit


def select_edge_features(
    edge_features: str | Sequence[str], batch: GraphBatch
) -> tuple[str, ...]:
    """Return the edge features that are used for these training graphs."""
    selection = check_edge_features(edge_features)
    if selection is None:
        labelled, n_attributes = batch.edge_labels is not None, batch.n_edge_attributes
        present = {"labels": labelled, "attributes": n_attributes > 0}
        selection = tuple(name for name in present if present[name])
    return selection


def _require(column: Any, what: str) -> Any:
    if column is None:
        raise InputError(
            f"The graphs have no edge {what}, but the model uses them; give them, or fit "
            "with edge_features='none'."
        )
    return column
