"""The graph neural tangent kernel: graph networks of infinite width, trained to the end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from gskn.baselines._attributes import AttributeScaler, uses_attributes
from gskn.baselines._colours import Colours, first_colours, mix
from gskn.baselines._cost import check_sizes, refuse_days
from gskn.baselines._jit_tangent import fill_sandwich, pass_layer
from gskn.baselines._kernel import NormalizedKernel
from gskn.baselines._unfoldings import Unfoldings, closed_adjacency, unfold
from gskn.graphs import GraphBatch, pool_matrix

_SYSTEM = "GNTK"
_RUN_NODES = 2**8  # of graphs compared each with itself at once
_TILE = 2**10  # distinct nodes compared with as many others at once
_SECONDS_A_CELL = 1.5e-8  # and layer, or step
_LARGEST = 2**14  # nodes of a graph

Pair: TypeAlias = tuple[csr_array, csr_array]
Roots: TypeAlias = Callable[[int, FloatArray], tuple[FloatArray, FloatArray]]


class GNTK(NormalizedKernel):
    """The kernel of infinitely wide graph networks in the limit of small steps of descent.

    A network is ``n_blocks`` times: add up a node and its neighbours, then ``n_layers``
    fully connected layers with rectified units; at the end, add up all nodes.

    Parameters
    ----------
    n_blocks : int, default=2
        Aggregations, each followed by layers. The authors choose among 1 to 13 (their
        number of layers, 2 to 14, counts the input). At most 100.
    n_layers : int, default=2
        Fully connected layers of a block, at most 100; the authors choose among 1 to 3.
    jumping : bool, default=True
        Whether nodes of all blocks, and of the input, are added up at the end (jumping
        knowledge), or those of the last block only. The authors try both.
    scale : {"degree", "uniform"}, default="degree"
        Whether a node and its neighbours are averaged or added. The authors try both.
    sources : {"auto", "labels", "attributes"}, default="auto"
        What nodes are at the start: one-hot "labels" (degrees where graphs have none),
        "attributes", or "auto": both, where the training graphs have them.
    normalize : bool, default=True
        The cosine instead of the kernel. The authors try both.
    n_jobs : int or None, default=None
        Threads; None is one, -1 as many as there are cores.

    Notes
    -----
    Du, Hou, Salakhutdinov, Póczos, Wang and Xu, Graph neural tangent kernel: fusing graph
    neural networks with graph kernels (2019). The kernel is half that of the authors'
    program, which counts everything twice. Attributes, which they do not use, are
    standardised by the nodes of the training graphs. Weights of edges are not looked at.

    Time grows with the square of the number of nodes of different surroundings, which for
    labels and degrees is often far below the number of nodes; those are found first.

    Examples
    --------
    >>> import networkx as nx
    >>> model = GNTK(1, 1, jumping=False, normalize=False)
    >>> model.fit_transform([nx.empty_graph(1), nx.empty_graph(3)])  # |x|^2 (n_layers + 1)
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    def __init__(
        self,
        n_blocks: int = 2,
        n_layers: int = 2,
        *,
        jumping: bool = True,
        scale: str = "degree",
        sources: str = "auto",
        normalize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_blocks = n_blocks
        self.n_layers = n_layers
        self.jumping = jumping
        self.scale = scale
        self.sources = sources
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _looks_at_labels(self) -> bool:
        return self.is_labelled_

    def learns_from(self, batch: GraphBatch) -> bool:
        """Tell whether attributes are used, which are scaled by those of fit."""
        return uses_attributes(self.sources, batch)

    def _learn(self, batch: GraphBatch) -> "_Described":
        check_int(self.n_blocks, "n_blocks", minimum=1, maximum=MAX_LAYERS)
        check_int(self.n_layers, "n_layers", minimum=1, maximum=MAX_LAYERS)
        check_choice(self.scale, "scale", choices=("degree", "uniform"))
        attributed = self.learns_from(batch)
        labelled = batch.node_labels is not None or not attributed
        self.is_labelled_ = self.sources != "attributes" and labelled
        self.scaler_ = AttributeScaler(batch, _SYSTEM) if attributed else None
        return self._describe(batch)

    def _describe(self, batch: GraphBatch) -> "_Described":
        check_sizes(batch, _SYSTEM, _LARGEST)
        if self.sources == "labels":
            batch = replace(batch, node_attributes=None)
        inputs = _Inputs(
            first_colours(batch, _SYSTEM) if self.is_labelled_ else None,
            np.empty((batch.n_nodes, 0))
            if self.scaler_ is None
            else self.scaler_.scale(batch),
        )
        closed = closed_adjacency(batch, shares=self.scale == "degree")
        norms, own = self._alone(batch, closed, inputs)
        found = unfold(batch, inputs.colours(), closed, self.n_blocks)
        return _Described(found, inputs, norms, own)

    def _alone(
        self, batch: GraphBatch, closed: csr_array, inputs: "_Inputs"
    ) -> tuple[FloatArray, FloatArray]:
        """Return roots of variances of nodes after each step, and the kernel of graphs."""
        norms = np.zeros((self.n_blocks, batch.n_nodes))
        own = np.zeros(batch.n_graphs)
        for run in runs_of_graphs(batch.graph_ptr, _RUN_NODES):
            nodes = slice(batch.graph_ptr[run.start], batch.graph_ptr[run.stop])
            step = csr_array(closed[nodes, nodes])
            pool = pool_matrix(batch.graph_ptr[run.start : run.stop + 1] - nodes.start)
            part = inputs.take(nodes)

            def roots(
                level: int, sigma: FloatArray, nodes: slice = nodes
            ) -> tuple[FloatArray, FloatArray]:
                norms[level, nodes] = np.sqrt(np.diagonal(sigma))
                return norms[level, nodes], norms[level, nodes]

            totals = self._sum(
                part.covariance(part),
                [(step, step)] * self.n_blocks,
                roots,
                [(pool, pool)] * (self.n_blocks + 1),
            )
            own[run] = np.diagonal(totals)
        return norms, own

    def _compare(self, left: "_Described", right: "_Described") -> FloatArray:
        same = left is right
        _refuse_days(left.found, right.found, self.n_layers + 2, same=same)
        kernel = np.zeros((len(left.own), len(right.own)))
        others = right.tiles()
        for number, tile in enumerate(others if same else left.tiles()):
            chosen = others[number:] if same else others
            blocks = run_threads(partial(self._compare_tiles, tile), chosen, self.n_jobs)
            for other, block in zip(chosen, blocks, strict=True):
                kernel[np.ix_(tile.found.graphs, other.found.graphs)] += block
                if same and other is not tile:
                    kernel[np.ix_(other.found.graphs, tile.found.graphs)] += block.T
        return kernel

    def _compare_tiles(self, left: "_Described", right: "_Described") -> FloatArray:
        def roots(level: int, _: FloatArray) -> tuple[FloatArray, FloatArray]:
            return left.roots(level), right.roots(level)

        return self._sum(
            left.inputs.covariance(right.inputs),
            list(zip(left.found.steps, right.found.steps, strict=True)),
            roots,
            list(zip(left.found.counts, right.found.counts, strict=True)),
        )

    def _sum(
        self,
        sigma: FloatArray,
        steps: list[Pair],
        roots: Roots,
        counts: list[Pair],
    ) -> FloatArray:
        """Return the kernel of graphs: covariances of nodes, passed on level by level."""
        total = _apply(counts[0], sigma) if self.jumping else 0.0
        theta = sigma
        for level, step in enumerate(steps):
            theta = _apply(step, theta)
            sigma = _apply(step, sigma) if level else theta.copy()
            left, right = roots(level, sigma)
            for _ in range(self.n_layers):
                pass_layer(sigma, theta, left, right)
            if self.jumping or level == len(steps) - 1:
                total = total + _apply(counts[level + 1], theta)
        return np.asarray(total)

    def _own(self, described: "_Described") -> FloatArray:
        return described.own


@dataclass(frozen=True)
class _Inputs:
    """What nodes are at the start."""

    labels: Colours | None
    rows: FloatArray

    def take(self, nodes: slice | IndexArray) -> "_Inputs":
        labels = None if self.labels is None else self.labels[nodes]
        return _Inputs(labels, self.rows[nodes])

    def covariance(self, other: "_Inputs") -> FloatArray:
        """Return inner products; those of labels are one or zero."""
        products: FloatArray = multiply(self.rows, other.rows.T)
        if self.labels is not None and other.labels is not None:
            products += self.labels[:, None] == other.labels
        return products

    def colours(self) -> Colours:
        """Return hashes that differ where labels or attributes do, in this batch alone."""
        codes = np.zeros(len(self.rows), dtype=np.int64)
        if self.rows.size:
            codes = distinct(self.rows)[1]
        labels = codes if self.labels is None else self.labels
        return mix(mix(labels.astype(np.uint64)) + codes.astype(np.uint64))


@dataclass(frozen=True)
class _Described:
    """Graphs as distinct nodes.

    ``norms`` are the roots of variances of all nodes of the batch after every step, and
    ``own`` is the kernel of every graph with itself. ``inputs`` are those of all nodes; of
    a tile, those of its distinct nodes.
    """

    found: Unfoldings
    inputs: _Inputs
    norms: FloatArray
    own: FloatArray

    def roots(self, level: int) -> FloatArray:
        chosen: FloatArray = self.norms[level, self.found.nodes[level + 1]]
        return chosen

    def tiles(self) -> "list[_Described]":
        """Cut distinct nodes of the last level into parts, graph by graph."""
        order = np.argsort(self.found.nodes[-1])
        starts = range(0, len(order), _TILE)
        parts = [self.found.take(np.sort(order[n : n + _TILE])) for n in starts]
        return [
            _Described(part, self.inputs.take(part.nodes[0]), self.norms, self.own)
            for part in parts
        ]


def _apply(pair: Pair, values: FloatArray) -> FloatArray:
    """Multiply from the left by one matrix, and from the right by the other's transpose."""
    left, right = pair
    out = np.empty((left.shape[0], right.shape[0]))
    csr = ((matrix.indptr, matrix.indices, matrix.data) for matrix in pair)
    fill_sandwich(*next(csr), *next(csr), values, out)
    return out


def _refuse_days(left: Unfoldings, right: Unfoldings, n_passes: int, *, same: bool) -> None:
    pairs = zip(left.nodes[1:], right.nodes[1:], strict=True)
    n_cells = sum(len(one) * len(other) for one, other in pairs) / (2 if same else 1)
    refuse_days(
        n_cells * n_passes * _SECONDS_A_CELL,
        "GNTK",
        "give fewer graphs, or set n_blocks to 1: nodes are alike in small surroundings",
    )
