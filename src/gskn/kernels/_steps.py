"""One step of all walks at once: a sparse matrix times the rows of all nodes."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks._sample import scaled_weights


@dataclass(frozen=True)
class Steps:
    """Steps of a batch, by count or by probability; at a dead end a walk stays."""

    matrix: csr_array
    scale: FloatArray | None  # of every row; None: all ones
    dead_ends: IndexArray

    @staticmethod
    def of(batch: GraphBatch, *, probability: bool) -> "Steps":
        """Prepare the steps; counts take no notice of weights."""
        matrix = batch.adjacency.tocsr()
        totals = batch.degrees.astype(np.float64)
        if batch.is_weighted:
            weights = scaled_weights(batch, use_weights=probability)
            weights = weights if probability else np.ones(matrix.nnz)
            matrix = csr_array((weights, matrix.indices, matrix.indptr), matrix.shape)
            totals = np.asarray(matrix.sum(axis=1))
        scale = 1.0 / np.where(totals > 0, totals, 1.0) if probability else None
        return Steps(matrix, scale, np.flatnonzero(batch.degrees == 0))

    def sum_over(self, rows: FloatArray) -> FloatArray:
        """Return, for every node, the sum (or mean) of the rows that a step leads to."""
        sums: FloatArray = self.matrix @ rows
        if self.scale is not None:
            sums *= self.scale[:, None]
        sums[self.dead_ends] = rows[self.dead_ends]
        return sums
