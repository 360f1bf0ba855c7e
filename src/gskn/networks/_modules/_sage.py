"""The convolution of GraphSAGE."""

import torch
from torch import Tensor, nn

from gskn.networks._modules._convolution import Convolution
from gskn.networks._modules._tensors import GraphTensors, NodeRows, as_dense, project


class SAGEConvolution(Convolution):
    """``W x_v + U a_v + b``, where ``a_v`` is the mean, sum or maximum over neighbors."""

    def __init__(self, n_in: int, n_out: int, *, aggregation: str = "mean") -> None:
        super().__init__()
        self.aggregation = aggregation
        self.root = nn.Linear(n_in, n_out, bias=False)
        self.neighbors = nn.Linear(n_in, n_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""
        return project(self.root, rows) + self._aggregate(graphs, rows) + self.bias

    def _aggregate(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the mapped aggregation; the maximum is taken before the map."""
        if self.aggregation == "max":
            result: Tensor = self.neighbors(graphs.matrix.maximum(as_dense(rows)))
            return result
        total = graphs.matrix.product(project(self.neighbors, rows))
        if self.aggregation == "sum":
            return total
        return total * graphs.matrix.inverse_sums[:, None]
