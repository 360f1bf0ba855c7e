"""The function that explains predictions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from gskn._offsets import running_total, runs_of_graphs
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn._validation import check_choice
from gskn.explain._additive import Additive
from gskn.explain._arcs import MAX_WALKS, sums_patterns
from gskn.explain._blocks import Chunk, make_chunk
from gskn.explain._explanation import Explanation
from gskn.explain._names import Pattern
from gskn.explain._nodes import Parts, by_edges, by_start, by_visits
from gskn.explain._patterns import (
    PatternParts,
    by_landmarks,
    by_patterns,
    landmark_patterns,
)
from gskn.explain._walks import node_steps
from gskn.graphs import GraphBatch
from gskn.layers import AnonymousLayer, Layer, WalkLayer
from gskn.walks import can_sum_crossings, count_walks_by_graph

_CHUNK_WALKS = 1_000_000  # that are listed at once
_CHUNK_CELLS = 2**24  # of node embeddings at once


def explain(
    model: Any,
    graphs: Any,
    target: object = None,
    by: Literal["nodes", "edges", "patterns", "landmarks"] = "nodes",
    *,
    view: Literal["visited", "start"] = "visited",
    gradient: Literal["path", "local"] = "path",
) -> Explanation:
    """Explain predictions by the contributions of nodes, edges, patterns or landmarks.

    With sum or mean pooling and a linear model, a prediction is a sum over walks, and the
    explanation is exact. Log pooling and kernel machines are approximated by a linear
    function of the walks of each graph (gradient times input), and the remainder is
    reported.

    Parameters
    ----------
    model : GSKNClassifier, GSKNRegressor or Pipeline
        Fitted model. A pipeline ends with a classifier or regressor of gskn, or with
        `GSKN`, optionally ``StandardScaler``, and a linear model with ``coef_`` and
        ``intercept_``. Steps before these convert the graphs.
    graphs : graphs
        Anything that `as_batch` accepts.
    target : object, default=None
        Class to explain. None: the second of two classes, and of more classes the
        predicted class of every graph.
    by : {"nodes", "edges", "patterns", "landmarks"}, default="nodes"
        Entries of the explanation. "edges": the contribution of a walk is divided equally
        among its steps; walks of one node, and steps at a dead end, belong to an entry of
        the node and itself. "patterns": kinds of walks, by the features of the visited
        nodes or by their anonymous patterns. "landmarks": the walks with which the model
        compares graphs; their weights may be large and cancel.
    view : {"visited", "start"}, default="visited"
        Nodes only: "visited" divides the contribution of a walk equally among its visits,
        "start" assigns it to its start. The walks are those of the last layer.
    gradient : {"path", "local"}, default="path"
        Gradient that approximates a model that is not linear: the mean gradient on the
        line from a graph without nodes to the graph, which leaves almost no remainder
        [1]_, or the gradient at the graph.

    Returns
    -------
    explanation : Explanation
        Contributions, with ``baseline + contributions.sum() + remainder == prediction``
        for every graph. The prediction is the decision value: for two classes the
        decision function, for more classes the mean decision value of the class against
        each other class, or its decision function in a pipeline.

    Notes
    -----
    The contributions are not Shapley values: they divide the terms of the prediction, and
    do not state how the prediction changes if a node is removed. `occlusion` does.

    References
    ----------
    .. [1] Sundararajan, Taly and Yan, "Axiomatic attribution for deep networks", ICML 2017.

    Examples
    --------
    >>> from gskn import GSKN, GSKNClassifier, datasets
    >>> from gskn.explain import explain
    >>> data = datasets.load("MUTAG")
    >>> embedding = GSKN(pooling="mean")
    >>> model = GSKNClassifier(embedding, kernel="linear", C=1.0, random_state=0)
    >>> model = model.fit(data.graphs, data.y)
    >>> explanation = explain(model, data.graphs[0])
    >>> total = explanation.baseline + explanation.contributions.sum()
    >>> bool(abs(total - model.decision_function(data.graphs[0])) < 1e-9)
    True
    """
    check_choice(by, "by", choices=("nodes", "edges", "patterns", "landmarks"))
    check_choice(view, "view", choices=("visited", "start"))
    check_choice(gradient, "gradient", choices=("local", "path"))
    additive = Additive.from_model(model)
    batch = additive.read(graphs)
    targets = additive.targets(batch, target)
    (explanation,) = explain_views(
        additive, batch, targets, ((by, view),), along_path=gradient == "path"
    )
    return explanation


def explain_views(
    additive: Additive,
    batch: GraphBatch,
    targets: IndexArray,
    views: Sequence[tuple[str, str]],
    *,
    along_path: bool = True,
) -> list[Explanation]:
    """Return one explanation for every kind and view; graphs are embedded once."""
    chunks: list[Chunk] = []
    parts: list[list[Parts | PatternParts]] = [[] for _ in views]
    names: list[list[Pattern]] | None = None
    for run in _runs(additive, batch, views):
        chunk = make_chunk(additive, batch[run], targets[run], along_path=along_path)
        if names is None and any(by == "landmarks" for by, _ in views):
            names = landmark_patterns(chunk)
        for (by, view), listed in zip(views, parts, strict=True):
            listed.append(_split(chunk, by, view, names))
        chunks.append(replace(chunk, blocks=[]))
    return [
        _join(additive, batch, targets, chunks, listed, by=by, view=view)
        for (by, view), listed in zip(views, parts, strict=True)
    ]


def _split(
    chunk: Chunk, by: str, view: str, names: list[list[Pattern]] | None
) -> Parts | PatternParts:
    """Return the contributions of the entries of a chunk."""
    if by == "nodes":
        return by_start(chunk) if view == "start" else by_visits(chunk)
    if by == "edges":
        return by_edges(chunk)
    if by == "patterns":
        return by_patterns(chunk)
    return by_landmarks(chunk, names or [])


def _join(
    additive: Additive,
    batch: GraphBatch,
    targets: IndexArray,
    chunks: list[Chunk],
    parts: list[Any],
    *,
    by: str,
    view: str,
) -> Explanation:
    """Return one explanation for all chunks."""
    is_pattern = by in {"patterns", "landmarks"}
    patterns = amounts = nodes = None
    if is_pattern:
        patterns = tuple(part.patterns[n] for part in parts for n in part.numbers.tolist())
        amounts = np.concatenate([part.amounts for part in parts])
    else:
        nodes = np.concatenate([part.nodes for part in parts])
    classes = additive.classes
    return Explanation(
        graphs=batch,
        by=by,
        view=view,
        targets=None if classes is None else tuple(classes[targets].tolist()),
        contributions=np.concatenate([part.contributions for part in parts]),
        entry_ptr=running_total(np.concatenate([part.counts for part in parts])),
        baseline=np.concatenate([chunk.baseline for chunk in chunks]),
        prediction=np.concatenate([chunk.prediction for chunk in chunks]),
        remainder=np.concatenate([chunk.remainder for chunk in chunks]),
        exact=additive.is_exact,
        nodes=nodes,
        patterns=patterns,
        amounts=amounts,
    )


def _runs(
    additive: Additive, batch: GraphBatch, views: Sequence[tuple[str, str]]
) -> list[slice]:
    """Split graphs into runs with bounded numbers of listed walks and node embeddings."""
    work = batch.graph_sizes * 1.0
    n_columns = sum(m.embedding.n_node_features_out_ for m in additive.members)
    work *= n_columns / _CHUNK_CELLS
    work += _listed_walks(additive, batch, views) / _CHUNK_WALKS
    scaled = np.ceil(np.minimum(work, 1.0) * 2**30).astype(np.int64)
    return runs_of_graphs(running_total(scaled), 2**30) or [slice(0, 0)]


def can_list(additive: Additive, batch: GraphBatch, view: tuple[str, str]) -> BoolArray:
    """Return for every graph whether it has few enough walks for a view."""
    return np.asarray(_listed_walks(additive, batch, (view,)) <= MAX_WALKS)


def _listed_walks(
    additive: Additive, batch: GraphBatch, views: Sequence[tuple[str, str]]
) -> FloatArray:
    """Return the number of walks of every graph that views list one by one."""
    layers = [
        branch.layers[-1]
        for member in additive.members
        for branch in member.embedding.stack_.branches
    ]
    steps = node_steps(batch, use_probability=False, loops=True)
    total = np.zeros(batch.n_graphs)
    for length in {layer.length for layer in layers}:
        same = [layer for layer in layers if layer.length == length]
        lists = np.any([_lists_walks(layer, batch, views) for layer in same], axis=0)
        if lists.any():
            n_walks = count_walks_by_graph(steps, batch.graph_ptr, length)
            total += np.where(lists, n_walks, 0.0)
    return total


def _lists_walks(
    layer: Layer, batch: GraphBatch, views: Sequence[tuple[str, str]]
) -> BoolArray:
    """Return for every graph whether its walks are listed one by one."""
    lists = np.zeros(batch.n_graphs, dtype=bool)
    kinds = {by if view == "visited" else view for by, view in views}
    if "patterns" in kinds and not isinstance(layer, AnonymousLayer):
        lists[:] = True
    if kinds & {"nodes", "edges"} and not isinstance(layer, WalkLayer):
        summable = can_sum_crossings(batch.graph_sizes, layer.length)
        lists |= ~summable if sums_patterns(layer) else np.ones_like(lists)
    return lists
