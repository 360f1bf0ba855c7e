"""GraphBatch: many graphs as one block-diagonal adjacency matrix."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from gskn._html import html_paragraph, html_table
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
from gskn.graphs._columns import (
    all_or_none,
    as_python,
    join_attributes,
    join_names,
    name_array,
    sort_values,
)
from gskn.graphs._sparse import are_ones, make_csr

MAX_NODES = int(np.iinfo(np.int32).max)  # in one batch: columns of edges are int32

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
    edge_labels : ndarray of shape (adjacency.nnz,) or None
        Indices into ``edge_label_values``, one per entry of ``adjacency``, in the order of
        ``adjacency.indices``. Both entries of an undirected edge have the same label.
    edge_label_values : tuple
        The original edge labels, any hashable values.
    edge_attributes : ndarray of shape (adjacency.nnz, n_edge_attributes) or None
        Real vectors, in the same order as ``edge_labels``.

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
    edge_labels: IndexArray | None = None
    edge_label_values: tuple[Hashable, ...] = ()
    edge_attributes: FloatArray | None = None

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
        """Number of nodes of all graphs."""
        return int(self.graph_ptr[-1])

    @cached_property
    def n_edges(self) -> int:
        """Number of edges of all graphs; an undirected edge counts once."""
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
        """Index of the graph of every node."""
        return np.repeat(np.arange(self.n_graphs), self.graph_sizes)

    @property
    def degrees(self) -> IndexArray:
        """Number of (out-)neighbors of every node; a self-loop counts once."""
        degrees: IndexArray = np.diff(self.adjacency.indptr).astype(np.int64)
        return degrees

    @property
    def n_attributes(self) -> int:
        """Number of columns of ``node_attributes``, 0 when absent."""
        return 0 if self.node_attributes is None else self.node_attributes.shape[1]

    @property
    def n_edge_attributes(self) -> int:
        """Number of columns of ``edge_attributes``, 0 when absent."""
        return 0 if self.edge_attributes is None else self.edge_attributes.shape[1]

    @cached_property
    def directed(self) -> BoolArray:
        """Whether each graph is directed: its weights or edge data are asymmetric."""
        matrix = self.adjacency
        if are_ones(matrix.data):  # the transposed matrix has one byte per entry
            bits = np.ones(matrix.nnz, dtype=bool)
            matrix = csr_array((bits, matrix.indices, matrix.indptr), matrix.shape)
        mirror = matrix.T.tocsr()
        directed = np.zeros(self.n_graphs, dtype=bool)
        if not _is_same_matrix(matrix, mirror):
            one_way = np.diff((matrix != mirror).tocsr().indptr) > 0
            directed[self.node_graphs[one_way]] = True
        for values in (self.edge_labels, self.edge_attributes):
            if values is not None:
                directed[self._graphs_of_asymmetric(values)] = True
        directed.flags.writeable = False
        return directed

    @property
    def is_directed(self) -> bool:
        """Whether any graph is directed; a graph with both arcs of every edge is not."""
        return bool(self.directed.any())

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any edge has a weight other than 1."""
        return bool((self.adjacency.data != 1).any())

    @property
    def shape(self) -> tuple[int]:
        """``(n_graphs,)``, by which scikit-learn recognizes an array."""
        return (self.n_graphs,)

    @property
    def ndim(self) -> int:
        """Number of dimensions, 1: a batch is an array of graphs."""
        return 1

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays of the batch."""
        matrix = self.adjacency
        arrays = [matrix.indices, matrix.indptr, self.graph_ptr]
        arrays += [] if are_ones(matrix.data) else [matrix.data]
        arrays += [self.node_labels, self.node_attributes]
        arrays += [self.edge_labels, self.edge_attributes]
        return sum(array.nbytes for array in arrays if array is not None)

    def __len__(self) -> int:
        return self.n_graphs

    def __iter__(self) -> Iterator["GraphBatch"]:
        return (self[number] for number in range(self.n_graphs))

    def __getitem__(self, key: GraphKey) -> "GraphBatch":
        """Select graphs by int, slice, integer array, mask or ``(key, ...)``.

        Parameters
        ----------
        key : int, slice, array-like of int or bool, or tuple of one of these and ``...``
            Indices of graphs, or a mask of all graphs.

        Returns
        -------
        batch : GraphBatch
            The selected graphs in the order of the key; one graph for an int.
        """
        return self._take(_graph_numbers(key, self.n_graphs))

    # Without this method, numpy would convert the graphs to further dimensions.
    def __array__(self, dtype: object = None, copy: object = None) -> AnyArray:
        return np.fromiter(self, dtype=object, count=len(self))

    def __repr__(self) -> str:
        parts = [f"n_graphs={self.n_graphs}", f"n_nodes={self.n_nodes}"]
        parts.append(f"n_edges={self.n_edges}")
        if self.node_labels is not None:
            parts.append(f"n_labels={len(self.label_values)}")
        if self.node_attributes is not None:
            parts.append(f"n_attributes={self.n_attributes}")
        if self.edge_labels is not None:
            parts.append(f"n_edge_labels={len(self.edge_label_values)}")
        if self.edge_attributes is not None:
            parts.append(f"n_edge_attributes={self.n_edge_attributes}")
        parts.append("directed" if self.is_directed else "undirected")
        if self.is_weighted:
            parts.append("weighted")
        return f"GraphBatch({', '.join(parts)})"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        sizes = self.graph_sizes
        kind = "directed" if self.is_directed else "undirected"
        values: dict[str, object] = {
            "graphs": self.n_graphs,
            "nodes": self.n_nodes,
            "edges": self.n_edges,
            "nodes per graph": f"{sizes.min()} to {sizes.max()}" if len(sizes) else "-",
            "node labels": len(self.label_values) if self.node_labels is not None else "-",
            "node attributes": self.n_attributes or "-",
            "edge labels": len(self.edge_label_values) or "-",
            "edge attributes": self.n_edge_attributes or "-",
            "kind": f"{kind}, weighted" if self.is_weighted else kind,
        }
        return html_paragraph("GraphBatch") + html_table(list(values), [[*values.values()]])

    @staticmethod
    def concat(batches: Sequence["GraphBatch"]) -> "GraphBatch":
        """Join the graphs of several batches, in order.

        Parameters
        ----------
        batches : sequence of GraphBatch
            Batches to join. Either all batches with nodes have labels or none; the same
            holds for attributes, whose number must be equal, and for the labels and
            attributes of edges in batches with edges.

        Returns
        -------
        batch : GraphBatch
            Labels are matched by value. If only some batches have names, graphs and nodes
            of the others are named by position.
        """
        return _concat(list(batches))

    def to_networkx(self, number: int) -> Any:
        """Convert one graph to networkx.

        Parameters
        ----------
        number : int
            Index of the graph.

        Returns
        -------
        graph : networkx.Graph or networkx.DiGraph
            Nodes have the keys ``label`` and ``attributes`` and edges the keys ``weight``,
            ``label`` and ``attributes`` if the batch has this data. `as_batch` reads these
            keys by default.
        """
        networkx = require("networkx", extra="networkx")
        graph = self[number]
        graph_type = networkx.DiGraph if graph.is_directed else networkx.Graph
        names: list[Any] = list(range(graph.n_nodes))
        # Nodes with equal names would be merged.
        if graph.node_names is not None and len({*graph.node_names}) == graph.n_nodes:
            names = [as_python(name) for name in graph.node_names]
        result = graph_type(name=_graph_title(graph))
        result.add_nodes_from(names)
        if graph.node_labels is not None:
            for name, label in zip(names, graph.node_labels, strict=True):
                result.nodes[name]["label"] = self.label_values[label]
        if graph.node_attributes is not None:
            for name, row in zip(names, graph.node_attributes, strict=True):
                result.nodes[name]["attributes"] = row.tolist()
        entries = graph.adjacency.tocoo()
        ends = zip(entries.row.tolist(), entries.col.tolist(), strict=True)
        columns = _edge_columns(graph)
        for number, (source, target) in enumerate(ends):
            data = {key: column[number] for key, column in columns.items()}
            result.add_edge(names[source], names[target], **data)
        return result

    def with_graph_names(self, names: Sequence[Hashable]) -> "GraphBatch":
        """Return the same graphs with other names.

        Parameters
        ----------
        names : sequence of hashable
            One name per graph.

        Returns
        -------
        batch : GraphBatch
            A batch that shares all other arrays.
        """
        if len(names) != self.n_graphs:
            raise InputError(
                f"Got {len(names)} names for {self.n_graphs} graphs; give one per graph."
            )
        return replace(self, graph_names=name_array(names))

    def without_edge_data(self) -> "GraphBatch":
        """Return the same graphs without labels and attributes of edges.

        Returns
        -------
        batch : GraphBatch
            A batch that shares all other arrays.
        """
        if self.edge_labels is None and self.edge_attributes is None:
            return self
        return replace(self, edge_labels=None, edge_label_values=(), edge_attributes=None)

    def _graphs_of_asymmetric(self, values: AnyArray) -> IndexArray:
        """Return the graphs in which an edge and its reverse have different values."""
        # A stable sort by column gives the entries of the transpose in CSR order. In a
        # graph with a symmetric matrix, an entry and its reverse have the same position.
        reverse = np.argsort(self.adjacency.indices, kind="stable")
        differs = values != values[reverse]
        rows = np.repeat(np.arange(self.n_nodes), np.diff(self.adjacency.indptr))
        differs = differs if values.ndim == 1 else differs.any(axis=1)
        graphs: IndexArray = self.node_graphs[rows[differs]]
        return graphs

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
            _pick(self.edge_labels, entries),
            self.edge_label_values,
            _pick(self.edge_attributes, entries),
        )
        if "directed" in self.__dict__:  # expensive to compute again
            directed = self.directed[numbers]
            directed.flags.writeable = False
            taken.__dict__["directed"] = directed
        return taken


def _graph_numbers(key: GraphKey, n_graphs: int) -> IndexArray:
    """Convert a key to an array of graph indices."""
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
        numbers = numbers.astype(np.int64)  # np.asarray([]) is float64
    if numbers.dtype.kind not in "iu" or numbers.ndim > 1:
        raise IndexError(
            "Graphs are selected by an integer, a slice, an integer array or a mask, "
            f"got {key!r}."
        )
    numbers = np.atleast_1d(numbers).astype(np.int64)
    wrong = (numbers < -n_graphs) | (numbers >= n_graphs)
    if wrong.any():
        raise IndexError(
            f"Graph {numbers[wrong][0]} is out of range for a batch of {n_graphs} graphs."
        )
    return np.where(numbers < 0, numbers + n_graphs, numbers)


def _check_mask(mask: BoolArray, n_graphs: int) -> BoolArray:
    if mask.shape != (n_graphs,):
        raise IndexError(
            f"A mask of shape {mask.shape} does not fit a batch of {n_graphs} graphs."
        )
    return mask


def _concat(batches: list[GraphBatch]) -> GraphBatch:
    if len(batches) == 1:
        return batches[0]
    offsets = running_total([batch.n_nodes for batch in batches])
    if offsets[-1] > MAX_NODES:
        raise InputError(
            f"The batches have {offsets[-1]} nodes in total, but one batch may have at "
            f"most {MAX_NODES}; process them separately."
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
        *_join_labels(_columns(batches, "node_labels"), "node labels"),
        _join_attributes(_columns(batches, "node_attributes"), "node attributes"),
        join_names(
            [b.graph_names for b in batches],
            np.split(np.arange(n_graphs[-1]), n_graphs[1:-1]) if batches else [],
        ),
        join_names(
            [b.node_names for b in batches],
            [positions_within(b.graph_sizes) for b in batches],
        ),
        *_join_labels(_columns(batches, "edge_labels"), "edge labels"),
        _join_attributes(_columns(batches, "edge_attributes"), "edge attributes"),
    )


def _join(arrays: list[AnyArray], dtype: type) -> AnyArray:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=dtype)


def _join_offsets(pointers: list[IndexArray], shifts: IndexArray) -> IndexArray:
    """Join arrays of offsets, each shifted by the total before it."""
    tails = [ptr[1:] + shift for ptr, shift in zip(pointers, shifts, strict=False)]
    return np.concatenate([np.zeros(1, dtype=np.int64), *tails])


@dataclass(frozen=True)
class _Column:
    """Labels or attributes of the nodes or entries of one batch."""

    size: int  # number of nodes or entries
    values: AnyArray | None
    vocabulary: tuple[Hashable, ...] = ()


def _columns(batches: list[GraphBatch], name: str) -> list[_Column]:
    of_nodes = name.startswith("node")
    vocabulary = "label_values" if of_nodes else "edge_label_values"
    return [
        _Column(
            batch.n_nodes if of_nodes else batch.adjacency.nnz,
            getattr(batch, name),
            getattr(batch, vocabulary),
        )
        for batch in batches
    ]


def _join_labels(
    columns: list[_Column], what: str
) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
    present = _present(columns, what)
    if present is None:
        return None, ()
    vocabularies = [columns[number].vocabulary for number, _ in present]
    values = sort_values({value for vocabulary in vocabularies for value in vocabulary})
    position = {value: number for number, value in enumerate(values)}
    translated = []
    for (_, labels), vocabulary in zip(present, vocabularies, strict=True):
        table = np.array([position[value] for value in vocabulary], dtype=np.int64)
        translated.append(table[labels])
    return np.concatenate(translated), values


def _join_attributes(columns: list[_Column], what: str) -> FloatArray | None:
    present = _present(columns, what)
    return None if present is None else join_attributes(present, _describe, what)


def _present(columns: list[_Column], what: str) -> list[tuple[int, Any]] | None:
    return all_or_none(
        [column.values for column in columns],
        [column.size for column in columns],
        what,
        _describe,
    )


def _describe(number: int) -> str:
    return f"Batch {number}"


def _is_same_matrix(left: csr_array, right: csr_array) -> bool:
    return (
        np.array_equal(left.indptr, right.indptr)
        and np.array_equal(left.indices, right.indices)
        and np.array_equal(left.data, right.data)
    )


def _pick(array: AnyArray | None, numbers: IndexArray) -> AnyArray | None:
    return None if array is None else array[numbers]


def _edge_columns(graph: GraphBatch) -> dict[str, list[Any]]:
    """Return the data of all entries, by key of networkx."""
    columns = {"weight": graph.adjacency.data.tolist()} if graph.is_weighted else {}
    if graph.edge_labels is not None:
        columns["label"] = [graph.edge_label_values[code] for code in graph.edge_labels]
    if graph.edge_attributes is not None:
        columns["attributes"] = graph.edge_attributes.tolist()
    return columns


def _graph_title(graph: GraphBatch) -> str:
    return "" if graph.graph_names is None else str(graph.graph_names[0])
