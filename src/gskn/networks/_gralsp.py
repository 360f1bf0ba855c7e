"""GraLSP: embeddings of nodes whose messages are gated by the patterns of walks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_cells, check_int, check_number
from gskn.estimators import check_types
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import MAX_COLUMNS, load_modules
from gskn.networks._walk_embedding import WalkEmbedding
from gskn.walks import anonymize, pattern_counts, patterns, sample_walks

_WALK_LENGTH = 10
_PATTERN_LENGTH = 8
_RADIUS = 16  # divided by the number of distinct nodes: how many nodes are near
_MAX_INPUTS = 100  # more node features are reduced by PCA
_MAX_WALKS = 1000
_MAX_TYPES = 2**20
_MIN_DEVIATION = 1e-3  # of the frequencies of a type


class GraLSP(WalkEmbedding):
    """Embed the nodes of a graph by messages that depend on anonymous walks.

    A node receives messages of random nodes of random walks from it. Every message is
    multiplied by a gate that is learned for the pattern of the walk.

    Parameters
    ----------
    n_components : int, default=64
        Number of columns of the embedding.
    n_hidden : int, default=100
        Number of columns of the first of two layers.
    n_dimensions : int, default=30
        Number of columns of the embedding of a pattern.
    n_walks : int, default=100
        Number of walks from every node.
    walk_weight : float, default=0.1
        Weight of the loss of patterns.
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
    types_ : ndarray of shape (n_types,)
        Patterns with a learned gate, as rows of ``patterns(8, staying=True)``.
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
    UnsupervisedNodeNetwork : Embeddings by other convolutions.

    Notes
    -----
    Walks have 10 nodes, and the pattern of the first 8 is the type of a walk. A layer is
    ``U m_v + W x_v + b``, where m_v is the mean over 20 random pairs of a walk from v and
    one of its first r nodes, of ``sigmoid(G e + c) * x_u`` with the embedding e of the type
    of the walk; r is 16 divided by the number of distinct nodes of the walk, rounded
    down [1]_. ReLU follows the first layer.

    The loss is the one of `UnsupervisedNodeNetwork`, plus a loss of triplets of types: two
    that are both more frequent, or both less frequent, at a node than on average should be
    more similar than a third one that is not. Frequencies are exact where `pattern_counts`
    is exact, and belong to unbiased walks; the authors count in sampled walks that prefer
    to return. They train in minibatches with a learning rate of 0.002; here an epoch is one
    gradient step on all nodes. More than 100 node features are reduced by PCA, as the
    authors do.

    References
    ----------
    .. [1] Yilun Jin, Guojie Song and Chuan Shi, "GraLSP: Graph neural networks with local
       structural patterns", 2020.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.karate_club_graph()
    >>> model = GraLSP(n_walks=20, max_epochs=5, random_state=0).fit(graph)
    >>> model.transform_nodes(graph).shape
    (34, 64)
    """

    _module_name = "PatternModule"
    _pair_length = 6
    types_: IndexArray

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        n_components: int = 64,
        *,
        n_hidden: int = 100,
        n_dimensions: int = 30,
        n_walks: int = 100,
        walk_weight: float = 0.1,
        learning_rate: float = 0.01,
        max_epochs: int = 200,
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_hidden = n_hidden
        self.n_dimensions = n_dimensions
        self.n_walks = n_walks
        self.walk_weight = walk_weight
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
            One row of unit norm per node.
        """
        check_is_fitted(self, "members_")
        batch = as_batch(X)
        modules = load_modules()
        walks, columns = self._sample(batch)
        rows: FloatArray = modules.pattern_outputs(
            self.members_[0],
            self._inputs(modules, batch),
            self._pattern_walks(modules, walks, columns),
            self.seed_,
        )
        return rows

    def _train(self, modules: Any, batch: GraphBatch, pairs: AnyArray) -> list[Any]:
        walks, columns = self._sample(batch)
        table = pattern_counts(batch, _PATTERN_LENGTH, random_state=self.seed_)
        self.types_ = np.union1d(columns, table.rows.indices)
        check_cells(
            float(batch.n_nodes) * len(self.types_),
            f"frequencies of {len(self.types_)} patterns at {batch.n_nodes} nodes",
            "pass fewer graphs",
        )
        scores = standardize(table.rows[:, self.types_].toarray())
        inputs = self._inputs(modules, batch)
        return self._train_members(
            modules.train_pattern_member,
            (
                inputs,
                self._pattern_walks(modules, walks, columns),
                scores.astype(np.float32),
                self._projection(batch),
                float(self.walk_weight),
                pairs,
                batch.degrees,
                self._architecture(self.n_components),
                self._settings(modules),
            ),
        )

    def _sample(self, batch: GraphBatch) -> tuple[AnyArray, IndexArray]:
        """Return the walks of every node, and the rows of their patterns."""
        walks = sample_walks(batch, _WALK_LENGTH, self.n_walks, random_state=self.seed_)
        symbols = anonymize(walks[..., :_PATTERN_LENGTH])
        return walks, pattern_rows(symbols)

    def _pattern_walks(self, modules: Any, walks: AnyArray, columns: IndexArray) -> Any:
        place = np.searchsorted(self.types_, columns)
        place = np.minimum(place, len(self.types_) - 1)
        types = np.where(self.types_[place] == columns, place, len(self.types_))
        n_distinct = anonymize(walks).max(axis=-1).astype(np.int64) + 1
        n_near = np.minimum(_RADIUS // n_distinct, walks.shape[-1])
        return modules.PatternWalks(walks, types, n_near)

    def _projection(self, batch: GraphBatch) -> tuple[FloatArray, FloatArray] | None:
        """Return weights and bias of the map of node features to fewer columns."""
        n_inputs = self._n_inputs(batch.n_nodes)
        if n_inputs == self.encoder_.n_features_out_:
            return None
        rows, codes = self.encoder_.distinct_rows(batch)
        reducer = PCA(n_inputs, svd_solver="randomized", random_state=0).fit(rows[codes])
        return reducer.components_, -reducer.components_ @ reducer.mean_

    def _n_inputs(self, n_nodes: int) -> int:
        n_features = int(self.encoder_.n_features_out_)
        self.n_inputs_ = n_features
        if n_features > _MAX_INPUTS:
            self.n_inputs_ = min(_MAX_INPUTS, n_nodes)
        return self.n_inputs_

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {
            "n_features": self.encoder_.n_features_out_,
            "n_out": n_out,
            "n_inputs": self.n_inputs_,
            "n_types": len(self.types_),
            "n_dimensions": self.n_dimensions,
            "n_hidden": self.n_hidden,
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.n_components, "n_components", minimum=1, maximum=MAX_COLUMNS)
        check_int(self.n_dimensions, "n_dimensions", minimum=1, maximum=MAX_COLUMNS)
        check_int(self.n_walks, "n_walks", minimum=1, maximum=_MAX_WALKS)
        check_number(self.walk_weight, "walk_weight", minimum=0, maximum=1e6)

    def _n_out(self) -> int:
        return self.n_components

    def _save_state(self) -> dict[str, Any]:
        return {
            "types": self.types_.tolist(),
            "n_inputs": self.n_inputs_,
            "seed": self.seed_,
        }

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"types": [int], "n_inputs": int, "seed": int}, "state")
        self._load_seed(state)
        for row in state["types"]:
            check_int(row, "types", minimum=0, maximum=_MAX_TYPES)
        self.types_ = np.array(state["types"], dtype=np.int64)
        if not len(self.types_) or (np.diff(self.types_) <= 0).any():
            raise InputError("the types are not sorted")
        self.n_inputs_ = check_int(
            state["n_inputs"], "n_inputs", minimum=1, maximum=self.encoder_.n_features_out_
        )
        if n_out != self.n_components:
            raise InputError(f"{n_out} outputs do not fit n_components={self.n_components}")


def pattern_rows(symbols: AnyArray) -> IndexArray:
    """Return the rows of patterns in the list of all patterns of their length."""
    length = symbols.shape[-1]
    base = length ** np.arange(length)
    codes = patterns(length, staying=True).astype(np.int64) @ base
    order = np.argsort(codes)
    rows: IndexArray = order[np.searchsorted(codes[order], symbols.astype(np.int64) @ base)]
    return rows


def standardize(frequencies: FloatArray) -> FloatArray:
    """Return columns with mean 0 and standard deviation 1; constant ones become 0."""
    deviation = frequencies.std(axis=0)
    deviation[deviation == 0] = _MIN_DEVIATION
    scores: FloatArray = (frequencies - frequencies.mean(axis=0)) / deviation
    return scores
