"""Compiled loop for one step of all walks at once."""

from typing import NamedTuple

from gskn._loops import add_row_product
from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray


class StepMatrix(NamedTuple):
    """A CSR matrix plus a diagonal, with a factor for every row."""

    indptr: IndexArray
    indices: NodeArray
    weights: FloatArray
    extra: FloatArray
    scale: FloatArray


@jit
def fill_step_sums(
    matrix: StepMatrix, rows: FloatArray, start: int, end: int, sums: FloatArray
) -> None:
    """Overwrite ``sums[i]`` with row i of the matrix times ``rows``."""
    n_columns = rows.shape[1]
    for i in range(start, end):
        total, row = sums[i], rows[i]
        for z in range(n_columns):
            total[z] = matrix.extra[i] * row[z]
        add_row_product(
            matrix.indices,
            matrix.weights,
            matrix.indptr[i],
            matrix.indptr[i + 1],
            rows,
            total,
        )
        for z in range(n_columns):
            total[z] *= matrix.scale[i]


@jit
def fill_edge_step_sums(
    matrix: StepMatrix,
    codes: IndexArray,
    factors: FloatArray,
    rows: FloatArray,
    start: int,
    end: int,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums[i]`` with row i of the matrix times ``rows``, and factors of edges.

    Entry e of the matrix is multiplied by ``factors[codes[e]]``, which has one value for
    every column of ``rows``. The diagonal of the matrix is not used.
    """
    n_columns = rows.shape[1]
    for i in range(start, end):
        total = sums[i]
        total[:] = 0.0
        for entry in range(matrix.indptr[i], matrix.indptr[i + 1]):
            weight = matrix.weights[entry] * matrix.scale[i]
            row, factor = rows[matrix.indices[entry]], factors[codes[entry]]
            for z in range(n_columns):
                total[z] += weight * factor[z] * row[z]
