"""Features that enter a layer; nodes or edges with equal features share one row."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks import values_of_steps


@dataclass(frozen=True)
class EdgeFeatures:
    """Distinct feature vectors, and the index of the vector of every edge.

    Attributes
    ----------
    table : ndarray of shape (n_distinct, n_features)
        Distinct vectors. The last one belongs to steps without an edge: at a dead end, a
        walk stays.
    codes : ndarray of shape (n_entries,)
        Index of the vector of every entry of the adjacency matrix.
    """

    table: FloatArray
    codes: IndexArray

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.table.shape[1])

    @property
    def staying(self) -> int:
        """Index of the vector of steps without an edge."""
        return len(self.table) - 1

    def codes_of_steps(self, batch: GraphBatch) -> IndexArray:
        """Return the index for every entry of the matrix of steps.

        In this matrix, nodes without an edge have a step to themselves.
        """
        return values_of_steps(batch, self.codes, self.staying)

    def codes_along(self, batch: GraphBatch, walks: AnyArray) -> IndexArray:
        """Return the index for every step of walks, an array of shape (n_walks, length)."""
        indices, n_nodes = batch.adjacency.indices, np.int64(batch.n_nodes)
        sources = np.repeat(np.arange(n_nodes), batch.degrees)
        steps = walks[:, :-1] * n_nodes + walks[:, 1:]
        keys = sources * n_nodes + indices  # sorted, like the entries of the matrix
        places = np.searchsorted(keys, steps)
        exists = places < len(keys)
        exists[exists] = keys[places[exists]] == steps[exists]
        codes = np.full(steps.shape, self.staying)
        codes[exists] = self.codes[places[exists]]
        return codes


@dataclass(frozen=True)
class NodeFeatures:
    """Distinct feature vectors, and the index of the vector of every node.

    One-hot features have few distinct vectors, so a function of the features is computed
    once for each of these instead of once for each node.

    Attributes
    ----------
    table : ndarray of shape (n_distinct, n_features)
        Distinct vectors.
    codes : ndarray of shape (n_nodes,)
        Index of the vector of every node.
    edges : EdgeFeatures or None
        Features of the edges between the nodes; None if walks do not compare edges.
    """

    table: FloatArray
    codes: IndexArray
    edges: EdgeFeatures | None = None

    @classmethod
    def from_rows(cls, rows: FloatArray, edges: EdgeFeatures | None = None) -> Self:
        """Build from one row per node, without searching for equal rows."""
        return cls(rows, np.arange(len(rows)), edges)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.table.shape[1])

    def scaled(self, factor: float) -> "NodeFeatures":
        """Return all vectors multiplied by a factor."""
        edges = self.edges
        if edges is not None:
            edges = replace(edges, table=edges.table * factor)
        return replace(self, table=self.table * factor, edges=edges)

    @property
    def n_edge_features(self) -> int:
        """Number of columns of the features of edges."""
        return 0 if self.edges is None else self.edges.n_features


@dataclass(frozen=True)
class FeatureViews:
    """Node features of a batch, and the same features together with degrees.

    Attributes
    ----------
    plain : NodeFeatures
        Features that the model encodes.
    with_degrees : NodeFeatures or None
        These features and degrees; None if no branch needs them.
    """

    plain: NodeFeatures
    with_degrees: NodeFeatures | None = None

    def select(self, *, adds_degrees: bool) -> NodeFeatures:
        """Return the features for a branch."""
        if not adds_degrees:
            return self.plain
        if self.with_degrees is None:
            raise ValueError("The features were encoded without degrees.")
        return self.with_degrees
