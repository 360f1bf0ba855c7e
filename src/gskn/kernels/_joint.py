"""Layers that know attributes and pattern of the same walk: joint, and paths alone.

The joint kernel of two walks is the product of the Gaussian of their attributes, with
bandwidth alpha, and that of their patterns, with bandwidth beta. It tells "a ring of six
carbons" from "carbons, and a ring of six".
"""

import logging
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.graphs._batch import positions_within
from gskn.kernels._jit import fill_sampled_sums, fill_walk_sums
from gskn.kernels._landmarks import choose_landmarks, distinct_walks
from gskn.kernels._nystrom import NystromMap, gaussian
from gskn.kernels._pattern import one_hot_patterns
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Settings
from gskn.kernels._steps import Steps
from gskn.walks import anonymize, patterns
from gskn.walks._exact import n_walks_of
from gskn.walks._sample import (
    pattern_tree,
    running_sums,
    scaled_weights,
    walks_for_landmarks,
)
from gskn.walks._threads import run_threads

logger = logging.getLogger(__name__)

# Of classes of twins in a graph, without their last visit; "auto" samples beyond.
_MAX_WALKS = 1e7
_NODES_AT_ONCE = 2048


@dataclass(frozen=True)
class _Input:
    """What walks of all lengths need of a batch, found out once."""

    batch: GraphBatch
    rows: NodeRows
    steps: Steps
    chances: FloatArray  # of every entry of the steps
    own: FloatArray
    n_options: IndexArray  # nodes that a step from a class may lead to

    @staticmethod
    def of(
        batch: GraphBatch, rows: NodeRows, settings: Settings, n_jobs: int | None
    ) -> "_Input":
        probability = settings.probability
        steps = Steps.of(batch, rows.codes, probability=probability, n_jobs=n_jobs)
        degrees = np.diff(batch.adjacency.indptr)[steps.first]
        return _Input(batch, rows, steps, *steps.chances(), np.maximum(degrees, 1))

    @property
    def codes(self) -> IndexArray:
        """Which row the nodes of a class have."""
        return self.rows.codes[self.steps.first]


@dataclass
class JointLayer:
    """Sum over all walks from a node of the joint kernel with every landmark."""

    length: int
    settings: Settings
    seed: int = 0  # of sampled walks
    maps: list[NystromMap] = field(default_factory=list)

    only_paths = False

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of walks, one block of columns each."""
        return self.settings.lengths(self.length)

    def n_columns(self, length: int, n_features: int) -> int:
        """Return the size of a landmark: attributes along it, and its pattern."""
        return length * n_features + (0 if self.only_paths else length * length)

    def fit(
        self, batch: GraphBatch, rows: NodeRows, generator: np.random.Generator
    ) -> None:
        """Choose landmarks among the walks of some graphs."""
        self.seed = int(generator.integers(2**31))
        walks = walks_for_landmarks(
            batch, self.length, self.settings.n_samples, int(generator.integers(2**31))
        )
        codes, symbols = rows.codes[walks], anonymize(walks)
        maps = []
        for length in self.lengths:
            allowed = self._allowed(symbols[:, :length])
            both = np.hstack([codes[allowed, :length], symbols[allowed, :length]])
            found, counts = distinct_walks(both)
            points = self._points(rows.table[found[:, :length]], found[:, length:])
            landmarks = choose_landmarks(
                points, counts, self.settings.n_landmarks, int(generator.integers(2**31))
            )
            maps.append(NystromMap.of(landmarks, 1.0, self.settings.eps))
        self.maps = maps

    def transform(
        self, batch: GraphBatch, rows: NodeRows, n_jobs: int | None
    ) -> list[FloatArray]:
        """Return the coordinates of all nodes, one block for every length."""
        walked = _Input.of(batch, rows, self.settings, n_jobs)
        sampled = self._sampled(walked)
        return [
            self._sums(walked, sampled, length, mapped) @ mapped.root
            for length, mapped in zip(self.lengths, self.maps, strict=True)
        ]

    def _allowed(self, symbols: AnyArray) -> BoolArray:
        """Tell which walks may become landmarks."""
        return np.ones(len(symbols), dtype=bool)

    def _points(self, attributes: FloatArray, symbols: AnyArray) -> FloatArray:
        """Return attributes and pattern, scaled so that one bandwidth serves both."""
        flat = attributes.reshape(len(attributes), -1) * np.sqrt(self.settings.alpha)
        return np.hstack([flat, one_hot_patterns(symbols) * np.sqrt(self.settings.beta)])

    def _factors(self, rows: NodeRows, length: int, landmarks: FloatArray) -> FloatArray:
        """Return the factor of every position, distinct row and landmark."""
        parts = landmarks[:, : length * rows.n_features]
        parts = parts.reshape(len(landmarks), length, rows.n_features)
        scaled = rows.table * np.sqrt(self.settings.alpha)
        return np.array([gaussian(scaled, parts[:, j], 1.0) for j in range(length)])

    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        """Return the factor of every pattern and landmark."""
        listed = one_hot_patterns(patterns(length, staying=True))
        parts = landmarks[:, landmarks.shape[1] - listed.shape[1] :]
        return gaussian(listed * np.sqrt(self.settings.beta), parts, 1.0)

    def _sums(
        self, walked: _Input, sampled: BoolArray, length: int, mapped: NystromMap
    ) -> FloatArray:
        """Return the sums over all walks of a length, one row for every node."""
        rows, steps, codes = walked.rows, walked.steps, walked.codes
        factors = self._factors(rows, length, mapped.landmarks)
        kernel = self._pattern_kernel(length, mapped.landmarks)
        if length == 1:
            alone: FloatArray = factors[0, rows.codes] * kernel[0]
            return alone
        children, first_states = pattern_tree(length)
        lasts = steps.sum_over(factors[-1][codes])
        moves = (steps.indptr, steps.indices, walked.chances, walked.own)
        values = (walked.n_options, codes, factors, lasts)
        patterned = (children, children - first_states[length], kernel, self.only_paths)
        common: tuple[Any, ...] = (*moves, *values, *patterned)
        by_class = np.empty((len(codes), mapped.n_landmarks))

        def fill(starts: IndexArray) -> None:
            fill_walk_sums(*(*common, steps.sizes, starts, by_class))

        exact = np.flatnonzero(~sampled[steps.first])
        run_threads(fill, _pieces(exact), steps.n_jobs)
        sums: FloatArray = by_class[steps.class_of]
        if sampled.any():
            self._sample(walked, sampled, common, sums)
        return sums

    def _sample(
        self, walked: _Input, sampled: BoolArray, common: tuple[Any, ...], sums: FloatArray
    ) -> None:
        """Overwrite the sums of nodes whose walks are sampled."""
        batch, steps = walked.batch, walked.steps
        totals = running_sums(batch, scaled_weights(batch, use_weights=True))
        graph = (batch.adjacency.indptr, batch.adjacency.indices, totals)
        positions = positions_within(batch.graph_sizes)
        drawn = (positions, np.uint64(self.seed), self.settings.n_walks)
        inputs = (*common, steps.class_of, *graph, *drawn)

        def fill(starts: IndexArray) -> None:
            fill_sampled_sums(*(*inputs, starts, sums))

        run_threads(fill, _pieces(np.flatnonzero(sampled)), steps.n_jobs)

    def _sampled(self, walked: _Input) -> BoolArray:
        """Tell of every node whether its walks are sampled."""
        settings, batch, steps = self.settings, walked.batch, walked.steps
        graph_ptr = np.searchsorted(steps.first, batch.graph_ptr)
        n_walks = n_walks_of(steps.matrix, graph_ptr, max(self.length - 1, 1))
        chosen = np.asarray(n_walks > _MAX_WALKS)
        if settings.method != "auto":
            chosen[:] = settings.method == "sampled"
        if chosen.any():
            number = int(np.argmax(chosen))
            if not settings.probability:
                raise InputError(
                    f"Graph {number} has {n_walks[number]:.1e} walks of length "
                    f"{self.length - 1}, too many to count; use weighting='probability', "
                    "method='exact' or a smaller length."
                )
            logger.info(
                "%d graphs are sampled: graph %d has %.1e walks of length %d",
                *(int(chosen.sum()), number, n_walks[number], self.length - 1),
            )
        return chosen[batch.node_graphs]


class PathLayer(JointLayer):
    """Sum over all paths, walks without repeated nodes, of the kernel of attributes.

    Paths of three nodes are walks less those that come back: two products, three times as
    fast as enumeration. From four nodes on, signed sums need products for every landmark,
    and enumeration is faster (``benchmarks/speed/paths.py``).
    """

    only_paths = True

    def _sums(
        self, walked: _Input, sampled: BoolArray, length: int, mapped: NystromMap
    ) -> FloatArray:
        batch, rows, steps = walked.batch, walked.rows, walked.steps
        weighted = batch.is_weighted and self.settings.probability
        plain = not (weighted or batch.is_directed or batch.adjacency.diagonal().any())
        if length != 3 or not plain or self.settings.method == "sampled":
            return super()._sums(walked, sampled, length, mapped)
        factors = self._factors(rows, length, mapped.landmarks)
        first, second, third = factors[:, walked.codes]
        there = steps.sum_over(second * steps.sum_over(third))
        back = third * steps.sum_over(second * steps.scale[:, None])
        sums: FloatArray = first * (there - back)
        return sums[steps.class_of]

    def _allowed(self, symbols: AnyArray) -> BoolArray:
        paths = np.asarray(symbols.max(axis=1, initial=0) == symbols.shape[1] - 1)
        if not paths.any():  # no paths so long: any walk will do, no path is near it
            paths[:1] = True
        return paths

    def _points(self, attributes: FloatArray, symbols: AnyArray) -> FloatArray:
        del symbols
        scaled: FloatArray = attributes * np.sqrt(self.settings.alpha)
        return scaled.reshape(len(attributes), -1)

    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        return np.ones((len(patterns(length, staying=True)), len(landmarks)))


def _pieces(starts: IndexArray) -> list[IndexArray]:
    return [
        starts[begin : begin + _NODES_AT_ONCE]
        for begin in range(0, len(starts), _NODES_AT_ONCE)
    ]
