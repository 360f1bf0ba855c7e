"""Conversion of igraph graphs."""

from dataclasses import replace
from typing import Any

from gskn._optional import comes_from
from gskn.graphs._assemble import GraphParts
from gskn.graphs._keyed import from_named_data
from gskn.graphs._options import ReadOptions


def is_igraph(graph: object) -> bool:
    """Return whether an object is an igraph graph."""
    return comes_from(graph, "igraph") and hasattr(graph, "get_edgelist")


def from_igraph(graph: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read an igraph graph; the vertex attribute ``name`` names its nodes."""
    nodes = {vertex.index: _set_only(vertex.attributes()) for vertex in graph.vs}
    edges = [(*edge.tuple, _set_only(edge.attributes())) for edge in graph.es]
    part = from_named_data(nodes, edges, options, number, directed=graph.is_directed())
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    titles = [graph["name"]] if "name" in graph.attributes() else None
    return replace(part, node_names=names, graph_names=titles)


def _set_only(attributes: dict[str, Any]) -> dict[str, Any]:
    """Drop attributes without a value, for which igraph returns None."""
    return {key: value for key, value in attributes.items() if value is not None}
