"""The Gaussian kernel between points."""

import numpy as np

from gskn._blas import multiply
from gskn._loops import refine_near
from gskn._types import FloatArray


def gaussian_kernel(points: FloatArray, others: FloatArray, bandwidth: float) -> FloatArray:
    """Return ``exp(-bandwidth / 2 |x - z|^2)`` for all pairs of points x and z."""
    points, others = np.ascontiguousarray(points), np.ascontiguousarray(others)
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    distances = squares - 2.0 * multiply(points, others.T)
    # The distance of near points is a difference of large numbers. Multiplied by a large
    # bandwidth, its rounding error would be an error of the kernel that depends on the
    # other points of the product.
    refine_near(points, others, squares, distances)
    np.maximum(distances, 0.0, out=distances)  # points of norm zero are not refined
    return gaussian_of_distances(distances, bandwidth)


def gaussian_of_distances(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Overwrite squared distances with ``exp(-bandwidth / 2 * distance)``; return them."""
    distances *= -0.5 * bandwidth
    kernel: FloatArray = np.exp(distances, out=distances)
    return kernel
