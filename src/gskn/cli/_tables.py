"""Tables for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
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
    if not console.is_terminal:  # a pipe has no width, and wrapping would cut paths
        console = Console(width=_PIPE_WIDTH)
    table = Table(
        title=title,
        caption=caption or None,
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
        caption_justify="left",
    )
    columns = list(rows[0]) if rows else []
    for key in columns:
        numeric = all(isinstance(row[key], int | float | None) for row in rows)
        numeric &= not all(isinstance(row[key], bool) for row in rows)
        table.add_column(
            key.replace("_", " "),
            justify="right" if numeric else "left",
            no_wrap=key != columns[-1],
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(_as_cell(value)) for value in row.values()))
    console.print(table)


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
