"""Generate the tables of structural encodings from ``results/encodings.jsonl``.

No network is trained here; ``benchmarks/accuracy/encodings.py`` writes the records.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from html_tables import Best, html_table

Records = Sequence[Mapping[str, Any]]

# Name of every score in a record, and the factor for the table.
_SCORES = {
    "EXP": (["accuracy"], 100),
    "CSL": (["accuracy"], 100),
    "counting": (
        ["triangles", "4-cycles", "5-cycles", "6-cycles", "tailed triangles"],
        1,
    ),
    "zinc": (["mean absolute error"], 1),
}


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records; none if there is no file, as in the source distribution."""
    path = folder / "results" / "encodings.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_tables(app: Any) -> None:
    """Write one table for every study."""
    generated = Path(app.srcdir) / "results" / "generated"
    generated.mkdir(exist_ok=True)
    records = read_records(Path(app.srcdir))
    for study in _SCORES:
        text = make_table(study, records)
        (generated / f"encodings-{study}.md").write_text(text, encoding="utf-8")


def make_table(study: str, records: Records) -> str:
    """Return the table of a study and how much of its plan was run."""
    chosen = [record for record in records if record["study"] == study]
    if not chosen:
        return "Not run yet.\n"
    names, factor = _SCORES[study]
    rows = []
    for encoding in _by_size(chosen):
        group = [record for record in chosen if record["encoding"] == encoding]
        row = {"encoding": encoding, "columns": str(group[0]["n_features"])}
        for place, name in enumerate(names):
            values = [record["test"][place] for record in group]
            if name == "accuracy":  # records contain rates of errors
                values = [1 - value for value in values]
            row[name] = _summary([factor * value for value in values])
        row["seconds"] = f"{mean(record['seconds'] for record in group):.0f}"
        rows.append(row)
    best: dict[str, Best] = {
        name: "largest" if name == "accuracy" else "smallest" for name in names
    }
    caption = f'<p class="results-caption">{_extent(chosen)}</p>'
    return f"{html_table(rows, best=best)}\n{caption}\n"


def _by_size(records: Records) -> list[str]:
    """Return the encodings, fewest columns first."""
    sizes = {record["encoding"]: record["n_features"] for record in records}
    return sorted(sizes, key=lambda encoding: (sizes[encoding], encoding))


def _summary(values: Sequence[float]) -> str:
    """Return mean and standard deviation with digits that suit their size."""
    digits = 1 if max(values) > 2 else 3
    text = f"{mean(values):.{digits}f}"
    return f"{text} ± {stdev(values):.{digits}f}" if len(values) > 1 else text


def _extent(records: Records) -> str:
    """Return the numbers of seeds, folds and epochs, and the dates."""
    seeds, folds = (len({record[key] for record in records}) for key in ("seed", "fold"))
    epochs = max(record["epochs"] for record in records)
    days = sorted({record["day"] for record in records})
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"Seeds: {seeds}. Folds: {folds}. Epochs: at most {epochs}. Run: {dates}."


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_tables)
    return {"parallel_read_safe": True}
