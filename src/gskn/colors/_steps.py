"""Steps to neighbors: hashes of the multiset of the colors of all neighbors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import running_total
from gskn._types import BoolArray, IndexArray
from gskn.colors._hashes import Hashes, hash_values, mix
from gskn.graphs import GraphBatch

_ABSENT = np.uint64(0x3C6EF372FE94F82B)  # of an edge in one direction of two


@dataclass(frozen=True)
class Steps:
    """Steps along edges that have the same label in each direction.

    ``salt`` distinguishes the kinds of edges: a scalar, or one for every hash.
    """

    matrix: csr_array  # of 64-bit ones
    salt: Hashes

    def sum(self, colors: Hashes) -> Hashes:
        """Return a hash of the multiset of the colors of the neighbors of every node.

        Colors have the shape (n_nodes,), (2, n_nodes) or (2, n_nodes, n_columns).
        """
        # The sum of mixed hashes modulo 2^64 is a hash of the multiset.
        if colors.ndim == 1:
            sums: Hashes = self.matrix @ mix(colors ^ self.salt)
            return sums
        lanes = zip(colors, np.broadcast_to(self.salt, 2), strict=True)
        return np.stack([self.matrix @ mix(lane ^ salt) for lane, salt in lanes])


@dataclass(frozen=True)
class SaltedSteps:
    """Steps along edges, each with a hash of its own.

    ``salts`` has the shape (n_entries,) or (2, n_entries), for colors of the shape
    (n_nodes,) or (2, n_nodes).
    """

    matrix: csr_array
    salts: Hashes

    def sum(self, colors: Hashes) -> Hashes:
        """Return a hash of the multiset of pairs of a neighbor and the edge to it."""
        if colors.ndim == 1:
            return self._sum(colors, self.salts)
        lanes = zip(colors, self.salts, strict=True)
        return np.stack([self._sum(lane, salts) for lane, salts in lanes])

    def _sum(self, colors: Hashes, salts: Hashes) -> Hashes:
        pairs = mix(mix(colors)[self.matrix.indices] ^ salts)
        entries = (pairs, self.matrix.indices, self.matrix.indptr)
        ones = np.ones(len(colors), dtype=np.uint64)
        sums: Hashes = csr_array(entries, shape=self.matrix.shape) @ ones
        return sums


def out_steps(batch: GraphBatch) -> Steps:
    """Return the steps along all edges, which ignore labels, for any shape of colors."""
    matrix = batch.adjacency
    return Steps(_select(matrix, np.ones(matrix.nnz, dtype=bool)), np.array(0, np.uint64))


def all_steps(batch: GraphBatch, *, labels: bool) -> list[Steps]:
    """Return the steps along edges of any direction, one entry for every kind of edge.

    The kind is the label of the edge to a neighbor and that of the edge from it.
    """
    codes = np.zeros(batch.adjacency.nnz, dtype=np.int64)
    salts = np.zeros((2, 1), dtype=np.uint64)
    if labels and batch.edge_labels is not None:
        codes, salts = batch.edge_labels, hash_values(batch.edge_label_values)
    salts = np.column_stack([np.full(2, _ABSENT), salts])
    matrix, kinds = batch.adjacency, np.stack([codes, codes]) + 1
    if batch.is_directed:
        matrix, kinds = _both_directions(matrix, codes + 1)
    steps = []
    for out, back in np.unique(kinds, axis=1).T:
        # An edge with the same label in both directions is undirected.
        salt = salts[:, out] if out == back else mix(salts[:, out]) + salts[:, back]
        part = _select(matrix, (kinds[0] == out) & (kinds[1] == back))
        steps.append(Steps(part, salt))
    return steps


def refine(steps: Sequence[Steps | SaltedSteps], colors: Hashes) -> Hashes:
    """Return hashes of the color of every node and of the colors of its neighbors."""
    # The color of the node itself is mixed three times, so that it differs from a
    # neighbor's.
    refined = mix(mix(colors))
    for step in steps:
        refined = refined + step.sum(colors)
    return mix(refined)


def _both_directions(matrix: csr_array, codes: IndexArray) -> tuple[csr_array, IndexArray]:
    """Return all pairs of neighbors, and the codes of their edges in both directions.

    The code of an edge that does not exist is 0.
    """
    n_nodes = matrix.shape[0]
    rows = np.repeat(np.arange(n_nodes), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int64)
    keys = np.concatenate([rows * n_nodes + columns, columns * n_nodes + rows])
    pairs, places = np.unique(keys, return_inverse=True)
    kinds = np.zeros((2, len(pairs)), dtype=np.int64)
    kinds[0, places[: len(codes)]] = codes
    kinds[1, places[len(codes) :]] = codes
    rows, columns = np.divmod(pairs, max(n_nodes, 1))
    indptr = running_total(np.bincount(rows, minlength=n_nodes))
    return csr_array((np.ones(len(pairs)), columns, indptr), shape=matrix.shape), kinds


def _select(matrix: csr_array, chosen: BoolArray) -> csr_array:
    """Return some of the entries as a matrix of 64-bit ones."""
    indices, indptr = matrix.indices[chosen], running_total(chosen)[matrix.indptr]
    ones = np.ones(len(indices), dtype=np.uint64)
    return csr_array((ones, indices, indptr), shape=matrix.shape)
