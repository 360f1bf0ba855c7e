"""GCN for the classification of graphs."""

from gskn.networks._graph_network import GraphNetwork


class GCN(GraphNetwork):
    """Classify graphs by a graph convolutional network.

    A convolution maps the features of nodes linearly and averages them over a node and its
    neighbors, with weights that depend on their degrees.

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
    A convolution is ``D^(-1/2) (A + I) D^(-1/2) X W + b``, where A is the (weighted)
    adjacency matrix and D contains the degrees of A + I [1]_, followed by batch
    normalization and ReLU. A node that has a loop gets no second one.

    References
    ----------
    .. [1] Thomas N. Kipf and Max Welling, "Semi-supervised classification with graph
       convolutional networks", 2017.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.load("structure")
    >>> graphs, y = data.graphs[::4], data.y[::4]
    >>> model = GCN(n_layers=2, n_hidden=16, max_epochs=20, random_state=0)
    >>> model.fit(graphs, y).predict_proba(graphs[:3]).shape
    (3, 4)
    """

    convolution = "gcn"
