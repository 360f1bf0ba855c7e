"""Optimal transport between the nodes of two graphs, for all pairs of graphs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from gskn._offsets import runs_of_graphs
from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn.baselines._cost import refuse_days

_RUN_NODES = 2**12  # whose costs are computed together
_MAX_PIVOTS = 10**7
_SECONDS_A_PAIR = 2e-5
_SECONDS_A_CELL = 3e-7


@dataclass(frozen=True)
class Clouds:
    """Nodes of graphs as points, all of a graph with the same mass, one together.

    Attributes
    ----------
    rows : ndarray of shape (n_nodes, n_columns)
        Coordinates.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph, then the number of nodes.
    """

    rows: FloatArray
    graph_ptr: IndexArray

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.graph_ptr) - 1

    def of(self, graph: int) -> FloatArray:
        """Return the points of one graph."""
        return self.rows[self.graph_ptr[graph] : self.graph_ptr[graph + 1]]


def transport_distances(left: Clouds, right: Clouds) -> FloatArray:
    """Return the Wasserstein distance of all pairs, Euclidean between points.

    Pairs of a lot of graphs with itself are solved once, in one direction. Graphs without
    nodes have no distance: infinity.
    """
    _refuse_days(left, right)
    cost = _solver()
    distances = np.full((left.n_graphs, right.n_graphs), np.inf)
    for run in runs_of_graphs(right.graph_ptr, _RUN_NODES):
        ends = right.graph_ptr[run.start : run.stop + 1] - right.graph_ptr[run.start]
        points = right.rows[right.graph_ptr[run.start] : right.graph_ptr[run.stop]]
        n_rows = run.stop if left is right else left.n_graphs
        for graph in range(n_rows):
            costs = cdist(left.of(graph), points)
            first = max(graph, run.start) if left is right else run.start
            for other in range(first, run.stop):
                begin, end = ends[other - run.start : other - run.start + 2]
                if len(costs) and end > begin:
                    # The solver reads rows of memory.
                    block = np.ascontiguousarray(costs[:, begin:end])
                    distances[graph, other] = cost(block)
    return np.minimum(distances, distances.T) if left is right else distances


def _solver() -> Callable[[FloatArray], float]:
    # The solver behind `ot.emd2`, whose checks take several times as long as a small pair.
    solver: Any = require("ot.lp.emd_wrap", extra="baselines")
    masses: dict[int, FloatArray] = {}

    def mass(n_points: int) -> FloatArray:
        return masses.setdefault(n_points, np.full(n_points, 1 / n_points))

    def cost(costs: FloatArray) -> float:
        found = solver.emd_c(*map(mass, costs.shape), costs, _MAX_PIVOTS, 1)
        solver.check_result(found[-1])  # warns of a plan that is not the best
        return float(found[1])

    return cost


def _refuse_days(left: Clouds, right: Clouds) -> None:
    half = 0.5 if left is right else 1.0
    n_pairs = half * left.n_graphs * right.n_graphs
    n_cells = half * len(left.rows) * len(right.rows)
    refuse_days(
        n_pairs * _SECONDS_A_PAIR + n_cells * _SECONDS_A_CELL,
        "Optimal transport between attributes",
        "give fewer graphs, or compare labels with sources='labels'",
    )
