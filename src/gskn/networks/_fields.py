"""Fields of PatchySAN: for the first nodes of a graph, their nearest nodes in an order."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.networks._jit_fields import fill_fields


def rank_nodes(batch: GraphBatch, rows: FloatArray, codes: IndexArray) -> IndexArray:
    """Return ranks by degree and features, refined by the ranks of neighbors.

    Rank 0 has the largest degree. In every round, nodes of equal rank are ordered by the
    sorted ranks of their neighbors, until the number of ranks does not grow. The order of
    two nodes does not depend on other graphs of the batch.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    rows : ndarray of shape (n_rows, n_features)
        Distinct node features.
    codes : ndarray of shape (n_nodes,)
        Row of every node.

    Returns
    -------
    ranks : ndarray of shape (n_nodes,)
        Rank of every node, from 0 without gaps.
    """
    indptr, indices = batch.adjacency.indptr, batch.adjacency.indices
    sources = np.repeat(np.arange(batch.n_nodes), np.diff(indptr))
    row_ranks = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    ranks = _dense(zip((-np.diff(indptr)).tolist(), row_ranks[codes].tolist(), strict=True))
    n_ranks = 0
    while n_ranks < ranks.max(initial=-1) + 1:
        n_ranks = ranks.max() + 1
        around = ranks[indices][np.lexsort((ranks[indices], sources))].tolist()
        parts = zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
        neighbors = (tuple(around[begin:end]) for begin, end in parts)
        ranks = _dense(zip(ranks.tolist(), neighbors, strict=True))
    return ranks


def _dense(keys: Iterable[Any]) -> IndexArray:
    """Return the place of every key among the sorted distinct keys."""
    listed = list(keys)
    places = {key: place for place, key in enumerate(sorted(set(listed)))}
    return np.array([places[key] for key in listed], dtype=np.int64)


def find_fields(
    batch: GraphBatch, ranks: IndexArray, n_fields: int, field_size: int
) -> IndexArray:
    """Return the fields of every graph.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    ranks : ndarray of shape (n_nodes,)
        Ranks of the nodes.
    n_fields : int
        Number of fields of a graph: of its nodes with the smallest ranks.
    field_size : int
        Number of nodes of a field.

    Returns
    -------
    fields : ndarray of shape (n_graphs, n_fields, field_size)
        Nodes of every field, numbered within their graph; -1 for no node.
    """
    fields = np.full((batch.n_graphs, n_fields, field_size), -1, dtype=np.int64)
    indptr, indices = batch.adjacency.indptr, batch.adjacency.indices
    distances = np.full(batch.n_nodes, -1, dtype=np.int64)
    for graph, (begin, end) in enumerate(pairwise(batch.graph_ptr.tolist())):
        roots = begin + np.argsort(ranks[begin:end], kind="stable")[:n_fields]
        fill_fields(indptr, indices, ranks, roots, distances, fields[graph])
    first = batch.graph_ptr[:-1, None, None]
    return np.where(fields < 0, -1, fields - first)
