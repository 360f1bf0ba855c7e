"""iter_graphs: read graphs in chunks of bounded size from sources larger than memory.

The graphs, their order and their names do not depend on the size of the chunks.
"""

from array import array
from collections.abc import Hashable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gskn._offsets import positions_within, runs_of_graphs
from gskn._types import IndexArray, NameArray
from gskn._validation import check_int, shorten
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs._assemble import assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._columns import as_python, name_array
from gskn.graphs._folder import Folder
from gskn.graphs._options import ReadOptions
from gskn.graphs._parquet import EdgeFile, open_edge_file, read_column_names
from gskn.graphs._read import as_path, find_graph_files, read_graphs, read_one
from gskn.graphs._table import as_ids, encode, from_table
from gskn.graphs._tu import find_tu_name

_CHUNK_EDGES = 2**15  # node embeddings take 64 MB; larger chunks are not faster


def iter_graphs(
    source: str | Path | GraphBatch, *, chunk_edges: int = _CHUNK_EDGES
) -> Iterator[GraphBatch]:
    """Yield the graphs of a file, a folder or a batch in chunks of bounded size.

    Parameters
    ----------
    source : str, Path or GraphBatch
        Any source of `read_graphs`. Two kinds may be larger than memory: a parquet file
        of edges with a column ``graph``, in which the edges of a graph are consecutive;
        and a folder, which is read file by file. Other sources are read whole, then cut.
    chunk_edges : int, default=32768
        Approximate number of edges of a chunk, unless a graph has more; nodes count as
        edges. A chunk of a table may be larger by the edges of one graph.

    Yields
    ------
    batch : GraphBatch
        All graphs and nodes have names: integers if the source uses integers or has no
        names, else text; in a folder always text, because its files may differ. Graphs
        of a table keep the order of the table.

    Raises
    ------
    FileFormatError
        As from `read_graphs`; also if the edges of a graph of a table are not consecutive,
        or if one graph has too many rows for the size of the file.

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
    path = as_path(source)
    if not is_streamed(path):
        return _cut(_with_names(read_graphs(path)), chunk_edges)
    return (_iter_folder if path.is_dir() else _iter_parquet)(path, chunk_edges)


def is_streamed(path: str | Path) -> bool:
    """Return whether `iter_graphs` reads this source piece by piece."""
    path = as_path(path)
    if path.is_dir():
        return find_tu_name(Folder(path)) is None
    if path.suffix.lower() != ".parquet":
        return False
    return ReadOptions().columns[0] in read_column_names(path)


def _cut(batch: GraphBatch, chunk_edges: int) -> Iterator[GraphBatch]:
    """Cut a batch into runs of whole graphs."""
    offsets = batch.graph_ptr + batch.adjacency.indptr[batch.graph_ptr]
    _ = batch.directed  # computed once, for all parts
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
            # Joining the pieces of one chunk would not compare files of two chunks.
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
        names = _as_list(graphs)
        again = seen.add(names)
        if again is not None:
            raise FileFormatError(
                path,
                f"graph {shorten(names[again])} comes back in row "
                f"{row + first_rows[again]}, after another graph; sort the table by its "
                f"column {options.columns[0]!r}",
            )
        try:
            batch = assemble([from_table(table, options)])
        except InputError as error:
            raise FileFormatError(
                path,
                f"{error} (Counted from row {row}, the first of the graph named "
                f"{shorten(names[0])}.)",
            ) from error
        row += len(table)
        yield _with_names(_in_file_order(batch, graphs))


def _whole_graphs(path: Path, chunk_edges: int, options: ReadOptions) -> Iterator[pa.Table]:
    """Yield tables of whole graphs: the last graph of a piece may go on in the next."""
    waiting: list[pa.Table] = []
    n_rows, n_bytes, n_wanted = 0, 0, chunk_edges
    with open_edge_file(path, options) as file:
        for piece in _read_pieces(file, chunk_edges, options):
            waiting.append(piece)
            n_rows += len(piece)
            n_bytes += piece.nbytes
            file.check_rows(n_rows)
            file.check_bytes(n_bytes)
            if n_rows < n_wanted:
                continue
            table = pa.concat_tables(waiting)
            cut = int(_runs(table, options)[1][-1])
            if cut:
                yield table.slice(0, cut)
            # If all rows belong to one graph, look again when there are twice as many.
            n_wanted = chunk_edges if cut else 2 * n_rows
            waiting = [table.slice(cut)]
            n_rows, n_bytes = len(waiting[0]), waiting[0].nbytes
        if waiting:
            yield pa.concat_tables(waiting)


def _read_pieces(
    file: EdgeFile, chunk_edges: int, options: ReadOptions
) -> Iterator[pa.Table]:
    """Read ``chunk_edges`` rows at a time, without holding a whole row group."""
    key = options.columns[0]
    row = 0
    file.check_rows(min(chunk_edges, file.n_rows))
    for table in file.read(chunk_edges):
        if not len(table):
            continue
        try:
            graphs = as_ids(table, key, "edge")
        except InputError as error:
            raise InputError(f"{error} (Counted from row {row}.)") from error
        yield table.set_column(table.column_names.index(key), key, graphs)
        row += len(table)


def _runs(table: pa.Table, options: ReadOptions) -> tuple[pa.Array, IndexArray]:
    """Return the graphs of a table in their order, and the first row of each."""
    codes, values = encode(table[options.columns[0]])
    starts = np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1))
    return values.take(pa.array(codes[starts])), starts


def _as_list(graphs: pa.Array) -> list[Any]:
    """Return ids as Python values; dates and times as text, which they always fit."""
    names = graphs.to_numpy(zero_copy_only=False)
    if names.dtype.kind in "mM":
        names = names.astype(str)
    return [as_python(name) for name in names.tolist()]


def _in_file_order(batch: GraphBatch, graphs: pa.Array) -> GraphBatch:
    """Undo the sorting of graphs by name, which would depend on the chunks."""
    order = np.argsort(pc.array_sort_indices(graphs).to_numpy())
    return batch if (np.diff(order) == 1).all() else batch[order]


class _Seen:
    """Graphs that were read before: 8 bytes each as long as names ascend."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._known: set[int] | None = None
        self._last: Any = None

    def add(self, graphs: list[Any]) -> int | None:
        """Add graphs, and return the position of one that was added before, or None."""
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
    """Return an integer unchanged if it has 64 bits, and the hash of other names.

    Two of a million texts have equal hashes with probability 10^-7. Integers are not
    replaced by their hashes, because -1 and -2 have the same.
    """
    whole = isinstance(graph, int) and -(2**63) <= graph < 2**63
    return graph if whole else hash(str(graph))


# --- names ------------------------------------------------------------------------------


def _with_names(
    batch: GraphBatch, *, first_number: int = 0, as_text: bool = False
) -> GraphBatch:
    """Name graphs and nodes; those without a name are numbered."""
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
    """Convert names to integers of 64 bits if all are, else to text."""
    if not as_text and names.dtype.kind in "iu":
        return names.astype(np.int64, copy=False)
    if names.dtype.kind != "O":
        names = names.astype(str)  # tolist would make a number of a time
    plain: list[Hashable] = names.tolist()
    if not as_text and all(type(name) is int and abs(name) < 2**63 for name in plain):
        return np.array(plain, dtype=np.int64)
    return name_array([_as_text(name) for name in plain])


def _as_text(name: Hashable) -> str:
    try:
        return str(name)
    except ValueError:  # an integer with more digits than Python converts
        return hex(name) if isinstance(name, int) else shorten(name)
