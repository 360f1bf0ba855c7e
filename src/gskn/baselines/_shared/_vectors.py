"""Paragraph vectors of graphs: a graph is a document, its substructures are the words.

The vector of a graph is trained by negative sampling (Mikolov et al., "Distributed
representations of words and phrases", 2013): it predicts the words of the graph, alone or
together with the mean of some context words (Le and Mikolov, "Distributed representations
of sentences and documents", 2014).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_DIMENSIONS, MAX_ITERATIONS
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_cells, check_int, check_number
from gskn.baselines._shared._baseline import Baseline
from gskn.baselines._shared._colors import Colors, check_labels
from gskn.baselines._shared._jit_vectors import Documents, NegativeSampling, train_vectors
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import as_seed

_SMOOTHING = 0.75  # exponent of the word counts in negative sampling, as in word2vec
_MAX_NEGATIVES = 1_000
_EPOCH_KEYS = np.uint64(2**40)  # above the largest possible number of graphs


@dataclass(frozen=True)
class Corpus:
    """Words of graphs, graph by graph; ``group`` consecutive words share a context."""

    graph_ptr: IndexArray
    words: Colors
    group: int = 1


@dataclass(frozen=True)
class Training:
    """Training parameters; see the estimators."""

    n_dimensions: int
    n_epochs: int
    n_negatives: int
    rate: float
    seed: np.uint64
    window: int = 0
    min_count: int = 1

    def rates(self) -> FloatArray:
        """Return the learning rate of every epoch, which decreases linearly."""
        return self.rate * (1.0 - np.arange(self.n_epochs) / self.n_epochs)


@dataclass(frozen=True)
class WordVectors:
    """Trained vectors of words, from which the vector of any graph is computed.

    Attributes
    ----------
    training : Training
        Training parameters, also used to compute vectors of graphs.
    vocabulary : ndarray of shape (n_words,)
        Words, sorted.
    probabilities : ndarray of shape (n_words,)
        Probability of every word in negative sampling.
    contexts : ndarray of shape (n_words, n_dimensions)
        Vectors of words as context; of shape (0, n_dimensions) without a window.
    outputs : ndarray of shape (n_words, n_dimensions or 2 n_dimensions)
        Vectors of words as predicted words.
    """

    training: Training
    vocabulary: Colors
    probabilities: FloatArray
    contexts: AnyArray
    outputs: AnyArray

    @classmethod
    def from_corpus(cls, corpus: Corpus, training: Training) -> Self:
        """Train vectors of words; the vectors of the training graphs are discarded."""
        vocabulary, counts = np.unique(corpus.words, return_counts=True)
        is_frequent = counts >= training.min_count
        if not is_frequent.any():
            remedy = ", or a smaller min_count" if training.min_count > 1 else ""
            raise InputError(
                f"No word occurs {training.min_count} times or more in "
                f"{len(corpus.graph_ptr) - 1} graphs; use more graphs{remedy}."
            )
        vocabulary, weights = vocabulary[is_frequent], counts[is_frequent] ** _SMOOTHING
        size, has_window = training.n_dimensions, bool(training.window)
        check_cells(
            float(len(vocabulary) + len(corpus.graph_ptr)) * size,
            f"{len(vocabulary)} word vectors of {size} dimensions",
            "use a smaller n_dimensions",
        )
        generator = np.random.default_rng(int(training.seed))
        n_contexts = len(vocabulary) if has_window else 0
        vectors = cls(
            training,
            vocabulary,
            weights / weights.sum(),
            _random_vectors(generator, n_contexts, size),
            np.zeros((len(vocabulary), size * (1 + has_window)), dtype=np.float32),
        )
        n_graphs = len(corpus.graph_ptr) - 1
        vectors._train(corpus, _random_vectors(generator, n_graphs, size), generator)
        return vectors

    def embed(self, corpus: Corpus) -> FloatArray:
        """Return the vectors of graphs, each trained separately with all words fixed."""
        n_graphs = len(corpus.graph_ptr) - 1
        vectors = np.zeros((n_graphs, self.training.n_dimensions), dtype=np.float32)
        self._train(corpus, vectors, None)
        if not np.isfinite(vectors).all():
            raise InputError(
                f"Training diverged with learning_rate = {self.training.rate:g}; use a "
                "smaller learning_rate."
            )
        return vectors.astype(np.float64)

    def _train(
        self, corpus: Corpus, vectors: AnyArray, generator: np.random.Generator | None
    ) -> None:
        """Update vectors of graphs; with a generator, update vectors of words as well."""
        training = self.training
        words = _word_indices(corpus.words, self.vocabulary)
        documents = Documents(corpus.graph_ptr, words, corpus.group, training.window)
        noise = np.cumsum(self.probabilities)
        graphs = np.arange(len(vectors), dtype=np.int64)
        keys = np.full(len(vectors), training.seed)
        if generator is not None:
            keys += graphs.astype(np.uint64)
        for rate in training.rates().tolist():
            # Files are often sorted by class, and the last graphs would dominate.
            order = graphs if generator is None else generator.permutation(graphs)
            keys += _EPOCH_KEYS
            sampling = NegativeSampling(
                noise, training.n_negatives, rate, generator is None
            )
            train_vectors(
                documents, order, keys, sampling, vectors, self.contexts, self.outputs
            )


class GraphVectors(Baseline):
    """Base class of paragraph vectors; subclasses define the words of a graph.

    Embeddings are trained with fixed word vectors, for training graphs and new graphs
    alike, so that the embedding of a graph depends only on this graph and the words.
    """

    output = "embedding"
    n_dimensions: int
    n_epochs: int
    n_negatives: int
    learning_rate: float
    random_state: int | None
    _uses_labels: ClassVar[bool] = False

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Train the vectors of words.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : GraphVectors
            The fitted estimator.
        """
        training, batch = self._training(), self._read_training(X)
        self.is_labelled_fit_ = batch.node_labels is not None
        self.vectors_ = WordVectors.from_corpus(self._read(batch, training.seed), training)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Embed graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_dimensions)
            One embedding per graph.
        """
        check_is_fitted(self, "vectors_")
        batch = as_batch(X)
        if self._uses_labels:
            check_labels(batch, type(self).__name__, labelled=self.is_labelled_fit_)
        return self.vectors_.embed(self._read(batch, self.vectors_.training.seed))

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of shape (n_dimensions,)
            Name of the class and number of the column.
        """
        check_is_fitted(self, "vectors_")
        name = type(self).__name__.lower()
        return np.array([f"{name}_{n}" for n in range(self.n_dimensions)], dtype=object)

    def _training(self, window: int = 0, min_count: int = 1) -> Training:
        """Validate the parameters of the training."""
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


def _random_vectors(generator: np.random.Generator, n_vectors: int, size: int) -> AnyArray:
    """Return small random vectors, the initial values of the training."""
    uniform = generator.random((n_vectors, size), dtype=np.float32)
    return (uniform - np.float32(0.5)) / np.float32(size)


def _word_indices(words: Colors, vocabulary: Colors) -> IndexArray:
    """Return the indices of words in the vocabulary, -1 for other words."""
    indices = np.searchsorted(vocabulary, words).astype(np.int64)
    indices[indices == len(vocabulary)] = 0
    indices[vocabulary[indices] != words] = -1
    return indices
