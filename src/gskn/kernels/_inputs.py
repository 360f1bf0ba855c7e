"""Input of all kernels: two batches of graphs, checked and prepared for comparison."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import KERNEL_BLOCK_NODES, MAX_KERNEL_CELLS
from gskn._offsets import runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, check_edge_features, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.kernels._colors import edge_codes, edge_colors, label_codes, node_colors
from gskn.walks import step_matrix, values_of_steps

Level: TypeAlias = Literal["graph", "node"]
Base: TypeAlias = Literal["gaussian", "dirac"]
Weighting: TypeAlias = Literal["count", "probability"]
Input = TypeVar("Input")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Edges:
    """Data of steps, which kernels compare like data of nodes.

    Attributes
    ----------
    codes : ndarray of shape (n_steps,)
        Equal integers for equal labels. A step without an edge, at a dead end, has a code
        of its own.
    attributes : ndarray of shape (n_steps, n_edge_attributes) or None
        Real vectors; zeros for steps without an edge.
    """

    codes: IndexArray
    attributes: FloatArray | None

    @classmethod
    def from_batch(cls, batch: GraphBatch, base: Base) -> Self | None:
        """Return the data of all entries of the matrix of steps; None if there is none."""
        if batch.edge_labels is None and not batch.n_edge_attributes:
            return None
        codes = edge_colors(batch) if base == "dirac" else edge_codes(batch)
        attributes = batch.edge_attributes if base == "gaussian" else None
        if attributes is not None:
            attributes = values_of_steps(batch, attributes, 0.0)
        staying = int(codes.max(initial=0)) + 1
        return cls(values_of_steps(batch, codes, staying), attributes)

    def take(self, steps: IndexArray | slice) -> "Edges":
        """Return the data of some steps."""
        attributes = None if self.attributes is None else self.attributes[steps]
        return Edges(self.codes[steps], attributes)


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
    edges : Edges or None
        Data of every entry of ``steps``; None if walks do not compare edges.
    walks : ndarray of shape (n_walks, length)
        Enumerated walks, sorted by start; only the start nodes before the enumeration.
    entries : ndarray of shape (n_walks, length - 1) or (n_walks, 0)
        Entries of ``steps`` along these walks; no columns without ``edges``.
    weights : ndarray of shape (n_walks,)
        Weights of these walks.
    """

    graph_ptr: IndexArray
    steps: csr_array
    codes: IndexArray
    attributes: FloatArray | None
    edges: Edges | None
    walks: IndexArray
    entries: IndexArray
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
            edges=Edges.from_batch(batch, base),
            walks=np.arange(batch.n_nodes)[:, None],
            entries=np.empty((batch.n_nodes, 0), dtype=np.int64),
            weights=np.ones(batch.n_nodes),
        )

    def n_items(self, level: Level) -> int:
        """Return the number of graphs or of nodes."""
        return len(self.graph_ptr) - 1 if level == "graph" else len(self.codes)

    def select(self, first: int, last: int) -> "Side":
        """Return the graphs from ``first`` to before ``last``."""
        low, high = self.graph_ptr[first], self.graph_ptr[last]
        begin, end = np.searchsorted(self.walks[:, 0], (low, high))
        entries = slice(*self.steps.indptr[[low, high]])
        return Side(
            graph_ptr=self.graph_ptr[first : last + 1] - low,
            steps=self.steps[low:high, low:high],
            codes=self.codes[low:high],
            attributes=None if self.attributes is None else self.attributes[low:high],
            edges=None if self.edges is None else self.edges.take(entries),
            walks=self.walks[begin:end] - low,
            entries=self.entries[begin:end] - entries.start,
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
    def from_arguments(
        cls, A: Any, B: Any, level: Level, normalize: object, edge_features: Any = "none"
    ) -> Self:
        """Convert and check the arguments that all kernels have.

        Only the selected edge data of the graphs is kept.
        """
        check_choice(level, "level", choices=["graph", "node"])
        if not isinstance(normalize, bool | np.bool_):
            raise InputError(f"normalize must be True or False, got {shorten(normalize)}.")
        selection = check_edge_features(edge_features)
        left = _keep_edge_features(as_batch(A), selection)
        right = left if B is None else _keep_edge_features(as_batch(B), selection)
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


def _keep_edge_features(batch: GraphBatch, selection: tuple[str, ...] | None) -> GraphBatch:
    """Return the graphs with the selected edge data only; None selects all."""
    if selection is None:
        return batch
    kept = batch.without_edge_data()
    if "labels" in selection:
        labels, values = batch.edge_labels, batch.edge_label_values
        kept = replace(kept, edge_labels=labels, edge_label_values=values)
    if "attributes" in selection:
        kept = replace(kept, edge_attributes=batch.edge_attributes)
    columns = {"labels": kept.edge_labels, "attributes": kept.edge_attributes}
    for name in selection:
        if columns[name] is None and batch.adjacency.nnz:
            raise InputError(
                f"The graphs have no edge {name}; give them, or use edge_features='auto'."
            )
    return kept


def _check_agreement(left: GraphBatch, right: GraphBatch) -> None:
    """Raise if both sides cannot be compared; batches without nodes always can."""
    sides = (left, right)
    if left.n_nodes and right.n_nodes:
        _check_both("node labels", [side.node_labels is not None for side in sides])
        _check_equal("node", [side.n_attributes for side in sides])
    if left.adjacency.nnz and right.adjacency.nnz:
        _check_both("edge labels", [side.edge_labels is not None for side in sides])
        _check_equal("edge", [side.n_edge_attributes for side in sides])


def _check_both(data: str, has: list[bool]) -> None:
    if has[0] != has[1]:
        one, other = ("A", "B") if has[0] else ("B", "A")
        raise InputError(
            f"{one} has {data} and {other} has none; pass them for both or for neither."
        )


def _check_equal(kind: str, counts: list[int]) -> None:
    """Raise if the numbers of attributes of both sides differ."""
    _check_both(f"{kind} attributes", [count > 0 for count in counts])
    if counts[0] != counts[1]:
        raise InputError(
            f"The {kind}s of A have {counts[0]} attributes and the {kind}s of B have "
            f"{counts[1]}; both need the same number."
        )
