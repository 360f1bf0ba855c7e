"""Compiled loop of the optimal assignment of colours; it sees arrays only."""

from gskn._numba import jit
from gskn._types import FloatArray, NodeArray


@jit
def add_intersections(
    indptr: NodeArray,
    columns: NodeArray,
    counts: FloatArray,
    column_ptr: NodeArray,
    graphs: NodeArray,
    others: FloatArray,
    out: FloatArray,
) -> None:
    """Add to ``out[g, h]`` the sum over colours of the smaller of two counts.

    ``counts`` of the graphs g lie row by row, those of the graphs h (``others``) column by
    column: only pairs that share a colour are touched, and only one row of ``out`` at once.
    """
    for graph in range(len(indptr) - 1):
        row = out[graph]
        for place in range(indptr[graph], indptr[graph + 1]):
            count, column = counts[place], columns[place]
            for other in range(column_ptr[column], column_ptr[column + 1]):
                row[graphs[other]] += min(count, others[other])
