"""Diagonal blocks of a sparse matrix: the steps of some graphs of a batch."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import positions_within, ranges, running_total
from gskn._types import FloatArray, IndexArray
from gskn.graphs import plain_csr


@dataclass(frozen=True)
class Blocks:
    """Entries of the blocks, as one list."""

    rows: IndexArray  # rows of the whole matrix
    sizes: IndexArray  # rows of every block
    row_sizes: IndexArray  # entries of every row
    columns: IndexArray  # column of every entry within its block
    values: FloatArray  # of every entry
    entry_blocks: IndexArray  # block of every entry

    @classmethod
    def from_matrix(cls, matrix: csr_array, ptr: IndexArray, numbers: IndexArray) -> Self:
        """Take some blocks; block ``n`` has the rows from ``ptr[n]`` to ``ptr[n + 1]``."""
        first, sizes = ptr[numbers], ptr[numbers + 1] - ptr[numbers]
        rows = ranges(first, sizes)
        begin = matrix.indptr[first].astype(np.int64)
        counts = matrix.indptr[first + sizes] - begin
        if len(numbers) == 1:  # a large graph is not copied
            part = slice(begin[0], begin[0] + counts[0])
            entry_blocks = np.broadcast_to(np.int64(0), counts[0])
            columns, values = matrix.indices[part], matrix.data[part]
            columns = columns - np.int32(first[0]) if first[0] else columns
        else:
            entries = ranges(begin, counts)
            entry_blocks = np.repeat(np.arange(len(numbers)), counts)
            columns, values = matrix.indices[entries], matrix.data[entries]
            columns = columns - first[entry_blocks]
        return cls(
            rows=rows,
            sizes=sizes,
            row_sizes=(matrix.indptr[rows + 1] - matrix.indptr[rows]).astype(np.int64),
            columns=columns,
            values=values,
            entry_blocks=entry_blocks,
        )

    def as_csr(self) -> csr_array:
        """Return one block-diagonal matrix."""
        indices = self.columns
        if len(self.sizes) > 1:
            indices = indices + running_total(self.sizes)[self.entry_blocks]
        indptr = running_total(self.row_sizes)
        n_rows = len(self.rows)
        return plain_csr(self.values, indices, indptr, (n_rows, n_rows))

    def as_padded(self) -> tuple[FloatArray, IndexArray]:
        """Return one array of all blocks, padded to one size, and the slot of every row.

        A vector over rows is stored in an array of shape (n_blocks, size); slots count
        its cells.
        """
        size = int(self.sizes.max())
        local = positions_within(self.sizes)
        padded = np.zeros((len(self.sizes), size, size))
        padded[self.entry_blocks, np.repeat(local, self.row_sizes), self.columns] = (
            self.values
        )
        block_of_row = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return padded, block_of_row * size + local
