"""Modules of node classifiers and node embeddings, and their problems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray, Params
from gskn.networks._modules._registry import CONVOLUTIONS
from gskn.networks._modules._tensors import GraphInputs, GraphTensors, NodeRows
from gskn.networks._modules._training import Settings, hold_out, one_thread, train

_N_NEGATIVES = 8  # random nodes per pair of nodes of a walk
_DEGREE_POWER = 0.75  # random nodes are drawn in proportion to this power of the degree


class NodeModule(nn.Module):
    """Convolutions with dropout before and ReLU between them."""

    def __init__(  # noqa: PLR0913 - sizes
        self,
        convolution: str,
        n_features: int,
        n_out: int,
        *,
        n_layers: int,
        n_hidden: int,
        dropout: float,
        normalize: bool,
        options: Params,
    ) -> None:
        super().__init__()
        make = CONVOLUTIONS[convolution]
        sizes = [n_features] + (n_layers - 1) * [n_hidden]
        layers = [make(n_in, n_hidden, **options) for n_in in sizes[:-1]]
        last: dict[str, Params] = {
            "gat": {"n_heads": 1},
            "gin": {"n_middle": n_hidden},
        }
        last_options = {**options, **last.get(convolution, {})}
        self.layers = nn.ModuleList([*layers, make(sizes[-1], n_out, **last_options)])
        self.dropout = nn.Dropout(dropout)
        self.normalize = normalize

    def forward(self, graphs: GraphTensors) -> Tensor:
        """Return the outputs of every node, of unit norm if ``normalize``."""
        rows: Any = self._drop(graphs.features)
        for number, layer in enumerate(self.layers):
            rows = layer(graphs, rows if not number else self.dropout(torch.relu(rows)))
        result: Tensor = nn.functional.normalize(rows) if self.normalize else rows
        return result

    def _drop(self, features: NodeRows) -> NodeRows:
        """Apply dropout to the features of nodes."""
        if not self.training or not self.dropout.p:
            return features
        # Nodes with equal features are dropped independently.
        return NodeRows(self.dropout(features.dense()))


@dataclass(frozen=True)
class NodeProblem:
    """Cross-entropy of the classes of nodes, or of several labels each."""

    graphs: GraphTensors
    y: Tensor  # class numbers, or one column of 0 and 1 per label
    nodes: Tensor  # training nodes, one per row of ``y``
    train: Tensor  # rows of ``y``
    validation: Tensor
    class_weights: Tensor | None = None

    def losses(
        self,
        module: nn.Module,
        generator: np.random.Generator,  # noqa: ARG002 - full batch
    ) -> Iterator[tuple[Tensor, int]]:
        """Yield the loss of all training nodes."""
        yield self._loss(module(self.graphs), self.train), len(self.train)

    def validate(self, module: nn.Module) -> float | None:
        """Return the loss of the validation nodes."""
        if not len(self.validation):
            return None
        with torch.no_grad():
            return float(self._loss(module(self.graphs), self.validation))

    def accuracy(self, module: nn.Module) -> float:
        """Return the accuracy on the validation nodes; NaN if there are none."""
        if not len(self.validation):
            return float("nan")
        with torch.no_grad():
            logits = module(self.graphs)[self.nodes[self.validation]]
        y = self.y[self.validation]
        correct = logits.argmax(1) == y if y.ndim == 1 else (logits > 0) == (y > 0)
        return float(correct.double().mean())

    def _loss(self, logits: Tensor, rows: Tensor) -> Tensor:
        selected, y = logits[self.nodes[rows]], self.y[rows]
        if y.ndim == 1:
            return nn.functional.cross_entropy(selected, y, self.class_weights)
        return nn.functional.binary_cross_entropy_with_logits(selected, y)


@dataclass(frozen=True)
class WalkProblem:
    """Nodes of one walk have similar embeddings, and random nodes different ones.

    One epoch has one pair per node: the node, and a random node of a random walk from it.
    """

    graphs: Any  # the input of the module
    walks: NodeArray  # of shape (n_nodes, n_walks, length)
    probabilities: FloatArray  # of nodes, as negative samples

    def losses(
        self, module: nn.Module, generator: np.random.Generator
    ) -> Iterator[tuple[Tensor, int]]:
        """Yield the loss of one pair per node."""
        n_nodes, n_walks, length = self.walks.shape
        nodes = np.arange(n_nodes)
        walk = generator.integers(n_walks, size=n_nodes)
        position = generator.integers(1, length, size=n_nodes)
        positives = torch.from_numpy(self.walks[nodes, walk, position].astype(np.int64))
        # Sampling by inversion: Generator.choice sums the probabilities on every call.
        uniform = generator.random((n_nodes, _N_NEGATIVES))
        drawn = np.searchsorted(np.cumsum(self.probabilities), uniform, side="right")
        negatives = torch.from_numpy(drawn.clip(max=n_nodes - 1))
        rows, other_loss = self.embed(module, generator)
        attraction = (rows * rows.index_select(0, positives)).sum(1)
        others = rows.index_select(0, negatives.flatten()).unflatten(0, negatives.shape)
        repulsion = (others * rows[:, None]).sum(2)
        log_sigmoid = nn.functional.logsigmoid
        loss = -(log_sigmoid(attraction) + log_sigmoid(-repulsion).sum(1)).mean()
        yield loss + other_loss, n_nodes

    def embed(
        self,
        module: nn.Module,
        generator: np.random.Generator,  # noqa: ARG002 - for subclasses
    ) -> tuple[Tensor, Tensor | float]:
        """Return the outputs of all nodes, and a loss to add."""
        return module(self.graphs), 0.0

    def validate(self, module: nn.Module) -> float | None:  # noqa: ARG002
        """Return None: all nodes are used for training."""
        return None


def train_node_member(  # noqa: PLR0913, PLR0917 - called in processes, by position
    inputs: GraphInputs,
    y: AnyArray,
    nodes: IndexArray,
    architecture: Params,
    settings: Settings,
    validation_size: float,
    class_weights: FloatArray | None,
    seed: int,
    advance: Any = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train one classifier of nodes; return it with its history."""
    strata = y if y.ndim == 1 else np.zeros(len(y), dtype=np.int64)
    part, held_out = hold_out(strata, validation_size, np.random.default_rng(seed))
    weights = None
    if class_weights is not None:
        weights = torch.from_numpy(class_weights.astype(inputs.table.dtype))
    problem = NodeProblem(
        inputs.take(np.arange(inputs.n_graphs)),
        torch.from_numpy(y if y.ndim == 1 else y.astype(inputs.table.dtype)),
        torch.from_numpy(nodes),
        torch.from_numpy(part),
        torch.from_numpy(held_out),
        weights,
    )
    module, history = train(
        lambda: NodeModule(**architecture), problem, settings, seed, advance
    )
    with one_thread():
        history["validation_accuracy"] = problem.accuracy(module)
    return module, history


def train_walk_member(
    inputs: GraphInputs,
    walks: NodeArray,
    degrees: IndexArray,
    architecture: Params,
    settings: Settings,
    seed: int,
    advance: Any = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train one embedding of nodes without classes; return it with its history."""
    problem = WalkProblem(
        inputs.take(np.arange(inputs.n_graphs)), walks, negative_shares(degrees)
    )
    module, history = train(
        lambda: NodeModule(**architecture), problem, settings, seed, advance
    )
    return module, {**history, "validation_accuracy": float("nan")}


def negative_shares(degrees: IndexArray) -> FloatArray:
    """Return the probabilities of nodes as negative samples."""
    weights = np.maximum(degrees, 1.0) ** _DEGREE_POWER
    shares: FloatArray = weights / weights.sum()
    return shares


def node_outputs(module: nn.Module, inputs: GraphInputs) -> FloatArray:
    """Return the outputs of a module for all nodes."""
    with one_thread(), torch.no_grad():
        rows = module(inputs.take(np.arange(inputs.n_graphs)))
    result: FloatArray = rows.double().numpy()
    return result
