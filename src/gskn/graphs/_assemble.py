"""Validation of all input: unchecked arrays become a GraphBatch.

Every converter describes its graphs as `GraphParts` and calls `assemble`, so each rule
about graphs and each message is written once:

- an edge listed several times is one edge; its weights, if any, add up;
- a pair that an undirected source lists in both directions is one edge, with the
  larger of the two weights;
- an edge of weight zero is not an edge; negative, infinite and NaN weights raise;
- labels and attributes are in all graphs that have nodes, or in none.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
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
    all_or_none,
    join_attributes,
    join_names,
    name_array,
    sort_values,
)
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
    """

    graph_sizes: Sequence[int] | IndexArray
    source: Any
    target: Any
    weight: Any = None
    labels: Sequence[Any] | AnyArray | None = None
    attributes: Any = None
    node_names: Sequence[Hashable] | NameArray | None = None
    graph_names: Sequence[Hashable] | NameArray | None = None
    directed: bool = True
    owned: bool = False


def assemble(parts: Sequence[GraphParts]) -> GraphBatch:
    """Validate graphs and join them into one batch."""
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
    labels, label_values = _join_labels(parts, offsets)
    return GraphBatch(
        adjacency,
        offsets.graph_ptr,
        labels,
        label_values,
        _join_attributes(parts, offsets),
        join_names(
            [_as_names(part.graph_names) for part in parts],
            np.split(np.arange(len(offsets.graph_ptr) - 1), offsets.part_graphs[1:-1])
            if parts
            else [],
        ),
        join_names(
            [_as_names(part.node_names) for part in parts],
            [positions_within(part.graph_sizes) for part in parts],
        ),
    )


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
        source = _as_ends(part.source, end - first, offsets.part(number))
        target = _as_ends(part.target, end - first, offsets.part(number))
        if len(source) != len(target):
            raise InputError(
                f"{offsets.part(number)} has {len(source)} edge sources but "
                f"{len(target)} targets; every edge needs one of each."
            )
        # Adding 0 would copy the edges of a large set, which is one part.
        sources.append(source + np.int32(first) if first else source)
        targets.append(target + np.int32(first) if first else target)
    return _join(sources, np.int32), _join(targets, np.int32)


def _as_ends(ends: Any, n_nodes: int, graph: str) -> NodeArray:
    """Check the nodes at one end of the edges of a part."""
    ends = np.asarray(ends)
    if ends.ndim != 1:
        raise InputError(
            f"{graph}: the nodes of edges have shape {ends.shape}; give one number per "
            "edge."
        )
    if not ends.size:
        return np.empty(0, dtype=np.int32)
    if ends.dtype.kind not in "iu":
        raise InputError(
            f"{graph}: nodes of edges must be integers, got {shorten(ends[0])}; "
            "number the nodes from 0."
        )
    if ends.min() < 0 or ends.max() >= n_nodes:
        wrong = ends[(ends < 0) | (ends >= n_nodes)][0]
        raise InputError(
            f"{graph} has an edge at node {wrong}, but only {n_nodes} nodes, counted from "
            "0; correct the edge or add the node."
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
    mirrored: BoolArray | None = None  # nodes whose edges go both ways
    if undirected.any():
        mirrored = np.repeat(undirected, np.diff(offsets.graph_ptr))
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
    parts: Sequence[GraphParts], offsets: _Offsets
) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
    columns = all_or_none(
        [part.labels for part in parts], offsets.part_sizes, "node labels", offsets.part
    )
    if columns is None:
        return None, ()
    part_sizes = offsets.part_sizes
    for number, labels in columns:
        n_nodes = part_sizes[number]
        if len(labels) != n_nodes:
            raise InputError(
                f"{offsets.part(number)} has {len(labels)} labels for {n_nodes} nodes; "
                "give one label per node."
            )
    arrays = [np.asarray(labels) for _, labels in columns if _is_plain_array(labels)]
    kinds = {array.dtype.kind for array in arrays}
    if len(arrays) == len(columns) and len(kinds) == 1:
        values, numbers = np.unique(np.concatenate(arrays), return_inverse=True)
        return numbers.astype(np.int64, copy=False), tuple(values.tolist())
    plain = [
        _as_label(label, node, offsets)
        for node, label in enumerate(chain.from_iterable(labels for _, labels in columns))
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


def _as_label(label: Any, node: int, offsets: _Offsets) -> Hashable:
    """Convert lists and arrays to tuples and numpy scalars to Python; check the hash."""
    if isinstance(label, np.ndarray | np.generic):
        label = label.tolist()
    if isinstance(label, list):
        try:
            label = tuple(_as_label(item, node, offsets) for item in label)
        except RecursionError:
            raise InputError(
                f"{offsets.node(node)}: the label is nested too deep."
            ) from None
    if label is None or (isinstance(label, float) and np.isnan(label)):
        raise InputError(
            f"{offsets.node(node)}: the label is {label}; give every node a label, for "
            "instance 'unknown'."
        )
    try:
        hash(label)
    except TypeError:
        raise InputError(
            f"{offsets.node(node)}: the label {shorten(label)} of type "
            f"{type(label).__name__} is not hashable; use a number, a string or a tuple."
        ) from None
    return label  # type: ignore[no-any-return]


def _join_attributes(parts: Sequence[GraphParts], offsets: _Offsets) -> FloatArray | None:
    part_sizes = offsets.part_sizes
    columns = all_or_none(
        [part.attributes for part in parts], part_sizes, "node attributes", offsets.part
    )
    if columns is None:
        return None
    blocks = [
        (number, _as_matrix(values, part_sizes[number], offsets.part(number)))
        for number, values in columns
    ]
    joined = join_attributes(blocks, offsets.part)
    finite = np.isfinite(joined)
    if not finite.all():
        node, column = np.unravel_index(np.argmin(finite), finite.shape)
        raise InputError(
            f"{offsets.node(int(node))}: attribute {column} is {joined[node, column]}; "
            "attributes must be finite. Impute or drop it first."
        )
    return joined


def _as_matrix(attributes: Any, n_nodes: int, graph: str) -> FloatArray:
    """Check the shape of the attributes of one part; finiteness is checked later."""
    matrix = as_floats(attributes, f"{graph}: node attributes")
    if matrix.ndim == 1:
        matrix = matrix.reshape(-1, 1)
    if matrix.ndim != 2 or len(matrix) != n_nodes:
        raise InputError(
            f"{graph} has attributes of shape {matrix.shape} for {n_nodes} nodes; "
            "give one row per node."
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
