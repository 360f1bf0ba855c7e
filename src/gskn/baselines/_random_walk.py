"""The geometric random walk kernel (Gärtner et al., 2003; Vishwanathan et al., 2010)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._limits import MAX_ITERATIONS
from gskn._threads import run_threads
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_cells, check_fraction, check_int, check_number
from gskn.baselines._colours import first_colours
from gskn.baselines._cost import refuse_days
from gskn.baselines._jit_walks import SortedGraphs, count_steps, fill_shared_walks
from gskn.baselines._kernel import NormalizedKernel
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

_TOLERANCE = 1e-10  # of the rest of a sum that is not added up
_NORM_STEPS = 20
_SMALLEST = 1e-100
_PAIRS = 2**12  # of graphs, compared by one thread at a time
_SECONDS = 1e-9  # per entry of one adjacency matrix, node of the other graph, and step


class RandomWalkKernel(NormalizedKernel):
    """Compare graphs by the walks they have in common, long ones counting less.

    Parameters
    ----------
    decay : float or None, default=None
        What every step of a walk multiplies its weight by. None: by ``share``.
    share : float, default=0.5
        The decay as a share of its bound for the graphs of fit, see Notes.
    n_steps : int, default=50
        Steps of the longest walks that count, at most 10,000.
    with_labels : bool, default=True
        Whether labels along two walks must agree, where graphs have labels.
    normalize : bool, default=True
        The cosine instead of the kernel.
    n_jobs : int or None, default=None
        Threads, for labelled graphs; -1 for all cores.

    Attributes
    ----------
    decay_ : float
        The decay that is used.

    Notes
    -----
    Thomas Gärtner, Peter Flach and Stefan Wrobel, On graph kernels: hardness results and
    efficient alternatives (2003); Vishwanathan et al., Graph kernels, JMLR 11 (2010). With
    A the adjacency matrix of the product of two graphs (pairs of nodes of one label), the
    kernel is the sum over s of ``decay ** s`` times the sum of all entries of A to the
    power of s. Weights of edges multiply along a walk. Attributes are not looked at.

    The infinite sum exists only for a decay below ``1 / r ** 2``, r being the largest
    spectral norm of an adjacency matrix. That is the bound of which ``share`` is taken; it
    comes from the graphs of fit, and an unseen graph may exceed it. The sum is therefore
    cut after ``n_steps``, which is safe for all graphs; within the bound it then misses at
    most a fraction of ``share ** (n_steps + 1) / (1 - share)``. Of labelled graphs also
    steps that add less than 1e-10 of the sum are not taken. A norm is not computed but
    bounded from above, closely.

    Without labels every graph has one number per step, and time is linear in edges and
    steps, then in pairs of graphs. With labels every pair of graphs takes time in
    proportion to nodes of the one times edges of the other.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> kernel = RandomWalkKernel(0.125, n_steps=200, normalize=False)
    >>> kernel.fit_transform([ring_of_six, two_triangles])  # 36 / (1 - 0.125 * 2 * 2)
    array([[72., 72.],
           [72., 72.]])
    """

    def __init__(
        self,
        decay: float | None = None,
        *,
        share: float = 0.5,
        n_steps: int = 50,
        with_labels: bool = True,
        normalize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.decay = decay
        self.share = share
        self.n_steps = n_steps
        self.with_labels = with_labels
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _looks_at_labels(self) -> bool:
        return self.with_labels

    def learns_from(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Tell whether the decay is a share of what the graphs of fit bear."""
        return self.decay is None

    def _learn(self, batch: GraphBatch) -> "_Plain | _Labelled":
        check_int(self.n_steps, "n_steps", minimum=0, maximum=MAX_ITERATIONS)
        if self.decay is None:
            largest = spectral_norms(batch).max(initial=0.0)
            share = check_fraction(self.share, "share")
            self.decay_ = share / largest**2 if largest > 0 else 0.0
        else:
            self.decay_ = check_number(self.decay, "decay", minimum=0, maximum=1e6)
        return self._describe(batch)

    def _describe(self, batch: GraphBatch) -> "_Plain | _Labelled":
        if self.with_labels and self.is_labelled_fit_:
            return _Labelled(
                _sorted_graphs(batch), self.decay_, int(self.n_steps), self.n_jobs
            )
        return _Plain(_count_walks(batch, np.sqrt(self.decay_), int(self.n_steps)))

    def _compare(self, left: Any, right: Any) -> FloatArray:
        compared: FloatArray = left.compare(right)  # both are of one kind
        return compared

    def _own(self, described: "_Plain | _Labelled") -> FloatArray:
        return described.own()


@dataclass(frozen=True)
class _Plain:
    """Graphs without labels: their walks of every length, times the root of the decay.

    A walk of the product of two graphs is any pair of walks of the same length: the kernel
    is an inner product of these rows.
    """

    rows: FloatArray

    def compare(self, other: "_Plain") -> FloatArray:
        return multiply(self.rows, other.rows.T)

    def own(self) -> FloatArray:
        return np.asarray((self.rows**2).sum(axis=1))


@dataclass(frozen=True)
class _Labelled:
    """Graphs with labels, and how to compare two of them."""

    graphs: SortedGraphs
    decay: float
    n_steps: int
    n_jobs: int | None

    def compare(self, other: "_Labelled") -> FloatArray:
        shape = len(self.graphs.norms), len(other.graphs.norms)
        if other is not self:
            pairs = np.indices(shape).reshape(2, -1).T.copy()
            return self._walks(other, pairs).reshape(shape)
        rows, columns = np.triu_indices(shape[0])
        kernel = np.zeros(shape)
        kernel[rows, columns] = self._walks(other, np.stack([rows, columns], axis=1))
        kernel[columns, rows] = kernel[rows, columns]
        return kernel

    def own(self) -> FloatArray:
        numbers = np.arange(len(self.graphs.norms))
        return self._walks(self, np.stack([numbers, numbers], axis=1))

    def _walks(self, other: "_Labelled", pairs: IndexArray) -> FloatArray:
        self._refuse_days(other, len(pairs))
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

    def _refuse_days(self, other: "_Labelled", n_pairs: int) -> None:
        """Expect every pair to take as long as the mean of all pairs."""
        one, two = self.graphs, other.graphs
        ratio = self.decay * one.norms.mean() * two.norms.mean() if n_pairs else 0.0
        steps = count_steps(float(ratio), self.n_steps, _TOLERANCE)
        work = float(len(one.indices)) * len(two.colours)
        work += float(len(two.indices)) * len(one.colours)
        share = n_pairs / max(1, len(one.norms) * len(two.norms))
        refuse_days(
            _SECONDS * steps * work * share,
            "The random walk kernel",
            "take fewer graphs, a smaller n_steps, or with_labels=False",
        )


def spectral_norms(batch: GraphBatch) -> FloatArray:
    """Return a bound from above, close, of the spectral norm of every adjacency matrix.

    For a matrix M without negative entries and any positive x, no eigenvalue of M exceeds
    the largest ratio of M x to x (Collatz and Wielandt). Here M is the matrix times its
    mirror, and x comes near its first eigenvector.
    """
    adjacency = batch.adjacency
    mirror = adjacency if not batch.is_directed else csr_array(adjacency.T)
    vector = np.ones(batch.n_nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_NORM_STEPS):
            vector = vector + mirror @ (adjacency @ vector)
            vector /= _graph_max(batch, vector)[batch.node_graphs]
            vector = np.maximum(vector, _SMALLEST)  # of another component; still positive
        ratios = (mirror @ (adjacency @ vector)) / vector
        return _check_finite(np.sqrt(_graph_max(batch, ratios)))


def _graph_max(batch: GraphBatch, values: FloatArray) -> FloatArray:
    result = np.zeros(batch.n_graphs)
    np.maximum.at(result, batch.node_graphs, values)
    return result


def _count_walks(batch: GraphBatch, root: float, n_steps: int) -> FloatArray:
    """Return sums of walks of 0 to ``n_steps`` steps, each step times ``root``."""
    check_cells(
        float(batch.n_graphs) * (n_steps + 1),
        f"{n_steps} steps for {batch.n_graphs} graphs",
        "use a smaller n_steps, or give fewer graphs at a time",
    )
    rows = np.empty((batch.n_graphs, n_steps + 1))
    walks = np.ones(batch.n_nodes)
    with np.errstate(over="ignore", invalid="ignore"):  # said below, by an error
        for step in range(n_steps + 1):
            rows[:, step] = np.bincount(batch.node_graphs, walks, minlength=batch.n_graphs)
            walks = root * (batch.adjacency @ walks)
        _check_finite((rows**2).sum(axis=1))
    return rows


def _sorted_graphs(batch: GraphBatch) -> SortedGraphs:
    """Sort nodes by colour within every graph."""
    colours = first_colours(batch, "The random walk kernel")
    order = np.lexsort((colours, batch.node_graphs))
    adjacency = csr_array(batch.adjacency[order][:, order])
    return SortedGraphs(
        np.array(batch.graph_ptr),
        colours[order],
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        np.array(adjacency.data),
        np.array(batch.directed),
        spectral_norms(batch),
    )


def _check_finite(kernel: FloatArray) -> FloatArray:
    if np.isfinite(kernel).all():
        return kernel
    raise InputError(
        "The sum over walks exceeds the largest number; give a smaller decay or n_steps, "
        "or smaller weights of edges."
    )
