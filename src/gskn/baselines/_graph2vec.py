"""Graph2Vec (Narayanan et al., 2017): vectors of graphs that predict their colours."""

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._validation import check_cells, check_int
from gskn.baselines._colours import first_colours, refine
from gskn.baselines._vectors import Corpus, GraphVectors, Training
from gskn.graphs import GraphBatch


class Graph2Vec(GraphVectors):
    """Vectors of graphs that tell their Weisfeiler-Lehman colours from those of others.

    Parameters
    ----------
    n_iterations : int, default=2
        Refinements, at most 10,000; colours of all rounds from 0 on are words. The
        authors use 3.
    n_dimensions : int, default=128
        Size of a vector, at most 100,000; the authors use 1024, other programs 128.
    n_epochs : int, default=10
        Passes over all words, at most 10,000.
    n_negatives : int, default=5
        Random words from which the right one is to be distinguished, at most 1,000.
    learning_rate : float, default=0.025
        Of the first pass; it falls to nearly nothing in the last.
    min_count : int, default=5
        Words that occur less often in all graphs of fit are left out.
    random_state : int or None, default=None
        Seed of training.

    Attributes
    ----------
    vectors_ : WordVectors
        Vectors of the words seen in fit, as they are predicted.

    Notes
    -----
    Annamalai Narayanan et al., graph2vec: learning distributed representations of graphs
    (2017): paragraph vectors (distributed bag of words) with negative sampling. Words are
    drawn by the 3/4 power of their frequency, as in word2vec. Deviations: a row, whether of
    a training graph or an unseen one, is trained from zero with the words frozen, so that
    it depends on its graph alone; words not seen in fit are passed over. Words are sorted,
    so that the order of nodes changes nothing. Colours begin with labels of nodes, or with
    degrees where there are none; weights of edges are not looked at.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.load("structure").graphs
    >>> Graph2Vec(n_dimensions=8, random_state=0).fit_transform(graphs).shape
    (400, 8)
    """

    _looks_at_labels = True

    def __init__(
        self,
        n_iterations: int = 2,
        *,
        n_dimensions: int = 128,
        n_epochs: int = 10,
        n_negatives: int = 5,
        learning_rate: float = 0.025,
        min_count: int = 5,
        random_state: int | None = None,
    ) -> None:
        self.n_iterations = n_iterations
        self.n_dimensions = n_dimensions
        self.n_epochs = n_epochs
        self.n_negatives = n_negatives
        self.learning_rate = learning_rate
        self.min_count = min_count
        self.random_state = random_state

    def _training(self, window: int = 0, min_count: int = 1) -> Training:
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        min_count = check_int(self.min_count, "min_count", minimum=1, maximum=2**31)
        return super()._training(window, min_count)

    def _read(self, batch: GraphBatch, seed: np.uint64) -> Corpus:  # noqa: ARG002
        check_cells(
            float(batch.n_nodes) * (self.n_iterations + 1),
            f"{self.n_iterations + 1} words for each of {batch.n_nodes} nodes",
            "use a smaller n_iterations, or give fewer graphs at a time",
        )
        rounds = refine(batch, first_colours(batch, "Graph2Vec"), self.n_iterations)
        words = np.stack(list(rounds), axis=1)
        owners = np.repeat(batch.node_graphs, words.shape[1])
        order = np.lexsort((words.ravel(), owners))
        return Corpus(batch.graph_ptr * words.shape[1], words.ravel()[order])
