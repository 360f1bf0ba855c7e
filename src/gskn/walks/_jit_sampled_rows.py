"""Compiled loops that add up pattern probabilities of sampled walks or of all walks."""

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
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray, NodeArray

_MAX_SCANNED = 64  # neighbors; in longer rows, visited nodes are searched for


class PatternColumns(NamedTuple):
    """The tree of patterns, and where their probabilities are written.

    ``children[state, symbol]`` is the state of a pattern with one more symbol, and
    ``columns[state, symbol]`` its column. Only lengths that are ``wanted`` have columns.
    """

    children: IndexArray
    columns: IndexArray
    wanted: BoolArray


class WalkStates(NamedTuple):
    """The walks of a block up to the current visit."""

    rows: IndexArray  # row of the start
    visited: IndexArray  # distinct visited nodes
    n_visited: IndexArray
    masks: AnyArray  # one of 64 bits set for every visited node
    states: IndexArray  # pattern so far
    candidates: IndexArray  # scratch space


@jit
def fill_sampled_rows(
    graph: WalkGraph,
    weights: FloatArray,
    starts: IndexArray,
    n_repeats: int,
    patterns: PatternColumns,
    rows: FloatArray,
) -> None:
    """Add the pattern probabilities of sampled walks to the rows of their starts.

    The last step is not sampled: all of its outcomes are added with their probabilities.
    """
    children, columns, wanted = patterns.children, patterns.columns, patterns.wanted
    length = len(wanted) - 1
    if length < 2:
        return
    block = make_walk_block(length - 1)
    first_nodes = block.nodes[0]
    walks = WalkStates(
        np.empty(BLOCK_SIZE, np.int64),
        np.empty((BLOCK_SIZE, length + 1), np.int64),
        np.empty(BLOCK_SIZE, np.int64),
        np.empty(BLOCK_SIZE, np.uint64),
        np.empty(BLOCK_SIZE, np.int64),
        np.empty(_MAX_SCANNED, np.int64),
    )
    row_numbers, share = walks.rows, 1.0 / n_repeats
    visited, counts = walks.visited, walks.n_visited
    masks, states = walks.masks, walks.states
    for first in range(0, len(starts) * n_repeats, BLOCK_SIZE):
        n_walks = fill_walk_block(graph, starts, n_repeats, first, block)
        row, repeat = first // n_repeats, first % n_repeats
        for walk in range(n_walks):
            if repeat == n_repeats:
                row, repeat = row + 1, 0
            row_numbers[walk] = row
            repeat += 1
            node = first_nodes[walk]
            visited[walk, 0], counts[walk], states[walk] = node, 1, 0
            masks[walk] = np.uint64(1) << np.uint64(node & 63)
        for visit in range(length - 1):
            nodes = block.nodes[visit, :n_walks]
            if visit > 0:
                extend_patterns(nodes, children, visited, counts, masks, states)
            if wanted[visit + 2]:
                before = block.nodes[max(visit - 1, 0), :n_walks]
                add_last_steps(
                    graph, weights, nodes, before, walks, columns, share, block.places, rows
                )


@jit
def fill_enumerated_rows(
    graph: WalkGraph,
    weights: FloatArray,
    starts: IndexArray,
    patterns: PatternColumns,
    rows: FloatArray,
) -> None:
    """Add the pattern probabilities of all walks to the rows of their starts.

    Walks are enumerated depth first, except for their last steps.
    """
    children, columns, wanted = patterns.children, patterns.columns, patterns.wanted
    indptr, indices, totals = graph.indptr, graph.indices, graph.totals
    n_visits = len(wanted) - 2  # of a walk without its last step
    if n_visits < 1:
        return
    visited = np.empty(n_visits + 1, np.int64)
    nodes, entries = np.empty(n_visits, np.int64), np.empty(n_visits, np.int64)
    states, counts = np.zeros(n_visits, np.int64), np.ones(n_visits, np.int64)
    shares = np.ones(n_visits)
    for number in range(len(starts)):
        visit, nodes[0] = 0, starts[number]
        visited[0], entries[0] = nodes[0], indptr[nodes[0]]
        if wanted[2]:
            ends, row = (nodes[0], nodes[0]), rows[number]
            add_last_step(graph, weights, ends, visited[:1], columns[0], 1.0, row)
        while visit >= 0:
            node, entry = nodes[visit], entries[visit]
            first, end = indptr[node], indptr[node + 1]
            # A dead end has one step, to itself.
            if visit == n_visits - 1 or entry >= max(end, first + 1):
                visit -= 1
                continue
            entries[visit] += 1
            if first == end:
                target, share = node, 1.0
            elif len(weights) > 0:
                target, share = np.int64(indices[entry]), weights[entry] / totals[end - 1]
            else:
                target, share = np.int64(indices[entry]), 1.0 / (end - first)
            n_visited = counts[visit]
            symbol = find_visited(visited, n_visited, target)
            if symbol == n_visited:
                visited[n_visited] = target
            state, share = children[states[visit], symbol], share * shares[visit]
            visit += 1
            nodes[visit], entries[visit] = target, indptr[target]
            states[visit], shares[visit] = state, share
            counts[visit] = max(n_visited, symbol + 1)
            if wanted[visit + 2]:
                ends, row = (node, target), rows[number]
                before = visited[: counts[visit]]
                add_last_step(graph, weights, ends, before, columns[state], share, row)


@jit
def extend_patterns(
    nodes: IndexArray,
    children: IndexArray,
    visited: IndexArray,
    counts: IndexArray,
    masks: AnyArray,
    states: IndexArray,
) -> None:
    """Add the next visited nodes to the states of walks."""
    for walk in range(len(nodes)):
        node, n_visited = nodes[walk], counts[walk]
        visited[walk, n_visited] = node
        symbol = n_visited
        for before in range(n_visited):
            symbol = before if visited[walk, before] == node else symbol
        masks[walk] |= np.uint64(1) << np.uint64(node & 63)
        counts[walk] += symbol == n_visited
        states[walk] = children[states[walk], symbol]


@inlined_jit
def add_last_steps(
    graph: WalkGraph,
    weights: FloatArray,
    nodes: IndexArray,
    nodes_before: IndexArray,
    walks: WalkStates,
    columns: IndexArray,
    share: float,
    places: IndexArray,
    rows: FloatArray,
) -> None:
    """Add all outcomes of the last steps from ``nodes``; ``places`` is scratch space."""
    indptr, indices = graph.indptr, graph.indices
    visited, masks, counts = walks.visited, walks.masks, walks.n_visited
    states, row_numbers, candidates = walks.states, walks.rows, walks.candidates
    n_walks = len(nodes)
    ends = places[n_walks:]
    touched = np.int64(0)
    for walk in range(n_walks):  # waits for all walks at once, as take_step
        places[walk], ends[walk] = indptr[nodes[walk]], indptr[nodes[walk] + 1]
    for walk in range(n_walks if len(indices) > 0 else 0):
        touched += indices[min(places[walk], len(indices) - 1)]
    for walk in range(n_walks):
        first, end = places[walk], ends[walk]
        n_visited, state, row = counts[walk], states[walk], row_numbers[walk]
        degree = end - first
        if len(weights) > 0 or degree > _MAX_SCANNED or degree == 0 or touched < 0:
            pair, before = (nodes_before[walk], nodes[walk]), visited[walk, :n_visited]
            add_last_step(graph, weights, pair, before, columns[state], share, rows[row])
            continue
        # Few neighbors were visited before, and one of 64 bits rules most others out.
        # No branch of these loops is mispredicted often.
        mask, part = masks[walk], share / degree
        n_candidates = np.int64(0)
        for entry in range(first, end):
            candidates[n_candidates] = indices[entry]
            n_candidates += np.int64(
                (mask >> np.uint64(indices[entry] & 63)) & np.uint64(1)
            )
        for number in range(n_candidates):
            rank = n_visited
            for symbol in range(n_visited):
                rank = symbol if visited[walk, symbol] == candidates[number] else rank
            rows[row, columns[state, rank]] += part
        if n_candidates < degree:
            rows[row, columns[state, n_visited]] += part * (degree - n_candidates)


@jit
def add_last_step(
    graph: WalkGraph,
    weights: FloatArray,
    ends: tuple[int, int],
    visited: IndexArray,
    columns: IndexArray,
    share: float,
    row: FloatArray,
) -> None:
    """Add all outcomes of the last step of one walk, each with its probability.

    ``ends`` are the last two nodes of the walk, equal if it has one.
    """
    # Fields are read once: each access to a field of a tuple counts a reference.
    indptr, indices, totals = graph.indptr, graph.indices, graph.totals
    node_before, node = ends
    first, end = indptr[node], indptr[node + 1]
    weighted = len(weights) > 0
    total = totals[end - 1] if weighted and first < end else float(end - first)
    rest = total
    for symbol in range(len(visited)):
        other = visited[symbol]
        if first == end:
            row[columns[symbol]] += share if other == node else 0.0
            continue
        if graph.is_simple:
            place = find_edge(indptr, indices, node_before, node, other)
        else:
            place = find(indices, first, end, other)
        if place >= 0:
            weight = weights[place] if weighted else 1.0
            row[columns[symbol]] += share / total * weight
            rest -= weight
    if rest > 1e-12 * total:
        row[columns[len(visited)]] += share / total * rest


@inlined_jit
def find_edge(
    indptr: IndexArray, indices: NodeArray, node_before: int, node: int, other: int
) -> int:
    """Return -1 unless the last node of a walk and another node are adjacent.

    The graphs are simple: the last two nodes are adjacent, and an edge may be searched for
    in the row of either end.
    """
    low, high, wanted, place = indptr[node], indptr[node + 1], np.int64(other), -1
    begin, stop = indptr[other], indptr[other + 1]
    if stop - begin < high - low:
        low, high, wanted = begin, stop, np.int64(node)
    if other == node:
        high = low
    elif other == node_before:
        high, place = low, 0
    while low < high:
        middle = (low + high) // 2
        value = indices[middle]
        if value == wanted:
            place = middle
        if value < wanted:
            low = middle + 1
        else:
            high = middle
    return place
