"""Compiled loops that sum a kernel over all walks or over sampled walks."""

from typing import NamedTuple

import numpy as np

from gskn._loops import (
    BLOCK_SIZE,
    WalkGraph,
    fill_walk_block,
    find,
    find_visited,
    make_walk_block,
)
from gskn._numba import inlined_jit, jit
from gskn._types import FloatArray, IndexArray, NodeArray


class StepArrays(NamedTuple):
    """Steps between groups of twins."""

    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray  # of a step to one node of a group
    loop_weights: FloatArray  # of a group: added for a step back to the same node
    n_options: IndexArray  # of a group: nodes that a step may lead to
    sizes: IndexArray  # of a group
    edge_codes: IndexArray  # of an entry; empty if walks do not compare edges


class WalkArrays(NamedTuple):
    """The kernel of walks with landmarks.

    ``factors[j, c, z]`` is the factor of landmark z at position j for nodes with feature
    code c, and ``kernel[p, z]`` the factor of pattern p. ``step_factors[j, c, z]`` is the
    factor at step j for edges with feature code c; it is empty if walks do not compare
    edges. ``lasts[g]`` is the sum of the factors of the last step and the last position
    over all steps from group g.
    """

    codes: IndexArray
    factors: FloatArray
    step_factors: FloatArray
    lasts: FloatArray
    children: IndexArray  # state of a pattern with one more symbol
    columns: IndexArray  # column of a complete pattern
    kernel: FloatArray
    only_paths: bool


class SampledWalks(NamedTuple):
    """How walks are sampled on the graphs of a batch."""

    group_of: IndexArray  # twin group of every node
    n_walks: int  # per node


class Sums(NamedTuple):
    """The product along a walk so far, scratch space, and the sums to add to."""

    product: FloatArray
    fresh: FloatArray
    scratch: FloatArray
    sums: FloatArray


@inlined_jit
def find_step(steps: StepArrays, here: int, there: np.int64) -> int:
    """Return the entry of the step between two groups, or -1."""
    return find(steps.indices, steps.indptr[here], steps.indptr[here + 1], there)


@inlined_jit
def step_weight(steps: StepArrays, groups: IndexArray, at: int, symbol: int) -> float:
    """Return the weight of a step from one visited node to another; 0 without an edge."""
    here = groups[at]
    place = find_step(steps, here, groups[symbol])
    weight = steps.weights[place] if place >= 0 else 0.0
    return weight + steps.loop_weights[here] if symbol == at else weight


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
    n_landmarks, n_edge_steps = len(totals.product), len(walks.step_factors)
    n_new = steps.n_options[groups[at]]
    totals.fresh[:] = walks.lasts[groups[at]]
    for symbol in range(n_visited):
        weight = step_weight(steps, groups, at, symbol)
        if weight == 0.0:
            continue
        n_new -= 1
        factor = factors[walks.codes[groups[symbol]]]
        if n_edge_steps:
            place = find_step(steps, groups[at], groups[symbol])
            code = steps.edge_codes[place]
            totals.scratch[:] = factor * walks.step_factors[n_edge_steps - 1, code]
            factor = totals.scratch
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
    fresh, scratch = np.empty(n_landmarks), np.empty(n_landmarks)
    visited[0], groups[0] = 1, start
    nexts[0] = 1 if walks.only_paths else 0
    products[0] = walks.factors[0, walks.codes[start]]
    depth = 0
    while depth >= 0:
        at, n_visited = ats[depth], visited[depth]
        if depth == length - 2:
            totals = Sums(products[depth], fresh, scratch, sums)
            add_last_visits(steps, walks, states[depth], groups, n_visited, at, totals)
            depth -= 1
            continue
        symbol = nexts[depth]
        nexts[depth] += 1
        entry = -1
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
        if len(walks.step_factors):
            if entry < 0:
                entry = find_step(steps, groups[at], groups[symbol])
            products[depth + 1] *= walks.step_factors[depth, steps.edge_codes[entry]]
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
    graph: WalkGraph,
    sampled: SampledWalks,
    steps: StepArrays,
    walks: WalkArrays,
    starts: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite the rows of some nodes with means over sampled walks.

    The last visit is summed exactly, not sampled.
    """
    length, _, n_landmarks = walks.factors.shape
    n_walks, group_of = sampled.n_walks, sampled.group_of
    visited = np.empty(length + 1, np.int64)
    groups = np.empty(length + 1, np.int64)
    product, fresh = np.empty(n_landmarks), np.empty(n_landmarks)
    scratch = np.empty(n_landmarks)
    block = make_walk_block(length - 1)
    nodes = block.nodes
    for number in range(len(starts)):
        start = starts[number]
        sums[start] = 0.0
        for first in range(0, n_walks, BLOCK_SIZE):
            n_block = fill_walk_block(
                graph, starts[number : number + 1], n_walks, first, block
            )
            for walk in range(n_block):
                visited[0], groups[0] = start, group_of[start]
                n_visited, state, symbol = 1, 0, 0
                product[:] = walks.factors[0, walks.codes[groups[0]]] / n_walks
                for visit in range(1, length - 1):
                    node, last = nodes[visit, walk], groups[symbol]
                    symbol = find_visited(visited, n_visited, node)
                    if symbol == n_visited:
                        visited[n_visited], groups[n_visited] = node, group_of[node]
                        n_visited += 1
                    state = walks.children[state, symbol]
                    product *= walks.factors[visit, walks.codes[groups[symbol]]]
                    if len(walks.step_factors):
                        # There is no step back to the same node if walks are paths.
                        entry = find_step(steps, last, groups[symbol])
                        code = steps.edge_codes[entry] if entry >= 0 else 0
                        product *= walks.step_factors[visit - 1, code]
                if n_visited == length - 1 or not walks.only_paths:
                    totals = Sums(product, fresh, scratch, sums[start])
                    add_last_visits(steps, walks, state, groups, n_visited, symbol, totals)
