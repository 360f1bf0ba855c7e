"""Conversion of edge tables of pandas or pyarrow, with one edge per row."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gskn._optional import comes_from
from gskn._types import AnyArray, IndexArray, NameArray
from gskn._validation import shorten
from gskn.exceptions import GsknWarning, InputError, describe_error, one_line
from gskn.graphs._assemble import GraphParts, as_floats
from gskn.graphs._columns import as_python
from gskn.graphs._options import AUTO, AttributeKeys, ReadOptions

# Errors of pyarrow for types and values that it cannot convert.
_ARROW_ERRORS = (pa.ArrowException, ValueError, OverflowError)

EDGE_LABEL, EDGE_ATTRIBUTES = "edge_label", "edge_attributes"  # default columns
_MAX_DEPTH = 8  # levels of nested lists in a column of objects


def is_table(value: object) -> bool:
    """Return whether an object is a pandas DataFrame or a pyarrow Table."""
    return isinstance(value, pa.Table | pa.RecordBatch) or (
        comes_from(value, "pandas") and hasattr(value, "columns")
    )


def from_table(table: Any, options: ReadOptions) -> GraphParts:
    """Read a table of edges and an optional table of nodes, without a Python loop.

    Graphs, and the nodes within a graph, are sorted by id, so the order of the rows does
    not matter. A table without a graph column is one graph. Edges are undirected unless
    ``directed=True``.
    """
    edges = _as_arrow(table, "edge table")
    nodes = None if options.nodes is None else _as_arrow(options.nodes, "node table")
    check_edge_columns(edges.column_names, options, stacklevel=4)  # the caller of as_batch
    graph_key, source_key, target_key = options.columns
    grouped = graph_key in edges.column_names
    source, target = (as_ids(edges, key, "edge") for key in (source_key, target_key))
    node_ids = source.slice(0, 0) if nodes is None else as_ids(nodes, "node", "node")
    ids, id_values = _factorize([source, target, node_ids])
    graphs, graph_values = _group(edges, nodes, graph_key, grouped=grouped)
    n_edges = len(source)

    # One number per pair of graph and node, ordered by graph, then by node.
    owner = np.concatenate([graphs[:n_edges], graphs[:n_edges], graphs[n_edges:]])
    key = owner * max(len(id_values), 1) + ids
    distinct, positions = np.unique(key, return_inverse=True)
    node_graphs, node_numbers = np.divmod(distinct, max(len(id_values), 1))
    node_names = id_values[node_numbers]
    listed = positions[2 * n_edges :]
    if nodes is not None:
        _check_nodes(listed, node_names)
    weight_key = _weight_key(edges.column_names, options)
    return GraphParts(
        np.bincount(node_graphs, minlength=len(graph_values)),
        positions[:n_edges],
        positions[n_edges : 2 * n_edges],
        weight=None if weight_key is None else _numbers(edges, weight_key, "edge"),
        labels=_labels(nodes, options, listed),
        attributes=_attributes(nodes, options, listed),
        node_names=node_names,
        graph_names=graph_values if grouped else None,
        directed=options.is_directed(default=False),
        edge_labels=_edge_labels(edges, options),
        edge_attributes=_edge_attributes(edges, options),
    )


def check_edge_columns(
    names: Sequence[str], options: ReadOptions, *, stacklevel: int
) -> list[str]:
    """Return the columns of an edge table to read; raise if one is missing.

    Warn if the name of a column differs from ``weight`` only in case.
    """
    if len(set(names)) < len(names):
        raise InputError("The edge table has two columns with the same name; rename one.")
    for key in options.columns[1:]:
        _check_column(names, key, "edge")
    weight_key = _weight_key(names, options)
    alike = [name for name in names if name.lower() == "weight"]
    if options.edge_weight == AUTO and weight_key is None and alike:
        warnings.warn(
            f"The column {one_line(repr(alike[0]))} is not read as edge weight; rename it "
            "to 'weight', or pass edge_weight.",
            GsknWarning,
            stacklevel=stacklevel,
        )
    data_keys = edge_data_columns(names, options)
    for key in data_keys:
        _check_column(names, key, "edge")
    return [name for name in names if name in {*options.columns, weight_key, *data_keys}]


def edge_data_columns(names: Sequence[str], options: ReadOptions) -> list[str]:
    """Return the columns of edge labels and edge attributes to read."""
    keys = [_edge_label_key(names, options), *_edge_attribute_keys(names, options)]
    return [key for key in keys if key is not None]


def as_ids(table: pa.Table, key: str, kind: str) -> pa.ChunkedArray:
    """Return a column of ids like `as_column`; all integers are int64."""
    column = as_column(table, key, kind)
    if pa.types.is_nested(column.type):
        raise InputError(
            f"Column {key!r} has the nested type {column.type}; use numbers or text."
        )
    with _column_errors(key, column.type):
        if pa.types.is_integer(column.type):
            if pa.types.is_uint64(column.type) and _exceeds_int64(column):
                raise InputError("An id is at least 2^63; convert such ids to text.")
            column = column.cast(pa.int64())
        elif pa.types.is_string(column.type):
            column = column.cast(pa.large_string())
        _factorize([column.slice(0, 1)])  # raises if ids of this type cannot be sorted
    return column


def as_column(table: pa.Table, key: str, kind: str) -> pa.ChunkedArray:
    """Return a column of plain values; raise if it does not exist or has missing values."""
    _check_column(table.column_names, key, kind)
    column = table[key]
    with _column_errors(key, column.type):
        column.validate(full=True)
        column = _as_plain(column)
        missing = column.null_count
        if pa.types.is_floating(column.type):
            missing += pc.sum(pc.is_nan(column)).as_py() or 0
    if missing:
        row = int(np.argmax(column.is_null(nan_is_null=True).to_numpy()))
        raise InputError(
            f"The {kind} table has no {key!r} in row {row}; add it or remove the row."
        )
    return column


def encode(column: pa.ChunkedArray) -> tuple[IndexArray, pa.Array]:
    """Return the code of every row, and the values of the codes."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64, copy=False), encoded.dictionary


def _as_arrow(table: Any, name: str) -> pa.Table:
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif not is_table(table):
        raise InputError(
            f"The {name} must be a pandas or pyarrow table, got {shorten(table)}."
        )
    elif not isinstance(table, pa.Table):
        _check_objects(table, name)
        try:
            table = pa.Table.from_pandas(table, preserve_index=False)
        except (*_ARROW_ERRORS, TypeError, AttributeError) as error:
            raise InputError(
                f"The {name} cannot be read: {describe_error(error)}. Every column needs a "
                "unique name and one type, text or of up to 64 bits, and must be dense."
            ) from error
    if len(set(table.column_names)) < len(table.column_names):
        raise InputError(f"The {name} has two columns with the same name; rename one.")
    return table


def _check_objects(table: Any, name: str) -> None:
    """Raise if a pandas column contains Python objects for which pyarrow aborts."""
    for number, dtype in enumerate(table.dtypes):
        if dtype.kind == "O" and _is_unsafe(table.iloc[:, number], _MAX_DEPTH):
            column = shorten(table.columns[number])
            raise InputError(
                f"The {name} has lists of more than {_MAX_DEPTH} levels, or dates among "
                f"numbers, in column {column}; use numbers, text or lists of numbers."
            )


def _is_unsafe(values: Iterable[object], levels: int) -> bool:
    """Return whether values are nested too deeply or mix dates with numpy numbers."""
    values = list(values)
    types = {*map(type, values)}
    others = types - {np.datetime64}
    if others != types and any(issubclass(other, np.generic) for other in others):
        return True
    nested = [value for value in values if isinstance(value, list | tuple | dict)]
    return bool(nested) and (
        not levels
        or any(
            _is_unsafe(value.values() if isinstance(value, dict) else value, levels - 1)
            for value in nested
        )
    )


def _check_column(names: Sequence[str], key: str, kind: str) -> None:
    if key not in names:
        listed = ", ".join(map(shorten, names[:20])) or "none"
        raise InputError(
            f"The {kind} table has no column {key!r}. Existing columns: {listed}. "
            "Pass their names as columns=(graph, source, target)."
        )


def _weight_key(names: Sequence[str], options: ReadOptions) -> str | None:
    if options.edge_weight != AUTO:
        return options.edge_weight
    return "weight" if "weight" in names else None


@contextmanager
def _column_errors(key: str, dtype: pa.DataType) -> Iterator[None]:
    """Replace errors of pyarrow about the type of a column by InputError."""
    try:
        yield
    except InputError:
        raise
    except _ARROW_ERRORS as error:
        raise InputError(
            f"Column {key!r} of type {dtype} cannot be read: {describe_error(error)}. "
            "Convert it to numbers or text."
        ) from error


def _as_plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decode dictionaries, runs, views and extensions, and widen half precision."""
    dtype = column.type
    if isinstance(dtype, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in column.chunks]
        return _as_plain(pa.chunked_array(chunks, dtype.storage_type))
    if pa.types.is_dictionary(dtype):
        return _as_plain(column.cast(dtype.value_type))
    if pa.types.is_run_end_encoded(dtype):
        return _as_plain(pc.run_end_decode(column))
    if pa.types.is_float16(dtype):
        return pa.chunked_array([column.to_numpy().astype(np.float64)])
    wider = _wider_type(dtype)
    return column if wider is None else column.cast(wider)


def _wider_type(dtype: pa.DataType) -> pa.DataType | None:
    """Return a type that can be sorted and converted, if ``dtype`` cannot."""
    # Times of Python have no nanoseconds.
    if pa.types.is_string_view(dtype) or dtype == pa.time64("ns"):
        return pa.large_string()
    if pa.types.is_binary_view(dtype):
        return pa.large_binary()
    if pa.types.is_decimal(dtype) and dtype.bit_width < 128:
        return pa.decimal128(dtype.precision, dtype.scale)
    return None


def _exceeds_int64(column: pa.ChunkedArray) -> bool:
    largest = pc.max(column).as_py()
    return largest is not None and largest >= 2**63


def _factorize(columns: list[pa.ChunkedArray]) -> tuple[IndexArray, AnyArray]:
    """Replace values by their rank, over several columns of one type."""
    columns = [column for column in columns if len(column)]
    types = {column.type for column in columns}
    if len(types) > 1:
        listed = " and ".join(sorted(map(str, types)))
        raise InputError(
            f"Ids of nodes or graphs have the types {listed}; convert them to one type."
        )
    if not columns:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    chunks = [chunk for column in columns for chunk in column.chunks]
    codes, values = encode(pa.chunked_array(chunks))
    order = pc.array_sort_indices(values).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], values.take(pa.array(order)).to_numpy(zero_copy_only=False)


def _group(
    edges: pa.Table, nodes: pa.Table | None, key: str, *, grouped: bool
) -> tuple[IndexArray, AnyArray]:
    """Return the number of the graph of every edge, then of every listed node."""
    if not grouped:
        n_rows = len(edges) + (0 if nodes is None else len(nodes))
        return np.zeros(n_rows, dtype=np.int64), np.zeros(1, dtype=np.int64)
    columns = [as_ids(edges, key, "edge")]
    if nodes is not None:
        columns.append(as_ids(nodes, key, "node"))
    return _factorize(columns)


def _check_nodes(listed: IndexArray, names: NameArray) -> None:
    n_nodes = len(names)
    counts = np.bincount(listed, minlength=n_nodes)
    if counts.max(initial=1) > 1:
        node = as_python(names[int(np.argmax(counts > 1))])
        raise InputError(
            f"The node table contains node {shorten(node)} twice; keep one row."
        )
    if len(listed) < n_nodes:
        raise InputError(
            f"The node table has {len(listed)} nodes, but the edges have "
            f"{n_nodes - len(listed)} more; add them to the node table."
        )


def _labels(
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray
) -> AnyArray | None:
    key = options.node_label
    if nodes is None or key is None or _is_absent(nodes, key, "label"):
        return None
    key = "label" if key == AUTO else key
    column = as_column(nodes, key, "node")
    with _column_errors(key, column.type):
        labels = column.to_numpy()
    return _in_order(labels, listed)


# The default columns are not `label` and `attributes`: in a table with one row per edge, a
# column `label` may be the class of the graph.
def _edge_label_key(names: Sequence[str], options: ReadOptions) -> str | None:
    if options.edge_label != AUTO:
        return options.edge_label
    return EDGE_LABEL if EDGE_LABEL in names else None


def _edge_attribute_keys(names: Sequence[str], options: ReadOptions) -> list[str]:
    keys = options.edge_attributes
    if keys == AUTO:
        return [EDGE_ATTRIBUTES] if EDGE_ATTRIBUTES in names else []
    if keys is None:
        return []
    return [keys] if isinstance(keys, str) else list(keys)


def _edge_labels(edges: pa.Table, options: ReadOptions) -> AnyArray | None:
    key = _edge_label_key(edges.column_names, options)
    if key is None:
        return None
    column = as_column(edges, key, "edge")
    with _column_errors(key, column.type):
        labels: AnyArray = column.to_numpy()
    return labels


def _edge_attributes(edges: pa.Table, options: ReadOptions) -> AnyArray | None:
    keys = _edge_attribute_keys(edges.column_names, options)
    if not keys:
        return None
    return np.column_stack([_numbers(edges, key, "edge") for key in keys])


def _attributes(
    nodes: pa.Table | None, options: ReadOptions, listed: IndexArray
) -> AnyArray | None:
    keys = options.node_attributes
    if nodes is None or keys is None or _is_absent(nodes, keys, "attributes"):
        return None
    keys = "attributes" if keys == AUTO else keys
    keys = [keys] if isinstance(keys, str) else keys
    blocks = [_numbers(nodes, key, "node") for key in keys]
    return _in_order(np.column_stack(blocks), listed)


def _is_absent(nodes: pa.Table, keys: AttributeKeys, default: str) -> bool:
    """Return whether the key is "auto" and the table has no column of that name."""
    return keys == AUTO and default not in nodes.column_names


def _in_order(values: AnyArray, listed: IndexArray) -> AnyArray:
    """Reorder values from the order of the node table to the order of nodes."""
    ordered = np.empty_like(values)
    ordered[listed] = values
    return ordered


def _numbers(table: pa.Table, key: str, kind: str) -> AnyArray:
    """Read a column of numbers, or of lists of numbers of equal length."""
    column = as_column(table, key, kind)
    if pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        with _column_errors(key, column.type):
            return as_floats(column.to_pylist(), f"Column {key!r} of the {kind} table")
    try:
        numbers: AnyArray = column.cast(pa.float64(), safe=False).to_numpy()
    except pa.ArrowException:
        raise InputError(
            f"Column {key!r} of the {kind} table must contain numbers, got {column.type}."
        ) from None
    return numbers
