"""The shortest-path kernel (Borgwardt and Kriegel, 2005)."""

import numpy as np
from scipy.sparse.csgraph import shortest_path

from gskn._types import FloatArray, IndexArray
from gskn.baselines._colours import Colours, first_colours, mix
from gskn.baselines._counts import Counts
from gskn.baselines._kernel import GraphKernel
from gskn.graphs import GraphBatch
from gskn.graphs._batch import runs_of_graphs

_RUN_NODES = 2**9  # of graphs whose distances are computed together
_CELLS = 2**22  # of a matrix of distances


class ShortestPathKernel(GraphKernel):
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

    def _learn(self, batch: GraphBatch) -> Counts:
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> Counts:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, known: Counts | None) -> Counts:
        colours = np.zeros(batch.n_nodes, dtype=np.uint64)
        if self.with_labels and batch.node_labels is not None:
            colours = first_colours(batch, "The shortest-path kernel")
        found, graphs, counts = _triples(batch, colours)
        values = None if known is None else known.values
        return Counts.of(found, graphs, batch.n_graphs, values, counts)

    def _compare(self, left: Counts, right: Counts) -> FloatArray:
        return left.compare(right)

    def _own(self, described: Counts) -> FloatArray:
        return described.squares


def _triples(batch: GraphBatch, colours: Colours) -> tuple[Colours, IndexArray, FloatArray]:
    """Return hashes of label, label and distance, their graph, and how often they occur."""
    found = [(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0))]
    for run in runs_of_graphs(batch.graph_ptr, _RUN_NODES):
        first, last = batch.graph_ptr[run.start], batch.graph_ptr[run.stop]
        block = batch.adjacency[first:last, first:last]
        n_rows = max(1, _CELLS // max(1, last - first))
        for begin in range(0, last - first, n_rows):
            rows = np.arange(begin, min(begin + n_rows, last - first))
            distances = shortest_path(block, method="D", unweighted=True, indices=rows)
            source, target = np.nonzero(np.isfinite(distances) & (distances > 0))
            steps = distances[source, target].astype(np.uint64)
            starts = first + rows[source]
            # The order of the ends counts: a pair is seen from both.
            ends = mix(colours[starts]) + colours[first + target]
            found.append(_summed(batch.node_graphs[starts], mix(mix(ends) + steps)))
    hashes, graphs, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    return hashes, graphs, counts


def _summed(graphs: IndexArray, hashes: Colours) -> tuple[Colours, IndexArray, FloatArray]:
    """Return every hash of a graph once, with how often it occurs."""
    pairs = np.stack([graphs.astype(np.uint64), hashes])
    kept, places = np.unique(pairs, axis=1, return_inverse=True)
    counts = np.bincount(places.ravel(), minlength=kept.shape[1]).astype(np.float64)
    return kept[1], kept[0].astype(np.int64), counts
