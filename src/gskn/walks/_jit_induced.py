"""Compiled loops that enumerate or sample walks with induced patterns."""

from typing import NamedTuple

import numpy as np

from gskn._loops import (
    BLOCK_SIZE,
    WalkBlock,
    WalkGraph,
    fill_walk_block,
    find,
    find_visited,
    make_walk_block,
    mix,
)
from gskn._numba import jit
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray, NodeArray


class InducedWalks(NamedTuple):
    """How the walks from every node are counted."""

    probabilities: FloatArray  # of every step; empty if every walk counts one
    directed: BoolArray  # of every node: whether its graph is directed
    sampled: BoolArray  # of every node: whether its walks are sampled
    n_walks: int  # sampled walks per node
    weighted: bool  # whether the steps from a node may have different probabilities
    looped: bool  # whether any node has a self-loop


class PatternStates(NamedTuple):
    """The tree of patterns. States are numbered by length.

    ``ranks`` counts the patterns of the full length with equally many symbols, and
    ``row_sizes`` holds the number of these patterns, for every number of symbols.
    """

    children: IndexArray  # state of a pattern with one more symbol
    last: IndexArray  # last symbol of every shorter pattern
    ranks: IndexArray  # of every pattern of the full length
    row_sizes: IndexArray
    first_open: int  # first state of all but one nodes
    first_full: int  # first state of the full length


class NodeMarks(NamedTuple):
    """Scratch space with one entry per node.

    ``ranks`` holds the symbol of a visited node, else -1. ``arcs`` holds the symbols with
    an edge to the node (even bits) and, in undirected graphs, from it (odd bits).
    """

    ranks: AnyArray
    arcs: AnyArray


class Table(NamedTuple):
    """Sums of the patterns of visited nodes that induce the same subgraph.

    A key consists of the number of nodes (from bit 60 on) and two bits for every pair of
    them, one for each direction of an edge; no key is zero. ``places`` is the first sum of
    every key. ``slots[0]`` is the number of slots in use, ``slots[1]`` the number of sums
    in use; the slots in use follow.
    """

    keys: AnyArray
    places: IndexArray
    slots: IndexArray
    sums: FloatArray


class CodeLists(NamedTuple):
    """Codes and values of nodes one after another, and their number for every node."""

    codes: AnyArray
    values: FloatArray
    counts: IndexArray


@jit
def fill_induced(
    graph: WalkGraph,
    walks: InducedWalks,
    patterns: PatternStates,
    nodes: IndexArray,
    marks: NodeMarks,
    table: Table,
    lists: CodeLists,
) -> int:
    """Write the codes and values of nodes one after another; return how many are done.

    The loop ends early if the table or the lists are too small.
    """
    length = patterns.children.shape[1]
    block = make_walk_block(length)
    same_marks = np.zeros(4 ** (length - 1), np.int64)
    place = 0
    for number in range(len(nodes)):
        node = nodes[number]
        if walks.sampled[node]:
            start = nodes[number : number + 1]
            fits = sample_induced(graph, start, walks.n_walks, patterns, block, table)
        else:
            fits = enumerate_induced(
                graph, walks, walks.directed[node], node, patterns, marks, table, same_marks
            )
        end = empty_table(patterns.row_sizes, table, place, lists)
        if not fits or end < 0:
            return number
        lists.counts[number] = end - place
        place = end
    return len(nodes)


@jit
def enumerate_induced(
    graph: WalkGraph,
    walks: InducedWalks,
    directed: bool,  # noqa: FBT001 - compiled loops take no keywords
    start: int,
    patterns: PatternStates,
    marks: NodeMarks,
    table: Table,
    same_marks: IndexArray,
) -> bool:
    """Add all walks from a node to a table; return False if it is too full.

    The loop enumerates sequences of nodes in the order of their first visits. All walks
    that visit the same sequence share its induced subgraph, and are followed together by
    the patterns that this subgraph allows. The last node of a walk, if it is new, is not
    visited either: nodes with equal marks are counted together.
    """
    indptr, indices, probabilities = graph.indptr, graph.indices, walks.probabilities
    children, last, first_open = patterns.children, patterns.last, patterns.first_open
    first_full, pattern_ranks = patterns.first_full, patterns.ranks
    ranks, arc_marks = marks.ranks, marks.arcs
    keys, places, slots, sums = table.keys, table.places, table.slots, table.sums
    row_sizes = patterns.row_sizes
    length = children.shape[1]
    arc_bits = np.uint64(1) if directed else np.uint64(3)
    weighted, looped = walks.weighted, walks.looped
    visited = np.empty(length + 1, np.int64)
    steps = np.empty((length + 1, length + 1))  # probabilities between visited nodes
    leave = np.empty(length + 1)  # probability of the first step from a visited node
    arcs = np.zeros((length + 2, length + 1), np.int64)  # bits of symbols, for every depth
    bits = np.zeros(length + 2, np.uint64)  # arcs of the key
    states = np.empty(first_full, np.int64)  # of walks that are not finished, by depth
    values = np.empty(first_full)
    ends = np.zeros(length + 2, np.int64)
    full_ranks = np.empty(len(pattern_ranks), np.int64)  # of finished walks
    full_values = np.empty(len(pattern_ranks))
    positions = np.zeros(length + 2, np.int64)  # visited node whose neighbors are next
    entries = np.zeros(length + 2, np.int64)  # next neighbor
    opened = np.zeros(length + 2, np.uint64)  # even bits of the symbols of these nodes
    marked = np.empty(length + 1, np.bool_)  # whether the neighbors are marked
    touched = np.empty(2**length, np.uint64)  # marks of last nodes; 0 if there is none
    if length == 1:
        place = find_place(
            keys, places, slots, sums, row_sizes, np.uint64(1) << np.uint64(60)
        )
        sums[place] += 1.0
        return True
    depth, following, fits = 0, np.int64(start), True
    while True:
        # Visit a node: `following` is the symbol `depth`.
        new_marks = arc_marks[following] if depth > 0 else np.uint64(0)
        back_marks = new_marks >> np.uint64(1)
        first, end = indptr[following], indptr[following + 1]
        if directed:
            back_marks = np.uint64(0)
            for symbol in range(depth):
                if find(indices, first, end, visited[symbol]) >= 0:
                    back_marks |= np.uint64(1) << np.uint64(2 * symbol)
        even = new_marks & np.uint64(0x5555555555555555)
        both = even | (back_marks << np.uint64(1))
        bits[depth + 1] = bits[depth] | (both << np.uint64(depth * max(depth - 1, 0)))
        visited[depth], ranks[following] = following, depth
        arcs[depth + 1, depth] = 0
        step = 1.0
        if len(probabilities) > 0 and first < end:
            step = probabilities[first]
        leave[depth] = steps[depth, depth] = step
        for symbol in range(depth):
            steps[depth, symbol], steps[symbol, depth] = step, leave[symbol]
            arcs[depth + 1, symbol] = arcs[depth, symbol]
            shift = np.uint64(2 * symbol)
            if even >> shift & np.uint64(1):
                arcs[depth + 1, symbol] |= 1 << depth
                if weighted:
                    entry = find(
                        indices,
                        indptr[visited[symbol]],
                        indptr[visited[symbol] + 1],
                        following,
                    )
                    steps[symbol, depth] = probabilities[entry]
            if back_marks >> shift & np.uint64(1):
                arcs[depth + 1, depth] |= 1 << symbol
                if weighted:
                    steps[depth, symbol] = probabilities[
                        find(indices, first, end, visited[symbol])
                    ]
        if first == end:  # at a dead end, the only option is to stay
            arcs[depth + 1, depth] |= 1 << depth
        elif looped:
            entry = find(indices, first, end, following)
            if entry >= 0:
                arcs[depth + 1, depth] |= 1 << depth
                if weighted:
                    steps[depth, depth] = probabilities[entry]
        # Follow the walks that arrive at the node for the first time, which are those of
        # the depth before, and all walks that continue among the visited nodes.
        number, n_states, n_full = ends[depth - 1] if depth > 0 else 0, ends[depth], 0
        if depth == 0:
            states[0], values[0], n_states = 0, 1.0, 1
        is_last, open_bits = True, np.uint64(0)
        while number < n_states:
            parent, value = states[number], values[number]
            symbol, first_target = last[parent], depth
            if number >= ends[depth]:
                first_target = 0
                is_last &= parent >= first_open
                open_bits |= np.uint64(1) << np.uint64(2 * symbol)
            targets = arcs[depth + 1, symbol]
            for target in range(first_target, depth + 1):
                if not targets >> target & 1:
                    continue
                state = children[parent, target]
                if state < first_full:
                    states[n_states] = state
                    values[n_states] = value * steps[symbol, target]
                    n_states += 1
                else:
                    full_ranks[n_full] = pattern_ranks[state - first_full]
                    full_values[n_full] = value * steps[symbol, target]
                    n_full += 1
            number += 1
        # Marks are not needed if all of the next nodes are neighbors of this one, and last.
        is_last &= not (directed or weighted)
        flips = arc_bits << np.uint64(2 * depth)
        marked[depth] = not is_last or open_bits & ~flips
        if marked[depth]:
            flip_marks(indptr, indices, following, flips, arc_marks)
            flips = np.uint64(0)
        depth += 1
        ends[depth], opened[depth] = n_states, open_bits
        positions[depth], entries[depth] = 0, 0
        touched[0] = 0
        n_touched = 1 if n_full > 0 else 0
        if is_last:
            # Nodes that can only be the last ones: count those with equal marks.
            for symbol in range(depth):
                shift = np.uint64(2 * symbol)
                if not open_bits >> shift & np.uint64(1):
                    continue
                earlier = open_bits & ((np.uint64(1) << shift) - np.uint64(1))
                node = visited[symbol]
                for entry in range(indptr[node], indptr[node + 1]):
                    new_marks = arc_marks[indices[entry]] | flips
                    if ranks[indices[entry]] >= 0 or new_marks & earlier:
                        continue
                    if same_marks[new_marks] == 0:
                        touched[n_touched] = new_marks
                        n_touched += 1
                    same_marks[new_marks] += 1
            positions[depth] = depth
        # Add the finished walks, and for all last nodes the walks that end there.
        for number in range(n_touched):
            new_marks = touched[number]
            n_nodes, same_marks[new_marks] = same_marks[new_marks], 0
            key = np.uint64(depth) << np.uint64(60) | bits[depth]
            if new_marks:
                key += np.uint64(1) << np.uint64(60)
                key |= new_marks << np.uint64(depth * (depth - 1))
            place = find_place(keys, places, slots, sums, row_sizes, key)
            if place < 0:
                fits = False
                continue
            if not new_marks:
                for walk in range(n_full):
                    sums[place + full_ranks[walk]] += full_values[walk]
                continue
            for walk in range(ends[depth - 1], n_states):
                symbol = last[states[walk]]
                if new_marks >> np.uint64(2 * symbol) & np.uint64(1):
                    state = children[states[walk], depth] - first_full
                    sums[place + pattern_ranks[state]] += (
                        n_nodes * values[walk] * leave[symbol]
                    )
        # Find the next node, after leaving those whose neighbors are done.
        is_found = False
        while depth > 0 and not is_found:
            symbol = positions[depth]
            if symbol >= depth or not fits:
                depth -= 1
                node = visited[depth]
                ranks[node] = -1
                flips = arc_bits << np.uint64(2 * depth)
                if marked[depth]:
                    flip_marks(indptr, indices, node, flips, arc_marks)
                continue
            entry = indptr[visited[symbol]] + entries[depth]
            is_open = opened[depth] >> np.uint64(2 * symbol) & np.uint64(1)
            if entry >= indptr[visited[symbol] + 1] or not is_open:
                positions[depth] += 1
                entries[depth] = 0
                continue
            entries[depth] += 1
            following = np.int64(indices[entry])
            earlier = opened[depth] & (
                (np.uint64(1) << np.uint64(2 * symbol)) - np.uint64(1)
            )
            is_found = ranks[following] < 0 and not arc_marks[following] & earlier
        if depth == 0:
            return fits


@jit
def flip_marks(
    indptr: IndexArray,
    indices: NodeArray,
    node: np.int64,
    bits: np.uint64,
    arc_marks: AnyArray,
) -> None:
    """Flip bits of all neighbors of a node: the first call sets them, the next clears."""
    for entry in range(indptr[node], indptr[node + 1]):
        arc_marks[indices[entry]] ^= bits


@jit
def sample_induced(
    graph: WalkGraph,
    start: IndexArray,
    n_walks: int,
    patterns: PatternStates,
    block: WalkBlock,
    table: Table,
) -> bool:
    """Add sampled walks from one node to a table; return False if it is too full."""
    indptr, indices = graph.indptr, graph.indices
    children, nodes = patterns.children, block.nodes
    keys, places, slots, sums = table.keys, table.places, table.slots, table.sums
    length = children.shape[1]
    visited = np.empty(length + 1, np.int64)
    for first in range(0, n_walks, BLOCK_SIZE):
        n_block = fill_walk_block(graph, start, n_walks, first, block)
        for walk in range(n_block):
            visited[0] = nodes[0, walk]
            n_visited, state, arcs = 1, 0, np.uint64(0)
            for visit in range(1, length):
                node = nodes[visit, walk]
                symbol = find_visited(visited, n_visited, node)
                if symbol == n_visited:
                    arcs |= find_arcs(indptr, indices, visited, n_visited, node)
                    visited[n_visited] = node
                    n_visited += 1
                state = children[state, symbol]
            key = np.uint64(n_visited) << np.uint64(60) | arcs
            place = find_place(keys, places, slots, sums, patterns.row_sizes, key)
            if place < 0:
                return False
            sums[place + patterns.ranks[state - patterns.first_full]] += 1.0 / n_walks
    return True


@jit
def find_arcs(
    indptr: IndexArray,
    indices: NodeArray,
    visited: IndexArray,
    n_visited: int,
    node: np.int64,
) -> np.uint64:
    """Return the bits of the arcs between a new node and the visited nodes."""
    bits = np.uint64(0)
    base = n_visited * (n_visited - 1)
    for symbol in range(n_visited):
        other = visited[symbol]
        if find(indices, indptr[other], indptr[other + 1], node) >= 0:
            bits |= np.uint64(1) << np.uint64(base + 2 * symbol)
        if find(indices, indptr[node], indptr[node + 1], other) >= 0:
            bits |= np.uint64(1) << np.uint64(base + 2 * symbol + 1)
    return bits


@jit
def find_place(
    keys: AnyArray,
    places: IndexArray,
    slots: IndexArray,
    sums: FloatArray,
    row_sizes: IndexArray,
    key: np.uint64,
) -> np.int64:
    """Return the place of the first sum of a key, or -1 if the table is too full."""
    # With a return in the loop, or a use of an array after it, numba would count
    # references to the arrays by atomic operations, which takes longer than the search.
    mask = np.uint64(len(keys) - 1)
    slot, place, is_found = mix(key) & mask, np.int64(-1), False
    while not is_found:
        if keys[slot] == np.uint64(0):
            size = row_sizes[np.int64(key >> np.uint64(60))]
            is_found = 2 * slots[0] >= len(keys) or slots[1] + size > len(sums)
            if not is_found:
                slots[0] += 1
                slots[1 + slots[0]] = slot
                keys[slot], places[slot] = key, slots[1]
                slots[1] += size
        if keys[slot] == key:
            place, is_found = np.int64(places[slot]), True
        slot = (slot + np.uint64(1)) & mask
    return place


@jit
def number_codes(
    codes: AnyArray, keys: AnyArray, numbers: IndexArray, columns: IndexArray
) -> np.int64:
    """Write the numbers of codes, by first use; return the number of distinct codes.

    Return -1 if the table of ``keys`` and their ``numbers`` is too full.
    """
    mask = np.uint64(len(keys) - 1)
    n_codes = np.int64(0)
    for place in range(len(codes)):
        code = codes[place]
        slot = mix(code) & mask
        while keys[slot] != code:
            if keys[slot] == np.uint64(0):
                if 2 * n_codes >= len(keys):
                    return np.int64(-1)
                keys[slot], numbers[slot] = code, n_codes
                n_codes += 1
                break
            slot = (slot + np.uint64(1)) & mask
        columns[place] = numbers[slot]
    return n_codes


@jit
def empty_table(row_sizes: IndexArray, table: Table, place: int, lists: CodeLists) -> int:
    """Move a table to lists from ``place`` on; return the end, or -1 if it does not fit."""
    keys, places, slots, sums = table.keys, table.places, table.slots, table.sums
    codes, values = lists.codes, lists.values
    fits = True
    for number in range(slots[0]):
        slot = slots[2 + number]
        key, first = keys[slot], places[slot]
        keys[slot] = np.uint64(0)
        n_symbols = np.int64(key >> np.uint64(60))
        shift = np.uint64(n_symbols * (n_symbols - 1))
        for rank in range(row_sizes[n_symbols]):
            value = sums[first + rank]
            sums[first + rank] = 0.0
            if value == 0.0:
                continue
            fits = fits and place < len(codes)
            if fits:
                codes[place] = key | np.uint64(rank) << shift
                values[place] = value
                place += 1
    slots[:2] = 0
    return place if fits else -1
