"""Anonymous walk embeddings (Ivanov and Burnaev, 2018): distributions, and vectors."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_WALKS
from gskn._offsets import runs_of_graphs
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_cells, check_common_parameters, check_int, shorten
from gskn.baselines._colours import Colours
from gskn.baselines._vectors import Corpus, GraphVectors, Training
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import (
    MAX_EXACT_LENGTH,
    anonymize,
    pattern_counts,
    pattern_names,
    patterns,
    sample_walks,
)

_MAX_LENGTH = 16  # symbols of four bits, in a number of 64
_WALKS_AT_ONCE = 2**20
_CELLS = 2**24  # of the rows of nodes that are computed together


class AWEFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The distribution of anonymous walks of one length, over all nodes of a graph.

    Parameters
    ----------
    length : int, default=7
        Nodes visited by a walk, its start included, at most 8; the authors count steps,
        one less, and use 10 of them.
    random_state : int or None, default=None
        Seed of walks, for graphs too large for algebra.
    n_jobs : int or None, default=None
        Threads; None is one, -1 as many as there are cores.

    Notes
    -----
    Sergey Ivanov and Evgeny Burnaev, Anonymous walk embeddings (2018), the feature-based
    embedding. A column is the chance that a walk from a node drawn uniformly has the
    pattern. The authors sample walks; here the chances are exact (see `pattern_counts`),
    but for graphs that would take more than its ``max_work``. Steps follow the weights of
    edges; labels and attributes are not looked at. The authors leave self-loops and
    isolated nodes out; here a walk may stay where it is, by a loop or for want of
    neighbours, and such patterns have columns of their own.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> model = AWEFeatures(length=4).fit([ring_of_six])
    >>> rows = model.transform([ring_of_six, two_triangles])
    >>> dict(zip(model.get_feature_names_out(), rows[1].tolist()))["0-1-2-0"]
    0.25
    """

    def __init__(
        self,
        length: int = 7,
        *,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.length = length
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learns_from(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Nothing is learnt: rows of all graphs of a set serve all folds of it."""
        return False

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """List the patterns; nothing is learnt."""
        check_common_parameters(self)
        length = check_int(self.length, "length", minimum=1)
        if length > MAX_EXACT_LENGTH:
            raise InputError(
                f"length must be at most {MAX_EXACT_LENGTH}, got {shorten(length)}; use "
                f"AWE for walks of up to {_MAX_LENGTH} nodes."
            )
        as_batch(X)
        self.patterns_ = patterns(length, staying=True)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return one row per graph, of shape (n_graphs, n_patterns)."""
        check_is_fitted(self, "patterns_")
        batch = as_batch(X)
        parts = runs_of_graphs(batch.graph_ptr, _CELLS // len(self.patterns_))
        none = np.empty((0, len(self.patterns_)))
        return np.concatenate([none, *(self._rows(batch[part]) for part in parts)])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the patterns, such as "0-1-2-0"."""
        check_is_fitted(self, "patterns_")
        return np.array(pattern_names(self.patterns_), dtype=object)

    def _rows(self, batch: GraphBatch) -> FloatArray:
        table = pattern_counts(
            batch,
            self.patterns_.shape[1],
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        sizes = np.maximum(batch.graph_sizes, 1)[:, None]
        chances: FloatArray = table.graph_rows().toarray() / sizes
        return chances


class AWE(GraphVectors):
    """Vectors of graphs that predict anonymous walks from others that begin where they do.

    Parameters
    ----------
    length : int, default=11
        Nodes visited by a walk, its start included, at most 16; the authors count steps,
        one less, and use 10 of them.
    n_walks : int, default=17
        Walks sampled from every node, at most 100,000; each is predicted once in an
        epoch.
    window : int, default=16
        Walks from the same node by which one is predicted; the authors use 4, 8 or 16.
    n_dimensions : int, default=128
        Size of the vector of a graph, and of a walk; at most 100,000.
    n_epochs : int, default=10
        Passes over all walks, at most 10,000.
    n_negatives : int, default=5
        Random walks from which the right one is to be distinguished, at most 1,000.
    learning_rate : float, default=0.1
        Of the first pass; it falls to nearly nothing in the last.
    random_state : int or None, default=None
        Seed of walks and of training.

    Attributes
    ----------
    vectors_ : WordVectors
        Vectors of the walks seen in fit, as context and as what is predicted.

    Notes
    -----
    Sergey Ivanov and Evgeny Burnaev, Anonymous walk embeddings (2018), the data-driven
    embedding. The mean vector of the walks around, joined with the vector of the graph,
    predicts a walk. Deviations: as in word2vec, answers are told from walks drawn by the
    3/4 power of their frequency, by stochastic gradients with a falling rate and without a
    bias, where the authors' program has a sampled softmax and Adagrad; walks are sampled
    once; vectors are not scaled to unit norm. A row, whether of a training graph or an
    unseen one, is trained from zero with all else frozen, so that it depends on its graph
    alone; walks not seen in fit are passed over. Steps follow the weights of edges; labels
    and attributes are not looked at. An isolated node stays where it is.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.rings(3).graphs
    >>> AWE(length=4, n_dimensions=8, random_state=0).fit_transform(graphs).shape
    (2, 8)
    """

    def __init__(  # noqa: PLR0913 - as the authors have them
        self,
        length: int = 11,
        *,
        n_walks: int = 17,
        window: int = 16,
        n_dimensions: int = 128,
        n_epochs: int = 10,
        n_negatives: int = 5,
        learning_rate: float = 0.1,
        random_state: int | None = None,
    ) -> None:
        self.length = length
        self.n_walks = n_walks
        self.window = window
        self.n_dimensions = n_dimensions
        self.n_epochs = n_epochs
        self.n_negatives = n_negatives
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _training(self, window: int = 0, min_count: int = 1) -> Training:
        check_int(self.length, "length", minimum=1, maximum=_MAX_LENGTH)
        window = check_int(self.window, "window", minimum=1, maximum=MAX_WALKS)
        if check_int(self.n_walks, "n_walks", minimum=2, maximum=MAX_WALKS) <= window:
            raise InputError(
                f"n_walks must be more than window = {window}, got {self.n_walks}: a walk "
                "is predicted by others."
            )
        return super()._training(window, min_count)

    def _read(self, batch: GraphBatch, seed: np.uint64) -> Corpus:
        check_cells(
            float(batch.n_nodes) * self.n_walks,
            f"{self.n_walks} walks from each of {batch.n_nodes} nodes",
            "use a smaller n_walks, or give fewer graphs at a time",
        )
        found = [np.empty(0, dtype=np.uint64)]
        for part in runs_of_graphs(batch.graph_ptr, _WALKS_AT_ONCE // self.n_walks):
            walks = sample_walks(
                batch[part], self.length, self.n_walks, random_state=int(seed)
            )
            found.append(_packed(anonymize(walks)).ravel())
        return Corpus(batch.graph_ptr * self.n_walks, np.concatenate(found), self.n_walks)


def _packed(symbols: AnyArray) -> Colours:
    """Return patterns as numbers, four bits a symbol."""
    shifts = 4 * np.arange(symbols.shape[-1], dtype=np.uint64)
    packed: Colours = (symbols.astype(np.uint64) << shifts).sum(axis=-1, dtype=np.uint64)
    return packed
