"""Twins: nodes that may change places without changing the graph.

Two nodes with the same neighbours, whether adjacent to each other or not, have the same
walks. Ego networks are full of them, and complete graphs and stars are little else. Sums
over walks need one node of each class of twins: a matrix whose entries depend on classes,
and on whether both nodes are the same, is a small matrix between classes and a diagonal,
and sums, products and elementwise products of such matrices are such matrices again.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import ranges, running_total
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.graphs._sparse import plain_csr
from gskn.walks._jit import fill_class_rows, fill_twins

_WORTH_IT = 0.8  # of the nodes; with more classes than that, twins are not used


@dataclass(frozen=True)
class Twins:
    """Classes of twins, and the steps between them.

    The entry of the whole matrix for nodes of classes c and d is ``steps[c, d]``, plus
    ``extra[c]`` where both are the same node.
    """

    steps: csr_array
    extra: FloatArray
    class_ptr: IndexArray  # first class of every graph
    first: IndexArray  # the first node of every class
    sizes: IndexArray  # nodes of every class
    used: BoolArray  # whether a graph has classes of more than one node
    _nodes: IndexArray  # by class
    _starts: IndexArray  # of every class among them

    @staticmethod
    def of(
        steps: csr_array,
        graph_ptr: IndexArray,
        eligible: BoolArray,
        codes: IndexArray | None = None,
    ) -> "Twins":
        """Find the twins, with the same code if any, of graphs where they may be found."""
        n_nodes, n_graphs = steps.shape[0], len(eligible)
        owners = np.repeat(np.arange(n_graphs), np.diff(graph_ptr))
        twin_of = np.arange(n_nodes)
        if eligible.any():
            slots = np.full(2 ** int(np.ceil(np.log2(4 * n_nodes + 1))), -1, dtype=np.int32)
            codes = np.zeros(n_nodes, dtype=np.int64) if codes is None else codes
            fill_twins(steps.indptr, steps.indices, owners, eligible, codes, slots, twin_of)
        is_first = twin_of == np.arange(n_nodes)
        n_classes = np.bincount(owners[is_first], minlength=n_graphs)
        used = n_classes <= _WORTH_IT * np.diff(graph_ptr)
        used &= n_classes < np.diff(graph_ptr)
        twin_of = np.where(used[owners], twin_of, np.arange(n_nodes))
        first = np.flatnonzero(twin_of == np.arange(n_nodes))
        if not used.any():
            sizes = np.ones(n_nodes, dtype=np.int64)
            starts = np.arange(n_nodes)
            return Twins(
                steps, np.zeros(n_nodes), graph_ptr, first, sizes, used, starts, starts
            )
        class_of = np.searchsorted(first, twin_of)
        sizes = np.bincount(class_of, minlength=len(first))
        matrix, extra = _between_classes(steps, first, class_of, sizes)
        class_ptr = np.searchsorted(first, graph_ptr)
        by_class = np.argsort(class_of, kind="stable")
        starts = running_total(sizes)[:-1]
        return Twins(matrix, extra, class_ptr, first, sizes, used, by_class, starts)

    @property
    def class_of(self) -> IndexArray:
        """The class of every node."""
        classes = np.empty(len(self._nodes), dtype=np.int64)
        classes[self._nodes] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return classes

    def nodes_of(self, classes: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the nodes of some classes, and which of these classes each is of."""
        sizes = self.sizes[classes]
        nodes = self._nodes[ranges(self._starts[classes], sizes)]
        return nodes, np.repeat(np.arange(len(classes)), sizes)


def _between_classes(
    steps: csr_array, first: IndexArray, class_of: IndexArray, sizes: IndexArray
) -> tuple[csr_array, FloatArray]:
    n_classes = len(first)
    room = int((np.diff(steps.indptr)[first] + 1).sum())
    indptr = np.zeros(n_classes + 1, dtype=np.int64)
    indices, data = np.empty(room, dtype=np.int32), np.empty(room)
    extra = np.zeros(n_classes)
    fill_class_rows(
        *(steps.indptr, steps.indices, steps.data, first, class_of, sizes),
        *(indptr, indices, data, extra),
    )
    kept = slice(0, indptr[-1])
    matrix = plain_csr(data[kept], indices[kept], indptr, (n_classes, n_classes))
    return matrix, extra
