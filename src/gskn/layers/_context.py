"""Steps of the walks of a batch, shared by layers of several lengths."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._lazy import cached_property
from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.layers._features import NodeFeatures
from gskn.layers._steps import GroupCodes, Steps


@dataclass(frozen=True)
class WalkContext:
    """Graphs, the features of their nodes, and the steps of walks on them."""

    batch: GraphBatch
    features: NodeFeatures
    use_probability: bool  # whether a walk is weighted by its probability, else by one
    loops: bool  # whether a step may lead back to its start
    n_jobs: int | None

    @cached_property
    def steps(self) -> Steps:
        """Steps between groups of twins."""
        return Steps.from_batch(
            self.batch,
            self.features.codes,
            use_probability=self.use_probability,
            edges=self.features.edges,
            loops=self.loops,
            n_jobs=self.n_jobs,
        )

    @property
    def is_plain(self) -> bool:
        """Whether no graph is directed and all edges of a node are equally likely."""
        weighted = self.batch.is_weighted and self.use_probability
        return not (weighted or self.batch.is_directed)

    @property
    def group_codes(self) -> IndexArray:
        """Index of the feature vector of every group of twins."""
        return self.features.codes[self.steps.first]

    @cached_property
    def coded_groups(self) -> GroupCodes:
        """Index of the feature vector of every group, and of the target of every step."""
        of_groups = self.group_codes
        return GroupCodes(of_groups, of_groups.astype(np.int32)[self.steps.indices])

    @property
    def group_ptr(self) -> IndexArray:
        """First group of twins of every graph."""
        return np.searchsorted(self.steps.first, self.batch.graph_ptr)

    def sum_over_groups(self, values: FloatArray) -> FloatArray:
        """Return the sum over all nodes per graph of values of groups of twins."""
        steps = self.steps
        entries = steps.sizes.astype(np.float64), np.arange(len(steps.first))
        shape = self.batch.n_graphs, len(steps.first)
        sums: FloatArray = csr_array((*entries, self.group_ptr), shape=shape) @ values
        return sums

    def sum_over_codes(self, values: FloatArray) -> FloatArray:
        """Return the sum over all nodes per graph of values of feature vectors."""
        codes = self.features.codes
        shape = self.batch.n_graphs, len(values)
        entries = np.ones(len(codes)), codes, self.batch.graph_ptr
        sums: FloatArray = csr_array(entries, shape=shape) @ values
        return sums
