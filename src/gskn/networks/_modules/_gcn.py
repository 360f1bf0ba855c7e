"""The convolution of GCN."""

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from gskn.networks._modules._convolution import Convolution, add_loops, inverse_or_zero
from gskn.networks._modules._tensors import GraphTensors, NodeRows, project


class GCNConvolution(Convolution):
    """``D^(-1/2) (A + I) D^(-1/2) X W + b``, with the degrees D of A + I."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, n_out, bias=False)
        nn.init.xavier_uniform_(self.linear.weight)
        self.bias = nn.Parameter(torch.zeros(n_out))

    @staticmethod
    def propagation_matrix(adjacency: csr_array) -> csr_array:
        """Return the normalized adjacency matrix with loops."""
        matrix = add_loops(adjacency).astype(np.float64)
        scale = inverse_or_zero(np.asarray(matrix.sum(axis=1)).ravel(), 0.5)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data = matrix.data * (scale[rows] * scale[matrix.indices])
        return matrix

    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""
        return graphs.matrix.product(project(self.linear, rows)) + self.bias
