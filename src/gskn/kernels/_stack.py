"""Layers in sequence, and branches side by side (paper Eqs. 9, 16-18)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.kernels._joint import JointLayer
from gskn.kernels._path import PathLayer
from gskn.kernels._pattern import AnonymousLayer, InducedLayer
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Advance, Settings, no_progress
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
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose the landmarks of all layers; return the last rows if ``embed``."""
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
                blocks = layer.fit_transform(batch, generator, n_jobs, advance)
                continue
            layer.fit(batch, rows, generator, advance)
            if embed or layer is not self.layers[-1]:
                blocks = layer.transform(batch, rows, n_jobs, advance)
        return blocks

    def transform(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the rows of the last layer, one block for every length."""
        blocks = self.layers[0].transform(batch, rows, n_jobs, advance)
        for layer, scale in zip(self.layers[1:], self.scales, strict=True):
            rows = NodeRows.of(np.hstack(blocks) / scale)
            blocks = layer.transform(batch, rows, n_jobs, advance)
        return blocks

    def n_blocks(self) -> int:
        """Return how many blocks of columns all layers compute."""
        return sum(len(layer.lengths) for layer in self.layers)

    def n_fit_blocks(self, *, embed: bool) -> int:
        """Return how often `fit` advances: for landmarks, then for coordinates."""
        last = self.layers[-1]
        has_all = embed or isinstance(last, AnonymousLayer)
        return 2 * self.n_blocks() - (0 if has_all else len(last.lengths))

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
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose the landmarks of all branches; return rows if ``embed``.

        Rows come in blocks of columns, in the order of the feature names. Every branch
        has its own random stream, so it does not depend on the other branches.
        ``advance`` is called `n_fit_blocks` times.
        """
        streams = self.streams(generator)
        blocks = []
        for branch in self.branches:
            own = streams[branch.name]
            blocks += branch.fit(batch, rows, own, n_jobs, embed=embed, advance=advance)
        return blocks

    @staticmethod
    def streams(generator: np.random.Generator) -> dict[str, np.random.Generator]:
        """Return a generator for every branch that there may be."""
        return {name: np.random.default_rng(generator.integers(2**31)) for name in BRANCHES}

    def transform(
        self,
        batch: GraphBatch,
        rows: NodeRows,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the rows of all nodes, in blocks of columns."""
        return [
            block
            for branch in self.branches
            for block in branch.transform(batch, rows, n_jobs, advance)
        ]

    def n_blocks(self) -> int:
        """Return how often `transform` calls ``advance``."""
        return sum(branch.n_blocks() for branch in self.branches)

    def n_fit_blocks(self, *, embed: bool) -> int:
        """Return how often `fit` calls ``advance``."""
        return sum(branch.n_fit_blocks(embed=embed) for branch in self.branches)

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        return [name for branch in self.branches for name in branch.feature_names()]
