"""Features along walks: as codes, as points, and as factors of a Gaussian kernel.

The point of a walk consists of the feature vectors of its nodes, then of its steps if
walks compare edges. A Gaussian kernel of points is a product of one factor for every node
and every step.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gskn._gaussian import gaussian_kernel
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.layers._features import NodeFeatures


def count_feature_columns(length: int, n_features: int, n_edge_features: int) -> int:
    """Return the number of columns of the features along a walk."""
    return length * n_features + (length - 1) * n_edge_features


def count_nodes(features: NodeFeatures, n_codes: int) -> int:
    """Return the number of nodes of walks with ``n_codes`` codes of nodes and steps."""
    return n_codes if features.edges is None else (n_codes + 1) // 2


@dataclass(frozen=True)
class CodedWalks:
    """Walks as codes of features: of their nodes, and of their steps.

    Attributes
    ----------
    nodes : ndarray of shape (n_walks, length)
        Code of the features of every node.
    steps : ndarray of shape (n_walks, length - 1) or (n_walks, 0)
        Code of the features of every step; no columns if walks do not compare edges.
    """

    nodes: IndexArray
    steps: IndexArray

    @classmethod
    def from_walks(cls, batch: GraphBatch, features: NodeFeatures, walks: AnyArray) -> Self:
        """Return the codes along walks."""
        steps = np.empty((len(walks), 0), dtype=np.int64)
        if features.edges is not None:
            steps = features.edges.codes_along(batch, walks)
        return cls(features.codes[walks], steps)

    @property
    def all_codes(self) -> IndexArray:
        """Codes of all nodes, then of all steps."""
        return np.hstack([self.nodes, self.steps])

    def first_codes(self, length: int, walks: BoolArray | slice) -> IndexArray:
        """Return the codes of the first ``length`` nodes, and of the steps between them."""
        nodes, steps = self.nodes[walks, :length], self.steps[walks, : length - 1]
        return np.hstack([nodes, steps])


def points_along(features: NodeFeatures, codes: IndexArray, length: int) -> FloatArray:
    """Return the points of walks, given the codes of nodes and steps."""
    n_walks = len(codes)
    points: FloatArray = features.table[codes[:, :length]].reshape(n_walks, -1)
    if features.edges is None:
        return points
    steps = features.edges.table[codes[:, length : 2 * length - 1]].reshape(n_walks, -1)
    return np.hstack([points, steps])


def node_factors(
    features: NodeFeatures, landmarks: FloatArray, length: int, bandwidth: float
) -> list[FloatArray]:
    """Return the factors of distinct feature vectors of nodes at every position."""
    parts = landmarks[:, : length * features.n_features]
    parts = parts.reshape(len(landmarks), length, features.n_features)
    return [gaussian_kernel(features.table, parts[:, j], bandwidth) for j in range(length)]


def step_factors(
    features: NodeFeatures, landmarks: FloatArray, length: int, bandwidth: float
) -> list[FloatArray | None]:
    """Return the factors of distinct feature vectors of edges at every step.

    They are None if walks do not compare edges.
    """
    n_steps, edges = length - 1, features.edges
    if edges is None:
        return [None] * n_steps
    first = length * features.n_features
    parts = landmarks[:, first : first + n_steps * edges.n_features]
    parts = parts.reshape(len(landmarks), n_steps, edges.n_features)
    return [gaussian_kernel(edges.table, parts[:, j], bandwidth) for j in range(n_steps)]
