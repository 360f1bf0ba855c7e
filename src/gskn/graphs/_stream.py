"""iter_graphs: chunks of limited size from sources that may be larger than memory.

The graphs, their order and their names do not depend on the size of the chunks.
"""

import os
from array import array
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gskn._limits import CHUNK_EDGES
from gskn._offsets import positions_within, runs_of_graphs
from gskn._types import IndexArray, NameArray
from gskn._validation import check_int, shorten
from gskn.exceptions import FileFormatError, InputError, MissingFileError
from gskn.graphs._assemble import assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._columns import as_python, name_array
from gskn.graphs._csr import is_csr_folder
from gskn.graphs._folder import Folder
from gskn.graphs._options import ReadOptions
from gskn.graphs._parquet import EdgeFile, open_edge_file, read_column_names
from gskn.graphs._read import as_path, find_graph_files, read_graphs, read_one
from gskn.graphs._table import as_ids, encode, from_table
from gskn.graphs._tu import find_tu_name


def iter_graphs(
    source: str | Path | GraphBatch,
    *,
    chunk_edges: int = CHUNK_EDGES,
    options: ReadOptions | None = None,
) -> Iterator[GraphBatch]:
    """Yield the graphs of a file, a folder or a batch in chunks of limited size.

    Parameters
    ----------
    source : str, Path or GraphBatch
        Any source of `read_graphs`, or a pattern such as ``"edges-*.parquet"``, whose files
        are read in the order of their names. Two sources may be larger than memory: parquet
        files of edges with a column ``graph``, in which the edges of a graph are
        consecutive; and a folder, which is read file by file. Other sources are read
        completely and then split.
    chunk_edges : int, default=32768
        Approximate number of edges and nodes of a chunk; a larger graph is one chunk. A
        chunk of a table may be larger by the edges of one graph.
    options : ReadOptions, default=None
        Options of `as_batch`. The columns of tables that are read in chunks cannot be
        renamed.

    Yields
    ------
    batch : GraphBatch
        All graphs and nodes have names: integers if the source has integers or no names,
        else text; always text for a folder, because its files may differ. Graphs of a
        table keep the order of the table.

    Raises
    ------
    FileFormatError
        As in `read_graphs`; also if the edges of a graph of a table are not consecutive,
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
    if is_pattern(source):
        return _iter_parquet(find_matches(source), chunk_edges)
    path = as_path(source)
    if not is_streamed(path):
        return _cut(_with_names(read_graphs(path, options=options)), chunk_edges)
    if path.is_dir():
        return _iter_folder(path, chunk_edges, options or ReadOptions())
    return _iter_parquet([path], chunk_edges)


def is_streamed(path: str | Path) -> bool:
    """Return whether `iter_graphs` reads a source in chunks."""
    if is_pattern(path):
        return True
    path = as_path(path)
    if path.is_dir():
        return find_tu_name(Folder(path)) is None and not is_csr_folder(path)
    if path.suffix.lower() != ".parquet":
        return False
    return ReadOptions().columns[0] in read_column_names(path)


def _cut(batch: GraphBatch, chunk_edges: int) -> Iterator[GraphBatch]:
    """Split a batch into runs of whole graphs."""
    offsets = batch.graph_ptr + batch.adjacency.indptr[batch.graph_ptr]
    _ = batch.directed  # computed once for all chunks
    runs = runs_of_graphs(offsets, chunk_edges)
    if len(runs) == 1:
        return iter([batch])
    return (batch[run] for run in runs)


def _iter_folder(
    path: Path, chunk_edges: int, options: ReadOptions
) -> Iterator[GraphBatch]:
    """Read file by file; small files share a chunk, large files are split."""
    pieces: list[GraphBatch] = []
    size = 0
    for piece in _pieces(path, chunk_edges, options):
        n_more = piece.n_nodes + piece.adjacency.nnz
        if pieces and size + n_more > chunk_edges:
            yield GraphBatch.concat(pieces)
            pieces, size = [], 0
        pieces.append(piece)
        size += n_more
    if pieces:
        yield GraphBatch.concat(pieces)


def _pieces(path: Path, chunk_edges: int, options: ReadOptions) -> Iterator[GraphBatch]:
    first_data: dict[str, str] = {}
    first_file: dict[str, Path] = {}
    n_graphs = 0
    for file in find_graph_files(path):
        batch = read_one(file, options)
        # `GraphBatch.concat` compares only files of the same chunk.
        for kind, data in _kinds_of_data(batch).items():
            if data != first_data.setdefault(kind, data):
                raise InputError(
                    f"The files of {str(path)!r} cannot be joined: "
                    f"{first_file[kind].name} has {first_data[kind]}, but {file.name} has "
                    f"{data}."
                )
            first_file.setdefault(kind, file)
        batch = _with_names(batch, first_number=n_graphs, as_text=True)
        n_graphs += batch.n_graphs
        yield from _cut(batch, chunk_edges)


def _kinds_of_data(batch: GraphBatch) -> dict[str, str]:
    """Describe the data of nodes and edges, if there are nodes and edges."""
    kinds = {}
    if batch.n_nodes:
        has_labels = batch.node_labels is not None
        kinds["node"] = _describe("node", batch.n_attributes, has_labels=has_labels)
    if batch.adjacency.nnz:
        has_labels = batch.edge_labels is not None
        kinds["edge"] = _describe("edge", batch.n_edge_attributes, has_labels=has_labels)
    return kinds


def _describe(kind: str, n_attributes: int, *, has_labels: bool) -> str:
    labels = f"{kind} labels" if has_labels else f"no {kind} labels"
    return f"{labels} and {n_attributes or 'no'} {kind} attributes"


def is_pattern(source: str | Path) -> bool:
    """Return whether a source is a pattern of names of files instead of a path."""
    return has_magic(str(source)) and not os.path.lexists(source)


def find_matches(pattern: str | Path) -> list[Path]:
    """Return the parquet files with edges of several graphs that match a pattern."""
    # Path.glob takes no absolute patterns.
    paths = sorted(map(Path, glob(str(pattern), recursive=True)))  # noqa: PTH207
    if not paths:
        raise MissingFileError(f"No file matches {str(pattern)!r}.")
    for path in paths:
        if path.suffix.lower() != ".parquet" or not is_streamed(path):
            raise InputError(
                f"{str(path)!r} matches {str(pattern)!r}, but is not a parquet file of "
                "edges with a column 'graph'."
            )
    return paths


def _iter_parquet(paths: Sequence[Path], chunk_edges: int) -> Iterator[GraphBatch]:
    """Read files one after the other; a graph is in one file."""
    seen = _Seen()
    for path in paths:
        yield from _iter_parquet_file(path, chunk_edges, seen)


def _iter_parquet_file(path: Path, chunk_edges: int, seen: "_Seen") -> Iterator[GraphBatch]:
    options = ReadOptions()
    row = 0
    for table in _whole_graphs(path, chunk_edges, options):
        graphs, first_rows = _runs(table, options)
        names = _as_list(graphs)
        repeated = seen.add(names)
        if repeated is not None:
            raise FileFormatError(
                path,
                f"the edges of graph {shorten(names[repeated])} are not consecutive: it "
                f"occurs again in row {row + first_rows[repeated]}; sort the table by the "
                f"column {options.columns[0]!r}",
            )
        try:
            batch = assemble([from_table(table, options)])
        except InputError as error:
            raise FileFormatError(
                path,
                f"{error} (Counted from row {row}, the first row of graph "
                f"{shorten(names[0])}.)",
            ) from error
        row += len(table)
        yield _with_names(_in_file_order(batch, graphs))


def _whole_graphs(path: Path, chunk_edges: int, options: ReadOptions) -> Iterator[pa.Table]:
    """Yield tables of whole graphs; the last graph of a piece may continue in the next."""
    pending: list[pa.Table] = []
    n_rows, n_bytes, n_wanted = 0, 0, chunk_edges
    with open_edge_file(path, options) as file:
        for piece in _read_pieces(file, chunk_edges, options):
            pending.append(piece)
            n_rows += len(piece)
            n_bytes += piece.nbytes
            file.check_rows(n_rows)
            file.check_bytes(n_bytes)
            if n_rows < n_wanted:
                continue
            table = pa.concat_tables(pending)
            cut = int(_runs(table, options)[1][-1])
            if cut:
                yield table.slice(0, cut)
            # If all rows belong to one graph, read twice as many before the next attempt.
            n_wanted = chunk_edges if cut else 2 * n_rows
            pending = [table.slice(cut)]
            n_rows, n_bytes = len(pending[0]), pending[0].nbytes
        if pending:
            yield pa.concat_tables(pending)


def _read_pieces(
    file: EdgeFile, chunk_edges: int, options: ReadOptions
) -> Iterator[pa.Table]:
    """Read ``chunk_edges`` rows at a time instead of a whole row group."""
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
    """Return the graphs of a table in order of appearance, and the first row of each."""
    codes, values = encode(table[options.columns[0]])
    starts = np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1))
    return values.take(pa.array(codes[starts])), starts


def _as_list(graphs: pa.Array) -> list[Any]:
    """Return ids as Python values; dates and times as text, for any resolution."""
    names = graphs.to_numpy(zero_copy_only=False)
    if names.dtype.kind in "mM":
        names = names.astype(str)
    return [as_python(name) for name in names.tolist()]


def _in_file_order(batch: GraphBatch, graphs: pa.Array) -> GraphBatch:
    """Restore the order of the table; the order by name would depend on the chunks."""
    order = np.argsort(pc.array_sort_indices(graphs).to_numpy())
    return batch if (np.diff(order) == 1).all() else batch[order]


class _Seen:
    """Names of the graphs read so far; each takes 8 bytes while names are ascending."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._distinct: set[int] | None = None
        self._last: Any = None

    def add(self, graphs: list[Any]) -> int | None:
        """Add graphs; return the position of a graph that was added before, or None."""
        for position, graph in enumerate(graphs):
            if self._distinct is None and not self._is_next(graph):
                self._distinct = set(self._hashes)
            key = _key(graph)
            if self._distinct is None:
                self._hashes.append(key)
            elif key in self._distinct:
                return position
            else:
                self._distinct.add(key)
            self._last = graph
        return None

    def _is_next(self, graph: Any) -> bool:
        """Return whether a graph follows the last one in ascending order."""
        last = self._last
        return last is None or (type(graph) is type(last) and graph > last)


def _key(graph: Any) -> int:
    """Return an integer of up to 64 bits unchanged, and the hash of another name.

    Among a million texts, two have equal hashes with probability 10^-7. Integers are not
    hashed, because -1 and -2 have the same hash.
    """
    is_int64 = isinstance(graph, int) and -(2**63) <= graph < 2**63
    return graph if is_int64 else hash(str(graph))


def _with_names(
    batch: GraphBatch, *, first_number: int = 0, as_text: bool = False
) -> GraphBatch:
    """Name graphs and nodes; number them if they have no names."""
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
    """Convert names to int64 if all are integers of that range, else to text."""
    if not as_text and names.dtype.kind in "iu":
        return names.astype(np.int64, copy=False)
    if names.dtype.kind != "O":
        names = names.astype(str)  # tolist would convert times to integers
    plain: list[Hashable] = names.tolist()
    if not as_text and all(type(name) is int and abs(name) < 2**63 for name in plain):
        return np.array(plain, dtype=np.int64)
    return name_array([_as_text(name) for name in plain])


def _as_text(name: Hashable) -> str:
    try:
        return str(name)
    except ValueError:  # an integer with more digits than Python converts
        return hex(name) if isinstance(name, int) else shorten(name)
