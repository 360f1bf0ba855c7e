"""The module of PatchySAN, and its inputs: a sequence of small neighborhoods per graph."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gskn._types import IndexArray
from gskn.networks._modules._tensors import GraphInputs, NodeRows

_N_FIRST = 16  # columns of the first convolution
_N_SECOND = 8  # columns of the second one
_WIDTH = 10  # fields that the second convolution reads at once


@dataclass(frozen=True)
class FieldTensors:
    """Some graphs: features of their nodes, and the nodes of every field.

    ``nodes`` has the shape (n_graphs, n_fields, field_size), and the number of nodes stands
    for no node.
    """

    features: NodeRows
    nodes: Tensor


class FieldInputs:
    """Fields of all graphs, from which minibatches are taken.

    Parameters
    ----------
    inputs : GraphInputs
        Node features of all graphs.
    fields : ndarray of shape (n_graphs, n_fields, field_size)
        Nodes of every field, numbered within their graph; -1 for no node.
    """

    def __init__(self, inputs: GraphInputs, fields: IndexArray) -> None:
        self.inputs = inputs
        self.fields = fields

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return self.inputs.n_graphs

    @property
    def table(self) -> np.ndarray:
        """Distinct node features."""
        return self.inputs.table

    def take(self, graphs: IndexArray) -> FieldTensors:
        """Return some graphs as tensors."""
        tensors = self.inputs.take(graphs)
        fields = torch.from_numpy(self.fields[graphs])
        nodes = fields + tensors.graph_ptr[:-1, None, None]
        nodes = torch.where(fields < 0, tensors.graph_ptr[-1], nodes)
        return FieldTensors(tensors.features, nodes)

    def parts(self, graphs: IndexArray) -> list[FieldTensors]:
        """Return graphs as minibatches of bounded size, in their order."""
        return [self.take(part) for part in self.inputs.runs(graphs)]


class FieldModule(nn.Module):
    """Two convolutions over the sequence of fields, and a classifier of two layers."""

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        *,
        n_fields: int,
        field_size: int,
        n_hidden: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.field_size = field_size
        self.first = nn.Linear(n_features, field_size * _N_FIRST, bias=False)
        self.bias = nn.Parameter(torch.zeros(_N_FIRST))
        width = min(_WIDTH, n_fields)
        self.second = nn.Conv1d(_N_FIRST, _N_SECOND, width)
        self.classifier = nn.Sequential(
            nn.Linear(_N_SECOND * (n_fields - width + 1), n_hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(n_hidden, n_classes),
        )

    def forward(self, graphs: FieldTensors) -> Tensor:
        """Return the logit of every class for every graph."""
        columns = torch.relu(self.convolve(graphs) + self.bias).transpose(1, 2)
        logits: Tensor = self.classifier(torch.relu(self.second(columns)).flatten(1))
        return logits

    def convolve(self, graphs: FieldTensors) -> Tensor:
        """Return a convolution over all nodes of a field, of shape (graphs, fields, 16).

        All nodes are mapped once for every place in a field; a field is the sum of the rows
        of its nodes at their places.
        """
        mapped = graphs.features.project(self.first)
        rows = mapped.reshape(-1, _N_FIRST)  # of node and place
        rows = torch.cat([rows, rows.new_zeros(1, _N_FIRST)])
        places = graphs.nodes * self.field_size + torch.arange(self.field_size)
        places = places.clamp(max=len(rows) - 1).reshape(-1, self.field_size)
        total = nn.functional.embedding_bag(places, rows, mode="sum")
        return total.reshape(*graphs.nodes.shape[:2], _N_FIRST)
