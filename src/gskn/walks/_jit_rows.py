"""Compiled loop that copies rows between CSR matrices."""

from gskn._loops import CsrArrays
from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray


@jit
def copy_rows(
    matrix: CsrArrays,
    sources: IndexArray,
    starts: IndexArray,
    indices: NodeArray,
    data: FloatArray,
) -> None:
    """Copy row ``sources[i]`` of a matrix to entries ``starts[i]`` and following."""
    source_indices, source_data = matrix.indices, matrix.data
    for target in range(len(starts)):
        row, place = sources[target], starts[target]
        for entry in range(matrix.indptr[row], matrix.indptr[row + 1]):
            indices[place] = source_indices[entry]
            data[place] = source_data[entry]
            place += 1
