"""Node features that enter a layer; nodes with equal features share one row."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gskn._types import FloatArray, IndexArray


@dataclass(frozen=True)
class NodeFeatures:
    """Distinct feature vectors, and the index of the vector of every node.

    One-hot features have few distinct vectors, so a function of the features is computed
    once for each of these instead of once for each node.
    """

    table: FloatArray
    codes: IndexArray

    @classmethod
    def from_rows(cls, rows: FloatArray) -> Self:
        """Build from one row per node, without searching for equal rows."""
        return cls(rows, np.arange(len(rows)))

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.table.shape[1])
