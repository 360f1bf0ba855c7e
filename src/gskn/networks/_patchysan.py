"""PatchySAN: convolutions over ordered neighborhoods of the first nodes of a graph."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gskn._random import RandomState
from gskn._validation import check_cells, check_int
from gskn.estimators import check_types
from gskn.graphs import GraphBatch
from gskn.networks._fields import find_fields, rank_nodes
from gskn.networks._graph_network import GraphClassifier
from gskn.networks._network import MAX_COLUMNS

_MAX_FIELD_SIZE = 60  # edges to the places of a field are bits of one integer
_MAX_FIELDS = 2**16


class PatchySAN(GraphClassifier):
    """Classify graphs by convolutions over ordered neighborhoods.

    The nodes of a graph are ordered. Each of the first ones has a field: the node and its
    nearest nodes, in an order by distance. The sequence of fields is classified like a
    sequence of image patches.

    Parameters
    ----------
    field_size : int, default=10
        Number of nodes of a field, at most 60.
    n_fields : int or None, default=None
        Number of fields of a graph. None: the mean number of nodes of the training graphs.
    n_hidden : int, default=128
        Number of columns of the first layer of the classifier.
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
    n_fields_ : int
        Number of fields of a graph.
    members_ : list of torch.nn.Module
        Trained networks, one per seed.
    history_ : list of dict
        Losses and learning rate of every epoch, ``best_epoch`` and
        ``validation_accuracy`` of every network.
    encoder_ : AttributeEncoder
        Encoder of node data.
    validation_accuracy_, validation_loss_ : float
        Means over the networks, in their best epochs.

    Notes
    -----
    Nodes are ordered by degree and features, refined by their neighbors as in the
    Weisfeiler-Leman test. A field contains the root and the nodes nearest to it; at equal
    distance, nodes are ordered by this order, then by their edges to the nodes before. If
    two nodes are still equal, the first one in the input comes first, so that the result
    can depend on the order of nodes. A graph with fewer nodes than fields has empty ones,
    whose features are zero, like those of missing nodes of a field.

    The network has 16 convolutions over a field, 8 over ten successive fields, and a
    hidden layer, as published [1]_. The authors break ties by canonical labelings of
    fields, and train by RMSprop; here networks are trained like `GIN`. Directions of edges
    are used, and weights are not.

    References
    ----------
    .. [1] Mathias Niepert, Mohamed Ahmed and Konstantin Kutzkov, "Learning convolutional
       neural networks for graphs", 2016.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.load("structure")
    >>> graphs, y = data.graphs[::4], data.y[::4]
    >>> model = PatchySAN(max_epochs=20, random_state=0)
    >>> model.fit(graphs, y).predict_proba(graphs[:3]).shape
    (3, 4)
    """

    _module_name = "FieldModule"
    n_fields_: int

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        *,
        field_size: int = 10,
        n_fields: int | None = None,
        n_hidden: int = 128,
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
        self.field_size = field_size
        self.n_fields = n_fields
        self.n_hidden = n_hidden
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.validation_size = validation_size
        self.n_seeds = n_seeds
        self.class_weight = class_weight
        self.node_features = node_features
        self.max_degree = max_degree
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_inputs(self, batch: GraphBatch) -> None:
        super()._fit_inputs(batch)
        if self.n_fields is None:
            mean = int(np.ceil(batch.graph_sizes.mean()))
            self.n_fields_ = min(max(1, mean), _MAX_FIELDS)
        else:
            self.n_fields_ = self.n_fields

    def _inputs(self, modules: Any, batch: GraphBatch) -> Any:
        check_cells(
            float(batch.n_graphs) * self.n_fields_ * self.field_size,
            f"{self.n_fields_} fields for each of {batch.n_graphs} graphs",
            "use a smaller n_fields, or pass fewer graphs at a time",
        )
        rows, codes = self.encoder_.distinct_rows(batch)
        ranks = rank_nodes(batch, rows, codes)
        fields = find_fields(batch, ranks, self.n_fields_, self.field_size)
        inputs = modules.GraphInputs(batch.adjacency, batch.graph_ptr, rows, codes)
        return modules.FieldInputs(inputs, fields)

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {
            "n_features": self.encoder_.n_features_out_,
            "n_classes": n_out,
            "n_fields": self.n_fields_,
            "field_size": self.field_size,
            "n_hidden": self.n_hidden,
            "dropout": float(self.dropout),
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.field_size, "field_size", minimum=1, maximum=_MAX_FIELD_SIZE)
        check_int(self.n_hidden, "n_hidden", minimum=1, maximum=MAX_COLUMNS)
        if self.n_fields is not None:
            check_int(self.n_fields, "n_fields", minimum=1, maximum=_MAX_FIELDS)

    def _save_state(self) -> dict[str, Any]:
        return {**super()._save_state(), "n_fields": self.n_fields_}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"classes": dict, "n_fields": int}, "state")
        super()._load_state(state, n_out)
        self.n_fields_ = check_int(
            state["n_fields"], "n_fields", minimum=1, maximum=_MAX_FIELDS
        )
