"""Compiled loops that several folders share: random streams, sampled walks, CSR rows."""

from typing import NamedTuple

import numpy as np

from gskn._numba import inlined_jit, jit
from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray

BLOCK_SIZE = 64  # walks that are sampled at once
_STEP = np.uint64(0x9E3779B97F4A7C15)  # increment of splitmix64


class CsrArrays(NamedTuple):
    """Arrays of a CSR matrix."""

    indptr: IndexArray
    indices: NodeArray
    data: FloatArray


class WalkGraph(NamedTuple):
    """Graphs of a batch as CSR arrays, and the keys of the walks sampled on them.

    ``totals`` holds running sums of the weights within every row, or is empty if all
    weights are equal. ``positions`` and ``seed`` key the random streams of a node. If
    ``is_simple``, no graph has directions, used weights or loops.
    """

    indptr: IndexArray
    indices: NodeArray
    totals: FloatArray
    positions: IndexArray
    seed: np.uint64
    is_simple: bool = False


class WalkBlock(NamedTuple):
    """Walks that are sampled at once: ``nodes[j, w]`` is visit ``j`` of walk ``w``."""

    nodes: IndexArray
    bits: AnyArray  # state of the random stream of every walk
    places: IndexArray  # scratch space


@jit
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits (the finalizer of splitmix64)."""
    bits = np.uint64(bits)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits


@jit
def node_key(seed: np.uint64, position: int) -> np.uint64:
    """Return the key of the streams of a node, given its position in its graph."""
    return mix(seed ^ mix(np.uint64(position) + np.uint64(1)))


@jit
def stream_key(key: np.uint64, repeat: int) -> np.uint64:
    """Return the first bits of a walk: its stream does not depend on thread or batch."""
    return mix(key + np.uint64(repeat) * _STEP)


@jit
def next_bits(bits: np.uint64) -> np.uint64:
    """Return the next 64 bits of a stream."""
    return mix(bits + _STEP)


@jit
def pick(totals: FloatArray, first: np.int64, end: np.int64, bits: np.uint64) -> np.int64:
    """Draw an entry of a CSR row in proportion to its weight.

    ``totals`` holds running sums of the weights within every row, or is empty if all
    weights are equal; with weights of one, both cases draw the same entry.
    """
    unit = np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    if len(totals) == 0:
        return first + np.int64(unit * (end - first))
    wanted = unit * totals[end - 1]
    low, high = first, end - 1
    while low < high:
        middle = (low + high) // 2
        if totals[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def make_walk_block(length: int) -> WalkBlock:
    """Allocate a block for walks that visit ``length`` nodes."""
    return WalkBlock(
        np.empty((length, BLOCK_SIZE), np.int64),
        np.empty(BLOCK_SIZE, np.uint64),
        np.empty(2 * BLOCK_SIZE, np.int64),
    )


@inlined_jit
def fill_walk_block(
    graph: WalkGraph, starts: IndexArray, n_repeats: int, first: int, block: WalkBlock
) -> int:
    """Overwrite a block with sampled walks and return their number.

    The walks are numbered by start and repeat; the block takes them from number ``first``
    on. At a dead end a walk stays.
    """
    # Fields are read once: each access to a field of a tuple counts a reference.
    indptr, indices, totals = graph.indptr, graph.indices, graph.totals
    nodes, bits, places = block.nodes, block.bits, block.places
    n_walks = min(BLOCK_SIZE, len(starts) * n_repeats - first)
    begin_walks(graph, starts, n_repeats, first, n_walks, block)
    for visit in range(1, len(nodes)):
        take_step(indptr, indices, totals, n_walks, bits, places, visit, nodes)
    return n_walks


@inlined_jit
def begin_walks(
    graph: WalkGraph,
    starts: IndexArray,
    n_repeats: int,
    first: int,
    n_walks: int,
    block: WalkBlock,
) -> None:
    """Write the starts and the random streams of walks to a block.

    A stream is keyed by the seed, the position of the start in its graph and the number
    of the walk. It does not depend on threads, the batch or the order of graphs.
    """
    seed, positions, nodes, bits = graph.seed, graph.positions, block.nodes, block.bits
    row, repeat = first // n_repeats, first % n_repeats
    key = node_key(seed, positions[starts[row]])
    for walk in range(n_walks):
        if repeat == n_repeats:
            row, repeat = row + 1, 0
            key = node_key(seed, positions[starts[row]])
        bits[walk] = stream_key(key, repeat)
        nodes[0, walk] = starts[row]
        repeat += 1


@jit
def take_step(  # noqa: PLR0913, PLR0917 - arrays: it is called for every step
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    n_walks: int,
    bits: AnyArray,
    places: IndexArray,
    visit: int,
    nodes: IndexArray,
) -> None:
    """Overwrite row ``visit`` of ``nodes`` with the nodes that follow the row before.

    In a large graph every read waits for memory. These loops are small, so the processor
    runs ahead and waits for several walks at once.
    """
    for walk in range(n_walks):
        node = nodes[visit - 1, walk]
        places[walk] = indptr[node]
        places[walk + BLOCK_SIZE] = indptr[node + 1]
    for walk in range(n_walks):
        bits[walk] = next_bits(bits[walk])
        first, end = places[walk], places[walk + BLOCK_SIZE]
        places[walk] = pick(totals, first, end, bits[walk]) if first < end else -1
    for walk in range(n_walks):
        place = places[walk]
        nodes[visit, walk] = indices[place] if place >= 0 else nodes[visit - 1, walk]


@jit
def find(indices: NodeArray, first: int, end: int, node: np.int64) -> int:
    """Return the place of a node in a sorted CSR row, or -1."""
    # With a return or a use of `indices` after the loop, numba would count references to
    # the array, which takes longer than the search.
    low, high, place = first, end, -1
    while low < high:
        middle = (low + high) // 2
        value = indices[middle]
        if value == node:
            place = middle
        if value < node:
            low = middle + 1
        else:
            high = middle
    return place


@jit
def find_visited(visited: IndexArray, n_visited: int, node: np.int64) -> int:
    """Return the rank of a node among visited ones, ``n_visited`` for a new node."""
    rank = 0
    while rank < n_visited and visited[rank] != node:
        rank += 1
    return rank


@jit
def add_row_product(
    indices: NodeArray,
    weights: FloatArray,
    entry: int,
    last: int,
    rows: FloatArray,
    total: FloatArray,
) -> None:
    """Add the rows that the entries of a CSR row refer to, times their weights.

    Four entries at a time: their sum is stored once, which takes 0.4 of the time of
    scipy's product (COLLAB, 32 columns).
    """
    n_columns = len(total)
    while entry + 3 < last:
        a, b = rows[indices[entry]], rows[indices[entry + 1]]
        c, d = rows[indices[entry + 2]], rows[indices[entry + 3]]
        at, bt = weights[entry], weights[entry + 1]
        ct, dt = weights[entry + 2], weights[entry + 3]
        for z in range(n_columns):
            total[z] += (at * a[z] + bt * b[z]) + (ct * c[z] + dt * d[z])
        entry += 4
    while entry < last:
        a, at = rows[indices[entry]], weights[entry]
        for z in range(n_columns):
            total[z] += at * a[z]
        entry += 1


@jit
def refine_near(
    points: FloatArray, others: FloatArray, squares: FloatArray, distances: FloatArray
) -> None:
    """Overwrite squared distances that are small against ``squares`` with exact ones.

    ``squares`` is the sum of the squared norms of both points.
    """
    n_points, n_others = distances.shape
    for i in range(n_points):
        for z in range(n_others):
            if distances[i, z] < squares[i, z] / 1024.0:
                total = 0.0
                for column in range(points.shape[1]):
                    gap = points[i, column] - others[z, column]
                    total += gap * gap
                distances[i, z] = total
