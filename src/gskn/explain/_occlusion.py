"""Occlusion: how predictions change when one node is removed."""

from typing import Any

import numpy as np

from gskn._offsets import positions_within, runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn.explain._additive import Additive
from gskn.explain._blocks import sum_over
from gskn.explain._explanation import Explanation
from gskn.explain._subgraphs import induced_subgraphs
from gskn.graphs import GraphBatch
from gskn.pooling import pool

_CHUNK_NODES = 50_000  # of copies of graphs that are embedded at once


def occlusion(model: Any, graphs: Any, target: object = None) -> Explanation:
    """Explain predictions by removing nodes one by one.

    The contribution of a node is the prediction minus the prediction for the graph without
    the node and its edges. The contributions do not add up to the prediction. They are a
    check of `explain`, and take one prediction per node.

    Parameters
    ----------
    model : GSKNClassifier, GSKNRegressor or Pipeline
        Fitted model, as in `explain`.
    graphs : graphs
        Anything that `as_batch` accepts.
    target : object, default=None
        Class to explain, as in `explain`.

    Returns
    -------
    explanation : Explanation
        Contributions of nodes, and the remainder that is missing to the prediction.

    Examples
    --------
    >>> from gskn import GSKN, GSKNRegressor, datasets
    >>> from gskn.explain import occlusion
    >>> data = datasets.load("MUTAG")
    >>> embedding = GSKN(("walk",), walk_length=1, pooling="sum")
    >>> model = GSKNRegressor(embedding, kernel="linear", random_state=0)
    >>> model = model.fit(data.graphs, data.graphs.graph_sizes)
    >>> changes = occlusion(model, data.graphs[0]).contributions  # the size falls by one
    >>> bool(abs(changes - 1).max() < 0.2)
    True
    """
    additive = Additive.from_model(model)
    batch = additive.read(graphs)
    targets = additive.targets(batch, target)
    prediction = _decide(additive, batch, targets)
    changes = np.empty(batch.n_nodes)
    # A graph with n nodes has n copies with n - 1 nodes each.
    n_copied = np.concatenate([[0], np.cumsum(batch.graph_sizes**2)])
    for run in runs_of_graphs(n_copied, _CHUNK_NODES):
        part, sizes = batch[run], batch.graph_sizes[run]
        owners = np.repeat(np.arange(part.n_graphs), sizes)
        copies = part[owners]
        kept = np.ones(copies.n_nodes, dtype=bool)
        kept[copies.graph_ptr[:-1] + positions_within(sizes)] = False
        without = _decide(additive, induced_subgraphs(copies, kept), targets[run][owners])
        nodes = slice(batch.graph_ptr[run.start], batch.graph_ptr[run.stop])
        changes[nodes] = prediction[run][owners] - without
    empty = [
        np.zeros((batch.n_graphs, m.embedding.n_node_features_out_))
        for m in additive.members
    ]
    baseline = additive.decide(empty, batch.graph_sizes, targets)
    sums = sum_over(changes, batch.graph_ptr)
    classes = additive.classes
    return Explanation(
        graphs=batch,
        by="nodes",
        view="occlusion",
        targets=None if classes is None else tuple(classes[targets].tolist()),
        contributions=changes,
        entry_ptr=batch.graph_ptr,
        baseline=baseline,
        prediction=prediction,
        remainder=prediction - baseline - sums,
        exact=False,
        nodes=positions_within(batch.graph_sizes)[:, None],
    )


def _decide(additive: Additive, batch: GraphBatch, targets: IndexArray) -> FloatArray:
    """Return the decision value of the target of every graph."""
    sums = [
        pool(member.embedding.transform_nodes(batch), batch.graph_ptr)
        for member in additive.members
    ]
    return additive.decide(sums, batch.graph_sizes, targets)
