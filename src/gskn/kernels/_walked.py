"""Walks of a batch: what layers of all lengths need to know of them, found out once."""

from dataclasses import dataclass

import numpy as np

from gskn._lazy import cached_property
from gskn._types import AnyArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.kernels._rows import NodeRows
from gskn.kernels._steps import Steps


@dataclass(frozen=True)
class Walked:
    """Graphs, the rows of their nodes, and the steps that walks may take."""

    batch: GraphBatch
    rows: NodeRows
    probability: bool  # whether a walk counts its probability, else one
    loops: bool  # whether a step may lead back to where it started
    n_jobs: int | None

    @cached_property
    def steps(self) -> Steps:
        """Steps between classes of nodes."""
        return Steps.of(
            self.batch,
            self.rows.codes,
            probability=self.probability,
            loops=self.loops,
            n_jobs=self.n_jobs,
        )

    @property
    def is_plain(self) -> bool:
        """Whether there are neither directions nor chances of weights."""
        weighted = self.batch.is_weighted and self.probability
        return not (weighted or self.batch.is_directed)

    @property
    def codes(self) -> IndexArray:
        """Which row the nodes of a class have."""
        return self.rows.codes[self.steps.first]

    @property
    def class_ptr(self) -> IndexArray:
        """First class of every graph."""
        return np.searchsorted(self.steps.first, self.batch.graph_ptr)

    @cached_property
    def moves(self) -> tuple[AnyArray, ...]:
        """What compiled loops are told of steps."""
        steps = self.steps
        return (steps.indptr, steps.indices, *steps.chances(), steps.n_options)
