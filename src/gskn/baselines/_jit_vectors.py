"""Compiled loops of paragraph vectors: they see arrays only, and write to what they get."""

import math

import numpy as np

from gskn._loops import mix, pick
from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray


@jit
def predict_word(
    word: int,
    hidden: AnyArray,
    outputs: AnyArray,
    noise: FloatArray,
    n_negatives: int,
    rate: np.float32,
    frozen: bool,  # noqa: FBT001 - compiled loops take no keywords
    bits: np.uint64,
    slope: AnyArray,
) -> np.uint64:
    """Tell a word from words drawn by chance; add to ``slope`` what ``hidden`` should do.

    ``noise`` holds running sums of the chances of words. Returns the state of the random
    stream. A word that is drawn against itself is left out.
    """
    for number in range(n_negatives + 1):
        other, truth = word, np.float32(1)
        if number:
            bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
            other = int(pick(noise, np.int64(0), np.int64(len(noise)), bits))
            truth = np.float32(0)
            if other == word:
                continue
        output = outputs[other]
        chance = np.float32(1) / (np.float32(1) + math.exp(-np.dot(hidden, output)))
        step = np.float32(rate * (truth - chance))
        for i in range(len(hidden)):
            slope[i] += step * output[i]
        if not frozen:
            for i in range(len(hidden)):
                output[i] += step * hidden[i]
    return bits


@jit
def fill_hidden(
    words: IndexArray,
    place: int,
    group: int,
    window: int,
    vector: AnyArray,
    contexts: AnyArray,
    hidden: AnyArray,
) -> int:
    """Write a graph's vector, and the mean of the words around; return how many these are.

    Around are the next ``window`` words of the same group, the first after the last.
    """
    size = len(vector)
    hidden[:size] = vector
    hidden[size:] = 0
    n_known, first = 0, place - place % group
    for ahead in range(1, window + 1):
        word = words[first + (place - first + ahead) % group]
        if word >= 0:
            n_known += 1
            for i in range(size):
                hidden[size + i] += contexts[word, i]
    if n_known:
        hidden[size:] /= np.float32(n_known)
    return n_known


@jit
def move_contexts(
    words: IndexArray,
    place: int,
    group: int,
    window: int,
    slope: AnyArray,
    n_known: int,
    contexts: AnyArray,
) -> None:
    """Move the words around as their mean should move."""
    first, share = place - place % group, np.float32(1) / np.float32(n_known)
    for ahead in range(1, window + 1):
        word = words[first + (place - first + ahead) % group]
        if word >= 0:
            for i in range(contexts.shape[1]):
                contexts[word, i] += share * slope[i]


@jit
def train_vectors(
    graph_ptr: IndexArray,
    words: IndexArray,
    group: int,
    window: int,
    order: IndexArray,
    keys: AnyArray,
    noise: FloatArray,
    n_negatives: int,
    rate: float,
    frozen: bool,  # noqa: FBT001 - compiled loops take no keywords
    vectors: AnyArray,
    contexts: AnyArray,
    outputs: AnyArray,
) -> None:
    """Pass once over the words of graphs, in the given order; all moves unless frozen.

    The stream of a graph is keyed by its key alone. Words below zero are unknown.
    """
    size = vectors.shape[1]
    hidden = np.empty(outputs.shape[1], np.float32)
    slope = np.empty_like(hidden)
    for graph in order:
        bits = mix(keys[graph])
        vector = vectors[graph]
        start = graph_ptr[graph]
        own = words[start : graph_ptr[graph + 1]]
        for place in range(len(own)):
            if own[place] < 0:
                continue
            n_known = 0
            if window:
                n_known = fill_hidden(own, place, group, window, vector, contexts, hidden)
            else:
                hidden[:] = vector
            slope[:] = 0
            bits = predict_word(
                own[place],
                hidden,
                outputs,
                noise,
                n_negatives,
                np.float32(rate),
                frozen,
                bits,
                slope,
            )
            for i in range(size):
                vector[i] += slope[i]
            if n_known and not frozen:
                move_contexts(own, place, group, window, slope[size:], n_known, contexts)
