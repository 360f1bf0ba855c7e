"""Compiled loop over pairs of points."""

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray

_STRIP = 64


@jit
def subtract_distances(
    points: FloatArray, columns: FloatArray, width: float, out: FloatArray
) -> None:
    """Subtract from ``out[i, j]`` the distance of point i and column j, over the width.

    Equal points have distance zero exactly, which a formula with inner products does not
    guarantee. Columns are processed in strips that fit in the L1 cache; the inner loop
    runs over the columns of a strip, so that it can be vectorized.
    """
    n_columns = columns.shape[1]
    squares = np.empty(_STRIP)
    strip = np.zeros((columns.shape[0], _STRIP))
    for first in range(0, n_columns, _STRIP):
        n_here = min(_STRIP, n_columns - first)
        strip[:, :n_here] = columns[:, first : first + n_here]
        for row in range(len(points)):
            squares[:] = 0.0
            for dimension in range(len(strip)):
                value = points[row, dimension]
                for column in range(_STRIP):
                    difference = value - strip[dimension, column]
                    squares[column] += difference * difference
            for column in range(n_here):
                out[row, first + column] -= np.sqrt(squares[column]) / width
