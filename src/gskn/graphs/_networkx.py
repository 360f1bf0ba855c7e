"""Conversion of networkx graphs."""

from dataclasses import replace
from typing import Any

from gskn._optional import comes_from
from gskn.graphs._assemble import GraphParts
from gskn.graphs._keyed import from_named_data, is_blank
from gskn.graphs._options import ReadOptions


def is_networkx(graph: object) -> bool:
    """Return whether an object is a networkx graph of any type."""
    return comes_from(graph, "networkx") and hasattr(graph, "adj")


def from_networkx(graph: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read any networkx graph; parallel edges of a multigraph are merged.

    The weights of merged edges add up; without weights, the weight is 1.
    """
    edges = list(graph.edges(data=True))
    directed = graph.is_directed()
    part = from_named_data(dict(graph.nodes), edges, options, number, directed=directed)
    title = graph.graph.get("name")
    return part if is_blank(title) else replace(part, graph_names=[title])
