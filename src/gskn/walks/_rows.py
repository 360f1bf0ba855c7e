"""Rows of patterns that are computed in pieces and merged into one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._loops import CsrArrays
from gskn._offsets import running_total
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn.graphs import plain_csr
from gskn.walks._jit_rows import copy_rows


@dataclass(frozen=True)
class RowBlock:
    """Rows of some nodes; twins share one row."""

    nodes: IndexArray
    sources: IndexArray  # row of every node
    rows: csr_array

    def counts(self) -> IndexArray:
        """Return the number of entries of every node."""
        counts: IndexArray = np.diff(self.rows.indptr)[self.sources]
        return counts

    def write(self, starts: IndexArray, indices: NodeArray, data: FloatArray) -> None:
        """Write the row of every node to the entries from its start on."""
        matrix = CsrArrays(self.rows.indptr, self.rows.indices, self.rows.data)
        copy_rows(matrix, self.sources, starts, indices, data)


def merge_rows(
    blocks: Sequence[RowBlock], n_nodes: int, n_columns: int, n_jobs: int | None
) -> csr_array:
    """Return one matrix of the rows of all nodes.

    Blocks may be in any order, and have fewer columns.
    """
    counts = np.zeros(n_nodes, dtype=np.int64)
    block_counts = run_threads(lambda block: block.counts(), blocks, n_jobs)
    for block, n_entries in zip(blocks, block_counts, strict=True):
        counts[block.nodes] = n_entries
    indptr = running_total(counts)
    indices = np.empty(indptr[-1], dtype=np.int32)
    data = np.empty(indptr[-1])
    run_threads(
        lambda block: block.write(indptr[block.nodes], indices, data), blocks, n_jobs
    )
    return plain_csr(data, indices, indptr, (n_nodes, n_columns))


def as_csr(rows: FloatArray) -> csr_array:
    """Convert dense rows to CSR without scipy's intermediate COO matrix."""
    nonzero = rows != 0
    indptr = running_total(nonzero.sum(axis=1))
    indices = np.nonzero(nonzero)[1].astype(np.int32)
    return csr_array((rows[nonzero], indices, indptr.astype(np.int32)), shape=rows.shape)
