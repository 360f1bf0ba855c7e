"""Color refinement: one round of the Weisfeiler-Leman test."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gskn._types import IndexArray


def refine_colors(
    matrices: Sequence[Any], colors: IndexArray, *, compare_entries: bool = False
) -> IndexArray:
    """Return new colors: equal if the colors and those of all neighbors are equal.

    The rows of CSR matrices are the neighbors of a node: one matrix for edges from the
    node and, to use the directions of edges, another one for edges to it. If entries are
    compared, they are the colors of edges, integers from 0.
    """
    neighbors = []
    for matrix in matrices:
        neighbor_colors = colors[matrix.indices]
        if compare_entries and matrix.nnz:
            neighbor_colors = neighbor_colors * (int(matrix.data.max()) + 1) + matrix.data
        neighbors.append((_sorted_by_row(matrix, neighbor_colors), matrix.indptr))
    numbers: dict[tuple[int | bytes, ...], int] = {}
    refined = np.empty(len(colors), dtype=np.int64)
    for node, color in enumerate(colors.tolist()):
        around = (part[ptr[node] : ptr[node + 1]].tobytes() for part, ptr in neighbors)
        refined[node] = numbers.setdefault((color, *around), len(numbers))
    return refined


def _sorted_by_row(matrix: Any, neighbor_colors: IndexArray) -> IndexArray:
    """Return the colors of the neighbors, sorted within every row."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    ordered: IndexArray = neighbor_colors[np.lexsort((neighbor_colors, rows))]
    return ordered
