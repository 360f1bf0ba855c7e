"""Print results as a table or as JSON."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from gskn.cli._console import echo, fit_encoding, make_console

_EMPTY = "-"
_NUMBER = re.compile(r"[-+]?[\d,.]+%?( (±|\+/-) [\d,.]+)?")
_PIPE_WIDTH = 200
_MIN_WRAPPED_WIDTH = 30  # of a column of long texts
# SIMPLE_HEAD in ASCII; the substitute that rich chooses has a full frame.
_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def show(
    rows: Sequence[Mapping[str, Any]], *, title: str, as_json: bool, caption: str = ""
) -> None:
    """Print rows as an aligned table, or as JSON."""
    if as_json:
        echo(json.dumps(list(rows), indent=2))
        return
    console = make_console(width=table_width())
    cells = {
        _heading(key): [fit_encoding(_as_cell(row[key]), console) for row in rows]
        for key in (rows[0] if rows else ())
    }
    numeric = {heading for heading, texts in cells.items() if _are_numbers(texts)}
    console.print(Text(fit_encoding(title, console), style="bold"))
    _print_cells(console, cells, numeric)
    if caption:
        console.print(Text(fit_encoding(caption, console), style="dim"))


def transpose(rows: Sequence[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return a row for every other key, with a column for every value of ``key``."""
    others = [name for name in (rows[0] if rows else ()) if name != key]
    return [
        {key: _heading(name), **{str(row[key]): row[name] for row in rows}}
        for name in others
    ]


def table_width() -> int:
    """Return the width of the screen; a pipe has none, and gets a large one."""
    console = make_console()
    is_pipe = not console.is_terminal and "COLUMNS" not in os.environ
    return _PIPE_WIDTH if is_pipe else console.width


def _print_cells(
    console: Console, cells: Mapping[str, list[str]], numeric: set[str]
) -> None:
    """Print columns as one or more tables that are at most as wide as the screen."""
    box = _ASCII_HEAD if console.options.ascii_only else SIMPLE_HEAD
    widths = {
        heading: min(max(map(len, [heading, *texts])), _MIN_WRAPPED_WIDTH)
        for heading, texts in cells.items()
    }
    for headings in _split_columns(widths, console.width):
        table = Table(box=box, padding=(0, 1, 0, 0))
        for heading in headings:
            justify: JustifyMethod = "right" if heading in numeric else "left"
            table.add_column(
                Text(fit_encoding(heading, console)),
                justify=justify,
                overflow="fold",
                min_width=min(widths[heading], console.width // 2 - 2),
            )
        for texts in zip(*(cells[heading] for heading in headings), strict=True):
            table.add_row(*map(Text, texts))
        console.print(table)


def _split_columns(widths: Mapping[str, int], total_width: int) -> list[list[str]]:
    """Group columns into tables of limited width; each begins with the first column."""
    first, *others = widths or [""]
    groups = [[first]] if widths else []
    for heading in others:
        columns = [*groups[-1], heading]
        # Two characters separate columns, and the table has a margin on both sides.
        if sum(widths[column] + 2 for column in columns) + 2 <= total_width:
            groups[-1] = columns
        else:
            groups.append([first, heading])
    return groups


def _heading(key: str) -> str:
    """Return the heading of a key; names of files and data sets are not changed."""
    is_name = "/" in key or key != key.lower()
    return key if is_name else key.replace("_", " ")


def _are_numbers(texts: Sequence[str]) -> bool:
    """Return whether most cells of a column are numbers, or all are empty."""
    filled = [text for text in texts if text != _EMPTY]
    return 2 * sum(map(bool, map(_NUMBER.fullmatch, filled))) >= len(filled)


def _as_cell(value: Any) -> str:
    if value is None:
        return _EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return str(value)
