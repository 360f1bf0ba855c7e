"""Explicit feature maps: how often graphs contain each of a set of values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.baselines._shared._jit_colors import add_intersections
from gskn.graphs import GraphBatch

_DENSE = 0.02  # fraction of nonzero products above which dense matrices are faster


@dataclass(frozen=True)
class Counts:
    """How often every graph contains each of the values of the training graphs.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Counted values, sorted: integers, or anything that can be compared.
    matrix : csr_array of shape (n_graphs, n_values)
        Counts.
    squares : ndarray of shape (n_graphs,)
        Sum of squared counts of all values, including values not seen in training.
    totals : ndarray of shape (n_graphs,)
        Sum of the counts of all values, including values not seen in training.
    """

    values: AnyArray
    matrix: csr_array
    squares: FloatArray
    totals: FloatArray

    @classmethod
    def from_occurrences(
        cls,
        occurrences: AnyArray,
        graphs: IndexArray,
        n_graphs: int,
        training_values: AnyArray | None = None,
        weights: FloatArray | None = None,
    ) -> Self:
        """Count occurrences of values in graphs.

        The columns are ``training_values``, or all values if that is None.
        """
        values, columns = np.unique(occurrences, return_inverse=True)
        counts = np.ones(len(occurrences)) if weights is None else weights
        shape = (n_graphs, len(values))
        matrix = csr_array((counts, (graphs, columns.ravel())), shape=shape)
        matrix.sum_duplicates()
        squares = np.asarray((matrix**2).sum(axis=1)).ravel()
        totals = np.asarray(matrix.sum(axis=1)).ravel()
        if training_values is None:
            return cls(values, matrix, squares, totals)
        selection = _select_columns(values, training_values)
        return cls(training_values, csr_array(matrix @ selection), squares, totals)

    def compare(self, other: "Counts") -> FloatArray:
        """Return inner products; ``other`` has the same columns."""
        used, other_used = (np.diff(m.tocsc().indptr) for m in (self.matrix, other.matrix))
        n_products = len(used) * self.matrix.shape[0] * other.matrix.shape[0]
        if used @ other_used > _DENSE * n_products:
            return multiply(self.matrix.toarray(), other.matrix.toarray().T)
        return np.asarray((self.matrix @ other.matrix.T).toarray())

    def intersect(self, other: "Counts") -> FloatArray:
        """Return sums of the minimum of two counts; ``other`` has the same columns."""
        rows, columns = self.matrix, other.matrix.tocsc()
        result = np.zeros((rows.shape[0], columns.shape[0]))
        add_intersections(
            rows.indptr,
            rows.indices,
            rows.data,
            columns.indptr,
            columns.indices,
            columns.data,
            result,
        )
        return result


def count_nodes(
    iterations: Iterable[AnyArray],
    batch: GraphBatch,
    training: Sequence[Counts] | None = None,
    weights: FloatArray | None = None,
) -> list[Counts]:
    """Count node values per graph, once for every iteration of values.

    The columns are the values in ``training``, or all values if that is None.
    """
    return [
        Counts.from_occurrences(
            values,
            batch.node_graphs,
            batch.n_graphs,
            training_values=None if training is None else training[iteration].values,
            weights=weights,
        )
        for iteration, values in enumerate(iterations)
    ]


def sum_products(left: Sequence[Counts], right: Sequence[Counts]) -> FloatArray:
    """Return the sum of the inner products of all iterations."""
    pairs = zip(left, right, strict=True)
    return np.asarray(sum(one.compare(other) for one, other in pairs))


def sum_squares(described: Sequence[Counts]) -> FloatArray:
    """Return the sum of the squared counts of all iterations."""
    return np.asarray(sum(counts.squares for counts in described))


def _select_columns(values: AnyArray, training_values: AnyArray) -> csr_array:
    """Return the matrix that maps columns of values to columns of training values."""
    columns = np.searchsorted(training_values, values)
    columns[columns == len(training_values)] = 0
    rows = np.empty(0, int)
    if len(training_values):
        rows = np.flatnonzero(training_values[columns] == values)
    shape = (len(values), len(training_values))
    return csr_array((np.ones(len(rows)), (rows, columns[rows])), shape=shape)
