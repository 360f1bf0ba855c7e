"""The interface of a layer: node features to node embeddings."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch, pool_matrix
from gskn.layers._features import NodeFeatures
from gskn.layers._nystrom import NystromMap
from gskn.layers._params import Advance, LayerParams, no_progress

# Embeds the nodes from one number to another, with one block of columns for every length.
EmbedNodes: TypeAlias = Callable[[int, int], list[FloatArray]]


class GraphStatistics(Protocol):
    """Statistics of the graphs of a batch that determine sums of node embeddings.

    They do not depend on landmarks, so one computation serves many fits of a layer.
    """

    def fit(self, layer: Any, graphs: IndexArray, generator: np.random.Generator) -> None:
        """Choose the landmarks that ``layer.fit`` chooses for the selected graphs."""

    def embed(self, layer: Any, graphs: IndexArray) -> list[FloatArray]:
        """Return the sum of node embeddings per graph, one block for every length."""


@dataclass
class Layer(ABC):
    """Sum over all walks from a node of a kernel with every landmark.

    A branch is named after its first layer. A new kind of layer is one file with a
    subclass, and one line in the registry of branches.

    Attributes
    ----------
    length_parameter : str
        Parameter of `GSKN` that holds the length of the walks.
    max_length : int or None
        Largest supported length.
    ignored_parameters : frozenset of str
        Parameters of `GSKN` that do not affect this layer.
    can_sample_counts : bool
        Whether walks weighted by one can be used with ``method="sampled"``.
    adds_degrees : bool
        Whether degrees are added to the node features, for a first layer.
    compares_edges : bool
        Whether walks are compared by features of edges, too.
    needs_node_data : bool
        Whether the branch is left out if the only node features are degrees.
    """

    length_parameter: ClassVar[str] = "walk_length"
    max_length: ClassVar[int | None] = None
    ignored_parameters: ClassVar[frozenset[str]] = frozenset()
    can_sample_counts: ClassVar[bool] = False
    adds_degrees: ClassVar[bool] = False
    compares_edges: ClassVar[bool] = True
    needs_node_data: ClassVar[bool] = False

    length: int
    params: LayerParams
    seed: int = 0  # of sampled walks
    maps: list[NystromMap] = field(default_factory=list)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of walks, one block of columns each."""
        return self.params.lengths(self.length)

    @abstractmethod
    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark."""

    @abstractmethod
    def fit(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None = None,
        advance: Advance = no_progress,
    ) -> None:
        """Choose landmarks among the walks of the graphs; advance after every length."""

    @abstractmethod
    def transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the embeddings of all nodes, one block for every length."""

    def prepare(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> EmbedNodes:
        """Return a function that embeds a range of nodes, for graphs of any size.

        By default, all nodes are embedded at once.
        """
        blocks = self.transform(batch, features, n_jobs)
        return lambda begin, end: [block[begin:end] for block in blocks]

    def fit_transform(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        generator: np.random.Generator,
        n_jobs: int | None = None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Choose landmarks and return the embeddings of all nodes."""
        self.fit(batch, features, generator, n_jobs, advance)
        return self.transform(batch, features, n_jobs, advance)

    def transform_graphs(
        self,
        batch: GraphBatch,
        features: NodeFeatures,
        n_jobs: int | None,
        advance: Advance = no_progress,
    ) -> list[FloatArray]:
        """Return the sum of node embeddings per graph, one block for every length."""
        blocks = self.transform(batch, features, n_jobs, advance)
        return [pool_matrix(batch.graph_ptr) @ block for block in blocks]

    @abstractmethod
    def kernel_sums(
        self, batch: GraphBatch, features: NodeFeatures, n_jobs: int | None
    ) -> Iterator[FloatArray]:
        """Yield the kernel with all landmarks, summed over all walks of every graph.

        There is one array for every length, of shape (n_graphs, n_landmarks).
        """

    @abstractmethod
    def walk_keys(
        self, batch: GraphBatch, features: NodeFeatures, walks: IndexArray
    ) -> IndexArray:
        """Return integers on which the kernel of a walk depends, one row per walk."""

    @abstractmethod
    def key_kernel(
        self, features: NodeFeatures, keys: IndexArray, nystrom: NystromMap
    ) -> FloatArray:
        """Return the kernel of all pairs of keys of walks and landmarks."""

    @property
    def statistics_key(self) -> Hashable:
        """Parameters of the layer on which `graph_statistics` depends."""
        return None

    def graph_statistics(
        self,
        batch: GraphBatch,  # noqa: ARG002 - part of the interface
        n_jobs: int | None,  # noqa: ARG002
    ) -> GraphStatistics | None:
        """Return statistics of graphs that serve many fits; None if there are none."""
        return None


def draw_seed(generator: np.random.Generator) -> int:
    """Draw the seed of a random number generator or of a family of walks."""
    return int(generator.integers(2**31))
