"""GSKN as a module of torch, whose landmarks are trained.

This module needs the extra ``torch``.
"""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from gskn._optional import require
from gskn._types import AnyArray
from gskn._validation import shorten
from gskn.estimators import GSKN
from gskn.exceptions import InputError
from gskn.graphs import AttributeEncoder, GraphBatch, as_batch
from gskn.layers import (
    AnonymousLayer,
    Branch,
    NystromMap,
    WalkLayer,
    one_hot_patterns,
)
from gskn.pooling import check_pooling
from gskn.walks import step_matrix

__all__ = ["GSKNLayer", "LayerInputs"]

torch: Any = require("torch", extra="torch")
_Module: Any = torch.nn.Module

_SUPPORTED = ("walk", "degree-walk", "anonymous")


@dataclass(frozen=True)
class LayerInputs:
    """Everything about some graphs that does not depend on landmarks, as tensors.

    Attributes
    ----------
    sizes : torch.Tensor of shape (n_graphs,)
        Number of nodes of every graph.
    steps : torch.Tensor of shape (n_nodes, n_nodes)
        Sparse matrix of the weights of all steps.
    features : dict of str to pair of torch.Tensor
        For every branch of walks, the distinct feature vectors, and the number of the
        vector of every node.
    patterns : list of pair of torch.Tensor
        For every length of the anonymous branch, the one-hot vectors of all patterns, and
        the sparse matrix of their counts or probabilities for every node.
    """

    sizes: Any
    steps: Any
    features: dict[str, tuple[Any, Any]]
    patterns: list[tuple[Any, Any]]


class GSKNLayer(_Module):
    """GSKN as a differentiable module: landmarks are parameters.

    Before training, the module computes the same embeddings as the model. Branches of walks
    are sums over all walks, as in the model: one product with a sparse matrix for every
    step. The anonymous branch maps the exact pattern counts, which are constants.

    Parameters
    ----------
    model : GSKN
        A fitted model with the branches "walk", "degree-walk" and "anonymous" or some of
        them, one layer and no features of edges.

    Notes
    -----
    The kernel values of landmarks are whitened by a Cholesky factor ``L`` of their Gram
    matrix instead of its symmetric root, whose gradient is not finite if two eigenvalues
    are equal. The result is multiplied by a constant orthogonal matrix, so that it is equal
    to the one of the model before training. Parameters are double precision: the smallest
    eigenvalues of a Gram matrix are close to ``eps``, beyond single precision. The module
    runs on the CPU; convert and move its output, not the module.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.structure(10)
    >>> model = GSKN(n_landmarks=8, random_state=0).fit(data.graphs)
    >>> layer = GSKNLayer.from_model(model)
    >>> embeddings = layer(data.graphs)
    >>> bool(np.allclose(embeddings.detach(), model.transform(data.graphs), atol=1e-6))
    True
    """

    def __init__(self, model: GSKN) -> None:
        super().__init__()
        if not isinstance(model, GSKN):
            raise InputError(f"model must be a GSKN, got {shorten(model)}.")
        check_is_fitted(model, "stack_")
        self._check(model)
        self._model = copy.deepcopy(model)
        self._poolings = check_pooling(model.pooling)
        self.maps = torch.nn.ModuleList()
        for branch in model.stack_.branches:
            layer = branch.layers[0]
            is_walk = isinstance(layer, WalkLayer)
            bandwidth = layer.params.alpha if is_walk else layer.params.beta
            maps = [_Map(old, bandwidth, layer.params.eps) for old in layer.maps]
            self.maps.append(torch.nn.ModuleList(maps))

    @classmethod
    def from_model(cls, model: GSKN) -> Self:
        """Build the module that computes the embeddings of a model.

        Parameters
        ----------
        model : GSKN
            A fitted model; it is not changed.

        Returns
        -------
        layer : GSKNLayer
            Module with the landmarks of the model as parameters.
        """
        return cls(model)

    def to_model(self) -> GSKN:
        """Return a fitted model with the landmarks of the module.

        Returns
        -------
        model : GSKN
            It computes the same embeddings as the module, without torch.
        """
        model = copy.deepcopy(self._model)
        for branch, maps in zip(model.stack_.branches, self.maps, strict=True):
            branch.layers[0].maps = [trained.to_map() for trained in maps]
        return model

    def prepare(self, graphs: Any) -> LayerInputs:
        """Compute everything that does not depend on landmarks.

        Parameters
        ----------
        graphs : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        inputs : LayerInputs
            An argument of the module. Prepare minibatches once, before training.
        """
        batch = as_batch(graphs)
        model = self._model
        features, patterns = {}, []
        for branch in model.stack_.branches:
            layer = branch.layers[0]
            if isinstance(layer, WalkLayer):
                encoder = _encoder_of(branch, model)
                features[branch.name] = tuple(map(_as_tensor, encoder.distinct_rows(batch)))
            elif isinstance(layer, AnonymousLayer):
                for table in layer.tables(batch, model.n_jobs):
                    points = torch.from_numpy(one_hot_patterns(table.patterns))
                    patterns.append((points, _as_sparse(table.rows)))
        return LayerInputs(
            torch.from_numpy(batch.graph_sizes), self._steps(batch), features, patterns
        )

    def forward(self, graphs: Any) -> Any:
        """Return the embeddings of graphs.

        Parameters
        ----------
        graphs : graphs or LayerInputs
            Anything that `as_batch` accepts, or the result of `prepare`.

        Returns
        -------
        graph_embeddings : torch.Tensor of shape (n_graphs, n_features_out)
            One row per graph.
        """
        inputs = graphs if isinstance(graphs, LayerInputs) else self.prepare(graphs)
        nodes = self.embed_nodes(inputs)
        owners = torch.repeat_interleave(torch.arange(len(inputs.sizes)), inputs.sizes)
        sums = nodes.new_zeros(len(inputs.sizes), nodes.shape[1])
        sums = sums.index_add(0, owners, nodes)
        return torch.cat([_rescale(sums, inputs.sizes, p) for p in self._poolings], dim=1)

    def embed_nodes(self, inputs: LayerInputs) -> Any:
        """Return the embeddings of nodes.

        Parameters
        ----------
        inputs : LayerInputs
            Result of `prepare`.

        Returns
        -------
        node_embeddings : torch.Tensor of shape (n_nodes, n_node_features_out)
            One row per node.
        """
        self._check_parameters()
        blocks = []
        for branch, maps in zip(self._model.stack_.branches, self.maps, strict=True):
            if isinstance(branch.layers[0], WalkLayer):
                features = inputs.features[branch.name]
                lengths = branch.layers[0].lengths
                blocks += [
                    trained.embed_walks(*features, inputs.steps, length)
                    for trained, length in zip(maps, lengths, strict=True)
                ]
            else:
                blocks += [
                    trained.embed_patterns(*table)
                    for trained, table in zip(maps, inputs.patterns, strict=True)
                ]
        return torch.cat(blocks, dim=1)

    def _steps(self, batch: GraphBatch) -> Any:
        """Return the weights or the probabilities of all steps."""
        probability = self._model.stack_.branches[0].layers[0].params.use_probability
        steps, _ = step_matrix(batch, use_weights=probability)
        if probability:
            totals = np.asarray(steps.sum(axis=1))
            data = steps.data / np.repeat(totals, np.diff(steps.indptr))
            steps = csr_array((data, steps.indices, steps.indptr), steps.shape)
        return _as_sparse(steps)

    def _check(self, model: GSKN) -> None:
        """Raise if the model has layers that have no differentiable version."""
        names = [branch.name for branch in model.stack_.branches]
        others = [name for name in names if name not in _SUPPORTED]
        if others:
            raise InputError(
                f"The branches {shorten(others)} cannot be trained; fit a GSKN with some "
                f"of {', '.join(map(repr, _SUPPORTED))}."
            )
        if any(len(branch.layers) > 1 for branch in model.stack_.branches):
            raise InputError("Models of several layers cannot be trained; set n_layers=1.")
        if model.edge_features_:
            raise InputError(
                "Walks that compare edges cannot be trained; fit the GSKN with "
                "edge_features='none'."
            )

    def _check_parameters(self) -> None:
        """Raise if the module was converted or moved."""
        for landmarks in self.parameters():
            if landmarks.dtype != torch.float64 or landmarks.device.type != "cpu":
                raise InputError(
                    "The landmarks must be double precision on the CPU, got "
                    f"{landmarks.dtype} on {landmarks.device}; convert and move the "
                    "output of the module instead."
                )


class _Map(_Module):
    """A Nyström map whose landmarks are parameters."""

    def __init__(self, old: NystromMap, bandwidth: float, eps: float) -> None:
        super().__init__()
        self.bandwidth, self.eps = bandwidth, eps
        self.landmarks = torch.nn.Parameter(torch.from_numpy(old.landmarks.copy()))
        with torch.no_grad():
            rotation = self._factor().T @ torch.from_numpy(old.root.copy())
        self.register_buffer("rotation", rotation)

    def embed_walks(self, table: Any, codes: Any, steps: Any, length: int) -> Any:
        """Return the embeddings by all walks of a length, from feature vectors."""
        positions = self.landmarks.reshape(len(self.landmarks), length, -1)
        factors = [self._kernel(table, positions[:, j])[codes] for j in range(length)]
        sums = factors[-1]
        for factor in reversed(factors[:-1]):
            sums = factor * torch.sparse.mm(steps, sums)
        return sums @ self._root()

    def embed_patterns(self, points: Any, rows: Any) -> Any:
        """Return the embeddings by patterns, from their vectors and their counts."""
        values = self._kernel(points, self.landmarks) @ self._root()
        return torch.sparse.mm(rows, values)

    def to_map(self) -> NystromMap:
        """Return the map as arrays."""
        with torch.no_grad():
            landmarks, root = self.landmarks.clone(), self._root()
        return NystromMap(landmarks.numpy(), np.ascontiguousarray(root.numpy()))

    def _kernel(self, points: Any, others: Any) -> Any:
        squares = (points**2).sum(dim=1)[:, None] + (others**2).sum(dim=1)
        distances = (squares - 2 * points @ others.T).clamp(min=0)
        return torch.exp(-0.5 * self.bandwidth * distances)

    def _factor(self) -> Any:
        """Return the Cholesky factor of the Gram matrix of the landmarks."""
        gram = self._kernel(self.landmarks, self.landmarks)
        return torch.linalg.cholesky(
            gram + self.eps * torch.eye(len(gram), dtype=gram.dtype)
        )

    def _root(self) -> Any:
        """Return the matrix that maps kernel values to coordinates."""
        return torch.linalg.solve_triangular(self._factor().T, self.rotation, upper=True)


def _encoder_of(branch: Branch, model: GSKN) -> AttributeEncoder:
    """Return the encoder of the node features of a branch."""
    encoder = model.degree_encoder_ if branch.adds_degrees else model.encoder_
    if encoder is None:
        raise AssertionError(f"The branch {branch.name} has no encoder.")
    return encoder


def _as_tensor(array: AnyArray) -> Any:
    return torch.from_numpy(array.copy())  # arrays of a batch are read-only


def _as_sparse(matrix: csr_array) -> Any:
    entries = matrix.tocoo()
    places = np.array([entries.row, entries.col], dtype=np.int64)
    values = np.array(entries.data, dtype=np.float64)
    return torch.sparse_coo_tensor(
        torch.from_numpy(places),
        torch.from_numpy(values),
        matrix.shape,
        check_invariants=False,
    ).coalesce()


def _rescale(sums: Any, sizes: Any, pooling: str) -> Any:
    """Return the graph embeddings of one pooling."""
    if pooling == "mean":
        return sums / sizes.clamp(min=1)[:, None]
    if pooling == "log":
        return torch.sign(sums) * torch.log1p(sums.abs())
    return sums
