"""Compiled loops that several folders share."""

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray

_STEP = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64


@jit
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits (the finaliser of splitmix64)."""
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

    ``totals`` holds running sums of the weights within every row, or is empty where all
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
def find(indices: NodeArray, first: int, end: int, node: np.int64) -> int:
    """Return the place of a node in a sorted CSR row, or -1."""
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low if low < end and indices[low] == node else -1


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
