"""networkx graphs as parts of a batch."""

from typing import Any

import numpy as np

from gskn._optional import comes_from
from gskn.graphs._assemble import GraphParts
from gskn.graphs._keyed import MISSING, read_attributes, read_labels, read_weights
from gskn.graphs._options import ReadOptions


def is_networkx(graph: object) -> bool:
    """Tell whether an object is a networkx graph of any kind."""
    return comes_from(graph, "networkx") and hasattr(graph, "adj")


def from_networkx(graph: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read any networkx graph; parallel edges of a multigraph become one.

    Their weights add up; without weights, the one edge weighs 1.
    """
    names = list(graph.nodes)
    position = {name: index for index, name in enumerate(names)}
    edges = list(graph.edges(data=True))
    node_data = list(graph.nodes.values())
    node_keys = {key for data in node_data for key in data}
    edge_keys = {key for *_, data in edges for key in data}
    graph_text = f"Graph {number}"

    def node_column(key: str) -> list[Any]:
        return [data.get(key, MISSING) for data in node_data]

    def edge_column(key: str) -> list[Any]:
        return [data.get(key, MISSING) for *_, data in edges]

    title = graph.graph.get("name")
    return GraphParts(
        graph_sizes=[len(names)],
        source=np.array([position[source] for source, *_ in edges], dtype=np.int64),
        target=np.array([position[target] for _, target, _ in edges], dtype=np.int64),
        weight=read_weights(edge_column, edge_keys, options.edge_weight, graph_text),
        labels=read_labels(node_column, node_keys, options.node_label, graph_text),
        attributes=read_attributes(
            node_column, node_keys, options.node_attributes, graph_text
        ),
        node_names=None if names == list(range(len(names))) else names,
        graph_names=[title] if title else None,
        directed=options.is_directed(graph.is_directed()),
    )
