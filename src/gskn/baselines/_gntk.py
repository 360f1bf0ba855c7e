"""The graph neural tangent kernel."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._distinct import distinct
from gskn._limits import MAX_LAYERS
from gskn._offsets import runs_of_graphs
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, check_int
from gskn.baselines._shared._attributes import AttributeScaler
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._colors import Colors, initial_colors
from gskn.baselines._shared._cost import check_graph_sizes, check_runtime
from gskn.baselines._shared._jit_tangent import fill_sandwich, pass_layer
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.baselines._shared._node_features import (
    keep_node_features,
    select_node_features,
    uses_attributes,
)
from gskn.baselines._shared._unfoldings import (
    Unfoldings,
    make_closed_adjacency,
    unfold,
)
from gskn.colors import mix
from gskn.graphs import GraphBatch, pool_matrix

_SYSTEM = "GNTK"
_RUN_NODES = 2**8  # nodes of the graphs that are compared with themselves together
_TILE = 2**10  # distinct nodes per block of the comparison
_SECONDS_PER_CELL = 1.5e-8  # and layer or aggregation
_MAX_NODES = 2**14  # of a graph
_SUPPORTED = (("labels",), ("attributes",), ("labels", "attributes"))

Pair: TypeAlias = tuple[csr_array, csr_array]
Deviations: TypeAlias = Callable[[int, FloatArray], tuple[FloatArray, FloatArray]]


class GNTK(NormalizedKernel):
    """Kernel of infinitely wide graph neural networks trained by gradient descent.

    The network has ``n_blocks`` blocks, each of which aggregates every node and its
    neighbors and applies ``n_layers`` fully connected ReLU layers. The output is the sum
    over all nodes.

    Parameters
    ----------
    n_blocks : int, default=2
        Number of blocks, at most 100. The authors choose among 1 to 13 (their number of
        layers, 2 to 14, includes the input).
    n_layers : int, default=2
        Number of fully connected layers per block, at most 100. The authors choose among 1
        to 3.
    jumping : bool, default=True
        Whether the nodes of all blocks and of the input are added in the output (jumping
        knowledge), or only those of the last block. The authors try both.
    scale : {"degree", "uniform"}, default="degree"
        Whether the aggregation is a mean or a sum. The authors try both.
    node_features : "auto" or list of {"labels", "attributes"}, default="auto"
        Node data that is the input of the network: one-hot labels (degrees for graphs
        without labels), attributes, or both. "auto" uses both if the training graphs have
        them.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs. The authors try both.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores.

    Notes
    -----
    The kernel is half the kernel of the authors' program, which counts all terms twice.
    Attributes, which the authors do not use, are standardized by the training nodes. Edge
    weights are ignored.

    Time is quadratic in the number of nodes with different neighborhoods, which for labels
    and degrees is often much smaller than the number of nodes. Nodes with the same
    neighborhood are merged first.

    References
    ----------
    Simon Du, Kangcheng Hou, Ruslan Salakhutdinov, Barnabás Póczos, Ruosong Wang and Keyulu
    Xu, "Graph neural tangent kernel: Fusing graph neural networks with graph kernels",
    2019.

    Examples
    --------
    >>> import networkx as nx
    >>> model = GNTK(1, 1, jumping=False, normalize=False)
    >>> model.fit_transform([nx.empty_graph(1), nx.empty_graph(3)])  # |x|^2 (n_layers + 1)
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    variants = (
        Variant(
            name="gntk",
            label="graph neural tangent kernel",
            grid=parameter_grid(
                n_blocks=(1, 3), scale=("degree", "uniform"), normalize=(False, True)
            ),
            transductive=True,
            table_label="GNTK",
            table_data="attributes",
        ),
        Variant(
            name="gntk-labels",
            label="GNTK, labels only; graph neural tangent kernel",
            grid=parameter_grid(
                node_features=(("labels",),),
                n_blocks=(1, 3),
                scale=("degree", "uniform"),
                normalize=(False, True),
            ),
            transductive=True,
            table_label="GNTK",
            table_data="labels",
        ),
    )
    uses = "labels, degrees, attributes"

    def __init__(
        self,
        n_blocks: int = 2,
        n_layers: int = 2,
        *,
        jumping: bool = True,
        scale: str = "degree",
        node_features: str | Sequence[str] = "auto",
        normalize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_blocks = n_blocks
        self.n_layers = n_layers
        self.jumping = jumping
        self.scale = scale
        self.node_features = node_features
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _uses_labels(self) -> bool:
        return self.is_labelled_

    def depends_on_training(self, batch: GraphBatch) -> bool:
        """Return whether attributes are used, which are scaled by the training graphs.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return uses_attributes(self.node_features, _SUPPORTED, batch)

    def _learn(self, batch: GraphBatch) -> "_Described":
        check_int(self.n_blocks, "n_blocks", minimum=1, maximum=MAX_LAYERS)
        check_int(self.n_layers, "n_layers", minimum=1, maximum=MAX_LAYERS)
        check_choice(self.scale, "scale", choices=("degree", "uniform"))
        selection = select_node_features(self.node_features, _SUPPORTED)
        with_attributes = self.depends_on_training(batch)
        has_labels = batch.node_labels is not None or not with_attributes
        self.is_labelled_ = has_labels and selection != ("attributes",)
        self.scaler_ = AttributeScaler(batch, _SYSTEM) if with_attributes else None
        return self._describe(batch)

    def _describe(self, batch: GraphBatch) -> "_Described":
        check_graph_sizes(batch, _SYSTEM, _MAX_NODES)
        selection = select_node_features(self.node_features, _SUPPORTED)
        batch = keep_node_features(batch, selection)
        attributes = np.empty((batch.n_nodes, 0))
        if self.scaler_ is not None:
            attributes = self.scaler_.scale(batch)
        labels = initial_colors(batch, _SYSTEM) if self.is_labelled_ else None
        inputs = _Inputs(labels, attributes)
        closed = make_closed_adjacency(batch, mean=self.scale == "degree")
        deviations, self_kernel = self._compare_with_self(batch, closed, inputs)
        unfoldings = unfold(batch, inputs.colors(), closed, self.n_blocks)
        return _Described(unfoldings, inputs, deviations, self_kernel)

    def _compare_with_self(
        self, batch: GraphBatch, closed: csr_array, inputs: "_Inputs"
    ) -> tuple[FloatArray, FloatArray]:
        """Return standard deviations of nodes in each block, and the kernel of graphs."""
        deviations = np.zeros((self.n_blocks, batch.n_nodes))
        self_kernel = np.zeros(batch.n_graphs)
        for run in runs_of_graphs(batch.graph_ptr, _RUN_NODES):
            nodes = slice(batch.graph_ptr[run.start], batch.graph_ptr[run.stop])
            step = csr_array(closed[nodes, nodes])
            pool = pool_matrix(batch.graph_ptr[run.start : run.stop + 1] - nodes.start)
            part = inputs.take(nodes)

            def deviations_of(
                level: int, sigma: FloatArray, nodes: slice = nodes
            ) -> tuple[FloatArray, FloatArray]:
                deviations[level, nodes] = np.sqrt(np.diagonal(sigma))
                return deviations[level, nodes], deviations[level, nodes]

            totals = self._sum_blocks(
                part.covariance(part),
                [(step, step)] * self.n_blocks,
                deviations_of,
                [(pool, pool)] * (self.n_blocks + 1),
            )
            self_kernel[run] = np.diagonal(totals)
        return deviations, self_kernel

    def _compare(self, left: "_Described", right: "_Described") -> FloatArray:
        same = left is right
        _check_runtime(left.unfoldings, right.unfoldings, self.n_layers + 2, same=same)
        kernel = np.zeros((len(left.self_kernel), len(right.self_kernel)))
        others = right.tiles()
        for number, tile in enumerate(others if same else left.tiles()):
            columns = others[number:] if same else others
            blocks = run_threads(partial(self._compare_tiles, tile), columns, self.n_jobs)
            for other, block in zip(columns, blocks, strict=True):
                kernel[np.ix_(tile.graphs, other.graphs)] += block
                if same and other is not tile:
                    kernel[np.ix_(other.graphs, tile.graphs)] += block.T
        return kernel

    def _compare_tiles(self, left: "_Described", right: "_Described") -> FloatArray:
        def deviations_of(level: int, _: FloatArray) -> tuple[FloatArray, FloatArray]:
            return left.deviations_of(level), right.deviations_of(level)

        return self._sum_blocks(
            left.inputs.covariance(right.inputs),
            list(zip(left.unfoldings.steps, right.unfoldings.steps, strict=True)),
            deviations_of,
            list(zip(left.unfoldings.counts, right.unfoldings.counts, strict=True)),
        )

    def _sum_blocks(
        self,
        sigma: FloatArray,
        steps: list[Pair],
        deviations_of: Deviations,
        counts: list[Pair],
    ) -> FloatArray:
        """Pass the covariances of nodes through all blocks; return the kernel of graphs."""
        total = _apply(counts[0], sigma) if self.jumping else 0.0
        theta = sigma
        for level, step in enumerate(steps):
            theta = _apply(step, theta)
            sigma = _apply(step, sigma) if level else theta.copy()
            left, right = deviations_of(level, sigma)
            for _ in range(self.n_layers):
                pass_layer(sigma, theta, left, right)
            if self.jumping or level == len(steps) - 1:
                total = total + _apply(counts[level + 1], theta)
        return np.asarray(total)

    def _self_kernel(self, described: "_Described") -> FloatArray:
        return described.self_kernel


@dataclass(frozen=True)
class _Inputs:
    """Inputs of the network: hashes of labels, and attributes."""

    labels: Colors | None
    attributes: FloatArray

    def take(self, nodes: slice | IndexArray) -> "_Inputs":
        labels = None if self.labels is None else self.labels[nodes]
        return _Inputs(labels, self.attributes[nodes])

    def covariance(self, other: "_Inputs") -> FloatArray:
        """Return inner products; one-hot labels contribute one or zero."""
        products: FloatArray = multiply(self.attributes, other.attributes.T)
        if self.labels is not None and other.labels is not None:
            products += self.labels[:, None] == other.labels
        return products

    def colors(self) -> Colors:
        """Return hashes of labels and attributes that are valid in this batch only."""
        codes = np.zeros(len(self.attributes), dtype=np.int64)
        if self.attributes.size:
            codes = distinct(self.attributes)[1]
        labels = codes if self.labels is None else self.labels
        return mix(mix(labels.astype(np.uint64)) + codes.astype(np.uint64))


@dataclass(frozen=True)
class _Described:
    """Graphs as distinct nodes.

    ``deviations`` are the standard deviations of all nodes of the batch in every block, and
    ``self_kernel`` is the kernel of every graph with itself. ``inputs`` are the inputs of
    all nodes; in a tile, of its distinct nodes.
    """

    unfoldings: Unfoldings
    inputs: _Inputs
    deviations: FloatArray
    self_kernel: FloatArray

    @property
    def graphs(self) -> IndexArray:
        return self.unfoldings.graphs

    def deviations_of(self, level: int) -> FloatArray:
        selected: FloatArray = self.deviations[level, self.unfoldings.nodes[level + 1]]
        return selected

    def tiles(self) -> "list[_Described]":
        """Split the distinct nodes of the last level into parts, graph by graph."""
        order = np.argsort(self.unfoldings.nodes[-1])
        starts = range(0, len(order), _TILE)
        parts = [self.unfoldings.take(np.sort(order[n : n + _TILE])) for n in starts]
        return [
            _Described(
                part, self.inputs.take(part.nodes[0]), self.deviations, self.self_kernel
            )
            for part in parts
        ]


def _apply(pair: Pair, values: FloatArray) -> FloatArray:
    """Return ``left @ values @ right.T`` for a pair of matrices."""
    left, right = pair
    out = np.empty((left.shape[0], right.shape[0]))
    fill_sandwich(
        left.indptr,
        left.indices,
        left.data,
        right.indptr,
        right.indices,
        right.data,
        values,
        out,
    )
    return out


def _check_runtime(
    left: Unfoldings, right: Unfoldings, n_passes: int, *, same: bool
) -> None:
    """Raise if a comparison would take days."""
    pairs = zip(left.nodes[1:], right.nodes[1:], strict=True)
    n_cells = sum(len(one) * len(other) for one, other in pairs) / (2 if same else 1)
    check_runtime(
        n_cells * n_passes * _SECONDS_PER_CELL,
        "GNTK",
        "use fewer graphs, or n_blocks=1, for which more nodes can be merged",
    )
