"""Tables for people, JSON for programs."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from gskn.cli._console import echo, fit_encoding, make_console

_PIPE_WIDTH = 200
# SIMPLE_HEAD without characters beyond ASCII; the substitute of rich has a full frame.
_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def show(
    rows: Sequence[Mapping[str, Any]], *, title: str, as_json: bool, caption: str = ""
) -> None:
    """Print rows as an aligned table, or as JSON."""
    if as_json:
        echo(json.dumps(list(rows), indent=2))
        return
    console = make_console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = make_console(width=_PIPE_WIDTH)  # a pipe has no width
    cells = {
        _heading(key): [fit_encoding(_as_cell(row[key]), console) for row in rows]
        for key in (rows[0] if rows else ())
    }
    numeric = {
        _heading(key)
        for key in (rows[0] if rows else ())
        if all(_is_number(row[key]) for row in rows)
    }
    console.print(Text(fit_encoding(title, console), style="bold"))
    _print_cells(console, cells, numeric)
    if caption:
        console.print(Text(fit_encoding(caption, console), style="dim"))


def _print_cells(
    console: Console, cells: Mapping[str, list[str]], numeric: set[str]
) -> None:
    """Print columns as tables that are at most as wide as the screen."""
    box = _ASCII_HEAD if console.options.ascii_only else SIMPLE_HEAD
    for headings in _fitting(cells, console.width):
        table = Table(box=box, padding=(0, 1, 0, 0))
        for heading in headings:
            justify: JustifyMethod = "right" if heading in numeric else "left"
            table.add_column(
                Text(fit_encoding(heading, console)), justify=justify, overflow="fold"
            )
        for texts in zip(*(cells[heading] for heading in headings), strict=True):
            table.add_row(*map(Text, texts))
        console.print(table)


def _fitting(cells: Mapping[str, list[str]], width: int) -> list[list[str]]:
    """Split columns into tables as wide as the screen; each begins with the first one."""
    widths = {key: max(map(len, [key, *cells[key]])) + 2 for key in cells}
    groups: list[list[str]] = []
    for key in cells:
        group = groups[-1] if groups else []
        if group and sum(widths[k] for k in group) + widths[key] + 2 <= width:
            group.append(key)
        else:
            groups.append([next(iter(cells)), key] if groups else [key])
    return groups


def _heading(key: str) -> str:
    return key.replace("_", " ")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _as_cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return str(value)
