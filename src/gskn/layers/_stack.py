"""Layers in sequence, and branches side by side (paper Eqs. 9, 16-18)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.layers._anonymous import AnonymousLayer, InducedLayer
from gskn.layers._joint import JointLayer
from gskn.layers._path import PathLayer
from gskn.layers._rows import NodeRows
from gskn.layers._settings import Settings
from gskn.layers._walk import WalkLayer

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


def first_length(name: str, walk_length: int, anonymous_length: int) -> int:
    """Return the length of walks of the first layer of a branch."""
    return anonymous_length if name in _PATTERN_BRANCHES else walk_length


@dataclass
class Branch:
    """Layers of which each takes the rows of the one before as its attributes.

    The first layer is what the branch is called after; those after it are walk layers, so
    that structure found around one node reaches the nodes around it.
    """

    name: str
    layers: list[Layer]
    scales: list[float] = field(default_factory=list)  # of the rows between layers

    def fit(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        generator: np.random.Generator,
        n_jobs: int | None,
        *,
        embed: bool = True,
    ) -> list[FloatArray]:
        """Choose the landmarks of all layers; return the last rows if they are wanted."""
        self.scales = []
        blocks: list[FloatArray] = []
        for number, layer in enumerate(self.layers):
            if number:
                found = np.hstack(blocks)
                # One factor for all nodes, so that nothing that differs becomes equal.
                norm = float(np.sqrt((found**2).sum(axis=1).mean()))
                self.scales.append(norm or 1.0)
                rows = NodeRows.of(found / self.scales[-1])
            if isinstance(layer, AnonymousLayer):  # landmarks take the tables of all nodes
                blocks = layer.fit_transform(batch, generator, n_jobs)
                continue
            layer.fit(batch, rows, generator)
            if embed or layer is not self.layers[-1]:
                blocks = layer.transform(batch, rows, n_jobs)
        return blocks

    def transform(
        self, batch: GraphBatch, rows: NodeRows, n_jobs: int | None
    ) -> list[FloatArray]:
        """Return the rows of the last layer, one block for every length."""
        blocks = self.layers[0].transform(batch, rows, n_jobs)
        for layer, scale in zip(self.layers[1:], self.scales, strict=True):
            rows = NodeRows.of(np.hstack(blocks) / scale)
            blocks = layer.transform(batch, rows, n_jobs)
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
    parameters: dict[str, Any]  # that it was made of, by the names that users know

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
            length = first_length(name, walk_length, anonymous_length)
            layers: list[Layer] = [FIRST_LAYERS[name](length, settings)]
            layers += [WalkLayer(walk_length, settings) for _ in range(n_layers - 1)]
            branches.append(Branch(name, layers))
        parameters = {
            "branches": tuple(names),
            "walk_length": walk_length,
            "anonymous_length": anonymous_length,
            "n_layers": n_layers,
            **asdict(settings),
        }
        return Stack(branches, parameters)

    def fit(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        generator: np.random.Generator,
        n_jobs: int | None,
        *,
        embed: bool = True,
        advance: Callable[[], None] = lambda: None,
    ) -> list[FloatArray]:
        """Choose the landmarks of all branches; return rows if they are wanted.

        Rows come in blocks of columns, in the order of the feature names. Every branch
        has a stream of its own: another one beside it changes nothing. ``advance`` is
        called after each.
        """
        streams = self.streams(generator)
        blocks = []
        for branch in self.branches:
            own = streams[branch.name]
            blocks += branch.fit(batch, rows, own, n_jobs, embed=embed)
            advance()
        return blocks

    @staticmethod
    def streams(generator: np.random.Generator) -> dict[str, np.random.Generator]:
        """Return a generator for every branch that there may be."""
        return {name: np.random.default_rng(generator.integers(2**31)) for name in BRANCHES}

    def transform(
        self, batch: GraphBatch, rows: NodeRows, n_jobs: int | None
    ) -> list[FloatArray]:
        """Return the rows of all nodes, in blocks of columns."""
        return [
            block
            for branch in self.branches
            for block in branch.transform(batch, rows, n_jobs)
        ]

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        return [name for branch in self.branches for name in branch.feature_names()]
