"""Format rows of results as HTML tables.

Numbers are right-aligned and never wrap, standard deviations are small, and the best number
of a column or row is bold. Columns named ``group, column`` share a header cell.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Literal

Row = Mapping[str, Any]
Best = Literal["largest", "smallest"]

MISSING = frozenset({"", "-", "missing"})
# Texts that say why a cell has no number begin like this.
REASONS = ("for graphs only", "for nodes only", "nested only", "not run", "too large")
DASH = "\N{EN DASH}"
_MARKS = {
    ">": '<span class="verdict" title="significantly better than GSKN">▲</span>',
    "<": '<span class="verdict" title="significantly worse than GSKN">▼</span>',
}
_NUMBER = re.compile(
    r"(?P<mean>[-+]?\d[\d,.]*)( ± (?P<spread>[\d.]+))?"
    r"( (?P<mark>[<>]))?( \((?P<note>.*)\))?"
)


@dataclass(frozen=True)
class Cell:
    """A cell with a number; the other parts are None if they are not given."""

    text: str
    mean: str | None = None
    spread: str | None = None
    mark: str | None = None
    note: str | None = None

    @classmethod
    def from_text(cls, value: Any) -> "Cell":
        """Return the parts of a text such as ``88.0 ± 5.9 >``."""
        text = str(value)
        match = _NUMBER.fullmatch(text)
        return cls(text, **match.groupdict()) if match else cls(text)

    @property
    def is_missing(self) -> bool:
        """Whether there is no number and no text."""
        return self.text in MISSING

    @property
    def is_reason(self) -> bool:
        """Whether the text says why there is no number."""
        return self.text.startswith(REASONS)

    @property
    def value(self) -> float | None:
        """The number, or None."""
        return None if self.mean is None else float(self.mean.replace(",", ""))


def number_in(row: Row, column: str) -> float | None:
    """Return the number in one cell, or None."""
    return Cell.from_text(row.get(column, "")).value


def sort_rows(rows: Iterable[Row], *columns: str, largest: bool = True) -> list[Row]:
    """Sort by the first column that has a number; rows without a number come last."""

    def key(row: Row) -> tuple[int, float]:
        for place, column in enumerate(columns):
            value = number_in(row, column)
            if value is not None:
                return place, -value if largest else value
        return len(columns), 0.0

    return sorted(rows, key=key)


def html_table(
    rows: Sequence[Row],
    *,
    best: Mapping[str, Best] | None = None,
    best_in_row: Sequence[str] = (),
    muted: Collection[int] = (),
) -> str:
    """Return a table without blank lines, so that Markdown leaves it as it is.

    ``best`` maps columns to the best number of a column, and ``best_in_row`` lists columns
    whose largest number in each row is bold. ``muted`` contains the numbers of rows that
    are gray and not compared with others.
    """
    columns = list(rows[0])
    cells = {name: [Cell.from_text(row[name]) for row in rows] for name in columns}
    numeric = {name for name in columns if _is_numeric(cells[name])}
    bold = _best_in_columns(cells, best or {}, muted) | _best_in_rows(cells, best_in_row)
    body = []
    for number in range(len(rows)):
        line = "".join(
            _format(
                cells[name][number],
                header=name == columns[0],
                numeric=name in numeric,
                bold=(name, number) in bold,
                parts={
                    part
                    for cell in cells[name]
                    for part in ("spread", "mark")
                    if getattr(cell, part)
                },
            )
            for name in columns
        )
        kind = ' class="muted"' if number in muted else ""
        body.append(f"<tr{kind}>{line}</tr>\n")
    head = _head(columns, numeric)
    return (
        '<div class="results-scroll" tabindex="0">\n<table class="results">\n'
        f"<thead>\n{head}</thead>\n<tbody>\n{''.join(body)}</tbody>\n</table>\n</div>\n"
    )


def tab_set(tabs: Mapping[str, str]) -> str:
    """Return tabs in Markdown, one for every title and text."""
    items = "".join(
        f"::::{{tab-item}} {title}\n\n{text}\n::::\n" for title, text in tabs.items()
    )
    return f":::::{{tab-set}}\n{items}:::::\n"


def _is_numeric(cells: Sequence[Cell]) -> bool:
    present = [cell for cell in cells if not (cell.is_missing or cell.is_reason)]
    return bool(present) and all(cell.mean is not None for cell in present)


def _best_in_columns(
    cells: Mapping[str, Sequence[Cell]], best: Mapping[str, Best], muted: Collection[int]
) -> set[tuple[str, int]]:
    bold = set()
    for name, kind in best.items():
        values = [
            None if number in muted else cell.value
            for number, cell in enumerate(cells.get(name, ()))
        ]
        numbers = [value for value in values if value is not None]
        if len(numbers) > 1:
            target = max(numbers) if kind == "largest" else min(numbers)
            bold |= {(name, n) for n, value in enumerate(values) if value == target}
    return bold


def _best_in_rows(
    cells: Mapping[str, Sequence[Cell]], names: Sequence[str]
) -> set[tuple[str, int]]:
    bold = set()
    for number in range(len(cells[names[0]]) if names else 0):
        values = {name: cells[name][number].value for name in names}
        numbers = [value for value in values.values() if value is not None]
        bold |= {(n, number) for n, value in values.items() if value in {max(numbers)}}
    return bold


def _head(columns: Sequence[str], numeric: set[str]) -> str:
    """Return one or two header rows; columns of one group are adjacent."""
    groups = [
        (group, list(members))
        for group, members in groupby(columns, lambda name: name.partition(", ")[0])
    ]
    if all(len(members) == 1 for _, members in groups):
        return f"<tr>{''.join(_header(name, name in numeric) for name in columns)}</tr>\n"
    first, second = "", ""
    for group, members in groups:
        if len(members) == 1:
            first += _header(members[0], members[0] in numeric, ' rowspan="2"')
            continue
        first += f'<th class="group" colspan="{len(members)}">{escape(group)}</th>'
        for name in members:
            second += _header(name.partition(", ")[2], name in numeric)
    return f"<tr>{first}</tr>\n<tr>{second}</tr>\n"


def _header(name: str, is_numeric: bool, span: str = "") -> str:  # noqa: FBT001
    kind = ' class="number"' if is_numeric else ""
    return f"<th{kind}{span}>{escape(name)}</th>"


def _format(cell: Cell, *, header: bool, numeric: bool, bold: bool, parts: set[str]) -> str:
    """Return a cell; the cells of a column have the same parts, so they are aligned."""
    if header:
        return f'<th scope="row">{escape(cell.text)}</th>'
    if not numeric:
        return f"<td>{'' if cell.is_missing else escape(cell.text)}</td>"
    if cell.is_reason:
        return f'<td class="number"><span class="note">{escape(cell.text)}</span></td>'
    text = DASH if cell.is_missing else _separate(cell.mean or "")
    text = f"<strong>{text}</strong>" if bold else text
    if "spread" in parts:
        spread = f"± {cell.spread}" if cell.spread else ""
        text += f'<span class="spread">{spread}</span>'
    if "mark" in parts:
        text += _MARKS.get(cell.mark or "", '<span class="verdict"></span>')
    if cell.note:
        text = f'<span class="note">({escape(cell.note)})</span> {text}'
    return f'<td class="number">{text}</td>'


def _separate(number: str) -> str:
    """Return a number with separators of thousands if it is an integer."""
    return f"{int(number):,}" if number.isdigit() else number
