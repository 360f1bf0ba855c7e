"""Generate the tables, figures and numbers of the results page from its result file.

No model is evaluated here. ``gskn reproduce`` writes the records to
``results/records.jsonl``. Numbers and statements in the text of the page come from
``result_texts``.
"""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from html_tables import DASH, MISSING, Best, html_table, number_in, sort_rows, tab_set
from result_texts import page_numbers
from scipy.stats import rankdata

from gskn.evaluation import Record, ResultFile, save_figure
from gskn.reproduce import (
    EXPERIMENTS,
    NESTED,
    PAPER,
    PAPER_PROTOCOL,
    Experiment,
    best_baseline_rows,
)

Rows = Sequence[Mapping[str, Any]]

_NUMBERS = (PAPER, PAPER_PROTOCOL, NESTED)
_PUBLISHED = ", published"
_INDENTED = "published"
# Signs of tables in a terminal, and on the page.
_SIGNS = {"missing:": f"{DASH}:", "< and >": "▼ and ▲"}


def read_records(folder: Path) -> list[Record]:
    """Return the records of the results page."""
    return list(ResultFile(folder / "results" / "records.jsonl").read().values())


def set_numbers(app: Any, config: Any) -> None:
    """Make the numbers available to the text of all pages."""
    config.myst_substitutions |= page_numbers(read_records(Path(app.srcdir)))


def write_results(app: Any) -> None:
    """Write a page with table, figure and command for every experiment."""
    records = read_records(Path(app.srcdir))
    generated = Path(app.srcdir) / "results" / "generated"
    generated.mkdir(exist_ok=True)
    for experiment in EXPERIMENTS.values():
        text = _page(experiment, records)
        figure = experiment.figure(records) if experiment.figure else None
        if figure is not None:
            name = f"{experiment.name}.svg"
            save_figure(figure, generated / name)
            text += f"\n![{experiment.title}](generated/{name})\n"
        (generated / f"{experiment.name}.md").write_text(text, encoding="utf-8")
    (generated / "origin.md").write_text(_origin(records), encoding="utf-8")
    best = html_table(best_baseline_rows(records)) + "\n"
    (generated / "best-baselines.md").write_text(best, encoding="utf-8")


def _page(experiment: Experiment, records: Sequence[Record]) -> str:
    rows = experiment.rows(records)
    if not rows:
        return "Not run yet.\n"
    table = _LAYOUTS.get(experiment.name, html_table)(rows)
    text = experiment.caption_of(rows)
    for sign, replacement in _SIGNS.items():
        text = text.replace(sign, replacement)
    caption = f'<p class="results-caption">{escape(text)}</p>'
    return f"{table}\n{caption}\n\n{_command(experiment, records)}\n"


def _command(experiment: Experiment, records: Sequence[Record]) -> str:
    """Return the command that generates the table, and the dates of its records."""
    days = sorted({record.day for record in records if experiment.owns(record)})
    dates = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "not run yet"
    return f"`gskn reproduce {experiment.name} --full --out docs/results`, {dates}."


def _by_set(rows: Rows) -> str:
    """Return a tab with an overview and one tab per data set, sorted by our accuracy."""
    sets = dict.fromkeys(row["data"] for row in rows)
    tables = {data: _one_set([row for row in rows if row["data"] == data]) for data in sets}
    if len(sets) == 1:
        return next(iter(tables.values()))
    return tab_set({"All sets": _overview(rows, list(sets)), **tables})


def _overview(rows: Rows, sets: Sequence[str]) -> str:
    """Return our nested accuracy of every system on every data set, sorted by rank."""
    by_system: dict[str, dict[str, str]] = {}
    for row in rows:
        means = by_system.setdefault(row["system"], {})
        has_number = number_in(row, NESTED) is not None
        means[row["data"]] = row[NESTED].partition(" ")[0] if has_number else row[NESTED]
    table = [
        {"system": system, **means}
        for system, means in by_system.items()
        if set(means.values()) - MISSING
    ]
    ranked = sort_rows(_add_ranks(table, sets), "average rank", largest=False)
    best: dict[str, Best] = dict.fromkeys(sets, "largest")
    return html_table(ranked, best={**best, "average rank": "smallest"})


def _add_ranks(rows: Rows, sets: Sequence[str]) -> Rows:
    """Add the average rank to rows that have a number for every data set."""
    values = [[number_in(row, data) for data in sets] for row in rows]
    complete = [numbers for numbers in values if None not in numbers]
    ranks = iter(rankdata(-np.array(complete), axis=0).mean(axis=1) if complete else ())
    return [
        {
            "system": row["system"],
            "average rank": "-" if None in numbers else f"{next(ranks):.1f}",
            **row,
        }
        for row, numbers in zip(rows, values, strict=True)
    ]


def _one_set(rows: Rows) -> str:
    hidden = {"data"} | (
        {"compared"} if not any(row["compared"] for row in rows) else set()
    )
    names = {"compared": "compared with both branches"}
    table = [
        {names.get(k, k): v for k, v in row.items() if k not in hidden} for row in rows
    ]
    return html_table(
        sort_rows(table, NESTED, PAPER), best=dict.fromkeys(_NUMBERS, "largest")
    )


def _structure(rows: Rows) -> str:
    """Return one tab per shape, with the same columns as for data sets."""
    shapes = [name for name in rows[0] if name not in {"system", "source"}]
    tables = {}
    for shape in reversed(shapes):  # the average comes first
        table: dict[str, dict[str, Any]] = {}
        for row in rows:
            cells = table.setdefault(row["system"], {"system": row["system"]})
            cells[row["source"]] = row[shape]
        best = dict.fromkeys(_NUMBERS, "largest")
        tables[shape] = html_table(sort_rows(table.values(), NESTED, PAPER), best=best)
    return tab_set(tables)


def _nodes(rows: Rows) -> str:
    """Return one tab per data set, sorted by micro F1 with 70 percent of training nodes."""
    columns = [name for name in rows[0] if name not in {"data", "system"}]
    best = dict.fromkeys(columns, "largest")
    last = sorted(columns[-2:], key=lambda name: name.endswith(PAPER))
    return tab_set(
        {
            data: html_table(sort_rows(_without(group, "data"), *last), best=best)
            for data, group in _by_data(rows).items()
        }
    )


def _baselines(rows: Rows) -> str:
    """Sort systems by average rank; published numbers follow the system."""
    sets = [name for name in rows[0] if name != "system"]
    ours = [row for row in rows if not row["system"].endswith(_PUBLISHED)]
    published = {
        row["system"].removesuffix(_PUBLISHED): row for row in rows if row not in ours
    }
    table = []
    for row in sort_rows(_add_ranks(ours, sets), "average rank", largest=False):
        table.append(row)
        if row["system"] in published:
            other = published[row["system"]]
            table.append({"average rank": "", **other, "system": _INDENTED})
    best: dict[str, Best] = dict.fromkeys(sets, "largest")
    muted = [number for number, row in enumerate(table) if row["system"] == _INDENTED]
    return html_table(table, best={**best, "average rank": "smallest"}, muted=muted)


def _networks(rows: Rows) -> str:
    """Show published numbers in gray below the numbers of the network."""
    muted = [n for n, row in enumerate(rows) if row["system"].endswith(_PUBLISHED)]
    table = [
        {**row, "system": _INDENTED} if number in muted else row
        for number, row in enumerate(rows)
    ]
    sets = [name for name in rows[0] if name != "system"]
    return html_table(table, best=dict.fromkeys(sets, "largest"), muted=muted)


def _ranks(rows: Rows) -> str:
    best: dict[str, Best] = {"mean accuracy": "largest", "average rank": "smallest"}
    return html_table(rows, best=best)


def _patterns(rows: Rows) -> str:
    names = ["walks and patterns", "walks only", "patterns only"]
    return html_table(rows, best_in_row=names)


def _times(rows: Rows) -> str:
    """Return one tab per data set, fastest system first."""
    best = dict.fromkeys(("ours", PAPER), "smallest")
    return tab_set(
        {
            data: html_table(
                sort_rows(_without(group, "data"), "ours", PAPER, largest=False), best=best
            )
            for data, group in _by_data(rows).items()
        }
    )


def _network_times(rows: Rows) -> str:
    """Return one tab per data set, fastest system first."""
    best: dict[str, Best] = {"fit": "smallest", "predict": "smallest"}
    return tab_set(
        {
            data: html_table(
                sort_rows(_without(group, "data"), "fit", largest=False), best=best
            )
            for data, group in _by_data(rows).items()
        }
    )


def _parameters(rows: Rows) -> str:
    """Return a collapsed table; the figure shows the same numbers."""
    return f"<details><summary>Table</summary>\n{html_table(rows)}</details>\n"


def _by_data(rows: Rows) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["data"], []).append(row)
    return groups


def _without(rows: Rows, name: str) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != name} for row in rows]


# Experiments whose columns differ from the columns of `html_table`.
_LAYOUTS: dict[str, Callable[[Rows], str]] = {
    "structure": _structure,
    "regular": _by_set,
    "graphs": _by_set,
    "continuous": _by_set,
    "ablation": _by_set,
    "nodes": _nodes,
    "baselines": _baselines,
    "networks": _networks,
    "ranks": _ranks,
    "patterns": _patterns,
    "times": _times,
    "network-times": _network_times,
    "parameters-ptc": _parameters,
    "parameters-proteins": _parameters,
}


def _origin(records: Sequence[Record]) -> str:
    """Return the number, dates, versions and commits of the records."""
    if not records:  # they are not part of the source distribution
        return "There are no records.\n"
    days = sorted({record.day for record in records})
    versions = {f"{k} {v}" for record in records for k, v in record.versions.items()}
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    text = f"{len(records):,} records from {dates}, with {', '.join(sorted(versions))}.\n"
    commits = sorted(
        {record.commit[:10] for record in records if record.commit is not None}
    )
    if commits:
        text += f"Commits: {', '.join(f'`{commit}`' for commit in commits)}.\n"
    n_unknown = sum(record.commit is None for record in records)
    if n_unknown:
        text += f"The commit of {n_unknown:,} records is unknown: it was not stored then.\n"
    return text


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("config-inited", set_numbers)
    app.connect("builder-inited", write_results)
    return {"parallel_read_safe": True}
