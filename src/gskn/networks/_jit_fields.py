"""Compiled loop that selects and orders the nodes of neighborhoods."""

import numpy as np

from gskn._numba import jit
from gskn._types import IndexArray, NodeArray


@jit
def fill_fields(
    indptr: NodeArray,
    indices: NodeArray,
    ranks: IndexArray,
    roots: IndexArray,
    distances: IndexArray,
    out: IndexArray,
) -> None:
    """Write the nodes of the fields of some roots to the rows of ``out``.

    Unused places are not written. ``distances`` is -1 for all nodes, before and after.
    """
    for row in range(len(roots)):
        found = _search(indptr, indices, roots[row], out.shape[1], distances)
        _order(indptr, indices, ranks, found, distances, out[row])
        for node in found:
            distances[node] = -1


@jit
def _search(
    indptr: NodeArray, indices: NodeArray, root: int, size: int, distances: IndexArray
) -> list[int]:
    """Return all nodes up to the distance at which there are at least ``size`` nodes."""
    found = [root]
    distances[root] = 0
    begin = 0
    while begin < len(found) and len(found) < size:
        end = len(found)
        for place in range(begin, end):
            node = found[place]
            for entry in range(indptr[node], indptr[node + 1]):
                neighbor = indices[entry]
                if distances[neighbor] < 0:
                    distances[neighbor] = distances[node] + 1
                    found.append(neighbor)
        begin = end
    return found


@jit
def _order(
    indptr: NodeArray,
    indices: NodeArray,
    ranks: IndexArray,
    found: list[int],
    distances: IndexArray,
    out: IndexArray,
) -> None:
    """Write the first nodes by distance, rank and edges to the nodes before.

    Of nodes with equal distance and rank, the one with an edge to the earliest place comes
    first; then the one with an edge to the second place that differs, and so on.
    """
    size = len(out)
    n_nodes = min(size, len(found))
    # Bit size - 1 - p of a code: whether there is an edge to place p.
    codes = np.zeros(len(found), dtype=np.int64)
    used = np.zeros(len(found), dtype=np.bool_)
    for place in range(n_nodes):
        best = -1
        for other in range(len(found)):
            if not used[other] and (
                best < 0 or _precedes(found, distances, ranks, codes, other, best)
            ):
                best = other
        used[best] = True
        chosen = found[best]
        out[place] = chosen
        for other in range(len(found)):
            if _has_edge(indptr, indices, found[other], chosen):
                codes[other] += 1 << (size - 1 - place)


@jit
def _precedes(
    found: list[int],
    distances: IndexArray,
    ranks: IndexArray,
    codes: IndexArray,
    one: int,
    other: int,
) -> bool:
    left, right = found[one], found[other]
    if distances[left] != distances[right]:
        return bool(distances[left] < distances[right])
    if ranks[left] != ranks[right]:
        return bool(ranks[left] < ranks[right])
    return bool(codes[one] > codes[other])


@jit
def _has_edge(indptr: NodeArray, indices: NodeArray, node: int, neighbor: int) -> bool:
    """Return whether a node has a neighbor; the neighbors are sorted."""
    begin, end = indptr[node], indptr[node + 1]
    place = begin + np.searchsorted(indices[begin:end], neighbor)
    return bool(place < end and indices[place] == neighbor)
