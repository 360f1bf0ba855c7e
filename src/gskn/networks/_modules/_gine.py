"""The convolution of GIN with edge labels."""

import torch
from torch import Tensor, nn

from gskn.exceptions import InputError
from gskn.networks._modules._convolution import Convolution
from gskn.networks._modules._layers import BatchNorm
from gskn.networks._modules._tensors import GraphTensors, NodeRows, as_dense


class GINEConvolution(Convolution):
    """``MLP((1 + epsilon) x_v + sum of ReLU(x_u + e))`` over the edges from v to u.

    Here e is the embedding of the label of the edge. The MLP is the one of
    `GINConvolution`.
    """

    def __init__(self, n_in: int, n_out: int, *, n_edge_labels: int) -> None:
        super().__init__()
        # The last row is for labels that were not in the training graphs.
        self.edges = nn.Embedding(n_edge_labels + 1, n_in, padding_idx=n_edge_labels)
        self.first = nn.Linear(n_in, n_out)
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.norm = BatchNorm(n_out)
        self.second = nn.Linear(n_out, n_out)

    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""
        if graphs.edge_codes is None:
            raise InputError("The graphs have no codes of edge labels.")
        dense = as_dense(rows)
        targets, sources = graphs.matrix.entries
        labels = self.edges(graphs.edge_codes)
        messages = torch.relu(dense.index_select(0, sources) + labels)
        weighted = messages * graphs.matrix.matrix.values()[:, None]
        total = torch.zeros_like(dense).index_add(0, targets, weighted)
        total = self.first((1 + self.epsilon) * dense + total)
        result: Tensor = self.second(torch.relu(self.norm(total)))
        return result
