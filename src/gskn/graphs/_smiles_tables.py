"""Tables with a column of SMILES: pandas, pyarrow, csv and parquet."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from gskn._validation import shorten
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._edgelist import (
    HEADERS,
    Text,
    find_delimiter,
    parse_fields,
    read_edges,
)
from gskn.graphs._molecules import from_molecules, is_smiles, read_smiles_rows
from gskn.graphs._options import ReadOptions
from gskn.graphs._text import read_text_bytes

_SMILES = "smiles"
_NAMES = ("name", "id")
_N_LINES = 20  # that are compared with the syntax of SMILES
_BONDS = re.compile(r"[=()\[\]]")


def find_smiles_column(names: Sequence[str], options: ReadOptions) -> str | None:
    """Return the column of SMILES, or None if a table contains edges.

    Without ``smiles``, it is a column of that name, or the only one whose name ends in it
    (such as ``canonical_smiles``), in any case, in a table without columns of sources and
    targets.
    """
    if isinstance(options.smiles, str):
        if options.smiles not in names:
            listed = ", ".join(map(shorten, names[:20])) or "none"
            raise InputError(
                f"The table has no column {options.smiles!r} of SMILES. Existing columns: "
                f"{listed}."
            )
        return options.smiles
    if options.smiles is False:
        return None
    lowered = [name.lower() for name in names]
    if _has_ends(lowered, options):
        return None
    if _SMILES in lowered:
        return names[lowered.index(_SMILES)]
    similar = [name for name in names if name.lower().endswith(_SMILES)]
    if len(similar) > 1:
        raise InputError(
            f"There are several columns of SMILES: {', '.join(map(shorten, similar))}. "
            f"Select one with smiles={similar[0]!r}, or name one 'smiles'."
        )
    return similar[0] if similar else None


def _has_ends(lowered: Sequence[str], options: ReadOptions) -> bool:
    """Return whether there are columns of sources and targets."""
    return any(
        all(end.lower() in lowered for end in ends)
        for ends in (options.columns[1:], *HEADERS)
    )


def from_smiles_table(table: Any, column: str, options: ReadOptions) -> GraphParts:
    """Convert the molecules of a pandas or pyarrow table.

    Graphs are named by a column ``name`` or ``id``, else by their SMILES.
    """
    names = [name for name in table.columns if isinstance(name, str)]
    if isinstance(table, pa.Table | pa.RecordBatch):
        names = table.schema.names
    name_key = find_name_column(names)
    smiles = as_list(table[column])
    return from_molecules(
        smiles, options, None if name_key is None else as_list(table[name_key])
    )


def read_csv(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read molecules from a file with a column of SMILES in its header, else edges."""
    content = read_text_bytes(path)
    text = Text(path, content)
    columns = _parse(text, options)
    if columns is None:
        if options.smiles is None:
            _check_edges(text, options)
        return read_edges(path, content, options)
    smiles = columns[str(find_smiles_column(list(columns), options))].to_pylist()
    name_key = find_name_column(list(columns))
    names = smiles if name_key is None else columns[name_key].to_pylist()
    return read_smiles_rows(path, smiles, names, options, lambda row: text.line_of(row, 1))


def read_csv_columns(path: Path, options: ReadOptions) -> Mapping[str, Any] | None:
    """Return the columns of a file with a column of SMILES; None for other files."""
    return _parse(Text(path, read_text_bytes(path)), options)


def _parse(text: Text, options: ReadOptions) -> dict[str, Any] | None:
    """Return the columns of a file with a column of SMILES; None for a list of edges."""
    number, line = next(text.lines(), (0, ""))
    delimiter = find_delimiter(text.path, line)
    header = [field.strip() for field in text.split(number, line, delimiter)]
    if not number or find_smiles_column(header, options) is None:
        return None
    return parse_fields(text, delimiter, tuple(header), 1)


def _check_edges(text: Text, options: ReadOptions) -> None:
    """Raise if a file without names of sources and targets has one column of SMILES.

    It would be read as a list of edges between molecules and their properties.
    """
    lines = [*islice(text.lines(), _N_LINES + 1)]
    delimiter = find_delimiter(text.path, lines[0][1]) if lines else ""
    rows = [text.split(number, line, delimiter) for number, line in lines]
    if len(rows) < 2 or _has_ends([field.strip().lower() for field in rows[0]], options):
        return
    columns = [
        [field.strip() for field in column] for column in zip(*rows[1:], strict=False)
    ]
    found = [number for number, column in enumerate(columns) if all(map(is_smiles, column))]
    if len(found) == 1 and any(map(_BONDS.search, columns[found[0]])):
        name = rows[0][found[0]].strip()
        other = "" if is_smiles(name) else f", or pass smiles={shorten(name)} to as_batch"
        raise FileFormatError(
            text.path,
            f"column {found[0] + 1} contains SMILES; its name, in the first line, must be "
            f"'smiles' or end in it{other}",
        )


def find_name_column(names: Sequence[str]) -> str | None:
    """Return the column of the names of molecules, if a table has one."""
    return next((name for name in names if name.lower() in _NAMES), None)


def as_list(column: Any) -> list[Any]:
    """Return a column of pandas or pyarrow as a list; missing values are None."""
    if hasattr(column, "to_pylist"):
        return list(column.to_pylist())
    missing = column.isna().tolist()
    values = column.tolist()
    return [None if gap else value for gap, value in zip(missing, values, strict=True)]
