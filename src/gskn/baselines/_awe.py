"""Anonymous walk embeddings: distributions of patterns, and paragraph vectors."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_WALKS
from gskn._offsets import runs_of_graphs
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_cells, check_common_parameters, check_int, shorten
from gskn.baselines._shared._baseline import Baseline, Variant, parameter_grid
from gskn.baselines._shared._colors import Colors
from gskn.baselines._shared._vectors import Corpus, GraphVectors, Training
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

_MAX_LENGTH = 16  # a pattern has four bits per symbol in a 64-bit integer
_WALKS_AT_ONCE = 2**20
_CELLS = 2**24  # of the node arrays that are computed together


class AWEFeatures(Baseline):
    """Distribution of the anonymous walks of one length that start at a random node.

    Parameters
    ----------
    length : int, default=7
        Number of nodes visited by a walk, including its start; at most 8. The authors count
        steps, one less, and use 10 of them.
    random_state : int or None, default=None
        Seed of sampled walks, which are used for graphs that are too large for exact
        probabilities.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores.

    Attributes
    ----------
    patterns_ : ndarray of shape (n_patterns, length)
        Patterns in the order of the columns.

    Notes
    -----
    This is the feature-based embedding of the authors. A column is the probability that a
    walk from a uniformly random node has the pattern. The authors sample walks; here the
    probabilities are exact (see `pattern_counts`), except for graphs that exceed its
    ``max_work``. Steps are weighted by edge weights; node labels and attributes are
    ignored. The authors remove self-loops and isolated nodes; here a walk can stay at a
    node, by a self-loop or because there is no neighbor, and such patterns have their own
    columns.

    References
    ----------
    Sergey Ivanov and Evgeny Burnaev, "Anonymous walk embeddings", 2018.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> model = AWEFeatures(length=4).fit([ring_of_six])
    >>> embeddings = model.transform([ring_of_six, two_triangles])
    >>> dict(zip(model.get_feature_names_out(), embeddings[1].tolist()))["0-1-2-0"]
    0.25
    """

    variants = (
        Variant(
            name="awe-features",
            label="distribution of anonymous walks",
            grid=parameter_grid(length=(5, 6, 7)),
            table_label="AWE, features",
        ),
    )
    output = "embedding"
    uses = "structure only"

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

    def depends_on_training(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Return False: the embedding of a graph depends on this graph only.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return False

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """List the patterns; nothing is learned from the graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : AWEFeatures
            The fitted estimator.
        """
        check_common_parameters(self)
        length = check_int(self.length, "length", minimum=1)
        if length > MAX_EXACT_LENGTH:
            raise InputError(
                f"length must be at most {MAX_EXACT_LENGTH}, got {shorten(length)}; use "
                f"AWE for walks of up to {_MAX_LENGTH} nodes."
            )
        self._read_training(X)
        self.patterns_ = patterns(length, staying=True)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Embed graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_patterns)
            Probability of every pattern in every graph.
        """
        check_is_fitted(self, "patterns_")
        batch = as_batch(X)
        runs = runs_of_graphs(batch.graph_ptr, _CELLS // len(self.patterns_))
        no_graphs = np.empty((0, len(self.patterns_)))
        return np.concatenate([no_graphs, *(self._embed(batch[run]) for run in runs)])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of shape (n_patterns,)
            Patterns, such as "0-1-2-0".
        """
        check_is_fitted(self, "patterns_")
        return np.array(pattern_names(self.patterns_), dtype=object)

    def _embed(self, batch: GraphBatch) -> FloatArray:
        table = pattern_counts(
            batch,
            self.patterns_.shape[1],
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        sizes = np.maximum(batch.graph_sizes, 1)[:, None]
        probabilities: FloatArray = table.graph_rows().toarray() / sizes
        return probabilities


class AWE(GraphVectors):
    """Vectors of graphs that predict anonymous walks from other walks of the same start.

    Parameters
    ----------
    length : int, default=11
        Number of nodes visited by a walk, including its start; at most 16. The authors
        count steps, one less, and use 10 of them.
    n_walks : int, default=17
        Number of sampled walks per node, at most 100,000; each is predicted once per epoch.
    window : int, default=16
        Number of walks from the same node that form the context of a walk. The authors
        choose among 4, 8 and 16.
    n_dimensions : int, default=128
        Size of the vectors of graphs and walks, at most 100,000.
    n_epochs : int, default=10
        Passes over all walks, at most 10,000.
    n_negatives : int, default=5
        Random walks per predicted walk in negative sampling, at most 1,000.
    learning_rate : float, default=0.1
        Learning rate of the first epoch; it decreases linearly.
    random_state : int or None, default=None
        Seed of the walks and the training.

    Attributes
    ----------
    vectors_ : WordVectors
        Trained vectors of the walks of the training graphs.

    Notes
    -----
    This is the data-driven embedding of the authors. A walk is predicted from the mean
    vector of its context, concatenated with the vector of the graph. Steps are weighted by
    edge weights; node labels and attributes are ignored. A walk stays at an isolated node.

    Differences from the authors' program: as in word2vec, training uses negative sampling
    with probabilities proportional to the 3/4 power of the counts and stochastic gradient
    descent with a decreasing rate and without a bias, instead of a sampled softmax and
    Adagrad; walks are sampled once; vectors are not scaled to unit norm. The embedding of a
    graph, whether a training graph or not, is trained from zero with fixed vectors of
    walks, so that it depends only on this graph; patterns that do not occur in the training
    graphs are ignored.

    References
    ----------
    Sergey Ivanov and Evgeny Burnaev, "Anonymous walk embeddings", 2018.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.rings(3).graphs
    >>> AWE(length=4, n_dimensions=8, random_state=0).fit_transform(graphs).shape
    (2, 8)
    """

    variants = (
        Variant(
            name="awe",
            label="vectors that predict patterns; anonymous walks",
            grid=parameter_grid(length=(7, 11)),
            transductive=True,
            table_label="AWE",
        ),
    )
    uses = "structure only"

    def __init__(  # noqa: PLR0913 - the parameters of the authors' program
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
                f"n_walks must be greater than window = {window}, got {self.n_walks}: a "
                "walk is predicted from other walks."
            )
        return super()._training(window, min_count)

    def _read(self, batch: GraphBatch, seed: np.uint64) -> Corpus:
        check_cells(
            float(batch.n_nodes) * self.n_walks,
            f"{self.n_walks} walks from each of {batch.n_nodes} nodes",
            "use a smaller n_walks, or pass fewer graphs at a time",
        )
        words = [np.empty(0, dtype=np.uint64)]
        for run in runs_of_graphs(batch.graph_ptr, _WALKS_AT_ONCE // self.n_walks):
            walks = sample_walks(
                batch[run], self.length, self.n_walks, random_state=int(seed)
            )
            words.append(_pack_patterns(anonymize(walks)).ravel())
        return Corpus(batch.graph_ptr * self.n_walks, np.concatenate(words), self.n_walks)


def _pack_patterns(patterns: AnyArray) -> Colors:
    """Return patterns as integers, four bits per symbol."""
    shifts = 4 * np.arange(patterns.shape[-1], dtype=np.uint64)
    packed: Colors = (patterns.astype(np.uint64) << shifts).sum(axis=-1, dtype=np.uint64)
    return packed
