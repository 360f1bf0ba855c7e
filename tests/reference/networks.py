"""Slow twins of PatchySAN and DDGK: plain loops over one graph."""

import networkx as nx
import numpy as np


def field(graph, root, ranks, size):
    """Return the first nodes by distance from the root, rank, and edges to nodes before."""
    distances = nx.single_source_shortest_path_length(graph, root)
    radius, near = 0, [root]
    while len(near) < size and radius < max(distances.values()):
        radius += 1
        near = [node for node in graph if distances.get(node, np.inf) <= radius]
    chosen = []
    while near and len(chosen) < size:

        def key(node):
            edges = [not graph.has_edge(node, other) for other in chosen]
            return distances[node], ranks[node], edges, near.index(node)

        best = min(near, key=key)
        chosen.append(best)
        near.remove(best)
    return chosen


def edge_loss(logits, adjacency):
    """Return the mean cross-entropy of all pairs of nodes."""
    total = 0.0
    for logit, edge in zip(logits.ravel(), adjacency.ravel(), strict=True):
        probability = 1 / (1 + np.exp(-logit))
        total -= np.log(probability if edge else 1 - probability)
    return total / logits.size


def source_logits(rows, weights, biases, last, last_bias):
    """Return the logits of the neighbors, from embeddings of nodes of a source graph."""
    for matrix, bias in zip(weights, biases, strict=True):
        rows = np.tanh(rows @ matrix + bias)
    return np.tanh(rows @ last + last_bias)
