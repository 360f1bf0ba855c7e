"""Topics of anonymous walks: words of nodes, their co-occurrences, and anchor words.

A node is a document whose words are the patterns of some walks from it. Topics are found
by anchor words: a non-negative factorization of the co-occurrences of words finds words
that stand for one topic each, and all other words are mixtures of them.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import NMF

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.estimators import ignore_convergence
from gskn.walks import anonymize

_N_FREQUENT = 101  # words whose topics vary the most
_N_STEPS = 200  # of the mixture weights
_POSITIVE = 1e-3  # instead of negative co-occurrences
_EMPTY = 1e-4  # features of a node without key words


class Words(NamedTuple):
    """Distinct words, sorted, and how often every node has them."""

    codes: IndexArray
    counts: csr_array


def encode_words(walks: AnyArray, lengths: IndexArray) -> IndexArray:
    """Return one number per walk, equal for equal patterns of its first nodes.

    ``walks`` has the shape (..., length), and ``lengths`` are the numbers of nodes to use.
    """
    length = walks.shape[-1]
    symbols = anonymize(walks).astype(np.int64) + 1
    symbols[np.arange(length) >= lengths[..., None]] = 0
    codes: IndexArray = symbols @ (length + 1) ** np.arange(length)
    return codes


def count_words(codes: IndexArray, max_words: int) -> Words:
    """Return the most frequent words of nodes; ``codes`` has one row per node."""
    n_nodes, n_walks = codes.shape
    words, places, totals = np.unique(codes, return_inverse=True, return_counts=True)
    kept = np.sort(np.argsort(-totals, kind="stable")[:max_words])
    rows = np.repeat(np.arange(n_nodes), n_walks)
    shape = (n_nodes, len(words))
    counts = csr_array((np.ones(codes.size), (rows, places.ravel())), shape=shape)
    return Words(words[kept], counts[:, kept].tocsr())


def cooccurrences(counts: csr_array, n_words: int) -> FloatArray:
    """Return the mean probability that two of the words of a node are a pair of words.

    Every node has ``n_words`` words, and a pair has two different ones of them.
    """
    n_pairs = counts.shape[0] * n_words * (n_words - 1)
    pairs: FloatArray = (counts.T @ counts).toarray() / n_pairs
    diagonal = np.arange(len(pairs))
    pairs[diagonal, diagonal] -= np.asarray(counts.sum(axis=0)).ravel() / n_pairs
    pairs[pairs < 0] = _POSITIVE
    return pairs


def find_anchors(pairs: FloatArray, n_topics: int) -> IndexArray:
    """Return the word with the largest weight of every topic, without repetition."""
    n_topics = min(n_topics, len(pairs))
    with ignore_convergence():
        topics = NMF(n_topics, init="random", random_state=0).fit(pairs).components_
    return np.unique(topics.argmax(axis=1))


def mix_anchors(pairs: FloatArray, anchors: IndexArray) -> FloatArray:
    """Return the weights of anchors that describe every word best; rows sum to 1.

    They minimize the divergence KL(q || weights @ Q) of the normalized row q of a word from
    a mixture of the rows Q of the anchors. The steps never increase it.
    """
    rows = pairs / np.maximum(pairs.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    basis = rows[anchors]
    weights = np.full((len(rows), len(anchors)), 1 / len(anchors))
    for _ in range(_N_STEPS):
        mixture = weights @ basis
        ratio = np.divide(rows, mixture, out=np.zeros_like(rows), where=mixture > 0)
        weights *= ratio @ basis.T
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    weights[anchors] = np.eye(len(anchors))
    return weights


def find_key_words(pairs: FloatArray, n_topics: int, *, use_mixtures: bool) -> IndexArray:
    """Return the words that are features of nodes: anchors, and words of few topics.

    Without ``use_mixtures`` all words but anchors belong to all topics alike.
    """
    anchors = find_anchors(pairs, n_topics)
    if use_mixtures:
        weights = mix_anchors(pairs, anchors)
    else:
        weights = np.full((len(pairs), len(anchors)), 1 / len(anchors))
        weights[anchors] = np.eye(len(anchors))
    topics = pairs.sum(axis=1)[:, None] * weights
    topics /= np.maximum(topics.sum(axis=0), np.finfo(float).tiny)
    varied = np.argsort(-topics.var(axis=1), kind="stable")[:_N_FREQUENT]
    return np.union1d(anchors, varied)


def presence(codes: IndexArray, words: IndexArray) -> FloatArray:
    """Return whether a node has every word; rows without any are 0.0001.

    ``words`` are sorted.
    """
    place = np.minimum(np.searchsorted(words, codes), len(words) - 1)
    found = words[place] == codes
    rows = np.zeros((len(codes), len(words)))
    node = np.repeat(np.arange(len(codes)), codes.shape[1])
    rows[node[found.ravel()], place[found]] = 1
    rows[~rows.any(axis=1)] = _EMPTY
    return rows
