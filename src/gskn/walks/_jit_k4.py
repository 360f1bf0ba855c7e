"""Compiled loops over complete graphs of four vertices."""

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray


@jit
def fill_k4_work(
    indptr: IndexArray, indices: NodeArray, roots: IndexArray, work: FloatArray
) -> None:
    """Overwrite ``work`` with the number of steps of `fill_k4_sums` from each root."""
    neighbor_of = np.full(len(indptr) - 1, -1, np.int64)
    for place in range(len(roots)):
        root = roots[place]
        for e in range(indptr[root], indptr[root + 1]):
            neighbor_of[indices[e]] = root
        n_steps = 0
        for e in range(indptr[root], indptr[root + 1]):
            b = indices[e]
            n_steps += 3 * (indptr[b + 1] - indptr[b])
            for f in range(indptr[b], indptr[b + 1]):
                c = indices[f]
                if neighbor_of[c] == root:
                    n_steps += indptr[c + 1] - indptr[c]
        work[place] = n_steps


@jit
def fill_k4_sums(
    pointers: tuple[IndexArray, ...],
    columns: tuple[NodeArray, ...],
    values: tuple[FloatArray, ...],
    visits: FloatArray,
    roots: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums`` with the sums over all maps of K4 that send vertex 0 to a root.

    The six CSR matrices belong to the pairs 01, 02, 03, 12, 13 and 23, the rows of
    ``visits`` to the vertices.
    """
    n_nodes = visits.shape[1]
    row_02, row_03, row_13 = np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes)
    for place in range(len(roots)):
        root = roots[place]
        for e in range(pointers[1][root], pointers[1][root + 1]):
            row_02[columns[1][e]] = values[1][e]
        for e in range(pointers[2][root], pointers[2][root + 1]):
            row_03[columns[2][e]] = values[2][e]
        total = 0.0
        for e in range(pointers[0][root], pointers[0][root + 1]):
            b = columns[0][e]
            for f in range(pointers[4][b], pointers[4][b + 1]):
                row_13[columns[4][f]] = values[4][f]
            inner = 0.0
            for f in range(pointers[3][b], pointers[3][b + 1]):
                c = columns[3][f]
                if row_02[c] == 0.0:
                    continue
                last = 0.0
                for g in range(pointers[5][c], pointers[5][c + 1]):
                    d = columns[5][g]
                    last += values[5][g] * row_03[d] * row_13[d] * visits[3, d]
                inner += values[3][f] * row_02[c] * visits[2, c] * last
            total += values[0][e] * visits[1, b] * inner
            for f in range(pointers[4][b], pointers[4][b + 1]):
                row_13[columns[4][f]] = 0.0
        sums[place] = total * visits[0, root]
        for e in range(pointers[1][root], pointers[1][root + 1]):
            row_02[columns[1][e]] = 0.0
        for e in range(pointers[2][root], pointers[2][root + 1]):
            row_03[columns[2][e]] = 0.0
