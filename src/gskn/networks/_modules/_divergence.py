"""The modules of DDGK: encoders of source graphs, and attentions of target graphs to them.

Sources, and targets of equal padded size, are trained at once: all have their own weights,
and Adam treats every weight separately, so that the result is the same as one by one.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from gskn._types import FloatArray, IndexArray
from gskn.networks._modules._training import one_thread

_N_EMBEDDING = 4  # columns of the embedding of a node
_N_HIDDEN = 16
_N_LAYERS = 4  # hidden layers
_STEP = 8  # sizes of targets are padded to multiples
_MAX_CELLS = 2**21  # of the arrays of targets that are trained at once


class SourceEncoders(nn.Module):
    """One encoder per source graph: from a node to the logits of its neighbors.

    Parameters
    ----------
    n_sources : int
        Number of graphs.
    n_nodes : int
        Largest number of nodes of a source.
    """

    def __init__(self, n_sources: int, n_nodes: int) -> None:
        super().__init__()
        shapes = _N_LAYERS * [(_N_HIDDEN, _N_HIDDEN)]
        shapes[0] = (_N_EMBEDDING, _N_HIDDEN)
        self.embedding = nn.Parameter(torch.zeros(n_sources, n_nodes, _N_EMBEDDING))
        self.weights = nn.ParameterList(
            nn.Parameter(torch.zeros(n_sources, *shape)) for shape in shapes
        )
        self.biases = nn.ParameterList(
            nn.Parameter(torch.zeros(n_sources, 1, _N_HIDDEN)) for _ in shapes
        )
        self.last = nn.Parameter(torch.zeros(n_sources, _N_HIDDEN, n_nodes))
        self.last_bias = nn.Parameter(torch.zeros(n_sources, 1, n_nodes))

    def initialize(self, sizes: Sequence[int], seeds: Sequence[int]) -> None:
        """Draw the weights of every source by its seed; their scale depends on its size."""
        with torch.no_grad():
            for number, (n_nodes, seed) in enumerate(zip(sizes, seeds, strict=True)):
                random = torch.Generator().manual_seed(seed)
                weights = (layer[number] for layer in self.weights)
                ends = self.embedding[number, :n_nodes], self.last[number, :, :n_nodes]
                for array in (*ends, *weights):
                    nn.init.xavier_uniform_(array, generator=random)

    def forward(self) -> Tensor:
        """Return the logits of the neighbors of all nodes of all sources."""
        return self._decode(self.embedding, slice(None))

    def map_nodes(self, source: int, n_nodes: int, attention: Tensor) -> Tensor:
        """Return the logits of weighted means of the nodes of one source."""
        rows = attention @ self.embedding[source, :n_nodes]
        return self._decode(rows, source)[..., :n_nodes]

    def _decode(self, rows: Tensor, sources: Any) -> Tensor:
        for weights, bias in zip(self.weights, self.biases, strict=True):
            rows = torch.tanh(rows @ weights[sources] + bias[sources])
        # The published program has this activation, too.
        return torch.tanh(rows @ self.last[sources] + self.last_bias[sources])


def train_sources(
    matrices: Sequence[csr_array],
    n_steps: int,
    learning_rate: float,
    seeds: Sequence[int],
) -> tuple[SourceEncoders, list[FloatArray]]:
    """Train the encoders of source graphs; return them and the losses of every step."""
    sizes = [matrix.shape[0] for matrix in matrices]
    adjacency, mask = _pad(matrices, max(sizes))
    with one_thread():
        encoders = SourceEncoders(len(matrices), max(sizes))
        encoders.initialize(sizes, seeds)
        losses = _descend(
            list(encoders.parameters()),
            lambda: edge_loss(encoders(), adjacency, mask),
            n_steps,
            learning_rate,
        )
    return encoders.eval(), losses


def divergences(
    encoders: SourceEncoders,
    sizes: Sequence[int],
    matrices: Sequence[csr_array],
    n_steps: int,
    learning_rate: float,
    seeds: Sequence[int],
    advance: Callable[[], None] = lambda: None,
) -> FloatArray:
    """Return the loss of every target with the encoder of every source.

    ``sizes`` and ``seeds`` are the numbers of nodes and the seeds of the sources. The
    attentions of a target start from weights that depend only on its size and on the size
    and seed of the source, so that its row does not depend on other targets.
    """
    result = np.zeros((len(matrices), len(sizes)))
    frozen = [parameter.requires_grad_(False) for parameter in encoders.parameters()]
    with one_thread():
        for targets, n_padded in _buckets(matrices, max(sizes)):
            chosen = [matrices[target] for target in targets]
            adjacency, mask = _pad(chosen, n_padded)
            n_nodes = torch.tensor([matrix.shape[0] for matrix in chosen])
            for source, (size, seed) in enumerate(zip(sizes, seeds, strict=True)):
                attention = Attention(n_nodes, n_padded, size, seed)
                loss_of = partial(attention.loss, encoders, source, adjacency, mask)
                losses = _descend(attention.parameters, loss_of, n_steps, learning_rate)
                result[targets, source] = losses[-1]
                advance()
    for parameter in frozen:
        parameter.requires_grad_(True)
    return result


def n_trainings(matrices: Sequence[csr_array], sizes: Sequence[int]) -> int:
    """Return the number of calls of ``advance`` by `divergences`."""
    return len(_buckets(matrices, max(sizes))) * len(sizes)


class Attention:
    """Maps from the nodes of targets to the nodes of one source, and back."""

    def __init__(self, n_nodes: Tensor, n_padded: int, n_source: int, seed: int) -> None:
        self.n_source = n_source
        random = torch.Generator().manual_seed(seed)
        uniform = torch.rand(2, n_padded, n_source, generator=random) * 2 - 1
        scale = torch.sqrt(6.0 / (n_nodes + n_source))[:, None, None]
        inside = torch.arange(n_padded) < n_nodes[:, None]
        start = uniform[:, None] * scale * inside[:, :, None]
        self.forth = start[0].clone().requires_grad_()
        self.back = start[1].transpose(1, 2).clone().requires_grad_()
        self.bias = torch.zeros(len(n_nodes), 1, n_padded, requires_grad=True)

    @property
    def parameters(self) -> list[Tensor]:
        """All weights to train."""
        return [self.forth, self.back, self.bias]

    def loss(
        self, encoders: SourceEncoders, source: int, adjacency: Tensor, mask: Tensor
    ) -> Tensor:
        """Return the loss of the edges of every target, as predicted by the source."""
        weights = torch.softmax(self.forth, dim=2)
        logits = encoders.map_nodes(source, self.n_source, weights)
        return edge_loss(logits @ self.back + self.bias, adjacency, mask)


def edge_loss(logits: Tensor, adjacency: Tensor, mask: Tensor) -> Tensor:
    """Return the mean cross-entropy of all pairs of nodes, for every graph."""
    losses = nn.functional.binary_cross_entropy_with_logits(
        logits, adjacency, reduction="none"
    )
    return (losses * mask).sum((1, 2)) / mask.sum((1, 2))


def _descend(
    parameters: list[Tensor],
    loss_of: Callable[[], Tensor],
    n_steps: int,
    learning_rate: float,
) -> list[FloatArray]:
    """Take gradient steps on all losses at once; return the losses before every step."""
    optimizer = torch.optim.Adam(parameters, learning_rate, foreach=True)
    history = []
    for _ in range(n_steps):
        optimizer.zero_grad()
        losses = loss_of()
        losses.sum().backward()
        optimizer.step()
        history.append(losses.detach().double().numpy())
    return history


def _pad(matrices: Sequence[csr_array], n_padded: int) -> tuple[Tensor, Tensor]:
    """Return adjacency matrices of 0 and 1, padded with zeros, and masks of the pairs."""
    adjacency = torch.zeros(len(matrices), n_padded, n_padded)
    mask = torch.zeros_like(adjacency)
    for number, matrix in enumerate(matrices):
        n_nodes = matrix.shape[0]
        coordinates = matrix.tocoo()
        adjacency[number, coordinates.row, coordinates.col] = 1.0
        mask[number, :n_nodes, :n_nodes] = 1.0
    return adjacency, mask


def _buckets(matrices: Sequence[csr_array], n_source: int) -> list[tuple[IndexArray, int]]:
    """Return targets of equal padded size, in parts of bounded size."""
    sizes = np.array([matrix.shape[0] for matrix in matrices], dtype=np.int64)
    padded = -(-sizes // _STEP) * _STEP
    buckets = []
    for n_padded in np.unique(padded[sizes > 0]).tolist():
        targets = np.flatnonzero(padded == n_padded)
        n_cells = n_padded * max(n_padded, n_source, _N_HIDDEN)
        n_parts = -(-len(targets) * n_cells // _MAX_CELLS)
        buckets += [(part, n_padded) for part in np.array_split(targets, n_parts)]
    return buckets
