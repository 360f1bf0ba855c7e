"""Modules of GraLSP and GraphSTONE, which are trained by pairs of nodes on walks."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray, Params
from gskn.networks._modules._node_module import NodeModule, WalkProblem, negative_shares
from gskn.networks._modules._tensors import GraphTensors, NodeRows
from gskn.networks._modules._training import Settings, one_thread, train

_N_PAIRS = 20  # sampled pairs of a walk and a node, of every node and layer
_N_TRIPLETS = 2  # of types, of every node and epoch
_N_DRAWS = 16  # random triplets of which the first suitable ones are used
_TOWER_COLUMNS = 32  # outputs of a tower of GraphSTONE


@dataclass(frozen=True)
class PatternWalks:
    """Walks from every node, their types, and how many of their first nodes are near.

    ``walks`` has the shape (n_nodes, n_walks, length), the others (n_nodes, n_walks).
    """

    walks: NodeArray
    types: IndexArray
    n_near: IndexArray

    def sample(self, generator: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Return types and nodes of random pairs, of shape (n_nodes, n_pairs)."""
        n_nodes, n_walks = self.types.shape
        rows = np.arange(n_nodes)[:, None]
        walk = generator.integers(n_walks, size=(n_nodes, _N_PAIRS))
        uniform = generator.random((n_nodes, _N_PAIRS))
        place = (uniform * self.n_near[rows, walk]).astype(np.int64)
        nodes = self.walks[rows, walk, place].astype(np.int64)
        return torch.from_numpy(self.types[rows, walk]), torch.from_numpy(nodes)


@dataclass(frozen=True)
class PatternTensors:
    """Node features, and the sampled pairs of both layers."""

    features: NodeRows
    pairs: tuple[tuple[Tensor, Tensor], ...]


class PatternLayer(nn.Module):
    """``U m_v + W x_v + b`` with m_v the mean of gated features of sampled nodes.

    The gate of a sampled node depends on the type of the walk that visits it.
    """

    def __init__(self, n_in: int, n_out: int, n_dimensions: int) -> None:
        super().__init__()
        self.gate = nn.Linear(n_dimensions, n_in)
        self.neighbors = nn.Linear(n_in, n_out, bias=False)
        self.root = nn.Linear(n_in, n_out)

    def forward(self, rows: Tensor, types: Tensor, nodes: Tensor, table: Tensor) -> Tensor:
        """Return the new features of every node; ``table`` are embeddings of types."""
        gates = torch.sigmoid(self.gate(table))
        embed = nn.functional.embedding
        mean = (embed(types, gates) * embed(nodes, rows)).mean(1)
        result: Tensor = self.neighbors(mean) + self.root(rows)
        return result


class PatternModule(nn.Module):
    """Two layers whose messages are gated by the types of walks.

    Parameters
    ----------
    n_features : int
        Number of node features.
    n_out : int
        Number of outputs.
    n_inputs : int
        Number of columns to which node features are mapped by fixed weights, or
        ``n_features`` without such a map.
    n_types : int
        Number of types of walks; ``n_types`` is the type of all others.
    n_dimensions : int
        Number of columns of the embedding of a type.
    n_hidden : int
        Number of columns of the first layer.
    """

    def __init__(
        self,
        n_features: int,
        n_out: int,
        *,
        n_inputs: int,
        n_types: int,
        n_dimensions: int,
        n_hidden: int,
    ) -> None:
        super().__init__()
        self.input = None
        if n_inputs < n_features:
            self.input = nn.Linear(n_features, n_inputs).requires_grad_(False)
        self.types = nn.Embedding(n_types + 1, n_dimensions, padding_idx=n_types)
        nn.init.xavier_uniform_(self.types.weight[:n_types])
        self.first = PatternLayer(n_inputs, n_hidden, n_dimensions)
        self.second = PatternLayer(n_hidden, n_out, n_dimensions)

    def forward(self, inputs: PatternTensors) -> Tensor:
        """Return the outputs of every node, of unit norm."""
        features, table = inputs.features, self.types.weight
        rows = features.dense() if self.input is None else features.project(self.input)
        rows = torch.relu(self.first(rows, *inputs.pairs[0], table))
        return nn.functional.normalize(self.second(rows, *inputs.pairs[1], table))


@dataclass(frozen=True)
class PatternProblem(WalkProblem):
    """Pairs of nodes on walks, and triplets of types of which two are frequent together.

    ``scores`` are standardized frequencies of all types, of shape (n_nodes, n_types). A
    triplet (i, j, k) of a node has frequencies with equal signs for i and j, and another
    sign for k.
    """

    samples: PatternWalks
    scores: FloatArray
    weight: float  # of the loss of triplets

    def embed(self, module: Any, generator: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Return the outputs of all nodes, and the loss of triplets."""
        pairs = tuple(self.samples.sample(generator) for _ in range(2))
        rows = module(PatternTensors(self.graphs.features, pairs))
        loss = triplet_loss(module.types.weight, self.draw_triplets(generator))
        return rows, self.weight * loss

    def draw_triplets(self, generator: np.random.Generator) -> IndexArray:
        """Return random triplets of types, at most two for a node, as rows."""
        n_nodes, n_types = self.scores.shape
        drawn = generator.integers(n_types, size=(n_nodes, _N_DRAWS, 3))
        z = np.take_along_axis(self.scores[:, None], drawn, axis=2)
        is_suitable = (z[..., 0] * z[..., 1] > 0) & (z[..., 0] * z[..., 2] < 0)
        is_suitable &= np.cumsum(is_suitable, axis=1) <= _N_TRIPLETS
        triplets: IndexArray = drawn[is_suitable]
        return triplets


def triplet_loss(table: Tensor, triplets: IndexArray) -> Tensor:
    """Return the mean of ``-log s(E_i . (E_j - E_k))``; 0 without triplets."""
    if not len(triplets):
        return table.new_zeros(())
    first, second, third = table[torch.from_numpy(triplets)].unbind(1)
    return -nn.functional.logsigmoid((first * (second - third)).sum(1)).mean()


def train_pattern_member(  # noqa: PLR0913, PLR0917 - called by position
    inputs: Any,
    samples: PatternWalks,
    scores: FloatArray,
    projection: tuple[AnyArray, AnyArray] | None,
    weight: float,
    pairs: NodeArray,
    degrees: IndexArray,
    architecture: Params,
    settings: Settings,
    seed: int,
    advance: Callable[[], None] = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train the module of GraLSP; return it with its history.

    ``projection`` are weights and bias of the fixed map of node features.
    """

    def make() -> PatternModule:
        module = PatternModule(**architecture)
        if module.input is not None and projection is not None:
            for target, array in zip(
                (module.input.weight, module.input.bias), projection, strict=True
            ):
                target.copy_(torch.from_numpy(array))
        return module

    graphs = inputs.take(np.arange(inputs.n_graphs))
    problem = PatternProblem(
        graphs, pairs, negative_shares(degrees), samples, scores, weight
    )
    module, history = train(make, problem, settings, seed, advance)
    return module, {**history, "validation_accuracy": float("nan")}


def pattern_outputs(
    module: nn.Module, inputs: Any, samples: PatternWalks, seed: int
) -> FloatArray:
    """Return the outputs of all nodes, with pairs that are drawn by a seed."""
    generator = np.random.default_rng(seed)
    pairs = tuple(samples.sample(generator) for _ in range(2))
    with one_thread(), torch.no_grad():
        features = inputs.take(np.arange(inputs.n_graphs)).features
        rows = module(PatternTensors(features, pairs))
    result: FloatArray = rows.double().numpy()
    return result


@dataclass(frozen=True)
class TopicTensors:
    """Graphs with node features, and the words of every node as other features."""

    graphs: GraphTensors
    words: Tensor


class TopicModule(nn.Module):
    """Two networks of GraphSAGE, one for node features and one for words, and their mix.

    The outputs are those of the first one, and a layer on both.
    """

    def __init__(self, n_features: int, n_out: int, *, n_words: int, n_hidden: int) -> None:
        super().__init__()
        towers = [
            NodeModule(
                "sage",
                n_in,
                _TOWER_COLUMNS,
                n_layers=2,
                n_hidden=n_hidden,
                dropout=0.0,
                normalize=False,
                options={},
            )
            for n_in in (n_features, n_words)
        ]
        self.features, self.words = towers
        self.mix = nn.Linear(2 * _TOWER_COLUMNS, n_out - _TOWER_COLUMNS)

    def forward(self, inputs: TopicTensors) -> Tensor:
        """Return the outputs of every node; both parts have unit norm."""
        one = self.features(inputs.graphs)
        graphs = replace(inputs.graphs, features=NodeRows(inputs.words))
        mixed = torch.tanh(self.mix(torch.cat([one, self.words(graphs)], dim=1)))
        normalize = nn.functional.normalize
        return torch.cat([normalize(one), normalize(mixed)], dim=1)


def train_topic_member(  # noqa: PLR0913, PLR0917 - called by position
    inputs: Any,
    words: FloatArray,
    pairs: NodeArray,
    degrees: IndexArray,
    architecture: Params,
    settings: Settings,
    seed: int,
    advance: Callable[[], None] = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train the module of GraphSTONE; return it with its history."""
    problem = WalkProblem(_topic_tensors(inputs, words), pairs, negative_shares(degrees))
    module, history = train(
        lambda: TopicModule(**architecture), problem, settings, seed, advance
    )
    return module, {**history, "validation_accuracy": float("nan")}


def topic_outputs(module: nn.Module, inputs: Any, words: FloatArray) -> FloatArray:
    """Return the outputs of all nodes."""
    with one_thread(), torch.no_grad():
        rows = module(_topic_tensors(inputs, words))
    result: FloatArray = rows.double().numpy()
    return result


def _topic_tensors(inputs: Any, words: FloatArray) -> TopicTensors:
    graphs = inputs.take(np.arange(inputs.n_graphs))
    return TopicTensors(graphs, torch.from_numpy(words.astype(inputs.table.dtype)))
