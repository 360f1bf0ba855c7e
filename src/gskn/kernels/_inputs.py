"""Input of all kernels: two batches of graphs, checked and prepared for comparison."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import KERNEL_BLOCK_NODES, MAX_KERNEL_CELLS
from gskn._offsets import runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.kernels._colors import label_codes, node_colors
from gskn.walks import step_matrix

Level: TypeAlias = Literal["graph", "node"]
Base: TypeAlias = Literal["gaussian", "dirac"]
Weighting: TypeAlias = Literal["count", "probability"]
Input = TypeVar("Input")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Side:
    """Graphs of one of the two inputs, prepared for walks.

    Attributes
    ----------
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    steps : csr_array of shape (n_nodes, n_nodes)
        Weight of every step, by count or by probability.
    codes : ndarray of shape (n_nodes,)
        Equal integers for equal labels, on both sides.
    attributes : ndarray of shape (n_nodes, n_attributes) or None
        Real vectors that the Gaussian kernel compares.
    walks : ndarray of shape (n_walks, length)
        Enumerated walks, sorted by start; only the start nodes before the enumeration.
    weights : ndarray of shape (n_walks,)
        Weights of these walks.
    """

    graph_ptr: IndexArray
    steps: csr_array
    codes: IndexArray
    attributes: FloatArray | None
    walks: IndexArray
    weights: FloatArray

    @classmethod
    def from_batch(cls, batch: GraphBatch, base: Base, weighting: Weighting) -> Self:
        """Prepare all graphs of a batch."""
        # The Dirac kernel only depends on whether two nodes are equal in everything.
        codes = node_colors(batch) if base == "dirac" else label_codes(batch)
        has_distances = batch.n_attributes and base == "gaussian"
        return cls(
            graph_ptr=batch.graph_ptr,
            steps=_step_weights(batch, weighting),
            codes=codes,
            attributes=batch.node_attributes if has_distances else None,
            walks=np.arange(batch.n_nodes)[:, None],
            weights=np.ones(batch.n_nodes),
        )

    def n_items(self, level: Level) -> int:
        """Return the number of graphs or of nodes."""
        return len(self.graph_ptr) - 1 if level == "graph" else len(self.codes)

    def select(self, first: int, last: int) -> "Side":
        """Return the graphs from ``first`` to before ``last``."""
        low, high = self.graph_ptr[first], self.graph_ptr[last]
        begin, end = np.searchsorted(self.walks[:, 0], (low, high))
        return Side(
            graph_ptr=self.graph_ptr[first : last + 1] - low,
            steps=self.steps[low:high, low:high],
            codes=self.codes[low:high],
            attributes=None if self.attributes is None else self.attributes[low:high],
            walks=self.walks[begin:end] - low,
            weights=self.weights[begin:end],
        )

    def blocks(self, level: Level) -> Iterator[tuple[slice, "Side"]]:
        """Yield blocks of a bounded number of nodes with their place in the result."""
        begin = 0
        for run in runs_of_graphs(self.graph_ptr, KERNEL_BLOCK_NODES):
            block = self.select(run.start, run.stop)
            end = begin + block.n_items(level)
            yield slice(begin, end), block
            begin = end


@dataclass(frozen=True)
class Inputs:
    """Two batches of graphs and the options that all kernels have.

    ``right`` is the same object as ``left`` if there is only one input.
    """

    left: GraphBatch
    right: GraphBatch
    level: Level
    normalize: bool

    @classmethod
    def from_arguments(cls, A: Any, B: Any, level: Level, normalize: object) -> Self:
        """Convert and check the arguments that all kernels have."""
        check_choice(level, "level", choices=["graph", "node"])
        if not isinstance(normalize, bool | np.bool_):
            raise InputError(f"normalize must be True or False, got {shorten(normalize)}.")
        left = as_batch(A)
        right = left if B is None else as_batch(B)
        _check_size(left, right, level)
        return cls(left, right, level, bool(normalize))

    def union(self) -> GraphBatch:
        """Return the graphs of both sides; raise if their node data do not agree."""
        if self.right is self.left:
            return self.left
        _check_agreement(self.left, self.right)
        return GraphBatch.concat([self.left, self.right])

    def split(self, features: csr_array) -> tuple[csr_array, csr_array]:
        """Split features of the graphs or nodes of the union into both sides."""
        if self.right is self.left:
            return features, features
        n_left = self.left.n_graphs if self.level == "graph" else self.left.n_nodes
        return features[:n_left], features[n_left:]

    def sides(self, base: Base, weighting: Weighting) -> tuple[Side, Side]:
        """Prepare both sides for walks; one object if they are the same."""
        check_choice(weighting, "weighting", choices=["count", "probability"])
        union = Side.from_batch(self.union(), base, weighting)
        if self.right is self.left:
            return union, union
        n_left = self.left.n_graphs
        return union.select(0, n_left), union.select(n_left, union.n_items("graph"))


def for_both(
    function: Callable[[Input], Result], left: Input, right: Input
) -> tuple[Result, Result]:
    """Apply a function to both sides, only once if they are the same object."""
    result = function(left)
    return result, result if right is left else function(right)


def _step_weights(batch: GraphBatch, weighting: Weighting) -> csr_array:
    use_probability = weighting == "probability"
    steps, _ = step_matrix(batch, use_weights=use_probability)
    if not use_probability:
        return steps
    # Rows of weighted graphs sum to one already, the others to the degree.
    probabilities = steps.data / np.repeat(steps.sum(axis=1), np.diff(steps.indptr))
    return csr_array((probabilities, steps.indices, steps.indptr), shape=steps.shape)


def _check_size(left: GraphBatch, right: GraphBatch, level: Level) -> None:
    """Raise if a dense matrix would not fit into memory."""
    sizes = [
        batch.n_nodes if level == "node" else int(batch.graph_sizes.max(initial=0))
        for batch in (left, right)
    ]
    n_cells = sizes[0] * sizes[1]
    if n_cells > MAX_KERNEL_CELLS:
        place = "in the batches" if level == "node" else "in two graphs"
        raise InputError(
            f"Comparing {sizes[0]} nodes with {sizes[1]} {place} needs a matrix of "
            f"{n_cells:.1e} cells, more than {MAX_KERNEL_CELLS:.1e}; use fewer nodes, or "
            "a feature map with landmarks."
        )


def _check_agreement(left: GraphBatch, right: GraphBatch) -> None:
    """Raise if the nodes of both sides cannot be compared; empty batches always can."""
    if not left.n_nodes or not right.n_nodes:
        return
    for data, has in (
        ("node labels", [side.node_labels is not None for side in (left, right)]),
        ("node attributes", [side.n_attributes > 0 for side in (left, right)]),
    ):
        if has[0] != has[1]:
            one, other = ("A", "B") if has[0] else ("B", "A")
            raise InputError(
                f"{one} has {data} and {other} has none; pass them for both or for neither."
            )
    if left.n_attributes != right.n_attributes:
        raise InputError(
            f"The nodes of A have {left.n_attributes} attributes and the nodes of B have "
            f"{right.n_attributes}; both need the same number."
        )
