"""The anonymous branch: patterns of all walks (paper Eqs. 7, 10-15)."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import vstack

from gskn._blas import multiply
from gskn._gaussian import gaussian_kernel
from gskn._limits import FIT_NODES, STATISTICS_NODES
from gskn._offsets import runs_of_graphs
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch, pool_matrix
from gskn.layers._features import NodeFeatures
from gskn.layers._landmarks import choose_landmarks
from gskn.layers._layer import EmbedNodes, GraphStatistics, Layer, draw_seed
from gskn.layers._nystrom import NystromMap
from gskn.layers._params import Advance, no_progress
from gskn.walks import (
    MAX_PATTERN_LENGTH,
    PatternOptions,
    PatternRows,
    PatternTable,
    anonymize,
    as_seed,
    pattern_counts,
    pattern_tables,
    patterns,
)

_DIGITS = 10  # of weights


@dataclass
class AnonymousLayer(Layer):
    """Sum over all walks from a node of the kernel of their patterns.

    Features of nodes and edges are not used.
    """

    length_parameter = "anonymous_length"
    max_length = MAX_PATTERN_LENGTH
    compares_edges = False
    ignored_parameters = frozenset(
        {
            "walk_length",
            "alpha",
            "node_features",
            "edge_features",
            "max_degree",
            "rare_walks",
        }
    )

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: one-hot symbols along a walk."""
        del n_features, n_edge_features
        return length * length

    def fit(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None = None,
        advance: Advance = no_progress,
    ) -> None:
        """Choose landmarks among the patterns of the graphs."""
        del features
        self.seed = draw_seed(generator)
        self._choose_landmarks(self._fit_tables(batch, n_jobs), generator, advance)

    def fit_transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None = None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose landmarks and return the embeddings; patterns are counted once."""
        del features
        self.seed = draw_seed(generator)
        tables = self.tables(batch, n_jobs)
        self._choose_landmarks(tables, generator, advance)
        return self.embed_tables(tables, advance)

    def fit_tables(
        self, tables: list[PatternTable], generator: np.random.Generator
    ) -> None:
        """Choose landmarks like `fit`, among patterns that were counted before."""
        self.seed = draw_seed(generator)
        self._choose_landmarks(tables, generator)

    def transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, one block for every length."""
        del features
        return self.embed_tables(self.tables(batch, n_jobs), advance)

    def prepare(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> EmbedNodes:
        """Return a function that embeds a range of nodes; samples are drawn when called."""
        del features
        rows = self.pattern_rows(batch, n_jobs)
        maps = [
            multiply(self._kernel(patterns(length, staying=True), nystrom), nystrom.root)
            for length, nystrom in zip(self.lengths, self.maps, strict=True)
        ]
        return lambda begin, end: [
            block @ projection
            for block, projection in zip(rows.rows(slice(begin, end)), maps, strict=True)
        ]

    def kernel_sums(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> Iterator[FloatArray]:
        """Yield the kernel with all landmarks, summed over all walks of every graph."""
        del features
        pooling = pool_matrix(batch.graph_ptr)
        for table, nystrom in zip(self.tables(batch, n_jobs), self.maps, strict=True):
            yield (pooling @ table.rows) @ self.table_kernel(table, nystrom)

    def walk_keys(
        self, batch: GraphBatch, features: NodeFeatures, walks: IndexArray
    ) -> IndexArray:
        """Return the symbols of every walk."""
        del batch, features
        return anonymize(walks).astype(np.int64)

    def key_kernel(
        self, features: NodeFeatures, keys: IndexArray, nystrom: NystromMap
    ) -> FloatArray:
        """Return the kernel of all pairs of keys of walks and landmarks."""
        del features
        return gaussian_kernel(self._key_points(keys), nystrom.landmarks, self.params.beta)

    def table_kernel(self, table: PatternTable, nystrom: NystromMap) -> FloatArray:
        """Return the kernel of all pairs of patterns of a table and landmarks."""
        return gaussian_kernel(self._points(table), nystrom.landmarks, self.params.beta)

    def _kernel(self, listed: AnyArray, nystrom: NystromMap) -> FloatArray:
        """Return the kernel of all pairs of patterns and landmarks."""
        points = one_hot_patterns(listed)
        return gaussian_kernel(points, nystrom.landmarks, self.params.beta)

    @property
    def statistics_key(self) -> Hashable:
        """Parameters of the layer on which `graph_statistics` depends."""
        return self.params.weighting, self.params.method, self.lengths

    def graph_statistics(
        self, batch: GraphBatch, n_jobs: int | None
    ) -> GraphStatistics | None:
        """Count the patterns of every graph; None unless all counts are exact.

        Sampled counts depend on the seed of a fit.
        """
        if self.params.method == "sampled":
            return None
        patterns = GraphPatterns.from_batch(self, batch, n_jobs)
        return patterns if patterns.are_exact else None

    def tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Count the patterns of all nodes, one table for every length."""
        options = self._count_options(n_jobs)
        if self.params.aggregate:
            return pattern_tables(batch, self.length, **options)
        return [pattern_counts(batch, self.length, **options)]

    def pattern_rows(
        self, batch: GraphBatch, n_jobs: int | None, method: str | None = None
    ) -> PatternRows:
        """Prepare the rows of the patterns of all nodes."""
        options = PatternOptions(
            weighting=self.params.weighting,
            method=method or self.params.method,
            n_walks=self.params.n_walks,
            seed=as_seed(self.seed),
            n_jobs=n_jobs,
        )
        return PatternRows(batch, self.lengths, options)

    def embed_tables(
        self, tables: list[PatternTable], advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the embeddings of table rows: of nodes, or of sums over nodes."""
        blocks = []
        for table, nystrom in zip(tables, self.maps, strict=True):
            kernel = self.table_kernel(table, nystrom)
            blocks.append(table.rows @ multiply(kernel, nystrom.root))
            advance()
        return blocks

    def _fit_tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Count the patterns among which landmarks are chosen.

        Of a graph with more nodes than a fit uses, walks from random nodes are sampled.
        """
        # A fit gets at most this many nodes, unless a graph is larger.
        if batch.n_nodes <= 2 * FIT_NODES or not self.params.use_probability:
            return self.tables(batch, n_jobs)
        nodes = np.random.default_rng(self.seed).permutation(batch.n_nodes)[:FIT_NODES]
        rows = self.pattern_rows(batch, n_jobs, "sampled").rows(np.sort(nodes))
        is_exact = np.zeros(batch.n_graphs, dtype=bool)
        return [
            PatternTable(
                length, patterns(length, staying=True), matrix, is_exact, batch.graph_ptr
            )
            for length, matrix in zip(self.lengths, rows, strict=True)
        ]

    def _choose_landmarks(
        self,
        tables: list[PatternTable],
        generator: np.random.Generator,
        advance: Advance = no_progress,
    ) -> None:
        maps = []
        for table in tables:
            maps.append(self._choose(table, generator))
            advance()
        self.maps = maps

    def _choose(self, table: PatternTable, generator: np.random.Generator) -> NystromMap:
        weights = np.asarray(table.rows.sum(axis=0))
        occurring = weights > 0
        # Many patterns are equally far from two centers. The last digits of the weights
        # depend on the order of summation; without them, the centers do not.
        weights = np.round(weights / weights.max(initial=1.0), _DIGITS)
        landmarks = choose_landmarks(
            self._points(table)[occurring],
            weights[occurring],
            self.params.n_landmarks,
            draw_seed(generator),
        )
        return NystromMap.from_landmarks(landmarks, self.params.beta, self.params.eps)

    def _count_options(self, n_jobs: int | None) -> dict[str, Any]:
        return {
            "weighting": self.params.weighting,
            "method": self.params.method,
            "n_walks": self.params.n_walks,
            "random_state": self.seed,
            "n_jobs": n_jobs,
        }

    def _points(self, table: PatternTable) -> FloatArray:
        """Return the one-hot vectors along every pattern, R in the paper."""
        return one_hot_patterns(table.patterns)

    def _key_points(self, keys: IndexArray) -> FloatArray:
        """Return the points of keys of walks."""
        return one_hot_patterns(keys)


@dataclass(frozen=True)
class GraphPatterns:
    """Patterns of the walks of every graph: node embeddings are linear in their counts.

    Attributes
    ----------
    tables : list of PatternTable
        One table for every length of the layer, with one row per graph.
    """

    tables: list[PatternTable]

    @classmethod
    def from_batch(
        cls, layer: AnonymousLayer, batch: GraphBatch, n_jobs: int | None
    ) -> Self:
        """Count the patterns of all graphs, in runs of graphs to bound memory."""
        runs = [
            layer.tables(batch[run], n_jobs)
            for run in runs_of_graphs(batch.graph_ptr, STATISTICS_NODES)
        ]
        return cls(
            [
                replace(
                    tables[0],
                    rows=vstack([table.graph_rows() for table in tables], format="csr"),
                    is_exact=np.concatenate([table.is_exact for table in tables]),
                    graph_ptr=batch.graph_ptr,
                    exact_nodes=None,
                )
                for tables in zip(*runs, strict=True)
            ]
        )

    @property
    def are_exact(self) -> bool:
        """Whether no walk was sampled."""
        return all(table.is_exact.all() for table in self.tables)

    def fit(
        self, layer: AnonymousLayer, graphs: IndexArray, generator: np.random.Generator
    ) -> None:
        """Choose the landmarks that ``layer.fit`` chooses for the selected graphs."""
        layer.fit_tables(self._select(graphs), generator)

    def embed(self, layer: AnonymousLayer, graphs: IndexArray) -> list[FloatArray]:
        """Return the sum of node embeddings per graph, one block for every length."""
        return layer.embed_tables(self._select(graphs))

    def _select(self, graphs: IndexArray) -> list[PatternTable]:
        return [replace(table, rows=table.rows[graphs]) for table in self.tables]


def one_hot_patterns(patterns: AnyArray) -> FloatArray:
    """Return the symbols along every pattern as concatenated one-hot vectors."""
    n_patterns, length = patterns.shape
    vectors = np.zeros((n_patterns, length, length))
    vectors[np.arange(n_patterns)[:, None], np.arange(length), patterns] = 1.0
    return vectors.reshape(n_patterns, length * length)
