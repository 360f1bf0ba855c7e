"""Compiled loop: what rows of two sparse matrices have in common."""

from gskn._numba import jit
from gskn._types import FloatArray, IndexArray


@jit
def add_overlaps(
    row_ptr: IndexArray,
    row_columns: IndexArray,
    row_values: FloatArray,
    column_ptr: IndexArray,
    column_rows: IndexArray,
    column_values: FloatArray,
    out: FloatArray,
) -> None:
    """Add to ``out`` the sum of minima of all rows, by row, and all others, by column."""
    for row in range(len(row_ptr) - 1):
        for entry in range(row_ptr[row], row_ptr[row + 1]):
            column = row_columns[entry]
            value = row_values[entry]
            for other in range(column_ptr[column], column_ptr[column + 1]):
                out[row, column_rows[other]] += min(value, column_values[other])
