"""distinguish: from which length on walks tell two graphs, or two nodes, apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._colours import refine
from gskn.walks._counts import PatternTable, pattern_counts
from gskn.walks._exact import MAX_EXACT_LENGTH, n_walks_by_graph

_MAX_WALKS = 1e8


@dataclass(frozen=True)
class Distinction:
    """The smallest length at which two graphs, or nodes, differ; None: not up to the last.

    Attributes
    ----------
    by_wl : bool
        Whether the 1-WL test, the bound of message passing, tells them apart at all.
    by_walks : int or None
        By the number of all walks.
    by_patterns : int or None
        By how often the patterns of anonymous walks occur.
    by_induced : int or None
        By how often induced patterns occur, as far as their walks can be enumerated.
    max_length : int
        The last length that was tried.
    pattern : str
        The first pattern whose count differs, at length ``by_patterns``; "" if none.
    counts : tuple of int
        How often that pattern occurs in the first and in the second.
    """

    by_wl: bool
    by_walks: int | None
    by_patterns: int | None
    by_induced: int | None
    max_length: int
    pattern: str = ""
    counts: tuple[int, int] = (0, 0)


def distinguish(
    first: Any,
    second: Any,
    *,
    nodes: tuple[int, int] | None = None,
    max_length: int = 8,
    max_induced_length: int = 6,
) -> Distinction:
    """Find from which length on walks tell two graphs apart, or two of their nodes.

    Parameters
    ----------
    first, second : anything `as_batch` reads as one graph
        Labels, attributes and weights are not looked at.
    nodes : pair of int, default=None
        A node of the first and one of the second graph; None compares whole graphs.
    max_length, max_induced_length : int
        Largest lengths to try, at most 8, for patterns and for induced patterns, whose
        walks are enumerated.

    Returns
    -------
    distinction : Distinction

    Examples
    --------
    >>> from gskn import datasets
    >>> one, two = datasets.rings(3).graphs
    >>> found = distinguish(one, two)
    >>> found.by_wl, found.by_walks, found.by_patterns, found.pattern
    (False, None, 4, '0-1-2-0')
    """
    max_length = _check_length(max_length, "max_length")
    max_induced_length = _check_length(max_induced_length, "max_induced_length")
    pair = GraphBatch.concat([_one_graph(first, "first"), _one_graph(second, "second")])
    places = _check_nodes(nodes, pair)
    by_walks = by_patterns = by_induced = None
    pattern, counts = "", (0, 0)
    for length in range(1, max_length + 1):
        table = pattern_counts(
            pair, length, weighting="count", method="exact", exact_counts=False
        )
        rows = _compared(table, places)
        if by_walks is None and rows[0].sum() != rows[1].sum():
            by_walks = length
        if by_patterns is None and (rows[0] != rows[1]).any():
            by_patterns = length
            column = int(np.argmax(rows[0] != rows[1]))
            pattern, counts = (
                table.names[column],
                (int(rows[0, column]), int(rows[1, column])),
            )
        if by_patterns is not None and by_walks is not None:
            break
    for length in range(1, min(max_induced_length, max_length) + 1):
        if n_walks_by_graph(pair, length).max(initial=0) > _MAX_WALKS:
            break  # too many to enumerate; what is known so far is still worth saying
        table = pattern_counts(
            pair, length, weighting="count", induced=True, method="exact"
        )
        rows = _compared(table, places)
        if (rows[0] != rows[1]).any():
            by_induced = length
            break
    by_wl = _wl_differs(pair, places)
    return Distinction(
        by_wl, by_walks, by_patterns, by_induced, max_length, pattern, counts
    )


def _check_length(length: int, name: str) -> int:
    return check_int(length, name, minimum=1, maximum=MAX_EXACT_LENGTH)


def _one_graph(graph: Any, name: str) -> GraphBatch:
    batch = as_batch(graph)
    if batch.n_graphs != 1:
        raise InputError(f"The {name} input holds {batch.n_graphs} graphs; give one graph.")
    return GraphBatch(batch.adjacency, batch.graph_ptr)


def _check_nodes(nodes: Any, pair: GraphBatch) -> IndexArray | None:
    if nodes is None:
        return None
    if not isinstance(nodes, Sequence | np.ndarray) or len(nodes) != 2:
        raise InputError(f"nodes must be a pair of integers, got {shorten(nodes)}.")
    for node, size in zip(nodes, pair.graph_sizes, strict=True):
        if check_int(node, "node", minimum=0) >= size:
            raise InputError(
                f"There is no node {shorten(node)} in a graph of {size} nodes."
            )
    return np.array([nodes[0], pair.graph_ptr[1] + nodes[1]])


def _compared(table: PatternTable, places: IndexArray | None) -> FloatArray:
    rows = table.graph_rows() if places is None else table.rows[places]
    dense: FloatArray = rows.toarray()
    return dense


def _wl_differs(pair: GraphBatch, places: IndexArray | None) -> bool:
    """Refine colours of both graphs together until they are stable, and compare."""
    forth = pair.adjacency.tocsr()
    back = pair.adjacency.T.tocsr()
    colours = np.zeros(pair.n_nodes, dtype=np.int64)
    n_colours = 0
    while len(np.unique(colours)) > n_colours:
        n_colours = len(np.unique(colours))
        colours = refine([forth, back], colours)
    if places is not None:
        return bool(colours[places[0]] != colours[places[1]])
    cut = pair.graph_ptr[1]
    return not np.array_equal(np.sort(colours[:cut]), np.sort(colours[cut:]))
