"""Compiled loops for the signed sums of Möbius inversion."""

import numpy as np

from gskn._loops import CsrArrays
from gskn._numba import jit
from gskn._types import FloatArray

_N_COLUMNS = 64  # nodes whose sums are added up at once


@jit
def fill_signed_rows(
    signs: CsrArrays, sums: FloatArray, start: int, noise: float, rows: CsrArrays
) -> float:
    """Write the signed sums of nodes from ``start`` on as rows of a CSR matrix.

    Return the largest sum of absolute values.
    """
    indptr, indices, data = rows.indptr, rows.indices, rows.data
    totals = np.empty((len(signs.indptr) - 1, _N_COLUMNS))
    n_entries, largest, n_rows = 0, 0.0, len(indptr) - 1
    indptr[0] = 0
    for first in range(0, n_rows, _N_COLUMNS):
        bound = fill_signed_sums(signs, sums, start + first, noise, totals)
        largest = max(largest, bound)
        for i in range(min(_N_COLUMNS, n_rows - first)):
            for pattern in range(len(totals)):
                if totals[pattern, i] != 0.0:
                    indices[n_entries] = pattern
                    data[n_entries] = totals[pattern, i]
                    n_entries += 1
            indptr[first + i + 1] = n_entries
    return largest


@jit
def fill_signed_sums(
    signs: CsrArrays, sums: FloatArray, first: int, noise: float, totals: FloatArray
) -> float:
    """Overwrite ``totals`` with the signed sums of every pattern; rounding errors are 0.

    The rows of ``signs`` and ``totals`` are patterns. The columns of ``totals`` are nodes,
    the columns of ``sums`` from ``first`` on; adjacent columns are added up at once. A
    total is a rounding error if it is negative, or below ``noise`` times the sum of
    absolute values. Return the largest sum of absolute values.
    """
    pointers, columns, factors = signs.indptr, signs.indices, signs.data
    n_columns = min(totals.shape[1], sums.shape[1] - first)
    bounds = np.empty(n_columns)
    largest = 0.0
    for pattern in range(len(totals)):
        total = totals[pattern]
        for i in range(n_columns):
            total[i], bounds[i] = 0.0, 0.0
        for entry in range(pointers[pattern], pointers[pattern + 1]):
            factor, row = factors[entry], sums[columns[entry]]
            size = abs(factor)
            for i in range(n_columns):
                total[i] += factor * row[first + i]
                bounds[i] += size * row[first + i]
        for i in range(n_columns):
            largest = max(largest, bounds[i])
            total[i] = total[i] if total[i] > noise * bounds[i] else 0.0
    return largest
