"""The joint layer knows attributes and pattern of the same walk.

The joint kernel of two walks is the product of the Gaussian of their attributes, with
bandwidth alpha, and that of their patterns, with bandwidth beta. It tells "a ring of six
carbons" from "carbons, and a ring of six".
"""

import logging
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gskn._blas import multiply
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.graphs._batch import positions_within
from gskn.kernels._jit import fill_sampled_sums, fill_walk_sums
from gskn.kernels._landmarks import check_points, choose_landmarks, distinct_walks
from gskn.kernels._nystrom import NystromMap, gaussian
from gskn.kernels._pattern import one_hot_patterns
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Advance, Settings, no_progress
from gskn.kernels._walked import Walked
from gskn.walks import anonymize, patterns
from gskn.walks._exact import check_enumerable, n_walks_from, n_walks_of
from gskn.walks._sample import (
    pattern_tree,
    running_sums,
    scaled_weights,
    walks_for_landmarks,
)
from gskn.walks._threads import cut_by_work, run_threads

logger = logging.getLogger(__name__)

# Of classes of twins in a graph, without their last visit; "auto" samples beyond.
_MAX_WALKS = 1e7
_NODES_AT_ONCE = 2048


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
        self,
        batch: GraphBatch,
        rows: NodeRows,
        generator: np.random.Generator,
        advance: Advance = no_progress,
    ) -> None:
        """Choose landmarks among the walks of the graphs."""
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
            check_points(len(found), self.n_columns(length, rows.n_features))
            points = self._points(rows.table[found[:, :length]], found[:, length:])
            landmarks = choose_landmarks(
                points, counts, self.settings.n_landmarks, int(generator.integers(2**31))
            )
            maps.append(NystromMap.of(landmarks, 1.0, self.settings.eps))
            advance()
        self.maps = maps

    def transform(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the coordinates of all nodes, one block for every length."""
        return self.transform_walked(self.walk(batch, rows, n_jobs), advance)

    def walk(self, batch: GraphBatch, rows: NodeRows, n_jobs: int | None) -> Walked:
        """Prepare walks, which layers of other lengths may share."""
        return Walked(batch, rows, self.settings.probability, not self.only_paths, n_jobs)

    def transform_walked(
        self, walked: Walked, advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the coordinates of all nodes, one block for every length."""
        sampled = self._sampled(walked)
        blocks = []
        for length, mapped in zip(self.lengths, self.maps, strict=True):
            sums = self._sums(walked, sampled, length, mapped)
            blocks.append(multiply(sums, mapped.root))
            advance()
        return blocks

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
        self, walked: Walked, sampled: BoolArray, length: int, mapped: NystromMap
    ) -> FloatArray:
        """Return the sums over all walks of a length, one row for every node."""
        rows, steps = walked.rows, walked.steps
        factors = self._factors(rows, length, mapped.landmarks)
        kernel = self._pattern_kernel(length, mapped.landmarks)
        if length == 1:
            alone: FloatArray = factors[0, rows.codes] * kernel[0]
            return alone
        exact = np.flatnonzero(~sampled[steps.first])
        sums = self._sum_classes(walked, exact, factors, kernel)[steps.class_of]
        if sampled.any():
            self._sample(walked, sampled, self._told(walked, factors, kernel), sums)
        return sums

    def _told(
        self, walked: Walked, factors: FloatArray, kernel: FloatArray
    ) -> tuple[Any, ...]:
        """Return what compiled loops are told of walks, whether all or sampled."""
        children, first_states = pattern_tree(len(factors))
        lasts = walked.steps.sum_over(factors[-1][walked.codes])
        columns = children - first_states[len(factors)]
        values = (walked.codes, factors, lasts)
        return (*walked.moves, *values, children, columns, kernel, self.only_paths)

    def _sum_classes(
        self, walked: Walked, exact: IndexArray, factors: FloatArray, kernel: FloatArray
    ) -> FloatArray:
        """Return sums by class; those of classes whose walks are sampled are not set."""
        sums = np.empty((len(walked.codes), factors.shape[2]))
        if not len(exact):
            return sums
        common = self._told(walked, factors, kernel)

        def fill(starts: IndexArray) -> None:
            fill_walk_sums(*(*common, walked.steps.sizes, starts, sums))

        n_walks = n_walks_from(walked.steps.matrix, len(factors) - 1)[exact]
        pieces = cut_by_work(exact, n_walks * factors.shape[2], _NODES_AT_ONCE)
        run_threads(fill, pieces, walked.steps.n_jobs)
        return sums

    def _sample(
        self, walked: Walked, sampled: BoolArray, common: tuple[Any, ...], sums: FloatArray
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

        starts = np.flatnonzero(sampled)
        work = np.full(
            len(starts), float(self.settings.n_walks * self.length) * sums.shape[1]
        )
        run_threads(fill, cut_by_work(starts, work, _NODES_AT_ONCE), steps.n_jobs)

    def _sampled(self, walked: Walked) -> BoolArray:
        """Return for every node whether its walks are sampled."""
        settings, n_visits = self.settings, self._n_visits(walked)
        n_walks = n_walks_of(walked.steps.matrix, walked.class_ptr, n_visits)
        chosen = np.asarray(n_walks > _MAX_WALKS)
        if settings.method != "auto":
            chosen[:] = settings.method == "sampled"
        check_enumerable(n_walks[~chosen], n_visits)
        if chosen.any():
            number = int(np.argmax(chosen))
            if not settings.probability:
                raise InputError(
                    f"Graph {number} has {n_walks[number]:.1e} walks of length "
                    f"{n_visits}, too many to count; use weighting='probability', "
                    "method='exact' or a smaller length."
                )
            logger.info(
                "%d graphs are sampled: graph %d has %.1e walks of length %d",
                *(int(chosen.sum()), number, n_walks[number], n_visits),
            )
        return chosen[walked.batch.node_graphs]

    def _n_visits(self, walked: Walked) -> int:
        """Return how many nodes of a walk are enumerated."""
        del walked
        return max(self.length - 1, 1)
