"""Layers in sequence, and branches side by side (paper Eqs. 9, 16-18)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from gskn._types import FloatArray
from gskn.graphs import GraphBatch
from gskn.layers._anonymous import AnonymousLayer
from gskn.layers._degree_walk import DegreeWalkLayer
from gskn.layers._features import FeatureViews, NodeFeatures
from gskn.layers._induced import InducedLayer
from gskn.layers._joint import JointLayer
from gskn.layers._label_path import LabelPathLayer
from gskn.layers._layer import EmbedNodes, Layer
from gskn.layers._params import Advance, LayerParams, no_progress
from gskn.layers._path import PathLayer
from gskn.layers._walk import WalkLayer

# A new branch is one file and one line here.
BRANCHES: dict[str, type[Layer]] = {
    "walk": WalkLayer,
    "degree-walk": DegreeWalkLayer,
    "path": PathLayer,
    "label-path": LabelPathLayer,
    "anonymous": AnonymousLayer,
    "joint": JointLayer,
    "induced": InducedLayer,
}


@dataclass
class Branch:
    """Layers of which each takes the embeddings of the one before as its features.

    A branch is named after its first layer. The layers after it are walk layers, so that
    structure around one node reaches the nodes around it.
    """

    name: str
    layers: list[Layer]
    scales: list[float] = field(default_factory=list)  # norms of embeddings between layers

    def fit(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None,
        *,
        embed: bool = True,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose the landmarks of all layers; return the last embeddings if wanted."""
        self.scales = []
        *before, last = self.layers
        for layer in before:
            blocks = layer.fit_transform(batch, features, generator, n_jobs, advance)
            embeddings = np.hstack(blocks)
            # One factor for all nodes, so that different features stay different.
            norm = float(np.sqrt((embeddings**2).sum(axis=1).mean()))
            self.scales.append(norm or 1.0)
            features = NodeFeatures.from_rows(embeddings / self.scales[-1], features.edges)
        if embed:
            return last.fit_transform(batch, features, generator, n_jobs, advance)
        last.fit(batch, features, generator, n_jobs, advance)
        return []

    def transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the embeddings of the last layer, one block for every length."""
        features = self.last_features(batch, features, n_jobs, advance)
        return self.layers[-1].transform(batch, features, n_jobs, advance)

    def prepare(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> EmbedNodes:
        """Return a function that embeds a range of nodes."""
        features = self.last_features(batch, features, n_jobs)
        return self.layers[-1].prepare(batch, features, n_jobs)

    def transform_graphs(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> list[FloatArray]:
        """Return the sums of the last embeddings per graph, in blocks of columns."""
        features = self.last_features(batch, features, n_jobs)
        return self.layers[-1].transform_graphs(batch, features, n_jobs)

    def last_features(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> NodeFeatures:
        """Return the features that enter the last layer."""
        for layer, scale in zip(self.layers[:-1], self.scales, strict=True):
            blocks = layer.transform(batch, features, n_jobs, advance)
            features = NodeFeatures.from_rows(np.hstack(blocks) / scale, features.edges)
        return features

    @property
    def adds_degrees(self) -> bool:
        """Whether degrees are added to the node features of the first layer."""
        return self.layers[0].adds_degrees

    @property
    def compares_edges(self) -> bool:
        """Whether a layer uses features of edges."""
        return any(layer.compares_edges for layer in self.layers)

    def n_blocks(self) -> int:
        """Return the number of blocks of columns that all layers compute."""
        return sum(len(layer.lengths) for layer in self.layers)

    def n_fit_blocks(self, *, embed: bool) -> int:
        """Return how often `fit` advances: for landmarks, then for embeddings."""
        return 2 * self.n_blocks() - (0 if embed else len(self.layers[-1].lengths))

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        last = self.layers[-1]
        return [
            f"{self.name}_{length}_{landmark}"
            for length, nystrom in zip(last.lengths, last.maps, strict=True)
            for landmark in range(nystrom.n_landmarks)
        ]


@dataclass
class Stack:
    """Branches side by side: their embeddings are concatenated."""

    branches: list[Branch]
    parameters: dict[str, Any]  # parameters of the model, by their public names

    @classmethod
    def from_parameters(
        cls,
        names: Sequence[str],
        lengths: Mapping[str, int],
        n_layers: int,
        params: LayerParams,
    ) -> Self:
        """Build the layers of every branch.

        ``lengths`` holds the values of the length parameters of all layers.
        """
        branches = []
        for name in names:
            kind = BRANCHES[name]
            layers: list[Layer] = [kind(lengths[kind.length_parameter], params)]
            length = lengths[WalkLayer.length_parameter]
            layers += [WalkLayer(length, params) for _ in range(n_layers - 1)]
            branches.append(Branch(name, layers))
        parameters = {
            "branches": tuple(names),
            **lengths,
            "n_layers": n_layers,
            **asdict(params),
        }
        return cls(branches, parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the branches."""
        return tuple(branch.name for branch in self.branches)

    def select(self, names: Sequence[str]) -> Self:
        """Return the stack of some of the branches, with the same parameters."""
        branches = [branch for branch in self.branches if branch.name in names]
        return replace(self, branches=branches)

    @property
    def adds_degrees(self) -> bool:
        """Whether a branch adds degrees to the node features."""
        return any(branch.adds_degrees for branch in self.branches)

    @property
    def compares_edges(self) -> bool:
        """Whether a branch uses features of edges."""
        return any(branch.compares_edges for branch in self.branches)

    def fit(
        self,
        batch: GraphBatch,
        views: FeatureViews,
        generator: np.random.Generator,
        n_jobs: int | None,
        *,
        embed: bool = True,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose the landmarks of all branches; return the node embeddings if wanted.

        Embeddings are returned in blocks of columns, in the order of the feature names.
        ``advance`` is called `n_fit_blocks` times.
        """
        blocks = []
        for branch, stream in zip(self.branches, self.streams(generator), strict=True):
            features = views.select(adds_degrees=branch.adds_degrees)
            blocks += branch.fit(
                batch, features, stream, n_jobs, embed=embed, advance=advance
            )
        return blocks

    def streams(self, generator: np.random.Generator) -> list[np.random.Generator]:
        """Return the random streams of all branches, keyed by their names.

        A new branch, or another order of branches, does not change the other streams.
        """
        entropy = int(generator.integers(2**63))
        names = [branch.name.encode() for branch in self.branches]
        return [np.random.default_rng([entropy, *name]) for name in names]

    def transform(
        self,
        batch: GraphBatch,
        views: FeatureViews,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, in blocks of columns."""
        blocks = []
        for branch in self.branches:
            features = views.select(adds_degrees=branch.adds_degrees)
            blocks += branch.transform(batch, features, n_jobs, advance)
        return blocks

    def prepare(
        self, batch: GraphBatch, views: FeatureViews, n_jobs: int | None
    ) -> EmbedNodes:
        """Return a function that embeds a range of nodes, in blocks of columns.

        The embeddings of all nodes of a large graph need not fit into memory.
        """
        parts = [
            branch.prepare(batch, views.select(adds_degrees=branch.adds_degrees), n_jobs)
            for branch in self.branches
        ]
        return lambda begin, end: [block for part in parts for block in part(begin, end)]

    def transform_graphs(
        self, batch: GraphBatch, views: FeatureViews, n_jobs: int | None
    ) -> list[FloatArray]:
        """Return the sums of node embeddings per graph, in blocks of columns.

        This is faster than sums of the results of `transform`, and equal up to rounding.
        """
        blocks = []
        for branch in self.branches:
            features = views.select(adds_degrees=branch.adds_degrees)
            blocks += branch.transform_graphs(batch, features, n_jobs)
        return blocks

    def n_blocks(self) -> int:
        """Return how often `transform` calls ``advance``."""
        return sum(branch.n_blocks() for branch in self.branches)

    def n_fit_blocks(self, *, embed: bool) -> int:
        """Return how often `fit` calls ``advance``."""
        return sum(branch.n_fit_blocks(embed=embed) for branch in self.branches)

    def feature_names(self) -> list[str]:
        """Return branch, length and landmark of every column."""
        return [name for branch in self.branches for name in branch.feature_names()]
