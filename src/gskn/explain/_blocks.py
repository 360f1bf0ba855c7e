"""Blocks of columns of a model, with the weights of their landmarks for every graph."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.estimators import encode
from gskn.explain._additive import Additive, Member
from gskn.graphs import AttributeEncoder, GraphBatch
from gskn.layers import AnonymousLayer, Layer, NodeFeatures, NystromMap
from gskn.pooling import pool


@dataclass(frozen=True)
class Block:
    """Columns of one branch and one length: sums over walks of the kernel of landmarks.

    The walks from node u of graph g contribute ``sums[u] @ weights[g]``, where ``sums``
    are the sums of the kernel with all landmarks.
    """

    branch: str
    layer: Layer
    number: int  # of the length among the lengths of the layer
    batch: GraphBatch
    features: NodeFeatures  # that enter the last layer
    encoder: AttributeEncoder  # of the node features of the first layer
    starts: FloatArray  # contribution of the walks from every node
    weights: FloatArray  # of shape (n_graphs, n_landmarks)

    @property
    def length(self) -> int:
        """Number of nodes that the walks visit."""
        return self.layer.lengths[self.number]

    @property
    def nystrom(self) -> NystromMap:
        """Landmarks of the block."""
        return self.layer.maps[self.number]

    @property
    def uses_features(self) -> bool:
        """Whether the kernel depends on node features."""
        return not isinstance(self.layer, AnonymousLayer)


@dataclass(frozen=True)
class Chunk:
    """Some graphs, the blocks of all members of a model, and the decision values."""

    batch: GraphBatch
    targets: IndexArray
    blocks: list[Block]
    baseline: FloatArray
    prediction: FloatArray
    remainder: FloatArray

    @property
    def starts(self) -> FloatArray:
        """Contribution of the walks from every node."""
        total = np.zeros(self.batch.n_nodes)
        for block in self.blocks:
            total += block.starts
        return total


@dataclass(frozen=True)
class _Columns:
    """Node embeddings of one branch and length, before their weights are known."""

    branch: str
    layer: Layer
    number: int
    features: NodeFeatures
    encoder: AttributeEncoder
    embeddings: FloatArray


def make_chunk(
    model: Additive, batch: GraphBatch, targets: IndexArray, *, along_path: bool
) -> Chunk:
    """Embed graphs and weigh the columns by the gradient of the decision values."""
    members = [_embed(member, batch) for member in model.members]
    sums = [
        np.hstack([pool(columns.embeddings, batch.graph_ptr) for columns in listed])
        for listed in members
    ]
    sizes = batch.graph_sizes
    gradients = model.gradients(sums, sizes, targets, along_path=along_path)
    blocks = []
    for listed, gradient in zip(members, gradients, strict=True):
        cuts = np.cumsum(
            [columns.layer.maps[columns.number].n_landmarks for columns in listed]
        )
        parts = np.split(gradient, cuts[:-1], axis=1)
        blocks += [
            _weigh(columns, part, batch)
            for columns, part in zip(listed, parts, strict=True)
        ]
    empty = [np.zeros(part.shape) for part in sums]
    baseline = model.decide(empty, sizes, targets)
    prediction = model.decide(sums, sizes, targets)
    remainder = np.zeros(batch.n_graphs)
    if not model.is_exact:
        pairs = zip(sums, gradients, strict=True)
        explained = sum(np.einsum("gc,gc->g", part, slope) for part, slope in pairs)
        remainder = prediction - baseline - explained
    return Chunk(batch, targets, blocks, baseline, prediction, remainder)


def sum_over(values: FloatArray, ptr: IndexArray) -> FloatArray:
    """Return the sums of consecutive runs of values."""
    owners = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    return np.bincount(owners, values, len(ptr) - 1).astype(np.float64)


def _embed(member: Member, batch: GraphBatch) -> list[_Columns]:
    """Return the node embeddings of all branches and lengths of an embedding."""
    embedding = member.embedding
    views = encode(
        batch, embedding.encoder_, embedding.degree_encoder_, embedding.edge_encoder_
    )
    result = []
    for branch in embedding.stack_.branches:
        encoder = embedding.encoder_
        if branch.adds_degrees:
            encoder = embedding.degree_encoder_ or encoder
        features = branch.last_features(
            batch, views.select(adds_degrees=branch.adds_degrees), embedding.n_jobs
        )
        layer = branch.layers[-1]
        embeddings = layer.transform(batch, features, embedding.n_jobs)
        result += [
            _Columns(branch.name, layer, number, features, encoder, block)
            for number, block in enumerate(embeddings)
        ]
    return result


def _weigh(columns: _Columns, gradient: FloatArray, batch: GraphBatch) -> Block:
    slopes = gradient[batch.node_graphs]
    root = columns.layer.maps[columns.number].root
    return Block(
        branch=columns.branch,
        layer=columns.layer,
        number=columns.number,
        batch=batch,
        features=columns.features,
        encoder=columns.encoder,
        starts=np.einsum("uc,uc->u", columns.embeddings, slopes),
        weights=gradient @ root,
    )
