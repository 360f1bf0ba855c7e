"""Tables in HTML, for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers are right-aligned, and all texts are escaped.

    Examples
    --------
    >>> html_table(["name"], [["<b>"]])
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td
    style="text-align: left">&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_paragraph(text: str) -> str:
    """Return a paragraph of escaped text."""
    return f"<p>{escape(text)}</p>"


def _cell(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:,}" if isinstance(value, int) and is_number else str(value)
    if isinstance(value, float):
        text = f"{value:.4g}"
    side = "right" if is_number else "left"
    return f'<td style="text-align: {side}">{escape(text)}</td>'
