"""The walk layer: all walks against landmarks, by sparse products (paper Eqs. 4, 10-15)."""

from dataclasses import dataclass, field

import numpy as np

from gskn._blas import multiply
from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.kernels._landmarks import check_points, choose_landmarks, distinct_walks
from gskn.kernels._nystrom import NystromMap, gaussian
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Advance, Settings, no_progress
from gskn.kernels._walked import Walked
from gskn.walks._sample import walks_for_landmarks


@dataclass
class WalkLayer:
    """Sum over all walks from a node of the kernel with every landmark.

    A Gaussian kernel factorises along the positions of a walk. With ``E_j`` the factors
    of all nodes at position j, ``s_l = E_l`` and ``s_j = E_j * (S s_(j+1))``, where S is
    the matrix of steps, give the sums over all walks as ``s_1``.
    """

    length: int
    settings: Settings
    maps: list[NystromMap] = field(default_factory=list)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of walks, one block of columns each."""
        return self.settings.lengths(self.length)

    def n_columns(self, length: int, n_features: int) -> int:
        """Return the size of a landmark: the attributes along it."""
        return length * n_features

    def fit(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        generator: np.random.Generator,
        advance: Advance = no_progress,
    ) -> None:
        """Choose landmarks among the walks of the graphs."""
        walks = walks_for_landmarks(
            batch, self.length, self.settings.n_samples, int(generator.integers(2**31))
        )
        codes = rows.codes[walks]
        maps = []
        for length in self.lengths:
            found, counts = distinct_walks(codes[:, :length])
            check_points(len(found), self.n_columns(length, rows.n_features))
            points = rows.table[found].reshape(len(found), -1)
            landmarks = choose_landmarks(
                points, counts, self.settings.n_landmarks, int(generator.integers(2**31))
            )
            maps.append(NystromMap.of(landmarks, self.settings.alpha, self.settings.eps))
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
        return Walked(batch, rows, self.settings.probability, loops=True, n_jobs=n_jobs)

    def transform_walked(
        self, walked: Walked, advance: Advance = no_progress
    ) -> list[FloatArray]:
        """Return the coordinates of all nodes, one block for every length."""
        blocks = []
        for length, mapped in zip(self.lengths, self.maps, strict=True):
            blocks.append(self._block(walked, length, mapped))
            advance()
        return blocks

    def _block(self, walked: Walked, length: int, mapped: NystromMap) -> FloatArray:
        table = walked.rows.table
        positions = mapped.landmarks.reshape(mapped.n_landmarks, length, -1)
        factors = [
            gaussian(table, positions[:, j], self.settings.alpha) for j in range(length)
        ]
        if length == 1:
            alone: FloatArray = multiply(factors[0], mapped.root)[walked.rows.codes]
            return alone
        codes = walked.codes
        sums = factors[-1][codes]
        for factor in reversed(factors[:-1]):
            sums = walked.steps.sum_over(sums)
            sums *= factor[codes]
        return np.asarray(multiply(sums, mapped.root)[walked.steps.class_of])
