"""Layers in sequence, and branches side by side (paper Eqs. 9, 16-18)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.kernels._joint import JointLayer, PathLayer
from gskn.kernels._pattern import AnonymousLayer, InducedLayer
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Settings
from gskn.kernels._walk import WalkLayer

Layer: TypeAlias = WalkLayer | AnonymousLayer | JointLayer

FIRST_LAYERS: dict[str, type[Layer]] = {
    "walk": WalkLayer,
    "path": PathLayer,
    "anonymous": AnonymousLayer,
    "joint": JointLayer,
    "induced": InducedLayer,
}
BRANCHES = tuple(FIRST_LAYERS)
_PATTERN_BRANCHES = ("anonymous", "induced")


@dataclass
class Branch:
    """Layers of which each takes the rows of the one before as its attributes.

    The first layer is what the branch is called after; those after it are walk layers, so
    that structure found around one node reaches the nodes around it.
    """

    name: str
    layers: list[Layer]
    scales: list[float] = field(default_factory=list)  # of the rows between layers

    def fit_transform(
        self, batch: GraphBatch, rows: NodeRows, generator: np.random.Generator
    ) -> list[FloatArray]:
        """Choose the landmarks of all layers, and return the blocks of the last."""
        self.scales = []
        blocks: list[FloatArray] = []
        for number, layer in enumerate(self.layers):
            if number:
                found = np.hstack(blocks)
                # One factor for all nodes, so that nothing that differs becomes equal.
                norm = float(np.sqrt((found**2).sum(axis=1).mean()))
                self.scales.append(norm or 1.0)
                rows = NodeRows.of(found / self.scales[-1])
            if isinstance(layer, AnonymousLayer):
                blocks = layer.fit_transform(batch, rows, generator)
            else:
                layer.fit(batch, rows, generator)
                blocks = layer.transform(batch, rows)
        return blocks

    def transform(self, batch: GraphBatch, rows: NodeRows) -> list[FloatArray]:
        """Return the rows of the last layer, one block for every length."""
        blocks = self.layers[0].transform(batch, rows)
        for layer, scale in zip(self.layers[1:], self.scales, strict=True):
            blocks = layer.transform(batch, NodeRows.of(np.hstack(blocks) / scale))
        return blocks

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        last = self.layers[-1]
        return [
            f"{self.name}_{length}_{landmark}"
            for length, mapped in zip(last.lengths, last.maps, strict=True)
            for landmark in range(mapped.n_landmarks)
        ]


@dataclass
class Stack:
    """Branches side by side: their rows are concatenated."""

    branches: list[Branch]

    @staticmethod
    def of(
        names: Sequence[str],
        walk_length: int,
        anonymous_length: int,
        n_layers: int,
        settings: Settings,
    ) -> "Stack":
        """Make the layers of every branch."""
        branches = []
        for name in names:
            length = anonymous_length if name in _PATTERN_BRANCHES else walk_length
            layers: list[Layer] = [FIRST_LAYERS[name](length, settings)]
            layers += [WalkLayer(walk_length, settings) for _ in range(n_layers - 1)]
            branches.append(Branch(name, layers))
        return Stack(branches)

    def fit_transform(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        generator: np.random.Generator,
        advance: Callable[[], None] = lambda: None,
    ) -> list[FloatArray]:
        """Choose the landmarks of all branches, and return the rows of all nodes.

        Rows come in blocks of columns, in the order of the feature names. Every branch
        has a stream of its own: another one beside it changes nothing. ``advance`` is
        called after each.
        """
        seeds = {name: int(generator.integers(2**31)) for name in BRANCHES}
        blocks = []
        for branch in self.branches:
            own = np.random.default_rng(seeds[branch.name])
            blocks += branch.fit_transform(batch, rows, own)
            advance()
        return blocks

    def transform(self, batch: GraphBatch, rows: NodeRows) -> list[FloatArray]:
        """Return the rows of all nodes, in blocks of columns."""
        return [b for branch in self.branches for b in branch.transform(batch, rows)]

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        return [name for branch in self.branches for name in branch.feature_names()]
