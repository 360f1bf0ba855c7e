"""A batch with everything that the exact computation of patterns needs."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from gskn._types import BoolArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks._steps import step_matrix
from gskn.walks._twins import Twins


@dataclass(frozen=True)
class WalkBatch:
    """A batch, the matrix of steps, and the properties of every graph."""

    batch: GraphBatch
    steps: csr_array  # dead ends step to themselves
    staying: BoolArray  # of every graph: whether a step may lead back to its start
    weighted: BoolArray  # of every graph
    twins: Twins

    @classmethod
    def from_batch(cls, batch: GraphBatch, *, use_weights: bool) -> Self:
        """Prepare a batch; without weights, every edge counts 1."""
        steps, weighted = step_matrix(batch, use_weights=use_weights)
        staying = np.zeros(batch.n_graphs, dtype=bool)
        staying[batch.node_graphs[steps.diagonal() > 0]] = True
        twins = Twins.from_steps(steps, batch.graph_ptr, ~(weighted | batch.directed))
        return cls(batch, steps, staying, weighted, twins)

    @property
    def sizes(self) -> IndexArray:
        """Number of twin groups of every graph."""
        return np.diff(self.twins.group_ptr)
