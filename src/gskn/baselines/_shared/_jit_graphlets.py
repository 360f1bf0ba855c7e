"""Compiled loops that count small subgraphs around nodes.

The columns of every row of the adjacency matrix are sorted, and there are no self-loops.
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
    """Add to every node its triangles, and some of the 4-cycles and diamonds.

    A pair of nodes is processed at its larger node. Any two common neighbors of the pair
    form a 4-cycle with it, which is counted at both of its diagonals; if the pair is an
    edge, they form a diamond.
    """
    n_nodes = len(indptr) - 1
    n_common = np.zeros(n_nodes, np.int64)
    for node in range(n_nodes):
        for entry in range(indptr[node], indptr[node + 1]):
            middle = indices[entry]
            for position in range(indptr[middle], indptr[middle + 1]):
                if indices[position] >= node:
                    break
                n_common[indices[position]] += 1
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            if other >= node:
                break
            count = n_common[other]
            triangles[node] += count
            triangles[other] += count
            diamonds[node] += count * (count - 1) // 2
        for entry in range(indptr[node], indptr[node + 1]):
            middle = indices[entry]
            for position in range(indptr[middle], indptr[middle + 1]):
                other = indices[position]
                if other >= node:
                    break
                squares[node] += n_common[other] * (n_common[other] - 1) // 2
                n_common[other] = 0
    for node in range(n_nodes):
        triangles[node] //= 2  # a triangle has two edges at every node


@jit
def fill_cliques(
    indptr: IndexArray, indices: NodeArray, later: IndexArray, cliques: IndexArray
) -> None:
    """Overwrite ``cliques[v]`` with the number of 4-cliques whose smallest node is ``v``.

    ``later`` points to the first neighbor of every node that is larger than the node.
    Sets of neighbors are stored as bits.
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
            for position in range(later[other], indptr[other + 1]):
                number = numbers[indices[position]]
                if number >= 0:
                    bits[entry - first, number // 64] |= np.uint64(1) << np.uint64(
                        number % 64
                    )
        cliques[node] = count_triangles(bits)
        for entry in range(first, end):
            numbers[indices[entry]] = -1


@jit
def count_triangles(bits: AnyArray) -> int:
    """Count triples (i, j, k) in which i has the bits j and k, and j has the bit k."""
    total = 0
    for one in range(len(bits)):
        for word in range(bits.shape[1]):
            rest = bits[one, word]
            other = 64 * word
            while rest:
                if rest & np.uint64(1):
                    for position in range(word, bits.shape[1]):
                        total += count_bits(bits[one, position] & bits[other, position])
                rest >>= np.uint64(1)
                other += 1
    return total


@jit
def count_bits(bits: np.uint64) -> int:
    """Count the ones of 64 bits by sums over pairs, groups of four, and bytes."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
