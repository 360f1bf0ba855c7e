"""Graphs as documents: a vector for each that predicts the words it is made of.

Paragraph vectors (Le and Mikolov, 2014) with negative sampling (Mikolov et al., 2013): the
vector of a graph learns to tell a word of the graph from words drawn by chance, alone or
together with the mean of some words around.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_DIMENSIONS, MAX_ITERATIONS
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_cells, check_int, check_number
from gskn.baselines._colours import Colours, check_labels
from gskn.baselines._jit_vectors import train_vectors
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import as_seed

_SMOOTHING = 0.75  # power of counts by which words are drawn, as in word2vec
_MAX_NEGATIVES = 1_000
_EPOCH_KEYS = np.uint64(2**40)  # more graphs than there can be


@dataclass(frozen=True)
class Corpus:
    """The words of graphs one after another, ``group`` of them for every node or so."""

    graph_ptr: IndexArray
    words: Colours
    group: int = 1


@dataclass(frozen=True)
class Training:
    """How vectors are trained; see the estimators for the parameters."""

    n_dimensions: int
    n_epochs: int
    n_negatives: int
    rate: float
    seed: np.uint64
    window: int = 0
    min_count: int = 1

    def rates(self) -> FloatArray:
        """Return the rate of every epoch: from the given one down to nearly nothing."""
        return self.rate * (1.0 - np.arange(self.n_epochs) / self.n_epochs)


@dataclass(frozen=True)
class WordVectors:
    """What was learnt of words: enough to find the vector of any graph.

    Attributes
    ----------
    training : Training
        How they were trained, and graphs are.
    known : ndarray of shape (n_words,)
        Words, sorted.
    chances : ndarray of shape (n_words,)
        With which a word is drawn as a wrong answer.
    contexts : ndarray of shape (n_words, n_dimensions)
        Vectors of words as they stand around another; of no words without a window.
    outputs : ndarray of shape (n_words, n_dimensions or twice that)
        Vectors of words as they are predicted, by the graph and by the words around.
    """

    training: Training
    known: Colours
    chances: FloatArray
    contexts: AnyArray
    outputs: AnyArray

    @staticmethod
    def learn(corpus: Corpus, training: Training) -> "WordVectors":
        """Learn words, and vectors of the given graphs that are then forgotten."""
        known, counts = np.unique(corpus.words, return_counts=True)
        frequent = counts >= training.min_count
        if not frequent.any():
            remedy = ", or a smaller min_count" if training.min_count > 1 else ""
            raise InputError(
                f"No word occurs {training.min_count} times or more in "
                f"{len(corpus.graph_ptr) - 1} graphs; give more graphs{remedy}."
            )
        known, weights = known[frequent], counts[frequent] ** _SMOOTHING
        size, has_window = training.n_dimensions, bool(training.window)
        check_cells(
            float(len(known) + len(corpus.graph_ptr)) * size,
            f"Vectors of {size} numbers for {len(known)} words",
            "use a smaller n_dimensions",
        )
        generator = np.random.default_rng(int(training.seed))
        n_contexts = len(known) if has_window else 0
        vectors = WordVectors(
            training,
            known,
            weights / weights.sum(),
            _start(generator, n_contexts, size),
            np.zeros((len(known), size * (1 + has_window)), dtype=np.float32),
        )
        vectors._train(
            corpus, _start(generator, len(corpus.graph_ptr) - 1, size), generator
        )
        return vectors

    def rows(self, corpus: Corpus) -> FloatArray:
        """Find the vectors of graphs, each by itself, while all else stays as it is."""
        n_graphs = len(corpus.graph_ptr) - 1
        found = np.zeros((n_graphs, self.training.n_dimensions), dtype=np.float32)
        self._train(corpus, found, None)
        if not np.isfinite(found).all():
            raise InputError(
                f"Vectors grew beyond all numbers with learning_rate = "
                f"{self.training.rate:g}; give a smaller one."
            )
        return found.astype(np.float64)

    def _train(
        self, corpus: Corpus, vectors: AnyArray, generator: np.random.Generator | None
    ) -> None:
        """Move the vectors of graphs, and with a generator, for their order, all others."""
        training, words = self.training, _find(corpus.words, self.known)
        noise, numbers = np.cumsum(self.chances), np.arange(len(vectors), dtype=np.int64)
        keys = np.full(len(vectors), training.seed)
        if generator is not None:
            keys += numbers.astype(np.uint64)
        for rate in training.rates().tolist():
            # Files are often sorted by class: the last graphs must not have the last word.
            order = numbers if generator is None else generator.permutation(numbers)
            keys += _EPOCH_KEYS
            train_vectors(
                corpus.graph_ptr,
                words,
                corpus.group,
                training.window,
                order,
                keys,
                noise,
                training.n_negatives,
                rate,
                generator is None,
                vectors,
                self.contexts,
                self.outputs,
            )


class GraphVectors(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator whose rows are vectors of graphs; subclasses say what words are.

    All rows, also those of the graphs of fit, are trained with the words frozen: rows of
    training and of unseen graphs are made in the same way, and depend on their graph alone.
    """

    n_dimensions: int
    n_epochs: int
    n_negatives: int
    learning_rate: float
    random_state: int | None
    _looks_at_labels: ClassVar[bool] = False

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Learn the vectors of words."""
        training, batch = self._training(), as_batch(X)
        self.is_labelled_fit_ = batch.node_labels is not None
        self.vectors_ = WordVectors.learn(self._read(batch, training.seed), training)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return one row per graph, of shape (n_graphs, n_dimensions)."""
        check_is_fitted(self, "vectors_")
        batch = as_batch(X)
        if self._looks_at_labels:
            check_labels(batch, type(self).__name__, labelled=self.is_labelled_fit_)
        return self.vectors_.rows(self._read(batch, self.vectors_.training.seed))

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return names of columns, which mean nothing by themselves."""
        check_is_fitted(self, "vectors_")
        name = type(self).__name__.lower()
        return np.array([f"{name}_{n}" for n in range(self.n_dimensions)], dtype=object)

    def _training(self, window: int = 0, min_count: int = 1) -> Training:
        return Training(
            check_int(self.n_dimensions, "n_dimensions", minimum=1, maximum=MAX_DIMENSIONS),
            check_int(self.n_epochs, "n_epochs", minimum=1, maximum=MAX_ITERATIONS),
            check_int(self.n_negatives, "n_negatives", minimum=1, maximum=_MAX_NEGATIVES),
            check_number(self.learning_rate, "learning_rate", minimum=0, maximum=1.0),
            as_seed(self.random_state),
            window,
            min_count,
        )

    @abstractmethod
    def _read(self, batch: GraphBatch, seed: np.uint64) -> Corpus:
        """Return the words of every graph."""


def _start(generator: np.random.Generator, n_vectors: int, size: int) -> AnyArray:
    """Return small vectors to begin with."""
    drawn = generator.random((n_vectors, size), dtype=np.float32)
    return (drawn - np.float32(0.5)) / np.float32(size)


def _find(words: Colours, known: Colours) -> IndexArray:
    """Return the numbers of words, -1 for those not known."""
    places = np.searchsorted(known, words).astype(np.int64)
    places[places == len(known)] = 0
    places[known[places] != words] = -1
    return places
