"""The convolution of GAT."""

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from gskn.networks._modules._convolution import Convolution, add_loops
from gskn.networks._modules._tensors import GraphTensors, NodeRows, project

_SLOPE = 0.2  # of the leaky ReLU, as published


class GATConvolution(Convolution):
    """Weighted means over the node and its neighbors, with learned weights.

    The weight of neighbor u of node v is the softmax over the neighbors of
    ``LeakyReLU(a . W x_v + b . W x_u)``. The results of all heads are concatenated.
    Edge weights are not used.
    """

    def __init__(
        self,
        n_in: int,
        n_out: int,
        *,
        n_heads: int = 4,
        attention_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        n_columns = n_out // n_heads
        self.n_heads = n_heads
        self.linear = nn.Linear(n_in, n_heads * n_columns, bias=False)
        self.to_node = nn.Parameter(torch.empty(n_heads, n_columns))
        self.to_neighbor = nn.Parameter(torch.empty(n_heads, n_columns))
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.dropout = nn.Dropout(attention_dropout)
        for weights in (self.linear.weight, self.to_node, self.to_neighbor):
            nn.init.xavier_uniform_(weights)

    @staticmethod
    def propagation_matrix(adjacency: csr_array) -> csr_array:
        """Return the adjacency matrix with loops, without weights."""
        matrix = add_loops(adjacency)
        matrix.data = np.ones(matrix.nnz)
        return matrix

    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""
        mapped = project(self.linear, rows).unflatten(1, (self.n_heads, -1))
        nodes, neighbors = graphs.matrix.entries
        logits = (mapped * self.to_node).sum(2).index_select(0, nodes)
        logits = logits + (mapped * self.to_neighbor).sum(2).index_select(0, neighbors)
        logits = nn.functional.leaky_relu(logits, _SLOPE)
        counts = graphs.matrix.matrix.values()
        weights = self.dropout(softmax_of_groups(logits, nodes, len(mapped), counts))
        total = graphs.matrix.weighted_product(weights, mapped)
        return total.flatten(1) + self.bias


def softmax_of_groups(
    logits: Tensor, groups: Tensor, n_groups: int, counts: Tensor
) -> Tensor:
    """Return the softmax of every column over the rows of each group.

    ``counts`` says how many equal rows each row stands for; the result is their sum.
    """
    index = groups[:, None].expand_as(logits)
    largest = logits.new_zeros(n_groups, logits.shape[1]).scatter_reduce(
        0, index, logits.detach(), "amax", include_self=False
    )
    exponentials = (logits - largest.index_select(0, groups)).exp() * counts[:, None]
    totals = torch.zeros_like(largest).index_add(0, groups, exponentials)
    return exponentials / totals.index_select(0, groups)
