"""Layers on patterns: their rows times a small matrix (paper Eqs. 7, 10-15)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gskn._blas import multiply
from gskn._types import AnyArray, FloatArray
from gskn.graphs import GraphBatch
from gskn.kernels._landmarks import choose_landmarks
from gskn.kernels._nystrom import NystromMap, gaussian
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Advance, Settings, no_progress
from gskn.walks import PatternTable, pattern_counts, pattern_tables

_DIGITS = 10  # of weights


@dataclass
class AnonymousLayer:
    """Sum over all walks from a node of the kernel of their patterns with landmarks.

    Attributes play no part: the rows that enter are not looked at.
    """

    length: int
    settings: Settings
    seed: int = 0  # of sampled walks
    maps: list[NystromMap] = field(default_factory=list)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of walks, one block of columns each."""
        return self.settings.lengths(self.length)

    def n_columns(self, length: int, n_features: int) -> int:
        """Return the size of a landmark: the symbols along it."""
        del n_features
        return length * length

    def fit_transform(
        self,
        batch: GraphBatch,
        generator: np.random.Generator,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose landmarks among the patterns of the graphs, and return coordinates."""
        self.seed = int(generator.integers(2**31))
        tables = self.tables(batch, n_jobs)
        self._fit(tables, generator, advance)
        return self.coordinates(tables, advance)

    def fit_tables(
        self, tables: list[PatternTable], generator: np.random.Generator
    ) -> None:
        """Choose landmarks as `fit_transform` does, among patterns that are counted."""
        self.seed = int(generator.integers(2**31))
        self._fit(tables, generator)

    def transform(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the coordinates of all nodes, one block for every length."""
        del rows
        return self.coordinates(self.tables(batch, n_jobs), advance)

    def tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Return the patterns of all nodes, one table for every length."""
        options = self._options(n_jobs)
        if self.settings.aggregate:
            return pattern_tables(batch, self.length, **options)
        return [pattern_counts(batch, self.length, **options)]

    def coordinates(
        self, tables: list[PatternTable], advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the coordinates of all rows, of nodes or of sums over nodes."""
        blocks = []
        for table, mapped in zip(tables, self.maps, strict=True):
            kernel = gaussian(self._points(table), mapped.landmarks, self.settings.beta)
            blocks.append(table.rows @ multiply(kernel, mapped.root))
            advance()
        return blocks

    def _fit(
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
        found = weights > 0
        # Many patterns are equally far from two centres: without the last digits, that the
        # order of a sum decides, the same weights give the same centres everywhere.
        weights = np.round(weights / weights.max(initial=1.0), _DIGITS)
        landmarks = choose_landmarks(
            self._points(table)[found],
            weights[found],
            self.settings.n_landmarks,
            int(generator.integers(2**31)),
        )
        return NystromMap.of(landmarks, self.settings.beta, self.settings.eps)

    def _options(self, n_jobs: int | None) -> dict[str, Any]:
        settings = self.settings
        return {
            "weighting": settings.weighting,
            "method": settings.method,
            "n_walks": settings.n_walks,
            "random_state": self.seed,
            "n_jobs": n_jobs,
        }

    def _points(self, table: PatternTable) -> FloatArray:
        """Return the one-hot rows along every pattern, R in the paper."""
        return one_hot_patterns(table.patterns)


class InducedLayer(AnonymousLayer):
    """The same with induced patterns: also which of the visited nodes are adjacent."""

    def n_columns(self, length: int, n_features: int) -> int:
        """Return the size of a landmark: symbols, and which positions are adjacent."""
        return 2 * super().n_columns(length, n_features)

    def tables(self, batch: GraphBatch, n_jobs: int | None) -> list[PatternTable]:
        """Return the induced patterns of all nodes, one table for every length."""
        return [
            pattern_counts(batch, length, induced=True, **self._options(n_jobs))
            for length in self.lengths
        ]

    def _points(self, table: PatternTable) -> FloatArray:
        """Return one-hot rows, then which positions are adjacent, forth and back."""
        n_patterns, length = table.patterns.shape
        adjacent = np.zeros((n_patterns, length, length))
        for number, arcs in enumerate(table.arcs or []):
            between = np.zeros((length, length))
            if arcs:
                between[tuple(np.transpose(arcs))] = 1.0
            symbols = table.patterns[number]
            adjacent[number] = between[np.ix_(symbols, symbols)]
        # An edge is seen twice, from both its ends: halved, it weighs as one symbol does.
        flat = adjacent.reshape(n_patterns, length * length) / np.sqrt(2.0)
        return np.hstack([one_hot_patterns(table.patterns), flat])


def one_hot_patterns(patterns: AnyArray) -> FloatArray:
    """Return the symbols along every pattern as one-hot rows side by side."""
    n_patterns, length = patterns.shape
    rows = np.zeros((n_patterns, length, length))
    rows[np.arange(n_patterns)[:, None], np.arange(length), patterns] = 1.0
    return rows.reshape(n_patterns, length * length)
