"""Wasserstein Weisfeiler-Lehman kernels: how far nodes must be moved onto nodes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_ITERATIONS
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int, check_positive
from gskn.baselines._attributes import AttributeScaler, uses_attributes
from gskn.baselines._colours import first_colours, refine
from gskn.baselines._counts import Counts, count_nodes
from gskn.baselines._kernel import GraphKernel
from gskn.baselines._transport import Clouds, transport_distances
from gskn.graphs import GraphBatch, as_batch

_SYSTEM = "WWL"


class WWLKernel(GraphKernel):
    """The kernel ``exp(-gamma W)`` of the Wasserstein distance W between nodes of graphs.

    Nodes are what they are after 0, 1, ... ``n_iterations`` steps of aggregation: a
    sequence of Weisfeiler-Lehman colours, or attributes averaged over ever wider
    surroundings, side by side.

    Parameters
    ----------
    n_iterations : int, default=2
        Steps of aggregation, at most 10,000; the authors choose among 0 to 7.
    gamma : float, default=1.0
        How fast the kernel falls with the distance; the authors choose among powers of
        ten from 1e-4 to 10. See `distances` for how to try several.
    sources : {"auto", "labels", "attributes"}, default="auto"
        What nodes are compared by. "auto" takes attributes where the training graphs have
        them, and labels otherwise; "labels" are degrees where graphs have none.

    Notes
    -----
    Togninalli, Ghisu, Llinares-López, Rieck and Borgwardt, Wasserstein
    Weisfeiler-Lehman graph kernels (2019).

    *Labels.* The distance of two nodes is the share of rounds in which their colours
    differ. Colours that differ once differ for ever, so this is the metric of a tree, and
    W has a closed form: half the l1 distance of the two histograms of colours, averaged
    over rounds. It is computed without solving anything, and the kernel is positive
    semi-definite.

    *Attributes.* Attributes are standardised by all nodes of the training graphs (by the
    authors: of all graphs). A step takes the mean of a node and of the mean of its
    neighbours, weighted by edges; as in the authors' program, a node without neighbours is
    halved. The distance of two nodes is Euclidean. Every pair of graphs is solved by POT
    (extra ``baselines``): time grows with the square of all nodes. The kernel is *not*
    always positive semi-definite, and nothing is done about it here: an SVM may meet a
    negative eigenvalue (-0.008 on PROTEINS). The authors use a solver for such kernels.
    Their other way to W, Sinkhorn's algorithm, is left out: with their settings, on graphs
    of 9 to 300 nodes, it took a hundred times as long as the exact solver, or longer.

    A graph without nodes has the kernel 0 with all others.

    Examples
    --------
    >>> import networkx as nx
    >>> model = WWLKernel(n_iterations=1).fit([nx.path_graph(3), nx.star_graph(3)])
    >>> model.distances([nx.path_graph(3)])  # degrees 1 1 2 and 1 1 1 3, then all differ
    array([[0. , 0.66666667]])
    """

    finishing = ("gamma",)

    def __init__(
        self,
        n_iterations: int = 2,
        *,
        gamma: float = 1.0,
        sources: str = "auto",
    ) -> None:
        self.n_iterations = n_iterations
        self.gamma = gamma
        self.sources = sources

    def distances(self, X: Any = None) -> FloatArray:
        """Return Wasserstein distances of graphs to those of fit, or of these if None.

        They do not depend on ``gamma``: ``np.exp(-gamma * model.distances(X))`` is what
        ``transform`` returns, so that one call serves all values to be tried.
        """
        check_is_fitted(self, "trained_")
        if X is None:
            return self.compare()
        batch = as_batch(X)
        self._check_alike(batch)
        return self._compare(self._describe(batch), self.trained_)

    def _looks_at_labels(self) -> bool:
        return not isinstance(self.trained_, Clouds)

    def learns_from(self, batch: GraphBatch) -> bool:
        """Tell whether attributes are used, which are scaled by those of fit."""
        return uses_attributes(self.sources, batch)

    def _learn(self, batch: GraphBatch) -> "_Histograms | Clouds":
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        self._checked_gamma()
        if not self.learns_from(batch):
            return self._histograms(batch, None)
        self.scaler_ = AttributeScaler(batch, _SYSTEM)
        return self._clouds(batch)

    def _describe(self, batch: GraphBatch) -> "_Histograms | Clouds":
        if isinstance(self.trained_, Clouds):
            return self._clouds(batch)
        return self._histograms(batch, self.trained_)

    def _clouds(self, batch: GraphBatch) -> Clouds:
        rows = [self.scaler_.scale(batch)]
        means = _neighbour_means(batch.adjacency)
        for _ in range(self.n_iterations):
            rows.append((rows[-1] + means @ rows[-1]) / 2)
        return Clouds(np.hstack(rows), batch.graph_ptr)

    def _histograms(self, batch: GraphBatch, known: "_Histograms | None") -> "_Histograms":
        if self.sources == "labels":
            batch = replace(batch, node_attributes=None)
        rounds = refine(batch, first_colours(batch, _SYSTEM), self.n_iterations)
        shares = np.repeat(1 / np.maximum(batch.graph_sizes, 1), batch.graph_sizes)
        rounds_known = None if known is None else known.rounds
        return _Histograms(
            count_nodes(rounds, batch, rounds_known, shares), batch.graph_ptr
        )

    def _finish(self, compared: FloatArray, described: Any) -> FloatArray:  # noqa: ARG002
        return np.exp(-self._checked_gamma() * compared)

    def _checked_gamma(self) -> float:
        return check_positive(self.gamma, "gamma", maximum=1e6)

    def _compare(self, left: Any, right: Any) -> FloatArray:
        """Return distances."""
        if isinstance(left, Clouds):
            distances = transport_distances(left, right)
        else:
            distances = left.distances(right)
        empty, others = (np.diff(described.graph_ptr) == 0 for described in (left, right))
        distances[empty[:, None] != others] = np.inf
        distances[np.ix_(empty, others)] = 0.0
        return distances


@dataclass(frozen=True)
class _Histograms:
    """Shares of colours in every graph, for every round."""

    rounds: list[Counts]
    graph_ptr: IndexArray

    def distances(self, other: "_Histograms") -> FloatArray:
        """Return half the l1 distance, the mean over rounds; ``other`` is of fit."""
        pairs = zip(self.rounds, other.rounds, strict=True)
        shared = np.asarray(sum(own.intersect(known) for own, known in pairs))
        # Half of |p - q| is 1 - min(p, q), added up; below zero by rounding alone.
        return np.maximum(1 - shared / len(self.rounds), 0)


def _neighbour_means(adjacency: csr_array) -> csr_array:
    """Return the matrix that takes means over neighbours; zero where there are none."""
    totals = np.asarray(adjacency.sum(axis=1)).ravel()
    inverse = np.divide(1, totals, out=np.zeros_like(totals), where=totals > 0)
    return csr_array(diags_array(inverse) @ adjacency)
