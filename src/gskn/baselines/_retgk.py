"""RetGK (Zhang et al., 2018): nodes by the probabilities that a random walk returns."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from gskn._limits import MAX_ITERATIONS
from gskn._offsets import runs_of_graphs
from gskn._random import RandomState, as_generator
from gskn._threads import run_threads
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import (
    check_cells,
    check_choice,
    check_common_parameters,
    check_int,
    check_positive,
)
from gskn.baselines._colours import Colours, check_labels, first_colours, mix
from gskn.baselines._cost import check_sizes, refuse_days
from gskn.baselines._jit_distances import subtract_distances
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch

_CELLS = 2**19  # of a matrix of pairs of nodes, which stays in cache
_ROWS = 128  # nodes that are compared together with others
_SAMPLE = 2000  # nodes by whose distances the width is set
_NOISE = 1e-6  # distances below are of equals: the root of what rounding leaves of squares
_LARGEST = 2**14  # nodes of a graph
_DIGITS = 1e10  # nodes of a graph that agree so far are one
_PAIR_SECONDS = 2e-8
_POWERS = {"laplacian": 1, "gaussian": 2}


class RetGK(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Compare the distributions of nodes of two graphs: where walks return, and labels.

    Parameters
    ----------
    n_steps : int, default=50
        Steps after which a walk may have returned, at most 10,000; the authors take 50.
    loops : bool, default=True
        Give every node an edge to itself, as the published program does.
    with_attributes : bool, default=True
        Whether attributes of nodes count, where graphs have them.
    kernel : {"laplacian", "gaussian"}, default="laplacian"
        ``exp(-d / w)`` or ``exp(-(d / w) ** 2)`` of the distance d of two graphs.
    node_width, graph_width : float or None, default=None
        Widths of the kernels of return probabilities, and of graphs. None: the median
        distance of 2,000 nodes drawn at random, and of all pairs of graphs, of fit.
    random_state : int, Generator or None, default=0
        Which nodes are drawn.
    n_jobs : int or None, default=None
        Threads; None is one, -1 as many as there are cores. Kernels do not depend on it.

    Attributes
    ----------
    node_width_, graph_width_ : float
        The widths that are used.

    Notes
    -----
    Zhen Zhang et al., RetGK: graph kernels based on return probabilities of random walks
    (2018). This is their RetGK I, exact. A node is its probabilities of being back after 1,
    2, ... steps, its label and its attributes, as far as graphs have them. Nodes are
    compared by ``exp(-d / w)`` of their return probabilities, times the same of attributes
    with the root of their number as the width, if labels are equal; graphs by the distance
    of the means of their nodes in the space of that kernel. The authors take five nodes of
    every graph for the median. Directed graphs are refused. Weights of edges weigh steps.

    Time grows with the square of the number of nodes of all graphs; nodes of a graph that
    agree to ten digits are compared once.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = RetGK(node_width=1, graph_width=1)
    >>> kernel.fit_transform([ring_of_six, two_triangles]).round(3)
    array([[1.   , 0.313],
           [0.313, 1.   ]])
    """

    def __init__(  # noqa: PLR0913 - two widths, and what the authors choose
        self,
        n_steps: int = 50,
        *,
        loops: bool = True,
        with_attributes: bool = True,
        kernel: str = "laplacian",
        node_width: float | None = None,
        graph_width: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_steps = n_steps
        self.loops = loops
        self.with_attributes = with_attributes
        self.kernel = kernel
        self.node_width = node_width
        self.graph_width = graph_width
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Keep the nodes of graphs, and set the widths."""
        self._fit(as_batch(X))
        return self

    def fit_transform(self, X: Any, y: object = None) -> FloatArray:  # noqa: ARG002
        """Return the kernel of all graphs with each other, symmetric."""
        return self._kernel(self._fit(as_batch(X)))

    def transform(self, X: Any) -> FloatArray:
        """Return the kernel of graphs with those of fit, of shape (n_graphs, n_fitted)."""
        check_is_fitted(self, "graph_width_")
        batch = as_batch(X)
        check_labels(batch, "RetGK", labelled=self.is_labelled_fit_)
        nodes = self._describe(batch)
        products = nodes.products(self.nodes_, self.node_width_, self.n_jobs)
        own = nodes.squares(self.node_width_)
        return self._kernel(_distances(own, self.squares_, products))

    def _fit(self, batch: GraphBatch) -> FloatArray:
        """Fit, and return distances of graphs."""
        check_common_parameters(self)
        check_int(self.n_steps, "n_steps", minimum=1, maximum=MAX_ITERATIONS)
        check_choice(self.kernel, "kernel", choices=tuple(_POWERS))
        self.is_labelled_fit_ = batch.node_labels is not None
        self.nodes_ = self._describe(batch)
        self.node_width_ = _width(self.node_width, "node_width", self._node_distances())
        products = self.nodes_.products(self.nodes_, self.node_width_, self.n_jobs)
        self.squares_ = np.diagonal(products).copy()
        distances = _distances(self.squares_, self.squares_, products)
        self.graph_width_ = _width(self.graph_width, "graph_width", distances)
        return distances

    def _describe(self, batch: GraphBatch) -> "_Nodes":
        if batch.is_directed:
            raise InputError(
                "RetGK compares undirected graphs, but graph "
                f"{np.flatnonzero(batch.directed)[0]} is directed; leave it out, or add "
                "the mirror of every arc."
            )
        check_sizes(batch, "RetGK", _LARGEST)
        check_cells(
            float(batch.n_nodes) * self.n_steps,
            f"{self.n_steps} probabilities for each of {batch.n_nodes} nodes",
            "use a smaller n_steps, or give fewer graphs at a time",
        )
        if not self.with_attributes:
            batch = replace(batch, node_attributes=None)
        return _Nodes.of(batch, return_probabilities(batch, self.n_steps, bool(self.loops)))

    def _node_distances(self) -> FloatArray:
        rows, counts = self.nodes_.rows, self.nodes_.counts
        places = np.repeat(np.arange(len(rows)), counts)
        generator = as_generator(self.random_state)
        drawn = generator.choice(places, min(_SAMPLE, len(places)), replace=False)
        return np.asarray(pdist(rows[drawn]))

    def _kernel(self, distances: FloatArray) -> FloatArray:
        return np.asarray(
            np.exp(-((distances / self.graph_width_) ** _POWERS[self.kernel]))
        )


@dataclass(frozen=True)
class _Nodes:
    """Nodes that differ, of all graphs.

    Attributes
    ----------
    rows, colours, attributes : ndarray
        Return probabilities, hashes of labels, and attributes of every node.
    graphs, counts, shares : ndarray
        Which graph has this node, how often, and which share of its nodes that is.
    n_graphs : int
        Number of graphs.
    """

    rows: FloatArray
    colours: Colours
    attributes: FloatArray
    graphs: IndexArray
    counts: IndexArray
    shares: FloatArray
    n_graphs: int

    @staticmethod
    def of(batch: GraphBatch, rows: FloatArray) -> "_Nodes":
        """Merge nodes of a graph that agree in everything."""
        colours = np.zeros(batch.n_nodes, dtype=np.uint64)
        if batch.node_labels is not None:
            colours = first_colours(batch, "RetGK")
        attributes = np.zeros((batch.n_nodes, 0))
        if batch.node_attributes is not None:
            attributes = batch.node_attributes
        hashes = colours
        for column in np.rint(rows * _DIGITS).astype(np.int64).T:
            hashes = mix(hashes + column.view(np.uint64))
        for column in attributes.T:
            hashes = mix(hashes + column.copy().view(np.uint64))
        pairs = np.stack([batch.node_graphs.astype(np.uint64), hashes])
        _, kept, counts = np.unique(pairs, axis=1, return_index=True, return_counts=True)
        graphs = batch.node_graphs[kept]
        shares = counts / batch.graph_sizes[graphs]
        described = (rows[kept], colours[kept], attributes[kept])
        return _Nodes(*described, graphs, counts, shares, batch.n_graphs)

    def products(self, other: "_Nodes", width: float, n_jobs: int | None) -> FloatArray:
        """Return inner products of the means of graphs, in the space of the kernel."""
        self._check_alike(other)
        seconds = _PAIR_SECONDS * float(len(self.rows)) * len(other.rows)
        refuse_days(seconds, "RetGK", "take fewer or smaller graphs")
        result = np.zeros((self.n_graphs, other.n_graphs))
        for colour in np.intersect1d(self.colours, other.colours):
            left, right = (nodes.take(nodes.colours == colour) for nodes in (self, other))
            ptr = np.append(left.firsts(), len(left.rows))
            runs = [slice(ptr[r.start], ptr[r.stop]) for r in runs_of_graphs(ptr, _ROWS)]
            add = partial(left.add_products, right, width, result, same=other is self)
            run_threads(add, runs, n_jobs)
        return result + result.T if other is self else result

    def take(self, chosen: slice | AnyArray) -> "_Nodes":
        """Return some of the nodes."""
        described = (self.rows[chosen], self.colours[chosen], self.attributes[chosen])
        own = (self.graphs[chosen], self.counts[chosen], self.shares[chosen])
        return _Nodes(*described, *own, self.n_graphs)

    def firsts(self) -> IndexArray:
        """Return where the nodes of another graph begin; they lie graph by graph."""
        return np.flatnonzero(np.diff(self.graphs, prepend=-1))

    def squares(self, width: float) -> FloatArray:
        """Return squared norms of the means of graphs."""
        result = np.zeros(self.n_graphs)
        for first, end in pairwise(np.append(self.firsts(), len(self.rows))):
            own = self.take(slice(first, end))
            same = own.colours[:, None] == own.colours
            kernel = same * own.compare(own, width)
            result[self.graphs[first]] = own.shares @ kernel @ own.shares
        return result

    def add_products(
        self, other: "_Nodes", width: float, result: FloatArray, run: slice, *, same: bool
    ) -> None:
        """Add products of the nodes of some graphs; where both are the same, one half.

        All nodes are of one label. Other runs of graphs add to other rows.
        """
        some = self.take(run)
        n_columns = max(_CELLS // len(some.rows), len(some.rows))
        begin = run.start if same else 0
        for start in range(begin, len(other.rows), n_columns):
            others = other.take(slice(start, start + n_columns))
            values = some.compare(others, width)
            if same and start == begin:
                values[:, : len(some.rows)] /= 2
            values *= others.shares
            values = np.add.reduceat(values, others.firsts(), axis=1)
            values *= some.shares[:, None]
            values = np.add.reduceat(values, some.firsts(), axis=0)
            graphs = (n.graphs[n.firsts()] for n in (some, others))
            result[np.ix_(*graphs)] += values

    def compare(self, other: "_Nodes", width: float) -> FloatArray:
        """Return the kernel of nodes, whatever their labels."""
        values = np.zeros((len(self.rows), len(other.rows)))
        root = float(np.sqrt(self.attributes.shape[1]))
        subtract_distances(self.rows, np.ascontiguousarray(other.rows.T), width, values)
        if root:
            columns = np.ascontiguousarray(other.attributes.T)
            subtract_distances(self.attributes, columns, root, values)
        return np.exp(values, out=values)

    def _check_alike(self, other: "_Nodes") -> None:
        found, fitted = self.attributes.shape[1], other.attributes.shape[1]
        if found != fitted and len(self.rows):
            raise InputError(
                f"Nodes have {found} attributes, those of fit have {fitted}; give graphs "
                "of the same kind."
            )


def return_probabilities(batch: GraphBatch, n_steps: int, loops: bool) -> FloatArray:  # noqa: FBT001
    """Return the probability that a walk from a node is back, after each of the steps.

    A node without any edge is never left, and never returned to.
    """
    result, adjacency = np.zeros((batch.n_nodes, n_steps)), batch.adjacency.tocsr()
    # On matrices so small, threads of BLAS wait for each other: 40 times as long, measured.
    with threadpool_limits(1, "blas"):
        for first, end in pairwise(batch.graph_ptr):
            matrix = np.eye(end - first) * loops
            entries = slice(adjacency.indptr[first], adjacency.indptr[end])
            rows = np.repeat(
                np.arange(end - first), np.diff(adjacency.indptr[first : end + 1])
            )
            matrix[rows, adjacency.indices[entries] - first] += adjacency.data[entries]
            result[first:end] = _returns(matrix, n_steps)
    return result


def _returns(matrix: FloatArray, n_steps: int) -> FloatArray:
    """Return diagonals of powers of the transition matrix, by its eigenvalues."""
    sums = matrix.sum(axis=1)
    roots = np.sqrt(np.divide(1, sums, out=np.zeros_like(sums), where=sums > 0))
    values, vectors = np.linalg.eigh(roots[:, None] * matrix * roots)
    return np.asarray(vectors**2 @ values[:, None] ** np.arange(1, n_steps + 1))


def _distances(own: FloatArray, fitted: FloatArray, products: FloatArray) -> FloatArray:
    """Return distances of means; what rounding leaves of zero is zero."""
    squares = own[:, None] + fitted - 2 * products
    return np.sqrt(np.where(squares > _NOISE**2, squares, 0.0))


def _width(given: float | None, name: str, distances: FloatArray) -> float:
    """Return a width as given, or the median distance; one, if that is zero."""
    if given is None:
        median = float(np.median(distances)) if distances.size else 0.0
        return median if median > _NOISE else 1.0
    return check_positive(given, name, maximum=1e150)
