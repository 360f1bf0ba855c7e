"""Validation of all input: unchecked arrays become a GraphBatch.

Every converter describes its graphs as `GraphParts` and calls `assemble`, so each rule
about graphs and each message is written once:

- an edge listed several times is one edge; its weights, if any, add up;
- a pair that an undirected source lists in both directions is one edge, with the
  larger of the two weights;
- an edge of weight zero is not an edge; negative, infinite and NaN weights raise;
- labels and attributes are in all graphs that have nodes, or in none;
- labels and attributes of edges are in all graphs that have edges, or in none. Further
  rules about them are in `_edge_data`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from gskn._offsets import positions_within, running_total
from gskn._types import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    NameArray,
    NodeArray,
)
from gskn._validation import shorten
from gskn.exceptions import InputError
from gskn.graphs._batch import MAX_NODES, GraphBatch
from gskn.graphs._columns import (
    Coded,
    all_or_none,
    join_attributes,
    join_names,
    name_array,
    sort_values,
)
from gskn.graphs._edge_data import EntryMap, conflict, split_features
from gskn.graphs._sparse import make_csr


@dataclass(frozen=True)
class GraphParts:
    """One graph, or several from one source, before validation.

    Attributes
    ----------
    graph_sizes : sequence of int
        Number of nodes of every graph.
    source, target : array-like of shape (n_edges,)
        Nodes of every edge, counted from 0 within this part.
    weight : array-like of shape (n_edges,) or None
        Edge weights.
    labels, attributes : array-like of length n_nodes or None
        Node labels, and node attributes in rows.
    node_names, graph_names : sequence of hashable or None
        Names of nodes and graphs.
    directed : bool
        Whether an edge has one direction.
    owned : bool
        Whether the arrays are used by nothing else, so that they need no copy.
    edge_labels, edge_attributes : array-like of length n_edges or None
        Edge labels, and edge attributes in rows.
    edge_features : ndarray of length n_edges or None
        Edge labels or edge attributes, see `split_features`. Only one of the options is
        used by a source.
    """

    graph_sizes: Sequence[int] | IndexArray
    source: Any
    target: Any
    weight: Any = None
    labels: Sequence[Any] | AnyArray | Coded | None = None
    attributes: Any = None
    node_names: Sequence[Hashable] | NameArray | None = None
    graph_names: Sequence[Hashable] | NameArray | None = None
    directed: bool = True
    owned: bool = False
    edge_labels: Sequence[Any] | AnyArray | Coded | None = None
    edge_attributes: Any = None
    edge_features: AnyArray | None = None


def assemble(parts: Sequence[GraphParts]) -> GraphBatch:
    """Validate graphs and join them into one batch."""
    parts = _with_split_features(parts)
    offsets = _Offsets.from_parts(parts)
    if offsets.n_nodes > MAX_NODES:
        raise InputError(
            f"{offsets.n_nodes} nodes are too many for one batch (at most {MAX_NODES}); "
            "split the graphs over several batches."
        )
    source, target = _join_ends(parts, offsets)
    weight = _join_weights(parts, offsets)
    undirected = np.repeat(
        [not part.directed for part in parts], [len(part.graph_sizes) for part in parts]
    ).astype(bool)
    owned = all(part.owned for part in parts)
    adjacency = _make_adjacency(source, target, weight, offsets, undirected, owned=owned)
    _check_within_graphs(adjacency, offsets)
    labels, label_values = _join_labels(
        [part.labels for part in parts], _nodes(offsets), offsets
    )
    edges = _EdgeColumns(parts, offsets, source, target)
    edge_labels, edge_label_values = edges.labels(adjacency, undirected)
    return GraphBatch(
        adjacency,
        offsets.graph_ptr,
        labels,
        label_values,
        _join_attributes([part.attributes for part in parts], _nodes(offsets), offsets),
        join_names(
            [_as_names(part.graph_names) for part in parts],
            np.split(np.arange(len(offsets.graph_ptr) - 1), offsets.part_graphs[1:-1])
            if parts
            else [],
        ),
        join_names(
            [_as_names(part.node_names) for part in parts],
            (positions_within(part.graph_sizes) for part in parts),
        ),
        edge_labels,
        edge_label_values,
        edges.attributes(adjacency, undirected),
    )


def _with_split_features(parts: Sequence[GraphParts]) -> Sequence[GraphParts]:
    """Replace edge features by edge labels or edge attributes."""
    if all(part.edge_features is None for part in parts):
        return parts
    features = [part.edge_features for part in parts]
    labels, attributes = split_features(features, [len(part.source) for part in parts])
    return [
        part
        if part.edge_features is None
        else replace(part, edge_labels=label, edge_attributes=attribute, edge_features=None)
        for part, label, attribute in zip(parts, labels, attributes, strict=True)
    ]


@dataclass(frozen=True)
class _Elements:
    """The nodes or the listed edges of all parts."""

    kind: str  # "node" or "edge"
    sizes: IndexArray  # per part
    describe: Callable[[int], str]


def _nodes(offsets: "_Offsets") -> _Elements:
    return _Elements("node", offsets.part_sizes, offsets.node)


@dataclass(frozen=True)
class _EdgeColumns:
    """Labels and attributes of the edges of all parts."""

    parts: Sequence[GraphParts]
    offsets: "_Offsets"
    source: NodeArray
    target: NodeArray

    def labels(
        self, adjacency: csr_array, undirected: BoolArray
    ) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
        """Return the index of the label of every entry, and the values of the labels."""
        columns = [part.edge_labels for part in self.parts]
        if all(column is None for column in columns):
            return None, ()
        codes, values = _join_labels(columns, self._edges(), self.offsets)
        if codes is None:
            return None, ()

        def describe(first: int, second: int, what: str) -> InputError:
            pair = (values[codes[first]], values[codes[second]])
            return conflict(self._describe(first), pair, what)

        entries = self._entries(adjacency, undirected)
        return entries.place(codes, "edge labels", describe), values

    def attributes(self, adjacency: csr_array, undirected: BoolArray) -> FloatArray | None:
        """Return the attributes of every entry."""
        columns = [part.edge_attributes for part in self.parts]
        if all(column is None for column in columns):
            return None
        rows = _join_attributes(columns, self._edges(), self.offsets)
        if rows is None:
            return None

        def describe(first: int, second: int, what: str) -> InputError:
            pair = (rows[first].tolist(), rows[second].tolist())
            return conflict(self._describe(first), pair, what)

        entries = self._entries(adjacency, undirected)
        return entries.place(rows, "edge attributes", describe)

    def _entries(self, adjacency: csr_array, undirected: BoolArray) -> EntryMap:
        mirrored = _mirrored_nodes(undirected, self.offsets)
        return EntryMap.from_edges(self.source, self.target, adjacency, mirrored)

    def _edges(self) -> _Elements:
        sizes = np.array([len(part.source) for part in self.parts], dtype=np.int64)
        return _Elements("edge", sizes, self._describe)

    def _describe(self, edge: int) -> str:
        return self.offsets.edge(int(self.source[edge]), int(self.target[edge]))


@dataclass(frozen=True)
class _Offsets:
    """Offsets of graphs and parts, which locate nodes for messages."""

    graph_ptr: IndexArray  # first node of every graph
    part_ptr: IndexArray  # first node of every part
    part_graphs: IndexArray  # first graph of every part

    @classmethod
    def from_parts(cls, parts: Sequence[GraphParts]) -> Self:
        """Count the nodes and graphs of parts."""
        sizes = [_as_sizes(part.graph_sizes) for part in parts]
        return cls(
            running_total(np.concatenate([*sizes, np.empty(0, dtype=np.int64)])),
            running_total([part_sizes.sum() for part_sizes in sizes]),
            running_total([len(part_sizes) for part_sizes in sizes]),
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all graphs."""
        return int(self.graph_ptr[-1])

    @property
    def part_sizes(self) -> IndexArray:
        """Number of nodes of every part."""
        return np.diff(self.part_ptr)

    def graph(self, node: int) -> int:
        """Return the number of the graph that holds a node of the batch."""
        return int(np.searchsorted(self.graph_ptr, node, side="right")) - 1

    def node(self, node: int) -> str:
        """Return "Graph 3, node 5", the node counted within its graph."""
        graph = self.graph(node)
        return f"Graph {graph}, node {node - self.graph_ptr[graph]}"

    def edge(self, source: int, target: int) -> str:
        """Return "Graph 3, the edge from node 5 to node 6", counted within the graph."""
        graph = self.graph(source)
        first = self.graph_ptr[graph]
        return (
            f"Graph {graph}, the edge from node {source - first} to node {target - first}"
        )

    def part(self, number: int) -> str:
        """Return "Graph 3" for the first graph of a part."""
        return f"Graph {self.part_graphs[number]}"


def _as_sizes(sizes: Sequence[int] | AnyArray) -> IndexArray:
    """Check the numbers of nodes of the graphs of a part."""
    array = np.asarray(sizes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"Numbers of nodes must be integers, got {shorten(sizes)}.")
    wrong = (array < 0) | (array > MAX_NODES)
    if wrong.any():
        raise InputError(
            f"A graph has {array[wrong][0]} nodes; the number of nodes must be between 0 "
            f"and {MAX_NODES}."
        )
    return array.astype(np.int64, copy=False)


def _join_ends(
    parts: Sequence[GraphParts], offsets: _Offsets
) -> tuple[NodeArray, NodeArray]:
    sources, targets = [], []
    for number, part in enumerate(parts):
        first, end = offsets.part_ptr[number : number + 2]
        source = _as_ends(part.source, end - first, number, offsets)
        target = _as_ends(part.target, end - first, number, offsets)
        if len(source) != len(target):
            raise InputError(
                f"{offsets.part(number)} has {len(source)} edge sources but "
                f"{len(target)} targets; every edge needs one of each."
            )
        # Adding 0 would copy the edges of a large set, which is one part.
        sources.append(source + np.int32(first) if first else source)
        targets.append(target + np.int32(first) if first else target)
    return _join(sources, np.int32), _join(targets, np.int32)


def _as_ends(ends: Any, n_nodes: int, number: int, offsets: _Offsets) -> NodeArray:
    """Check the nodes at one end of the edges of a part."""
    ends = np.asarray(ends)
    if ends.ndim != 1:
        raise InputError(
            f"{offsets.part(number)}: the nodes of edges have shape {ends.shape}; give one "
            "number per edge."
        )
    if not ends.size:
        return np.empty(0, dtype=np.int32)
    if ends.dtype.kind not in "iu":
        raise InputError(
            f"{offsets.part(number)}: nodes of edges must be integers, got "
            f"{shorten(ends[0])}; number the nodes from 0."
        )
    # Negative numbers are large without their sign, so that one comparison is enough.
    if ends.view(ends.dtype.str.replace("i", "u")).max() >= n_nodes:
        wrong = ends[(ends < 0) | (ends >= n_nodes)][0]
        raise InputError(
            f"{offsets.part(number)} has an edge at node {wrong}, but only {n_nodes} "
            "nodes, counted from 0; correct the edge or add the node."
        )
    narrow: NodeArray = ends.astype(np.int32, copy=False)
    return narrow


def _join_weights(parts: Sequence[GraphParts], offsets: _Offsets) -> FloatArray | None:
    if all(part.weight is None for part in parts):
        return None
    weights = []
    for number, part in enumerate(parts):
        if part.weight is None:
            weights.append(_ones_for_first(part))
            continue
        weight = as_floats(part.weight, f"{offsets.part(number)}: edge weights")
        if weight.shape != (len(part.source),):
            raise InputError(
                f"{offsets.part(number)} has {weight.size} weights for "
                f"{len(part.source)} edges; give one number per edge."
            )
        _check_weight(weight, part, offsets.part_ptr[number], offsets)
        weights.append(weight)
    joined: FloatArray = _join(weights, np.float64)
    return joined


def _ones_for_first(part: GraphParts) -> FloatArray:
    """Give the first of equal edges weight 1 and the others 0, so that the sum is 1."""
    source, target = (np.asarray(e, dtype=np.int64) for e in (part.source, part.target))
    pairs = source << 32 | target
    weight = np.zeros(len(pairs))
    weight[np.unique(pairs, return_index=True)[1]] = 1
    return weight


def _check_weight(
    weight: FloatArray, part: GraphParts, first: int, offsets: _Offsets
) -> None:
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        edge = int(np.argmax(wrong))
        source, target = int(part.source[edge]), int(part.target[edge])
        graph = offsets.graph(first + source)
        shift = first - offsets.graph_ptr[graph]
        raise InputError(
            f"Graph {graph}: the edge from node {source + shift} to node "
            f"{target + shift} has weight {weight[edge]}; weights must be finite and "
            "not negative. Correct them, or read the graphs with edge_weight=None."
        )


def _make_adjacency(
    source: NodeArray,
    target: NodeArray,
    weight: FloatArray | None,
    offsets: _Offsets,
    undirected: BoolArray,
    *,
    owned: bool,
) -> csr_array:
    mirrored = _mirrored_nodes(undirected, offsets)
    if weight is None:
        if mirrored is not None:
            both = mirrored[source]
            source, target = (
                np.concatenate([source, target[both]]),
                np.concatenate([target, source[both]]),
            )
        return _unweighted_csr(source, target, offsets.n_nodes, owned=owned)
    shape = (offsets.n_nodes, offsets.n_nodes)
    matrix = coo_array((weight, (source, target)), shape=shape).tocsr()
    if mirrored is not None:
        one_way = (diags_array(mirrored.astype(np.float64)) @ matrix).tocsr()
        matrix = matrix.maximum(one_way.T.tocsr())
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        raise InputError(
            "Weights of edges listed several times add up to infinity; scale them down."
        )
    data = matrix.data.astype(np.float64, copy=False)
    return make_csr(data, matrix.indices, matrix.indptr)


def _mirrored_nodes(undirected: BoolArray, offsets: _Offsets) -> BoolArray | None:
    """Return which nodes have edges that go both ways, or None if there are none."""
    return np.repeat(undirected, np.diff(offsets.graph_ptr)) if undirected.any() else None


def _unweighted_csr(
    source: NodeArray, target: NodeArray, n_nodes: int, *, owned: bool
) -> csr_array:
    # Files of benchmark sets are sorted; checking this is cheaper than sorting again.
    if _is_sorted(source, target):
        target = target if owned else target.copy()
    else:
        key = source.astype(np.int64)
        key *= n_nodes
        key += target
        key.sort()
        key = key[np.concatenate(([True], key[1:] != key[:-1]))]
        source, target = (part.astype(np.int32) for part in np.divmod(key, n_nodes))
    # If the types of the two arrays differ, numpy copies the edges.
    indptr = np.searchsorted(source, np.arange(n_nodes + 1, dtype=np.int32))
    return make_csr(np.ones(len(target)), target, indptr)


def _is_sorted(source: NodeArray, target: NodeArray) -> bool:
    """Return whether edges are sorted by source, then target, without repetition."""
    same = source[1:] == source[:-1]
    same &= target[1:] > target[:-1]
    same |= source[1:] > source[:-1]
    return bool(same.all())


def _check_within_graphs(matrix: csr_array, offsets: _Offsets) -> None:
    """Raise if an edge connects two graphs: columns must be in the block of their row."""
    n_nodes = offsets.n_nodes
    filled = np.flatnonzero(np.diff(matrix.indptr))
    # Columns are sorted, so the first and the last of a row are enough.
    lowest = matrix.indices[matrix.indptr[filled]]
    highest = matrix.indices[matrix.indptr[filled + 1] - 1]
    owner = np.repeat(np.arange(len(offsets.graph_ptr) - 1), np.diff(offsets.graph_ptr))
    first, end = offsets.graph_ptr[owner[filled]], offsets.graph_ptr[owner[filled] + 1]
    crossing = (lowest < first) | (highest >= end)
    if n_nodes and crossing.any():
        row = int(np.argmax(crossing))
        ends = (
            int(filled[row]),
            int(lowest[row] if lowest[row] < first[row] else highest[row]),
        )
        raise InputError(
            f"An edge joins node {ends[0]} in graph {offsets.graph(ends[0])} to node "
            f"{ends[1]} in graph {offsets.graph(ends[1])} (nodes counted over all graphs); "
            "edges must stay within a graph."
        )


def _join_labels(
    columns: Sequence[Any], elements: _Elements, offsets: _Offsets
) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
    kind = elements.kind
    present = all_or_none(columns, elements.sizes, f"{kind} labels", offsets.part)
    if present is None:
        return None, ()
    for number, labels in present:
        size = elements.sizes[number]
        if len(labels) != size:
            raise InputError(
                f"{offsets.part(number)} has {len(labels)} {_prefix(kind)}labels for "
                f"{size} {kind}s; give one label per {kind}."
            )
    if len(present) == 1 and isinstance(present[0][1], Coded):
        return present[0][1].in_order()
    arrays = [np.asarray(labels) for _, labels in present if _is_plain_array(labels)]
    kinds = {array.dtype.kind for array in arrays}
    if len(arrays) == len(present) and len(kinds) == 1:
        values, numbers = np.unique(np.concatenate(arrays), return_inverse=True)
        return numbers.astype(np.int64, copy=False), tuple(values.tolist())
    plain = [
        _as_label(label, number, elements)
        for number, label in enumerate(chain.from_iterable(values for _, values in present))
    ]
    ordered = sort_values(set(plain))
    position = {value: number for number, value in enumerate(ordered)}
    return np.array([position[label] for label in plain], dtype=np.int64), ordered


def _is_plain_array(labels: Any) -> bool:
    """Return whether numpy can find the distinct labels."""
    if not isinstance(labels, np.ndarray) or labels.ndim != 1:
        return False
    # Columns of text are arrays of objects; `map` checks them without a Python loop.
    return labels.dtype.kind in "iubUS" or {str} == {*map(type, labels)}


def _as_label(label: Any, number: int, elements: _Elements) -> Hashable:
    """Convert lists and arrays to tuples and numpy scalars to Python; check the hash."""
    if isinstance(label, np.ndarray | np.generic):
        label = label.tolist()
    if isinstance(label, list):
        try:
            label = tuple(_as_label(item, number, elements) for item in label)
        except RecursionError:
            raise InputError(
                f"{elements.describe(number)}: the label is nested too deep."
            ) from None
    if label is None or (isinstance(label, float) and np.isnan(label)):
        raise InputError(
            f"{elements.describe(number)}: the label is {label}; give every "
            f"{elements.kind} a label, for instance 'unknown'."
        )
    try:
        hash(label)
    except TypeError:
        raise InputError(
            f"{elements.describe(number)}: the label {shorten(label)} of type "
            f"{type(label).__name__} is not hashable; use a number, a string or a tuple."
        ) from None
    return label  # type: ignore[no-any-return]


def _prefix(kind: str) -> str:
    """Return the word before "labels" and "attributes" in messages."""
    return "" if kind == "node" else f"{kind} "


def _join_attributes(
    columns: Sequence[Any], elements: _Elements, offsets: _Offsets
) -> FloatArray | None:
    kind, what = elements.kind, f"{elements.kind} attributes"
    present = all_or_none(columns, elements.sizes, what, offsets.part)
    if present is None:
        return None
    blocks = [
        (number, _as_matrix(values, elements.sizes[number], offsets.part(number), kind))
        for number, values in present
    ]
    joined = join_attributes(blocks, offsets.part, what)
    finite = np.isfinite(joined)
    if not finite.all():
        number, column = np.unravel_index(np.argmin(finite), finite.shape)
        raise InputError(
            f"{elements.describe(int(number))}: attribute {column} is "
            f"{joined[number, column]}; attributes must be finite. Impute or drop it first."
        )
    return joined


def _as_matrix(attributes: Any, size: int, graph: str, kind: str) -> FloatArray:
    """Check the shape of the attributes of one part; finiteness is checked later."""
    matrix = as_floats(attributes, f"{graph}: {kind} attributes")
    if matrix.ndim == 1:
        matrix = matrix.reshape(-1, 1)
    if matrix.ndim != 2 or len(matrix) != size:
        raise InputError(
            f"{graph} has {_prefix(kind)}attributes of shape {matrix.shape} for {size} "
            f"{kind}s; give one row per {kind}."
        )
    return matrix


def as_floats(values: Any, what: str) -> FloatArray:
    """Copy numbers to a float64 array; raise if the values are not numbers."""
    try:
        array = np.array(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except OverflowError:
        raise InputError(
            f"{what} must be within the range of float64 (1.8e308), got {shorten(values)}."
        ) from None
    except (TypeError, ValueError, RecursionError, RuntimeError):
        pass  # ragged, not numeric, or a tensor that numpy cannot read: raise below
    raise InputError(
        f"{what} must be numbers in rows of equal length, got {shorten(values)}."
    )


def _as_names(names: Sequence[Hashable] | NameArray | None) -> NameArray | None:
    if names is None or (isinstance(names, np.ndarray) and names.dtype.kind != "O"):
        return names
    return name_array(names)


def _join(arrays: list[Any], dtype: type) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate([*arrays, np.empty(0, dtype=dtype)])
