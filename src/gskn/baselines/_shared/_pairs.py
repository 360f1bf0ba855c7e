"""Pairs of nodes of a graph, counted by their colors and their distance."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse.csgraph import shortest_path

from gskn._offsets import runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn.baselines._shared._colors import Colors
from gskn.baselines._shared._cost import check_runtime
from gskn.baselines._shared._counts import Counts
from gskn.colors import mix
from gskn.graphs import GraphBatch

_RUN_NODES = 2**9  # nodes of the graphs whose distances are computed together
_CELLS = 2**22  # of a matrix of distances
_SECONDS_PER_PAIR = 3e-7
_NO_PAIRS = (np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0))


def count_pairs(
    batch: GraphBatch,
    colorings: Sequence[Colors],
    training: Sequence[Counts] | None = None,
) -> list[Counts]:
    """Count pairs of nodes by both colors and distance, once for every coloring.

    The columns are the values in ``training``, or all values if that is None.
    """
    n_pairs = float((batch.graph_sizes.astype(np.float64) ** 2).sum())
    check_runtime(
        _SECONDS_PER_PAIR * n_pairs * len(colorings),
        "Computing shortest paths between all nodes",
        "use smaller graphs",
    )
    parts = [[_NO_PAIRS] for _ in colorings]
    for starts, ends, distances in _connected_pairs(batch):
        for colors, coloring_parts in zip(colorings, parts, strict=True):
            # The order of the two nodes counts: every pair is seen from both nodes.
            both = mix(colors[starts]) + colors[ends]
            hashes = mix(mix(both) + distances)
            coloring_parts.append(_count_hashes(batch.node_graphs[starts], hashes))
    results = []
    for number, coloring_parts in enumerate(parts):
        hashes, graphs, counts = map(np.concatenate, zip(*coloring_parts, strict=True))
        results.append(
            Counts.from_occurrences(
                hashes,
                graphs,
                batch.n_graphs,
                training_values=None if training is None else training[number].values,
                weights=counts,
            )
        )
    return results


def _connected_pairs(batch: GraphBatch) -> Iterator[tuple[IndexArray, IndexArray, Colors]]:
    """Yield first nodes, second nodes and distances of connected pairs of nodes."""
    for run in runs_of_graphs(batch.graph_ptr, _RUN_NODES):
        first, last = batch.graph_ptr[run.start], batch.graph_ptr[run.stop]
        block = batch.adjacency[first:last, first:last]
        n_rows = max(1, _CELLS // max(1, last - first))
        for begin in range(0, last - first, n_rows):
            rows = np.arange(begin, min(begin + n_rows, last - first))
            distances = shortest_path(block, method="D", unweighted=True, indices=rows)
            source, target = np.nonzero(np.isfinite(distances) & (distances > 0))
            steps = distances[source, target].astype(np.uint64)
            yield first + rows[source], first + target, steps


def _count_hashes(
    graphs: IndexArray, hashes: Colors
) -> tuple[Colors, IndexArray, FloatArray]:
    """Return every hash of every graph once, with its number of occurrences."""
    # Sorting one combined number is many times as fast as sorting pairs.
    keys = mix(hashes + mix(graphs.astype(np.uint64)))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return hashes[first], graphs[first], counts.astype(np.float64)
