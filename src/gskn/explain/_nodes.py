"""Contributions of nodes and of edges."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.explain._arcs import arc_sums
from gskn.explain._blocks import Chunk
from gskn.graphs import GraphBatch


@dataclass(frozen=True)
class Parts:
    """Contributions of the entries of all graphs of a chunk.

    ``nodes`` holds one or two nodes of every entry, numbered within their graph.
    """

    contributions: FloatArray
    counts: IndexArray  # entries of every graph
    nodes: IndexArray


def by_start(chunk: Chunk) -> Parts:
    """Return the contribution of the walks from every node."""
    return _node_parts(chunk, chunk.starts)


def by_visits(chunk: Chunk) -> Parts:
    """Return the contributions of nodes; that of a walk is divided among its visits."""
    contributions = np.zeros(chunk.batch.n_nodes)
    for sums in arc_sums(chunk):
        # Every visit but the first is the end of a step.
        arrivals = np.bincount(sums.matrix.indices, sums.values, len(contributions))
        contributions += (sums.starts + arrivals) / sums.length
    return _node_parts(chunk, contributions)


def by_edges(chunk: Chunk) -> Parts:
    """Return the contributions of edges; that of a walk is divided among its steps.

    Walks of one node, and steps at a dead end, are entries of a node and itself.
    """
    batch = chunk.batch
    n_nodes = batch.n_nodes
    every = np.arange(n_nodes)
    sources, targets, values = [every], [every], [np.zeros(n_nodes)]
    entries = batch.adjacency.tocoo()
    sources.append(entries.row)
    targets.append(entries.col)
    values.append(np.zeros(entries.nnz))
    for sums in arc_sums(chunk):
        if sums.length == 1:
            values[0] += sums.starts
            continue
        arcs = sums.matrix.tocoo()
        sources.append(arcs.row)
        targets.append(arcs.col)
        values.append(sums.values / (sums.length - 1))
    ends = np.stack([np.concatenate(sources), np.concatenate(targets)])
    return _sum_edges(batch, ends.astype(np.int64), np.concatenate(values))


def _sum_edges(batch: GraphBatch, ends: IndexArray, values: FloatArray) -> Parts:
    """Return the sums of values of equal edges: in every graph edges, then nodes."""
    undirected = ~batch.directed[batch.node_graphs[ends[0]]]
    first = np.where(undirected, ends.min(axis=0), ends[0])
    second = np.where(undirected, ends.max(axis=0), ends[1])
    keys = np.stack([batch.node_graphs[first], first == second, first, second])
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    summed = np.bincount(np.cumsum(is_first) - 1, values[order]).astype(np.float64)
    owners, _, first, second = keys[:, is_first]
    pairs = np.column_stack([first, second]) - batch.graph_ptr[owners][:, None]
    return Parts(summed, np.bincount(owners, minlength=batch.n_graphs), pairs)


def _node_parts(chunk: Chunk, contributions: FloatArray) -> Parts:
    sizes = chunk.batch.graph_sizes
    nodes = np.arange(len(contributions)) - np.repeat(chunk.batch.graph_ptr[:-1], sizes)
    return Parts(contributions, sizes, nodes[:, None])
