"""The base classes of networks that classify graphs."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_int
from gskn.estimators import (
    ClassTask,
    load_classes,
    read_graphs_and_targets,
    save_classes,
)
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import (
    ClassifierFit,
    ConvolutionNetwork,
    TrainedNetwork,
    balanced_weights,
    check_share,
    load_modules,
)

_MAX_BATCH = 2**20


class GraphClassifier(ClassifierMixin, ClassifierFit, TrainedNetwork):  # type: ignore[misc]
    """Base class of the networks that predict classes of graphs.

    A subclass turns graphs into inputs of its module.
    """

    batch_size: int
    validation_size: float
    class_weight: Literal["balanced"] | None
    warm_start: bool
    classes_: AnyArray

    def fit(self, X: Any, y: Any) -> Self:
        """Train one network per seed.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : array-like of shape (n_graphs,)
            Class of every graph.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        self._check_parameters()
        modules = load_modules()
        batch, y, _ = read_graphs_and_targets(X, y, None)
        self._warn_unused_edges(batch)
        task = ClassTask.from_targets(y)
        classes, codes = task.classes, task.codes
        n_trained = self._n_trained(classes)
        self._fit_inputs(batch)
        balanced = self.class_weight == "balanced"
        members = self._train_members(
            modules.train_graph_member,
            (
                getattr(modules, self._module_name),
                self._inputs(modules, batch),
                codes.astype(np.int64),
                self._architecture(len(classes)),
                self._settings(modules),
                self.batch_size,
                float(self.validation_size),
                balanced_weights(codes) if balanced else None,
            ),
            n_trained,
        )
        kept = (self.members_, self.history_) if n_trained else ([], [])
        self.members_ = [*kept[0], *(module for module, _ in members)]
        self.history_ = [*kept[1], *(history for _, history in members)]
        self.classes_ = classes
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class of every graph.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        y : ndarray of shape (n_graphs,)
            Most probable class.
        """
        y: AnyArray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return y

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every class.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        probabilities : ndarray of shape (n_graphs, n_classes)
            Mean of the probabilities of all members.
        """
        check_is_fitted(self, "members_")
        batch = as_batch(X)
        if not batch.n_graphs:
            return np.empty((0, len(self.classes_)))
        modules = load_modules()
        probabilities: FloatArray = modules.predict_graphs(
            self.members_, self._inputs(modules, batch)
        )
        return probabilities

    def _fit_inputs(self, batch: GraphBatch) -> None:
        """Fit what turns graphs into inputs of the module."""
        self._fit_encoder(batch)

    def _n_trained(self, classes: AnyArray) -> int:
        """Return the number of members to keep, with ``warm_start``."""
        if not self.warm_start or not hasattr(self, "members_"):
            return 0
        if not np.array_equal(classes, self.classes_):
            raise InputError(
                "With warm_start=True, fit needs the same graphs and classes as before."
            )
        if len(self.members_) > self.n_seeds:
            raise InputError(
                f"With warm_start=True, n_seeds must be at least {len(self.members_)}, the "
                f"number of trained networks, got {self.n_seeds}."
            )
        return len(self.members_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.batch_size, "batch_size", minimum=1, maximum=_MAX_BATCH)
        check_share(self.validation_size, "validation_size")
        if self.class_weight is not None:
            check_choice(self.class_weight, "class_weight", choices=("balanced",))

    def _n_out(self) -> int:
        return len(self.classes_)

    def _save_state(self) -> dict[str, Any]:
        return {"classes": save_classes(self.classes_)}

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        self.classes_ = load_classes(state.get("classes"))
        if len(self.classes_) != n_out:
            raise InputError(f"{n_out} outputs do not fit {len(self.classes_)} classes")


class GraphNetwork(GraphClassifier, ConvolutionNetwork):
    """Base class of the networks that classify graphs.

    The parameters are documented in the subclasses, for instance `GIN`. A subclass sets
    ``convolution``.

    Attributes
    ----------
    convolution : str
        Name of the convolution: "gin", "gcn", "sage" or "gat".
    """

    convolution: ClassVar[str]
    _module_name = "GraphModule"

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
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.readout = readout
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

    def _convolution_name(self) -> str:
        return self.convolution

    def _merges_nodes(self) -> bool:
        return True

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {
            "convolution": self._convolution_name(),
            "n_features": self.encoder_.n_features_out_,
            "n_classes": n_out,
            "n_layers": self.n_layers,
            "n_hidden": self.n_hidden,
            "readout": self.readout,
            "dropout": float(self.dropout),
            "options": self._options(),
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.readout, "readout", choices=("sum", "mean", "max"))
