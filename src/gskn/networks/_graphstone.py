"""GraphSTONE: embeddings of nodes from their features and from topics of walks."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_int
from gskn.estimators import check_types
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import MAX_COLUMNS, load_modules
from gskn.networks._topics import (
    cooccurrences,
    count_words,
    encode_words,
    find_key_words,
    presence,
)
from gskn.networks._walk_embedding import WalkEmbedding
from gskn.walks import sample_walks

_LENGTHS = (4, 11)  # smallest and largest number of nodes of a walk
_N_WALKS = 50  # from every node
_MAX_WORDS = 4000  # of the matrix of co-occurrences
_MIN_COMPONENTS = 33  # 32 are the outputs of the network of node features
_MAX_TOPICS = 1000


class GraphSTONE(WalkEmbedding):
    """Embed the nodes of a graph from their features and from topics of anonymous walks.

    Nodes are documents whose words are anonymous walks. A topic model selects words, and
    two networks of GraphSAGE embed the features of nodes and the presence of these words.

    Parameters
    ----------
    n_components : int, default=96
        Number of columns of the embedding, at least 33: 32 of the network of node features,
        and the others of both networks.
    n_hidden : int, default=100
        Number of columns of the first layer of both networks.
    n_topics : int, default=5
        Number of topics.
    topics : {"intended", "published"}, default="intended"
        Topics of a word that stands for no topic: a mixture, as described by the authors,
        or all topics alike, which is the result of their program.
    learning_rate : float, default=0.01
        Initial learning rate of Adam.
    max_epochs : int, default=200
        Largest number of epochs. Training ends earlier when the learning rate, which is
        halved after ten epochs without a lower loss, is halved a tenth time.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data to use, as in `AttributeEncoder`.
    max_degree : int or None, default=None
        Largest degree with a separate column, as in `AttributeEncoder`.
    random_state : int, Generator or None, default=None
        Seed of weights, walks and pairs.
    verbose : int, default=0
        1 shows the progress of the training.

    Attributes
    ----------
    words_ : ndarray of shape (n_words,)
        Codes of the anonymous walks whose presence is a feature.
    seed_ : int
        Seed of the walks.
    members_ : list of torch.nn.Module
        The trained network.
    history_ : list of dict
        Loss and learning rate of every epoch, and ``best_epoch``.
    encoder_ : AttributeEncoder
        Encoder of node data.

    See Also
    --------
    UnsupervisedNodeNetwork : Embeddings by one network.

    Notes
    -----
    Fifty walks of 4 to 11 nodes from every node, of random length, are its words. Topics
    are found by anchor words [1]_: a non-negative factorization of the co-occurrences of
    words in nodes gives one word for every topic, and the other words are mixtures of
    these. Features are the anchors and the 101 words whose shares in topics vary the most.

    In the published program the mixtures fail, the error is discarded, and every word
    belongs to all topics alike (``topics="published"``): the features are then the anchors
    and frequent walks. The outputs of both networks are mixed by a layer with tanh and
    normalized, and appended to the normalized outputs of the first one. The loss is the one
    of `UnsupervisedNodeNetwork`. The authors sample neighbors and train in minibatches with
    a learning rate of 0.002; here all neighbors are used, and an epoch is one gradient step
    on all nodes. The 4,000 most frequent words are used.

    References
    ----------
    .. [1] Qingqing Long, Yilun Jin, Guojie Song, Yi Li and Wei Lin, "Graph structural-topic
       neural network", 2020.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.karate_club_graph()
    >>> model = GraphSTONE(max_epochs=5, random_state=0).fit(graph)
    >>> model.transform_nodes(graph).shape
    (34, 96)
    """

    _module_name = "TopicModule"
    _pair_length = 7
    words_: IndexArray

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        n_components: int = 96,
        *,
        n_hidden: int = 100,
        n_topics: int = 5,
        topics: Literal["intended", "published"] = "intended",
        learning_rate: float = 0.01,
        max_epochs: int = 200,
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_hidden = n_hidden
        self.n_topics = n_topics
        self.topics = topics
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.node_features = node_features
        self.max_degree = max_degree
        self.random_state = random_state
        self.verbose = verbose

    def transform_nodes(self, X: Any) -> FloatArray:
        """Return the embeddings of all nodes.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        node_embeddings : ndarray of shape (n_nodes, n_components)
            Two parts of unit norm per node.
        """
        check_is_fitted(self, "members_")
        batch = as_batch(X)
        modules = load_modules()
        rows: FloatArray = modules.topic_outputs(
            self.members_[0],
            self._inputs(modules, batch),
            presence(self._sample_words(batch), self.words_),
        )
        return rows

    def _train(self, modules: Any, batch: GraphBatch, pairs: AnyArray) -> list[Any]:
        codes = self._sample_words(batch)
        words = count_words(codes, _MAX_WORDS)
        key_words = find_key_words(
            cooccurrences(words.counts, _N_WALKS),
            self.n_topics,
            use_mixtures=self.topics == "intended",
        )
        self.words_ = words.codes[key_words]
        return self._train_members(
            modules.train_topic_member,
            (
                self._inputs(modules, batch),
                presence(codes, self.words_),
                pairs,
                batch.degrees,
                self._architecture(self.n_components),
                self._settings(modules),
            ),
        )

    def _sample_words(self, batch: GraphBatch) -> IndexArray:
        """Return the words of every node, as numbers."""
        shortest, longest = _LENGTHS
        walks = sample_walks(batch, longest, _N_WALKS, random_state=self.seed_)
        generator = np.random.default_rng(self.seed_)
        shape = (batch.n_nodes, _N_WALKS)
        return encode_words(walks, generator.integers(shortest, longest + 1, size=shape))

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {
            "n_features": self.encoder_.n_features_out_,
            "n_out": n_out,
            "n_words": len(self.words_),
            "n_hidden": self.n_hidden,
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        limits = {"minimum": _MIN_COMPONENTS, "maximum": MAX_COLUMNS}
        check_int(self.n_components, "n_components", **limits)
        check_int(self.n_topics, "n_topics", minimum=1, maximum=_MAX_TOPICS)
        check_choice(self.topics, "topics", choices=("intended", "published"))

    def _n_out(self) -> int:
        return self.n_components

    def _save_state(self) -> dict[str, Any]:
        return {"words": self.words_.tolist(), "seed": self.seed_}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"words": [int], "seed": int}, "state")
        self._load_seed(state)
        for word in state["words"]:
            check_int(word, "words", minimum=0, maximum=2**62)
        self.words_ = np.array(state["words"], dtype=np.int64)
        if not len(self.words_) or (np.diff(self.words_) <= 0).any():
            raise InputError("the words are not sorted")
        if n_out != self.n_components:
            raise InputError(f"{n_out} outputs do not fit n_components={self.n_components}")
