"""Rows of nodes that enter a layer; nodes with equal rows may share one."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray, IndexArray


@dataclass(frozen=True)
class NodeRows:
    """Distinct rows, and which of them every node has.

    Where rows are one-hot there are few distinct ones, so that a function of a row is
    computed once for each of these instead of once for each node.
    """

    table: FloatArray
    codes: IndexArray

    @staticmethod
    def of(rows: FloatArray) -> "NodeRows":
        """Give every node a row of its own."""
        return NodeRows(rows, np.arange(len(rows)))

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.table.shape[1])
