"""The base classes of all networks: files, training of several seeds, convolutions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gskn._optional import require
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray, IndexArray, Params
from gskn._validation import (
    check_choice,
    check_common_parameters,
    check_int,
    check_node_features,
    check_number,
    check_positive,
)
from gskn.estimators import progress
from gskn.exceptions import InputError
from gskn.graphs import (
    AttributeEncoder,
    GraphBatch,
    check_max_degree,
    warn_unused_edges,
)
from gskn.networks._files import NetworkParts, load_network, save_network
from gskn.networks._merge import merge_nodes

_MAX_LAYERS = 64
MAX_COLUMNS = 2**14
_MAX_EPOCHS = 1_000_000
_MAX_SEEDS = 1000
Member = tuple[Any, dict[str, Any]]  # a torch module and the history of its training


def load_modules() -> Any:
    """Import the torch code; raise if torch is missing, with the extra to install."""
    require("torch", extra="torch")
    return import_module("gskn.networks._modules")


class Network(BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of all networks: checks and files.

    A subclass checks its parameters and describes its module.
    """

    random_state: RandomState
    verbose: int

    _module_name: ClassVar[str]  # of a class in `gskn.networks._modules`
    _uses_node_data: ClassVar[bool] = True
    uses_edges: ClassVar[bool] = False  # whether labels or attributes of edges are used
    encoder_: AttributeEncoder
    members_: list[Any]
    history_: list[dict[str, Any]]

    def save(self, path: str | Path) -> None:
        """Write the fitted network to a safetensors file, without pickle.

        Parameters
        ----------
        path : str or Path
            File to write; it is written completely or not at all.
        """
        check_is_fitted(self, "members_")
        modules = load_modules()
        parts = NetworkParts(
            parameters=self.get_params(deep=False),
            encoder=self.encoder_ if self._uses_node_data else None,
            n_out=self._n_out(),
            states=[modules.save_state(member) for member in self.members_],
            history=self.history_,
            state=self._save_state(),
        )
        save_network(type(self).__name__, parts, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a network that `save` wrote; no code in the file is run.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        model : estimator
            The fitted network, with the same predictions to the last bit.
        """
        modules = load_modules()
        known = cls().get_params(deep=False)

        def make(parts: NetworkParts) -> Network:
            model = cls(**parts.parameters)
            cls._check_parameters(model)
            if (parts.encoder is not None) != cls._uses_node_data:
                raise InputError("the encoder is missing, or is not expected")
            if parts.encoder is not None:
                model.encoder_ = parts.encoder
            model.history_ = parts.history
            cls._load_state(model, parts.state, parts.n_out)
            architecture = cls._architecture(model, parts.n_out)
            module_class = getattr(modules, cls._module_name)
            model.members_ = [
                modules.load_state(lambda: module_class(**architecture), state)
                for state in parts.states
            ]
            return model

        loaded: Self = load_network(cls.__name__, known, make, Path(path))
        return loaded

    def _warn_unused_edges(self, batch: GraphBatch) -> None:
        """Warn the caller of ``fit`` if graphs have edge data that is not used."""
        # Networks that can use labels of edges have this parameter.
        edge_features = getattr(self, "edge_features", None)
        if edge_features != "none":
            used = () if edge_features is None else ("labels",)
            warn_unused_edges(batch, type(self).__name__, used=used, stacklevel=4)

    @abstractmethod
    def _architecture(self, n_out: int) -> dict[str, Any]:
        """Return the arguments of the module; the encoder is fitted."""

    @abstractmethod
    def _n_out(self) -> int:
        """Return the number of outputs of the fitted network."""

    @abstractmethod
    def _save_state(self) -> dict[str, Any]:
        """Return further fitted values as JSON values."""

    @abstractmethod
    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        """Set further fitted values from a file; raise if they are inconsistent."""

    def _check_parameters(self) -> None:
        """Raise if a parameter has an invalid value."""
        check_common_parameters(self)
        check_int(self.verbose, "verbose", minimum=0)


class TrainedNetwork(Network):
    """Base class of the networks that the training loop trains, with one or more seeds."""

    dropout: float
    learning_rate: float
    weight_decay: float
    max_epochs: int
    n_seeds: int
    node_features: str | Sequence[str]
    max_degree: int | None
    n_jobs: int | None

    def _fit_encoder(self, batch: GraphBatch) -> None:
        """Fit the encoder of node data."""
        self.encoder_ = AttributeEncoder(
            node_features=self.node_features, max_degree=self.max_degree
        ).fit(batch)

    @abstractmethod
    def _inputs(self, modules: Any, batch: GraphBatch) -> Any:
        """Return graphs as inputs of the module."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.max_epochs, "max_epochs", minimum=1, maximum=_MAX_EPOCHS)
        check_int(self.n_seeds, "n_seeds", minimum=1, maximum=_MAX_SEEDS)
        check_share(self.dropout, "dropout")
        check_positive(self.learning_rate, "learning_rate", maximum=1.0)
        check_number(self.weight_decay, "weight_decay", minimum=0, maximum=1.0)
        check_node_features(self.node_features)
        check_max_degree(self.max_degree)

    def _settings(self, modules: Any) -> Any:
        """Return the settings of the training loop."""
        return modules.Settings(
            learning_rate=float(self.learning_rate),
            weight_decay=float(self.weight_decay),
            max_epochs=self.max_epochs,
        )

    def _train_members(
        self, train: Callable[..., Member], arguments: Sequence[Any], n_trained: int = 0
    ) -> list[Member]:
        """Train one module per seed, except the first ones; in processes if ``n_jobs``."""
        generator = as_generator(self.random_state)
        seeds = [int(generator.integers(2**31)) for _ in range(self.n_seeds)][n_trained:]
        n_processes = min(effective_n_jobs(self.n_jobs), len(seeds))
        if n_processes > 1:
            parallel = Parallel(n_processes, backend="loky")
            members: list[Member] = parallel(
                delayed(train)(*arguments, seed) for seed in seeds
            )
            return members
        total = len(seeds) * self.max_epochs
        with progress("training", total, shown=self.verbose > 0) as advance:
            members = []
            for seed in seeds:
                member = train(*arguments, seed, advance)
                for _ in range(self.max_epochs - len(member[1]["loss"])):
                    advance()  # over the epochs that early stopping saved
                members.append(member)
        return members


class ConvolutionNetwork(TrainedNetwork):
    """Base class of the networks with convolutions."""

    n_layers: int
    n_hidden: int

    @abstractmethod
    def _convolution_name(self) -> str:
        """Return the name of the convolution."""

    def _options(self) -> Params:
        """Return further parameters of the convolution."""
        return {}

    def _inputs(self, modules: Any, batch: GraphBatch) -> Any:
        convolution = modules.CONVOLUTIONS[self._convolution_name()]
        rows, codes = self.encoder_.distinct_rows(batch)
        matrix = convolution.propagation_matrix(batch.adjacency)
        edge_codes = self._edge_codes(batch)
        graph_ptr, counts = batch.graph_ptr, None
        if self._merges_nodes() and edge_codes is None:  # labels are of single edges
            merged = merge_nodes(matrix, graph_ptr, codes)
            if merged is not None:
                matrix, graph_ptr, nodes, counts = merged
                codes = codes[nodes]
        return modules.GraphInputs(
            matrix, graph_ptr, rows, codes, edge_codes=edge_codes, counts=counts
        )

    def _merges_nodes(self) -> bool:
        """Return whether `merge_nodes` does not change the result."""
        return False

    def _edge_codes(self, batch: GraphBatch) -> IndexArray | None:  # noqa: ARG002
        """Return the codes of edge labels; None if they are not used."""
        return None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.n_layers, "n_layers", minimum=1, maximum=_MAX_LAYERS)
        check_int(self.n_hidden, "n_hidden", minimum=1, maximum=MAX_COLUMNS)


class ClassifierFit:
    """Validation results of a fitted classifier, from the history of its members."""

    history_: list[dict[str, Any]]

    @property
    def validation_accuracy_(self) -> float:
        """Mean accuracy of the members on their validation parts; NaN without them."""
        check_is_fitted(self, "members_")
        return float(np.mean([h["validation_accuracy"] for h in self.history_]))

    @property
    def validation_loss_(self) -> float:
        """Mean loss of the members on their validation parts; NaN without them."""
        check_is_fitted(self, "members_")
        losses = [min(h["validation_loss"], default=np.nan) for h in self.history_]
        return float(np.mean(losses))


def check_share(value: object, name: str) -> float:
    """Return ``value`` as a float from 0 to below 1."""
    number = check_number(value, name, minimum=0)
    if number >= 1:
        raise InputError(f"{name} must be below 1, got {number:g}.")
    return number


def check_heads(n_heads: object, n_hidden: int) -> int:
    """Return the number of attention heads; raise unless it divides ``n_hidden``."""
    count = check_int(n_heads, "n_heads", minimum=1, maximum=MAX_COLUMNS)
    if n_hidden % count:
        raise InputError(
            f"n_hidden must be a multiple of n_heads, got n_hidden={n_hidden} and "
            f"n_heads={count}."
        )
    return count


def check_aggregation(value: object) -> str:
    """Return the name of an aggregation over neighbors."""
    return check_choice(value, "aggregation", choices=("mean", "sum", "max"))


def balanced_weights(codes: Any) -> FloatArray:
    """Return class weights that give all classes the same total weight."""
    counts = np.bincount(codes)
    weights: FloatArray = len(codes) / (len(counts) * counts)
    return weights
