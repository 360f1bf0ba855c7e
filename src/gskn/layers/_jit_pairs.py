"""Compiled loop over triangles and cycles of four."""

from typing import NamedTuple

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray


class PairSteps(NamedTuple):
    """Steps between groups of twins, and where the graph of every group begins."""

    indptr: IndexArray
    indices: NodeArray
    sizes: IndexArray
    graph_starts: IndexArray
    largest: int


@jit
def fill_pair_sums(
    steps: PairSteps,
    near: FloatArray,
    far: FloatArray,
    places: IndexArray,
    starts: IndexArray,
    totals: FloatArray,
) -> None:
    """Add sums over triangles, then over cycles of four, from a node of some groups.

    ``sums[y, i]`` is the sum of ``near[:, i]`` over the common neighbors of the start x
    and a node of group y; a node is never its own neighbor. Triangle number k is
    ``far[y, k] * sums[y, places[k]]``, summed over neighbors y. If ``far`` has one more
    column, it belongs to the node opposite to x in a cycle of four.
    """
    indptr, indices, sizes = steps.indptr, steps.indices, steps.sizes
    largest = steps.largest
    n_near, n_columns = near.shape[1:]
    n_triangles = len(places)
    has_cycles = far.shape[1] > n_triangles
    sums = np.empty((largest, n_near, n_columns))
    stamps = np.full(largest, -1, np.int64)
    touched = np.empty(largest, np.int64)
    for x in starts:
        offset, n_touched = steps.graph_starts[x], 0
        for entry in range(indptr[x], indptr[x + 1]):
            middle = indices[entry]
            n_middle = sizes[middle] - (middle == x)
            for step in range(indptr[middle], indptr[middle + 1]):
                y = indices[step]
                place = y - offset
                if stamps[place] != x:
                    stamps[place] = x
                    sums[place] = 0.0
                    touched[n_touched] = y
                    n_touched += 1
                n_both = np.float64(n_middle - (middle == y))
                for i in range(n_near):
                    for z in range(n_columns):
                        sums[place, i, z] += n_both * near[middle, i, z]
        for entry in range(indptr[x], indptr[x + 1]):
            y = indices[entry]
            if stamps[y - offset] != x:
                continue
            n_others = np.float64(sizes[y] - (y == x))
            for k in range(n_triangles):
                inner = sums[y - offset, places[k]]
                for z in range(n_columns):
                    totals[x, k, z] += n_others * far[y, k, z] * inner[z]
        if has_cycles:
            for number in range(n_touched):
                y = touched[number]
                n_others = np.float64(sizes[y] - (y == x))
                one, two = sums[y - offset, 0], sums[y - offset, 1]
                for z in range(n_columns):
                    opposite = n_others * far[y, n_triangles, z]
                    totals[x, n_triangles, z] += opposite * one[z] * two[z]
