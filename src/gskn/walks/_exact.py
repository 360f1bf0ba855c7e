"""Exact pattern rows of all nodes, without enumerating walks."""

from dataclasses import dataclass

import numpy as np

from gskn._offsets import running_total
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray
from gskn.walks._algebra import DenseAlgebra, Matrix, SparseAlgebra, sum_k4_terms
from gskn.walks._blocks import Blocks
from gskn.walks._fused import FusedAlgebra
from gskn.walks._grouping import Group, make_groups
from gskn.walks._mobius import basis
from gskn.walks._plan import Plan, make_plan
from gskn.walks._quotients import plain_traits
from gskn.walks._rows import RowBlock
from gskn.walks._signed import signed_rows
from gskn.walks._terms import K4, Algebra
from gskn.walks._walk_batch import WalkBatch


def quotient_rows(walks: WalkBatch, length: int, *, probability: bool) -> FloatArray:
    """Return the sums over all quotients of a length, one row for every node.

    The graphs have neither directions nor weights, so that they have the same quotients.
    """
    plan = make_plan((length,), plain_traits(probability=probability))
    rows = np.empty((walks.batch.n_nodes, len(plan.roots)))
    numbers = np.arange(walks.batch.n_graphs)
    for group in make_groups(walks, numbers, (length,), probability=probability):
        nodes, sources, sums = _Task(walks, group, (length,), exact_counts=False).sums(plan)
        rows[nodes] = sums.T[sources]
    return rows


def exact_rows(
    walks: WalkBatch,
    numbers: IndexArray,
    lengths: tuple[int, ...],
    *,
    probability: bool,
    exact_counts: bool,
    n_jobs: int | None = None,
) -> list[list[RowBlock]]:
    """Return the rows of some graphs in blocks: for every group, one for every length."""
    groups = list(make_groups(walks, numbers, lengths, probability=probability))
    # Threads share a large graph, and each of them computes other groups alone.
    large, small = (
        [
            _Task(walks, group, lengths, exact_counts, n_jobs if is_large else 1)
            for group in groups
            if group.is_large == is_large
        ]
        for is_large in (True, False)
    )
    return [task.run() for task in large] + run_threads(_Task.run, small, n_jobs)


@dataclass(frozen=True)
class _Task:
    """The computation of the rows of one group of graphs."""

    walks: WalkBatch
    group: Group
    lengths: tuple[int, ...]
    exact_counts: bool
    n_jobs: int | None = 1

    def run(self) -> list[RowBlock]:
        traits = self.group.traits
        nodes, sources, sums = self.sums(make_plan(self.lengths, traits))
        cuts = np.cumsum([len(basis(length, traits).quotients) for length in self.lengths])
        return [
            RowBlock(
                nodes,
                sources,
                signed_rows(part, length, traits, exact_counts=self.exact_counts),
            )
            for part, length in zip(np.split(sums, cuts[:-1]), self.lengths, strict=True)
        ]

    def sums(self, plan: Plan) -> tuple[IndexArray, IndexArray, FloatArray]:
        """Return all nodes, the column of every node, and one row for every quotient."""
        twins = self.walks.twins
        blocks = Blocks.from_matrix(twins.steps, twins.group_ptr, self.group.numbers)
        is_dense = self.group.algebra == "dense"
        compute = self._dense_sums if is_dense else self._sparse_sums
        sums = compute(plan, blocks)
        return *twins.nodes_of(blocks.rows), sums

    def _sparse_sums(self, plan: Plan, blocks: Blocks) -> FloatArray:
        """Return the sums over all quotients, one column for every twin group."""
        extra, sizes = self._twin_vectors(blocks.rows)
        steps, traits = blocks.as_csr(), self.group.traits
        algebra: Algebra
        if self.group.algebra == "fused":
            algebra = FusedAlgebra(steps, extra, sizes, traits, self.n_jobs)
        else:
            k4_sums = self._k4_sums(plan, blocks)
            algebra = SparseAlgebra(Matrix(steps, extra), sizes, traits, k4_sums)
        sums = plan.evaluate(algebra)
        return np.array(sums).reshape(len(plan.roots), len(blocks.rows))

    def _dense_sums(self, plan: Plan, blocks: Blocks) -> FloatArray:
        """Return the sums over all quotients, one column for every twin group."""
        padded, slots = blocks.as_padded()

        def spread(values: FloatArray) -> FloatArray:
            cells = np.zeros(padded.shape[:2])
            cells.ravel()[slots] = values
            return cells

        extra, sizes = (
            vector if vector is None else spread(vector)
            for vector in self._twin_vectors(blocks.rows)
        )
        k4_sums = {
            term: spread(values) for term, values in self._k4_sums(plan, blocks).items()
        }
        steps = Matrix(padded, extra)
        sums = plan.evaluate(DenseAlgebra(steps, sizes, self.group.traits, k4_sums))
        return np.array([values.ravel()[slots] for values in sums])

    def _twin_vectors(
        self, twin_groups: IndexArray
    ) -> tuple[FloatArray | None, FloatArray | None]:
        """Return the extra diagonal and the sizes of twin groups; None without twins."""
        if not self.group.has_twins:
            return None, None
        twins = self.walks.twins
        return twins.extra[twin_groups], twins.sizes[twin_groups].astype(np.float64)

    def _k4_sums(self, plan: Plan, blocks: Blocks) -> dict[K4, FloatArray]:
        """Return the sums over K4 among all nodes, from the first node of every group."""
        if not plan.k4_terms:
            return {}
        graph_ptr, numbers = self.walks.batch.graph_ptr, self.group.numbers
        nodes = Blocks.from_matrix(self.walks.steps, graph_ptr, numbers)
        shift = running_total(nodes.sizes)[:-1] - graph_ptr[numbers]
        roots = self.walks.twins.first[blocks.rows] + np.repeat(shift, blocks.sizes)
        return sum_k4_terms(plan, nodes.as_csr(), self.group.traits, roots)
