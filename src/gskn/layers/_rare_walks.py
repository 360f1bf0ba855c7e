"""Walks that a sample misses: sequences of feature codes that exist in the graphs.

The number of landmarks is the number of distinct walks if there are few. Rare walks occur
in some samples and not in others, so the number of columns would depend on the seed.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import ranges
from gskn._types import IndexArray
from gskn.graphs import GraphBatch
from gskn.layers._features import EdgeFeatures, NodeFeatures
from gskn.walks import step_matrix

_MAX_WORK = 2**25  # steps from all ends of all sequences: about one second


class RareWalks:
    """Distinct sequences of feature codes along walks, computed when they are needed.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    features : NodeFeatures
        Features of nodes, and of edges if they are compared.
    limit : int
        Largest number of sequences of a length.
    """

    def __init__(self, batch: GraphBatch, features: NodeFeatures, limit: int) -> None:
        self._iterator = _iterate_sequences(batch, features, limit)
        self._has_edges = features.edges is not None
        self._sequences: list[IndexArray] = []

    def sequences(self, length: int) -> IndexArray:
        """Return all sequences of a length, or ``limit`` of them if there are more.

        A sequence consists of the codes of nodes, then of steps if edges are compared. None
        are returned if they would take too much work.
        """
        missing = length - len(self._sequences)
        self._sequences += islice(self._iterator, max(missing, 0))
        if len(self._sequences) < length:
            n_columns = 2 * length - 1 if self._has_edges else length
            return np.empty((0, n_columns), dtype=np.int64)
        return self._sequences[length - 1]


def _iterate_sequences(
    batch: GraphBatch, features: NodeFeatures, limit: int
) -> Iterator[IndexArray]:
    """Yield the sequences along walks of one node, of two nodes, and so on."""
    codes = features.codes
    steps, _ = step_matrix(batch, use_weights=False)
    n_steps = np.diff(steps.indptr)
    # A sequence is a row; its entries are the nodes at which walks with its codes end.
    sequences = np.empty((1, 0), dtype=np.int64)
    rows, nodes = np.zeros(len(codes), dtype=np.int64), np.arange(len(codes))
    n_codes = int(codes.max(initial=0)) + 1
    edges = features.edges
    edge_steps = None if edges is None else _EdgeSteps(batch, steps, edges)
    while True:
        keys, rows = np.unique(rows * n_codes + codes[nodes], return_inverse=True)
        kept = rows < limit
        keys, rows, nodes = keys[:limit], rows[kept], nodes[kept]
        sequences = np.column_stack([sequences[keys // n_codes], keys % n_codes])
        yield sequences if edge_steps is None else _nodes_first(sequences)
        if n_steps[nodes].sum() > _MAX_WORK:
            return
        if edge_steps is None:
            entries = (np.ones(len(nodes)), (rows, nodes))
            ends = csr_array(entries, shape=(len(sequences), len(codes)))
            rows, nodes = (ends @ steps).nonzero()
            rows = rows.astype(np.int64)
        else:
            sequences, rows, nodes = edge_steps.extend(sequences, rows, nodes)


class _EdgeSteps:
    """Steps with the codes of their edges."""

    def __init__(self, batch: GraphBatch, steps: csr_array, edges: EdgeFeatures) -> None:
        self._steps = steps
        self._codes = edges.codes_of_steps(batch)
        self._n_codes = len(edges.table)

    def extend(
        self, sequences: IndexArray, rows: IndexArray, nodes: IndexArray
    ) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Add the code of one more step to sequences that end at nodes."""
        indptr = self._steps.indptr.astype(np.int64)
        n_steps = indptr[nodes + 1] - indptr[nodes]
        entries = ranges(indptr[nodes], n_steps)
        keys = np.repeat(rows, n_steps) * self._n_codes + self._codes[entries]
        # Many walks with the same codes end at the same node.
        n_nodes = len(indptr) - 1
        ends = np.unique(keys * n_nodes + self._steps.indices[entries])
        keys, nodes = ends // n_nodes, ends % n_nodes
        keys, rows = np.unique(keys, return_inverse=True)
        before, codes = keys // self._n_codes, keys % self._n_codes
        return np.column_stack([sequences[before], codes]), rows, nodes


def _nodes_first(sequences: IndexArray) -> IndexArray:
    """Return sequences of nodes and steps in turns with all nodes before all steps."""
    return np.hstack([sequences[:, ::2], sequences[:, 1::2]])
