"""Compiled loops for sampled walks and their patterns."""

from gskn._loops import (
    BLOCK_SIZE,
    WalkGraph,
    fill_walk_block,
    make_walk_block,
)
from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray


@jit
def fill_walks(graph: WalkGraph, starts: IndexArray, walks: NodeArray) -> None:
    """Overwrite ``walks[i, r]`` with the ``r``-th walk from the ``i``-th start."""
    n_starts, n_repeats, length = walks.shape
    flat = walks.reshape(n_starts * n_repeats, length)
    block = make_walk_block(length)
    nodes = block.nodes
    for first in range(0, len(flat), BLOCK_SIZE):
        n_walks = fill_walk_block(graph, starts, n_repeats, first, block)
        for walk in range(n_walks):
            for visit in range(length):
                flat[first + walk, visit] = nodes[visit, walk]


@jit
def fill_patterns(walks: NodeArray, patterns: AnyArray) -> None:
    """Overwrite ``patterns`` with the ranks of first visits of every walk."""
    n_walks, length = walks.shape
    for row in range(n_walks):
        n_visited = 0
        for visit in range(length):
            rank = n_visited
            for before in range(visit):
                if walks[row, before] == walks[row, visit]:
                    rank = patterns[row, before]
                    break
            patterns[row, visit] = rank
            if rank == n_visited:
                n_visited += 1


@jit
def fill_running_sums(indptr: IndexArray, weights: FloatArray, totals: FloatArray) -> None:
    """Overwrite ``totals`` with running sums that start at zero in every row.

    Running sums over all rows would round differently in another batch.
    """
    for row in range(len(indptr) - 1):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            total += weights[entry]
            totals[entry] = total


@jit
def fill_neighbor_sums(
    indptr: IndexArray, indices: NodeArray, values: FloatArray, sums: FloatArray
) -> None:
    """Overwrite ``sums`` with the sum of the values of the columns of every row."""
    for row in range(len(sums)):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            total += values[indices[entry]]
        sums[row] = total
