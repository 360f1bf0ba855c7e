"""Files of numbers of a TU set: parsed in bulk, with limits and line numbers.

pyarrow parses blocks of lines while the next blocks are unpacked. If a block is malformed,
it is searched line by line for the message. The number of lines and columns and the length
of a line are limited, so that a small archive cannot use all memory.
"""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from gskn._types import AnyArray, FloatArray
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs._folder import Folder

_BLOCK_BYTES = 2**22
_PIECE_BYTES = 2**13
_BLOCKS_AHEAD = 6
_MAX_COLUMNS = 2**13  # pyarrow takes about a millisecond per column and block
_MAX_LINE_BYTES = 2**19  # 64 per column
_FIRST_VALUES = 2**18
_GROWTH = 1.25


@dataclass(frozen=True)
class TuFiles:
    """The files of one TU set, by suffix: "A" is ``NAME_A.txt``."""

    folder: Folder
    name: str

    def file(self, suffix: str) -> str:
        """Return the name of a file."""
        return f"{self.name}_{suffix}.txt"

    def has(self, suffix: str) -> bool:
        """Return whether a file exists."""
        return self.file(suffix) in self.folder.names

    def describe(self, suffix: str) -> str:
        """Return the path of a file for a message."""
        return self.folder.describe(self.file(suffix))

    def integers(
        self, suffix: str, *, n_columns: int | None = None, max_rows: int | None = None
    ) -> list[AnyArray]:
        """Return the columns of a file, as many as the first line has by default."""
        return self._columns(suffix, pa.int32(), n_columns, max_rows)

    def floats(self, suffix: str, *, max_rows: int) -> list[FloatArray]:
        """Return the columns of a file of numbers."""
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
            reason = f"malformed: {describe_error(error)}"
            raise FileFormatError(self.describe(suffix), reason) from error
        except _TooManyRowsError:
            raise FileFormatError(
                self.describe(suffix),
                f"more than {max_rows} lines, which are too many for the "
                f"{_counted_by(suffix, self)}",
                line=self.line_of(suffix, max_rows or 0),
            ) from None

    def _count_columns(self, suffix: str) -> int:
        """Count the numbers in the first non-empty line."""
        for first, block in self._numbered_blocks(suffix):
            filled = block.lstrip(b"\r\n")
            if not filled:
                continue
            n_columns = filled.splitlines()[0].count(b",") + 1
            if n_columns > _MAX_COLUMNS:
                n_empty = len(block[: len(block) - len(filled)].splitlines())
                raise FileFormatError(
                    self.describe(suffix),
                    f"{n_columns} columns, more than the limit of {_MAX_COLUMNS}",
                    line=first + n_empty,
                )
            return n_columns
        return 1

    def _numbered_blocks(self, suffix: str) -> Iterator[tuple[int, bytes]]:
        """Yield the number of the first line of a block, and the block of whole lines."""
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
        """Raise an error with the first malformed line, if there is one."""
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
                        f"expected {n_columns} {what} separated by commas, got "
                        f"{text[:60]!r}",
                        line=line_number,
                    )

    def line_of(self, suffix: str, row: int) -> int:
        """Return the number of the line that contains a row; empty lines are not rows."""
        n_rows = 0
        for first, block in self._numbered_blocks(suffix):
            filled = np.fromiter(map(bool, block.splitlines()), dtype=bool)
            n_more = int(filled.sum())
            if n_rows + n_more > row:
                return first + int(np.flatnonzero(filled)[row - n_rows])
            n_rows += n_more
        return row + 1


def _counted_by(suffix: str, files: TuFiles) -> str:
    """Return which lines determine the number of lines of a file."""
    if suffix.startswith("edge"):
        return f"edges in {files.file('A')}"
    return f"nodes in {files.file('graph_indicator')}"


class _TooLongLineError(Exception):
    """A line is longer than the limit."""

    def __init__(self, n_lines_before: int):
        self.n_lines_before = n_lines_before  # in the same block
        super().__init__(f"the line has more than {_MAX_LINE_BYTES} bytes")


class _TooManyRowsError(Exception):
    """A file has too many lines for the number of nodes."""


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
    """Parse lines of comma-separated numbers while the next blocks are unpacked.

    pyarrow can also read the stream, but after an error its threads keep reading and crash
    the interpreter.
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
        column.resize(n_rows, refcheck=False)  # releases unused memory
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

    The file is read in small pieces: for n unpacked bytes, zipfile reads n packed bytes
    and copies the rest each time.
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
    """Return the position after the last line end, or 0."""
    # A carriage return at the end may precede a line feed in the next piece.
    return piece.rfind(b"\n") + 1 or piece.rfind(b"\r", 0, -1) + 1
