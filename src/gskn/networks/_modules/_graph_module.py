"""The module of a graph classifier, and the problem it is trained on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gskn._types import FloatArray, IndexArray, Params
from gskn.networks._modules._layers import BatchNorm
from gskn.networks._modules._registry import CONVOLUTIONS
from gskn.networks._modules._tensors import GraphTensors
from gskn.networks._modules._training import (
    Settings,
    hold_out,
    minibatches,
    one_thread,
    train,
)


class GraphModule(nn.Module):
    """Convolutions, a readout of every one of them, and a classifier of two layers.

    The readouts are normalized over the minibatch.
    """

    def __init__(  # noqa: PLR0913 - sizes
        self,
        convolution: str,
        n_features: int,
        n_classes: int,
        *,
        n_layers: int,
        n_hidden: int,
        readout: str,
        dropout: float,
        options: Params,
    ) -> None:
        super().__init__()
        make = CONVOLUTIONS[convolution]
        sizes = [n_features] + n_layers * [n_hidden]
        self.readout = readout
        self.layers = nn.ModuleList(
            make(n_in, n_hidden, **options) for n_in in sizes[:n_layers]
        )
        self.norms = nn.ModuleList(BatchNorm(n_hidden) for _ in range(n_layers))
        self.classifier = nn.Sequential(
            # Sums over nodes are large: without this, GCN, GraphSAGE and GAT stayed ten
            # points below what they reach on MUTAG, also on the training graphs.
            BatchNorm(n_layers * n_hidden),
            nn.Dropout(dropout),
            nn.Linear(n_layers * n_hidden, n_hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(n_hidden, n_classes),
        )

    def forward(self, graphs: GraphTensors) -> Tensor:
        """Return the logit of every class for every graph."""
        rows: Any = graphs.features
        pooled = []
        for layer, norm in zip(self.layers, self.norms, strict=True):
            rows = torch.relu(norm(layer(graphs, rows), graphs.counts))
            pooled.append(graphs.pool(rows, self.readout))
        logits: Tensor = self.classifier(torch.cat(pooled, dim=1))
        return logits


@dataclass(frozen=True)
class GraphProblem:
    """Cross-entropy of the classes of graphs."""

    inputs: Any  # with the methods of `GraphInputs`
    codes: IndexArray
    train: IndexArray
    validation: Sequence[Any]
    validation_codes: IndexArray
    batch_size: int
    class_weights: Tensor | None = None

    def losses(
        self, module: nn.Module, generator: np.random.Generator
    ) -> Iterator[tuple[Tensor, int]]:
        """Yield the loss of every minibatch of graphs."""
        for graphs in minibatches(self.train, self.batch_size, generator):
            logits = module(self.inputs.take(graphs))
            yield self._loss(logits, self.codes[graphs]), len(graphs)

    def validate(self, module: nn.Module) -> float | None:
        """Return the loss of the validation graphs."""
        if not self.validation:
            return None
        return float(
            self._loss(compute_logits(module, self.validation), self.validation_codes)
        )

    def accuracy(self, module: nn.Module) -> float:
        """Return the accuracy on the validation graphs; NaN if there are none."""
        if not self.validation:
            return float("nan")
        predicted = compute_logits(module, self.validation).argmax(1).numpy()
        return float((predicted == self.validation_codes).mean())

    def _loss(self, logits: Tensor, codes: IndexArray) -> Tensor:
        return nn.functional.cross_entropy(
            logits, torch.from_numpy(codes), self.class_weights
        )


def train_graph_member(  # noqa: PLR0913, PLR0917 - called in processes, by position
    make_module: Callable[..., nn.Module],
    inputs: Any,
    codes: IndexArray,
    architecture: Params,
    settings: Settings,
    batch_size: int,
    validation_size: float,
    class_weights: FloatArray | None,
    seed: int,
    advance: Any = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train one network; return it with its history and validation accuracy."""
    part, held_out = hold_out(codes, validation_size, np.random.default_rng(seed))
    weights = None
    if class_weights is not None:
        weights = torch.from_numpy(class_weights.astype(inputs.table.dtype))
    problem = GraphProblem(
        inputs,
        codes,
        part,
        inputs.parts(held_out),
        codes[held_out],
        batch_size,
        weights,
    )
    module, history = train(
        lambda: make_module(**architecture), problem, settings, seed, advance
    )
    with one_thread():
        history["validation_accuracy"] = problem.accuracy(module)
    return module, history


def predict_graphs(modules: Sequence[nn.Module], inputs: Any) -> FloatArray:
    """Return the mean probabilities of all modules, one row per graph."""
    with one_thread():
        parts = inputs.parts(np.arange(inputs.n_graphs))
        probabilities = [
            torch.softmax(compute_logits(module, parts).double(), dim=1).numpy()
            for module in modules
        ]
    result: FloatArray = np.mean(probabilities, axis=0)
    return result


def compute_logits(module: nn.Module, parts: Sequence[Any]) -> Tensor:
    """Return the outputs of a module in evaluation mode for minibatches, joined."""
    with torch.no_grad():
        return torch.cat([module(part) for part in parts])
