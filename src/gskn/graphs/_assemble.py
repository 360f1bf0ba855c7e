"""Validation of all input: arrays of unknown quality become a GraphBatch.

Every converter describes its graphs as `GraphParts` and ends in `assemble`, so each rule
about graphs and each message is written once:

- an edge listed several times is one edge; given weights add up;
- a pair that an undirected source lists in both directions is one edge, with the
  larger of the two weights;
- an edge of weight zero is not an edge; negative, infinite and NaN weights raise;
- labels and attributes are in all graphs that have nodes, or in none.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

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
from gskn.graphs._batch import GraphBatch, join_names, name_array, sort_values
from gskn.graphs._sparse import make_csr

MAX_NODES = int(np.iinfo(np.int32).max)


@dataclass(frozen=True)
class GraphParts:
    """One graph, or several from one source, before any check.

    ``source`` and ``target`` count the nodes of this part from 0. ``graph_sizes`` holds
    the number of nodes of each graph. ``labels`` and ``attributes`` are for all nodes, or
    None. ``owned`` is True if nobody else uses the arrays, so that they need no copy.
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
    """Check graphs and put them side by side in one batch."""
    where = _Where.of(parts)
    if where.n_nodes > MAX_NODES:
        raise InputError(
            f"{where.n_nodes} nodes are too many for one batch (at most {MAX_NODES}); "
            "split the graphs over several batches."
        )
    source, target = _join_ends(parts, where)
    weight = _join_weights(parts, where)
    undirected = np.repeat(
        [not part.directed for part in parts], [len(part.graph_sizes) for part in parts]
    ).astype(bool)
    owned = all(part.owned for part in parts)
    adjacency = _make_adjacency(source, target, weight, where, undirected, owned=owned)
    _check_within_graphs(adjacency, where)
    labels, label_values = _join_labels(parts, where)
    return GraphBatch(
        adjacency,
        where.graph_ptr,
        labels,
        label_values,
        _join_attributes(parts, where),
        join_names(
            [_as_names(part.graph_names) for part in parts],
            np.split(np.arange(len(where.graph_ptr) - 1), where.part_graphs[1:-1])
            if parts
            else [],
        ),
        join_names(
            [_as_names(part.node_names) for part in parts],
            [positions_within(part.graph_sizes) for part in parts],
        ),
    )


@dataclass(frozen=True)
class _Where:
    """First nodes of graphs and parts, to name nodes in messages by their graph."""

    graph_ptr: IndexArray  # first node of every graph
    part_ptr: IndexArray  # first node of every part
    part_graphs: IndexArray  # first graph of every part

    @staticmethod
    def of(parts: Sequence[GraphParts]) -> "_Where":
        sizes = [_as_sizes(part.graph_sizes) for part in parts]
        return _Where(
            running_total(np.concatenate([*sizes, np.empty(0, dtype=np.int64)])),
            running_total([part_sizes.sum() for part_sizes in sizes]),
            running_total([len(part_sizes) for part_sizes in sizes]),
        )

    @property
    def n_nodes(self) -> int:
        return int(self.graph_ptr[-1])

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
            f"A graph has {array[wrong][0]} nodes, too few or too many (at most "
            f"{MAX_NODES})."
        )
    return array.astype(np.int64, copy=False)


def _join_ends(parts: Sequence[GraphParts], where: _Where) -> tuple[NodeArray, NodeArray]:
    sources, targets = [], []
    for number, part in enumerate(parts):
        first, end = where.part_ptr[number : number + 2]
        source = _as_ends(part.source, end - first, where.part(number))
        target = _as_ends(part.target, end - first, where.part(number))
        if len(source) != len(target):
            raise InputError(
                f"{where.part(number)} has {len(source)} edge sources but "
                f"{len(target)} targets; every edge needs one of each."
            )
        # Adding 0 would copy the edges; those of a large set are one part.
        sources.append(source + np.int32(first) if first else source)
        targets.append(target + np.int32(first) if first else target)
    return _join(sources, np.int32), _join(targets, np.int32)


def _as_ends(ends: Any, n_nodes: int, graph: str) -> NodeArray:
    """Check the nodes at one end of the edges of a part."""
    ends = np.asarray(ends)
    if ends.ndim != 1:
        raise InputError(
            f"{graph}: edge ends have shape {ends.shape}; give one number per edge."
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
            f"{graph} has an edge at node {wrong}, but its {n_nodes} nodes are counted "
            "from 0; correct the edge or add the node."
        )
    narrow: NodeArray = ends.astype(np.int32, copy=False)
    return narrow


def _join_weights(parts: Sequence[GraphParts], where: _Where) -> FloatArray | None:
    if all(part.weight is None for part in parts):
        return None
    weights = []
    for number, part in enumerate(parts):
        if part.weight is None:
            weights.append(_ones_for_first(part))
            continue
        weight = as_floats(part.weight, f"{where.part(number)}: edge weights")
        if weight.shape != (len(part.source),):
            raise InputError(
                f"{where.part(number)} has {weight.size} weights for "
                f"{len(part.source)} edges; give one number per edge."
            )
        _check_weight(weight, part, where.part_ptr[number], where)
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


def _check_weight(weight: FloatArray, part: GraphParts, first: int, where: _Where) -> None:
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        edge = int(np.argmax(wrong))
        source, target = int(part.source[edge]), int(part.target[edge])
        graph = where.graph(first + source)
        shift = first - where.graph_ptr[graph]
        raise InputError(
            f"Graph {graph}: the edge from node {source + shift} to node "
            f"{target + shift} has weight {weight[edge]}; weights must be finite and "
            "not negative. Correct them, or read the graphs with edge_weight=None."
        )


def _make_adjacency(
    source: NodeArray,
    target: NodeArray,
    weight: FloatArray | None,
    where: _Where,
    undirected: BoolArray,
    *,
    owned: bool,
) -> csr_array:
    mirrored: BoolArray | None = None  # nodes whose edges go both ways
    if undirected.any():
        mirrored = np.repeat(undirected, np.diff(where.graph_ptr))
    if weight is None:
        if mirrored is not None:
            both = mirrored[source]
            source, target = (
                np.concatenate([source, target[both]]),
                np.concatenate([target, source[both]]),
            )
        return _unweighted_csr(source, target, where.n_nodes, owned=owned)
    shape = (where.n_nodes, where.n_nodes)
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
    # Files of benchmark sets are sorted; to check this is cheaper than to sort again.
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


def _check_within_graphs(matrix: csr_array, where: _Where) -> None:
    """Raise if an edge connects two graphs: columns must be in the block of their row."""
    n_nodes = where.n_nodes
    filled = np.flatnonzero(np.diff(matrix.indptr))
    # Columns are sorted, so the first and the last of a row are enough.
    lowest = matrix.indices[matrix.indptr[filled]]
    highest = matrix.indices[matrix.indptr[filled + 1] - 1]
    owner = np.repeat(np.arange(len(where.graph_ptr) - 1), np.diff(where.graph_ptr))
    first, end = where.graph_ptr[owner[filled]], where.graph_ptr[owner[filled] + 1]
    crossing = (lowest < first) | (highest >= end)
    if n_nodes and crossing.any():
        row = int(np.argmax(crossing))
        ends = (
            int(filled[row]),
            int(lowest[row] if lowest[row] < first[row] else highest[row]),
        )
        raise InputError(
            f"An edge joins node {ends[0]} in graph {where.graph(ends[0])} to node "
            f"{ends[1]} in graph {where.graph(ends[1])} (nodes counted over all graphs); "
            "edges must stay within a graph."
        )


def _join_labels(
    parts: Sequence[GraphParts], where: _Where
) -> tuple[IndexArray | None, tuple[Hashable, ...]]:
    columns = _all_or_none([part.labels for part in parts], "node labels", where)
    if columns is None:
        return None, ()
    for number, labels in columns:
        n_nodes = where.part_ptr[number + 1] - where.part_ptr[number]
        if len(labels) != n_nodes:
            raise InputError(
                f"{where.part(number)} has {len(labels)} labels for {n_nodes} nodes; "
                "give one label per node."
            )
    arrays = [np.asarray(labels) for _, labels in columns if _is_plain_array(labels)]
    kinds = {array.dtype.kind for array in arrays}
    if len(arrays) == len(columns) and len(kinds) == 1:
        values, numbers = np.unique(np.concatenate(arrays), return_inverse=True)
        return numbers.astype(np.int64, copy=False), tuple(values.tolist())
    plain = [
        _as_label(label, node, where)
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


def _as_label(label: Any, node: int, where: _Where) -> Hashable:
    """Convert lists and arrays to tuples and numpy scalars to Python; check the hash."""
    if isinstance(label, np.ndarray | np.generic):
        label = label.tolist()
    if isinstance(label, list):
        try:
            label = tuple(_as_label(item, node, where) for item in label)
        except RecursionError:
            raise InputError(f"{where.node(node)}: the label is nested too deep.") from None
    if label is None or (isinstance(label, float) and np.isnan(label)):
        raise InputError(
            f"{where.node(node)}: the label is {label}; give the node a label, "
            "for instance 'unknown'."
        )
    try:
        hash(label)
    except TypeError:
        raise InputError(
            f"{where.node(node)}: the label {shorten(label)} of type "
            f"{type(label).__name__} is not hashable; use a number, a string or a tuple."
        ) from None
    return label  # type: ignore[no-any-return]


def _join_attributes(parts: Sequence[GraphParts], where: _Where) -> FloatArray | None:
    columns = _all_or_none([part.attributes for part in parts], "node attributes", where)
    if columns is None:
        return None
    blocks = [(number, _as_rows(values, number, where)) for number, values in columns]
    first, width = blocks[0][0], blocks[0][1].shape[1]
    for number, rows in blocks:
        if rows.shape[1] != width:
            raise InputError(
                f"{where.part(number)} has {rows.shape[1]} attributes a node, but "
                f"{where.part(first).lower()} has {width}; give all the same attributes."
            )
    joined = np.concatenate([rows for _, rows in blocks])
    finite = np.isfinite(joined)
    if not finite.all():
        node, column = np.unravel_index(np.argmin(finite), finite.shape)
        raise InputError(
            f"{where.node(int(node))}: attribute {column} is {joined[node, column]}; "
            "attributes must be finite. Impute or drop it first."
        )
    return joined


def _as_rows(attributes: Any, number: int, where: _Where) -> FloatArray:
    """Check the shape of the attributes of one part; finiteness is checked later."""
    graph = where.part(number)
    rows = as_floats(attributes, f"{graph}: node attributes")
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    n_nodes = where.part_ptr[number + 1] - where.part_ptr[number]
    if rows.ndim != 2 or len(rows) != n_nodes:
        raise InputError(
            f"{graph} has attributes of shape {rows.shape} for {n_nodes} nodes; "
            "give one row per node."
        )
    return rows


def _all_or_none(
    columns: list[Any], what: str, where: _Where
) -> list[tuple[int, Any]] | None:
    """Return the columns of all parts with nodes; raise if only some have one."""
    filled = [number for number, size in enumerate(np.diff(where.part_ptr)) if size]
    # If no part has nodes, an empty table still has a width.
    asked = filled or list(range(len(columns)))
    having = [(number, columns[number]) for number in asked if columns[number] is not None]
    if having and len(having) < len(filled):
        lacking = next(number for number in filled if columns[number] is None)
        raise InputError(
            f"{where.part(lacking)} has no {what}, but {where.part(having[0][0]).lower()} "
            "has; give them to all graphs or to none."
        )
    return having or None


def as_floats(values: Any, what: str) -> FloatArray:
    """Copy numbers to float64, or raise with the value that is not a number."""
    try:
        array = np.array(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except OverflowError:
        raise InputError(
            f"{what} must be within the range of float64 (1.8e308), got {shorten(values)}."
        ) from None
    except (TypeError, ValueError, RecursionError, RuntimeError):
        pass  # ragged or not numbers, or a tensor that numpy cannot read: raised below
    raise InputError(
        f"{what} must be numbers, equally many for each, got {shorten(values)}."
    )


def _as_names(names: Sequence[Hashable] | NameArray | None) -> NameArray | None:
    if names is None or (isinstance(names, np.ndarray) and names.dtype.kind != "O"):
        return names
    return name_array(names)


def _join(arrays: list[Any], dtype: type) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate([*arrays, np.empty(0, dtype=dtype)])
