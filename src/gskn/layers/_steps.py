"""One step of all walks at once: a sparse matrix times the rows of all nodes."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn.graphs import GraphBatch
from gskn.layers._jit import fill_step_sums
from gskn.walks._exact import step_matrix, without_loops
from gskn.walks._twins import Twins

_ROWS_AT_ONCE = 2**14


@dataclass(frozen=True)
class Steps:
    """Steps between classes of nodes that have the same neighbours and the same row.

    What is computed for one node of a class holds for all: see `gskn.walks._twins`.
    """

    first: IndexArray  # a node of every class
    class_of: IndexArray
    sizes: IndexArray  # nodes of every class
    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray  # of every entry: steps that lead to its class
    extra: FloatArray  # of a class, what a node has for itself
    scale: FloatArray  # of a class
    n_jobs: int | None

    @staticmethod
    def of(
        batch: GraphBatch,
        codes: IndexArray,
        *,
        probability: bool,
        n_jobs: int | None,
        loops: bool = True,
    ) -> "Steps":
        """Prepare steps by count, which take no notice of weights, or by probability.

        Nodes with different codes are of different classes. Without loops, no step leads
        back to where it started; others keep the chance they have.
        """
        matrix, weighted = step_matrix(batch, use_weights=probability)
        totals = np.asarray(matrix.sum(axis=1)) if probability else np.ones(batch.n_nodes)
        if not loops:
            has_loop = matrix.diagonal() != 0
            codes = 2 * codes + has_loop  # twins must agree in what their chances are of
            if has_loop.any():
                matrix = without_loops(matrix)
        eligible = ~(weighted | batch.directed)
        twins = Twins.of(matrix, batch.graph_ptr, eligible, codes)
        steps, sizes = twins.steps, twins.sizes
        weights = steps.data * sizes[steps.indices] if twins.used.any() else steps.data
        scale = 1.0 / totals[twins.first]
        indptr, indices = steps.indptr.astype(np.int64), steps.indices
        arrays = (indptr, indices, weights, twins.extra, scale)
        return Steps(twins.first, twins.class_of, sizes, *arrays, n_jobs)

    @property
    def matrix(self) -> csr_array:
        """How many nodes of a class a step may lead to, or what chances they have."""
        n_classes = len(self.first)
        csr = (self.weights, self.indices, self.indptr)
        return csr_array(csr, shape=(n_classes, n_classes))

    @property
    def n_options(self) -> IndexArray:
        """To how many nodes a step from a class may lead."""
        n_classes = len(self.first)
        owners = np.repeat(np.arange(n_classes), np.diff(self.indptr))
        found = np.bincount(owners, self.sizes[self.indices], n_classes)
        return (found + np.sign(self.extra)).astype(np.int64)

    def chances(self) -> tuple[FloatArray, FloatArray]:
        """Return what a step counts that leads to one node of a class, for every entry.

        Beside it, what is added where that node is the one it started from.
        """
        scale = np.repeat(self.scale, np.diff(self.indptr))
        return self.weights / self.sizes[self.indices] * scale, self.extra * self.scale

    def sum_over(self, rows: FloatArray) -> FloatArray:
        """Return, for every class, the sum (or mean) of the rows that a step leads to."""
        sums = np.empty(rows.shape)

        def fill(start: int) -> None:
            end = min(start + _ROWS_AT_ONCE, len(sums))
            csr = (self.indptr, self.indices, self.weights)
            fill_step_sums(*csr, self.extra, self.scale, rows, start, end, sums)

        run_threads(fill, list(range(0, len(sums), _ROWS_AT_ONCE)), self.n_jobs)
        return sums
