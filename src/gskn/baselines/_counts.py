"""Counts of what graphs contain: an explicit feature space, as large as it needs to be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.baselines._jit_colours import add_intersections
from gskn.graphs import GraphBatch

_DENSE = 0.02  # share of products other than zero above which dense matrices are faster


@dataclass(frozen=True)
class Counts:
    """How often every graph contains each of the values seen in fit.

    Attributes
    ----------
    values : ndarray
        What is counted, sorted: integers, or anything that can be compared.
    matrix : csr_array of shape (n_graphs, n_values)
        How often.
    squares : ndarray of shape (n_graphs,)
        Sum of squares over all that a graph contains, also what was not seen in fit.
    totals : ndarray of shape (n_graphs,)
        How much a graph contains, also of what was not seen in fit.
    """

    values: AnyArray
    matrix: csr_array
    squares: FloatArray
    totals: FloatArray

    @staticmethod
    def of(
        found: AnyArray,
        graphs: IndexArray,
        n_graphs: int,
        known: AnyArray | None = None,
        weights: FloatArray | None = None,
    ) -> "Counts":
        """Count values, each found in one graph; columns are those known, or all."""
        values, columns = np.unique(found, return_inverse=True)
        given = np.ones(len(found)) if weights is None else weights
        shape = (n_graphs, len(values))
        matrix = csr_array((given, (graphs, columns.ravel())), shape=shape)
        matrix.sum_duplicates()
        squares = np.asarray((matrix**2).sum(axis=1)).ravel()
        totals = np.asarray(matrix.sum(axis=1)).ravel()
        if known is None:
            return Counts(values, matrix, squares, totals)
        places = np.searchsorted(known, values)
        places[places == len(known)] = 0
        same = np.flatnonzero(known[places] == values) if len(known) else np.empty(0, int)
        kept = csr_array(
            (np.ones(len(same)), (same, places[same])), shape=(len(values), len(known))
        )
        return Counts(known, csr_array(matrix @ kept), squares, totals)

    def compare(self, other: "Counts") -> FloatArray:
        """Return inner products; the other one has the columns of fit."""
        used, others = (np.diff(m.tocsc().indptr) for m in (self.matrix, other.matrix))
        n_products = len(used) * self.matrix.shape[0] * other.matrix.shape[0]
        if used @ others > _DENSE * n_products:
            return multiply(self.matrix.toarray(), other.matrix.toarray().T)
        return np.asarray((self.matrix @ other.matrix.T).toarray())

    def intersect(self, other: "Counts") -> FloatArray:
        """Return sums of the smaller of two counts; the other has the columns of fit."""
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
    rounds: Iterable[AnyArray],
    batch: GraphBatch,
    known: Sequence[Counts] | None = None,
    weights: FloatArray | None = None,
) -> list[Counts]:
    """Count values of nodes, for every round of values; columns are those known, or all."""
    return [
        Counts.of(
            *(values, batch.node_graphs, batch.n_graphs),
            None if known is None else known[number].values,
            weights,
        )
        for number, values in enumerate(rounds)
    ]


def compare_all(left: Sequence[Counts], right: Sequence[Counts]) -> FloatArray:
    """Return the sum of inner products; the other ones have the columns of fit."""
    pairs = zip(left, right, strict=True)
    return np.asarray(sum(one.compare(other) for one, other in pairs))


def squares_of_all(described: Sequence[Counts]) -> FloatArray:
    """Return the sum of squares of everything that graphs contain."""
    return np.asarray(sum(counts.squares for counts in described))
