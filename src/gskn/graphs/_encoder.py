"""AttributeEncoder: node labels, attributes or degrees as rows for a kernel."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.utils.validation import check_is_fitted

from gskn._distinct import distinct
from gskn._types import FloatArray, IndexArray
from gskn._validation import NODE_FEATURES, check_int, check_node_features
from gskn.exceptions import InputError
from gskn.graphs._batch import GraphBatch
from gskn.graphs._convert import as_batch

_LARGEST = 1e150
_BIN_GROWTH = 2**0.25  # four bins for every doubling of the degree


# Rows are those of nodes: scikit-learn's set_output would put the index of X on them.
class AttributeEncoder(  # type: ignore[call-arg]
    TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    """Learn from training graphs how to write a node as a real vector.

    Every source gives a block of columns in which a row has unit norm (or is zero):

    - labels become one-hot, with one more column that stands for all labels not seen
      in `fit`;
    - attributes are standardised by the training nodes and scaled to unit norm;
    - degrees become one-hot up to ``max_degree``, then by bins whose width grows with
      the degree; a degree not seen in `fit` falls into the nearest column.

    Parameters
    ----------
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data that is used. "auto" uses labels and attributes if the training graphs
        have them, and degrees if they have neither.
    max_degree : int, default=32
        Largest degree with a column of its own.

    Attributes
    ----------
    node_features_ : tuple of str
        Node data that is used.
    label_values_ : tuple
        Labels seen in `fit`, in the order of their columns.
    degree_bins_ : ndarray of shape (n_bins, 2)
        Smallest and largest degree of every column.
    n_features_out_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> encoder = AttributeEncoder().fit([path])
    >>> encoder.transform([path])
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['degree=1', 'degree=2']
    """

    def __init__(
        self, *, node_features: str | Sequence[str] = "auto", max_degree: int = 32
    ) -> None:
        self.node_features = node_features
        self.max_degree = max_degree

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Learn labels, statistics of attributes, or degrees of the graphs ``X``."""
        check_int(self.max_degree, "max_degree", minimum=0)
        batch = as_batch(X)
        selection = self._select(batch)
        n_columns = 0
        if "labels" in selection:
            labels = _require(batch.node_labels, "labels")
            present = np.unique(labels)
            self.label_values_ = tuple(batch.label_values[number] for number in present)
            n_columns += len(present) + 1
        if "attributes" in selection:
            rows = _require(batch.node_attributes, "attributes")
            self.scaler_ = StandardScaler().fit(check_size(rows)) if rows.size else None
            self.n_attributes_ = rows.shape[1]
            n_columns += rows.shape[1]
        if "degrees" in selection:
            self.degree_bins_ = _learn_bins(batch.degrees, self.max_degree)
            n_columns += len(self.degree_bins_)
        self.node_features_ = selection
        self.n_features_out_ = n_columns
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return one row per node of the graphs ``X``, in node order."""
        check_is_fitted(self, "node_features_")
        batch = as_batch(X)
        if not batch.n_nodes:  # nothing to encode, and nothing to miss
            return np.empty((0, self.n_features_out_))
        blocks = [np.empty((batch.n_nodes, 0))]
        if "labels" in self.node_features_:
            n_columns = len(self.label_values_) + 1
            blocks.append(_one_hot(self._label_columns(batch), n_columns))
        if "attributes" in self.node_features_:
            blocks.append(self._encode_attributes(batch))
        if "degrees" in self.node_features_:
            columns = _nearest_bin(batch.degrees, self.degree_bins_)
            blocks.append(_one_hot(columns, len(self.degree_bins_)))
        return np.hstack(blocks)

    def distinct_rows(self, X: Any) -> tuple[FloatArray, IndexArray]:
        """Return the rows of `transform` once each, and which of them every node has.

        Labels and degrees are few, so that their rows are not written out for all nodes.
        """
        check_is_fitted(self, "node_features_")
        batch = as_batch(X)
        if "attributes" in self.node_features_ or not batch.n_nodes:
            rows = self.transform(batch)
            first, codes = distinct(rows)
            return rows[first], codes
        columns, sizes = [], []
        if "labels" in self.node_features_:
            columns.append(self._label_columns(batch))
            sizes.append(len(self.label_values_) + 1)
        if "degrees" in self.node_features_:
            columns.append(_nearest_bin(batch.degrees, self.degree_bins_))
            sizes.append(len(self.degree_bins_))
        found, codes = np.unique(np.ravel_multi_index(columns, sizes), return_inverse=True)
        split = np.unravel_index(found, sizes)
        blocks = [_one_hot(part, size) for part, size in zip(split, sizes, strict=True)]
        return np.hstack(blocks), codes

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns."""
        check_is_fitted(self, "node_features_")
        names: list[str] = []
        if "labels" in self.node_features_:
            names += [f"label={value!r}" for value in self.label_values_]
            names.append("label unseen")
        if "attributes" in self.node_features_:
            names += [f"attribute={number}" for number in range(self.n_attributes_)]
        if "degrees" in self.node_features_:
            names += [
                f"degree={low}" if low == high else f"degree={low}-{high}"
                for low, high in self.degree_bins_.tolist()
            ]
        return np.array(names, dtype=object)

    def _select(self, batch: GraphBatch) -> tuple[str, ...]:
        """Return the node features that are used for these training graphs."""
        selection = check_node_features(self.node_features)
        if selection is None:
            is_present = (batch.node_labels is not None, batch.n_attributes > 0)
            pairs = zip(NODE_FEATURES, is_present, strict=False)
            selection = tuple(name for name, present in pairs if present) or ("degrees",)
        return selection

    def _label_columns(self, batch: GraphBatch) -> IndexArray:
        labels = _require(batch.node_labels, "labels")
        column: dict[Hashable, int] = {
            value: number for number, value in enumerate(self.label_values_)
        }
        unseen = len(column)
        table = [column.get(value, unseen) for value in batch.label_values]
        columns: IndexArray = np.array(table, dtype=np.int64)[labels]
        return columns

    def _encode_attributes(self, batch: GraphBatch) -> FloatArray:
        rows = _require(batch.node_attributes, "attributes")
        if rows.shape[1] != self.n_attributes_:
            raise InputError(
                f"The graphs have {rows.shape[1]} node attributes, but the encoder was "
                f"fitted with {self.n_attributes_}; give the same attributes."
            )
        if not rows.size or self.scaler_ is None:
            return np.zeros(rows.shape)
        scaled = self.scaler_.transform(check_size(rows)).clip(-_LARGEST, _LARGEST)
        unit: FloatArray = normalize(scaled)
        return unit


def _require(column: Any, what: str) -> Any:
    if column is None:
        raise InputError(
            f"The graphs have no node {what}, but those of fit had; give them, or fit to "
            f"graphs without {what}."
        )
    return column


def check_size(rows: FloatArray) -> FloatArray:
    """Raise if an attribute is too large to be squared."""
    largest = float(np.abs(rows).max())
    if largest > _LARGEST:
        raise InputError(
            f"A node attribute is as large as {largest}, beyond what can be squared; "
            "scale the attributes down."
        )
    return rows


def _one_hot(columns: IndexArray, n_columns: int) -> FloatArray:
    rows = np.zeros((len(columns), n_columns))
    rows[np.arange(len(columns)), columns] = 1
    return rows


def _learn_bins(degrees: IndexArray, max_degree: int) -> IndexArray:
    """Return first and last degree of every bin that holds a training degree."""
    seen = np.unique(degrees)
    if not len(seen):
        seen = np.zeros(1, dtype=np.int64)  # no nodes: one column, for whatever comes
    largest = int(seen[-1])
    starts = _bin_starts(min(max_degree, largest), largest)
    used = np.unique(np.searchsorted(starts, seen, side="right") - 1)
    return np.column_stack([starts[used], starts[used + 1] - 1])


def _bin_starts(max_degree: int, largest: int) -> IndexArray:
    """Return where bins begin: one each up to ``max_degree``, then ever wider ones."""
    wider = [max_degree + 1]
    while wider[-1] <= largest:
        wider.append(max(wider[-1] + 1, round(wider[-1] * _BIN_GROWTH)))
    return np.concatenate([np.arange(max_degree + 1), wider])


def _nearest_bin(degrees: IndexArray, bins: IndexArray) -> IndexArray:
    """Return the bin of every degree, else the nearest one, of two the lower."""
    above = np.searchsorted(bins[:, 0], degrees, side="right").clip(0, len(bins) - 1)
    below = (np.searchsorted(bins[:, 0], degrees, side="right") - 1).clip(0)
    gap_below = np.maximum(degrees - bins[below, 1], 0)
    gap_above = np.abs(bins[above, 0] - degrees)
    nearest: IndexArray = np.where(gap_below <= gap_above, below, above)
    return nearest
