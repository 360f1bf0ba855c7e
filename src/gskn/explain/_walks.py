"""All walks of a batch, one by one, for layers whose walks have no forward recursion."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import ranges
from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks import step_matrix, without_loops


@dataclass(frozen=True)
class WalkList:
    """Walks of one length.

    Attributes
    ----------
    nodes : ndarray of shape (n_walks, length)
        Visited nodes.
    arcs : ndarray of shape (n_walks, length - 1)
        Entries of the step matrix that the walks cross.
    weights : ndarray of shape (n_walks,)
        Weight of every walk: its probability or one.
    """

    nodes: IndexArray
    arcs: IndexArray
    weights: FloatArray

    @property
    def length(self) -> int:
        """Number of visited nodes."""
        return int(self.nodes.shape[1])


def node_steps(batch: GraphBatch, *, use_probability: bool, loops: bool) -> csr_array:
    """Return the matrix of steps between nodes, weighted by one or by probability.

    Without loops, no step leads back to its start; other steps keep their probabilities.
    """
    matrix, _ = step_matrix(batch, use_weights=use_probability)
    if use_probability:
        totals = np.asarray(matrix.sum(axis=1))
        scale = np.repeat(1.0 / totals, np.diff(matrix.indptr))
        csr = (matrix.data * scale, matrix.indices, matrix.indptr)
        matrix = csr_array(csr, shape=matrix.shape)
    if not loops and matrix.diagonal().any():
        matrix = without_loops(matrix)
    return matrix


def list_walks(
    matrix: csr_array,
    length: int,
    *,
    only_paths: bool,
    starts: IndexArray | None = None,
) -> Iterator[WalkList]:
    """Yield the walks of lengths 1, 2, ..., ``length`` from some nodes, or from all."""
    starts = np.arange(matrix.shape[0]) if starts is None else starts
    counts = np.diff(matrix.indptr).astype(np.int64)
    walks = WalkList(
        starts[:, None],
        np.empty((len(starts), 0), dtype=np.int64),
        np.ones(len(starts)),
    )
    yield walks
    for _ in range(length - 1):
        last = walks.nodes[:, -1]
        parents = np.repeat(np.arange(len(last)), counts[last])
        arcs = ranges(matrix.indptr[last].astype(np.int64), counts[last])
        if only_paths:
            fresh = (walks.nodes[parents] != matrix.indices[arcs][:, None]).all(axis=1)
            parents, arcs = parents[fresh], arcs[fresh]
        walks = WalkList(
            np.column_stack([walks.nodes[parents], matrix.indices[arcs]]),
            np.column_stack([walks.arcs[parents], arcs]),
            walks.weights[parents] * matrix.data[arcs],
        )
        yield walks
