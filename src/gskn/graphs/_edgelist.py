"""Edge lists: text with one edge a line, or parquet.

Text is parsed in bulk; only where something is wrong, it is read again, line by line,
to name the line.
"""

import ast
import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from gskn.exceptions import FileFormatError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import AUTO, ReadOptions
from gskn.graphs._table import from_table

_UNNAMED = ("source", "target", "weight")
_HEADERS = (("source", "target"), ("from", "to"), ("src", "dst"))
_COMMENT = re.compile(rb"^[ \t]*[#%].*$", re.MULTILINE)
_EDGE_WITH_DICT = re.compile(r"\S+\s+\S+\s+\{.*\}$")
# Written as Python writes it; "007" and "1e5" stay names, not numbers.
_WHOLE_NUMBER = "^(0|-?[1-9][0-9]{0,17})$"


def read_edge_list(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read lines of ``source target [weight]``, with or without a header.

    A header names at least source and target, by the names of the options, in any
    case, or by from/to or src/dst. Fields are separated by comma, semicolon or tab, in
    files without any by blanks. ``#`` and ``%`` begin a comment line. Ids that are all
    whole numbers are read as such, else as text. Lines that end in a dict, as networkx
    writes them, are understood.
    """
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    content = _COMMENT.sub(b"", content).replace(b"\r\n", b"\n")
    first = next(_content_lines(content), None)
    if first is None:
        return [GraphParts([0], [], [])]
    number, line = first
    if _EDGE_WITH_DICT.match(line):
        columns = _read_dicts(path, content, options)
        return [from_table(_as_table(path, columns, content, 0), _positional(options))]
    delimiter = _delimiter(path, line)
    fields = _split(line, delimiter)
    header = _header([field.strip() for field in fields], options)
    if not header and not 2 <= len(fields) <= len(_UNNAMED):
        raise FileFormatError(
            path,
            f"{len(fields)} fields and no header; name the columns in a first line, "
            f"for instance: {','.join(options.columns)},weight",
            line=number,
        )
    names = header or _UNNAMED[: len(fields)]
    columns = _parse(path, content, delimiter, names, n_skipped=1 if header else 0)
    table = _as_table(path, columns, content, 1 if header else 0, options)
    return [from_table(table, options if header else _positional(options))]


def read_parquet(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read an edge table from a parquet file."""
    try:
        table = pyarrow.parquet.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise FileFormatError(path, f"not parquet: {error}") from error
    return [from_table(table, options)]


def _content_lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Return the lines that hold something, numbered from 1."""
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield number, line.decode("utf-8").strip()


def _line_of(content: bytes, row: int, n_skipped: int) -> int:
    """Return the line of the file that holds a row of the table."""
    for count, (number, _) in enumerate(_content_lines(content)):
        if count == row + n_skipped:
            return number
    return 0


def _positional(options: ReadOptions) -> ReadOptions:
    return replace(options, columns=(options.columns[0], *_UNNAMED[:2]))


def _delimiter(path: Path, line: str) -> str:
    if path.suffix.lower() == ".tsv":
        return "\t"
    return next((sign for sign in (",", ";", "\t") if sign in line), "")


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter)) if delimiter else line.split()


def _header(fields: list[str], options: ReadOptions) -> tuple[str, ...]:
    """Return the names of the columns if the first line is a header."""
    lowered = [field.lower() for field in fields]
    for source, target in (options.columns[1:], *_HEADERS):
        if source in fields and target in fields:
            known = {source: options.columns[1], target: options.columns[2]}
            return tuple(known.get(field, field) for field in fields)
        if source.lower() in lowered and target.lower() in lowered:
            known = {source.lower(): options.columns[1], target.lower(): options.columns[2]}
            return tuple(known.get(field, field) for field in lowered)
    return ()


def _parse(
    path: Path, content: bytes, delimiter: str, names: tuple[str, ...], n_skipped: int
) -> dict[str, Any]:
    """Parse the fields as text."""
    if len(set(names)) < len(names):
        raise FileFormatError(path, f"the header names a column twice: {', '.join(names)}")
    text = content
    if not delimiter:
        text = re.sub(rb"[ \t]+", b" ", text)
        text = re.sub(rb"(?m)^ | $", b"", text)
    if n_skipped:
        text = text.lstrip().partition(b"\n")[2]
    if not text.strip():
        return {name: pa.chunked_array([pa.array([], pa.string())]) for name in names}
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            read_options=pyarrow.csv.ReadOptions(column_names=list(names)),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter or " "),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise _bad_line(path, content, delimiter, len(names), error) from error
    return {name: pc.utf8_trim_whitespace(table[name]) for name in names}


def _bad_line(
    path: Path, content: bytes, delimiter: str, n_fields: int, error: Exception
) -> FileFormatError:
    """Find the line that the parser refused."""
    for number, line in _content_lines(content):
        if len(_split(line, delimiter)) != n_fields or line.count('"') % 2:
            return FileFormatError(
                path, f"expected {n_fields} fields, got {line[:60]!r}", line=number
            )
    return FileFormatError(path, f"not an edge list: {' '.join(str(error).split())}")


def _as_table(
    path: Path,
    columns: dict[str, Any],
    content: bytes,
    n_skipped: int,
    options: ReadOptions | None = None,
) -> pa.Table:
    """Make ids whole numbers where all are, and weights numbers."""
    options = options or ReadOptions()
    for name, column in columns.items():
        empty = pc.equal(column, "").to_numpy() if pa.types.is_string(column.type) else ()
        if np.any(empty):
            line = _line_of(content, int(np.argmax(empty)), n_skipped)
            raise FileFormatError(path, f"the field {name!r} is empty", line=line)
    ends = [name for name in columns if name in {*options.columns[1:], *_UNNAMED[:2]}]
    for group in (ends, [name for name in columns if name == options.columns[0]]):
        if all(
            pc.all(pc.match_substring_regex(columns[n], _WHOLE_NUMBER)).as_py()
            for n in group
        ):
            columns |= {name: columns[name].cast(pa.int64()) for name in group}
    key = "weight" if options.edge_weight in {AUTO, None} else str(options.edge_weight)
    if key in columns and key not in ends and pa.types.is_string(columns[key].type):
        columns[key] = _as_weights(path, columns[key], content, n_skipped)
    return pa.table(columns)


def _as_weights(path: Path, column: Any, content: bytes, n_skipped: int) -> Any:
    try:
        weights = column.cast(pa.float64())
        wrong = ~(np.isfinite(weights.to_numpy()) & (weights.to_numpy() >= 0))
    except pa.ArrowInvalid:
        wrong = np.array([not _is_number(value) for value in column.to_pylist()])
        weights = column
    if wrong.any():
        row = int(np.argmax(wrong))
        raise FileFormatError(
            path,
            f"the weight {column[row].as_py()!r} is no finite number from 0 upwards",
            line=_line_of(content, row, n_skipped),
        )
    return weights


def _is_number(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False


def _read_dicts(path: Path, content: bytes, options: ReadOptions) -> dict[str, Any]:
    """Read ``source target {data}`` as networkx writes it."""
    key = "weight" if options.edge_weight in {AUTO, None} else options.edge_weight
    rows, weighted = [], False
    for number, line in _content_lines(content):
        try:
            source, target, text = line.split(maxsplit=2)
            data = ast.literal_eval(text)
            weighted |= key in data
            rows.append((source, target, float(data.get(key, 1))))
        except (ValueError, SyntaxError, TypeError, AttributeError) as error:
            raise FileFormatError(
                path, f"expected source, target and a dict, got {line[:60]!r}", line=number
            ) from error
    columns = [pa.chunked_array([pa.array(column)]) for column in zip(*rows, strict=True)]
    return dict(zip(_UNNAMED if weighted else _UNNAMED[:2], columns, strict=False))
