"""The induced branch: patterns with the edges between visited nodes."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.layers._anonymous import AnonymousLayer, one_hot_patterns
from gskn.layers._features import NodeFeatures
from gskn.layers._layer import GraphStatistics, Layer
from gskn.walks import MAX_INDUCED_LENGTH, PatternTable, pattern_counts


@dataclass
class InducedLayer(AnonymousLayer):
    """Sum over all walks from a node of the kernel of their induced patterns.

    An induced pattern also records which of the visited nodes are adjacent.
    """

    max_length = MAX_INDUCED_LENGTH
    prepare = Layer.prepare  # the patterns are known when all nodes are counted

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: symbols and adjacency."""
        return 2 * super().n_columns(length, n_features, n_edge_features)

    def tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Count the induced patterns of all nodes, one table for every length."""
        return [
            pattern_counts(batch, length, induced=True, **self._count_options(n_jobs))
            for length in self.lengths
        ]

    def _fit_tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Count the patterns among which landmarks are chosen."""
        return self.tables(batch, n_jobs)

    def graph_statistics(
        self,
        batch: GraphBatch,  # noqa: ARG002 - part of the interface
        n_jobs: int | None,  # noqa: ARG002
    ) -> GraphStatistics | None:
        """Return None: the columns of induced patterns depend on the graphs of a call."""
        return None

    def walk_keys(
        self, batch: GraphBatch, features: NodeFeatures, walks: IndexArray
    ) -> IndexArray:
        """Return the symbols of every walk, then which pairs of visits are adjacent."""
        symbols = super().walk_keys(batch, features, walks)
        matrix = batch.adjacency
        entries = np.repeat(np.arange(batch.n_nodes), batch.degrees) * batch.n_nodes
        entries += matrix.indices  # sorted: the columns of a row are sorted
        pairs = walks[:, :, None].astype(np.int64) * batch.n_nodes + walks[:, None, :]
        places = np.searchsorted(entries, pairs)
        exists = np.append(entries, -1)[places] == pairs
        exists &= walks[:, :, None] != walks[:, None, :]
        return np.hstack([symbols, exists.reshape(len(walks), -1)])

    def _key_points(self, keys: IndexArray) -> FloatArray:
        """Return one-hot symbols, then the adjacency of all pairs of positions."""
        length = _length_of(keys)
        flat = keys[:, length:] / np.sqrt(2.0)
        return np.hstack([one_hot_patterns(keys[:, :length]), flat])

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


def _length_of(keys: IndexArray) -> int:
    """Return the number of symbols: keys have one column per symbol and per pair."""
    return int((np.sqrt(1 + 4 * keys.shape[1]) - 1) / 2 + 0.5)
