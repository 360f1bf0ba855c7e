"""All pairs of two inputs, of their graphs or of their nodes, block by block."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from scipy.sparse import csr_array, issparse

from gskn._offsets import runs_of_graphs
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch, pool_matrix
from gskn.kernels._subtree import label_codes, node_colours
from gskn.walks import step_matrix

Level: TypeAlias = Literal["graph", "node"]
Base: TypeAlias = Literal["gaussian", "dirac"]
Weighting: TypeAlias = Literal["count", "probability"]
Given = TypeVar("Given")
Found = TypeVar("Found")

# Graphs of so many nodes are taken together: blocks of 2 MB stay in the cache, and are
# seven times as fast as blocks of 2**24 cells (measured on PROTEINS).
_BLOCK_NODES = 2**9
_CHUNK_CELLS = 2**22  # pairs of walks, or of rows, compared at once
_MAX_CELLS = 2**27  # of one dense matrix: 1 GB, and a few of them exist at a time


@dataclass(frozen=True)
class Side:
    """One of the two inputs, as far as walks are concerned."""

    graph_ptr: IndexArray
    steps: csr_array
    codes: IndexArray  # equal where labels are, on both sides
    attributes: FloatArray | None
    walks: IndexArray  # by start; nothing but the starts until they are enumerated
    weights: FloatArray  # of these walks

    def n_rows(self, level: Level) -> int:
        """Count the graphs, or the nodes."""
        return len(self.graph_ptr) - 1 if level == "graph" else len(self.codes)

    def part(self, first: int, last: int) -> "Side":
        """Return some consecutive graphs."""
        low, high = self.graph_ptr[first], self.graph_ptr[last]
        begin, end = np.searchsorted(self.walks[:, 0], (low, high))
        return Side(
            self.graph_ptr[first : last + 1] - low,
            self.steps[low:high, low:high],
            self.codes[low:high],
            None if self.attributes is None else self.attributes[low:high],
            self.walks[begin:end] - low,
            self.weights[begin:end],
        )

    def parts(self, level: Level) -> Iterator[tuple[slice, "Side"]]:
        """Yield parts of a bounded number of nodes, with their place in the result."""
        begin = 0
        for run in runs_of_graphs(self.graph_ptr, _BLOCK_NODES):
            part = self.part(run.start, run.stop)
            end = begin + part.n_rows(level)
            yield slice(begin, end), part
            begin = end


Block: TypeAlias = Callable[[Side, Side], FloatArray]


class Part(Protocol):
    """A summand of a kernel: its values, and those of everything with itself."""

    def values(self) -> FloatArray: ...
    def selves(self) -> tuple[FloatArray, FloatArray]: ...


@dataclass(frozen=True)
class Inputs:
    """Both batches, and what is to be returned about them."""

    left: GraphBatch
    right: GraphBatch  # the same object where B is None
    level: Level
    normalize: bool

    @staticmethod
    def of(A: Any, B: Any, level: Level, normalize: object) -> "Inputs":
        """Read and check what all kernels have in common."""
        check_choice(level, "level", choices=["graph", "node"])
        if not isinstance(normalize, bool | np.bool_):
            raise InputError(f"normalize must be True or False, got {shorten(normalize)}.")
        left = as_batch(A)
        right = left if B is None else as_batch(B)
        _check_cells(left, right, level)
        return Inputs(left, right, level, bool(normalize))

    def union(self) -> GraphBatch:
        """Return all graphs of both sides, whose labels and attributes must agree."""
        if self.right is self.left:
            return self.left
        _check_agreement(self.left, self.right)
        return GraphBatch.concat([self.left, self.right])

    def split(self, rows: csr_array) -> tuple[csr_array, csr_array]:
        """Cut rows of the union, one for each row of the result, into both sides."""
        if self.right is self.left:
            return rows, rows
        n_rows = self.left.n_graphs if self.level == "graph" else self.left.n_nodes
        return rows[:n_rows], rows[n_rows:]

    def sides(self, base: Base, weighting: Weighting) -> tuple[Side, Side]:
        """Prepare both sides for walks; one object where they are the same."""
        check_choice(weighting, "weighting", choices=["count", "probability"])
        whole = _side(self.union(), base, weighting)
        if self.right is self.left:
            return whole, whole
        n_graphs = self.left.n_graphs
        return whole.part(0, n_graphs), whole.part(n_graphs, whole.n_rows("graph"))

    def total(self, *parts: Part) -> FloatArray:
        """Add up the parts of a kernel, and normalize the sum if so wished."""
        # What overflows is found by the check, and said in words that help.
        with np.errstate(over="ignore", invalid="ignore"):
            values = parts[0].values()
            for part in parts[1:]:
                values += part.values()
            _check_finite(values)
            if not self.normalize:
                return values
            selves = zip(*(part.selves() for part in parts), strict=True)
            left, right = (_check_finite(np.sum(pair, axis=0)) for pair in selves)
        scale = np.sqrt(left)[:, None] * np.sqrt(right)
        np.divide(values, scale, out=values, where=scale > 0)
        return values


@dataclass(frozen=True)
class BlockPart:
    """A kernel between nodes that is computed for some graphs at a time."""

    left: Side
    right: Side
    block: Block
    level: Level

    def values(self) -> FloatArray:
        values = np.zeros((self.left.n_rows(self.level), self.right.n_rows(self.level)))
        symmetric = self.left is self.right
        right_parts = list(self.right.parts(self.level))
        for rows, above in self.left.parts(self.level):
            for columns, beside in right_parts:
                if symmetric and columns.start < rows.start:
                    continue  # has been mirrored
                block = self.block(above, beside)
                if self.level == "graph":
                    by_graph = pool_matrix(above.graph_ptr) @ block
                    block = (pool_matrix(beside.graph_ptr) @ by_graph.T).T
                values[rows, columns] = block
                if symmetric:
                    values[columns, rows] = block.T
        return _mirrored(values) if symmetric else values

    def selves(self) -> tuple[FloatArray, FloatArray]:
        return of_both(self._selves_of, self.left, self.right)

    def _selves_of(self, side: Side) -> FloatArray:
        graphs = (side.part(number, number + 1) for number in range(side.n_rows("graph")))
        blocks = (self.block(graph, graph) for graph in graphs)
        if self.level == "graph":
            return np.array([block.sum() for block in blocks])
        return np.concatenate([np.empty(0), *(block.diagonal() for block in blocks)])


@dataclass(frozen=True)
class RowPart:
    """A kernel that is a product of rows, or of rows and a matrix between them."""

    left: csr_array
    right: csr_array
    between: FloatArray | None = None  # None: the identity

    def values(self) -> FloatArray:
        values = np.empty((self.left.shape[0], self.right.shape[0]))
        for some in chunks(len(values), max(self.right.shape)):
            product = self._through(self.left[some]) @ self.right.T
            values[some] = product.toarray() if issparse(product) else product
        return _mirrored(values) if self.left is self.right else values

    def selves(self) -> tuple[FloatArray, FloatArray]:
        return of_both(self._selves_of, self.left, self.right)

    def _selves_of(self, rows: csr_array) -> FloatArray:
        found = np.empty(rows.shape[0])
        for some in chunks(*rows.shape):
            found[some] = rows[some].multiply(self._through(rows[some])).sum(axis=1)
        return found

    def _through(self, rows: csr_array) -> Any:
        return rows if self.between is None else rows @ self.between


def of_both(
    work: Callable[[Given], Found], left: Given, right: Given
) -> tuple[Found, Found]:
    """Do something for both sides, once where they are one object."""
    found = work(left)
    return found, found if right is left else work(right)


def chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut rows into chunks of a bounded number of cells."""
    at_once = max(1, _CHUNK_CELLS // max(1, n_columns))
    return (slice(first, first + at_once) for first in range(0, n_rows, at_once))


def _side(batch: GraphBatch, base: Base, weighting: Weighting) -> Side:
    # For Dirac it only matters whether two nodes are equal in everything.
    codes = node_colours(batch) if base == "dirac" else label_codes(batch)
    measured = batch.n_attributes and base == "gaussian"
    attributes = batch.node_attributes if measured else None
    starts, weights = np.arange(batch.n_nodes)[:, None], np.ones(batch.n_nodes)
    steps = _steps(batch, weighting)
    return Side(batch.graph_ptr, steps, codes, attributes, starts, weights)


def _steps(batch: GraphBatch, weighting: Weighting) -> csr_array:
    """Return the matrix of steps, each by its count or by its chance."""
    probability = weighting == "probability"
    steps, _ = step_matrix(batch, use_weights=probability)
    if not probability:
        return steps
    # Rows of graphs with weights add up to one already, the others to the degree.
    chances = steps.data / np.repeat(steps.sum(axis=1), np.diff(steps.indptr))
    return csr_array((chances, steps.indices, steps.indptr), shape=steps.shape)


def _mirrored(values: FloatArray) -> FloatArray:
    """Overwrite the upper half: rounding must not make a kernel asymmetric."""
    for row in range(len(values)):
        values[row, row:] = values[row:, row]
    return values


def _check_cells(left: GraphBatch, right: GraphBatch, level: Level) -> None:
    """Refuse dense matrices that would not fit into memory."""
    sizes = [
        batch.n_nodes if level == "node" else int(batch.graph_sizes.max(initial=0))
        for batch in (left, right)
    ]
    if sizes[0] * sizes[1] > _MAX_CELLS:
        whose = "of the batches" if level == "node" else "of two graphs"
        raise InputError(
            f"{sizes[0]} nodes against {sizes[1]} {whose} need a matrix of "
            f"{sizes[0] * sizes[1]:.1e} cells, more than {_MAX_CELLS:.1e}; take fewer "
            "nodes, or a feature map with landmarks."
        )


def _check_finite(values: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        raise InputError(
            "The kernel is larger than a float can be; use a smaller length, or "
            "weighting='probability'."
        )
    return values


def _check_agreement(left: GraphBatch, right: GraphBatch) -> None:
    """Refuse sides whose nodes cannot be compared; one without nodes is no hindrance."""
    if not left.n_nodes or not right.n_nodes:
        return
    for what, has in (
        ("node labels", [side.node_labels is not None for side in (left, right)]),
        ("node attributes", [side.n_attributes > 0 for side in (left, right)]),
    ):
        if has[0] != has[1]:
            having, lacking = ("A", "B") if has[0] else ("B", "A")
            raise InputError(
                f"{having} has {what} and {lacking} has none; give them to both or to "
                "neither."
            )
    if left.n_attributes != right.n_attributes:
        raise InputError(
            f"The nodes of A have {left.n_attributes} attributes and those of B "
            f"{right.n_attributes}; give both the same."
        )
