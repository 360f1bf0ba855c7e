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


class PatternCodes(NamedTuple):
    """The tree of patterns, and the code of every pattern without its arcs."""

    children: IndexArray  # state of a pattern with one more symbol
    codes: AnyArray  # by state; zero for shorter patterns


class NodeMarks(NamedTuple):
    """Scratch space with one entry per node.

    ``ranks`` holds the symbol of a visited node, else -1. ``arcs`` holds the symbols with
    an edge to the node (even bits) and, in undirected graphs, from it (odd bits).
    """

    ranks: AnyArray
    arcs: AnyArray


class HashTable(NamedTuple):
    """Sums by key. ``slots[0]`` is the number of slots in use; these follow.

    No key is zero: the highest bits hold the number of symbols.
    """

    keys: AnyArray
    sums: FloatArray
    slots: IndexArray


class CodeLists(NamedTuple):
    """Codes and values of nodes one after another, and their number for every node."""

    codes: AnyArray
    values: FloatArray
    counts: IndexArray


@jit
def fill_induced(
    graph: WalkGraph,
    walks: InducedWalks,
    patterns: PatternCodes,
    nodes: IndexArray,
    marks: NodeMarks,
    table: HashTable,
    lists: CodeLists,
) -> int:
    """Write the codes and values of nodes one after another; return how many are done.

    The loop ends early if the table or the lists are too small.
    """
    block = make_walk_block(patterns.children.shape[1])
    place = 0
    for number in range(len(nodes)):
        node = nodes[number]
        if walks.sampled[node]:
            start = nodes[number : number + 1]
            fits = sample_induced(graph, start, walks.n_walks, patterns, block, table)
        else:
            directed = walks.directed[node]
            fits = enumerate_induced(
                graph, walks.probabilities, directed, node, patterns, marks, table
            )
        n_keys = table.slots[0]
        end = empty_table(table, place, lists)
        if not fits or end < 0:
            return number
        lists.counts[number] = n_keys
        place = end
    return len(nodes)


@jit
def enumerate_induced(
    graph: WalkGraph,
    probabilities: FloatArray,
    directed: bool,  # noqa: FBT001 - compiled loops take no keywords
    start: int,
    patterns: PatternCodes,
    marks: NodeMarks,
    table: HashTable,
) -> bool:
    """Add all walks from a node to a table; return False if it is too full.

    The value of a walk is the product of the probabilities of its steps, or 1 if there
    are none. The last step is not taken: the marks of the neighbor give its symbol.
    """
    indptr, indices = graph.indptr, graph.indices
    children, codes = patterns.children, patterns.codes
    ranks, arc_marks = marks.ranks, marks.arcs
    keys, sums, slots = table.keys, table.sums, table.slots
    length = children.shape[1]
    visited = np.empty(length + 1, np.int64)
    path = np.empty(length, np.int64)  # node at every depth
    counts = np.empty(length, np.int64)  # number of distinct visited nodes at every depth
    states = np.zeros(length, np.int64)
    arcs = np.zeros(length, np.uint64)
    values = np.ones(length)
    nexts = np.zeros(length, np.int64)  # next edge to follow at every depth
    path[0], counts[0], visited[0] = start, 1, start
    if length == 1:
        return add_to_table(keys, sums, slots, codes[0], 1.0)
    arc_bits = np.uint64(1) if directed else np.uint64(3)
    ranks[start] = 0
    flip_marks(indptr, indices, start, arc_bits, arc_marks)
    depth, fits = 0, True
    while depth >= 0:
        node, n_visited = path[depth], counts[depth]
        first, end = indptr[node], indptr[node + 1]
        while nexts[depth] < max(end - first, 1) and fits:
            # At a dead end, the only option is to stay.
            following, value = node, values[depth]
            if first < end:
                entry = first + nexts[depth]
                following = np.int64(indices[entry])
                value *= probabilities[entry] if len(probabilities) > 0 else 1.0
            nexts[depth] += 1
            symbol, bits = find_symbol(
                indptr, indices, directed, following, visited, n_visited, ranks, arc_marks
            )
            bits |= arcs[depth]
            state = children[states[depth], symbol]
            if depth == length - 2:
                fits = add_to_table(keys, sums, slots, codes[state] | bits, value)
                continue
            if symbol == n_visited:
                visited[n_visited], ranks[following] = following, n_visited
                flips = arc_bits << np.uint64(2 * n_visited)
                flip_marks(indptr, indices, following, flips, arc_marks)
                n_visited += 1
            depth += 1
            node, first, end = following, indptr[following], indptr[following + 1]
            path[depth], counts[depth], states[depth] = following, n_visited, state
            arcs[depth], values[depth], nexts[depth] = bits, value, 0
        if depth == 0 or counts[depth - 1] < n_visited:
            ranks[node] = -1
            flips = arc_bits << np.uint64(2 * (n_visited - 1))
            flip_marks(indptr, indices, node, flips, arc_marks)
        depth -= 1
    return fits


@jit
def find_symbol(
    indptr: IndexArray,
    indices: NodeArray,
    directed: bool,  # noqa: FBT001 - compiled loops take no keywords
    node: int,
    visited: IndexArray,
    n_visited: int,
    ranks: AnyArray,
    arc_marks: AnyArray,
) -> tuple[np.int64, np.uint64]:
    """Return the symbol of a node and, if it is new, the bits of its arcs."""
    if ranks[node] >= 0:
        return np.int64(ranks[node]), np.uint64(0)
    bits = arc_marks[node]
    if directed:
        first, end = indptr[node], indptr[node + 1]
        for symbol in range(n_visited):
            if find(indices, first, end, visited[symbol]) >= 0:
                bits |= np.uint64(2) << np.uint64(2 * symbol)
    return np.int64(n_visited), bits << np.uint64(n_visited * (n_visited - 1))


@jit
def flip_marks(
    indptr: IndexArray,
    indices: NodeArray,
    node: int,
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
    patterns: PatternCodes,
    block: WalkBlock,
    table: HashTable,
) -> bool:
    """Add sampled walks from one node to a table; return False if it is too full."""
    indptr, indices = graph.indptr, graph.indices
    children, codes, nodes = patterns.children, patterns.codes, block.nodes
    keys, sums, slots = table.keys, table.sums, table.slots
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
            if not add_to_table(keys, sums, slots, codes[state] | arcs, 1.0 / n_walks):
                return False
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
def add_to_table(
    keys: AnyArray, sums: FloatArray, slots: IndexArray, key: np.uint64, value: float
) -> bool:
    """Add a value to the sum of a key; return False if the table is too full."""
    mask = np.uint64(len(keys) - 1)
    slot = mix(key) & mask
    while keys[slot] != key:
        if keys[slot] == np.uint64(0):
            if 2 * slots[0] >= len(keys):
                return False
            slots[0] += 1
            slots[slots[0]] = slot
            keys[slot] = key
            sums[slot] = 0.0
            break
        slot = (slot + np.uint64(1)) & mask
    sums[slot] += value
    return True


@jit
def empty_table(table: HashTable, place: int, lists: CodeLists) -> int:
    """Move a table to lists from ``place`` on; return the end, or -1 if it does not fit."""
    keys, sums, slots = table.keys, table.sums, table.slots
    codes, values = lists.codes, lists.values
    n_keys = slots[0]
    fits = place + n_keys <= len(codes)
    for number in range(n_keys):
        slot = slots[1 + number]
        if fits:
            codes[place + number], values[place + number] = keys[slot], sums[slot]
        keys[slot] = np.uint64(0)
    slots[0] = 0
    return place + n_keys if fits else -1
