"""Pattern rows of the nodes of large graphs, from sampled walks or from all walks."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._loops import WalkGraph
from gskn._offsets import positions_within, running_total
from gskn._threads import run_threads
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks._jit_sampled_rows import (
    PatternColumns,
    fill_enumerated_rows,
    fill_sampled_rows,
)
from gskn.walks._patterns import pattern_tree, patterns
from gskn.walks._rows import as_csr
from gskn.walks._sample import count_loop_nodes
from gskn.walks._steps import scaled_weights, walk_graph

_BUFFER_CELLS = 2**22  # of the dense rows that one thread fills


@dataclass(frozen=True)
class NodeWalks:
    """Walks that can be sampled from the nodes of a batch."""

    graph: WalkGraph
    weights: FloatArray  # scaled; empty if they are not used

    @classmethod
    def from_batch(cls, batch: GraphBatch, seed: np.uint64, *, use_weights: bool) -> Self:
        """Prepare walks, which are keyed by the positions of nodes in their graphs."""
        weights = scaled_weights(batch, use_weights=use_weights)
        positions = positions_within(batch.graph_sizes)
        graph = walk_graph(batch, weights, positions, seed)
        has_loops = bool(batch.adjacency.diagonal().any())
        is_simple = not (len(weights) or batch.is_directed or has_loops)
        return cls(graph._replace(is_simple=is_simple), weights)


def sampled_rows(
    walks: NodeWalks,
    nodes: IndexArray,
    lengths: tuple[int, ...],
    n_walks: int,
    *,
    enumerated: BoolArray,
    n_jobs: int | None,
) -> list[csr_array]:
    """Estimate the pattern probabilities of some nodes, one matrix for every length.

    The last step is exact. Walks are shared: a shorter walk is the start of a longer one.
    The rows of ``enumerated`` nodes are exact: all of their walks are used.
    """
    columns, cuts = pattern_columns(lengths)
    graph, weights = walks.graph, walks.weights
    n_starts = min(
        count_loop_nodes(n_walks * max(lengths)), max(16, _BUFFER_CELLS // int(cuts[-1]))
    )

    def fill(start: int) -> list[csr_array]:
        starts = nodes[start : start + n_starts]
        rows = np.zeros((len(starts), cuts[-1]))
        if lengths[0] == 1:
            rows[:, 0] = 1.0
        for is_enumerated in (False, True):
            chosen = np.flatnonzero(enumerated[start : start + n_starts] == is_enumerated)
            if not len(chosen):
                continue
            part = rows if len(chosen) == len(rows) else rows[chosen]
            if is_enumerated:
                fill_enumerated_rows(graph, weights, starts[chosen], columns, part)
            else:
                fill_sampled_rows(graph, weights, starts[chosen], n_walks, columns, part)
            rows[chosen] = part
        return [as_csr(block) for block in np.split(rows, cuts[1:-1], axis=1)]

    blocks = run_threads(fill, list(range(0, len(nodes), n_starts)), n_jobs)
    empty = [csr_array((0, n_columns)) for n_columns in np.diff(cuts)]
    return [vstack(parts, format="csr") for parts in zip(empty, *blocks, strict=True)]


def pattern_columns(lengths: tuple[int, ...]) -> tuple[PatternColumns, IndexArray]:
    """Return the columns of the patterns of some lengths, and the first of every length."""
    children, first_states = pattern_tree(max(lengths))
    columns = children.copy()
    wanted = np.zeros(max(lengths) + 1, dtype=bool)
    wanted[list(lengths)] = True
    cuts = running_total(np.array([len(patterns(k, staying=True)) for k in lengths]))
    for length, cut in zip(lengths, cuts[:-1], strict=True):
        states = slice(first_states[length - 1], first_states[length])
        columns[states] -= first_states[length] - cut
    return PatternColumns(children, columns, wanted), cuts
