"""Conversion of graphs with named node and edge data: networkx, igraph, node-link JSON."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gskn._validation import shorten
from gskn.exceptions import InputError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import AUTO, AttributeKeys, ReadOptions

NodeData = Sequence[Mapping[str, Any]]
Edge = tuple[Hashable, Hashable, Mapping[str, Any]]


def from_named_data(
    nodes: Mapping[Hashable, Mapping[str, Any]],
    edges: Sequence[Edge],
    options: ReadOptions,
    number: int,
    *,
    directed: bool,
) -> GraphParts:
    """Convert a graph given by nodes and edges with their data."""
    names = list(nodes)
    position = {name: index for index, name in enumerate(names)}
    data = list(nodes.values())
    edge_data = [values for *_, values in edges]
    node_place, edge_place = _node_place(number), _edge_place(number, edges)
    return GraphParts(
        graph_sizes=[len(names)],
        source=np.array([position[source] for source, _, _ in edges], dtype=np.int64),
        target=np.array([position[target] for _, target, _ in edges], dtype=np.int64),
        weight=_read_weights(edge_data, options, number),
        labels=_read_column(data, options.node_label, "label", node_place),
        attributes=_read_attributes(data, options.node_attributes, node_place),
        node_names=None if are_positions(names) else names,
        directed=options.is_directed(default=directed),
        edge_labels=_read_column(edge_data, options.edge_label, "label", edge_place),
        edge_attributes=_read_attributes(edge_data, options.edge_attributes, edge_place),
    )


def are_positions(names: Sequence[Hashable]) -> bool:
    """Return whether nodes are named 0, 1, 2, ..., in order."""
    # For other types, == may not return a bool.
    return all(
        isinstance(name, int | float | np.number) and bool(name == position)
        for position, name in enumerate(names)
    )


def is_blank(name: object) -> bool:
    """Return whether the name of a graph is missing or empty."""
    return name is None or (isinstance(name, str | bytes | int | float) and not name)


def _read_weights(data: NodeData, options: ReadOptions, number: int) -> list[Any] | None:
    """Read one weight per edge; it is 1 for an edge without a weight among others."""
    key = _resolve(data, options.edge_weight, "weight")
    if key is None:
        return None
    if data and not any(key in values for values in data):
        raise InputError(f"Graph {number} has no edge data {shorten(key)}. {_hint(data)}")
    return [values.get(key, 1.0) for values in data]


@dataclass(frozen=True)
class _Place:
    """Nodes or edges of one graph, for messages."""

    kind: str  # "node" or "edge"
    describe: Callable[[int], str]


def _node_place(number: int) -> _Place:
    return _Place("node", lambda node: f"Graph {number}, node {node}")


def _edge_place(number: int, edges: Sequence[Edge]) -> _Place:
    def describe(edge: int) -> str:
        source, target, _ = edges[edge]
        return f"Graph {number}, the edge from {shorten(source)} to {shorten(target)}"

    return _Place("edge", describe)


def _read_attributes(
    data: NodeData, keys: AttributeKeys, place: _Place
) -> list[Any] | None:
    """Read one vector per element from one key, or one number from each of several keys."""
    if keys is None or isinstance(keys, str):
        vectors = _read_column(data, keys, "attributes", place)
        _check_equal_lengths(vectors or [], place)
        return vectors
    columns = [_read_column(data, key, key, place) or [] for key in keys]
    return [list(vector) for vector in zip(*columns, strict=True)]


def _read_column(
    data: NodeData, key: str | None, default: str, place: _Place
) -> list[Any] | None:
    is_default = key == AUTO
    key = _resolve(data, key, default)
    if key is None:
        return None
    for number, values in enumerate(data):
        if values.get(key) is None:
            remedy = ""
            if is_default and place.kind == "edge":
                option = "edge_label" if default == "label" else "edge_attributes"
                remedy = f", or read the graphs with {option}=None"
            raise InputError(
                f"{place.describe(number)} has no {place.kind} data {shorten(key)}; add it "
                f"to every {place.kind}{remedy}. {_hint(data)}"
            )
    return [values[key] for values in data]


def _resolve(data: NodeData, key: str | None, default: str) -> str | None:
    """Return the key to read; "auto" is the default key if at least one element has it."""
    if key != AUTO:
        return key
    if default not in set().union(*data):  # several times as fast as a loop
        return None
    return default if any(values.get(default) is not None for values in data) else None


def _hint(data: NodeData) -> str:
    keys = sorted({shorten(key) for values in data for key in values})
    return f"Existing keys: {', '.join(keys) or 'none'}."


def _check_equal_lengths(vectors: Sequence[Any], place: _Place) -> None:
    sizes = [
        len(vector) if isinstance(vector, list | tuple) else int(np.size(vector))
        for vector in vectors
    ]
    for number, size in enumerate(sizes):
        if size != sizes[0]:
            first = "node 0" if place.kind == "node" else "the first edge"
            raise InputError(
                f"{place.describe(number)} has {size} attributes, but {first} has "
                f"{sizes[0]}; give every {place.kind} the same attributes."
            )
