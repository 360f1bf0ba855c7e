"""Compiled loop for one step of all walks at once."""

from typing import NamedTuple

from gskn._loops import add_row_product
from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray


class StepMatrix(NamedTuple):
    """A CSR matrix plus a diagonal, with a factor for every row.

    ``indices`` and ``own`` hold the row of values of every entry and of the diagonal.
    """

    indptr: IndexArray
    indices: NodeArray
    own: IndexArray
    weights: FloatArray
    extra: FloatArray
    scale: FloatArray


@jit
def fill_step_sums(
    matrix: StepMatrix, groups: IndexArray, rows: FloatArray, sums: FloatArray
) -> None:
    """Overwrite ``sums`` with some rows of the matrix times ``rows``."""
    n_columns = rows.shape[1]
    for number in range(len(groups)):
        i = groups[number]
        total, row = sums[number], rows[matrix.own[i]]
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
    groups: IndexArray,
    rows: FloatArray,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums`` with rows of the matrix times ``rows``, and factors of edges.

    Entry e of the matrix is multiplied by ``factors[codes[e]]``, which has one value for
    every column of ``rows``. The diagonal of the matrix is not used.
    """
    n_columns = rows.shape[1]
    for number in range(len(groups)):
        i, total = groups[number], sums[number]
        total[:] = 0.0
        for entry in range(matrix.indptr[i], matrix.indptr[i + 1]):
            weight = matrix.weights[entry] * matrix.scale[i]
            row, factor = rows[matrix.indices[entry]], factors[codes[entry]]
            for z in range(n_columns):
                total[z] += weight * factor[z] * row[z]
