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


@dataclass(frozen=True)
class FeatureViews:
    """Node features of a batch, and the same features together with degrees.

    Attributes
    ----------
    plain : NodeFeatures
        Features that the model encodes.
    with_degrees : NodeFeatures or None
        These features and degrees; None if no branch needs them.
    """

    plain: NodeFeatures
    with_degrees: NodeFeatures | None = None

    def select(self, *, adds_degrees: bool) -> NodeFeatures:
        """Return the features for a branch."""
        if not adds_degrees:
            return self.plain
        if self.with_degrees is None:
            raise ValueError("The features were encoded without degrees.")
        return self.with_degrees
