"""Tables and pages in HTML, for notebooks and reports."""

from collections.abc import Iterable, Sequence
from html import escape

_MAX_UNBROKEN = 24  # characters of a cell that stays on one line


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers are right-aligned, and all texts are escaped.

    Examples
    --------
    >>> html_table(["name"], [["<b>"]])
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td
    style="text-align: left; white-space: nowrap">&lt;b&gt;</td></tr></tbody></table>'
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
    side = "right" if is_number or text == "-" else "left"
    wrap = "nowrap" if len(text) <= _MAX_UNBROKEN else "normal"
    return f'<td style="text-align: {side}; white-space: {wrap}">{escape(text)}</td>'


def html_page(title: str, body: str) -> str:
    """Return a complete page that needs neither network nor scripts.

    A script sorts tables of the class "sortable" when their headers are clicked.
    """
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main>"
        f"<script>{_SORT}</script></body></html>\n"
    )


_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5;
  --ground: #f4f6f8; --card: #fff; --link: #1d55a5; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 34px 0 10px; }
h3 { font-size: 16px; margin: 0 0 4px; overflow-wrap: anywhere; }
h4 { font-size: 13px; margin: 14px 0 4px; color: var(--soft); font-weight: 600; }
p { margin: 0 0 10px; max-width: 78ch; }
.soft { color: var(--soft); font-size: 13.5px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 20px; margin: 0 0 16px; break-inside: avoid; }
.graph { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr);
  gap: 6px 28px; align-items: start; }
.graph > header { grid-column: 1 / -1; }
.graph > * { min-width: 0; }
.facts { display: flex; flex-wrap: wrap; gap: 6px 26px; margin: 4px 0 8px; padding: 0; }
.facts div { line-height: 1.25; min-width: 0; }
.facts dt { color: var(--soft); font-size: 12.5px; }
.facts dd { margin: 0; font-size: 17px; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.picture svg, .plot svg { width: 100%; height: auto; display: block; }
.plot { overflow-x: auto; }
.plot svg { max-width: 760px; }
.scroll { overflow: auto; max-height: 540px; }
.scroll thead th { position: sticky; top: -18px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 14px;
  font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: 12.5px;
  border-bottom: 1.5px solid var(--line); padding: 5px 10px 5px 0; white-space: nowrap; }
td { border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0;
  vertical-align: middle; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; overflow-wrap: normal; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td svg { display: block; max-width: 100%; height: auto; }
.pattern { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 12px; }
.name { max-width: 30em; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.sortable th { cursor: pointer; }
.sortable th:focus-visible { outline: 2px solid var(--link); }
.sortable th[aria-sort="descending"]::after { content: " \\2193"; }
.sortable th[aria-sort="ascending"]::after { content: " \\2191"; }
.confusion { width: auto; }
.confusion th, .confusion td { text-align: center; min-width: 56px; padding: 8px 10px; }
.bar { display: inline-block; height: 9px; border-radius: 2px; vertical-align: middle; }
.legend { position: sticky; top: 0; z-index: 1; background: var(--ground);
  padding: 8px 0 4px; border-bottom: 1px solid var(--line); margin: 0 0 14px; }
.legend svg { max-width: 100%; height: auto; display: block; }
a { color: var(--link); }
details summary { cursor: pointer; color: var(--soft); font-size: 13.5px; margin-top: 8px; }
@media (max-width: 720px) {
  main { padding: 18px 12px 40px; }
  h1 { font-size: 22px; }
  .graph { grid-template-columns: minmax(0, 1fr); }
  .card { padding: 14px 13px; }
  .name { max-width: 34vw; }
  .wide { display: none; }
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --soft: #a3aebd; --line: #3a4452; --ground: #14181e;
    --card: #1d232c; --link: #8fb8f5; }
  /* Colors of pictures mean values on white. */
  .picture svg, .plot svg, .legend svg, td svg { background: #fff; border-radius: 6px; }
}
@media print {
  :root { color-scheme: light; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5;
    --card: #fff; --link: #1d55a5; }
  body { background: #fff; font-size: 11px; }
  main { max-width: none; padding: 0; }
  .legend { position: static; background: #fff; }
  .scroll { max-height: none; overflow: visible; break-inside: auto; }
  h2, h3, .legend, p { break-after: avoid; }
  tr { break-inside: avoid; }
  td { padding: 2px 8px 2px 0; }
  td svg { max-height: 56px; width: auto; }
  h4 { margin: 6px 0 2px; }
  details:not([open]) { display: none; }
  .scroll thead th { position: static; }
  table, th, .soft, h4, .facts dt { font-size: 10.5px; }
  .facts dd { font-size: 12.5px; }
  .picture svg, .plot svg { max-width: 430px; }
  .name { max-width: 22em; white-space: normal; overflow-wrap: anywhere; }
  .card { border-color: #bbb; padding: 10px; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
_SORT = """
document.querySelectorAll("table.sortable").forEach(function (table) {
  table.querySelectorAll("th").forEach(function (head, column) {
    head.tabIndex = 0;
    head.title = "sort by " + (head.textContent || "this column");
    head.addEventListener("keydown", function (event) {
      if (event.key === "Enter") head.click();
    });
    head.addEventListener("click", function () {
      var down = head.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("th").forEach(function (other) {
        other.removeAttribute("aria-sort");
      });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      var rows = Array.from(table.tBodies[0].rows);
      function key(row) {
        var cell = row.cells[column];
        var text = cell.dataset.value || cell.textContent;
        return text === "" || isNaN(text) ? text : Number(text);
      }
      rows.sort(function (a, b) {
        var x = key(a), y = key(b);
        return (x > y ? 1 : x < y ? -1 : 0) * (down ? -1 : 1);
      });
      rows.forEach(function (row) { table.tBodies[0].appendChild(row); });
    });
  });
});
"""
