"""Edge tables of pandas or pyarrow, one row an edge, as parts of a batch."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gskn._optional import comes_from
from gskn._types import AnyArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import AUTO, ReadOptions


def is_table(value: object) -> bool:
    """Tell whether an object is a pandas DataFrame or a pyarrow Table."""
    return isinstance(value, pa.Table | pa.RecordBatch) or (
        comes_from(value, "pandas") and hasattr(value, "columns")
    )


def from_table(table: Any, options: ReadOptions) -> GraphParts:
    """Read edges, and nodes if a table of them is given, without a Python loop.

    Graphs, and the nodes within a graph, are sorted by their ids, so the order of the
    rows does not matter. Without a graph column, the table is one graph. Edges are
    undirected unless ``directed=True``.
    """
    edges = _as_arrow(table)
    nodes = None if options.nodes is None else _as_arrow(options.nodes)
    graph_key, source_key, target_key = options.columns
    grouped = graph_key in edges.column_names
    source, target = (_column(edges, key, "edge") for key in (source_key, target_key))
    node_ids = _column(nodes, "node", "node") if nodes is not None else source.slice(0, 0)
    ids, id_values = _factorize([source, target, node_ids])
    graphs, graph_values = _group(edges, nodes, graph_key, grouped=grouped)
    n_edges, n_listed = len(source), len(node_ids)

    # One number per (graph, node) pair, in the order of graphs, then of nodes.
    owner = np.concatenate([graphs[:n_edges], graphs[:n_edges], graphs[n_edges:]])
    key = owner * max(len(id_values), 1) + ids
    distinct, positions = np.unique(key, return_inverse=True)
    node_graphs = distinct // max(len(id_values), 1)
    listed = positions[2 * n_edges :]
    if nodes is not None:
        _check_nodes(listed, len(distinct), node_ids)
    weight_key = options.edge_weight
    if weight_key == AUTO:
        weight_key = "weight" if "weight" in edges.column_names else None
    return GraphParts(
        np.bincount(node_graphs, minlength=len(graph_values)),
        positions[:n_edges],
        positions[n_edges : 2 * n_edges],
        weight=None if weight_key is None else _numbers(edges, weight_key, "edge"),
        labels=_labels(nodes, options, listed, n_listed),
        attributes=_attributes(nodes, options, listed),
        node_names=id_values[distinct % max(len(id_values), 1)],
        graph_names=graph_values if grouped else None,
        directed=options.is_directed(custom=False),
    )


def _as_arrow(table: Any) -> pa.Table:
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        return table
    try:
        return pa.Table.from_pandas(table, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(
            f"The table has a column of mixed types: {error}. Give each column one type."
        ) from error


def _column(table: pa.Table, key: str, kind: str) -> pa.ChunkedArray:
    if key not in table.column_names:
        found = ", ".join(map(repr, table.column_names)) or "none"
        raise InputError(
            f"The {kind} table has no column {key!r}; columns found: {found}. "
            "Name them with columns=(graph, source, target)."
        )
    column = table[key]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    missing = column.null_count
    if pa.types.is_floating(column.type):
        missing += pc.sum(pc.is_nan(column)).as_py() or 0
    if missing:
        row = int(np.argmax(column.is_null(nan_is_null=True).to_numpy()))
        raise InputError(
            f"The {kind} table has no {key!r} in row {row}; fill it or drop the row."
        )
    return column


def _factorize(columns: list[pa.ChunkedArray]) -> tuple[IndexArray, AnyArray]:
    """Replace values by their rank, over several columns of one type."""
    types = {column.type for column in columns if len(column)}
    if len(types) > 1 and not all(map(pa.types.is_integer, types)):
        listed = " and ".join(sorted(map(str, types)))
        raise InputError(
            f"Ids of nodes or graphs are of types {listed}; give them one type."
        )
    arrays = [column.to_numpy() for column in columns if len(column)]
    if not arrays:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    joined = np.concatenate(arrays)
    if joined.dtype == object:  # strings: numpy sorts fixed-width text far faster
        joined = joined.astype(np.str_)
    values, numbers = np.unique(joined, return_inverse=True)
    return numbers, values


def _group(
    edges: pa.Table, nodes: pa.Table | None, key: str, *, grouped: bool
) -> tuple[IndexArray, AnyArray]:
    """Find the number of the graph of every edge, then of every listed node."""
    if not grouped:
        n_rows = len(edges) + (0 if nodes is None else len(nodes))
        return np.zeros(n_rows, dtype=np.int64), np.zeros(1, dtype=np.int64)
    columns = [_column(edges, key, "edge")]
    if nodes is not None:
        columns.append(_column(nodes, key, "node"))
    return _factorize(columns)


def _check_nodes(listed: IndexArray, n_nodes: int, ids: pa.ChunkedArray) -> None:
    counts = np.bincount(listed, minlength=n_nodes)
    if counts.max(initial=1) > 1:
        row = int(np.argmax(counts[listed] > 1))
        raise InputError(
            f"The node table lists node {ids[row].as_py()!r} twice; keep one row."
        )
    if len(listed) < n_nodes:
        raise InputError(
            f"The node table lists {len(listed)} nodes, but the edges use "
            f"{n_nodes - len(listed)} more; list every node."
        )


def _labels(
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray, n_listed: int
) -> AnyArray | None:
    key = options.node_label
    if nodes is None or key is None or (key == AUTO and "label" not in nodes.column_names):
        return None
    values = _column(nodes, "label" if key == AUTO else key, "node").to_numpy()
    if values.dtype == object and all(isinstance(value, str) for value in values):
        values = values.astype(np.str_)
    ordered = np.empty(n_listed, dtype=values.dtype)
    ordered[listed] = values
    return ordered


def _attributes(
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray
) -> AnyArray | None:
    keys = options.node_attributes
    if nodes is None or keys is None or keys == AUTO:
        return None
    keys = [keys] if isinstance(keys, str) else keys
    rows = np.column_stack([_numbers(nodes, key, "node") for key in keys])
    ordered = np.empty_like(rows)
    ordered[listed] = rows
    return ordered


def _numbers(table: pa.Table, key: str, kind: str) -> AnyArray:
    column = _column(table, key, kind)
    try:
        numbers: AnyArray = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"Column {key!r} of the {kind} table must hold numbers, got {column.type}."
        ) from None
    return numbers
