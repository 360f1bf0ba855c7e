"""Edge lists: text with one edge a line, or parquet."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gskn._optional import require
from gskn.exceptions import FileFormatError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._networkx import from_networkx
from gskn.graphs._options import ReadOptions
from gskn.graphs._table import from_table

_UNNAMED = ("source", "target", "weight")


def read_edge_list(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read lines of ``source target [weight]``, with or without a header.

    Fields are separated by comma, semicolon, tab or blanks; ``#`` and ``%`` begin a
    comment line. Lines that end in a dict, as networkx writes them, are understood.
    """
    lines = _content_lines(path)
    if not lines:
        return [GraphParts([0], [], [])]
    if lines[0][1].endswith("}"):
        return [_read_with_dicts(path, lines, options)]
    delimiter = _delimiter(lines[0][1])
    header = _header(lines[0][1], delimiter, options)
    rows = lines[1:] if header else lines
    names = header or _UNNAMED
    n_fields = len(header or lines[0][1].split(delimiter))
    if not header and not 2 <= n_fields <= len(_UNNAMED):
        raise FileFormatError(
            path,
            f"{n_fields} fields and no header; name the columns in a first line, "
            f"for instance: {','.join(options.columns)},weight",
            line=lines[0][0],
        )
    for number, line in rows:
        if len(line.split(delimiter)) != n_fields:
            raise FileFormatError(
                path, f"expected {n_fields} fields, got {line!r}", line=number
            )
    table = _parse([line for _, line in rows], delimiter, names[:n_fields])
    if not header:
        options = ReadOptions(
            **{**options.__dict__, "columns": (options.columns[0], *_UNNAMED[:2])}
        )
    return [from_table(table, options)]


def read_parquet(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read an edge table from a parquet file."""
    try:
        table = pyarrow.parquet.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise FileFormatError(path, f"not parquet: {error}") from error
    return [from_table(table, options)]


def _content_lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines that are neither blank nor comments, numbered from 1."""
    text = path.read_text(encoding="utf-8-sig")
    stripped = enumerate(map(str.strip, text.splitlines()), start=1)
    return [(number, line) for number, line in stripped if line and line[0] not in "#%"]


def _delimiter(line: str) -> str | None:
    return next((sign for sign in (",", ";", "\t") if sign in line), None)


def _header(line: str, delimiter: str | None, options: ReadOptions) -> tuple[str, ...]:
    """Return the column names if the first line names source and target."""
    fields = tuple(field.strip().strip('"') for field in line.split(delimiter))
    return fields if {*options.columns[1:]} <= {*fields} else ()


def _parse(lines: list[str], delimiter: str | None, names: tuple[str, ...]) -> Any:
    if not lines:
        return pa.table({name: pa.array([], pa.int64()) for name in names})
    if delimiter is None:
        lines = [re.sub(r"[ \t]+", " ", line) for line in lines]
    sign = delimiter or " "
    text = "\n".join(sign.join(f.strip() for f in line.split(sign)) for line in lines)
    return pyarrow.csv.read_csv(
        pa.BufferReader(text.encode()),
        read_options=pyarrow.csv.ReadOptions(column_names=list(names)),
        parse_options=pyarrow.csv.ParseOptions(delimiter=sign),
        convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=False),
    )


def _read_with_dicts(
    path: Path, lines: list[tuple[int, str]], options: ReadOptions
) -> GraphParts:
    networkx = require("networkx", extra="networkx")
    kind = networkx.DiGraph if options.directed else networkx.Graph
    for number, line in lines:
        try:
            networkx.parse_edgelist([line], create_using=kind)
        except (TypeError, ValueError, SyntaxError) as error:
            raise FileFormatError(path, f"{error}: {line!r}", line=number) from error
    graph = networkx.parse_edgelist([line for _, line in lines], create_using=kind)
    return from_networkx(graph, options)
