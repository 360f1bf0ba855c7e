"""Kernels as their definitions say: every walk of one node against every walk of another.

Graphs are networkx graphs, whose nodes and edges may have a ``label`` and ``attributes``.
"""

import itertools
import math

import numpy as np

from tests.reference.walks import anonymize, probability, walks


def squared_distance(graph, node, other_graph, other) -> float:
    """Labels are equal or at distance 2, attributes are vectors; degrees if neither."""
    left, right = graph.nodes[node], other_graph.nodes[other]
    if not left:
        return 0.0 if len(graph[node]) == len(other_graph[other]) else 2.0
    labels = 0.0 if left.get("label") == right.get("label") else 2.0
    pairs = zip(left.get("attributes", []), right.get("attributes", []), strict=True)
    return labels + sum((a - b) ** 2 for a, b in pairs)


def squared_step_distance(graph, step, other_graph, other) -> float:
    """The same of two steps. Staying at a dead end is a label, with attributes of zero."""
    left = graph.edges[step] if graph.has_edge(*step) else {}
    right = other_graph.edges[other] if other_graph.has_edge(*other) else {}
    same_kind = has_data(left) == has_data(right)
    labels = 0.0 if same_kind and left.get("label") == right.get("label") else 2.0
    pairs = itertools.zip_longest(
        left.get("attributes", []), right.get("attributes", []), fillvalue=0.0
    )
    return labels + sum((a - b) ** 2 for a, b in pairs)


def has_data(edge) -> bool:
    """Return whether the kernel compares an edge; without data, it is like staying."""
    return "label" in edge or "attributes" in edge


def compare(distance, base, bandwidth) -> float:
    """The base kernel, of a squared distance."""
    if base == "dirac":
        return float(distance == 0)
    return math.exp(-bandwidth / 2 * distance)


def along(graph, walk, other_graph, other, base, alpha) -> float:
    """The base kernel of the rows along two walks."""
    steps = zip(walk, other, strict=True)
    distance = sum(squared_distance(graph, u, other_graph, v) for u, v in steps)
    steps = zip(itertools.pairwise(walk), itertools.pairwise(other), strict=True)
    distance += sum(squared_step_distance(graph, s, other_graph, t) for s, t in steps)
    return compare(distance, base, alpha)


def pattern(walk, other, base, beta) -> float:
    """The base kernel of the one-hot rows of two patterns."""
    symbols = zip(anonymize(walk), anonymize(other), strict=True)
    return compare(sum(2.0 for a, b in symbols if a != b), base, beta)


def walk_sum(graph, node, other_graph, other, length, weighting, compared, *, simple=False):
    """Sum over all walks of two nodes, or over those without a repeated node."""
    total = 0.0
    for walk in walks(graph, node, length):
        for other_walk in walks(other_graph, other, length):
            if simple and min(len(set(walk)), len(set(other_walk))) < length:
                continue
            weight = 1.0
            if weighting == "probability":
                weight = probability(graph, walk) * probability(other_graph, other_walk)
            total += weight * compared(walk, other_walk)
    return total


def node_matrix(graphs, others, of_nodes) -> list[list[float]]:
    """The kernel of all pairs of nodes."""
    return [
        [of_nodes(graph, u, other, v) for other in others for v in other]
        for graph in graphs
        for u in graph
    ]


def graph_matrix(graphs, others, of_nodes) -> list[list[float]]:
    """The sums over the nodes of all pairs of graphs."""
    return [
        [
            sum(of_nodes(graph, u, other, v) for u in graph for v in other)
            for other in others
        ]
        for graph in graphs
    ]


def unfolding(graph, node, depth):
    """The tree of edges to neighbors up to a depth, as nested tuples: a WL color."""
    data = graph.nodes[node]
    root = (data.get("label"), tuple(data.get("attributes", ())))
    if not data:
        root = len(graph[node])
    if depth == 0:
        return root
    below = sorted(
        (
            (edge.get("label"), edge.get("attributes"), unfolding(graph, child, depth - 1))
            for child, edge in graph[node].items()
        ),
        key=repr,
    )
    return unfolding(graph, node, depth - 1), tuple(below)


def subtree(graph, node, other_graph, other, depth) -> int:
    """The number of rounds in which two nodes have one colour."""
    return sum(
        unfolding(graph, node, i) == unfolding(other_graph, other, i)
        for i in range(depth + 1)
    )


def laplacian(rows, others):
    """Laplacian kernel of all pairs of rows, from the definition."""
    return np.array(
        [
            [math.exp(-0.5 * math.dist(x, other) / math.sqrt(2)) for other in others]
            for x in rows
        ]
    )
