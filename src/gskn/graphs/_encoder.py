"""AttributeEncoder: node labels, attributes and degrees as real vectors."""

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

LARGEST = 1e150  # absolute value of an attribute, so that sums of squares are finite
_BIN_GROWTH = 2**0.25  # four bins for every doubling of the degree
_MAX_DEGREE_COLUMNS = 1024
_MAX_WIDE_BINS = 90  # from degree 900 to 2^31 there are 85


# There is one row per node, so set_output of scikit-learn cannot use the index of X.
class AttributeEncoder(  # type: ignore[call-arg]
    TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    """Encode the nodes of graphs as real vectors.

    Every kind of node data is a block of columns in which a row has unit norm or is zero:

    - labels are one-hot encoded, with one more column for all labels not seen in `fit`;
    - attributes are standardized by the training nodes and scaled to unit norm;
    - degrees are one-hot encoded, with one more column for all degrees not seen in `fit`.

    Parameters
    ----------
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data to encode. "auto" selects labels and attributes if the training graphs
        have them, and degrees if they have neither.
    max_degree : int or None, default=None
        None: every degree of the training graphs has a separate column. If there are more
        than 1,024 degrees, the largest ones are binned. An integer is the largest degree
        with a separate column: larger degrees are binned, the width of the bins grows with
        the degree, and a degree not seen in `fit` belongs to the nearest column.

    Attributes
    ----------
    node_features_ : tuple of str
        Node data that is encoded.
    label_values_ : tuple
        Labels seen in `fit`, in the order of their columns.
    max_degree_ : int or None
        Value of ``max_degree`` in `fit`.
    degree_bins_ : ndarray of shape (n_bins, 2)
        Smallest and largest degree of every column, except the column of unseen degrees.
    n_features_out_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> encoder = AttributeEncoder().fit([path])
    >>> encoder.transform([path])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 0., 0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['degree=1', 'degree=2', 'degree unseen']
    """

    def __init__(
        self, *, node_features: str | Sequence[str] = "auto", max_degree: int | None = None
    ) -> None:
        self.node_features = node_features
        self.max_degree = max_degree

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Learn labels, statistics of attributes and degrees of graphs.

        Parameters
        ----------
        X : GraphBatch or any input of `as_batch`
            Training graphs.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : AttributeEncoder
            The fitted encoder.
        """
        max_degree = check_max_degree(self.max_degree)
        batch = as_batch(X)
        selection = select_node_features(self.node_features, batch)
        n_columns = 0
        if "labels" in selection:
            labels = _require(batch.node_labels, "labels")
            present = np.unique(labels)
            self.label_values_ = tuple(batch.label_values[number] for number in present)
            n_columns += len(present) + 1
        if "attributes" in selection:
            values = _require(batch.node_attributes, "attributes")
            self.scaler_ = StandardScaler().fit(check_size(values)) if values.size else None
            self.n_attributes_ = values.shape[1]
            n_columns += values.shape[1]
        self.max_degree_ = max_degree
        if "degrees" in selection:
            self.degree_bins_ = _learn_bins(batch.degrees, max_degree)
            n_columns += self.n_degree_columns
        self.node_features_ = selection
        self.n_features_out_ = n_columns
        return self

    def transform(self, X: Any) -> FloatArray:
        """Encode the nodes of graphs.

        Parameters
        ----------
        X : GraphBatch or any input of `as_batch`
            Graphs.

        Returns
        -------
        features : ndarray of shape (n_nodes, n_features_out)
            One row per node, in node order.
        """
        check_is_fitted(self, "node_features_")
        batch = as_batch(X)
        if not batch.n_nodes:  # may lack labels and attributes
            return np.empty((0, self.n_features_out_))
        blocks = [np.empty((batch.n_nodes, 0))]
        if "labels" in self.node_features_:
            n_columns = len(self.label_values_) + 1
            blocks.append(_one_hot(self._label_columns(batch), n_columns))
        if "attributes" in self.node_features_:
            blocks.append(self._encode_attributes(batch))
        if "degrees" in self.node_features_:
            columns = self._degree_columns(batch)
            blocks.append(_one_hot(columns, self.n_degree_columns))
        return np.hstack(blocks)

    def distinct_rows(self, X: Any) -> tuple[FloatArray, IndexArray]:
        """Return the distinct rows of `transform`, and the row of every node.

        This takes less memory than `transform`: there are few different labels and degrees.

        Parameters
        ----------
        X : GraphBatch or any input of `as_batch`
            Graphs.

        Returns
        -------
        features : ndarray of shape (n_distinct, n_features_out)
            Distinct rows.
        codes : ndarray of shape (n_nodes,)
            Index of the row of every node: ``features[codes]`` equals ``transform(X)``.
        """
        check_is_fitted(self, "node_features_")
        batch = as_batch(X)
        if "attributes" in self.node_features_ or not batch.n_nodes:
            features = self.transform(batch)
            first, codes = distinct(features)
            return features[first], codes
        columns, sizes = [], []
        if "labels" in self.node_features_:
            columns.append(self._label_columns(batch))
            sizes.append(len(self.label_values_) + 1)
        if "degrees" in self.node_features_:
            columns.append(self._degree_columns(batch))
            sizes.append(self.n_degree_columns)
        keys, codes = np.unique(np.ravel_multi_index(columns, sizes), return_inverse=True)
        split = np.unravel_index(keys, sizes)
        blocks = [_one_hot(part, size) for part, size in zip(split, sizes, strict=True)]
        return np.hstack(blocks), codes

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object, default=None
            Ignored.

        Returns
        -------
        names : ndarray of str of shape (n_features_out,)
            For instance ``"label='C'"`` or ``"degree=3"``.
        """
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
            names += ["degree unseen"] if self.max_degree_ is None else []
        return np.array(names, dtype=object)

    def _label_columns(self, batch: GraphBatch) -> IndexArray:
        """Return the column of the label of every node."""
        labels = _require(batch.node_labels, "labels")
        column: dict[Hashable, int] = {
            value: number for number, value in enumerate(self.label_values_)
        }
        unseen = len(column)
        table = [column.get(value, unseen) for value in batch.label_values]
        columns: IndexArray = np.array(table, dtype=np.int64)[labels]
        return columns

    @property
    def n_degree_columns(self) -> int:
        """Number of columns for degrees."""
        return len(self.degree_bins_) + (self.max_degree_ is None)

    def _degree_columns(self, batch: GraphBatch) -> IndexArray:
        """Return the column of the degree of every node."""
        if self.max_degree_ is None:
            return _containing_bin(batch.degrees, self.degree_bins_)
        return _nearest_bin(batch.degrees, self.degree_bins_)

    def _encode_attributes(self, batch: GraphBatch) -> FloatArray:
        values = _require(batch.node_attributes, "attributes")
        if values.shape[1] != self.n_attributes_:
            raise InputError(
                f"The graphs have {values.shape[1]} node attributes, but the encoder was "
                f"fitted with {self.n_attributes_}; give the same attributes."
            )
        if not values.size or self.scaler_ is None:
            return np.zeros(values.shape)
        scaled = self.scaler_.transform(check_size(values)).clip(-LARGEST, LARGEST)
        unit: FloatArray = normalize(scaled)
        return unit


def select_node_features(
    node_features: str | Sequence[str], batch: GraphBatch
) -> tuple[str, ...]:
    """Return the node features that are used for these training graphs."""
    selection = check_node_features(node_features)
    if selection is None:
        is_present = (batch.node_labels is not None, batch.n_attributes > 0)
        pairs = zip(NODE_FEATURES, is_present, strict=False)
        selection = tuple(name for name, present in pairs if present) or ("degrees",)
    return selection


def check_max_degree(max_degree: object) -> int | None:
    """Return ``max_degree``, None or an integer that is not negative."""
    if max_degree is None:
        return None
    return check_int(max_degree, "max_degree", minimum=0)


def _require(column: Any, what: str) -> Any:
    if column is None:
        raise InputError(
            f"The graphs have no node {what}, but the training graphs have; give them, or "
            f"fit to graphs without {what}."
        )
    return column


def check_size(attributes: FloatArray, what: str = "A node attribute") -> FloatArray:
    """Return the attributes; raise if the square of one would overflow."""
    largest = float(np.abs(attributes).max())
    if largest > LARGEST:
        raise InputError(
            f"{what} has the absolute value {largest}, whose square overflows; "
            "scale the attributes down."
        )
    return attributes


def _one_hot(columns: IndexArray, n_columns: int) -> FloatArray:
    encoded = np.zeros((len(columns), n_columns))
    encoded[np.arange(len(columns)), columns] = 1
    return encoded


def _learn_bins(degrees: IndexArray, max_degree: int | None) -> IndexArray:
    """Return the first and last degree of every bin that contains a training degree."""
    values = np.unique(degrees)
    if not len(values):
        values = np.zeros(1, dtype=np.int64)  # no nodes: one column for all degrees
    if max_degree is None:
        if len(values) <= _MAX_DEGREE_COLUMNS:
            return np.column_stack([values, values])
        max_degree = int(values[_MAX_DEGREE_COLUMNS - _MAX_WIDE_BINS - 1])
    largest = int(values[-1])
    starts = _bin_starts(min(max_degree, largest), largest)
    used = np.unique(np.searchsorted(starts, values, side="right") - 1)
    return np.column_stack([starts[used], starts[used + 1] - 1])


def _bin_starts(max_degree: int, largest: int) -> IndexArray:
    """Return the first degree of every bin; bins beyond ``max_degree`` grow wider."""
    wider = [max_degree + 1]
    while wider[-1] <= largest:
        wider.append(max(wider[-1] + 1, round(wider[-1] * _BIN_GROWTH)))
    return np.concatenate([np.arange(max_degree + 1), wider])


def _nearest_bin(degrees: IndexArray, bins: IndexArray) -> IndexArray:
    """Return the bin of every degree, or the nearest bin, in a tie the lower one."""
    above = np.searchsorted(bins[:, 0], degrees, side="right").clip(0, len(bins) - 1)
    below = (np.searchsorted(bins[:, 0], degrees, side="right") - 1).clip(0)
    gap_below = np.maximum(degrees - bins[below, 1], 0)
    gap_above = np.abs(bins[above, 0] - degrees)
    nearest: IndexArray = np.where(gap_below <= gap_above, below, above)
    return nearest


def _containing_bin(degrees: IndexArray, bins: IndexArray) -> IndexArray:
    """Return the bin of every degree, and the number of bins for a degree outside."""
    below = np.searchsorted(bins[:, 0], degrees, side="right") - 1
    inside = (below >= 0) & (degrees <= bins[below, 1])
    columns: IndexArray = np.where(inside, below, len(bins))
    return columns
