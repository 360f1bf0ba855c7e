"""The induced branch: patterns with the edges between visited nodes."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.layers._anonymous import AnonymousLayer, one_hot_patterns
from gskn.layers._layer import GraphStatistics
from gskn.walks import MAX_INDUCED_LENGTH, PatternTable, pattern_counts


@dataclass
class InducedLayer(AnonymousLayer):
    """Sum over all walks from a node of the kernel of their induced patterns.

    An induced pattern also records which of the visited nodes are adjacent.
    """

    max_length = MAX_INDUCED_LENGTH

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: symbols and adjacency."""
        return 2 * super().n_columns(length, n_features, n_edge_features)

    def tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Count the induced patterns of all nodes, one table for every length."""
        return [
            pattern_counts(batch, length, induced=True, **self._count_options(n_jobs))
            for length in self.lengths
        ]

    def graph_statistics(
        self,
        batch: GraphBatch,  # noqa: ARG002 - part of the interface
        n_jobs: int | None,  # noqa: ARG002
    ) -> GraphStatistics | None:
        """Return None: the columns of induced patterns depend on the graphs of a call."""
        return None

    def _points(self, table: PatternTable) -> FloatArray:
        """Return one-hot symbols, then the adjacency of all pairs of positions."""
        n_patterns, length = table.patterns.shape
        adjacent = np.zeros((n_patterns, length, length))
        for number, arcs in enumerate(table.arcs or []):
            between = np.zeros((length, length))
            if arcs:
                between[tuple(np.transpose(arcs))] = 1.0
            symbols = table.patterns[number]
            adjacent[number] = between[np.ix_(symbols, symbols)]
        # An edge occurs twice, from both of its ends: halved, it weighs as one symbol.
        flat = adjacent.reshape(n_patterns, length * length) / np.sqrt(2.0)
        return np.hstack([one_hot_patterns(table.patterns), flat])
