"""The Nyström map onto the span of the landmarks of a Gaussian kernel."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from gskn._blas import in_product, multiply
from gskn._gaussian import gaussian_kernel
from gskn._types import FloatArray


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
        gram = gaussian_kernel(landmarks, landmarks, bandwidth)
        return cls(landmarks, inverse_sqrt(gram, eps))

    @property
    def n_landmarks(self) -> int:
        """Number of coordinates."""
        return len(self.landmarks)
