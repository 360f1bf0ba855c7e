"""Graphs in the format of GraKeL: ``(edges, node labels, edge labels)`` or ``Graph``."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gskn._optional import comes_from
from gskn._validation import shorten
from gskn.exceptions import InputError
from gskn.graphs._arrays import from_matrix, is_matrix
from gskn.graphs._assemble import GraphParts
from gskn.graphs._keyed import are_positions
from gskn.graphs._options import ReadOptions


def is_grakel(value: object) -> bool:
    """Return whether a value is a GraKeL graph: edges first, labels in a dict or None."""
    if comes_from(value, "grakel") and hasattr(value, "get_edge_dictionary"):
        return True
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 3:
        return False
    edges_first = isinstance(value[0], set | frozenset | dict)
    if len(value) == 1:
        return edges_first
    # DOK matrices are dicts.
    has_labels = value[1] is None or (isinstance(value[1], dict) and not issparse(value[1]))
    return has_labels and (edges_first or isinstance(value[0], list) or is_matrix(value[0]))


def from_grakel(graph: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read edges given as pairs, ``{pair: weight}``, nested dicts or a matrix.

    As in GraKeL, an undirected graph lists every edge in both directions, and the nodes are
    all nodes in edges or labels. Edge labels are a dict with one label per listed edge.
    """
    if hasattr(graph, "get_edge_dictionary"):
        graph = _as_tuple(graph)
    edges, labels, edge_labels = (*graph, None, None)[:3]
    labels = labels or None
    if is_matrix(edges):
        part = from_matrix(edges, options, number)
        names: Any = range(part.graph_sizes[0])
        part = _with_labels(part, labels, names, options, number)
        return _with_edge_labels(part, edge_labels, names, options, number)
    try:
        pairs, weight = _read_edges(edges, number)
        hash(tuple(pairs))
    except TypeError as error:
        raise InputError(
            f"Graph {number}: {shorten(edges)} are not edges; give (node, node) pairs."
        ) from error
    ends = dict.fromkeys(end for pair in pairs for end in pair)
    names = list(dict.fromkeys([*(labels or ()), *_isolated(edges), *ends]))
    names = _in_order(names)
    position = {name: index for index, name in enumerate(names)}
    array = np.array(
        [(position[a], position[b]) for a, b in pairs], dtype=np.int64
    ).reshape(-1, 2)
    part = GraphParts(
        [len(names)],
        array[:, 0],
        array[:, 1],
        weight=weight if options.edge_weight is not None else None,
        node_names=None if are_positions(names) else names,
        directed=options.is_directed(default=True),
    )
    part = _with_labels(part, labels, names, options, number)
    return _with_edge_labels(part, edge_labels, names, options, number)


def _as_tuple(graph: Any) -> tuple[Any, Any, Any]:
    """Return edges, node labels and edge labels of a ``grakel.Graph``."""
    # A graph that was made from a matrix has labels of indices only.
    labels = graph.node_labels or graph.index_node_labels
    edge_labels = graph.edge_labels or graph.index_edge_labels
    return graph.get_edge_dictionary(), labels, edge_labels


def _read_edges(edges: Any, number: int) -> tuple[list[tuple[Any, Any]], list[Any] | None]:
    """Return pairs of nodes and, if present, their weights."""
    if isinstance(edges, dict) and all(isinstance(v, dict) for v in edges.values()):
        edges = {(a, b): w for a, row in edges.items() for b, w in row.items()}
    if isinstance(edges, dict) and all(_is_list(v) for v in edges.values()):
        edges = [(a, b) for a, row in edges.items() for b in row]
    if isinstance(edges, dict):
        edges = [(*pair, weight) for pair, weight in edges.items()]
    triples = [tuple(edge) for edge in edges]
    sizes = {len(triple) for triple in triples}
    if sizes - {2, 3} or len(sizes) > 1:
        odd = next(t for t in triples if len(t) not in {2, 3} or len(t) != len(triples[0]))
        raise InputError(
            f"Graph {number}: {shorten(odd)} is not an edge; give all edges as "
            "(node, node) or all as (node, node, weight)."
        )
    weight = [triple[2] for triple in triples] if sizes == {3} else None
    return [(triple[0], triple[1]) for triple in triples], weight


def _isolated(edges: Any) -> Iterable[Any]:
    """Return the keys of a dict of neighbors, which may be nodes without edges."""
    is_nested = isinstance(edges, dict) and all(
        isinstance(v, dict) or _is_list(v) for v in edges.values()
    )
    return list(edges) if is_nested else []


def _is_list(value: object) -> bool:
    return isinstance(value, list | set | frozenset | tuple)


def _in_order(names: list[Any]) -> list[Any]:
    """Sort names, because sets have no order; by type and text if they do not compare."""
    try:
        return sorted(names)
    except (TypeError, ValueError, ArithmeticError):  # NaN of decimal
        return sorted(names, key=lambda name: (type(name).__name__, shorten(name, 1000)))


def _with_labels(
    part: GraphParts,
    labels: Any,
    names: Iterable[Any],
    options: ReadOptions,
    number: int,
) -> GraphParts:
    if labels is None or options.node_label is None:
        return part
    unlabeled = [name for name in names if name not in labels]
    if unlabeled:
        raise InputError(
            f"Graph {number}: node {shorten(unlabeled[0])} has no label, but other nodes "
            "have; label every node or none."
        )
    return replace(part, labels=[labels[name] for name in names])


def _with_edge_labels(
    part: GraphParts,
    labels: Any,
    names: Sequence[Any],
    options: ReadOptions,
    number: int,
) -> GraphParts:
    """Add the label of every listed edge, from a dict of pairs of nodes."""
    if not labels or options.edge_label is None:
        return part
    if not isinstance(labels, dict):
        raise InputError(
            f"Graph {number}: edge labels must be a dict of (node, node) pairs, got "
            f"{shorten(labels)}."
        )
    ends = zip(part.source.tolist(), part.target.tolist(), strict=True)
    pairs = [(names[source], names[target]) for source, target in ends]
    unlabeled = next((pair for pair in pairs if pair not in labels), None)
    if unlabeled is not None:
        raise InputError(
            f"Graph {number}: the edge {shorten(unlabeled)} has no label, but other edges "
            "have; label every edge in both directions, or none."
        )
    return replace(part, edge_labels=[labels[pair] for pair in pairs])
