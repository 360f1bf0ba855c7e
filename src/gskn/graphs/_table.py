"""Edge tables of pandas or pyarrow, one row an edge, as parts of a batch."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gskn._optional import comes_from
from gskn._types import AnyArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs._assemble import GraphParts, as_floats, shorten
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
    edges = _as_arrow(table, "edge table")
    nodes = None if options.nodes is None else _as_arrow(options.nodes, "node table")
    graph_key, source_key, target_key = options.columns
    grouped = graph_key in edges.column_names
    source, target = (as_column(edges, key, "edge") for key in (source_key, target_key))
    node_ids = as_column(nodes, "node", "node") if nodes is not None else source.slice(0, 0)
    ids, id_values = _factorize([source, target, node_ids])
    graphs, graph_values = _group(edges, nodes, graph_key, grouped=grouped)
    n_edges = len(source)

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
        labels=_labels(nodes, options, listed),
        attributes=_attributes(nodes, options, listed),
        node_names=id_values[distinct % max(len(id_values), 1)],
        graph_names=graph_values if grouped else None,
        directed=options.is_directed(custom=False),
    )


def _as_arrow(table: Any, name: str) -> pa.Table:
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif not is_table(table):
        raise InputError(
            f"The {name} must be a pandas or pyarrow table, got {shorten(table)}."
        )
    elif not isinstance(table, pa.Table):
        try:
            table = pa.Table.from_pandas(table, preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"The {name} cannot be read: {reason}. Give every column one name and type."
            ) from error
    if len(set(table.column_names)) < len(table.column_names):
        raise InputError(f"The {name} has two columns of one name; rename one.")
    return table


def as_column(table: pa.Table, key: str, kind: str) -> pa.ChunkedArray:
    """Return a column that must be there, without gaps and as plain values."""
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
    columns = [_plain_type(column) for column in columns if len(column)]
    types = {column.type for column in columns}
    if len(types) > 1:
        listed = " and ".join(sorted(map(str, types)))
        raise InputError(
            f"Ids of nodes or graphs are of types {listed}; give them one type."
        )
    if not columns:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    joined = pa.chunked_array([chunk for column in columns for chunk in column.chunks])
    encoded = joined.combine_chunks().dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    values = encoded.dictionary.take(order).to_numpy(zero_copy_only=False)
    return rank[encoded.indices.to_numpy()], values


def _plain_type(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Bring equal kinds of ids to one type."""
    if pa.types.is_integer(column.type):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise InputError("An id is beyond 2^63; give such ids as text.") from None
    return column.cast(pa.large_string()) if pa.types.is_string(column.type) else column


def _group(
    edges: pa.Table, nodes: pa.Table | None, key: str, *, grouped: bool
) -> tuple[IndexArray, AnyArray]:
    """Find the number of the graph of every edge, then of every listed node."""
    if not grouped:
        n_rows = len(edges) + (0 if nodes is None else len(nodes))
        return np.zeros(n_rows, dtype=np.int64), np.zeros(1, dtype=np.int64)
    columns = [as_column(edges, key, "edge")]
    if nodes is not None:
        columns.append(as_column(nodes, key, "node"))
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
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray
) -> AnyArray | None:
    key = options.node_label
    if nodes is None or key is None:
        return None
    if key == AUTO:
        if "label" not in nodes.column_names:
            return None
        key = "label"
    return _in_order(as_column(nodes, key, "node").to_numpy(), listed)


def _attributes(
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray
) -> AnyArray | None:
    keys = options.node_attributes
    if nodes is None or keys is None:
        return None
    if keys == AUTO:
        if "attributes" not in nodes.column_names:
            return None
        keys = "attributes"
    keys = [keys] if isinstance(keys, str) else keys
    blocks = [_numbers(nodes, key, "node") for key in keys]
    return _in_order(np.column_stack(blocks), listed)


def _in_order(values: AnyArray, listed: IndexArray) -> AnyArray:
    """Move what the node table lists in its own order to the order of the nodes."""
    ordered = np.empty_like(values)
    ordered[listed] = values
    return ordered


def _numbers(table: pa.Table, key: str, kind: str) -> AnyArray:
    """Read a column of numbers, or of lists of numbers, equally many in each."""
    column = as_column(table, key, kind)
    if pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        return as_floats(column.to_pylist(), f"Column {key!r} of the {kind} table")
    try:
        numbers: AnyArray = column.cast(pa.float64(), safe=False).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"Column {key!r} of the {kind} table must hold numbers, got {column.type}."
        ) from None
    return numbers
