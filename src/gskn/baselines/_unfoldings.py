"""Nodes of many graphs that have the same surroundings, computed with as one."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, eye_array

from gskn._types import IndexArray
from gskn.baselines._colours import Colours, refine
from gskn.graphs import GraphBatch


@dataclass(frozen=True)
class Unfoldings:
    """Distinct nodes after 0, 1, 2, ... steps, and how each level follows from the last.

    Two nodes with the same Weisfeiler-Lehman colour have the same surroundings up to that
    many steps: whatever message passing computes of one, it computes of the other.

    Attributes
    ----------
    nodes : list of ndarray of shape (n_distinct_l,)
        A node of the batch that stands for each distinct one, from level 0 on.
    steps : list of csr_array of shape (n_distinct_l, n_distinct_(l-1))
        What a node takes from those of the level before, itself and neighbours; from
        level 1 on.
    ancestors : list of ndarray of shape (n_distinct_l,)
        What every distinct node was at the level before; from level 1 on.
    counts : list of csr_array of shape (n_graphs, n_distinct_l)
        How often graphs have them, from level 0 on.
    graphs : ndarray of shape (n_graphs,)
        Numbers of these graphs.
    """

    nodes: list[IndexArray]
    steps: list[csr_array]
    ancestors: list[IndexArray]
    counts: list[csr_array]
    graphs: IndexArray

    def take(self, chosen: IndexArray) -> "Unfoldings":
        """Return some nodes of the last level, with what they are made of.

        Nodes of the levels before are counted only as often as the chosen ones contain
        them, so that parts add up to the whole.
        """
        counts = csr_array(self.counts[-1][:, chosen])
        graphs = np.flatnonzero(np.diff(counts.indptr))
        nodes, steps, ancestors = [self.nodes[-1][chosen]], [], []
        counted = [csr_array(counts[graphs])]
        kept = chosen
        for level in reversed(range(len(self.steps))):
            rows = csr_array(self.steps[level][kept])
            needed = np.unique(rows.indices)  # a node takes from itself: ancestors too
            places = np.searchsorted(needed, self.ancestors[level][kept])
            steps.append(csr_array(rows[:, needed]))
            ancestors.append(places)
            nodes.append(self.nodes[level][needed])
            counted.append(_merge(counted[-1], places, len(needed)))
            kept = needed
        return Unfoldings(
            *(nodes[::-1], steps[::-1], ancestors[::-1], counted[::-1]),
            self.graphs[graphs],
        )


def unfold(batch: GraphBatch, colours: Colours, closed: csr_array, n: int) -> Unfoldings:
    """Find distinct nodes of ``n`` steps; ``closed`` has nodes and neighbours in rows."""
    levels = [
        np.unique(found, return_index=True, return_inverse=True)
        for found in refine(batch, colours, n)
    ]
    steps, ancestors = [], []
    for (values, _, below), (_, first, _) in pairwise(levels):
        rows = csr_array(closed[first])
        steps.append(_merge(rows, below, len(values)))
        ancestors.append(below[first])
    ones = csr_array(
        (np.ones(batch.n_nodes), np.arange(batch.n_nodes), batch.graph_ptr),
        (batch.n_graphs, batch.n_nodes),
    )
    return Unfoldings(
        [first for _, first, _ in levels],
        steps,
        ancestors,
        [_merge(ones, codes, len(values)) for values, _, codes in levels],
        np.arange(batch.n_graphs),
    )


def closed_adjacency(batch: GraphBatch, *, shares: bool) -> csr_array:
    """Return the matrix of sums, or of means, over a node and its neighbours."""
    adjacency = batch.adjacency.tocsr()
    ones = (np.ones(adjacency.nnz), adjacency.indices, adjacency.indptr)
    closed = csr_array(csr_array(ones, adjacency.shape) + eye_array(batch.n_nodes))
    if shares:
        totals = np.asarray(closed.sum(axis=1)).ravel()
        closed.data /= np.repeat(totals, np.diff(closed.indptr))
    return closed


def _merge(matrix: csr_array, places: IndexArray, n_places: int) -> csr_array:
    """Move columns to the places given, adding up those that meet."""
    entries = (matrix.data, places[matrix.indices], matrix.indptr)
    merged = csr_array(entries, (matrix.shape[0], n_places), copy=True)
    merged.sum_duplicates()
    return merged
