"""Histograms of colors: the power of color refinement as features of fixed size."""

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_DIMENSIONS, MAX_EXACT_LENGTH, MAX_ITERATIONS
from gskn._types import FloatArray, IndexArray, NameArray
from gskn._validation import check_cells, check_choice, check_common_parameters, check_int
from gskn.colors import hash_rounds
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch, warn_unused_edges
from gskn.walks import pattern_counts


class ColorHistogram(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Count the colors of nodes after every round of refinement.

    Colors are hashed to a fixed number of columns, so that there is nothing to fit: the
    embedding of a graph does not depend on other graphs. Half of the colors, chosen by the
    hash, count negative, so that the sums of colors in one column cancel on average.

    Parameters
    ----------
    method : {"1-wl", "2-fwl"}, default="1-wl"
        Refinement of the colors of nodes, or of pairs; for pairs, the color of a node
        consists of the colors of its pairs. See `gskn.colors`.
    n_rounds : int, default=3
        Number of rounds.
    n_columns : int, default=64
        Columns for every round, and for the initial colors.
    pattern_length : int, default=0
        Initial colors are the counts of the patterns of this length (`pattern_counts`), at
        most 8; 0 for equal colors.
    labels : bool, default=True
        Whether to use the labels of nodes and edges.
    normalize : bool, default=False
        Whether to divide the counts of a graph by its number of nodes.

    Attributes
    ----------
    n_features_out_ : int
        Number of columns.

    See Also
    --------
    gskn.baselines.WLKernel : Kernel of the colors of all rounds, without hashing.

    Examples
    --------
    >>> from gskn import datasets
    >>> from gskn.estimators import ColorHistogram
    >>> ring, triangles = ColorHistogram(pattern_length=4).fit_transform(
    ...     datasets.rings(3).graphs
    ... )
    >>> ring.shape, bool((ring == triangles).all())
    ((256,), False)
    """

    def __init__(
        self,
        method: str = "1-wl",
        *,
        n_rounds: int = 3,
        n_columns: int = 64,
        pattern_length: int = 0,
        labels: bool = True,
        normalize: bool = False,
    ) -> None:
        self.method = method
        self.n_rounds = n_rounds
        self.n_columns = n_columns
        self.pattern_length = pattern_length
        self.labels = labels
        self.normalize = normalize

    def fit(self, X: Any, y: object = None) -> Self:
        """Check the parameters.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : ColorHistogram
            The fitted transformer.
        """
        check_common_parameters(self)
        check_choice(self.method, "method", choices=["1-wl", "2-fwl"])
        n_rounds = check_int(self.n_rounds, "n_rounds", minimum=0, maximum=MAX_ITERATIONS)
        check_int(self.n_columns, "n_columns", minimum=1, maximum=MAX_DIMENSIONS)
        check_int(
            self.pattern_length, "pattern_length", minimum=0, maximum=MAX_EXACT_LENGTH
        )
        batch = as_batch(X)
        if self.labels:
            warn_unused_edges(batch, type(self).__name__, used=("labels",))
        self.n_features_out_ = (n_rounds + 1) * self.n_columns
        return self

    def transform(self, X: Any) -> FloatArray:
        """Embed graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_features)
            One embedding per graph.
        """
        batch, columns, signs = self._columns(X)
        self._check_size(batch.n_graphs)
        counts = np.zeros((batch.n_graphs, self.n_features_out_))
        owners = np.broadcast_to(batch.node_graphs, columns.shape)
        np.add.at(counts, (owners, columns), signs)
        if self.normalize:
            counts /= np.maximum(batch.graph_sizes, 1)[:, None]
        return counts

    def transform_nodes(self, X: Any) -> FloatArray:
        """Embed nodes: 1 or -1 in the column of the color of every round.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        node_embeddings : ndarray of shape (n_nodes, n_features)
            One row per node, in the order of the nodes of all graphs.
        """
        batch, columns, signs = self._columns(X)
        self._check_size(batch.n_nodes)
        rows = np.zeros((batch.n_nodes, self.n_features_out_))
        rows[np.broadcast_to(np.arange(batch.n_nodes), columns.shape), columns] = signs
        return rows

    def get_feature_names_out(self, input_features: object = None) -> NameArray:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of str
            Round and column.
        """
        check_is_fitted(self, "n_features_out_")
        rounds, columns = np.divmod(np.arange(self.n_features_out_), self.n_columns)
        return np.array(
            [f"color_{a}_{b}" for a, b in zip(rounds, columns, strict=True)], dtype=object
        )

    def _columns(self, X: Any) -> tuple[GraphBatch, IndexArray, FloatArray]:
        """Return the column and the sign of every round and node."""
        check_is_fitted(self, "n_features_out_")
        batch = as_batch(X)
        initial = None
        if self.pattern_length and batch.n_nodes:
            initial = _pattern_rows(batch, self.pattern_length)
        hashes = hash_rounds(
            batch,
            initial,
            method=self.method,
            n_rounds=self.n_rounds,
            labels=self.labels,
        )
        size = np.uint64(self.n_columns)
        columns = (hashes[:, 0] % size).astype(np.int64)
        columns += np.arange(len(hashes))[:, None] * self.n_columns
        return batch, columns, np.where(hashes[:, 1] & np.uint64(1), 1.0, -1.0)

    def _check_size(self, n_rows: int) -> None:
        check_cells(
            float(n_rows) * self.n_features_out_,
            f"{self.n_features_out_} columns for {n_rows} rows",
            "use a smaller n_columns, or pass fewer graphs at a time",
        )


def _pattern_rows(batch: GraphBatch, length: int) -> csr_array:
    try:
        return pattern_counts(batch, length, weighting="count").rows
    except InputError as error:
        raise InputError(
            f"A graph is too large for exact patterns of {length} nodes; use a smaller "
            "pattern_length."
        ) from error
