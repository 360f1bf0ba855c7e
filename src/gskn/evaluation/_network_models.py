"""Networks as models: names, grids, and folds in which a network predicts classes itself.

The grid is compared on the validation part that every fit holds out of its training graphs
by the seed. The best parameters are then trained with all their seeds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from gskn._types import AnyArray, FloatArray, IndexArray, Params
from gskn.evaluation._model import Model, as_json, make_estimator
from gskn.evaluation._records import Clock
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.networks import (
    DDGK,
    GAT,
    GCN,
    GIN,
    GraLSP,
    GraphNetwork,
    GraphSAGE,
    GraphSTONE,
    NodeNetwork,
    PatchySAN,
    UnsupervisedNodeNetwork,
)

_EXTRA = "torch"
_N_SEEDS = 3
_GRID: tuple[Params, ...] = tuple(
    {"n_layers": n_layers, "readout": readout, "n_seeds": _N_SEEDS}
    for n_layers in (2, 4)
    for readout in ("sum", "mean")
)
# One parameter set, and fewer epochs: for large data sets.
_SHORT: tuple[Params, ...] = ({"n_layers": 4, "readout": "mean", "max_epochs": 60},)
_NETWORKS: tuple[tuple[type[GraphNetwork], str, str], ...] = (
    (GIN, "GIN", "graph isomorphism network (GIN)"),
    (GCN, "GCN", "graph convolutional network (GCN)"),
    (GraphSAGE, "GraphSAGE", "means of neighbors (GraphSAGE)"),
    (GAT, "GAT", "graph attention network (GAT)"),
)


def _make_models(
    network: type[GraphNetwork], label: str, description: str
) -> tuple[Model, ...]:
    name = network.convolution
    common: dict[str, Any] = {"classifiers": (), "extra": _EXTRA}
    nodes = Model(
        name, f"{label}, trained by classes", ({"convolution": name},), (), NodeNetwork
    )
    return (
        Model(name, description, _GRID, estimator=network, nodes=nodes, **common),
        Model(f"{name}-short", f"{label}, 60 epochs", _SHORT, estimator=network, **common),
        Model(
            f"{name}-unsupervised",
            f"{label} for nodes; trained by walks",
            ({"convolution": name},),
            estimator=UnsupervisedNodeNetwork,
            extra=_EXTRA,
        ),
    )


NETWORK_MODELS = (
    *(model for names in _NETWORKS for model in _make_models(*names)),
    Model(
        "patchysan",
        "ordered neighborhoods (PatchySAN)",
        tuple({"field_size": size, "n_seeds": _N_SEEDS} for size in (5, 10)),
        (),
        PatchySAN,
        extra=_EXTRA,
    ),
    Model(
        "patchysan-short",
        "PatchySAN, 32 fields, 60 epochs",
        ({"n_fields": 32, "max_epochs": 60},),
        (),
        PatchySAN,
        extra=_EXTRA,
    ),
    Model("gralsp", "GraLSP for nodes", ({},), estimator=GraLSP, extra=_EXTRA),
    Model(
        "graphstone",
        "GraphSTONE for nodes; with mixtures of topics",
        ({"topics": "intended"},),
        estimator=GraphSTONE,
        extra=_EXTRA,
    ),
    Model(
        "graphstone-published",
        "GraphSTONE, published program",
        ({"topics": "published"},),
        estimator=GraphSTONE,
        extra=_EXTRA,
    ),
    Model("ddgk", "DDGK, divergences from 16 graphs", ({},), estimator=DDGK, extra=_EXTRA),
)


class NetworkResult(NamedTuple):
    """Predictions of a network for the test samples, and its selected parameters."""

    predicted: AnyArray
    probabilities: FloatArray
    classes: AnyArray
    chosen: dict[str, Any]


def predict_fold(  # noqa: PLR0913, PLR0917 - a fold
    model: Model,
    graphs: GraphBatch,
    y: AnyArray,
    train: IndexArray,
    test: IndexArray,
    seed: int,
    n_jobs: int | None,
    clock: Clock,
) -> NetworkResult:
    """Select the parameters of a network, fit it and predict the test graphs."""
    training_graphs, y_train = graphs[train], y[train]
    with clock.measure("choose"):
        best, params = _select(model, (training_graphs, y_train), seed, n_jobs)
    inner = best.validation_accuracy_
    with clock.measure("fit"):
        n_seeds = params.get("n_seeds", 1)
        best.set_params(n_seeds=n_seeds, warm_start=True, n_jobs=n_jobs)
        best.fit(training_graphs, y_train)
    with clock.measure("classify"):
        probabilities = best.predict_proba(graphs[test])
    return _result(best, probabilities, params, inner)


def predict_nodes(  # noqa: PLR0913, PLR0917 - a split
    model: Model,
    graphs: GraphBatch,
    y: AnyArray,
    train: IndexArray,
    test: IndexArray,
    seed: int,
    n_jobs: int | None,
    clock: Clock,
) -> NetworkResult:
    """Select the parameters of a network for nodes, fit it and predict the test nodes."""
    with clock.measure("choose"):
        best, params = _select(model, (graphs, y[train], train), seed, n_jobs)
    with clock.measure("classify"):
        probabilities = best.predict_proba(graphs, test)
    result = _result(best, probabilities, params, best.validation_accuracy_)
    if y.ndim > 1:
        return result._replace(predicted=(probabilities > 0.5).astype(y.dtype))
    return result


def is_network(model: Model) -> bool:
    """Return whether the estimator predicts classes and holds out a validation part."""
    return model.predicts and hasattr(model.estimator, "validation_accuracy_")


def check_supports_graphs(model: Model) -> None:
    """Raise if a model is for nodes only."""
    embeds = hasattr(model.estimator, "transform")
    predicts = model.predicts and not _classifies_nodes(model)
    if not embeds and not predicts:
        raise InputError(f"The model {model.name!r} is for nodes only, not for graphs.")


def check_supports_nodes(model: Model) -> None:
    """Raise if a model is for graphs only."""
    predicts = model.predicts and model.supports("classes") and not is_network(model)
    if not (model.embeds_nodes or predicts or _classifies_nodes(model)):
        raise InputError(f"The model {model.name!r} embeds graphs only, not nodes.")


def _classifies_nodes(model: Model) -> bool:
    return isinstance(model.estimator, type) and issubclass(model.estimator, NodeNetwork)


def _select(
    model: Model, arguments: Sequence[Any], seed: int, n_jobs: int | None
) -> tuple[Any, Params]:
    """Fit one network per parameter set; return the best one on its validation part."""
    estimators = [
        make_estimator(model.estimator, {**params, "n_seeds": 1}, seed, n_jobs=None)
        for params in model.grid
    ]
    n_processes = min(effective_n_jobs(n_jobs), len(estimators))
    if n_processes > 1:
        parallel = Parallel(n_processes, backend="loky")
        fitted = parallel(delayed(_fit)(estimator, arguments) for estimator in estimators)
    else:
        fitted = [_fit(estimator, arguments) for estimator in estimators]
    # Ties are frequent on small parts; without a part, all values are NaN.
    scores = [(e.validation_accuracy_, -e.validation_loss_) for e in fitted]
    best = max(range(len(fitted)), key=lambda number: scores[number])
    return fitted[best], model.grid[best]


def _fit(estimator: Any, arguments: Sequence[Any]) -> Any:
    return estimator.fit(*arguments)


def _result(
    network: Any, probabilities: FloatArray, params: Params, inner: float
) -> NetworkResult:
    epochs = [len(history["loss"]) for history in network.history_]
    return NetworkResult(
        predicted=network.classes_[np.argmax(probabilities, axis=1)],
        probabilities=probabilities,
        classes=network.classes_,
        chosen={"params": as_json(params), "epochs": epochs, "inner": inner},
    )
