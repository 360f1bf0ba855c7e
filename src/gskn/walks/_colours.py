"""Colours of nodes, refined by those around them: one round of Weisfeiler and Lehman."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gskn._types import IndexArray


def refine(matrices: Sequence[Any], colours: IndexArray) -> IndexArray:
    """Give one colour to nodes of one colour whose neighbours have the same colours.

    Neighbours are given by the rows of CSR matrices: one for the nodes that edges lead
    to, and another for those they come from, where these are to count.
    """
    around = [(_sorted_by_row(matrix, colours), matrix.indptr) for matrix in matrices]
    numbers: dict[tuple[int | bytes, ...], int] = {}
    refined = np.empty(len(colours), dtype=np.int64)
    for node, colour in enumerate(colours.tolist()):
        seen = (part[ptr[node] : ptr[node + 1]].tobytes() for part, ptr in around)
        refined[node] = numbers.setdefault((colour, *seen), len(numbers))
    return refined


def _sorted_by_row(matrix: Any, colours: IndexArray) -> IndexArray:
    """Return the colours of the neighbours, sorted within every row."""
    rows = np.repeat(np.arange(len(colours)), np.diff(matrix.indptr))
    seen = colours[matrix.indices]
    ordered: IndexArray = seen[np.lexsort((seen, rows))]
    return ordered
