"""Explanations by definition: every walk divides its contribution among its visits."""

import itertools
from collections import Counter

import numpy as np

from tests.reference import layers
from tests.reference import walks as reference

VALUES = {
    "walk": layers.walk_values,
    "degree-walk": layers.walk_values,
    "path": layers.path_values,
    "label-path": layers.path_values,
    "anonymous": layers.anonymous_values,
    "joint": layers.joint_values,
    "induced": layers.induced_values,
}


def weighted_walks(model, graph, batch, slopes):
    """Yield every walk with its contribution, given the slopes of sums of embeddings."""
    for branch, walk, values in weighted_kernels(model, graph, batch, slopes):
        yield branch, walk, values.sum()


def weighted_kernels(model, graph, batch, slopes):
    """Yield every walk of the last layers with its contribution by each landmark."""
    first = 0
    for branch in model.stack_.branches:
        encoder = model.degree_encoder_ if branch.adds_degrees else model.encoder_
        rows, values = encoder.transform(batch), VALUES[branch.name]
        for layer, scale in zip(branch.layers[:-1], branch.scales, strict=True):
            rows, values = embed(layer, graph, rows, values) / scale, layers.walk_values
        layer = branch.layers[-1]
        for length, nystrom in zip(layer.lengths, layer.maps, strict=True):
            weights = nystrom.root @ slopes[first : first + nystrom.n_landmarks]
            first += nystrom.n_landmarks
            for walk, kernel in kernels(layer, graph, rows, values, length, nystrom):
                yield branch.name, walk, kernel * weights


def embed(layer, graph, rows, values):
    """Return the embeddings of all nodes by one layer."""
    blocks = []
    for length, nystrom in zip(layer.lengths, layer.maps, strict=True):
        sums = np.zeros((len(graph), nystrom.n_landmarks))
        for walk, kernel in kernels(layer, graph, rows, values, length, nystrom):
            sums[walk[0]] += kernel
        blocks.append(sums @ nystrom.root)
    return np.hstack(blocks)


def kernels(layer, graph, rows, values, length, nystrom):
    """Yield every walk with its weight times its kernel with all landmarks."""
    for start in graph:
        for walk in reference.walks(graph, start, length):
            kernel = values(graph, rows, walk, nystrom.landmarks, layer.params)
            yield walk, layers.weight_of(graph, walk, layer.params.weighting) * kernel


def by_start(walks, n_nodes):
    totals = np.zeros(n_nodes)
    for _, walk, value in walks:
        totals[walk[0]] += value
    return totals


def by_visits(walks, n_nodes):
    totals = np.zeros(n_nodes)
    for _, walk, value in walks:
        for node in walk:
            totals[node] += value / len(walk)
    return totals


def by_edges(walks, *, directed):
    totals = Counter()
    for _, walk, value in walks:
        if len(walk) == 1:
            totals[walk[0], walk[0]] += value
        for source, target in itertools.pairwise(walk):
            pair = (
                (source, target) if directed else (min(source, target), max(source, target))
            )
            totals[pair] += value / (len(walk) - 1)
    return totals


def by_pattern(walks, graph, degrees):
    """Add walks with equal degrees, equal anonymous patterns, or both.

    Induced walks are equal if the nodes they visit also have the same edges, where the
    direction is not told apart.
    """
    totals = Counter()
    for branch, walk, value in walks:
        labels = tuple(str(degrees[node]) for node in walk)
        symbols = reference.anonymize(walk)
        _, arcs = reference.induced(graph, walk)
        pairs = tuple(sorted({(min(arc), max(arc)) for arc in arcs}))
        kind = {
            "anonymous": (None, symbols, None),
            "joint": (labels, symbols, None),
            "induced": (None, symbols, pairs),
        }
        totals[len(walk), *kind.get(branch, (labels, None, None))] += value
    return totals


def by_landmark(kernels):
    totals = Counter()
    for _, walk, values in kernels:
        for number, value in enumerate(values.tolist()):
            totals[len(walk), number] += value
    return totals
