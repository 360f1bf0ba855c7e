"""RetGK: nodes compared by the return probabilities of random walks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import pdist
from threadpoolctl import threadpool_limits

from gskn._limits import MAX_ITERATIONS
from gskn._offsets import runs_of_graphs
from gskn._random import RandomState, as_generator
from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_cells, check_choice, check_int, check_positive
from gskn.baselines._shared._baseline import Variant
from gskn.baselines._shared._colors import Colors, initial_colors
from gskn.baselines._shared._cost import check_graph_sizes, check_runtime
from gskn.baselines._shared._jit_distances import subtract_distances
from gskn.baselines._shared._kernel import GraphKernel
from gskn.baselines._shared._node_features import keep_node_features, select_node_features
from gskn.colors import mix
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

_CELLS = 2**19  # of a matrix of pairs of nodes, which stays in the cache
_ROWS = 128  # nodes that are compared together with others
_SAMPLE = 2000  # nodes whose median distance is the default width
_NOISE = 1e-6  # distances below are rounding errors: the root of the error of squares
_MAX_NODES = 2**14  # of a graph
_PRECISION = 1e10  # nodes of a graph that agree to ten digits are merged
_SECONDS_PER_PAIR = 2e-8
_EXPONENTS = {"laplacian": 1, "gaussian": 2}
_SUPPORTED = ((), ("labels",), ("attributes",), ("labels", "attributes"))


class RetGK(GraphKernel):
    """Kernel that compares graphs by the distributions of their nodes.

    A node is described by the probabilities that a random walk returns to it after 1, 2,
    ... steps, by its label and by its attributes.

    Parameters
    ----------
    n_steps : int, default=50
        Number of return probabilities per node, at most 10,000. The authors use 50.
    loops : bool, default=True
        Add a self-loop to every node, as the authors' program does.
    node_features : "auto" or list of {"labels", "attributes"}, default="auto"
        Node data that is used if the graphs have it, in addition to return probabilities.
        "auto" uses both.
    kernel : {"laplacian", "gaussian"}, default="laplacian"
        ``exp(-d / w)`` or ``exp(-(d / w) ** 2)`` of the distance d of two graphs.
    node_width, graph_width : float or None, default=None
        Widths of the kernels of return probabilities and of graphs. None: the median
        distance of 2,000 random training nodes, and of all pairs of training graphs.
    random_state : int, Generator or None, default=0
        Seed of the random nodes.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores. Results do not depend on it.

    Attributes
    ----------
    node_width_, graph_width_ : float
        The widths that are used.
    distances_ : ndarray of shape (n_training_graphs, n_training_graphs)
        Distances of the training graphs.

    Notes
    -----
    This is RetGK I of the authors, computed exactly. The kernel of two nodes with equal
    labels is ``exp(-d / w)`` of their return probabilities, times the same of their
    attributes with the root of the number of attributes as width; it is zero for different
    labels. The distance of two graphs is the distance of the means of their nodes in the
    feature space of this kernel. The authors use five nodes of every graph for the median.
    Directed graphs are not supported. Steps are weighted by edge weights.

    Time is quadratic in the total number of nodes; nodes of a graph that agree to ten
    digits are merged.

    References
    ----------
    Zhen Zhang, Mianzhi Wang, Yijian Xiang, Yan Huang and Arye Nehorai, "RetGK: Graph
    kernels based on return probabilities of random walks", 2018.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = RetGK(node_width=1, graph_width=1)
    >>> kernel.fit_transform([ring_of_six, two_triangles]).round(3)
    array([[1.   , 0.313],
           [0.313, 1.   ]])
    """

    variants = (
        Variant(
            name="retgk",
            label="return probabilities of walks",
            transductive=True,
            table_label="RetGK",
            table_data="attributes",
        ),
        Variant(
            name="retgk-labels",
            label="return probabilities, labels only",
            grid=({"node_features": ("labels",)},),
            transductive=True,
            table_label="RetGK",
            table_data="labels",
        ),
    )
    uses = "labels and attributes if present"
    postprocess_parameters = ("kernel",)

    def __init__(  # noqa: PLR0913 - the parameters of the authors' program, and two widths
        self,
        n_steps: int = 50,
        *,
        loops: bool = True,
        node_features: str | Sequence[str] = "auto",
        kernel: str = "laplacian",
        node_width: float | None = None,
        graph_width: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_steps = n_steps
        self.loops = loops
        self.node_features = node_features
        self.kernel = kernel
        self.node_width = node_width
        self.graph_width = graph_width
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _uses_labels(self) -> bool:
        selection = select_node_features(self.node_features, _SUPPORTED)
        return selection is None or "labels" in selection

    def _learn(self, batch: GraphBatch) -> "_Nodes":
        check_int(self.n_steps, "n_steps", minimum=1, maximum=MAX_ITERATIONS)
        check_choice(self.kernel, "kernel", choices=tuple(_EXPONENTS))
        nodes = self._describe(batch)
        self.node_width_ = _width(
            self.node_width, "node_width", self._sample_distances(nodes)
        )
        products = nodes.products(nodes, self.node_width_, self.n_jobs)
        self.squares_ = np.diagonal(products).copy()
        self.distances_ = _distances(self.squares_, self.squares_, products)
        self.graph_width_ = _width(self.graph_width, "graph_width", self.distances_)
        return nodes

    def _describe(self, batch: GraphBatch) -> "_Nodes":
        if batch.is_directed:
            raise InputError(
                "RetGK compares undirected graphs, but graph "
                f"{np.flatnonzero(batch.directed)[0]} is directed; remove it, or add the "
                "reverse of every edge."
            )
        check_graph_sizes(batch, "RetGK", _MAX_NODES)
        check_cells(
            float(batch.n_nodes) * self.n_steps,
            f"{self.n_steps} probabilities for each of {batch.n_nodes} nodes",
            "use a smaller n_steps, or pass fewer graphs at a time",
        )
        selection = select_node_features(self.node_features, _SUPPORTED)
        returns = return_probabilities(batch, self.n_steps, loops=bool(self.loops))
        return _Nodes.from_batch(keep_node_features(batch, selection), returns)

    def _sample_distances(self, nodes: "_Nodes") -> FloatArray:
        """Return the distances of random training nodes."""
        indices = np.repeat(np.arange(len(nodes.returns)), nodes.counts)
        generator = as_generator(self.random_state)
        sample = generator.choice(indices, min(_SAMPLE, len(indices)), replace=False)
        return np.asarray(pdist(nodes.returns[sample]))

    def _compare(self, left: "_Nodes", right: "_Nodes") -> FloatArray:
        """Return distances; the fit computed the distances of the training graphs."""
        if left is right:
            return self.distances_
        products = left.products(right, self.node_width_, self.n_jobs)
        return _distances(left.squares(self.node_width_), self.squares_, products)

    def _postprocess(self, comparison: FloatArray, described: Any) -> FloatArray:  # noqa: ARG002
        exponent = _EXPONENTS[self.kernel]
        return np.asarray(np.exp(-((comparison / self.graph_width_) ** exponent)))


@dataclass(frozen=True)
class _Nodes:
    """Distinct nodes of all graphs, sorted by graph.

    Attributes
    ----------
    returns, colors, attributes : ndarray
        Return probabilities, hashes of the labels, and attributes of every node.
    graphs, counts, weights : ndarray
        Graph of every node, number of its occurrences, and the same as a fraction of the
        nodes of the graph.
    n_graphs : int
        Number of graphs.
    """

    returns: FloatArray
    colors: Colors
    attributes: FloatArray
    graphs: IndexArray
    counts: IndexArray
    weights: FloatArray
    n_graphs: int

    @classmethod
    def from_batch(cls, batch: GraphBatch, returns: FloatArray) -> Self:
        """Merge the nodes of a graph that agree in all data."""
        colors = np.zeros(batch.n_nodes, dtype=np.uint64)
        if batch.node_labels is not None:
            colors = initial_colors(batch, "RetGK")
        attributes = np.zeros((batch.n_nodes, 0))
        if batch.node_attributes is not None:
            attributes = batch.node_attributes
        hashes = colors
        for column in np.rint(returns * _PRECISION).astype(np.int64).T:
            hashes = mix(hashes + column.view(np.uint64))
        for column in attributes.T:
            hashes = mix(hashes + column.copy().view(np.uint64))
        keys = np.stack([batch.node_graphs.astype(np.uint64), hashes])
        _, first, counts = np.unique(keys, axis=1, return_index=True, return_counts=True)
        graphs = batch.node_graphs[first]
        return cls(
            returns[first],
            colors[first],
            attributes[first],
            graphs,
            counts,
            counts / batch.graph_sizes[graphs],
            batch.n_graphs,
        )

    def products(self, other: "_Nodes", width: float, n_jobs: int | None) -> FloatArray:
        """Return inner products of the means of graphs in feature space."""
        self._check_attributes(other)
        seconds = _SECONDS_PER_PAIR * float(len(self.returns)) * len(other.returns)
        check_runtime(seconds, "RetGK", "use fewer or smaller graphs")
        result = np.zeros((self.n_graphs, other.n_graphs))
        for color in np.intersect1d(self.colors, other.colors):
            left, right = (nodes.take(nodes.colors == color) for nodes in (self, other))
            ptr = np.append(left.first_of_graphs(), len(left.returns))
            runs = [slice(ptr[r.start], ptr[r.stop]) for r in runs_of_graphs(ptr, _ROWS)]
            add = partial(left.add_products, right, width, result, same=other is self)
            run_threads(add, runs, n_jobs)
        return result + result.T if other is self else result

    def take(self, selected: slice | AnyArray) -> "_Nodes":
        """Return some of the nodes."""
        return _Nodes(
            self.returns[selected],
            self.colors[selected],
            self.attributes[selected],
            self.graphs[selected],
            self.counts[selected],
            self.weights[selected],
            self.n_graphs,
        )

    def first_of_graphs(self) -> IndexArray:
        """Return the first node of every graph that has nodes."""
        return np.flatnonzero(np.diff(self.graphs, prepend=-1))

    def squares(self, width: float) -> FloatArray:
        """Return squared norms of the means of graphs in feature space."""
        result = np.zeros(self.n_graphs)
        for first, end in pairwise(np.append(self.first_of_graphs(), len(self.returns))):
            nodes = self.take(slice(first, end))
            same_label = nodes.colors[:, None] == nodes.colors
            kernel = same_label * nodes.compare(nodes, width)
            result[self.graphs[first]] = nodes.weights @ kernel @ nodes.weights
        return result

    def add_products(
        self, other: "_Nodes", width: float, result: FloatArray, run: slice, *, same: bool
    ) -> None:
        """Add the products of the nodes of some graphs to the result.

        All nodes have the same label. If both sets of nodes are the same, only the upper
        half is added, with half the diagonal. Different runs write to different rows.
        """
        nodes = self.take(run)
        n_columns = max(_CELLS // len(nodes.returns), len(nodes.returns))
        begin = run.start if same else 0
        for start in range(begin, len(other.returns), n_columns):
            others = other.take(slice(start, start + n_columns))
            values = nodes.compare(others, width)
            if same and start == begin:
                values[:, : len(nodes.returns)] /= 2
            values *= others.weights
            values = np.add.reduceat(values, others.first_of_graphs(), axis=1)
            values *= nodes.weights[:, None]
            values = np.add.reduceat(values, nodes.first_of_graphs(), axis=0)
            rows, columns = (n.graphs[n.first_of_graphs()] for n in (nodes, others))
            result[np.ix_(rows, columns)] += values

    def compare(self, other: "_Nodes", width: float) -> FloatArray:
        """Return the kernel of all pairs of nodes, ignoring labels."""
        values = np.zeros((len(self.returns), len(other.returns)))
        attribute_width = float(np.sqrt(self.attributes.shape[1]))
        subtract_distances(
            self.returns, np.ascontiguousarray(other.returns.T), width, values
        )
        if attribute_width:
            columns = np.ascontiguousarray(other.attributes.T)
            subtract_distances(self.attributes, columns, attribute_width, values)
        return np.exp(values, out=values)

    def _check_attributes(self, training: "_Nodes") -> None:
        """Raise if the number of attributes differs from the training graphs."""
        n_attributes, n_training = self.attributes.shape[1], training.attributes.shape[1]
        if n_attributes != n_training and len(self.returns):
            raise InputError(
                f"The graphs have {n_attributes} node attributes, but the training graphs "
                f"had {n_training}; use the same attributes."
            )


def return_probabilities(batch: GraphBatch, n_steps: int, *, loops: bool) -> FloatArray:
    """Return the probabilities that a walk is back at its start after 1, 2, ... steps.

    Parameters
    ----------
    batch : GraphBatch
        Undirected graphs.
    n_steps : int
        Largest number of steps.
    loops : bool
        Whether to add a self-loop to every node.

    Returns
    -------
    probabilities : ndarray of shape (n_nodes, n_steps)
        Return probabilities, zero for a node without edges.
    """
    result, adjacency = np.zeros((batch.n_nodes, n_steps)), batch.adjacency.tocsr()
    # The matrices are small: with several BLAS threads this took 40 times as long.
    with threadpool_limits(1, "blas"):
        for first, end in pairwise(batch.graph_ptr):
            matrix = np.eye(end - first) * loops
            entries = slice(adjacency.indptr[first], adjacency.indptr[end])
            rows = np.repeat(
                np.arange(end - first), np.diff(adjacency.indptr[first : end + 1])
            )
            matrix[rows, adjacency.indices[entries] - first] += adjacency.data[entries]
            result[first:end] = _power_diagonals(matrix, n_steps)
    return result


def _power_diagonals(matrix: FloatArray, n_steps: int) -> FloatArray:
    """Return the diagonals of the powers of the transition matrix, by its eigenvalues."""
    sums = matrix.sum(axis=1)
    roots = np.sqrt(np.divide(1, sums, out=np.zeros_like(sums), where=sums > 0))
    values, vectors = np.linalg.eigh(roots[:, None] * matrix * roots)
    return np.asarray(vectors**2 @ values[:, None] ** np.arange(1, n_steps + 1))


def _distances(
    squares: FloatArray, training_squares: FloatArray, products: FloatArray
) -> FloatArray:
    """Return distances of means; values below the rounding error become zero."""
    squared = squares[:, None] + training_squares - 2 * products
    return np.sqrt(np.where(squared > _NOISE**2, squared, 0.0))


def _width(value: float | None, name: str, distances: FloatArray) -> float:
    """Return the width, by default the median distance, or one if that is zero."""
    if value is None:
        median = float(np.median(distances)) if distances.size else 0.0
        return median if median > _NOISE else 1.0
    return check_positive(value, name, maximum=1e150)
