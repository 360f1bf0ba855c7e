"""The interface of convolutions, and the propagation matrices that they share."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.sparse import csr_array, diags_array
from torch import Tensor, nn

from gskn.networks._modules._tensors import GraphTensors, NodeRows


class Convolution(nn.Module, ABC):
    """A map of node features to node features by messages of the neighbors.

    A node receives the messages of its (out-)neighbors, as in a walk. All maps are linear
    before the product with the propagation matrix, if this gives the same result: then
    the product has few columns also for features with many.
    """

    @staticmethod
    def propagation_matrix(adjacency: csr_array) -> csr_array:
        """Return the matrix by which node features are multiplied; the adjacency matrix."""
        return adjacency

    @abstractmethod
    def forward(self, graphs: GraphTensors, rows: Tensor | NodeRows) -> Tensor:
        """Return the new features of every node."""


def add_loops(adjacency: csr_array) -> csr_array:
    """Return the adjacency matrix with a loop of weight 1 at every node without a loop."""
    missing = (adjacency.diagonal() == 0).astype(np.float64)
    loops = diags_array(missing, format="csr")
    loops.eliminate_zeros()
    matrix: csr_array = (adjacency + loops).tocsr()
    matrix.sort_indices()
    return matrix


def inverse_or_zero(values: np.ndarray, power: float) -> np.ndarray:
    """Return ``values ** -power``, and 0 for 0."""
    inverse: np.ndarray = np.zeros(len(values))
    np.power(values, -power, out=inverse, where=values > 0)
    return inverse
