"""individual_colors: colors of graphs after one node has a color of its own."""

from typing import Any

import numpy as np

from gskn._types import IndexArray
from gskn.colors._hashes import Hashes, hash_rows, ranks
from gskn.colors._pairs import pair_colors, stable_hash
from gskn.graphs import GraphBatch, as_batch


def individual_colors(
    graphs: Any, initial: Any = None, *, labels: bool = True
) -> IndexArray:
    """Give one node of the smallest color class a color of its own, then refine pairs.

    Every node of the class is chosen in turn, and the color of the node is the multiset of
    the colors of all pairs of its graph. The class is the smallest one of several nodes
    under 2-FWL, and the first of them in the order of colors.

    Parameters
    ----------
    graphs, initial, labels
        See `pair_colors`.

    Returns
    -------
    colors : ndarray of shape (n_nodes,)
        Colors as integers from 0, of the nodes of the smallest class of every graph; -1
        for other nodes, and for all nodes of a graph whose nodes have different colors.

    Notes
    -----
    The time is that of `pair_colors` times the size of the class.

    Examples
    --------
    >>> from gskn import datasets
    >>> colors = individual_colors(datasets.rook_shrikhande().graphs)
    >>> colors[:16].tolist() == [0] * 16, colors[16:].tolist() == [1] * 16
    (True, True)
    """
    batch = as_batch(graphs)
    matrices = pair_colors(batch, initial, labels=labels)
    colors = np.full(batch.n_nodes, -1, dtype=np.int64)
    chosen, hashes = [np.empty(0, dtype=np.int64)], [np.empty((2, 0), dtype=np.uint64)]
    for number, matrix in enumerate(matrices):
        nodes = smallest_class(np.diagonal(matrix))
        chosen.append(nodes + batch.graph_ptr[number])
        hashes += [
            marked_hash(batch[number], np.diagonal(matrix), node, labels=labels)[:, None]
            for node in nodes.tolist()
        ]
    colors[np.concatenate(chosen)] = ranks(np.concatenate(hashes, axis=1))
    return colors


def smallest_class(colors: IndexArray) -> IndexArray:
    """Return the nodes of the smallest color class of several nodes."""
    values, counts = np.unique(colors, return_counts=True)
    counts = np.where(counts == 1, len(colors) + 1, counts)
    if not len(counts) or counts.min() > len(colors):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(colors == values[np.argmin(counts)])


def marked_hash(
    graph: GraphBatch, colors: IndexArray, node: int, *, labels: bool
) -> Hashes:
    """Return the stable color of a graph in which one node has a color of its own."""
    marked = hash_rows(np.column_stack([colors + 1, np.arange(len(colors)) == node]))
    return stable_hash(graph, marked, labels=labels)
