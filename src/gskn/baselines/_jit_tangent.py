"""Compiled loop: one infinitely wide layer with rectified units."""

import math

from gskn._numba import jit
from gskn._types import FloatArray


@jit
def pass_layer(
    sigma: FloatArray, theta: FloatArray, left: FloatArray, right: FloatArray
) -> None:
    """Overwrite covariances of units and tangent kernels by those after the layer.

    ``left`` and ``right`` are the roots of the variances of rows and columns.
    """
    for row in range(sigma.shape[0]):
        for column in range(sigma.shape[1]):
            scale = left[row] * right[column]
            cosine = sigma[row, column] / scale if scale > 0 else 0.0
            cosine = min(max(cosine, -1.0), 1.0)
            slope = 1 - math.acos(cosine) / math.pi
            value = cosine * slope + math.sqrt(1 - cosine * cosine) / math.pi
            sigma[row, column] = scale * value
            theta[row, column] = theta[row, column] * slope + scale * value
