"""Generate the tables and figures of the results page from ``results/records.jsonl``.

No model is evaluated here. ``gskn reproduce`` writes the records.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gskn.evaluation import Record, ResultFile, save_figure
from gskn.reproduce import EXPERIMENTS, Experiment

_NUMBERS = ("paper", "ours, paper protocol", "ours, nested")


def write_results(app: Any) -> None:
    """Write a page with table, figure and command for every experiment."""
    folder = Path(app.srcdir) / "results"
    records = list(ResultFile(folder / "records.jsonl").read().values())
    generated = folder / "generated"
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


def _page(experiment: Experiment, records: Sequence[Record]) -> str:
    rows = experiment.rows(records)
    if not rows:
        return "Not run yet.\n"
    if "compared" in rows[0] and len({row["data"] for row in rows}) > 1:
        text = _table(_by_set(rows)) + "\n" + _spread(rows)
    else:
        text = _table([{k: v for k, v in row.items() if k != "compared"} for row in rows])
    return f"{text}\n{experiment.caption}\n\n{_command(experiment, records)}\n"


def _command(experiment: Experiment, records: Sequence[Record]) -> str:
    """Return the command that generates the table, and the dates of its records."""
    days = sorted({record.day for record in records if experiment.owns(record)})
    dates = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "not run yet"
    return f"`gskn reproduce {experiment.name} --full --out docs/results`, {dates}."


def _by_set(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one row per model with three numbers per data set in each cell."""
    table: dict[str, dict[str, str]] = {}
    for row in rows:
        means = (str(row[name]).partition(" ")[0] for name in _NUMBERS)
        cell = " / ".join("-" if mean == "missing" else mean for mean in means)
        table.setdefault(row["system"], {"system": row["system"]})[row["data"]] = cell
    return list(table.values())


def _spread(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a collapsed table of our models with standard deviations and comparisons."""
    ours = [
        {name: row[name] for name in ("data", "system", _NUMBERS[2], "compared")}
        for row in rows
        if row[_NUMBERS[2]] != "missing"
    ]
    summary = "Our models with standard deviations and significance tests"
    return f"<details><summary>{summary}</summary>\n\n{_table(ours)}\n</details>\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    header = [str(key) for key in rows[0]]
    body = [[str(value) for value in row.values()] for row in rows]
    lines = [header, ["---"] * len(header), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _origin(records: Sequence[Record]) -> str:
    """Return the number, dates and package versions of the records."""
    days = sorted({record.day for record in records})
    versions = {f"{k} {v}" for record in records for k, v in record.versions.items()}
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"{len(records):,} records from {dates}, with {', '.join(sorted(versions))}.\n"


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_results)
    return {"parallel_read_safe": True}
