"""Compiled training loops of paragraph vectors."""

import math
from typing import NamedTuple

import numpy as np

from gskn._loops import mix, pick
from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray


class Documents(NamedTuple):
    """Words of graphs as indices into the vocabulary; -1 for unknown words.

    The context of a word are the next ``window`` words of its group of ``group``
    consecutive words; the first word of the group follows the last.
    """

    graph_ptr: IndexArray
    words: IndexArray
    group: int
    window: int


class NegativeSampling(NamedTuple):
    """Parameters of one epoch; ``noise`` is the cumulative distribution of words."""

    noise: FloatArray
    n_negatives: int
    rate: float
    is_frozen: bool


@jit
def predict_word(
    word: int,
    hidden: AnyArray,
    outputs: AnyArray,
    sampling: NegativeSampling,
    bits: np.uint64,
    gradient: AnyArray,
) -> np.uint64:
    """Distinguish a word from random words and add to the gradient of ``hidden``.

    Random words that equal the word are skipped. Output vectors are updated unless they
    are frozen. Returns the state of the random stream.
    """
    noise, n_negatives, rate, is_frozen = sampling
    for number in range(n_negatives + 1):
        candidate, target = word, np.float32(1)
        if number:
            bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
            candidate = int(pick(noise, np.int64(0), np.int64(len(noise)), bits))
            target = np.float32(0)
            if candidate == word:
                continue
        output = outputs[candidate]
        probability = np.float32(1) / (np.float32(1) + math.exp(-np.dot(hidden, output)))
        step = np.float32(np.float32(rate) * (target - probability))
        for i in range(len(hidden)):
            gradient[i] += step * output[i]
        if not is_frozen:
            for i in range(len(hidden)):
                output[i] += step * hidden[i]
    return bits


@jit
def fill_hidden(
    words: IndexArray,
    position: int,
    group: int,
    window: int,
    vector: AnyArray,
    contexts: AnyArray,
    hidden: AnyArray,
) -> int:
    """Write the vector of a graph and the mean of the context; return the context size."""
    size = len(vector)
    hidden[:size] = vector
    hidden[size:] = 0
    n_words, first = 0, position - position % group
    for ahead in range(1, window + 1):
        word = words[first + (position - first + ahead) % group]
        if word >= 0:
            n_words += 1
            for i in range(size):
                hidden[size + i] += contexts[word, i]
    if n_words:
        hidden[size:] /= np.float32(n_words)
    return n_words


@jit
def update_contexts(
    words: IndexArray,
    position: int,
    group: int,
    window: int,
    gradient: AnyArray,
    n_words: int,
    contexts: AnyArray,
) -> None:
    """Add the gradient of the mean of the context to the vectors of its words."""
    first, weight = position - position % group, np.float32(1) / np.float32(n_words)
    for ahead in range(1, window + 1):
        word = words[first + (position - first + ahead) % group]
        if word >= 0:
            for i in range(contexts.shape[1]):
                contexts[word, i] += weight * gradient[i]


@jit
def train_vectors(
    documents: Documents,
    order: IndexArray,
    keys: AnyArray,
    sampling: NegativeSampling,
    vectors: AnyArray,
    contexts: AnyArray,
    outputs: AnyArray,
) -> None:
    """Train one epoch over the words of graphs, in the order of the graphs ``order``.

    Vectors of graphs are always updated, vectors of words unless they are frozen. The
    random stream of a graph depends only on its key.
    """
    # Fields of a tuple are read here once: in the loop each costs a reference count.
    graph_ptr, words, group, window = documents
    size = vectors.shape[1]
    hidden = np.empty(outputs.shape[1], np.float32)
    gradient = np.empty_like(hidden)
    for graph in order:
        bits = mix(keys[graph])
        vector = vectors[graph]
        graph_words = words[graph_ptr[graph] : graph_ptr[graph + 1]]
        for position in range(len(graph_words)):
            if graph_words[position] < 0:
                continue
            n_words = 0
            if window:
                n_words = fill_hidden(
                    graph_words, position, group, window, vector, contexts, hidden
                )
            else:
                hidden[:] = vector
            gradient[:] = 0
            bits = predict_word(
                graph_words[position], hidden, outputs, sampling, bits, gradient
            )
            for i in range(size):
                vector[i] += gradient[i]
            if n_words and not sampling.is_frozen:
                update_contexts(
                    graph_words, position, group, window, gradient[size:], n_words, contexts
                )
