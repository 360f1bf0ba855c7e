"""Edge lists: text files with one edge per line.

pyarrow parses the text in bulk. If it fails, the text is read again line by line to find
the number of the malformed line.
"""

import ast
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import AUTO, ReadOptions
from gskn.graphs._table import EDGE_ATTRIBUTES, EDGE_LABEL, from_table
from gskn.graphs._text import read_text_bytes

_UNNAMED = ("source", "target", "weight")
HEADERS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("id_1", "id_2"),
    ("node_1", "node_2"),
)
_COMMENT = re.compile(rb"^[ \t]*[#%].*$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")
_EDGE_WITH_DICT = re.compile(r"\S+\s+\S+\s+\{.*\}$")
# Integers as Python writes them: "007" and "1e5" are text.
_WHOLE_NUMBER = "^(0|-?[1-9][0-9]{0,17})$"
_MAX_LINE_BYTES = 2**20  # pyarrow parses blocks of this size
# Errors of ast.literal_eval and of the conversion of its result.
_LITERAL_ERRORS = (
    ValueError,
    SyntaxError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,  # raised by the parser for deep nesting
)


def read_edge_list(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read lines of ``source target [weight]``, with or without a header.

    A header names at least source and target, by the names in the options or by the names
    in `HEADERS`. The names of the source, target, graph and weight columns, and of the
    columns ``edge_label`` and ``edge_attributes``, match in any case. Fields are separated
    by comma, semicolon or tab, or else by blanks. Lines that start with ``#`` or ``%`` are
    comments. Ids are read as integers if all of them are integers, else as text. Lines that
    end in a dict, as written by networkx, are supported.
    """
    return read_edges(path, read_text_bytes(path), options)


def read_edges(path: Path, content: bytes, options: ReadOptions) -> list[GraphParts]:
    """Read the content of an edge list."""
    text = Text(path, _COMMENT.sub(b"", content))
    number, line = next(text.lines(), (0, ""))
    if not number:
        return [GraphParts([0], [], [])]
    if _EDGE_WITH_DICT.match(line):
        columns = _read_dicts(text, options)
        return [from_table(_as_table(text, columns, 0, options), _positional(options))]
    delimiter = find_delimiter(path, line)
    fields = text.split(number, line, delimiter)
    header = _header([field.strip() for field in fields], options)
    if not header and not 2 <= len(fields) <= len(_UNNAMED):
        raise FileFormatError(
            path,
            f"{len(fields)} fields and no header; add a first line with the names of the "
            f"columns, for instance: {','.join(options.columns)},weight",
            line=number,
        )
    n_skipped = 1 if header else 0
    names = header or _UNNAMED[: len(fields)]
    columns = parse_fields(text, delimiter, names, n_skipped)
    table = _as_table(text, columns, n_skipped, options)
    return [from_table(table, options if header else _positional(options))]


@dataclass(frozen=True)
class Text:
    """The content of an edge list without comments."""

    path: Path
    content: bytes

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the non-blank lines with their numbers, from 1."""
        for number, line in enumerate(self.content.split(b"\n"), start=1):
            if line.strip():
                try:
                    yield number, line.decode("utf-8").strip()
                except UnicodeDecodeError as error:
                    raise FileFormatError(
                        self.path, f"not UTF-8: {error.reason}", line=number
                    ) from error

    def line_of(self, row: int, n_skipped: int) -> int:
        """Return the number of the line that contains a row of the table."""
        for count, (number, _) in enumerate(self.lines()):
            if count == row + n_skipped:
                return number
        return 0

    def split(self, number: int, line: str, delimiter: str) -> list[str]:
        """Split a line into fields."""
        if not delimiter:
            return _BLANKS.split(line)
        if '"' not in line:
            return line.split(delimiter)
        try:
            return next(csv.reader([line], delimiter=delimiter))
        except csv.Error as error:
            raise FileFormatError(self.path, str(error), line=number) from error


def _positional(options: ReadOptions) -> ReadOptions:
    return replace(options, columns=(options.columns[0], *_UNNAMED[:2]))


def find_delimiter(path: Path, line: str) -> str:
    """Return the separator of fields, empty for blanks."""
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        return "\t"
    return next((sign for sign in (",", ";", "\t") if sign in line), "")


def _header(fields: list[str], options: ReadOptions) -> tuple[str, ...]:
    """Return the names of the columns if the first line is a header, else ()."""
    lowered = [field.lower() for field in fields]
    for source, target in (options.columns[1:], *HEADERS):
        if source.lower() in lowered and target.lower() in lowered:
            new_names = {source: options.columns[1], target: options.columns[2]}
            data_keys = (_label_key(options), *_attribute_keys(options))
            for name in (options.columns[0], _weight_key(options), *data_keys):
                new_names.setdefault(name, name)
            return _rename(fields, new_names)
    return ()


def _rename(fields: Sequence[str], new_names: dict[str, str]) -> tuple[str, ...]:
    """Rename columns; a name matches in any case unless a field matches exactly."""
    in_any_case = {
        name.lower(): column for name, column in new_names.items() if name not in fields
    }
    return tuple(
        new_names.get(field) or in_any_case.get(field.lower(), field) for field in fields
    )


def _weight_key(options: ReadOptions) -> str:
    key = options.edge_weight
    return "weight" if key is None or key == AUTO else key


def _label_key(options: ReadOptions) -> str:
    key = options.edge_label
    return EDGE_LABEL if key is None or key == AUTO else key


def _attribute_keys(options: ReadOptions) -> Sequence[str]:
    keys = options.edge_attributes
    if keys is None or keys == AUTO:
        return (EDGE_ATTRIBUTES,)
    return (keys,) if isinstance(keys, str) else tuple(keys)


def parse_fields(
    text: Text, delimiter: str, names: tuple[str, ...], n_skipped: int
) -> dict[str, Any]:
    """Parse all fields as text."""
    if len(set(names)) < len(names):
        raise FileFormatError(
            text.path, f"the header contains a name twice: {', '.join(names)}"
        )
    content = text.content
    if not delimiter:
        content = re.sub(rb"[ \t]+", b" ", content)
        content = re.sub(rb"(?m)^ | $", b"", content)
    if n_skipped:
        content = content.lstrip().partition(b"\n")[2]
    if not content.strip():
        return {name: pa.chunked_array([pa.array([], pa.string())]) for name in names}
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            read_options=pyarrow.csv.ReadOptions(
                column_names=list(names), block_size=_MAX_LINE_BYTES
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter or " "),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise _bad_line(text, delimiter, len(names), error) from error
    return {name: pc.utf8_trim_whitespace(table[name]) for name in names}


def _bad_line(
    text: Text, delimiter: str, n_fields: int, error: Exception
) -> FileFormatError:
    """Find the line that the parser rejected."""
    for number, line in text.lines():
        n_bytes = len(line.encode())
        if n_bytes > _MAX_LINE_BYTES:
            reason = f"the line has {n_bytes} bytes, more than {_MAX_LINE_BYTES}"
            return FileFormatError(text.path, reason, line=number)
        if len(text.split(number, line, delimiter)) != n_fields or line.count('"') % 2:
            reason = f"expected {n_fields} fields, got {line[:60]!r}"
            return FileFormatError(text.path, reason, line=number)
    return FileFormatError(text.path, f"not an edge list: {describe_error(error)}")


def _as_table(
    text: Text,
    columns: dict[str, Any],
    n_skipped: int,
    options: ReadOptions | None = None,
) -> pa.Table:
    """Convert weights to numbers, and ids to integers if all of them are integers."""
    options = options or ReadOptions()
    for name, column in columns.items():
        empty = pc.equal(column, "").to_numpy() if pa.types.is_string(column.type) else ()
        if np.any(empty):
            line = text.line_of(int(np.argmax(empty)), n_skipped)
            raise FileFormatError(text.path, f"the field {name!r} is empty", line=line)
    ends = [name for name in columns if name in {*options.columns[1:], *_UNNAMED[:2]}]
    for group in (ends, [name for name in columns if name == options.columns[0]]):
        if all(_are_whole_numbers(columns[name]) for name in group):
            columns |= {name: columns[name].cast(pa.int64()) for name in group}
    key = _weight_key(options)
    if key in columns and key not in ends and pa.types.is_string(columns[key].type):
        columns[key] = _as_weights(text, columns[key], n_skipped)
    return pa.table(columns | _edge_data(text, columns, n_skipped, options))


def _edge_data(
    text: Text, columns: dict[str, Any], n_skipped: int, options: ReadOptions
) -> dict[str, Any]:
    """Convert edge labels to integers if all are integers, and edge attributes."""
    converted = {}
    key = _label_key(options)
    if key in columns and _are_whole_numbers(columns[key]):
        converted[key] = columns[key].cast(pa.int64())
    for key in _attribute_keys(options):
        if key in columns and pa.types.is_string(columns[key].type):
            converted[key] = _as_attributes(text, columns[key], n_skipped)
    return converted


def _are_whole_numbers(column: Any) -> bool:
    """Return whether a column of text contains integers only."""
    return pa.types.is_string(column.type) and bool(
        pc.all(pc.match_substring_regex(column, _WHOLE_NUMBER)).as_py()
    )


def _as_attributes(text: Text, column: Any, n_skipped: int) -> Any:
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        wrong = [not _is_float(value) for value in column.to_pylist()]
        row = int(np.argmax(wrong))
        raise FileFormatError(
            text.path,
            f"the edge attribute {column[row].as_py()[:60]!r} is not a number",
            line=text.line_of(row, n_skipped),
        ) from None


def _as_weights(text: Text, column: Any, n_skipped: int) -> Any:
    try:
        weights = column.cast(pa.float64())
        wrong = ~(np.isfinite(weights.to_numpy()) & (weights.to_numpy() >= 0))
    except pa.ArrowInvalid:
        wrong = np.array([not _is_number(value) for value in column.to_pylist()])
        weights = column
    if wrong.any():
        row = int(np.argmax(wrong))
        raise FileFormatError(
            text.path,
            f"the weight {column[row].as_py()[:60]!r} is not a finite number >= 0",
            line=text.line_of(row, n_skipped),
        )
    return weights


def _is_number(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_dicts(text: Text, options: ReadOptions) -> dict[str, Any]:
    """Read lines of ``source target {data}``, as written by networkx."""
    key = _weight_key(options)
    edges, records, weighted = [], [], False
    for number, line in text.lines():
        try:
            source, target, literal = line.split(maxsplit=2)
            data = ast.literal_eval(literal)
            weighted |= key in data
            edges.append((source, target, float(data.get(key, 1))))
            records.append((number, data))
        except _LITERAL_ERRORS as error:
            raise FileFormatError(
                text.path,
                f"expected source, target and a dict, got {line[:60]!r}",
                line=number,
            ) from error
    columns = [pa.chunked_array([pa.array(column)]) for column in zip(*edges, strict=True)]
    table = dict(zip(_UNNAMED if weighted else _UNNAMED[:2], columns, strict=False))
    for name, data_key in _dict_keys(options).items():
        column = _read_dict_column(text, records, data_key)
        if column is not None:
            table[name] = column
    return table


def _dict_keys(options: ReadOptions) -> dict[str, str]:
    """Return the key in the dict of an edge for every column of edge data."""
    keys = {}
    if options.edge_label is not None:
        name = _label_key(options)
        keys[name] = "label" if options.edge_label == AUTO else name
    if options.edge_attributes is not None:
        is_auto = options.edge_attributes == AUTO
        names = _attribute_keys(options)
        keys |= {name: "attributes" if is_auto else name for name in names}
    return keys


def _read_dict_column(
    text: Text, records: list[tuple[int, dict[str, Any]]], key: str
) -> Any:
    """Return the values of a key, or None if no edge has it; raise if only some have."""
    values = [data.get(key) for _, data in records]
    if all(value is None for value in values):
        return None
    if None in values:
        line = records[values.index(None)][0]
        raise FileFormatError(
            text.path, f"the edge has no {key!r}, but other edges have", line=line
        )
    if len({*map(type, values)}) > 1 and not {*map(type, values)} <= {int, float}:
        values = [str(value) for value in values]
    try:
        return pa.chunked_array([pa.array(values)])
    except (pa.ArrowException, OverflowError) as error:
        raise FileFormatError(
            text.path, f"{key!r} of the edges cannot be read: {describe_error(error)}"
        ) from error
