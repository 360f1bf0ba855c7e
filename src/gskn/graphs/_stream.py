"""iter_graphs: graphs in chunks of bounded size, from more than fits into memory.

What the graphs are, their order and their names do not depend on the size of the chunks.
"""

from array import array
from collections.abc import Hashable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from gskn._offsets import positions_within, runs_of_graphs
from gskn._types import IndexArray, NameArray
from gskn._validation import check_int
from gskn.exceptions import FileFormatError, InputError, MissingFileError
from gskn.graphs._assemble import assemble
from gskn.graphs._batch import GraphBatch, name_array
from gskn.graphs._folder import Folder
from gskn.graphs._options import ReadOptions
from gskn.graphs._read import find_graph_files, read_graphs, read_one
from gskn.graphs._table import as_column, from_table
from gskn.graphs._tu import find_tu_name

_CHUNK_EDGES = 2**15  # rows of nodes take 64 MB then; larger chunks are no faster
_PARQUET_ERRORS = (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError)


def iter_graphs(
    source: str | Path | GraphBatch, *, chunk_edges: int = _CHUNK_EDGES
) -> Iterator[GraphBatch]:
    """Yield the graphs of a file, a folder or a batch in chunks of bounded size.

    Parameters
    ----------
    source : str, Path or GraphBatch
        Whatever `read_graphs` reads. Two kinds may be larger than memory: a parquet file
        of edges with a column ``graph``, in which the edges of a graph lie together; and
        a folder, which is read file by file. Anything else is read whole, then cut.
    chunk_edges : int, default=32768
        Edges of a chunk, roughly, and unless a graph has more; nodes count as edges. A
        chunk of a table may be larger by the edges of one graph.

    Yields
    ------
    batch : GraphBatch
        All graphs and nodes are named: by whole numbers where the source does so (or
        names nothing, and they are counted), else by text; in a folder always by text,
        for its files may differ. Graphs of a table come in the order of the table.

    Raises
    ------
    FileFormatError
        As from `read_graphs`; also for a graph of a table that comes back after another.

    Examples
    --------
    >>> from gskn import datasets
    >>> from gskn.graphs import iter_graphs
    >>> chunks = iter_graphs(datasets.load("regular").graphs, chunk_edges=2**10)
    >>> [chunk.n_graphs for chunk in chunks]
    [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4]
    """
    check_int(chunk_edges, "chunk_edges", minimum=1)
    if isinstance(source, GraphBatch):
        return _cut(_with_names(source), chunk_edges)
    path = Path(source)
    if not path.exists():
        raise MissingFileError(f"There is no file or folder {str(path)!r}.")
    if not is_streamed(path):
        return _cut(_with_names(read_graphs(path)), chunk_edges)
    return (_iter_folder if path.is_dir() else _iter_parquet)(path, chunk_edges)


def is_streamed(path: str | Path) -> bool:
    """Tell whether `iter_graphs` reads this piece by piece, and not as a whole."""
    path = Path(path)
    if path.is_dir():
        return find_tu_name(Folder(path)) is None
    if path.suffix.lower() != ".parquet":
        return False
    try:
        return ReadOptions().columns[0] in pyarrow.parquet.read_schema(path).names
    except _PARQUET_ERRORS as error:
        raise _not_parquet(path, error) from error


def _cut(batch: GraphBatch, chunk_edges: int) -> Iterator[GraphBatch]:
    """Cut a batch into runs of whole graphs."""
    offsets = batch.graph_ptr + batch.adjacency.indptr[batch.graph_ptr]
    _ = batch.directed  # found out once, for all parts
    return (batch[run] for run in runs_of_graphs(offsets, chunk_edges))


# --- folders ----------------------------------------------------------------------------


def _iter_folder(path: Path, chunk_edges: int) -> Iterator[GraphBatch]:
    """Read file by file; small files share a chunk, large ones are cut."""
    pieces: list[GraphBatch] = []
    size = 0
    for piece in _pieces(path, chunk_edges):
        n_more = piece.n_nodes + piece.adjacency.nnz
        if pieces and size + n_more > chunk_edges:
            yield GraphBatch.concat(pieces)
            pieces, size = [], 0
        pieces.append(piece)
        size += n_more
    if pieces:
        yield GraphBatch.concat(pieces)


def _pieces(path: Path, chunk_edges: int) -> Iterator[GraphBatch]:
    first_kind, first_file = None, path
    n_graphs = 0
    for file in find_graph_files(path):
        batch = read_one(file, ReadOptions())
        if batch.n_nodes:
            # Joining a chunk would complain, too, but not about files of two chunks.
            kind = (batch.node_labels is not None, batch.n_attributes)
            if first_kind is not None and kind != first_kind:
                raise InputError(
                    f"The files of {str(path)!r} do not fit together: {first_file.name} "
                    f"has {_describe(first_kind)}, but {file.name} has {_describe(kind)}."
                )
            first_kind, first_file = kind, file
        batch = _with_names(batch, first_number=n_graphs, as_text=True)
        n_graphs += batch.n_graphs
        yield from _cut(batch, chunk_edges)


def _describe(kind: tuple[bool, int]) -> str:
    labels = "node labels" if kind[0] else "no node labels"
    return f"{labels} and {kind[1] or 'no'} node attributes"


# --- parquet ----------------------------------------------------------------------------


def _iter_parquet(path: Path, chunk_edges: int) -> Iterator[GraphBatch]:
    options = ReadOptions()
    seen = _Seen()
    row = 0
    for table in _whole_graphs(path, chunk_edges, options):
        graphs, first_rows = _runs(table, options)
        again = seen.add(graphs.to_pylist())
        if again is not None:
            raise FileFormatError(
                path,
                f"graph {graphs[again].as_py()!r} comes back in row "
                f"{row + first_rows[again]}, after another graph; sort the table by its "
                f"column {options.columns[0]!r}",
            )
        try:
            batch = assemble([from_table(table, options)])
        except InputError as error:
            raise FileFormatError(
                path,
                f"{error} (Counted from row {row}, the first of the graph named "
                f"{graphs[0].as_py()!r}.)",
            ) from error
        row += len(table)
        yield _with_names(_in_file_order(batch, graphs))


def _whole_graphs(path: Path, chunk_edges: int, options: ReadOptions) -> Iterator[pa.Table]:
    """Yield tables of whole graphs: the last graph of a piece may go on in the next."""
    waiting: list[pa.Table] = []
    n_rows, n_wanted = 0, chunk_edges
    for piece in _read_pieces(path, chunk_edges, options):
        waiting.append(piece)
        n_rows += len(piece)
        if n_rows < n_wanted:
            continue
        table = pa.concat_tables(waiting)
        cut = int(_runs(table, options)[1][-1])
        if cut:
            yield table.slice(0, cut)
        # One graph over many pieces is looked at again when there is twice as much.
        n_wanted = chunk_edges if cut else 2 * n_rows
        waiting, n_rows = [table.slice(cut)], n_rows - cut
    if waiting:
        yield pa.concat_tables(waiting)


def _read_pieces(path: Path, chunk_edges: int, options: ReadOptions) -> Iterator[pa.Table]:
    """Read so many rows at a time; what a row group holds is not held at once."""
    key = options.columns[0]
    wanted = {*options.columns, "weight"}
    row = 0
    try:
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False) as file:
            names = [name for name in file.schema_arrow.names if name in wanted]
            for piece in file.iter_batches(chunk_edges, columns=names):
                table = pa.Table.from_batches([piece])
                if not len(table):
                    continue
                yield _with_plain_ids(table, key)
                row += len(table)
    except InputError as error:
        raise FileFormatError(path, f"{error} (Counted from row {row}.)") from error
    except _PARQUET_ERRORS as error:
        raise _not_parquet(path, error) from error


def _with_plain_ids(table: pa.Table, key: str) -> pa.Table:
    column = as_column(table, key, "edge")
    if pa.types.is_nested(column.type):
        raise InputError(f"Column {key!r} holds {column.type}; give numbers or text.")
    return table.set_column(table.column_names.index(key), key, column)


def _runs(table: pa.Table, options: ReadOptions) -> tuple[pa.Array, IndexArray]:
    """Return the graphs of a table in their order, and the first row of each."""
    column = table[options.columns[0]].combine_chunks()
    differs = pc.not_equal(column.slice(1), column.slice(0, len(column) - 1))
    starts = np.concatenate(([0], np.flatnonzero(differs) + 1))
    return column.take(pa.array(starts)), starts


def _in_file_order(batch: GraphBatch, graphs: pa.Array) -> GraphBatch:
    """Undo the sorting of graphs by name: it would end where a chunk ends."""
    order = np.argsort(pc.array_sort_indices(graphs).to_numpy())
    return batch if (np.diff(order) == 1).all() else batch[order]


class _Seen:
    """The graphs that came already: 8 bytes each as long as names ascend."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._known: set[int] | None = None
        self._last: Any = None

    def add(self, graphs: list[Any]) -> int | None:
        """Remember graphs, and return the position of one that was there before."""
        for position, graph in enumerate(graphs):
            if self._known is None and self._last is not None and graph <= self._last:
                self._known = set(self._hashes)
            key = _key(graph)
            if self._known is None:
                self._hashes.append(key)
            elif key in self._known:
                return position
            else:
                self._known.add(key)
            self._last = graph
        return None


def _key(graph: Any) -> int:
    """Return an integer for itself, and the hash of what does not fit into 64 bits.

    Two of a million texts share a hash with a chance of one in 10^7; integers are no
    hash of themselves, for -1 has that of -2.
    """
    whole = isinstance(graph, int) and -(2**63) <= graph < 2**63
    return graph if whole else hash(str(graph))


def _not_parquet(path: Path, error: BaseException) -> FileFormatError:
    return FileFormatError(path, f"not parquet: {' '.join(str(error).split())}")


# --- names ------------------------------------------------------------------------------


def _with_names(
    batch: GraphBatch, *, first_number: int = 0, as_text: bool = False
) -> GraphBatch:
    """Name graphs, by number where they have no names, and their nodes likewise."""
    graphs, nodes = batch.graph_names, batch.node_names
    if graphs is None:
        graphs = np.arange(first_number, first_number + batch.n_graphs)
    if nodes is None:
        nodes = positions_within(batch.graph_sizes)
    return replace(
        batch,
        graph_names=_as_plain(graphs, as_text=as_text),
        node_names=_as_plain(nodes, as_text=as_text),
    )


def _as_plain(names: NameArray, *, as_text: bool) -> NameArray:
    """Make names whole numbers if all are, else text: what files of rows can hold."""
    if not as_text and names.dtype.kind in "iu":
        return names.astype(np.int64, copy=False)
    if names.dtype.kind != "O":
        names = names.astype(str)  # of a time, tolist would make a number
    plain: list[Hashable] = names.tolist()
    if not as_text and all(type(name) is int and abs(name) < 2**63 for name in plain):
        return np.array(plain, dtype=np.int64)
    return name_array([str(name) for name in plain])
