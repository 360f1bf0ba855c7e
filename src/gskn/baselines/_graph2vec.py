"""Graph2Vec: paragraph vectors whose words are Weisfeiler-Lehman colors."""

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._validation import check_cells, check_int
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._colors import initial_colors, refine
from gskn.baselines._shared._vectors import Corpus, GraphVectors, Training
from gskn.graphs import GraphBatch


class Graph2Vec(GraphVectors):
    """Vectors of graphs that predict the Weisfeiler-Lehman colors of their nodes.

    Parameters
    ----------
    n_iterations : int, default=2
        Number of color refinements, at most 10,000; the colors of all iterations from 0
        on are words. The authors use 3.
    n_dimensions : int, default=128
        Size of a vector, at most 100,000. The authors use 1024, other programs 128.
    n_epochs : int, default=10
        Passes over all words, at most 10,000.
    n_negatives : int, default=5
        Random words per predicted word in negative sampling, at most 1,000.
    learning_rate : float, default=0.025
        Learning rate of the first epoch; it decreases linearly.
    min_count : int, default=5
        Words that occur less often in the training graphs are ignored.
    random_state : int or None, default=None
        Seed of the training.

    Attributes
    ----------
    vectors_ : WordVectors
        Trained vectors of the words of the training graphs.

    Notes
    -----
    The training is the distributed bag of words of paragraph vectors with negative
    sampling. Words are sampled with probabilities proportional to the 3/4 power of their
    counts, as in word2vec. The initial colors are the node labels, or the degrees of graphs
    without labels; edge weights are ignored.

    Differences from the authors' program: the embedding of a graph, whether a training
    graph or not, is trained from zero with fixed word vectors, so that it depends only on
    this graph; words that are not in the training graphs are ignored. The words of a graph
    are sorted, so that embeddings do not depend on the order of nodes.

    References
    ----------
    Annamalai Narayanan, Mahinthan Chandramohan, Rajasekar Venkatesan, Lihui Chen, Yang Liu
    and Shantanu Jaiswal, "graph2vec: Learning distributed representations of graphs", 2017.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.load("structure").graphs
    >>> Graph2Vec(n_dimensions=8, random_state=0).fit_transform(graphs).shape
    (400, 8)
    """

    variants = (
        Variant(
            name="graph2vec",
            label="vectors that predict WL colors",
            grid=parameter_grid(n_iterations=(2, 3), n_epochs=(50,)),
            transductive=True,
            table_label="Graph2Vec",
        ),
    )
    uses = "labels or degrees"
    _uses_labels = True

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
            "use a smaller n_iterations, or pass fewer graphs at a time",
        )
        iterations = refine(batch, initial_colors(batch, "Graph2Vec"), self.n_iterations)
        words = np.stack(list(iterations), axis=1)
        graphs = np.repeat(batch.node_graphs, words.shape[1])
        order = np.lexsort((words.ravel(), graphs))
        return Corpus(batch.graph_ptr * words.shape[1], words.ravel()[order])
