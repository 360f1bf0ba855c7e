"""Twins: nodes that can be swapped without changing the graph.

Two nodes with the same neighbors, adjacent to each other or not, have the same walks. Ego
networks have many twins, and complete graphs and stars consist of them. Sums over walks
need one node of each twin group: a matrix whose entries depend on the groups, and on
whether both nodes are equal, is a small matrix between groups plus a diagonal. Sums,
products and elementwise products of such matrices have the same form.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from gskn._loops import CsrArrays
from gskn._offsets import ranges, running_total
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.graphs import are_ones, ones, plain_csr
from gskn.walks._jit_twins import fill_group_rows, fill_twins

_MAX_GROUPS = 0.8  # groups per node of a graph beyond which twins are not used


@dataclass(frozen=True)
class Twins:
    """Twin groups, and the steps between them.

    The entry of the whole matrix for nodes of groups c and d is ``steps[c, d]``, plus
    ``extra[c]`` if both are the same node.
    """

    steps: csr_array
    extra: FloatArray
    group_ptr: IndexArray  # first group of every graph
    first: IndexArray  # first node of every group
    sizes: IndexArray  # nodes of every group
    used: BoolArray  # whether a graph has groups of more than one node
    _nodes: IndexArray  # sorted by group
    _starts: IndexArray  # of every group in ``_nodes``

    @classmethod
    def from_steps(
        cls,
        steps: csr_array,
        graph_ptr: IndexArray,
        eligible: BoolArray,
        codes: IndexArray | None = None,
    ) -> Self:
        """Find the twins of eligible graphs; nodes with different codes are not twins."""
        n_nodes, n_graphs = steps.shape[0], len(eligible)
        owners = np.repeat(np.arange(n_graphs), np.diff(graph_ptr))
        twin_of = np.arange(n_nodes)
        if eligible.any():
            slots = np.full(2 ** int(np.ceil(np.log2(4 * n_nodes + 1))), -1, dtype=np.int32)
            codes = np.zeros(n_nodes, dtype=np.int64) if codes is None else codes
            fill_twins(steps.indptr, steps.indices, owners, eligible, codes, slots, twin_of)
        is_first = twin_of == np.arange(n_nodes)
        n_groups = np.bincount(owners[is_first], minlength=n_graphs)
        used = n_groups <= _MAX_GROUPS * np.diff(graph_ptr)
        used &= n_groups < np.diff(graph_ptr)
        twin_of = np.where(used[owners], twin_of, np.arange(n_nodes))
        first = np.flatnonzero(twin_of == np.arange(n_nodes))
        if not used.any():
            sizes = np.ones(n_nodes, dtype=np.int64)
            starts = np.arange(n_nodes)
            return cls(
                steps, np.zeros(n_nodes), graph_ptr, first, sizes, used, starts, starts
            )
        group_of = np.searchsorted(first, twin_of)
        sizes = np.bincount(group_of, minlength=len(first))
        matrix, extra = _steps_between_groups(steps, first, group_of, sizes)
        group_ptr = np.searchsorted(first, graph_ptr)
        by_group = np.argsort(group_of, kind="stable")
        starts = running_total(sizes)[:-1]
        return cls(matrix, extra, group_ptr, first, sizes, used, by_group, starts)

    @property
    def group_of(self) -> IndexArray:
        """Group of every node."""
        groups = np.empty(len(self._nodes), dtype=np.int64)
        groups[self._nodes] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return groups

    def nodes_of(self, twin_groups: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the nodes of some groups, and the position of the group of each."""
        sizes = self.sizes[twin_groups]
        nodes = self._nodes[ranges(self._starts[twin_groups], sizes)]
        return nodes, np.repeat(np.arange(len(twin_groups)), sizes)


def _steps_between_groups(
    steps: csr_array, first: IndexArray, group_of: IndexArray, sizes: IndexArray
) -> tuple[csr_array, FloatArray]:
    """Return the matrix between groups and the extra diagonal."""
    n_groups = len(first)
    capacity = int((np.diff(steps.indptr)[first] + 1).sum())
    is_plain = are_ones(steps.data)
    groups = CsrArrays(
        np.zeros(n_groups + 1, dtype=np.int64),
        np.empty(capacity, dtype=np.int32),
        np.empty(0 if is_plain else capacity),
    )
    extra = np.zeros(n_groups)
    data = np.empty(0) if is_plain else steps.data
    step_arrays = CsrArrays(steps.indptr, steps.indices, data)
    fill_group_rows(step_arrays, first, group_of, sizes, groups, extra)
    n_entries, shape = int(groups.indptr[-1]), (n_groups, n_groups)
    values = ones(n_entries) if is_plain else groups.data[:n_entries]
    return plain_csr(values, groups.indices[:n_entries], groups.indptr, shape), extra
