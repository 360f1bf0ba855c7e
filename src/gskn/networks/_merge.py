"""Merge nodes of a graph that no convolution can distinguish.

Nodes with equal features and the same number of neighbors of every kind, over any number of
steps, have the same row in every layer. Graphs of social networks consist of few kinds: a
layer then computes one row per kind, and sums count how many nodes a row stands for.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from gskn._types import IndexArray
from gskn.colors import mix

_MAX_SHARE = 0.7  # of rows that remain; with more, normalization by counts takes longer


class MergedNodes(NamedTuple):
    """Kinds of nodes instead of nodes, in the order of the graphs.

    Attributes
    ----------
    matrix : csr_array of shape (n_kinds, n_kinds)
        Sum of the entries of a node over the neighbors of a kind.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First kind of every graph, then the number of kinds.
    nodes : ndarray of shape (n_kinds,)
        One node of every kind.
    counts : ndarray of shape (n_kinds,)
        Number of nodes of every kind.
    """

    matrix: csr_array
    graph_ptr: IndexArray
    nodes: IndexArray
    counts: IndexArray


def merge_nodes(
    matrix: csr_array, graph_ptr: IndexArray, codes: IndexArray
) -> MergedNodes | None:
    """Return the kinds of nodes; None if there are almost as many as nodes.

    Parameters
    ----------
    matrix : csr_array of shape (n_nodes, n_nodes)
        Block-diagonal propagation matrix.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph, then the number of nodes.
    codes : ndarray of shape (n_nodes,)
        Code of the features of every node.
    """
    kinds = find_kinds(matrix, graph_ptr, codes, _MAX_SHARE * len(codes))
    if kinds is None:
        return None
    _, nodes, counts = np.unique(kinds, return_index=True, return_counts=True)
    rows = matrix[nodes]
    shape = (len(nodes), len(nodes))
    merged = csr_array((rows.data, kinds[rows.indices], rows.indptr), shape=shape)
    merged.sum_duplicates()
    graphs = np.repeat(np.arange(len(graph_ptr) - 1), np.diff(graph_ptr))
    first = np.searchsorted(graphs[nodes], np.arange(len(graph_ptr)))
    return MergedNodes(merged, first, nodes, counts)


def find_kinds(
    matrix: csr_array,
    graph_ptr: IndexArray,
    codes: IndexArray,
    max_kinds: float = np.inf,
) -> IndexArray | None:
    """Return the kind of every node, numbered by graph; None if there are too many.

    Kinds are split by their neighbors until nothing changes, as in the Weisfeiler-Leman
    test: nodes of a kind have equal entries to equally many nodes of every kind.
    """
    graphs = np.repeat(np.arange(len(graph_ptr) - 1), np.diff(graph_ptr))
    kinds = _ranks(codes, graphs)
    entries = mix(matrix.data.astype(np.float64).view(np.uint64))
    n_kinds = -1
    while n_kinds < (n_now := kinds.max(initial=-1) + 1):
        if n_now > max_kinds:
            return None
        n_kinds = n_now
        terms = mix(entries + mix(kinds.astype(np.uint64))[matrix.indices])
        # Sums of hashes do not depend on the order; overflow is wanted.
        total = np.concatenate([[np.uint64(0)], np.cumsum(terms, dtype=np.uint64)])
        sums = total[matrix.indptr[1:]] - total[matrix.indptr[:-1]]
        kinds = _ranks(sums, kinds)
    return kinds


def _ranks(second: IndexArray, first: IndexArray) -> IndexArray:
    """Return the ranks of pairs among all different pairs; the first number decides."""
    order = np.lexsort((second, first))
    pairs = np.stack([first[order].astype(np.uint64), second[order].astype(np.uint64)])
    is_new = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(is_new)])[: len(order)]
    return ranks
