"""GraphSAGE for the classification of graphs."""

from collections.abc import Sequence
from typing import Literal

from gskn._random import RandomState
from gskn._types import Params
from gskn.networks._graph_network import GraphNetwork
from gskn.networks._network import check_aggregation


class GraphSAGE(GraphNetwork):
    """Classify graphs by GraphSAGE.

    A convolution adds a linear map of the features of a node and a linear map of the mean,
    sum or maximum over its neighbors.

    Parameters
    ----------
    n_layers : int, default=4
        Number of convolutions.
    n_hidden : int, default=64
        Number of columns of every convolution.
    aggregation : {"mean", "sum", "max"}, default="mean"
        Aggregation over the neighbors of a node.
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
    validation_accuracy_, validation_loss_ : float
        Means over the networks, in their best epochs.

    Notes
    -----
    A convolution is ``W x_v + U a_v + b``, where ``a_v`` is the aggregation over the
    neighbors of v [1]_, followed by batch normalization and ReLU. Mean and sum are weighted
    by edge weights, and the maximum is taken over weighted features. All neighbors are
    used, without sampling.

    References
    ----------
    .. [1] William L. Hamilton, Rex Ying and Jure Leskovec, "Inductive representation
       learning on large graphs", 2017.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.load("structure")
    >>> graphs, y = data.graphs[::4], data.y[::4]
    >>> model = GraphSAGE(n_layers=2, n_hidden=16, max_epochs=20, random_state=0)
    >>> model.fit(graphs, y).predict_proba(graphs[:3]).shape
    (3, 4)
    """

    convolution = "sage"

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        *,
        n_layers: int = 4,
        n_hidden: int = 64,
        aggregation: Literal["mean", "sum", "max"] = "mean",
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
        self.aggregation = aggregation

    def _merges_nodes(self) -> bool:
        return self.aggregation != "max"  # merged entries are sums over neighbors

    def _options(self) -> Params:
        return {"aggregation": self.aggregation}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_aggregation(self.aggregation)
