"""The TU text format: ``NAME_A.txt`` and its companions, in a folder or a zip archive.

Lines are parsed in bulk by pyarrow while the archive is still being unpacked; only the
block of a file that turns out to be malformed is searched, line by line, for the line.
The number of lines, of columns and the length of a line are bounded, so that a small
archive cannot claim all memory.
"""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._folder import Folder
from gskn.graphs._options import ReadOptions

_BLOCK_BYTES = 2**22
_PIECE_BYTES = 2**13
_BLOCKS_AHEAD = 6
_MAX_COLUMNS = 2**13  # pyarrow takes about a millisecond per column and block
_MAX_LINE_BYTES = 2**19  # 64 for each column
_FIRST_VALUES = 2**18
_GROWTH = 1.25
# A pair of nodes may be listed this often, and a small graph may repeat its edges freely.
_MAX_LISTINGS = 8
_FREE_EDGES = 2**20
_EDGES = "_A.txt"


@dataclass(frozen=True)
class TuSet:
    """Content of the files of one TU set; ``targets`` is None without graph labels."""

    name: str
    graphs: GraphBatch
    targets: AnyArray | None


def find_tu_name(folder: Folder) -> str | None:
    """Return NAME if the folder has a file ``NAME_A.txt``, else None."""
    names = [name for name in folder.names if name.endswith(_EDGES)]
    if len(names) > 1:
        raise FileFormatError(
            folder.path, f"several sets in one folder: {', '.join(names)}; separate them"
        )
    return names[0].removesuffix(_EDGES) if names else None


def read_tu(path: str | Path, options: ReadOptions | None = None) -> TuSet:
    """Read a set in the TU format from a folder or a zip archive.

    Edge labels and edge attributes are not read. A label of several columns is a tuple.

    Raises
    ------
    FileFormatError
        If a file is malformed, with the name of the file and, where possible, the line.
    """
    options = options or ReadOptions()
    folder = Folder(path)
    name = find_tu_name(folder)
    if name is None:
        raise FileFormatError(path, "not in TU format: there is no file NAME_A.txt")
    files = _TuFiles(folder, name)
    (indicator,) = files.integers("graph_indicator", n_columns=1)
    targets = files.integers("graph_labels") if files.has("graph_labels") else None
    sizes = _graph_sizes(indicator, None if targets is None else len(targets[0]), files)
    edges = files.integers("A", n_columns=2, max_rows=_max_edges(sizes))
    _check_node_numbers(edges, len(indicator), files)
    labels = attributes = None
    if files.has("node_labels") and options.node_label is not None:
        labels = files.integers("node_labels", max_rows=len(indicator))
    if files.has("node_attributes") and options.node_attributes is not None:
        attributes = files.floats("node_attributes", max_rows=len(indicator))
    for suffix, rows in (("node_labels", labels), ("node_attributes", attributes)):
        if rows is not None and len(rows[0]) != len(indicator):
            raise FileFormatError(
                files.describe(suffix),
                f"{len(rows[0])} lines for {len(indicator)} nodes; the file is cut short "
                "or belongs to another set",
            )
    for ends in edges:
        np.subtract(ends, 1, out=ends)  # files count nodes from 1
    part = GraphParts(
        sizes,
        edges[0],
        edges[1],
        labels=None if labels is None else _as_labels(labels),
        attributes=None if attributes is None else np.column_stack(attributes),
        owned=True,
        directed=options.is_directed(custom=True),
    )
    try:
        graphs = assemble([part])
    except InputError:
        _name_bad_value(edges, indicator, attributes, files)
        raise
    return TuSet(name, graphs, None if targets is None else _as_targets(targets))


def _max_edges(sizes: IndexArray) -> int:
    """Return how many lines the edges may take: pairs of nodes, each listed some times."""
    n_pairs = float(np.square(sizes, dtype=np.float64).sum())
    return _FREE_EDGES + int(_MAX_LISTINGS * n_pairs)


def _as_labels(columns: list[AnyArray]) -> Any:
    if len(columns) == 1:
        return columns[0]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _as_targets(columns: list[AnyArray]) -> IndexArray:
    targets = columns[0] if len(columns) == 1 else np.column_stack(columns)
    return targets.astype(np.int64)


@dataclass(frozen=True)
class _TuFiles:
    folder: Folder
    name: str

    def file(self, suffix: str) -> str:
        return f"{self.name}_{suffix}.txt"

    def has(self, suffix: str) -> bool:
        return self.file(suffix) in self.folder.names

    def describe(self, suffix: str) -> str:
        return self.folder.describe(self.file(suffix))

    def integers(
        self, suffix: str, *, n_columns: int | None = None, max_rows: int | None = None
    ) -> list[AnyArray]:
        """Return the columns of a file; by default, the first line gives their number."""
        return self._columns(suffix, pa.int32(), n_columns, max_rows)

    def floats(self, suffix: str, *, max_rows: int) -> list[FloatArray]:
        return self._columns(suffix, pa.float64(), None, max_rows)

    def _columns(
        self,
        suffix: str,
        dtype: pa.DataType,
        n_columns: int | None,
        max_rows: int | None,
    ) -> list[AnyArray]:
        if not self.has(suffix):
            raise FileFormatError(self.folder.path, f"{self.file(suffix)} is missing")
        if n_columns is None:
            n_columns = self._count_columns(suffix)
        try:
            with self.folder.open(self.file(suffix)) as file:
                return _parse(file, n_columns, dtype, max_rows)
        except (pa.ArrowInvalid, pa.ArrowKeyError, _TooLongLineError) as error:
            self._find_bad_line(suffix, n_columns, dtype)
            reason = " ".join(str(error).split())
            raise FileFormatError(self.describe(suffix), f"malformed: {reason}") from error
        except _TooManyRowsError:
            raise FileFormatError(
                self.describe(suffix),
                f"more than {max_rows} lines, too many for the nodes in "
                f"{self.file('graph_indicator')}",
                line=self.line_of(suffix, max_rows or 0),
            ) from None

    def _count_columns(self, suffix: str) -> int:
        """Count the numbers in the first line that is not empty."""
        for first, block in self._numbered_blocks(suffix):
            filled = block.lstrip(b"\r\n")
            if not filled:
                continue
            n_columns = filled.splitlines()[0].count(b",") + 1
            if n_columns > _MAX_COLUMNS:
                n_empty = len(block[: len(block) - len(filled)].splitlines())
                raise FileFormatError(
                    self.describe(suffix),
                    f"{n_columns} columns, more than the bound of {_MAX_COLUMNS}",
                    line=first + n_empty,
                )
            return n_columns
        return 1

    def _numbered_blocks(self, suffix: str) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of whole lines and the number of their first line."""
        number = 1
        with self.folder.open(self.file(suffix)) as file:
            try:
                for block in _line_blocks(file):
                    yield number, block
                    number += len(block.splitlines())
            except _TooLongLineError as error:
                raise FileFormatError(
                    self.describe(suffix), str(error), line=number + error.n_lines_before
                ) from None

    def _find_bad_line(self, suffix: str, n_columns: int, dtype: pa.DataType) -> None:
        """Raise an error that names the first malformed line, if there is one."""
        number = _INTEGER if pa.types.is_integer(dtype) else _NUMBER
        what = "integers" if number is _INTEGER else "numbers"
        for first, block in self._numbered_blocks(suffix):
            if _is_parsed(block, n_columns, dtype):
                continue
            for line_number, line in enumerate(block.splitlines(), start=first):
                text = line.decode("utf-8", "replace")
                fields = text.split(",")
                good = len(fields) == n_columns and all(map(number.fullmatch, fields))
                if text and not (good and _fits(fields, dtype)):
                    raise FileFormatError(
                        self.describe(suffix),
                        f"expected {n_columns} {what} between commas, got {text[:60]!r}",
                        line=line_number,
                    )

    def line_of(self, suffix: str, row: int) -> int:
        """Return the number of the line that holds a row; empty lines hold none."""
        n_rows = 0
        for first, block in self._numbered_blocks(suffix):
            filled = np.fromiter(map(bool, block.splitlines()), dtype=bool)
            n_more = int(filled.sum())
            if n_rows + n_more > row:
                return first + int(np.flatnonzero(filled)[row - n_rows])
            n_rows += n_more
        return row + 1


class _TooLongLineError(Exception):
    """A line is longer than the bound."""

    def __init__(self, n_lines_before: int):
        self.n_lines_before = n_lines_before  # in the same block
        super().__init__(f"the line has more than {_MAX_LINE_BYTES} bytes")


class _TooManyRowsError(Exception):
    """A file has more lines than the set has room for."""


_INTEGER = re.compile(r"[ \t]*-?\d+[ \t]*", re.ASCII)
_NUMBER = re.compile(
    r"[ \t]*[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|nan|inf)[ \t]*", re.ASCII
)


def _fits(fields: list[str], dtype: pa.DataType) -> bool:
    return not pa.types.is_integer(dtype) or all(
        len(field.strip()) <= 11 and -(2**31) <= int(field) < 2**31 for field in fields
    )


def _parse(
    file: IO[bytes], n_columns: int, dtype: pa.DataType, max_rows: int | None
) -> list[AnyArray]:
    """Parse lines of comma-separated numbers while the next blocks are being unpacked.

    pyarrow can read the stream itself, but its reading threads outlive an error and then
    crash the interpreter.
    """
    n_first = _FIRST_VALUES // n_columns
    columns = [np.empty(n_first, dtype.to_pandas_dtype()) for _ in range(n_columns)]
    n_rows = 0
    with ThreadPoolExecutor(max_workers=1) as pool:
        blocks = _line_blocks(file)
        upcoming = deque(pool.submit(next, blocks, b"") for _ in range(_BLOCKS_AHEAD))
        while block := upcoming.popleft().result():
            upcoming.append(pool.submit(next, blocks, b""))
            parsed = _parse_block(block, n_columns, dtype)
            end = n_rows + len(parsed[0])
            if max_rows is not None and end > max_rows:
                raise _TooManyRowsError
            for column, values in zip(columns, parsed, strict=True):
                if end > len(column):
                    column.resize(max(end, int(_GROWTH * len(column))), refcheck=False)
                column[n_rows:end] = values
            n_rows = end
    for column in columns:
        column.resize(n_rows, refcheck=False)  # gives unused memory back
    return columns


def _parse_block(block: bytes, n_columns: int, dtype: pa.DataType) -> list[AnyArray]:
    names = [str(number) for number in range(n_columns)]
    table = pyarrow.csv.read_csv(
        pa.BufferReader(block),
        read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, dtype), null_values=[]
        ),
    )
    return [column.to_numpy() for column in table.columns]


def _is_parsed(block: bytes, n_columns: int, dtype: pa.DataType) -> bool:
    try:
        _parse_block(block, n_columns, dtype)
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return False
    return True


def _line_blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Read a file in blocks of whole lines; raise `_TooLongLineError` for a long line.

    A member of a zip archive is read in small pieces: zipfile takes as many packed bytes
    as it is asked for unpacked ones, and copies what is left of them each time.
    """
    pieces: list[bytes] = []
    size = line_bytes = 0  # of the block, and of its last line
    while piece := file.read(_PIECE_BYTES):
        pieces.append(piece)
        size += len(piece)
        cut = _last_line_end(piece)
        line_bytes = len(piece) - cut if cut else line_bytes + len(piece)
        if line_bytes > _MAX_LINE_BYTES:
            before = b"".join(pieces)[:-line_bytes]
            raise _TooLongLineError(len(before.splitlines()))
        if size >= _BLOCK_BYTES and cut:
            pieces[-1] = piece[:cut]
            yield b"".join(pieces)
            pieces, size = [piece[cut:]], len(piece) - cut
    rest = b"".join(pieces)
    if rest.strip():
        yield rest


def _last_line_end(piece: bytes) -> int:
    """Return the position after the last line feed, or carriage return, or 0."""
    # A carriage return at the end may belong to a line feed in the next piece.
    return piece.rfind(b"\n") + 1 or piece.rfind(b"\r", 0, -1) + 1


def _graph_sizes(
    indicator: IndexArray, n_targets: int | None, files: _TuFiles
) -> IndexArray:
    """Count the nodes of every graph; a graph id that does not occur has none."""
    # Without graph labels, the largest id is the number of graphs, at most one per node.
    largest = int(indicator.max(initial=0))
    n_graphs = min(largest, len(indicator)) if n_targets is None else n_targets
    wrong = (indicator < 1) | (indicator > n_graphs)
    if wrong.any():
        node = int(np.argmax(wrong))
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} does not exist; there are {n_graphs} graphs, "
            "counted from 1",
            line=files.line_of("graph_indicator", node),
        )
    falling = np.flatnonzero(np.diff(indicator) < 0)
    if len(falling):
        node = int(falling[0]) + 1
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} after graph {indicator[node - 1]}; "
            "the nodes of a graph must be listed together, in the order of the graphs",
            line=files.line_of("graph_indicator", node),
        )
    return np.bincount(indicator, minlength=n_graphs + 1)[1:]


def _check_node_numbers(edges: list[AnyArray], n_nodes: int, files: _TuFiles) -> None:
    for ends in edges:
        if len(ends) and (ends.min() < 1 or ends.max() > n_nodes):
            row = int(np.argmax((ends < 1) | (ends > n_nodes)))
            raise FileFormatError(
                files.describe("A"),
                f"the edge {_pair(edges, row)} names a node that does not exist; there "
                f"are {n_nodes} nodes, counted from 1",
                line=files.line_of("A", row),
            )


def _name_bad_value(
    edges: list[AnyArray],
    indicator: IndexArray,
    attributes: list[FloatArray] | None,
    files: _TuFiles,
) -> None:
    """Raise an error that names the line of an edge or attribute `assemble` refused."""
    crossing = indicator[edges[0]] != indicator[edges[1]]
    if crossing.any():
        row = int(np.argmax(crossing))
        raise FileFormatError(
            files.describe("A"),
            f"the edge {_pair(edges, row, count_from=1)} joins two graphs",
            line=files.line_of("A", row),
        )
    for number, column in enumerate(attributes or []):
        if not np.isfinite(column).all():
            row = int(np.argmin(np.isfinite(column)))
            raise FileFormatError(
                files.describe("node_attributes"),
                f"attribute {number} is {column[row]}; attributes must be finite",
                line=files.line_of("node_attributes", row),
            )


def _pair(edges: list[AnyArray], row: int, *, count_from: int = 0) -> list[int]:
    return [int(ends[row]) + count_from for ends in edges]
