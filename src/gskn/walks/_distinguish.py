"""distinguish: the walk length from which two graphs, or two nodes, differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gskn._limits import MAX_EXACT_LENGTH, MAX_INDUCED_LENGTH
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._colors import refine_colors
from gskn.walks._counts import pattern_counts
from gskn.walks._table import PatternTable
from gskn.walks._work import enumeration_work

_MAX_ENUMERATED = 1e8


@dataclass(frozen=True)
class Distinction:
    """The smallest lengths at which two graphs, or two nodes, differ.

    A length is None if they do not differ up to the largest length that was tried.

    Attributes
    ----------
    by_wl : bool
        Whether the 1-WL test, the bound of message passing, distinguishes them.
    by_walks : int or None
        Length at which the numbers of walks differ.
    by_patterns : int or None
        Length at which the counts of anonymous-walk patterns differ.
    by_induced : int or None
        Length at which the counts of induced patterns differ, as far as their walks can
        be enumerated.
    max_length : int
        Largest length that was tried.
    pattern : str
        First pattern whose counts differ, at length ``by_patterns``; "" if there is none.
    counts : tuple of int
        Counts of this pattern in the first and in the second graph or node.
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
    """Find the walk length from which two graphs, or two of their nodes, differ.

    Parameters
    ----------
    first, second : graph input
        Anything that `as_batch` reads as one graph. Labels, attributes and weights are
        ignored.
    nodes : pair of int, default=None
        A node of the first and one of the second graph; None compares whole graphs.
    max_length : int, default=8
        Largest length of patterns to try, at most 8.
    max_induced_length : int, default=6
        Largest length of induced patterns to try, at most 8. Their walks are enumerated.

    Returns
    -------
    distinction : Distinction
        The smallest lengths that distinguish the graphs or nodes.

    Examples
    --------
    >>> from gskn import datasets
    >>> one, two = datasets.rings(3).graphs
    >>> result = distinguish(one, two)
    >>> result.by_wl, result.by_walks, result.by_patterns, result.pattern
    (False, None, 4, '0-1-2-0')
    """
    max_length = check_int(max_length, "max_length", minimum=1, maximum=MAX_EXACT_LENGTH)
    max_induced_length = check_int(
        max_induced_length, "max_induced_length", minimum=1, maximum=MAX_INDUCED_LENGTH
    )
    pair = GraphBatch.concat([_one_graph(first, "first"), _one_graph(second, "second")])
    places = _check_nodes(nodes, pair)
    by_walks = by_patterns = None
    pattern, counts = "", (0, 0)
    for length in range(1, max_length + 1):
        table = pattern_counts(
            pair, length, weighting="count", method="exact", exact_counts=False
        )
        rows = _compared_rows(table, places)
        if by_walks is None and rows[0].sum() != rows[1].sum():
            by_walks = length
        if by_patterns is None and (rows[0] != rows[1]).any():
            by_patterns = length
            column = int(np.argmax(rows[0] != rows[1]))
            pattern = table.names[column]
            counts = int(rows[0, column]), int(rows[1, column])
        if by_patterns is not None and by_walks is not None:
            break
    return Distinction(
        by_wl=_wl_differs(pair, places),
        by_walks=by_walks,
        by_patterns=by_patterns,
        by_induced=_induced_length(pair, places, min(max_induced_length, max_length)),
        max_length=max_length,
        pattern=pattern,
        counts=counts,
    )


def _one_graph(graph: Any, name: str) -> GraphBatch:
    """Return the structure of one graph."""
    batch = as_batch(graph)
    if batch.n_graphs != 1:
        raise InputError(f"The {name} input has {batch.n_graphs} graphs; expected one.")
    return GraphBatch(batch.adjacency, batch.graph_ptr)


def _check_nodes(nodes: Any, pair: GraphBatch) -> IndexArray | None:
    """Return the rows of two nodes in the batch of both graphs."""
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


def _compared_rows(table: PatternTable, places: IndexArray | None) -> FloatArray:
    """Return the rows of both graphs, or of both nodes."""
    rows = table.graph_rows() if places is None else table.rows[places]
    dense: FloatArray = rows.toarray()
    return dense


def _induced_length(
    pair: GraphBatch, places: IndexArray | None, max_length: int
) -> int | None:
    """Return the smallest length at which the counts of induced patterns differ."""
    for length in range(1, max_length + 1):
        if enumeration_work(pair, length).max(initial=0) > _MAX_ENUMERATED:
            return None  # too many walks; the other results are still useful
        table = pattern_counts(
            pair, length, weighting="count", induced=True, method="exact"
        )
        rows = _compared_rows(table, places)
        if (rows[0] != rows[1]).any():
            return length
    return None


def _wl_differs(pair: GraphBatch, places: IndexArray | None) -> bool:
    """Refine the colors of both graphs together until they are stable, and compare."""
    forward = pair.adjacency.tocsr()
    backward = pair.adjacency.T.tocsr()
    colors = np.zeros(pair.n_nodes, dtype=np.int64)
    n_colors = 0
    while len(np.unique(colors)) > n_colors:
        n_colors = len(np.unique(colors))
        colors = refine_colors([forward, backward], colors)
    if places is not None:
        return bool(colors[places[0]] != colors[places[1]])
    cut = pair.graph_ptr[1]
    return not np.array_equal(np.sort(colors[:cut]), np.sort(colors[cut:]))
