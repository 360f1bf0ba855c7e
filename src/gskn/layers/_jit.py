"""Compiled loops of layers. They trust their arguments and write to the given arrays."""

from typing import NamedTuple

import numpy as np

from gskn._loops import (
    add_row_product,
    find,
    find_visited,
    next_bits,
    node_key,
    pick,
    stream_key,
)
from gskn._numba import inlined_jit, jit
from gskn._types import FloatArray, IndexArray, NodeArray


class StepMatrix(NamedTuple):
    """A CSR matrix plus a diagonal, with a factor for every row."""

    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray
    extra: FloatArray
    scale: FloatArray


class StepArrays(NamedTuple):
    """Steps between groups of twins."""

    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray  # of a step to one node of a group
    own: FloatArray  # of a group: added for a step back to the same node
    n_options: IndexArray  # of a group: nodes that a step may lead to
    sizes: IndexArray  # of a group


class WalkArrays(NamedTuple):
    """The kernel of walks with landmarks.

    ``factors[j, c, z]`` is the factor of landmark z at position j for nodes with feature
    code c, and ``kernel[p, z]`` the factor of pattern p. ``lasts[g]`` is the sum of the
    factors of the last position over all steps from group g.
    """

    codes: IndexArray
    factors: FloatArray
    lasts: FloatArray
    children: IndexArray  # state of a pattern with one more symbol
    columns: IndexArray  # column of a complete pattern
    kernel: FloatArray
    only_paths: bool


class SampledWalks(NamedTuple):
    """The graph of a batch, and how its walks are drawn."""

    indptr: IndexArray
    indices: NodeArray
    totals: FloatArray
    positions: IndexArray
    group_of: IndexArray
    seed: np.uint64
    n_walks: int


class PairSteps(NamedTuple):
    """Steps between groups of twins, and where the graph of every group begins."""

    indptr: IndexArray
    indices: NodeArray
    sizes: IndexArray
    graph_starts: IndexArray
    largest: int


class Sums(NamedTuple):
    """The product along a walk so far, scratch space, and the sums to add to."""

    product: FloatArray
    fresh: FloatArray
    sums: FloatArray


@jit
def fill_step_sums(
    matrix: StepMatrix, rows: FloatArray, start: int, end: int, sums: FloatArray
) -> None:
    """Overwrite ``sums[i]`` with row i of the matrix times ``rows``."""
    n_columns = rows.shape[1]
    for i in range(start, end):
        total, own = sums[i], rows[i]
        for z in range(n_columns):
            total[z] = matrix.extra[i] * own[z]
        add_row_product(
            matrix.indices,
            matrix.weights,
            matrix.indptr[i],
            matrix.indptr[i + 1],
            rows,
            total,
        )
        for z in range(n_columns):
            total[z] *= matrix.scale[i]


@inlined_jit
def step_weight(steps: StepArrays, groups: IndexArray, at: int, symbol: int) -> float:
    """Return the weight of a step from one visited node to another; 0 without an edge."""
    here = groups[at]
    place = find(steps.indices, steps.indptr[here], steps.indptr[here + 1], groups[symbol])
    weight = steps.weights[place] if place >= 0 else 0.0
    return weight + steps.own[here] if symbol == at else weight


@inlined_jit
def add_last_visits(
    steps: StepArrays,
    walks: WalkArrays,
    state: int,
    groups: IndexArray,
    n_visited: int,
    at: int,
    totals: Sums,
) -> None:
    """Add all walks that continue a walk without its last visit.

    ``groups`` holds the group of every visited node, and the walk is at number ``at`` of
    them. From the sum over all last visits, visited nodes are subtracted one by one; the
    remaining ones are new nodes, which all complete the same pattern.
    """
    factors, columns = walks.factors[len(walks.factors) - 1], walks.columns[state]
    n_landmarks = len(totals.product)
    n_new = steps.n_options[groups[at]]
    totals.fresh[:] = walks.lasts[groups[at]]
    for symbol in range(n_visited):
        weight = step_weight(steps, groups, at, symbol)
        if weight == 0.0:
            continue
        n_new -= 1
        factor = factors[walks.codes[groups[symbol]]]
        for z in range(n_landmarks):
            totals.fresh[z] -= weight * factor[z]
        if not walks.only_paths:
            kernel = walks.kernel[columns[symbol]]
            for z in range(n_landmarks):
                totals.sums[z] += weight * factor[z] * totals.product[z] * kernel[z]
    if n_new > 0:
        kernel = walks.kernel[columns[n_visited]]
        for z in range(n_landmarks):
            totals.sums[z] += totals.fresh[z] * totals.product[z] * kernel[z]


@jit
def add_all_walks(
    steps: StepArrays, walks: WalkArrays, start: int, sums: FloatArray
) -> None:
    """Add the kernel of all walks from a node of a group with every landmark to ``sums``.

    A step leads back to a visited node, or on to a group: all of its nodes that were not
    visited are one step. The last step is not walked.
    """
    length, _, n_landmarks = walks.factors.shape
    groups = np.empty(length + 1, np.int64)  # of visited nodes
    ats = np.zeros(length, np.int64)  # which of them the walk is at, at every depth
    visited = np.empty(length, np.int64)  # number of visited nodes at every depth
    states = np.zeros(length, np.int64)
    nexts = np.zeros(length, np.int64)  # next option at every depth
    products = np.empty((length, n_landmarks))
    fresh = np.empty(n_landmarks)
    visited[0], groups[0] = 1, start
    nexts[0] = 1 if walks.only_paths else 0
    products[0] = walks.factors[0, walks.codes[start]]
    depth = 0
    while depth >= 0:
        at, n_visited = ats[depth], visited[depth]
        if depth == length - 2:
            totals = Sums(products[depth], fresh, sums)
            add_last_visits(steps, walks, states[depth], groups, n_visited, at, totals)
            depth -= 1
            continue
        symbol = nexts[depth]
        nexts[depth] += 1
        if symbol < n_visited:
            weight = step_weight(steps, groups, at, symbol)
        else:
            entry = steps.indptr[groups[at]] + symbol - n_visited
            if entry == steps.indptr[groups[at] + 1]:
                depth -= 1
                continue
            symbol = n_visited
            following = np.int64(steps.indices[entry])
            n_left = steps.sizes[following]
            for other in range(n_visited):
                n_left -= groups[other] == following
            weight = steps.weights[entry] * n_left
            groups[n_visited] = following
            n_visited += 1
        if weight == 0.0:
            continue
        factor = walks.factors[depth + 1, walks.codes[groups[symbol]]]
        for z in range(n_landmarks):
            products[depth + 1, z] = products[depth, z] * factor[z] * weight
        states[depth + 1] = walks.children[states[depth], symbol]
        depth += 1
        ats[depth], visited[depth] = symbol, n_visited
        nexts[depth] = n_visited if walks.only_paths else 0


@jit
def fill_walk_sums(
    steps: StepArrays, walks: WalkArrays, starts: IndexArray, sums: FloatArray
) -> None:
    """Overwrite the rows of some groups with the sums over all walks from a node."""
    for start in starts:
        sums[start] = 0.0
        add_all_walks(steps, walks, start, sums[start])


@jit
def fill_sampled_sums(
    steps: StepArrays,
    walks: WalkArrays,
    graph: SampledWalks,
    starts: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite the rows of some nodes with means over sampled walks.

    The last visit is summed exactly, not sampled.
    """
    length, _, n_landmarks = walks.factors.shape
    visited = np.empty(length + 1, np.int64)
    groups = np.empty(length + 1, np.int64)
    product, fresh = np.empty(n_landmarks), np.empty(n_landmarks)
    for start in starts:
        sums[start] = 0.0
        key = node_key(graph.seed, graph.positions[start])
        for repeat in range(graph.n_walks):
            bits = stream_key(key, repeat)
            node = np.int64(start)
            visited[0], groups[0] = node, graph.group_of[node]
            n_visited, state, symbol = 1, 0, 0
            product[:] = walks.factors[0, walks.codes[groups[0]]] / graph.n_walks
            is_path = True
            for visit in range(1, length - 1):
                bits = next_bits(bits)
                first, end = graph.indptr[node], graph.indptr[node + 1]
                if first < end:
                    node = np.int64(graph.indices[pick(graph.totals, first, end, bits)])
                symbol = find_visited(visited, n_visited, node)
                if symbol == n_visited:
                    visited[n_visited], groups[n_visited] = node, graph.group_of[node]
                    n_visited += 1
                else:
                    is_path = False
                state = walks.children[state, symbol]
                product *= walks.factors[visit, walks.codes[groups[symbol]]]
            if is_path or not walks.only_paths:
                totals = Sums(product, fresh, sums[start])
                add_last_visits(steps, walks, state, groups, n_visited, symbol, totals)


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

    ``sums[y, i]`` is the sum of ``near[:, i]`` over the common neighbours of the start x
    and a node of group y; a node is never its own neighbour. Triangle number k is
    ``far[y, k] * sums[y, places[k]]``, summed over neighbours y. If ``far`` has one more
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
                own = sums[y - offset, places[k]]
                for z in range(n_columns):
                    totals[x, k, z] += n_others * far[y, k, z] * own[z]
        if has_cycles:
            for number in range(n_touched):
                y = touched[number]
                n_others = np.float64(sizes[y] - (y == x))
                one, two = sums[y - offset, 0], sums[y - offset, 1]
                for z in range(n_columns):
                    opposite = n_others * far[y, n_triangles, z]
                    totals[x, n_triangles, z] += opposite * one[z] * two[z]
