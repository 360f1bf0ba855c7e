"""igraph graphs as parts of a batch."""

from typing import Any

import numpy as np

from gskn._optional import comes_from
from gskn.graphs._assemble import GraphParts
from gskn.graphs._keyed import MISSING, read_attributes, read_labels, read_weights
from gskn.graphs._options import ReadOptions


def is_igraph(graph: object) -> bool:
    """Tell whether an object is an igraph graph."""
    return comes_from(graph, "igraph") and hasattr(graph, "get_edgelist")


def from_igraph(graph: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read an igraph graph; the vertex attribute ``name`` names its nodes."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    node_keys, edge_keys = graph.vs.attributes(), graph.es.attributes()
    graph_text = f"Graph {number}"

    # igraph fills attributes that were never set with None.
    def node_column(key: str) -> list[Any]:
        return graph.vs[key] if key in node_keys else [MISSING] * graph.vcount()

    def edge_column(key: str) -> list[Any]:
        values = graph.es[key] if key in edge_keys else [MISSING] * graph.ecount()
        return [MISSING if value is None else value for value in values]

    return GraphParts(
        graph_sizes=[graph.vcount()],
        source=ends[:, 0],
        target=ends[:, 1],
        weight=read_weights(edge_column, edge_keys, options.edge_weight, graph_text),
        labels=read_labels(node_column, node_keys, options.node_label, graph_text),
        attributes=read_attributes(
            node_column, node_keys, options.node_attributes, graph_text
        ),
        node_names=graph.vs["name"] if "name" in node_keys else None,
        graph_names=[graph["name"]] if "name" in graph.attributes() else None,
        directed=options.is_directed(graph.is_directed()),
    )
