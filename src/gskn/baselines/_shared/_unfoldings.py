"""Merge nodes of many graphs that have the same neighborhood."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, eye_array

from gskn._types import IndexArray
from gskn.baselines._shared._colors import Colors, refine
from gskn.graphs import GraphBatch


@dataclass(frozen=True)
class Unfoldings:
    """Distinct nodes after 0, 1, 2, ... steps of message passing.

    Two nodes with the same Weisfeiler-Lehman color after l steps have the same
    neighborhood up to distance l, and message passing computes the same for both. Level l
    has one entry for every distinct color.

    Attributes
    ----------
    nodes : list of ndarray of shape (n_distinct_l,)
        One node of the batch for every distinct node, from level 0 on.
    steps : list of csr_array of shape (n_distinct_l, n_distinct_(l-1))
        Weights of the messages from the level before, from level 1 on.
    ancestors : list of ndarray of shape (n_distinct_l,)
        Index of every distinct node in the level before, from level 1 on.
    counts : list of csr_array of shape (n_graphs, n_distinct_l)
        Number of occurrences in every graph, from level 0 on.
    graphs : ndarray of shape (n_graphs,)
        Indices of the graphs in the batch.
    """

    nodes: list[IndexArray]
    steps: list[csr_array]
    ancestors: list[IndexArray]
    counts: list[csr_array]
    graphs: IndexArray

    def take(self, selected: IndexArray) -> "Unfoldings":
        """Return some nodes of the last level, and the nodes on which they depend.

        The counts of earlier levels include only ancestors of the selected nodes, so the
        sums over all parts of a partition equal the sums over the whole.
        """
        last_counts = csr_array(self.counts[-1][:, selected])
        graphs = np.flatnonzero(np.diff(last_counts.indptr))
        nodes, steps, ancestors = [self.nodes[-1][selected]], [], []
        counts = [csr_array(last_counts[graphs])]
        for level in reversed(range(len(self.steps))):
            rows = csr_array(self.steps[level][selected])
            needed = np.unique(rows.indices)  # includes ancestors: nodes message themselves
            level_ancestors = np.searchsorted(needed, self.ancestors[level][selected])
            steps.append(csr_array(rows[:, needed]))
            ancestors.append(level_ancestors)
            nodes.append(self.nodes[level][needed])
            counts.append(_merge_columns(counts[-1], level_ancestors, len(needed)))
            selected = needed
        return Unfoldings(
            nodes[::-1], steps[::-1], ancestors[::-1], counts[::-1], self.graphs[graphs]
        )


def unfold(
    batch: GraphBatch, colors: Colors, closed_adjacency: csr_array, n_steps: int
) -> Unfoldings:
    """Find the distinct nodes after 0 to ``n_steps`` steps.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    colors : ndarray of shape (n_nodes,)
        Initial colors of the nodes.
    closed_adjacency : csr_array of shape (n_nodes, n_nodes)
        Weights of the messages to a node from itself and its neighbors.
    n_steps : int
        Number of steps.

    Returns
    -------
    unfoldings : Unfoldings
        Distinct nodes of every level.
    """
    levels = [
        np.unique(level_colors, return_index=True, return_inverse=True)
        for level_colors in refine(batch, colors, n_steps)
    ]
    steps, ancestors = [], []
    for (values, _, codes), (_, first, _) in pairwise(levels):
        rows = csr_array(closed_adjacency[first])
        steps.append(_merge_columns(rows, codes, len(values)))
        ancestors.append(codes[first])
    ones = csr_array(
        (np.ones(batch.n_nodes), np.arange(batch.n_nodes), batch.graph_ptr),
        (batch.n_graphs, batch.n_nodes),
    )
    return Unfoldings(
        [first for _, first, _ in levels],
        steps,
        ancestors,
        [_merge_columns(ones, codes, len(values)) for values, _, codes in levels],
        np.arange(batch.n_graphs),
    )


def make_closed_adjacency(batch: GraphBatch, *, mean: bool) -> csr_array:
    """Return the matrix of sums or means over a node and its neighbors."""
    adjacency = batch.adjacency.tocsr()
    ones = (np.ones(adjacency.nnz), adjacency.indices, adjacency.indptr)
    closed = csr_array(csr_array(ones, adjacency.shape) + eye_array(batch.n_nodes))
    if mean:
        totals = np.asarray(closed.sum(axis=1)).ravel()
        closed.data /= np.repeat(totals, np.diff(closed.indptr))
    return closed


def _merge_columns(matrix: csr_array, codes: IndexArray, n_columns: int) -> csr_array:
    """Move column j to column ``codes[j]``; columns with the same code are added."""
    entries = (matrix.data, codes[matrix.indices], matrix.indptr)
    merged = csr_array(entries, (matrix.shape[0], n_columns), copy=True)
    merged.sum_duplicates()
    return merged
