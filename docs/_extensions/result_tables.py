"""Write the tables and figures of the results from the records, at every build.

No model is tested here: what ``gskn reproduce`` left in ``results/records.jsonl`` is shown.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gskn.evaluation import Record, ResultFile, save_figure
from gskn.reproduce import EXPERIMENTS, Experiment

_NUMBERS = ("paper", "ours, paper protocol", "ours, nested")


def write_results(app: Any) -> None:
    """Write one page of table, figure and origin for every experiment."""
    folder = Path(app.srcdir) / "results"
    records = list(ResultFile(folder / "records.jsonl").read().values())
    made = folder / "generated"
    made.mkdir(exist_ok=True)
    for experiment in EXPERIMENTS.values():
        text = _page(experiment, records)
        figure = experiment.figure(records) if experiment.figure else None
        if figure is not None:
            name = f"{experiment.name}.svg"
            save_figure(figure, made / name)
            text += f"\n![{experiment.title}](generated/{name})\n"
        (made / f"{experiment.name}.md").write_text(text, encoding="utf-8")
    (made / "origin.md").write_text(_origin(records), encoding="utf-8")


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
    """Say how the table was made, and when."""
    days = sorted({record.day for record in records if experiment.owns(record)})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "not run yet"
    return f"`gskn reproduce {experiment.name} --full --out docs/results`, {when}."


def _by_set(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one row per system, with the three numbers of every set in one cell."""
    table: dict[str, dict[str, str]] = {}
    for row in rows:
        means = (str(row[name]).partition(" ")[0] for name in _NUMBERS)
        cell = " / ".join("?" if mean in {"missing", "-"} else mean for mean in means)
        table.setdefault(row["system"], {"system": row["system"]})[row["data"]] = cell
    return list(table.values())


def _spread(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return our rows once more, with their spread and what they differ from."""
    ours = [
        {name: row[name] for name in ("data", "system", _NUMBERS[2], "compared")}
        for row in rows
        if row[_NUMBERS[2]] != "missing"
    ]
    summary = "Ours with their spread, and what is equal within the noise"
    return f"<details><summary>{summary}</summary>\n\n{_table(ours)}\n</details>\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    heads = [str(key) for key in rows[0]]
    lines = [heads, ["---"] * len(heads), *([str(v) for v in row.values()] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _origin(records: Sequence[Record]) -> str:
    """Say when the records were made, and with which versions."""
    days = sorted({record.day for record in records})
    versions = {f"{k} {v}" for record in records for k, v in record.versions.items()}
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"{len(records):,} records of {when}, with {', '.join(sorted(versions))}.\n"


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_results)
    return {"parallel_read_safe": True}
