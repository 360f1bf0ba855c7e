"""Compiled loop that intersects histograms of colors."""

from gskn._numba import jit
from gskn._types import FloatArray, NodeArray


@jit
def add_intersections(
    indptr: NodeArray,
    columns: NodeArray,
    counts: FloatArray,
    column_ptr: NodeArray,
    graphs: NodeArray,
    other_counts: FloatArray,
    out: FloatArray,
) -> None:
    """Add to ``out[g, h]`` the sum over colors of the minimum of two counts.

    The counts of the graphs g are stored by row, the counts of the graphs h by column, so
    that only pairs of graphs with a common color are visited.
    """
    for graph in range(len(indptr) - 1):
        row = out[graph]
        for entry in range(indptr[graph], indptr[graph + 1]):
            count, column = counts[entry], columns[entry]
            for other in range(column_ptr[column], column_ptr[column + 1]):
                row[graphs[other]] += min(count, other_counts[other])
