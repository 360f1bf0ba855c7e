"""Networks for the nodes of a graph: trained by classes, or without them by walks."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState, as_generator
from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn._validation import check_choice, check_int, shorten
from gskn.estimators import ClassTask, check_types, load_classes, save_classes
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import (
    ClassifierFit,
    ConvolutionNetwork,
    balanced_weights,
    check_aggregation,
    check_heads,
    check_share,
    load_modules,
)
from gskn.walks import sample_walks

_CONVOLUTIONS = ("gcn", "sage", "gat", "gin")
_MAX_COMPONENTS = 2**14
_MAX_WALK_LENGTH = 100
_MAX_WALKS = 1000


class _NodeNetwork(ConvolutionNetwork):
    """The part that both networks for nodes share."""

    convolution: str
    n_heads: int
    aggregation: str
    _module_name = "NodeModule"
    _normalizes: bool

    def _convolution_name(self) -> str:
        return self.convolution

    def _options(self) -> Params:
        if self.convolution == "gat":
            return {"n_heads": self.n_heads, "attention_dropout": float(self.dropout)}
        return {"aggregation": self.aggregation} if self.convolution == "sage" else {}

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {
            "convolution": self.convolution,
            "n_features": self.encoder_.n_features_out_,
            "n_out": n_out,
            "n_layers": self.n_layers,
            "n_hidden": self.n_hidden,
            "dropout": float(self.dropout),
            "normalize": self._normalizes,
            "options": self._options(),
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.convolution, "convolution", choices=_CONVOLUTIONS)
        check_aggregation(self.aggregation)
        if self.convolution == "gat":
            check_heads(self.n_heads, self.n_hidden)

    def _fit_encoder(self, batch: GraphBatch) -> None:
        if not batch.n_nodes:
            raise InputError("The graphs have no nodes; a network needs at least one.")
        super()._fit_encoder(batch)


class NodeNetwork(ClassifierMixin, ClassifierFit, _NodeNetwork):  # type: ignore[misc]
    """Classify the nodes of a graph by a network that is trained by their classes.

    The network sees the whole graph and the features of all nodes, but only the classes of
    the training nodes. Every epoch is one gradient step on all training nodes.

    Parameters
    ----------
    convolution : {"gcn", "sage", "gat", "gin"}, default="gcn"
        Convolution, see `GCN`, `GraphSAGE`, `GAT` and `GIN`.
    n_layers : int, default=2
        Number of convolutions, with ReLU and dropout between them.
    n_hidden : int, default=64
        Number of columns of all convolutions but the last.
    n_heads : int, default=8
        Number of attention heads of "gat"; it divides ``n_hidden``. The last convolution
        has one head.
    aggregation : {"mean", "sum", "max"}, default="mean"
        Aggregation over the neighbors of a node, of "sage".
    dropout : float, default=0.5
        Probability of dropout before every convolution, and of attention weights.
    learning_rate : float, default=0.01
        Initial learning rate of Adam.
    weight_decay : float, default=5e-4
        L2 penalty of Adam.
    max_epochs : int, default=200
        Largest number of epochs. Training ends earlier when the learning rate, which is
        halved after ten epochs without a lower validation loss, is halved a fifth time.
    validation_size : float, default=0.1
        Fraction of the training nodes on which the best epoch is selected; stratified,
        and different for every seed. 0 selects by training loss, and ends at the tenth
        halving of the learning rate.
    n_seeds : int, default=1
        Number of networks whose probabilities are averaged.
    class_weight : {"balanced"} or None, default=None
        "balanced" gives all classes the same total weight; not for several labels.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data to use, as in `AttributeEncoder`.
    max_degree : int or None, default=None
        Largest degree with a separate column, as in `AttributeEncoder`.
    random_state : int, Generator or None, default=None
        Seed of weights, dropout and validation parts.
    n_jobs : int or None, default=None
        Number of processes that train different seeds; it does not affect results.
    verbose : int, default=0
        1 shows the progress of the training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. If nodes have several labels: the numbers of the labels.
    members_ : list of torch.nn.Module
        Trained networks, one per seed.
    history_ : list of dict
        Losses and learning rate of every epoch, ``best_epoch`` and
        ``validation_accuracy`` of every network.
    encoder_ : AttributeEncoder
        Encoder of node data, fitted to all nodes.
    validation_accuracy_, validation_loss_ : float
        Means over the networks, in their best epochs.

    See Also
    --------
    UnsupervisedNodeNetwork : Embeddings of nodes without classes.

    References
    ----------
    .. [1] Thomas N. Kipf and Max Welling, "Semi-supervised classification with graph
       convolutional networks", 2017.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.karate_club_graph()
    >>> y = [graph.nodes[v]["club"] for v in graph]
    >>> train = [0, 1, 2, 3, 33, 32, 31, 30]
    >>> model = NodeNetwork(max_epochs=20, random_state=0)
    >>> model.fit(graph, [y[v] for v in train], nodes=train).predict(graph).shape
    (34,)
    """

    _normalizes = False
    classes_: AnyArray
    multilabel_: bool

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        convolution: Literal["gcn", "sage", "gat", "gin"] = "gcn",
        *,
        n_layers: int = 2,
        n_hidden: int = 64,
        n_heads: int = 8,
        aggregation: Literal["mean", "sum", "max"] = "mean",
        dropout: float = 0.5,
        learning_rate: float = 0.01,
        weight_decay: float = 5e-4,
        max_epochs: int = 200,
        validation_size: float = 0.1,
        n_seeds: int = 1,
        class_weight: Literal["balanced"] | None = None,
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.convolution = convolution
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.n_heads = n_heads
        self.aggregation = aggregation
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.validation_size = validation_size
        self.n_seeds = n_seeds
        self.class_weight = class_weight
        self.node_features = node_features
        self.max_degree = max_degree
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, nodes: Any = None) -> Self:
        """Train one network per seed.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts, with all nodes.
        y : array-like of shape (n_train,) or (n_train, n_labels)
            Class of every training node, or one column of 0 and 1 per label.
        nodes : array-like of int of shape (n_train,) or None, default=None
            Training nodes, in the order of ``y``. None: all nodes.

        Returns
        -------
        self : NodeNetwork
            The fitted model.
        """
        self._check_parameters()
        modules = load_modules()
        batch = as_batch(X)
        self._warn_unused_edges(batch)
        nodes = _check_nodes(nodes, batch)
        classes, targets = _check_targets(y, len(nodes))
        balanced = self.class_weight == "balanced"
        if balanced and targets.ndim > 1:
            raise InputError("class_weight='balanced' needs one class per node.")
        self._fit_encoder(batch)
        members = self._train_members(
            modules.train_node_member,
            (
                self._inputs(modules, batch),
                targets,
                nodes,
                self._architecture(len(classes)),
                self._settings(modules),
                float(self.validation_size),
                balanced_weights(targets) if balanced else None,
            ),
        )
        self.members_ = [module for module, _ in members]
        self.history_ = [history for _, history in members]
        self.classes_, self.multilabel_ = classes, targets.ndim > 1
        return self

    def predict(self, X: Any, nodes: Any = None) -> AnyArray:
        """Return the classes of nodes.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        nodes : array-like of int of shape (n_selected,) or None, default=None
            Nodes to classify. None: all nodes.

        Returns
        -------
        y : ndarray of shape (n_selected,) or (n_selected, n_labels)
            Most probable class, or 1 for every label with a probability above a half.
        """
        probabilities = self.predict_proba(X, nodes)
        if self.multilabel_:
            return (probabilities > 0.5).astype(np.int64)
        y: AnyArray = self.classes_[probabilities.argmax(axis=1)]
        return y

    def predict_proba(self, X: Any, nodes: Any = None) -> FloatArray:
        """Return the probability of every class or label.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        nodes : array-like of int of shape (n_selected,) or None, default=None
            Nodes to classify. None: all nodes.

        Returns
        -------
        probabilities : ndarray of shape (n_selected, n_classes)
            Mean of the probabilities of all members.
        """
        check_is_fitted(self, "members_")
        batch = as_batch(X)
        nodes = _check_nodes(nodes, batch)
        modules = load_modules()
        inputs = self._inputs(modules, batch)
        total = np.zeros((len(nodes), len(self.classes_)))
        for member in self.members_:
            logits = modules.node_outputs(member, inputs)[nodes]
            total += _sigmoid(logits) if self.multilabel_ else _softmax(logits)
        return total / len(self.members_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share(self.validation_size, "validation_size")
        if self.class_weight is not None:
            check_choice(self.class_weight, "class_weight", choices=("balanced",))

    def _n_out(self) -> int:
        return len(self.classes_)

    def _save_state(self) -> dict[str, Any]:
        classes = None if self.multilabel_ else save_classes(self.classes_)
        return {"classes": classes}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"classes": (dict, type(None))}, "state")
        self.multilabel_ = state["classes"] is None
        self.classes_ = (
            np.arange(n_out) if self.multilabel_ else load_classes(state["classes"])
        )
        if len(self.classes_) != n_out:
            raise InputError(f"{n_out} outputs do not fit {len(self.classes_)} classes")


class UnsupervisedNodeNetwork(_NodeNetwork):
    """Embed the nodes of a graph by a network that is trained by walks, without classes.

    Nodes that are close on a random walk get similar embeddings of unit norm, and random
    nodes get different ones.

    Parameters
    ----------
    convolution : {"gcn", "sage", "gat", "gin"}, default="sage"
        Convolution, see `GCN`, `GraphSAGE`, `GAT` and `GIN`.
    n_components : int, default=64
        Number of columns of the embedding.
    n_layers : int, default=2
        Number of convolutions, with ReLU between them.
    n_hidden : int, default=100
        Number of columns of all convolutions but the last.
    n_heads : int, default=4
        Number of attention heads of "gat"; it divides ``n_hidden``. The last convolution
        has one head.
    aggregation : {"mean", "sum", "max"}, default="mean"
        Aggregation over the neighbors of a node, of "sage".
    dropout : float, default=0.0
        Probability of dropout before every convolution, and of attention weights.
    walk_length : int, default=6
        Number of nodes of a walk, its start included: nodes of a pair are at most
        ``walk_length - 1`` steps apart.
    n_walks : int, default=20
        Number of walks from every node, from which pairs are drawn.
    learning_rate : float, default=0.01
        Initial learning rate of Adam.
    weight_decay : float, default=0.0
        L2 penalty of Adam.
    max_epochs : int, default=200
        Largest number of epochs. Training ends earlier when the learning rate, which is
        halved after ten epochs without a lower loss, is halved a tenth time.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data to use, as in `AttributeEncoder`.
    max_degree : int or None, default=None
        Largest degree with a separate column, as in `AttributeEncoder`.
    random_state : int, Generator or None, default=None
        Seed of weights, walks, pairs and dropout.
    verbose : int, default=0
        1 shows the progress of the training.

    Attributes
    ----------
    members_ : list of torch.nn.Module
        The trained network.
    history_ : list of dict
        Loss and learning rate of every epoch, and ``best_epoch``.
    encoder_ : AttributeEncoder
        Encoder of node data.

    See Also
    --------
    NodeNetwork : Classification of nodes.

    Notes
    -----
    An epoch has one pair (v, u) per node v, where u is a random node of a random walk from
    v, and eight random nodes n in proportion to degree^0.75. The loss is the mean of
    ``-log s(z_v . z_u) - sum of log s(-z_v . z_n)`` with the sigmoid s [1]_. The published
    programs sample neighbors; here all neighbors are used, and an epoch is one gradient
    step.

    References
    ----------
    .. [1] William L. Hamilton, Rex Ying and Jure Leskovec, "Inductive representation
       learning on large graphs", 2017.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.karate_club_graph()
    >>> model = UnsupervisedNodeNetwork(max_epochs=20, random_state=0).fit(graph)
    >>> model.transform_nodes(graph).shape
    (34, 64)
    """

    _normalizes = True
    n_seeds = 1
    n_jobs = None

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        convolution: Literal["gcn", "sage", "gat", "gin"] = "sage",
        *,
        n_components: int = 64,
        n_layers: int = 2,
        n_hidden: int = 100,
        n_heads: int = 4,
        aggregation: Literal["mean", "sum", "max"] = "mean",
        dropout: float = 0.0,
        walk_length: int = 6,
        n_walks: int = 20,
        learning_rate: float = 0.01,
        weight_decay: float = 0.0,
        max_epochs: int = 200,
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.convolution = convolution
        self.n_components = n_components
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.n_heads = n_heads
        self.aggregation = aggregation
        self.dropout = dropout
        self.walk_length = walk_length
        self.n_walks = n_walks
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.node_features = node_features
        self.max_degree = max_degree
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Train the network on pairs of nodes of random walks.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : UnsupervisedNodeNetwork
            The fitted model.
        """
        self._check_parameters()
        modules = load_modules()
        batch = as_batch(X)
        self._warn_unused_edges(batch)
        self._fit_encoder(batch)
        seed = int(as_generator(self.random_state).integers(2**31))
        walks = sample_walks(batch, self.walk_length, self.n_walks, random_state=seed)
        members = self._train_members(
            modules.train_walk_member,
            (
                self._inputs(modules, batch),
                walks,
                batch.degrees,
                self._architecture(self.n_components),
                self._settings(modules),
            ),
        )
        self.members_ = [module for module, _ in members]
        self.history_ = [history for _, history in members]
        return self

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
        outputs: FloatArray = modules.node_outputs(
            self.members_[0], self._inputs(modules, batch)
        )
        return outputs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        limits = {"minimum": 1, "maximum": _MAX_COMPONENTS}
        check_int(self.n_components, "n_components", **limits)
        check_int(self.walk_length, "walk_length", minimum=2, maximum=_MAX_WALK_LENGTH)
        check_int(self.n_walks, "n_walks", minimum=1, maximum=_MAX_WALKS)

    def _n_out(self) -> int:
        return self.n_components

    def _save_state(self) -> dict[str, Any]:
        return {}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {}, "state")
        if len(self.history_) != 1 or n_out != self.n_components:
            raise InputError(f"{n_out} outputs do not fit n_components={self.n_components}")


def _check_nodes(nodes: Any, batch: GraphBatch) -> IndexArray:
    """Return node numbers as an array; all nodes for None."""
    if nodes is None:
        return np.arange(batch.n_nodes)
    numbers = np.asarray(nodes)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise InputError(f"nodes must be a list of node numbers, got {shorten(nodes)}.")
    wrong = (numbers < 0) | (numbers >= batch.n_nodes)
    if wrong.any():
        raise InputError(
            f"nodes contains {numbers[wrong][0]}, but the graph has the nodes 0 to "
            f"{batch.n_nodes - 1}."
        )
    return numbers.astype(np.int64)


def _check_targets(y: Any, n_nodes: int) -> tuple[AnyArray, AnyArray]:
    """Return the classes and the class numbers, or the labels as columns of 0 and 1."""
    y = np.asarray(y)
    if y.ndim not in {1, 2} or len(y) != n_nodes:
        raise InputError(
            f"y has shape {y.shape} for {n_nodes} training nodes; give one row for each."
        )
    if y.ndim == 1:
        task = ClassTask.from_targets(y)
        return task.classes, task.codes.astype(np.int64)
    if not y.size or y.dtype.kind not in "biuf" or not np.isin(y, (0, 1)).all():
        raise InputError("y with several columns must contain only 0 and 1.")
    return np.arange(y.shape[1]), y.astype(np.int64)


def _softmax(logits: FloatArray) -> FloatArray:
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: FloatArray = exponentials / exponentials.sum(axis=1, keepdims=True)
    return result


def _sigmoid(logits: FloatArray) -> FloatArray:
    result: FloatArray = 0.5 * (1 + np.tanh(logits / 2))
    return result
