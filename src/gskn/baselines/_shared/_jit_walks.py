"""Compiled loops that count common walks of pairs of labelled graphs."""

from typing import NamedTuple

import numpy as np

from gskn._numba import jit
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray, NodeArray


class SortedGraphs(NamedTuple):
    """Graphs whose nodes are sorted by color."""

    graph_ptr: IndexArray
    colors: AnyArray
    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray
    directed: BoolArray
    norms: FloatArray


class ColorMatches(NamedTuple):
    """Nodes of the other graph that have the color of each node of a graph.

    ``firsts`` and ``lasts`` are ranges of nodes. ``offsets`` are the positions at which
    the pairs of each node begin in the list of all pairs.
    """

    firsts: IndexArray
    lasts: IndexArray
    offsets: IndexArray


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
    """Overwrite ``out[p]`` with the decayed number of common walks of a pair of graphs."""
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
    """Return the decayed number of walks in the direct product of two graphs."""
    matches = match_colors(left, one, right, other)
    n_pairs = matches.offsets[-1]
    n_needed = count_steps(decay * left.norms[one] * right.norms[other], n_steps, tolerance)
    # In undirected graphs the number of walks of a + b steps is the inner product of the
    # numbers of walks of a and b steps, which saves half of the steps.
    is_symmetric = not (left.directed[one] or right.directed[other])
    before, after = np.ones(n_pairs), np.empty(n_pairs)
    around = np.empty(right.graph_ptr[other + 1] - right.graph_ptr[other])
    total, step = float(n_pairs), 0
    while step < n_needed and n_pairs > 0:
        take_shared_step(left, one, right, other, matches, before, around, after)
        for pair in range(n_pairs):
            after[pair] *= decay
        step += 1
        if not is_symmetric:
            total += after.sum()
        else:
            total += np.dot(before, after)
            step += 1
            if step <= n_needed:
                total += np.dot(after, after)
        before, after = after, before
    return total


@jit
def count_steps(ratio: float, n_steps: int, tolerance: float) -> int:
    """Return the number of steps needed; a step adds at most ``ratio`` times the last."""
    if ratio <= 0.0:
        return 0
    if ratio >= 1.0:
        return n_steps
    n_needed = np.ceil(np.log(tolerance * (1.0 - ratio)) / np.log(ratio))
    return int(min(float(n_steps), n_needed))


@jit
def match_colors(
    left: SortedGraphs, one: int, right: SortedGraphs, other: int
) -> ColorMatches:
    """Return, for every node, the nodes of the other graph that have the same color."""
    begin, base = left.graph_ptr[one], right.graph_ptr[other]
    n_nodes, n_others = left.graph_ptr[one + 1] - begin, right.graph_ptr[other + 1] - base
    firsts, lasts = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    offsets = np.zeros(n_nodes + 1, np.int64)
    first = last = 0
    for node in range(n_nodes):
        color = left.colors[begin + node]
        if node == 0 or color != left.colors[begin + node - 1]:
            first = last
            while first < n_others and right.colors[base + first] < color:
                first += 1
            last = first
            while last < n_others and right.colors[base + last] == color:
                last += 1
        firsts[node], lasts[node] = first, last
        offsets[node + 1] = offsets[node] + last - first
    return ColorMatches(firsts, lasts, offsets)


@jit
def take_shared_step(
    left: SortedGraphs,
    one: int,
    right: SortedGraphs,
    other: int,
    matches: ColorMatches,
    before: FloatArray,
    around: FloatArray,
    after: FloatArray,
) -> None:
    """Extend the walks of all pairs of nodes by a step in one graph, then in the other."""
    begin, base = left.graph_ptr[one], right.graph_ptr[other]
    # Reading a field of a tuple in the innermost loop costs a reference count each time and
    # makes the loop several times slower.
    firsts, lasts, offsets = matches
    indptr, indices, weights = left.indptr, left.indices, left.weights
    other_indptr, other_indices, other_weights = right.indptr, right.indices, right.weights
    for node in range(len(firsts)):
        if firsts[node] == lasts[node]:
            continue
        around[:] = 0.0
        for entry in range(indptr[begin + node], indptr[begin + node + 1]):
            target, weight = indices[entry] - begin, weights[entry]
            shift = offsets[target] - firsts[target]
            for position in range(firsts[target], lasts[target]):
                around[position] += weight * before[shift + position]
        shift = offsets[node] - firsts[node]
        for position in range(firsts[node], lasts[node]):
            total = 0.0
            for entry in range(
                other_indptr[base + position], other_indptr[base + position + 1]
            ):
                total += other_weights[entry] * around[other_indices[entry] - base]
            after[shift + position] = total
