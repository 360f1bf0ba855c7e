"""The joint branch: features and pattern of the same walk.

The joint kernel of two walks is the product of the Gaussian kernel of their features, with
bandwidth alpha, and of their patterns, with bandwidth beta. It distinguishes "a ring of six
carbons" from "carbons, and a ring of six".
"""

from dataclasses import dataclass

import numpy as np

from gskn._gaussian import gaussian_kernel
from gskn._types import AnyArray, BoolArray, FloatArray
from gskn.layers._anonymous import one_hot_patterns
from gskn.layers._enumerated import EnumeratedLayer
from gskn.layers._sequences import count_feature_columns
from gskn.walks import patterns


@dataclass
class JointLayer(EnumeratedLayer):
    """Sum over all walks from a node of the joint kernel with every landmark."""

    ignored_parameters = frozenset({"anonymous_length", "rare_walks"})
    only_paths = False

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: features, then symbols."""
        n_of_features = count_feature_columns(length, n_features, n_edge_features)
        return n_of_features + length * length

    def _may_be_landmarks(self, symbols: AnyArray) -> BoolArray:
        return np.ones(len(symbols), dtype=bool)

    def _points(self, features: FloatArray, symbols: AnyArray) -> FloatArray:
        flat = features * np.sqrt(self.params.alpha)
        return np.hstack([flat, one_hot_patterns(symbols) * np.sqrt(self.params.beta)])

    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        vectors = one_hot_patterns(patterns(length, staying=True))
        parts = landmarks[:, landmarks.shape[1] - vectors.shape[1] :]
        return gaussian_kernel(vectors * np.sqrt(self.params.beta), parts, 1.0)
