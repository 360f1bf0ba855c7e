"""Explainers of a GIN, for `explanations.py`; needs the extras ``torch`` and ``pyg``."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain import Explainer, GNNExplainer

from gskn import GraphBatch
from gskn.networks import GIN
from gskn.networks._modules._tensors import GraphTensors, NodeRows, as_dense
from gskn.networks._network import load_modules

MAX_EPOCHS = 20


def fit_network(graphs: GraphBatch, y: np.ndarray) -> GIN:
    """Train a GIN on the features of atoms and bonds."""
    torch.set_num_threads(1)
    return GIN(max_epochs=MAX_EPOCHS, random_state=0).fit(graphs, y)


def network_scores(
    model: GIN, graphs: GraphBatch
) -> Iterator[tuple[str, np.ndarray, float]]:
    """Yield the name of a method, the scores of nodes, and its seconds per 1,000 graphs."""
    inputs = model._inputs(load_modules(), graphs)  # noqa: SLF001 - not a part of the model
    batch = inputs.take(np.arange(graphs.n_graphs))
    network = _Network(model.members_[0], batch).eval()
    features = as_dense(batch.features)
    for name, explainer in (
        ("gradient x input", _gradient_times_input),
        ("GNNExplainer", _gnn_explainer),
    ):
        begin = time.perf_counter()
        values = explainer(network, features)
        seconds = time.perf_counter() - begin
        yield name, values, 1000 * seconds / graphs.n_graphs


class _Network(nn.Module):
    """A GIN on graphs that do not change, as a function of the node features."""

    def __init__(self, module: nn.Module, graphs: GraphTensors) -> None:
        super().__init__()
        self.module, self.graphs = module, graphs

    def forward(self, x: Tensor, edge_index: Tensor | None = None) -> Tensor:
        """Return the logits of both classes."""
        del edge_index
        return self.module(replace(self.graphs, features=NodeRows(x)))


def _gradient_times_input(network: _Network, features: Tensor) -> np.ndarray:
    """Return the sums over features of gradients of the logarithm of the odds."""
    x = features.clone().requires_grad_()
    logits = network(x)
    (gradient,) = torch.autograd.grad((logits[:, 1] - logits[:, 0]).sum(), x)
    return (gradient * features).sum(1).double().numpy()


def _gnn_explainer(network: _Network, features: Tensor) -> np.ndarray:
    """Return a mask of nodes. All molecules are one batch: they do not interact."""
    torch.manual_seed(0)
    explainer = Explainer(
        network,
        GNNExplainer(),
        explanation_type="model",
        node_mask_type="object",
        model_config={
            "mode": "multiclass_classification",
            "task_level": "graph",
            "return_type": "raw",
        },
    )
    edge_index = torch.stack(network.graphs.matrix.entries)
    return explainer(features, edge_index).node_mask[:, 0].double().numpy()
