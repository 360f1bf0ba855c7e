"""The convolution of GIN."""

import torch
from torch import Tensor, nn

from gskn.networks._modules._convolution import Convolution
from gskn.networks._modules._layers import BatchNorm
from gskn.networks._modules._tensors import GraphTensors, NodeRows, project


class GINConvolution(Convolution):
    """``MLP((1 + epsilon) x_v + sum of x_u)`` over the neighbors u of v.

    The MLP has two linear layers, with batch normalization and ReLU between them. Its
    first layer is applied before the sum, which gives the same result.
    """

    def __init__(self, n_in: int, n_out: int, *, n_middle: int | None = None) -> None:
        super().__init__()
        n_middle = n_out if n_middle is None else n_middle
        self.first = nn.Linear(n_in, n_middle, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_middle))
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.norm = BatchNorm(n_middle)
        self.second = nn.Linear(n_middle, n_out)

    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""
        mapped = project(self.first, rows)
        total = (1 + self.epsilon) * mapped + graphs.matrix.product(mapped) + self.bias
        result: Tensor = self.second(torch.relu(self.norm(total, graphs.counts)))
        return result
