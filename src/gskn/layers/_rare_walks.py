"""Walks that a sample misses: sequences of feature codes that exist in the graphs.

The number of landmarks is the number of distinct walks if there are few. Rare walks occur
in some samples and not in others, so the number of columns would depend on the seed.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from scipy.sparse import csr_array

from gskn._types import IndexArray
from gskn.graphs import GraphBatch
from gskn.walks import step_matrix

_MAX_WORK = 2**25  # steps from all ends of all sequences: about one second


class RareWalks:
    """Distinct sequences of feature codes along walks, computed when they are needed.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    codes : ndarray of shape (n_nodes,)
        Code of the features of every node.
    limit : int
        Largest number of sequences of a length.
    """

    def __init__(self, batch: GraphBatch, codes: IndexArray, limit: int) -> None:
        self._iterator = _iterate_sequences(batch, codes, limit)
        self._sequences: list[IndexArray] = []

    def sequences(self, length: int) -> IndexArray:
        """Return all sequences of a length, or ``limit`` of them if there are more.

        None are returned if they would take too much work.
        """
        missing = length - len(self._sequences)
        self._sequences += islice(self._iterator, max(missing, 0))
        if len(self._sequences) < length:
            return np.empty((0, length), dtype=np.int64)
        return self._sequences[length - 1]


def _iterate_sequences(
    batch: GraphBatch, codes: IndexArray, limit: int
) -> Iterator[IndexArray]:
    """Yield the sequences along walks of one node, of two nodes, and so on."""
    steps, _ = step_matrix(batch, use_weights=False)
    n_steps = np.diff(steps.indptr)
    # A sequence is a row; its entries are the nodes at which walks with its codes end.
    sequences = np.empty((1, 0), dtype=np.int64)
    rows, nodes = np.zeros(len(codes), dtype=np.int64), np.arange(len(codes))
    n_codes = int(codes.max(initial=0)) + 1
    while True:
        keys, rows = np.unique(rows * n_codes + codes[nodes], return_inverse=True)
        kept = rows < limit
        keys, rows, nodes = keys[:limit], rows[kept], nodes[kept]
        sequences = np.column_stack([sequences[keys // n_codes], keys % n_codes])
        yield sequences
        if n_steps[nodes].sum() > _MAX_WORK:
            return
        entries = (np.ones(len(nodes)), (rows, nodes))
        ends = csr_array(entries, shape=(len(sequences), len(codes)))
        rows, nodes = (ends @ steps).nonzero()
        rows = rows.astype(np.int64)
