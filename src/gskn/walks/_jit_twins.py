"""Compiled loops that find twins and the steps between twin groups."""

import numpy as np

from gskn._loops import CsrArrays, mix
from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray


@jit
def fill_twins(
    indptr: IndexArray,
    indices: NodeArray,
    owners: IndexArray,
    eligible: AnyArray,
    codes: IndexArray,
    slots: NodeArray,
    twin_of: IndexArray,
) -> None:
    """Overwrite ``twin_of`` with the first twin of every node, itself if it has none.

    Only nodes with equal codes are twins. ``slots`` is an empty hash table (-1) of first
    nodes; its size is a power of two. Adjacent twins have equal hashes of their
    neighbors and themselves, other twins of their neighbors; then the rows are compared.
    """
    mask = np.uint64(len(slots) - 1)
    for node in range(len(twin_of)):
        if not eligible[owners[node]]:
            continue
        open_hash = mix(np.uint64(owners[node]) + np.uint64(1))
        for entry in range(indptr[node], indptr[node + 1]):
            if indices[entry] == node:
                open_hash += np.uint64(0x9E3779B97F4A7C15)
            else:
                open_hash += mix(np.uint64(indices[entry]) + np.uint64(1))
        closed_hash = open_hash + mix(np.uint64(node) + np.uint64(1))
        has_twin = False
        for key in (open_hash, closed_hash):
            slot = mix(key) & mask
            while slots[slot] >= 0 and not has_twin:
                other = slots[slot]
                if owners[other] == owners[node] and codes[other] == codes[node]:
                    if are_twins(indptr, indices, other, node):
                        twin_of[node] = other
                        has_twin = True
                slot = (slot + np.uint64(1)) & mask
        if not has_twin:
            for key in (open_hash, closed_hash):
                slot = mix(key) & mask
                while slots[slot] >= 0:
                    slot = (slot + np.uint64(1)) & mask
                slots[slot] = node


@jit
def are_twins(indptr: IndexArray, indices: NodeArray, one: int, two: int) -> bool:
    """Return whether swapping two nodes leaves an undirected graph unchanged."""
    i, i_end = indptr[one], indptr[one + 1]
    j, j_end = indptr[two], indptr[two + 1]
    if i_end - i != j_end - j:
        return False
    loops = 0
    while True:
        while i < i_end and (indices[i] == one or indices[i] == two):
            loops += indices[i] == one
            i += 1
        while j < j_end and (indices[j] == one or indices[j] == two):
            loops -= indices[j] == two
            j += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end and loops == 0
        if indices[i] != indices[j]:
            return False
        i += 1
        j += 1


@jit
def fill_group_rows(
    steps: CsrArrays,
    first: IndexArray,
    group_of: IndexArray,
    sizes: IndexArray,
    groups: CsrArrays,
    extra: FloatArray,
) -> None:
    """Overwrite the CSR matrix ``groups`` with the steps between twin groups.

    Columns are sorted. ``extra`` is the entry of a node with itself minus its entry with
    its twins. The values of both matrices are empty if all entries are ones.
    """
    indptr, indices, data = steps.indptr, steps.indices, steps.data
    group_indices, group_data = groups.indices, groups.data
    place, has_values = 0, len(data) > 0
    for row in range(len(first)):
        node = first[row]
        loop, twin_step = 0.0, 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            if indices[entry] == node:
                loop = data[entry] if has_values else 1.0
            elif group_of[indices[entry]] == row:
                twin_step = data[entry] if has_values else 1.0
        if sizes[row] == 1:
            twin_step = loop
        extra[row] = loop - twin_step
        pending = twin_step != 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            column = group_of[indices[entry]]
            if pending and column >= row:
                group_indices[place] = row
                if has_values:
                    group_data[place] = twin_step
                place += 1
                pending = False
            if column != row and first[column] == indices[entry]:
                group_indices[place] = column
                if has_values:
                    group_data[place] = data[entry]
                place += 1
        if pending:
            group_indices[place] = row
            if has_values:
                group_data[place] = twin_step
            place += 1
        groups.indptr[row + 1] = place
