"""The geometric random walk kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._limits import MAX_ITERATIONS
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_cells, check_fraction, check_int, check_number
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._colors import initial_colors
from gskn.baselines._shared._cost import check_runtime
from gskn.baselines._shared._jit_walks import SortedGraphs, count_steps, fill_shared_walks
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.baselines._shared._node_features import select_node_features
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

_TOLERANCE = 1e-10  # relative size of the omitted terms of a sum
_NORM_STEPS = 20
_SMALLEST = 1e-100
_PAIRS = 2**12  # pairs of graphs that one thread compares at a time
_SECONDS = 1e-9  # per entry of one adjacency matrix, node of the other graph, and step


class RandomWalkKernel(NormalizedKernel):
    """Kernel that counts common walks of two graphs; longer walks have smaller weights.

    Parameters
    ----------
    decay : float or None, default=None
        Factor by which every step multiplies the weight of a walk. None: see ``share``.
    share : float, default=0.5
        Decay relative to the bound that the training graphs allow, see Notes.
    n_steps : int, default=50
        Number of steps of the longest walks, at most 10,000.
    node_features : "auto" or list of {"labels"}, default="auto"
        Node data that is used. "auto" and "labels" count walks with equal node labels if
        the graphs have labels; an empty list ignores labels.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs.
    n_jobs : int or None, default=None
        Number of threads for labelled graphs; None is one thread, -1 all cores.

    Attributes
    ----------
    decay_ : float
        The decay that is used.

    Notes
    -----
    Let A be the adjacency matrix of the direct product of two graphs, whose nodes are the
    pairs of nodes with the same label. The kernel is the sum over s of ``decay ** s`` times
    the sum of all entries of A to the power of s. Edge weights are multiplied along a walk.
    Node attributes are ignored.

    The infinite sum converges only for a decay below ``1 / r ** 2``, with the largest
    spectral norm r of an adjacency matrix. ``share`` is relative to this bound, which is
    computed from the training graphs; a new graph may exceed it. The sum is therefore
    truncated after ``n_steps`` steps. Within the bound the omitted fraction is at most
    ``share ** (n_steps + 1) / (1 - share)``. For labelled graphs, steps that add less than
    1e-10 of the sum are omitted as well. Spectral norms are replaced by close upper bounds.

    Without labels, time is linear in the number of edges times steps and in the number of
    pairs of graphs. With labels, every pair of graphs takes time proportional to the number
    of nodes of one graph times the number of edges of the other.

    References
    ----------
    Thomas Gärtner, Peter Flach and Stefan Wrobel, "On graph kernels: Hardness results and
    efficient alternatives", 2003.

    S. V. N. Vishwanathan, Nicol Schraudolph, Risi Kondor and Karsten Borgwardt, "Graph
    kernels", 2010.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = RandomWalkKernel(0.125, n_steps=200, normalize=False)
    >>> kernel.fit_transform([ring_of_six, two_triangles])  # 36 / (1 - 0.125 * 2 * 2)
    array([[72., 72.],
           [72., 72.]])
    """

    variants = (
        Variant(
            name="rw-kernel",
            label="random walk kernel, geometric",
            grid=parameter_grid(share=(0.1, 0.5, 0.9)),
            transductive=True,
            table_label="RW kernel",
        ),
    )
    uses = "labels if present"

    def __init__(
        self,
        decay: float | None = None,
        *,
        share: float = 0.5,
        n_steps: int = 50,
        node_features: str | Sequence[str] = "auto",
        normalize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.decay = decay
        self.share = share
        self.n_steps = n_steps
        self.node_features = node_features
        self.normalize = normalize
        self.n_jobs = n_jobs

    def depends_on_training(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Return whether the decay is relative to a bound for the training graphs.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return self.decay is None

    def _uses_labels(self) -> bool:
        return select_node_features(self.node_features, ((), ("labels",))) != ()

    def _learn(self, batch: GraphBatch) -> "_Unlabelled | _Labelled":
        check_int(self.n_steps, "n_steps", minimum=0, maximum=MAX_ITERATIONS)
        if self.decay is None:
            largest = spectral_norms(batch).max(initial=0.0)
            share = check_fraction(self.share, "share")
            self.decay_ = share / largest**2 if largest > 0 else 0.0
        else:
            self.decay_ = check_number(self.decay, "decay", minimum=0, maximum=1e6)
        return self._describe(batch)

    def _describe(self, batch: GraphBatch) -> "_Unlabelled | _Labelled":
        n_steps = int(self.n_steps)
        if self._uses_labels() and self.is_labelled_fit_:
            return _Labelled(_sort_by_color(batch), self.decay_, n_steps, self.n_jobs)
        return _Unlabelled(_count_walks(batch, np.sqrt(self.decay_), n_steps))

    def _compare(self, left: Any, right: Any) -> FloatArray:
        comparison: FloatArray = left.compare(right)  # both have the same type
        return comparison

    def _self_kernel(self, described: "_Unlabelled | _Labelled") -> FloatArray:
        return described.compare_with_self()


@dataclass(frozen=True)
class _Unlabelled:
    """Graphs without labels: numbers of walks, times a power of the root of the decay.

    Every pair of walks of the same length is a walk of the direct product, so the kernel is
    the inner product of the numbers of walks.
    """

    n_walks: FloatArray

    def compare(self, other: "_Unlabelled") -> FloatArray:
        return multiply(self.n_walks, other.n_walks.T)

    def compare_with_self(self) -> FloatArray:
        return np.asarray((self.n_walks**2).sum(axis=1))


@dataclass(frozen=True)
class _Labelled:
    """Graphs with labels, and the parameters of their comparison."""

    graphs: SortedGraphs
    decay: float
    n_steps: int
    n_jobs: int | None

    def compare(self, other: "_Labelled") -> FloatArray:
        shape = len(self.graphs.norms), len(other.graphs.norms)
        if other is not self:
            pairs = np.indices(shape).reshape(2, -1).T.copy()
            return self._count_shared_walks(other, pairs).reshape(shape)
        rows, columns = np.triu_indices(shape[0])
        pairs = np.stack([rows, columns], axis=1)
        kernel = np.zeros(shape)
        kernel[rows, columns] = self._count_shared_walks(other, pairs)
        kernel[columns, rows] = kernel[rows, columns]
        return kernel

    def compare_with_self(self) -> FloatArray:
        graphs = np.arange(len(self.graphs.norms))
        return self._count_shared_walks(self, np.stack([graphs, graphs], axis=1))

    def _count_shared_walks(self, other: "_Labelled", pairs: IndexArray) -> FloatArray:
        self._check_runtime(other, len(pairs))
        result = np.empty(len(pairs))

        def work(part: slice) -> None:
            fill_shared_walks(
                self.graphs,
                other.graphs,
                pairs[part],
                self.decay,
                self.n_steps,
                _TOLERANCE,
                result[part],
            )

        parts = [slice(k, k + _PAIRS) for k in range(0, len(pairs), _PAIRS)]
        run_threads(work, parts, self.n_jobs)
        return _check_finite(result)

    def _check_runtime(self, other: "_Labelled", n_pairs: int) -> None:
        """Raise if the comparison takes days, estimated from the mean of all pairs."""
        one, two = self.graphs, other.graphs
        ratio = self.decay * one.norms.mean() * two.norms.mean() if n_pairs else 0.0
        n_steps = count_steps(float(ratio), self.n_steps, _TOLERANCE)
        n_operations = float(len(one.indices)) * len(two.colors)
        n_operations += float(len(two.indices)) * len(one.colors)
        fraction = n_pairs / max(1, len(one.norms) * len(two.norms))
        check_runtime(
            _SECONDS * n_steps * n_operations * fraction,
            "The random walk kernel",
            "use fewer graphs, a smaller n_steps, or node_features=()",
        )


def spectral_norms(batch: GraphBatch) -> FloatArray:
    """Return close upper bounds of the spectral norms of the adjacency matrices.

    For a nonnegative matrix M and any positive vector x, every eigenvalue of M is at most
    the largest ratio of M x to x (Collatz and Wielandt). Here M is the adjacency matrix
    times its transpose, and x is close to the first eigenvector.
    """
    adjacency = batch.adjacency
    transpose = adjacency if not batch.is_directed else csr_array(adjacency.T)
    vector = np.ones(batch.n_nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_NORM_STEPS):
            vector = vector + transpose @ (adjacency @ vector)
            vector /= _graph_max(batch, vector)[batch.node_graphs]
            vector = np.maximum(vector, _SMALLEST)  # stays positive in other components
        ratios = (transpose @ (adjacency @ vector)) / vector
        return _check_finite(np.sqrt(_graph_max(batch, ratios)))


def _graph_max(batch: GraphBatch, values: FloatArray) -> FloatArray:
    """Return the maximum over the nodes of every graph, at least 0."""
    result = np.zeros(batch.n_graphs)
    np.maximum.at(result, batch.node_graphs, values)
    return result


def _count_walks(batch: GraphBatch, root: float, n_steps: int) -> FloatArray:
    """Return numbers of walks of 0 to ``n_steps`` steps, times a power of ``root``."""
    check_cells(
        float(batch.n_graphs) * (n_steps + 1),
        f"{n_steps} steps for {batch.n_graphs} graphs",
        "use a smaller n_steps, or pass fewer graphs at a time",
    )
    n_walks = np.empty((batch.n_graphs, n_steps + 1))
    node_walks = np.ones(batch.n_nodes)
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        for step in range(n_steps + 1):
            n_walks[:, step] = np.bincount(
                batch.node_graphs, node_walks, minlength=batch.n_graphs
            )
            node_walks = root * (batch.adjacency @ node_walks)
        _check_finite((n_walks**2).sum(axis=1))
    return n_walks


def _sort_by_color(batch: GraphBatch) -> SortedGraphs:
    """Sort the nodes of every graph by color."""
    colors = initial_colors(batch, "The random walk kernel")
    order = np.lexsort((colors, batch.node_graphs))
    adjacency = csr_array(batch.adjacency[order][:, order])
    return SortedGraphs(
        np.array(batch.graph_ptr),
        colors[order],
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        np.array(adjacency.data),
        np.array(batch.directed),
        spectral_norms(batch),
    )


def _check_finite(kernel: FloatArray) -> FloatArray:
    """Raise if a sum over walks overflows."""
    if np.isfinite(kernel).all():
        return kernel
    raise InputError(
        "The sum over walks exceeds the range of floating-point numbers; use a smaller "
        "decay or n_steps, or smaller edge weights."
    )
