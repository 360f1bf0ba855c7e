"""The walk branch: node features along all walks (paper Eqs. 4, 10-15)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gskn._blas import multiply
from gskn._gaussian import gaussian_kernel
from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.layers._context import WalkContext
from gskn.layers._features import NodeFeatures
from gskn.layers._landmarks import check_points, choose_landmarks, distinct_walks
from gskn.layers._layer import EmbedNodes, Layer, draw_seed
from gskn.layers._nystrom import NystromMap
from gskn.layers._params import Advance, no_progress
from gskn.layers._rare_walks import RareWalks
from gskn.layers._sequences import (
    CodedWalks,
    count_feature_columns,
    count_nodes,
    node_factors,
    points_along,
    step_factors,
)
from gskn.walks import walks_for_landmarks

if TYPE_CHECKING:
    from gskn.layers._steps import GroupCodes


@dataclass
class WalkLayer(Layer):
    """Sum over all walks from a node of the kernel of the features along them.

    A Gaussian kernel factorises along the positions of a walk. With ``E_j`` the factors
    of all nodes at position j, ``s_l = E_l`` and ``s_j = E_j * (S s_(j+1))``, where S is
    the matrix of steps, ``s_1`` is the sum over all walks: ``length - 1`` sparse products.

    If edges have features, S is the sum over their distinct vectors v of ``F_j(v) S_v``,
    where ``S_v`` holds the steps along edges with the vector v, and ``F_j(v)`` is the
    factor of v at step j. The product is computed in one pass over all edges.
    """

    ignored_parameters = frozenset({"anonymous_length", "beta", "method", "n_walks"})
    can_sample_counts = True  # walks are never sampled

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: the features along a walk."""
        return count_feature_columns(length, n_features, n_edge_features)

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
        walks = walks_for_landmarks(
            batch, self.length, self.params.n_samples, draw_seed(generator)
        )
        coded = CodedWalks.from_walks(batch, features, walks)
        rare = RareWalks(batch, features, self.params.n_landmarks)
        maps = []
        for length in self.lengths:
            codes = coded.first_codes(length, slice(None))
            walk_codes, counts = distinct_walks(codes)
            if self.params.rare_walks and len(walk_codes) < self.params.n_landmarks:
                missing = rare.sequences(length)
                walk_codes, counts = distinct_walks(np.concatenate([codes, missing]))
            n_columns = self.n_columns(
                length, features.n_features, features.n_edge_features
            )
            check_points(len(walk_codes), n_columns)
            points = points_along(features, walk_codes, length)
            landmarks = choose_landmarks(
                points, counts, self.params.n_landmarks, draw_seed(generator)
            )
            maps.append(
                NystromMap.from_landmarks(landmarks, self.params.alpha, self.params.eps)
            )
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

    def prepare(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> EmbedNodes:
        """Return a function that embeds a range of nodes, one block for every length.

        Sums over walks are kept without their first steps, one array for every length
        above two.
        """
        context = self.make_context(batch, features, n_jobs)
        parts = [
            self._prepare_length(context, length, nystrom)
            for length, nystrom in zip(self.lengths, self.maps, strict=True)
        ]
        return lambda begin, end: [part(begin, end) for part in parts]

    def make_context(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> WalkContext:
        """Prepare steps, which layers of other lengths may share."""
        return WalkContext(
            batch, features, self.params.use_probability, loops=True, n_jobs=n_jobs
        )

    def transform_context(
        self, context: WalkContext, advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, one block for every length."""
        blocks = []
        for length, nystrom in zip(self.lengths, self.maps, strict=True):
            blocks.append(self._embed(context, length, nystrom))
            advance()
        return blocks

    def transform_graphs(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the sum of node embeddings per graph, one block for every length.

        Kernel values are summed before they are mapped to coordinates: there are fewer
        graphs than nodes.
        """
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
        for length, nystrom in zip(self.lengths, self.maps, strict=True):
            if length == 1:
                yield context.sum_over_codes(self.factors(features, 1, nystrom)[0])
            else:
                yield context.sum_over_groups(self._sum_walks(context, length, nystrom))

    def walk_keys(
        self, batch: GraphBatch, features: NodeFeatures, walks: IndexArray
    ) -> IndexArray:
        """Return the codes of the features of nodes, then of steps, along every walk."""
        return CodedWalks.from_walks(batch, features, walks).all_codes

    def key_kernel(
        self, features: NodeFeatures, keys: IndexArray, nystrom: NystromMap
    ) -> FloatArray:
        """Return the kernel of all pairs of keys of walks and landmarks."""
        length = count_nodes(features, keys.shape[1])
        points = points_along(features, keys, length)
        return gaussian_kernel(points, nystrom.landmarks, self.params.alpha)

    def factors(
        self, features: NodeFeatures, length: int, nystrom: NystromMap
    ) -> list[FloatArray]:
        """Return the factors of distinct feature vectors at every position of a walk."""
        return node_factors(features, nystrom.landmarks, length, self.params.alpha)

    def step_factors(
        self, features: NodeFeatures, length: int, nystrom: NystromMap
    ) -> list[FloatArray | None]:
        """Return the factors of distinct feature vectors of edges at every step.

        They are None if walks do not compare edges.
        """
        return step_factors(features, nystrom.landmarks, length, self.params.alpha)

    def _embed(self, context: WalkContext, length: int, nystrom: NystromMap) -> FloatArray:
        if length == 1:
            return self._embed_alone(context, nystrom)[context.features.codes]
        sums = self._sum_walks(context, length, nystrom)
        return np.asarray(multiply(sums, nystrom.root)[context.steps.group_of])

    def _embed_alone(self, context: WalkContext, nystrom: NystromMap) -> FloatArray:
        """Return the embeddings of distinct feature vectors by walks of one node."""
        (factor,) = self.factors(context.features, 1, nystrom)
        return multiply(factor, nystrom.root)

    def _prepare_length(
        self, context: WalkContext, length: int, nystrom: NystromMap
    ) -> Callable[[int, int], FloatArray]:
        """Return a function that takes the first steps of walks from a range of nodes."""
        if length == 1:
            table, codes = self._embed_alone(context, nystrom), context.features.codes
            return lambda begin, end: table[codes[begin:end]]
        take_first = self._prepare_sums(context, length, nystrom)

        def embed(begin: int, end: int) -> FloatArray:
            groups, which = np.unique(
                context.steps.group_of[begin:end], return_inverse=True
            )
            return np.asarray(multiply(take_first(groups), nystrom.root)[which])

        return embed

    def _sum_walks(
        self, context: WalkContext, length: int, nystrom: NystromMap
    ) -> FloatArray:
        """Return the sum over all walks from every group of twins."""
        return self._prepare_sums(context, length, nystrom)(None)

    def _prepare_sums(
        self, context: WalkContext, length: int, nystrom: NystromMap
    ) -> Callable[[IndexArray | None], FloatArray]:
        """Sum over all walks without their first nodes.

        Return a function that adds the first nodes: some groups of twins, or all groups
        for None.
        """
        *before, sums = self.factors(context.features, length, nystrom)
        of_steps = self.step_factors(context.features, length, nystrom)
        group_codes = context.group_codes
        codes: GroupCodes | None = context.coded_groups  # groups with equal codes are equal
        for factor, step_factor in zip(before[:0:-1], of_steps[:0:-1], strict=True):
            sums = context.steps.sum_over(sums, step_factor, codes=codes)
            sums *= factor[group_codes]
            codes = None

        def take_first(groups: IndexArray | None) -> FloatArray:
            result = context.steps.sum_over(sums, of_steps[0], codes=codes, groups=groups)
            result *= before[0][group_codes if groups is None else group_codes[groups]]
            return result

        return take_first
