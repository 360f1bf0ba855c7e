"""Compiled loops that count small subgraphs around nodes; they see arrays only.

Columns of every row are sorted, and nobody is a neighbour of itself.
"""

import numpy as np

from gskn._numba import jit
from gskn._types import AnyArray, IndexArray, NodeArray


@jit
def fill_cycles(
    indptr: IndexArray,
    indices: NodeArray,
    triangles: IndexArray,
    squares: IndexArray,
    diamonds: IndexArray,
) -> None:
    """Add to every node its triangles; and cycles of four and diamonds by some node.

    Of a pair of nodes the later one counts: two pairs of neighbours that both share make a
    cycle of four, which is seen from both of its diagonals; if the pair is an edge, they
    make a diamond.
    """
    n_nodes = len(indptr) - 1
    shared = np.zeros(n_nodes, np.int64)
    for node in range(n_nodes):
        for entry in range(indptr[node], indptr[node + 1]):
            middle = indices[entry]
            for place in range(indptr[middle], indptr[middle + 1]):
                if indices[place] >= node:
                    break
                shared[indices[place]] += 1
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            if other >= node:
                break
            count = shared[other]
            triangles[node] += count
            triangles[other] += count
            diamonds[node] += count * (count - 1) // 2
        for entry in range(indptr[node], indptr[node + 1]):
            middle = indices[entry]
            for place in range(indptr[middle], indptr[middle + 1]):
                other = indices[place]
                if other >= node:
                    break
                squares[node] += shared[other] * (shared[other] - 1) // 2
                shared[other] = 0
    for node in range(n_nodes):
        triangles[node] //= 2  # a triangle has two edges at every node


@jit
def fill_cliques(
    indptr: IndexArray, indices: NodeArray, later: IndexArray, cliques: IndexArray
) -> None:
    """Overwrite ``cliques[v]`` with cliques of four nodes of which ``v`` comes first.

    ``later`` points to the first neighbour of every node that comes after it. Neighbours of
    neighbours are sets of bits.
    """
    n_nodes = len(indptr) - 1
    numbers = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes):
        first, end = later[node], indptr[node + 1]
        n_words = (end - first + 63) // 64
        bits = np.zeros((end - first, n_words), np.uint64)
        for entry in range(first, end):
            numbers[indices[entry]] = entry - first
        for entry in range(first, end):
            other = indices[entry]
            for place in range(later[other], indptr[other + 1]):
                number = numbers[indices[place]]
                if number >= 0:
                    bits[entry - first, number // 64] |= np.uint64(1) << np.uint64(
                        number % 64
                    )
        cliques[node] = count_triangles(bits)
        for entry in range(first, end):
            numbers[indices[entry]] = -1


@jit
def count_triangles(bits: AnyArray) -> int:
    """Count triples of which the first has both others, and the second the third."""
    total = 0
    for one in range(len(bits)):
        for word in range(bits.shape[1]):
            rest = bits[one, word]
            other = 64 * word
            while rest:
                if rest & np.uint64(1):
                    for place in range(word, bits.shape[1]):
                        total += count_bits(bits[one, place] & bits[other, place])
                rest >>= np.uint64(1)
                other += 1
    return total


@jit
def count_bits(bits: np.uint64) -> int:
    """Count the ones of 64 bits: sums of pairs, of fours, of bytes, and of all bytes."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
