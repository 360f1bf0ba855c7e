"""The Gaussian kernel, and the Nyström map onto the span of the landmarks."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from gskn._blas import in_product, multiply
from gskn._types import FloatArray
from gskn.layers._jit_distances import refine_near


def gaussian(points: FloatArray, others: FloatArray, bandwidth: float) -> FloatArray:
    """Return ``exp(-bandwidth / 2 |x - z|^2)`` for all pairs of rows."""
    points, others = np.ascontiguousarray(points), np.ascontiguousarray(others)
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    distances = squares - 2.0 * multiply(points, others.T)
    # The distance of near points is a difference of large numbers. Times a large
    # bandwidth, its rounding error would be an error of the kernel that depends on the
    # other points of the product.
    refine_near(points, others, squares, distances)
    np.maximum(distances, 0.0, out=distances)  # norms of zero leave nothing to refine
    distances *= -0.5 * bandwidth
    kernel: FloatArray = np.exp(distances, out=distances)
    return kernel


def inverse_sqrt(gram: FloatArray, eps: float) -> FloatArray:
    """Return ``(gram + eps I)^(-1/2)`` of a positive semi-definite matrix."""
    with in_product():
        values, vectors = eigh(gram)
    # Directions below this are rounding noise. Clipping them to a floor would divide that
    # noise by the root of the floor; dropping them loses nothing.
    significant = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    roots = np.zeros_like(values)
    roots[significant] = 1.0 / np.sqrt(values[significant] + eps)
    root: FloatArray = multiply(vectors * roots, vectors.T)
    return root


@dataclass(frozen=True)
class NystromMap:
    """Landmarks, and the matrix that maps kernel values to coordinates.

    The coordinates of a point x are ``root @ k(landmarks, x)``. Their inner products are
    the inner products of the projections onto the span of the landmarks (paper Eq. 12).

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Landmarks, one per row.
    root : ndarray of shape (n_landmarks, n_landmarks)
        ``(K + eps I)^(-1/2)`` of the kernel K between landmarks.
    """

    landmarks: FloatArray
    root: FloatArray

    @classmethod
    def from_landmarks(cls, landmarks: FloatArray, bandwidth: float, eps: float) -> Self:
        """Build the map of a Gaussian kernel."""
        gram = gaussian(landmarks, landmarks, bandwidth)
        return cls(landmarks, inverse_sqrt(gram, eps))

    @property
    def n_landmarks(self) -> int:
        """Number of coordinates."""
        return len(self.landmarks)
