"""Compiled loops over pairs of labelled graphs; they see arrays only."""

from typing import NamedTuple

import numpy as np

from gskn._numba import jit
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray, NodeArray


class SortedGraphs(NamedTuple):
    """Graphs whose nodes are sorted by colour: those of one colour lie side by side."""

    graph_ptr: IndexArray
    colours: AnyArray
    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray
    directed: BoolArray
    norms: FloatArray


@jit
def fill_shared_walks(
    left: SortedGraphs,
    right: SortedGraphs,
    pairs: IndexArray,
    decay: float,
    n_steps: int,
    tolerance: float,
    out: FloatArray,
) -> None:
    """Overwrite ``out[p]`` with the decayed sum of walks that a pair of graphs shares."""
    for pair in range(len(pairs)):
        one, other = pairs[pair]
        out[pair] = sum_walks(left, one, right, other, decay, n_steps, tolerance)


@jit
def sum_walks(
    left: SortedGraphs,
    one: int,
    right: SortedGraphs,
    other: int,
    decay: float,
    n_steps: int,
    tolerance: float,
) -> float:
    """Sum the walks of the product of two graphs: pairs of nodes of one colour."""
    firsts, lasts, places = match_colours(left, one, right, other)
    n_pairs = places[-1]
    n_wanted = count_steps(decay * left.norms[one] * right.norms[other], n_steps, tolerance)
    # Without directions the sum of walks of a + b steps is the inner product of those of a
    # and b steps, and half of the steps need not be taken.
    mirrored = not (left.directed[one] or right.directed[other])
    before, after = np.ones(n_pairs), np.empty(n_pairs)
    around = np.empty(right.graph_ptr[other + 1] - right.graph_ptr[other])
    total, step = float(n_pairs), 0
    while step < n_wanted and n_pairs > 0:
        take_shared_step(
            left, one, right, other, firsts, lasts, places, before, around, after
        )
        for place in range(n_pairs):
            after[place] *= decay
        step += 1
        if not mirrored:
            total += after.sum()
        else:
            total += np.dot(before, after)
            step += 1
            if step <= n_wanted:
                total += np.dot(after, after)
        before, after = after, before
    return total


@jit
def count_steps(ratio: float, n_steps: int, tolerance: float) -> int:
    """Return how many steps count: ``ratio`` is the most by which a step can grow."""
    if ratio <= 0.0:
        return 0
    if ratio >= 1.0:
        return n_steps
    wanted = np.ceil(np.log(tolerance * (1.0 - ratio)) / np.log(ratio))
    return int(min(float(n_steps), wanted))


@jit
def match_colours(
    left: SortedGraphs, one: int, right: SortedGraphs, other: int
) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Return, for every node, the range of nodes of its colour in the other graph.

    The third array says where such pairs of nodes begin in a list of all of them.
    """
    begin, base = left.graph_ptr[one], right.graph_ptr[other]
    n_nodes, n_others = left.graph_ptr[one + 1] - begin, right.graph_ptr[other + 1] - base
    firsts, lasts = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    places = np.zeros(n_nodes + 1, np.int64)
    first = last = 0
    for node in range(n_nodes):
        colour = left.colours[begin + node]
        if node == 0 or colour != left.colours[begin + node - 1]:
            first = last
            while first < n_others and right.colours[base + first] < colour:
                first += 1
            last = first
            while last < n_others and right.colours[base + last] == colour:
                last += 1
        firsts[node], lasts[node] = first, last
        places[node + 1] = places[node] + last - first
    return firsts, lasts, places


@jit
def take_shared_step(
    left: SortedGraphs,
    one: int,
    right: SortedGraphs,
    other: int,
    firsts: IndexArray,
    lasts: IndexArray,
    places: IndexArray,
    before: FloatArray,
    around: FloatArray,
    after: FloatArray,
) -> None:
    """Move walks of all pairs of nodes one step: in one graph, then in the other."""
    begin, base = left.graph_ptr[one], right.graph_ptr[other]
    # Named here, once: a field of a tuple looked up in the innermost loop costs a count of
    # references every time, and the loop is several times slower.
    indptr, indices, weights = left.indptr, left.indices, left.weights
    other_indptr, other_indices, other_weights = right.indptr, right.indices, right.weights
    for node in range(len(firsts)):
        if firsts[node] == lasts[node]:
            continue
        around[:] = 0.0
        for entry in range(indptr[begin + node], indptr[begin + node + 1]):
            target, weight = indices[entry] - begin, weights[entry]
            shift = places[target] - firsts[target]
            for place in range(firsts[target], lasts[target]):
                around[place] += weight * before[shift + place]
        shift = places[node] - firsts[node]
        for place in range(firsts[node], lasts[node]):
            total = 0.0
            for entry in range(other_indptr[base + place], other_indptr[base + place + 1]):
                total += other_weights[entry] * around[other_indices[entry] - base]
            after[shift + place] = total
