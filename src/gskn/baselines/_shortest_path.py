"""The shortest-path kernel (Borgwardt and Kriegel, 2005)."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse.csgraph import shortest_path

from gskn._offsets import runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn.baselines._colours import Colours, first_colours, mix
from gskn.baselines._cost import refuse_days
from gskn.baselines._counts import Counts
from gskn.baselines._kernel import NormalizedKernel
from gskn.graphs import GraphBatch

_RUN_NODES = 2**9  # of graphs whose distances are computed together
_CELLS = 2**22  # of a matrix of distances
_SECONDS_A_PAIR = 3e-7
_NOTHING = (np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0))


class ShortestPathKernel(NormalizedKernel):
    """Compare graphs by the pairs of nodes they have: both labels, and the distance.

    Parameters
    ----------
    with_labels : bool, default=True
        Whether labels of the two ends count, where graphs have labels.
    normalize : bool, default=True
        The cosine instead of the kernel.

    Notes
    -----
    Karsten Borgwardt and Hans-Peter Kriegel, Shortest-path kernels on graphs (2005).
    Distances are numbers of steps, compared by equality; pairs without a path do not count,
    nor does a node with itself. Graphs without labels are compared by distances alone.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = ShortestPathKernel(normalize=False)
    >>> kernel.fit_transform([ring_of_six, two_triangles])  # 12, 12 and 6 pairs; 12 of 1
    array([[324., 144.],
           [144., 144.]])
    """

    def __init__(self, *, with_labels: bool = True, normalize: bool = True) -> None:
        self.with_labels = with_labels
        self.normalize = normalize

    def _looks_at_labels(self) -> bool:
        return self.with_labels

    def _learn(self, batch: GraphBatch) -> Counts:
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> Counts:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, known: Counts | None) -> Counts:
        colours = np.zeros(batch.n_nodes, dtype=np.uint64)
        if self.with_labels and batch.node_labels is not None:
            colours = first_colours(batch, "The shortest-path kernel")
        known_too = None if known is None else [known]
        return count_pairs(batch, [colours], known_too)[0]

    def _compare(self, left: Counts, right: Counts) -> FloatArray:
        return left.compare(right)

    def _own(self, described: Counts) -> FloatArray:
        return described.squares


def count_pairs(
    batch: GraphBatch, colourings: Sequence[Colours], known: Sequence[Counts] | None = None
) -> list[Counts]:
    """Count pairs of nodes by colour, colour and distance, for every colouring of nodes."""
    n_pairs = float((batch.graph_sizes.astype(np.float64) ** 2).sum())
    refuse_days(
        _SECONDS_A_PAIR * n_pairs * len(colourings),
        "Shortest paths between all nodes",
        "give smaller graphs",
    )
    found = [[_NOTHING] for _ in colourings]
    for starts, ends, steps in _pairs(batch):
        for colours, parts in zip(colourings, found, strict=True):
            # The order of the ends counts: a pair is seen from both.
            both = mix(colours[starts]) + colours[ends]
            parts.append(_summed(batch.node_graphs[starts], mix(mix(both) + steps)))
    results = []
    for number, parts in enumerate(found):
        hashes, graphs, counts = (np.concatenate(p) for p in zip(*parts, strict=True))
        values = None if known is None else known[number].values
        results.append(Counts.of(hashes, graphs, batch.n_graphs, values, counts))
    return results


def _pairs(batch: GraphBatch) -> Iterator[tuple[IndexArray, IndexArray, Colours]]:
    """Yield both ends of pairs with a path between them, and how many steps it has."""
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


def _summed(graphs: IndexArray, hashes: Colours) -> tuple[Colours, IndexArray, FloatArray]:
    """Return every hash of a graph once, with how often it occurs."""
    # One number for hash and graph sorts many times as fast as pairs do.
    keys = mix(hashes + mix(graphs.astype(np.uint64)))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return hashes[first], graphs[first], counts.astype(np.float64)
