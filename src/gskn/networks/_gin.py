"""GIN for the classification of graphs."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from gskn._random import RandomState
from gskn._types import IndexArray, Params
from gskn._validation import check_choice
from gskn.estimators import check_types, plain_parameters, untag
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.networks._graph_network import GraphNetwork


class GIN(GraphNetwork):
    """Classify graphs by a graph isomorphism network.

    A convolution adds the features of the neighbors of a node to its own features and maps
    the sum by a perceptron of two layers. With the readout "sum", it distinguishes the same
    graphs as the Weisfeiler-Lehman test.

    Parameters
    ----------
    n_layers : int, default=4
        Number of convolutions.
    n_hidden : int, default=64
        Number of columns of every convolution.
    readout : {"sum", "mean", "max"}, default="sum"
        Combination of the node features of a graph. The readouts of all layers are
        concatenated, normalized over the minibatch and classified by two linear layers.
    dropout : float, default=0.5
        Probability of dropout in the classifier.
    learning_rate : float, default=0.01
        Initial learning rate of Adam.
    weight_decay : float, default=0.0
        L2 penalty of Adam.
    batch_size : int, default=128
        Largest number of graphs of a minibatch.
    max_epochs : int, default=200
        Largest number of epochs. Training ends earlier when the learning rate, which is
        halved after ten epochs without a lower validation loss, is halved a fifth time.
    validation_size : float, default=0.1
        Fraction of the training graphs on which the best epoch is selected; stratified,
        and different for every seed. 0 selects by training loss, and ends at the tenth
        halving of the learning rate.
    n_seeds : int, default=1
        Number of networks whose probabilities are averaged.
    class_weight : {"balanced"} or None, default=None
        "balanced" gives all classes the same total weight.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data to use, as in `AttributeEncoder`: by default labels and attributes, and
        degrees if there are neither.
    max_degree : int or None, default=None
        Largest degree with a separate column, as in `AttributeEncoder`.
    edge_features : {"auto", "none"}, default="auto"
        "auto" uses edge labels, if the training graphs have any. Edge attributes are not
        used.
    warm_start : bool, default=False
        If True, ``fit`` keeps the trained networks and adds networks up to ``n_seeds``.
    random_state : int, Generator or None, default=None
        Seed of weights, minibatches, dropout and validation parts.
    n_jobs : int or None, default=None
        Number of processes that train different seeds; it does not affect results.
    verbose : int, default=0
        1 shows the progress of the training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    members_ : list of torch.nn.Module
        Trained networks, one per seed.
    history_ : list of dict
        ``loss``, ``validation_loss`` and ``learning_rate`` of every epoch, ``best_epoch``
        and ``validation_accuracy`` of every network.
    encoder_ : AttributeEncoder
        Encoder of node data.
    edge_label_values_ : tuple
        Edge labels of the training graphs; empty if they are not used.
    validation_accuracy_, validation_loss_ : float
        Means over the networks, in their best epochs.

    Notes
    -----
    A convolution is ``MLP((1 + epsilon) x_v + sum of x_u)`` over the neighbors u of v, with
    a trained epsilon, and batch normalization after both linear layers [1]_. The sum is
    weighted if edges have weights. With edge labels, the sum is over ``ReLU(x_u + e)`` with
    a trained vector e of every label in every layer [3]_; labels that were not in the
    training graphs have the vector 0. The published program selects the epoch by accuracy
    on the test folds; here it is selected on a part of the training graphs [2]_.

    References
    ----------
    .. [1] Keyulu Xu, Weihua Hu, Jure Leskovec and Stefanie Jegelka, "How powerful are graph
       neural networks?", 2019.
    .. [2] Federico Errica, Marco Podda, Davide Bacciu and Alessio Micheli, "A fair
       comparison of graph neural networks for graph classification", 2020.
    .. [3] Weihua Hu, Bowen Liu, Joseph Gomes, Marinka Zitnik, Percy Liang, Vijay Pande and
       Jure Leskovec, "Strategies for pre-training graph neural networks", 2020.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.load("structure")
    >>> graphs, y = data.graphs[::4], data.y[::4]
    >>> model = GIN(n_layers=2, n_hidden=16, max_epochs=20, random_state=0)
    >>> model.fit(graphs, y).predict_proba(graphs[:3]).shape
    (3, 4)
    """

    convolution = "gin"
    edge_label_values_: tuple[Hashable, ...]

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        *,
        n_layers: int = 4,
        n_hidden: int = 64,
        readout: Literal["sum", "mean", "max"] = "sum",
        dropout: float = 0.5,
        learning_rate: float = 0.01,
        weight_decay: float = 0.0,
        batch_size: int = 128,
        max_epochs: int = 200,
        validation_size: float = 0.1,
        n_seeds: int = 1,
        class_weight: Literal["balanced"] | None = None,
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        edge_features: Literal["auto", "none"] = "auto",
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_layers=n_layers,
            n_hidden=n_hidden,
            readout=readout,
            dropout=dropout,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            batch_size=batch_size,
            max_epochs=max_epochs,
            validation_size=validation_size,
            n_seeds=n_seeds,
            class_weight=class_weight,
            node_features=node_features,
            max_degree=max_degree,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.edge_features = edge_features

    def _fit_inputs(self, batch: GraphBatch) -> None:
        super()._fit_inputs(batch)
        self.edge_label_values_ = ()
        if self.edge_features == "auto" and batch.edge_labels is not None:
            present = np.unique(batch.edge_labels)
            self.edge_label_values_ = tuple(batch.edge_label_values[n] for n in present)

    def _convolution_name(self) -> str:
        return "gine" if self.edge_label_values_ else "gin"

    def _options(self) -> Params:
        n_labels = len(self.edge_label_values_)
        return {"n_edge_labels": n_labels} if n_labels else {}

    def _edge_codes(self, batch: GraphBatch) -> IndexArray | None:
        if not self.edge_label_values_:
            return None
        codes = {value: code for code, value in enumerate(self.edge_label_values_)}
        unseen = len(codes)
        if batch.edge_labels is None:
            return np.full(batch.adjacency.nnz, unseen, dtype=np.int64)
        table = [codes.get(value, unseen) for value in batch.edge_label_values]
        known: IndexArray = np.array(table, dtype=np.int64)[batch.edge_labels]
        return known

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.edge_features, "edge_features", choices=("auto", "none"))

    def _save_state(self) -> dict[str, Any]:
        labels = plain_parameters({"edge_labels": self.edge_label_values_})
        return {**super()._save_state(), **labels}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"classes": dict, "edge_labels": dict}, "state")
        super()._load_state(state, n_out)
        values = untag(state["edge_labels"], "edge_labels")
        if not isinstance(values, tuple) or len(set(map(repr, values))) < len(values):
            raise InputError("the edge labels are not a tuple without repetition")
        self.edge_label_values_ = values
