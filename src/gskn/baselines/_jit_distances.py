"""Compiled loop over pairs of rows; it sees arrays only."""

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray

_STRIP = 64


@jit
def subtract_distances(
    rows: FloatArray, columns: FloatArray, width: float, out: FloatArray
) -> None:
    """Subtract from ``out[i, j]`` the distance of row i and column j, over the width.

    Equal rows have distance zero, which sums of inner products do not give. Columns are
    taken in strips that stay in the nearest cache; within a strip the inner loop runs over
    columns, which are independent, and the processor takes several at once.
    """
    n_columns = columns.shape[1]
    squares = np.empty(_STRIP)
    strip = np.zeros((columns.shape[0], _STRIP))
    for first in range(0, n_columns, _STRIP):
        n_here = min(_STRIP, n_columns - first)
        strip[:, :n_here] = columns[:, first : first + n_here]
        for row in range(len(rows)):
            squares[:] = 0.0
            for step in range(len(strip)):
                value = rows[row, step]
                for column in range(_STRIP):
                    gap = value - strip[step, column]
                    squares[column] += gap * gap
            for column in range(n_here):
                out[row, first + column] -= np.sqrt(squares[column]) / width
