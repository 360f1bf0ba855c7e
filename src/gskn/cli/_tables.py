"""Tables for people, JSON for programs."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 200


def show(
    rows: Sequence[Mapping[str, Any]], *, title: str, as_json: bool, caption: str = ""
) -> None:
    """Print rows as an aligned table, or as JSON."""
    if as_json:
        typer.echo(json.dumps(list(rows), indent=2))
        return
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=_PIPE_WIDTH)  # a pipe has no width
    cells = {key: [_as_cell(row[key]) for row in rows] for key in (rows[0] if rows else ())}
    numeric = {key for key in cells if all(_is_number(row[key]) for row in rows)}
    console.print(Text(title, style="bold"))
    for keys in _fitting(cells, console.width):
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for key in keys:
            justify: JustifyMethod = "right" if key in numeric else "left"
            table.add_column(_heading(key), justify=justify, overflow="fold")
        for number in range(len(rows)):
            table.add_row(*(Text(cells[key][number]) for key in keys))
        console.print(table)
    if caption:
        console.print(Text(caption, style="dim"))


def _fitting(cells: Mapping[str, list[str]], width: int) -> list[list[str]]:
    """Split columns into tables as wide as the screen; each begins with the first one."""
    widths = {key: max(map(len, [_heading(key), *cells[key]])) + 2 for key in cells}
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
