"""Compiled loop for accurate distances of near points."""

from gskn._numba import jit
from gskn._types import FloatArray


@jit
def refine_near(
    points: FloatArray, others: FloatArray, squares: FloatArray, distances: FloatArray
) -> None:
    """Overwrite squared distances that are small against ``squares`` with exact ones.

    ``squares`` is the sum of the squared norms of both points.
    """
    n_points, n_others = distances.shape
    for i in range(n_points):
        for z in range(n_others):
            if distances[i, z] < squares[i, z] / 1024.0:
                total = 0.0
                for column in range(points.shape[1]):
                    gap = points[i, column] - others[z, column]
                    total += gap * gap
                distances[i, z] = total
