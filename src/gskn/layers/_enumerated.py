"""Layers whose kernel depends on features and pattern of the same walk.

No recursion along the positions computes such a sum, so walks are enumerated, up to their
last step, or sampled where a graph has too many.
"""

import logging
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gskn._blas import multiply
from gskn._gaussian import gaussian_kernel
from gskn._limits import ENUMERATION_CHUNK_NODES
from gskn._offsets import positions_within
from gskn._threads import cut_by_work, run_threads
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, pool_matrix
from gskn.layers._context import WalkContext
from gskn.layers._features import NodeFeatures
from gskn.layers._jit_walks import (
    SampledWalks,
    StepArrays,
    WalkArrays,
    fill_sampled_sums,
    fill_walk_sums,
)
from gskn.layers._landmarks import check_points, choose_landmarks, distinct_walks
from gskn.layers._layer import Layer, draw_seed
from gskn.layers._nystrom import NystromMap
from gskn.layers._params import Advance, no_progress
from gskn.layers._sequences import CodedWalks, node_factors, points_along, step_factors
from gskn.walks import (
    MAX_PATTERN_LENGTH,
    anonymize,
    check_enumerable,
    count_walks,
    count_walks_by_graph,
    pattern_tree,
    scaled_weights,
    walk_graph,
    walks_for_landmarks,
)

logger = logging.getLogger(__name__)

# Walks of groups of twins in a graph, without their last visit; "auto" samples beyond.
_MAX_WALKS = 1e7


class WalkFactors(NamedTuple):
    """Factors of a kernel of walks.

    ``nodes[j, c, z]`` is the factor of landmark z at position j for nodes with feature code
    c, and ``steps[j, c, z]`` at step j for edges with feature code c. ``steps`` has length
    0 if walks do not compare edges.
    """

    nodes: FloatArray
    steps: FloatArray


@dataclass
class EnumeratedLayer(Layer):
    """Sum over all walks, or all paths, of a kernel of features and patterns.

    Subclasses define which walks may be landmarks, the points that are clustered, and the
    kernel of patterns.
    """

    max_length = MAX_PATTERN_LENGTH
    only_paths: ClassVar[bool]

    @abstractmethod
    def _may_be_landmarks(self, symbols: AnyArray) -> BoolArray:
        """Return which of the sampled walks may become landmarks."""

    @abstractmethod
    def _points(self, features: FloatArray, symbols: AnyArray) -> FloatArray:
        """Return walks as points whose Gaussian kernel with bandwidth 1 is the kernel.

        ``features`` are the features along walks, one row per walk.
        """

    @abstractmethod
    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        """Return the factor of every pattern and landmark."""

    def fit(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None = None,
        advance: Advance = no_progress,
    ) -> None:
        """Choose landmarks among the walks of the graphs."""
        del n_jobs
        self.seed = draw_seed(generator)
        walks = walks_for_landmarks(
            batch, self.length, self.params.n_samples, draw_seed(generator)
        )
        coded, symbols = CodedWalks.from_walks(batch, features, walks), anonymize(walks)
        maps = []
        for length in self.lengths:
            allowed = self._may_be_landmarks(symbols[:, :length])
            codes = coded.first_codes(length, allowed)
            both = np.hstack([codes, symbols[allowed, :length]])
            distinct, counts = distinct_walks(both)
            n_columns = self.n_columns(
                length, features.n_features, features.n_edge_features
            )
            check_points(len(distinct), n_columns)
            point_features = points_along(features, distinct, length)
            points = self._points(point_features, distinct[:, codes.shape[1] :])
            landmarks = choose_landmarks(
                points, counts, self.params.n_landmarks, draw_seed(generator)
            )
            maps.append(NystromMap.from_landmarks(landmarks, 1.0, self.params.eps))
            advance()
        self.maps = maps

    def transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, one block for every length."""
        context = self.make_context(batch, features, n_jobs)
        return self.transform_context(context, advance)

    def make_context(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> WalkContext:
        """Prepare steps, which layers of other lengths may share."""
        return WalkContext(
            batch,
            features,
            self.params.use_probability,
            loops=not self.only_paths,
            n_jobs=n_jobs,
        )

    def transform_context(
        self, context: WalkContext, advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, one block for every length."""
        sampled = self._choose_sampled(context)
        blocks = []
        for length, nystrom in zip(self.lengths, self.maps, strict=True):
            sums = self._sum_walks(context, sampled, length, nystrom)
            blocks.append(multiply(sums, nystrom.root))
            advance()
        return blocks

    def transform_graphs(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the sum of node embeddings per graph, one block for every length."""
        blocks = []
        sums = self.kernel_sums(batch, features, n_jobs)
        for nystrom, block in zip(self.maps, sums, strict=True):
            blocks.append(multiply(block, nystrom.root))
            advance()
        return blocks

    def kernel_sums(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> Iterator[FloatArray]:
        """Yield the kernel with all landmarks, summed over all walks of every graph."""
        context = self.make_context(batch, features, n_jobs)
        sampled = self._choose_sampled(context)
        pooling = pool_matrix(batch.graph_ptr)
        for length, nystrom in zip(self.lengths, self.maps, strict=True):
            yield pooling @ self._sum_walks(context, sampled, length, nystrom)

    def walk_keys(
        self, batch: GraphBatch, features: NodeFeatures, walks: IndexArray
    ) -> IndexArray:
        """Return the codes of nodes and of steps along every walk, then its symbols."""
        codes = CodedWalks.from_walks(batch, features, walks).all_codes
        return np.hstack([codes, anonymize(walks)])

    def key_kernel(
        self, features: NodeFeatures, keys: IndexArray, nystrom: NystromMap
    ) -> FloatArray:
        """Return the kernel of all pairs of keys of walks and landmarks."""
        n_columns = keys.shape[1]
        length = n_columns // 2 if features.edges is None else (n_columns + 1) // 3
        codes, symbols = np.hsplit(keys, [n_columns - length])
        points = self._points(points_along(features, codes, length), symbols)
        return gaussian_kernel(points, nystrom.landmarks, 1.0)

    def _sum_walks(
        self, context: WalkContext, sampled: BoolArray, length: int, nystrom: NystromMap
    ) -> FloatArray:
        """Return the sums over all walks of a length, one row for every node."""
        features, steps = context.features, context.steps
        factors = self._factors(features, length, nystrom.landmarks)
        kernel = self._pattern_kernel(length, nystrom.landmarks)
        if length == 1:
            alone: FloatArray = factors.nodes[0, features.codes] * kernel[0]
            return alone
        exact = np.flatnonzero(~sampled[steps.first])
        sums = self._sum_exact(context, exact, factors, kernel)[steps.group_of]
        if sampled.any():
            self._sum_sampled(context, sampled, factors, kernel, sums)
        return sums

    def _factors(
        self, features: NodeFeatures, length: int, landmarks: FloatArray
    ) -> WalkFactors:
        """Return the factors of every position and step of a walk."""
        scaled = features.scaled(np.sqrt(self.params.alpha))
        of_steps = step_factors(scaled, landmarks, length, 1.0)
        compared = [factor for factor in of_steps if factor is not None]
        return WalkFactors(
            np.array(node_factors(scaled, landmarks, length, 1.0)),
            np.array(compared) if compared else np.empty((0, 0, len(landmarks))),
        )

    def _sum_exact(
        self,
        context: WalkContext,
        groups: IndexArray,
        factors: WalkFactors,
        kernel: FloatArray,
    ) -> FloatArray:
        """Return the sums of some groups of twins; other rows are not set."""
        n_landmarks = factors.nodes.shape[2]
        sums = np.empty((len(context.steps.first), n_landmarks))
        if not len(groups):
            return sums
        steps, walks = self._loop_arguments(context, factors, kernel)
        n_walks = count_walks(context.steps.matrix, len(factors.nodes) - 1)[groups]
        run_threads(
            lambda starts: fill_walk_sums(steps, walks, starts, sums),
            cut_by_work(groups, n_walks * n_landmarks, ENUMERATION_CHUNK_NODES),
            context.n_jobs,
        )
        return sums

    def _sum_sampled(
        self,
        context: WalkContext,
        sampled: BoolArray,
        factors: WalkFactors,
        kernel: FloatArray,
        sums: FloatArray,
    ) -> None:
        """Overwrite the sums of nodes whose walks are sampled."""
        batch = context.batch
        weights = scaled_weights(batch, use_weights=True)
        positions = positions_within(batch.graph_sizes)
        graph = walk_graph(batch, weights, positions, np.uint64(self.seed))
        sampled_walks = SampledWalks(context.steps.group_of, self.params.n_walks)
        steps, walks = self._loop_arguments(context, factors, kernel)
        nodes = np.flatnonzero(sampled)
        work = np.full(len(nodes), float(self.params.n_walks * self.length) * sums.shape[1])
        run_threads(
            lambda starts: fill_sampled_sums(
                graph, sampled_walks, steps, walks, starts, sums
            ),
            cut_by_work(nodes, work, ENUMERATION_CHUNK_NODES),
            context.n_jobs,
        )

    def _loop_arguments(
        self, context: WalkContext, factors: WalkFactors, kernel: FloatArray
    ) -> tuple[StepArrays, WalkArrays]:
        """Return the arguments of compiled loops over exact and sampled walks."""
        steps, length = context.steps, len(factors.nodes)
        children, first_states = pattern_tree(length)
        weights, loop_weights = steps.step_weights()
        edge_codes, last_step = steps.edge_codes, None
        if edge_codes is None:
            edge_codes = np.empty(0, np.int64)
        else:
            last_step = factors.steps[-1]
        return (
            StepArrays(
                indptr=steps.indptr,
                indices=steps.indices,
                weights=weights,
                loop_weights=loop_weights,
                n_options=steps.n_options,
                sizes=steps.sizes,
                edge_codes=edge_codes,
            ),
            WalkArrays(
                codes=context.group_codes,
                factors=factors.nodes,
                step_factors=factors.steps,
                lasts=steps.sum_over(factors.nodes[-1][context.group_codes], last_step),
                children=children,
                columns=children - first_states[length],
                kernel=kernel,
                only_paths=self.only_paths,
            ),
        )

    def _choose_sampled(self, context: WalkContext) -> BoolArray:
        """Return for every node whether its walks are sampled."""
        params, n_visits = self.params, self._n_enumerated(context)
        n_walks = count_walks_by_graph(context.steps.matrix, context.group_ptr, n_visits)
        chosen = np.asarray(n_walks > _MAX_WALKS)
        if params.method != "auto":
            chosen[:] = params.method == "sampled"
        check_enumerable(n_walks[~chosen], n_visits)
        if chosen.any():
            number = int(np.argmax(chosen))
            if not params.use_probability:
                raise InputError(
                    f"Graph {number} has {n_walks[number]:.1e} walks of length "
                    f"{n_visits}, too many to count; use weighting='probability', "
                    "method='exact' or a smaller length."
                )
            logger.info(
                "%d graphs are sampled: graph %d has %.1e walks of length %d",
                int(chosen.sum()),
                number,
                n_walks[number],
                n_visits,
            )
        return chosen[context.batch.node_graphs]

    def _n_enumerated(self, context: WalkContext) -> int:
        """Return how many nodes of a walk are enumerated."""
        del context
        return max(self.length - 1, 1)
