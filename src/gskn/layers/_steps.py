"""One step of all walks at once: a sparse matrix times the values of all nodes."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import STEP_CHUNK_GROUPS
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn.graphs import GraphBatch
from gskn.layers._features import EdgeFeatures
from gskn.layers._jit_steps import StepMatrix, fill_edge_step_sums, fill_step_sums
from gskn.walks import Twins, step_matrix, without_loops


class GroupCodes(NamedTuple):
    """Codes of the features of all groups, and of the group of every entry of a matrix."""

    of_groups: IndexArray
    of_entries: NodeArray


@dataclass(frozen=True)
class Steps:
    """Steps between groups of twins: nodes with the same neighbors and features.

    A value that is computed for one node of a group holds for all of them; see
    `gskn.walks.Twins`. If walks compare edges, every node is a group.
    """

    first: IndexArray  # a node of every group
    group_of: IndexArray  # group of every node
    sizes: IndexArray  # nodes of every group
    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray  # of every entry: number of steps to its group
    extra: FloatArray  # of every group: added for the node itself
    scale: FloatArray  # of every group
    edge_codes: IndexArray | None  # of every entry: index of the features of its edge
    n_jobs: int | None

    @classmethod
    def from_batch(
        cls,
        batch: GraphBatch,
        codes: IndexArray,
        *,
        use_probability: bool,
        n_jobs: int | None,
        edges: EdgeFeatures | None = None,
        loops: bool = True,
    ) -> Self:
        """Prepare steps weighted by one or by their probability.

        Nodes with different codes are in different groups. Without loops, no step leads
        back to its start; the other steps keep their probabilities.
        """
        matrix, weighted = step_matrix(batch, use_weights=use_probability)
        totals = np.ones(batch.n_nodes)
        if use_probability:
            totals = np.asarray(matrix.sum(axis=1))
        edge_codes = None if edges is None else edges.codes_of_steps(batch)
        if not loops:
            has_loop = matrix.diagonal() != 0
            codes = 2 * codes + has_loop  # twins must agree on their loops
            if has_loop.any():
                if edge_codes is not None:
                    rows = np.repeat(np.arange(batch.n_nodes), np.diff(matrix.indptr))
                    edge_codes = edge_codes[rows != matrix.indices]
                matrix = without_loops(matrix)
        eligible = ~(weighted | batch.directed)
        if edges is not None:
            eligible[:] = False
        twins = Twins.from_steps(matrix, batch.graph_ptr, eligible, codes)
        steps, sizes = twins.steps, twins.sizes
        weights = steps.data * sizes[steps.indices] if twins.used.any() else steps.data
        return cls(
            first=twins.first,
            group_of=twins.group_of,
            sizes=sizes,
            indptr=steps.indptr.astype(np.int64),
            indices=steps.indices,
            weights=weights,
            extra=twins.extra,
            scale=1.0 / totals[twins.first],
            edge_codes=edge_codes,
            n_jobs=n_jobs,
        )

    @property
    def matrix(self) -> csr_array:
        """Total weight of the steps from every group to every group."""
        n_groups = len(self.first)
        csr = (self.weights, self.indices, self.indptr)
        return csr_array(csr, shape=(n_groups, n_groups))

    @property
    def n_options(self) -> IndexArray:
        """Number of nodes that a step from a group may lead to."""
        n_groups = len(self.first)
        owners = np.repeat(np.arange(n_groups), np.diff(self.indptr))
        counts = np.bincount(owners, self.sizes[self.indices], n_groups)
        return (counts + np.sign(self.extra)).astype(np.int64)

    def step_weights(self) -> tuple[FloatArray, FloatArray]:
        """Return the weight of a step to one node of a group, for every entry.

        The second array is added where that node is the start of the step.
        """
        scale = np.repeat(self.scale, np.diff(self.indptr))
        return self.weights / self.sizes[self.indices] * scale, self.extra * self.scale

    def sum_over(
        self,
        values: FloatArray,
        edge_factors: FloatArray | None = None,
        *,
        codes: GroupCodes | None = None,
        groups: IndexArray | None = None,
    ) -> FloatArray:
        """Return the weighted sum of the values that a step leads to, for every group.

        ``edge_factors`` holds a factor for every column of ``values`` and for every
        distinct feature vector of edges. With ``codes``, groups with equal codes share a
        row of ``values``. With ``groups``, only their sums are returned.
        """
        listed = np.arange(len(self.first)) if groups is None else groups
        sums = np.empty((len(listed), values.shape[1]))
        own, indices = np.arange(len(self.first)), self.indices
        if codes is not None:
            own, indices = codes.of_groups, codes.of_entries
        matrix = StepMatrix(self.indptr, indices, own, self.weights, self.extra, self.scale)
        edge_codes = self.edge_codes

        def fill(start: int) -> None:
            chosen = listed[start : start + STEP_CHUNK_GROUPS]
            part = sums[start : start + len(chosen)]
            if edge_codes is None or edge_factors is None:
                fill_step_sums(matrix, chosen, values, part)
            else:
                fill_edge_step_sums(matrix, edge_codes, edge_factors, chosen, values, part)

        run_threads(fill, list(range(0, len(sums), STEP_CHUNK_GROUPS)), self.n_jobs)
        return sums
