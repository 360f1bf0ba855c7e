"""Layers as their definitions say: a sum over all walks, one by one."""

import itertools

import numpy as np

from tests.reference import walks as reference


def weight_of(graph, walk, weighting):
    return 1.0 if weighting == "count" else reference.probability(graph, walk)


def one_hot(pattern):
    rows = np.zeros((len(pattern), len(pattern)))
    rows[np.arange(len(pattern)), list(pattern)] = 1
    return rows.ravel()


def gaussian(point, landmarks, bandwidth):
    return np.exp(-0.5 * bandwidth * ((landmarks - point) ** 2).sum(axis=1))


def features_along(graph, rows, walk):
    """The vectors of nodes, then of steps: the key ``vector`` of an edge.

    A step without an edge, at a dead end, has the vector of the graph.
    """
    steps = [
        graph.edges[step].get("vector", []) if graph.has_edge(*step) else stay(graph)
        for step in itertools.pairwise(walk)
    ]
    return np.concatenate([rows[list(walk)].ravel(), *steps])


def stay(graph):
    return graph.graph.get("vector", [])


def walk_values(graph, rows, walk, landmarks, settings):
    return gaussian(features_along(graph, rows, walk), landmarks, settings.alpha)


def path_values(graph, rows, walk, landmarks, settings):
    if len(set(walk)) < len(walk):
        return np.zeros(len(landmarks))
    point = features_along(graph, rows, walk) * np.sqrt(settings.alpha)
    return gaussian(point, landmarks, 1.0)


def anonymous_values(_graph, _rows, walk, landmarks, settings):
    return gaussian(one_hot(reference.anonymize(walk)), landmarks, settings.beta)


def joint_values(graph, rows, walk, landmarks, settings):
    point = np.concatenate(
        [
            features_along(graph, rows, walk) * np.sqrt(settings.alpha),
            one_hot(reference.anonymize(walk)) * np.sqrt(settings.beta),
        ]
    )
    return gaussian(point, landmarks, 1.0)


def induced_values(graph, _rows, walk, landmarks, settings):
    adjacent = np.array(
        [[u != v and graph.has_edge(u, v) for v in walk] for u in walk], dtype=float
    )
    point = np.concatenate(
        [one_hot(reference.anonymize(walk)), adjacent.ravel() / np.sqrt(2)]
    )
    return gaussian(point, landmarks, settings.beta)


def layer_rows(layer, values, graph, rows):
    """Sum the kernel over every walk of every length, and map it."""
    blocks = []
    for length, mapped in zip(layer.lengths, layer.maps, strict=True):
        sums = np.zeros((len(graph), mapped.n_landmarks))
        for start in graph:
            for walk in reference.walks(graph, start, length):
                weight = weight_of(graph, walk, layer.params.weighting)
                found = values(graph, rows, walk, mapped.landmarks, layer.params)
                sums[start] += weight * found
        blocks.append(sums @ mapped.root)
    return np.hstack(blocks)
