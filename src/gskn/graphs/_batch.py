"""GraphBatch: many graphs as one block-diagonal adjacency matrix."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from gskn._lazy import cached_property
from gskn._offsets import positions_within, ranges, running_total
from gskn._optional import require
from gskn._types import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    NameArray,
)
from gskn.exceptions import InputError
from gskn.graphs._sparse import make_csr

_PLAIN_NAMES = {str, int, float, bool, bytes, type(None)}

GraphKey: TypeAlias = (
    int | np.integer | slice | Sequence[int] | Sequence[bool] | AnyArray | tuple[Any, Any]
)


@dataclass(frozen=True, eq=False, repr=False)
class GraphBatch:
    """Several graphs as one read-only, block-diagonal adjacency matrix.

    Create a batch with `as_batch`, which validates its input; the constructor only makes
    the arrays read-only. A batch behaves like a one-dimensional array of graphs, so
    scikit-learn's splitters and searches slice it directly.

    Parameters
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
        Weights of the edges, 1 for unweighted graphs. Columns are sorted within rows. An
        undirected edge is stored in both directions, a self-loop once. The index arrays
        are int32 for up to 2^31 - 1 entries, else int64.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph, then the number of nodes.
    node_labels : ndarray of shape (n_nodes,) or None
        Indices into ``label_values``.
    label_values : tuple
        The original labels, any hashable values. A slice of a batch keeps all of them.
    node_attributes : ndarray of shape (n_nodes, n_attributes) or None
        Real vectors.
    graph_names, node_names : ndarray or None
        Names of the graphs and nodes in their source, any hashable values.

    Examples
    --------
    >>> import numpy as np
    >>> from gskn import as_batch
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> batch = as_batch([triangle, np.zeros((1, 1))])
    >>> batch
    GraphBatch(n_graphs=2, n_nodes=4, n_edges=3, undirected)
    >>> batch[0].n_nodes, batch.graph_sizes.tolist()
    (3, [3, 1])
    """

    adjacency: csr_array
    graph_ptr: IndexArray
    node_labels: IndexArray | None = None
    label_values: tuple[Hashable, ...] = ()
    node_attributes: FloatArray | None = None
    graph_names: NameArray | None = None
    node_names: NameArray | None = None

    def __post_init__(self) -> None:
        matrix = self.adjacency
        arrays = [matrix.data, matrix.indices, matrix.indptr]
        arrays += [getattr(self, field.name) for field in fields(self)]
        for array in arrays:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    # Unpickled numpy arrays are writable; the constructor makes them read-only again.
    def __reduce__(self) -> tuple[object, ...]:
        return GraphBatch, tuple(getattr(self, field.name) for field in fields(self))

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.graph_ptr) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all graphs together."""
        return int(self.graph_ptr[-1])

    @cached_property
    def n_edges(self) -> int:
        """Number of edges of all graphs: pairs where undirected, arcs where directed."""
        return int(self.graph_edges.sum())

    @property
    def graph_sizes(self) -> IndexArray:
        """Number of nodes of every graph."""
        return np.diff(self.graph_ptr)

    @cached_property
    def graph_edges(self) -> IndexArray:
        """Number of edges of every graph."""
        n_entries = np.diff(self.adjacency.indptr[self.graph_ptr])
        n_loops = np.diff(running_total(self._is_looped)[self.graph_ptr])
        counts: IndexArray = np.where(self.directed, n_entries, (n_entries + n_loops) // 2)
        counts.flags.writeable = False
        return counts

    @property
    def node_graphs(self) -> IndexArray:
        """Number of the graph every node belongs to."""
        return np.repeat(np.arange(self.n_graphs), self.graph_sizes)

    @property
    def degrees(self) -> IndexArray:
        """Number of (out-)neighbours of every node; a self-loop counts one."""
        degrees: IndexArray = np.diff(self.adjacency.indptr).astype(np.int64)
        return degrees

    @property
    def n_attributes(self) -> int:
        """Number of columns of ``node_attributes``, 0 when absent."""
        return 0 if self.node_attributes is None else self.node_attributes.shape[1]

    @cached_property
    def directed(self) -> BoolArray:
        """Whether every graph is directed, that is, its block is not symmetric."""
        mirror = self.adjacency.T.tocsr()
        directed = np.zeros(self.n_graphs, dtype=bool)
        if not _is_same_matrix(self.adjacency, mirror):
            one_way = np.diff((self.adjacency != mirror).tocsr().indptr) > 0
            directed[self.node_graphs[one_way]] = True
        directed.flags.writeable = False
        return directed

    @property
    def is_directed(self) -> bool:
        """Whether any graph is directed. A graph with both arcs of every edge is not."""
        return bool(self.directed.any())

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any edge has a weight other than 1."""
        return bool((self.adjacency.data != 1).any())

    @property
    def shape(self) -> tuple[int]:
        """``(n_graphs,)``, which scikit-learn reads before it slices."""
        return (self.n_graphs,)

    @property
    def ndim(self) -> int:
        """One: a batch is an array of graphs."""
        return 1

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays of the batch."""
        matrix = self.adjacency
        arrays = [matrix.data, matrix.indices, matrix.indptr, self.graph_ptr]
        arrays += [self.node_labels, self.node_attributes]
        return sum(array.nbytes for array in arrays if array is not None)

    def __len__(self) -> int:
        return self.n_graphs

    def __iter__(self) -> Iterator["GraphBatch"]:
        return (self[number] for number in range(self.n_graphs))

    def __getitem__(self, key: GraphKey) -> "GraphBatch":
        """Take graphs by int, slice, integer array, mask or ``(key, ...)``.

        The result is always a batch; an int gives a batch of one graph.
        """
        return self._take(_graph_numbers(key, self.n_graphs))

    # Without this method, numpy would search the graphs for more dimensions.
    def __array__(self, dtype: object = None, copy: object = None) -> AnyArray:
        return np.fromiter(self, dtype=object, count=len(self))

    def __repr__(self) -> str:
        parts = [f"n_graphs={self.n_graphs}", f"n_nodes={self.n_nodes}"]
        parts.append(f"n_edges={self.n_edges}")
        if self.node_labels is not None:
            parts.append(f"n_labels={len(self.label_values)}")
        if self.node_attributes is not None:
            parts.append(f"n_attributes={self.n_attributes}")
        parts.append("directed" if self.is_directed else "undirected")
        if self.is_weighted:
            parts.append("weighted")
        return f"GraphBatch({', '.join(parts)})"

    @staticmethod
    def concat(batches: Sequence["GraphBatch"]) -> "GraphBatch":
        """Put the graphs of several batches side by side, in order.

        Labels are matched by their values. Labels, and attributes of one width, must
        be in all batches that have nodes or in none. If only some batches have names,
        the others are named by position.
        """
        return _concat(list(batches))

    def to_networkx(self, number: int) -> Any:
        """Return one graph as a networkx ``Graph``, or ``DiGraph`` if it is directed.

        Nodes carry ``label`` and ``attributes``, edges ``weight``, where they exist:
        the keys that `as_batch` reads by default.
        """
        networkx = require("networkx", extra="networkx")
        graph = self[number]
        kind = networkx.DiGraph if graph.is_directed else networkx.Graph
        found = range(graph.n_nodes) if graph.node_names is None else graph.node_names
        names = [as_python(name) for name in found]
        if len(set(names)) < len(names):
            names = list(range(graph.n_nodes))  # repeated names would merge nodes
        result = kind(name=_graph_title(graph))
        result.add_nodes_from(names)
        if graph.node_labels is not None:
            for name, label in zip(names, graph.node_labels, strict=True):
                result.nodes[name]["label"] = self.label_values[label]
        if graph.node_attributes is not None:
            for name, row in zip(names, graph.node_attributes, strict=True):
                result.nodes[name]["attributes"] = row.tolist()
        entries = graph.adjacency.tocoo()
        for source, target, weight in zip(
            entries.row.tolist(),
            entries.col.tolist(),
            entries.data.tolist(),
            strict=True,
        ):
            data = {"weight": weight} if graph.is_weighted else {}
            result.add_edge(names[source], names[target], **data)
        return result

    def with_graph_names(self, names: Sequence[Hashable]) -> "GraphBatch":
        """Return the same graphs under other names."""
        if len(names) != self.n_graphs:
            raise InputError(
                f"{len(names)} names for {self.n_graphs} graphs; give one each."
            )
        return replace(self, graph_names=name_array(names))

    @property
    def _is_looped(self) -> BoolArray:
        return np.asarray(self.adjacency.diagonal() != 0)

    def _take(self, numbers: IndexArray) -> "GraphBatch":
        first = self.graph_ptr[numbers]
        sizes = self.graph_ptr[numbers + 1] - first
        nodes = ranges(first, sizes)
        graph_ptr = running_total(sizes)
        matrix = self.adjacency
        n_entries = matrix.indptr[first + sizes] - matrix.indptr[first]
        entries = ranges(matrix.indptr[first], n_entries)
        shift = np.repeat((graph_ptr[:-1] - first).astype(np.int32), n_entries)
        taken = GraphBatch(
            make_csr(
                matrix.data[entries],
                matrix.indices[entries] + shift,
                running_total(matrix.indptr[nodes + 1] - matrix.indptr[nodes]),
            ),
            graph_ptr,
            _pick(self.node_labels, nodes),
            self.label_values,
            _pick(self.node_attributes, nodes),
            _pick(self.graph_names, numbers),
            _pick(self.node_names, nodes),
        )
        if "directed" in self.__dict__:  # computed before, and expensive
            directed = self.directed[numbers]
            directed.flags.writeable = False
            taken.__dict__["directed"] = directed
        return taken


def name_array(names: Sequence[Hashable] | NameArray) -> NameArray:
    """Put names into a one-dimensional object array; a tuple is one name."""
    if not {*map(type, names)} <= _PLAIN_NAMES:
        for name in names:
            _check_name(name)
    return np.fromiter(names, dtype=object, count=len(names))


def _check_name(name: object) -> None:
    # A tensor is hashable, but compares by element.
    if hasattr(name, "__array__") and not isinstance(name, np.generic):
        raise InputError(
            f"A name of a graph or node is of type {type(name).__name__}; use a string or "
            "a number."
        )
    try:
        hash(name)
    except TypeError:
        raise InputError(
            f"A name of a graph or node is of type {type(name).__name__}, which is not "
            "hashable; use a string, a number or a tuple."
        ) from None


def _graph_numbers(key: GraphKey, n_graphs: int) -> IndexArray:
    """Turn any accepted key into an array of graph numbers."""
    if isinstance(key, tuple):
        if len(key) != 2 or key[1] is not Ellipsis:
            raise IndexError(f"A batch has one dimension; cannot index it with {key!r}.")
        key = key[0]
    if isinstance(key, slice):
        return np.arange(n_graphs)[key]
    numbers = np.asarray(key)
    if numbers.dtype == bool:
        return np.flatnonzero(_check_mask(numbers, n_graphs))
    if numbers.size == 0 and numbers.ndim == 1:
        numbers = numbers.astype(np.int64)  # np.asarray([]) has floats
    if numbers.dtype.kind not in "iu" or numbers.ndim > 1:
        raise IndexError(
            "Graphs are taken by an integer, a slice, an integer array or a mask, "
            f"not by {key!r}."
        )
    numbers = np.atleast_1d(numbers).astype(np.int64)
    wrong = (numbers < -n_graphs) | (numbers >= n_graphs)
    if wrong.any():
        raise IndexError(
            f"There is no graph {numbers[wrong][0]} in a batch of {n_graphs} graphs."
        )
    return np.where(numbers < 0, numbers + n_graphs, numbers)


def _check_mask(mask: BoolArray, n_graphs: int) -> BoolArray:
    if mask.shape != (n_graphs,):
        raise IndexError(
            f"A mask of shape {mask.shape} does not fit a batch of {n_graphs} graphs."
        )
    return mask


def _concat(batches: list[GraphBatch]) -> GraphBatch:
    offsets = running_total([batch.n_nodes for batch in batches])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError(
            f"The batches have {offsets[-1]} nodes together; one batch holds at most "
            f"{np.iinfo(np.int32).max}. Work on them in parts."
        )
    matrices = [batch.adjacency for batch in batches]
    entries = running_total([matrix.nnz for matrix in matrices])
    n_graphs = running_total([batch.n_graphs for batch in batches])
    shifted = zip(matrices, offsets, strict=False)
    return GraphBatch(
        make_csr(
            _join([matrix.data for matrix in matrices], np.float64),
            _join(
                [matrix.indices + np.int32(shift) for matrix, shift in shifted],
                np.int32,
            ),
            _join_offsets([matrix.indptr for matrix in matrices], entries),
        ),
        _join_offsets([batch.graph_ptr for batch in batches], offsets),
        *_join_labels(batches),
        _join_attributes(batches),
        join_names(
            [b.graph_names for b in batches],
            np.split(np.arange(n_graphs[-1]), n_graphs[1:-1]) if batches else [],
        ),
        join_names(
            [b.node_names for b in batches],
            [positions_within(b.graph_sizes) for b in batches],
        ),
    )


def _join(arrays: list[AnyArray], dtype: type) -> AnyArray:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=dtype)


def _join_offsets(pointers: list[IndexArray], shifts: IndexArray) -> IndexArray:
    """Join arrays of offsets, each moved by the total before it."""
    tails = [ptr[1:] + shift for ptr, shift in zip(pointers, shifts, strict=False)]
    return np.concatenate([np.zeros(1, dtype=np.int64), *tails])


def _join_labels(
    batches: list[GraphBatch],
) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
    labelled = _having(batches, "node labels", lambda batch: batch.node_labels)
    if not labelled:
        return None, ()
    values = sort_values({value for batch in labelled for value in batch.label_values})
    position = {value: number for number, value in enumerate(values)}
    translated = []
    for batch in labelled:
        table = np.array([position[value] for value in batch.label_values], dtype=np.int64)
        translated.append(table[batch.node_labels])
    return np.concatenate(translated), values


def _join_attributes(batches: list[GraphBatch]) -> FloatArray | None:
    having = _having(batches, "node attributes", lambda batch: batch.node_attributes)
    if not having:
        return None
    widths = [batch.n_attributes for batch in having]
    if len(set(widths)) > 1:
        raise InputError(
            f"Batches with {widths[0]} and {max(widths, key=lambda w: w != widths[0])} "
            "node attributes cannot be joined; give all the same attributes."
        )
    return np.concatenate([batch.node_attributes for batch in having])


def _having(
    batches: list[GraphBatch], what: str, read: Callable[[GraphBatch], object]
) -> list[GraphBatch]:
    """Return the batches that have a column; raise if only some batches with nodes do."""
    filled = [(number, batch) for number, batch in enumerate(batches) if batch.n_nodes]
    having = [batch for _, batch in filled if read(batch) is not None]
    if having and len(having) < len(filled):
        lacking = next(number for number, batch in filled if read(batch) is None)
        raise InputError(
            f"Batch {lacking} has no {what}, but another one has; "
            "give them to all batches or to none."
        )
    if not filled:  # only graphs without nodes: keep their columns
        return [batch for batch in batches if read(batch) is not None]
    return having


def join_names(
    columns: Sequence[NameArray | None], positions: Sequence[IndexArray]
) -> NameArray | None:
    """Join names; if only some parts have names, the others are named by position."""
    if all(names is None for names in columns):
        return None
    filled = [
        position if names is None else names
        for names, position in zip(columns, positions, strict=True)
    ]
    if len({names.dtype.kind for names in filled}) > 1:
        # numpy would turn the numbers among strings into strings.
        filled = [names.astype(object) for names in filled]
    return np.concatenate(filled)


def sort_values(values: set[Hashable]) -> tuple[Hashable, ...]:
    """Sort label values, or sort by type and text if they cannot be compared.

    The order must not depend on the order of the graphs, as the first appearance would.
    """
    if all(isinstance(value, int | float | str | bytes | tuple) for value in values):
        try:
            return tuple(sorted(values))  # type: ignore[type-var]
        except (TypeError, ValueError, ArithmeticError):
            pass  # of several types, or of one without an order
    return tuple(sorted(values, key=lambda value: (type(value).__name__, _text(value))))


def _text(value: Hashable) -> str:
    try:
        if isinstance(value, frozenset):
            return str(sorted(map(repr, value)))
        return repr(value)
    except (ValueError, RecursionError):  # an integer of many digits, or deep nesting
        return hex(value) if isinstance(value, int) else ""


def _is_same_matrix(left: csr_array, right: csr_array) -> bool:
    return (
        np.array_equal(left.indptr, right.indptr)
        and np.array_equal(left.indices, right.indices)
        and np.array_equal(left.data, right.data)
    )


def _pick(array: AnyArray | None, numbers: IndexArray) -> AnyArray | None:
    return None if array is None else array[numbers]


def _graph_title(graph: GraphBatch) -> str:
    return "" if graph.graph_names is None else str(graph.graph_names[0])


def as_python(value: Any) -> Any:
    """Convert a numpy scalar to a Python value; return other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value
