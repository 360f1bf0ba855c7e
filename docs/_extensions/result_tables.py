"""Generate the tables, figures and numbers of the results page from its result file.

No model is evaluated here. ``gskn reproduce`` writes the records to
``results/records.jsonl``. Numbers in the text of the page are substitutions such as
``{{ nested_gskn_COLLAB }}``; an unknown name is an error.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from gskn.evaluation import Record, ResultFile, save_figure
from gskn.reproduce import (
    EXPERIMENTS,
    NESTED,
    PAPER,
    PAPER_PROTOCOL,
    Experiment,
    summary_of,
)

_NUMBERS = (PAPER, PAPER_PROTOCOL, NESTED)
_SETS = (
    "MUTAG",
    "PROTEINS",
    "PTC",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "COLLAB",
    "BZR",
    "COX2",
    "PROTEINS_full",
)


def read_records(folder: Path) -> list[Record]:
    """Return the records of the results page."""
    return list(ResultFile(folder / "results" / "records.jsonl").read().values())


def set_numbers(app: Any, config: Any) -> None:
    """Make the numbers available to the text of all pages."""
    config.myst_substitutions |= page_numbers(read_records(Path(app.srcdir)))


def page_numbers(records: Sequence[Record]) -> dict[str, str]:
    """Return all means in percent by protocol, model and data set, and some summaries.

    The name of a mean accuracy is ``<protocol>_<model>_<data>``; for other metrics, the
    metric comes first. Characters that names cannot have are replaced by ``_``.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.protocol, record.model, record.data), []).append(record)
    numbers: dict[str, str] = {}
    for (protocol, model, data), group in groups.items():
        for metric in group[-1].scores.keys() & {"accuracy", "micro_f1"}:
            prefix = () if metric == "accuracy" else (metric,)
            name = re.sub(r"\W+", "_", "_".join((*prefix, protocol, model, data)))
            if name in numbers:
                raise ValueError(f"Two results have the name {name!r}.")
            summary = summary_of(group, data, model, protocol, metric)
            numbers[name] = "" if summary is None else f"{100 * summary.mean:.1f}"
    return numbers | {
        "gain_of_all_lengths": _gain(records, "rw+aw", "rw+aw-64"),
        "better_baselines": _better_baselines(records),
        "gckn_folds_with_128_landmarks": _large_gckn(records),
        "node_classifiers": _node_classifiers(records),
        "gain_of_node_kernels": _node_gains(records),
    }


def _gain(records: Sequence[Record], model: str, reference: str) -> str:
    """Return the mean gain of accuracy over all data sets in percent."""
    summaries = [
        [summary_of(records, data, name, "nested") for name in (model, reference)]
        for data in _SETS
    ]
    gains = [one.mean - other.mean for one, other in summaries if one and other]
    return f"{100 * mean(gains):.1f}" if gains else "-"


def _better_baselines(records: Sequence[Record]) -> str:
    """Return the baselines that are significantly better than GSKN, by data set."""
    rows = EXPERIMENTS["baselines"].rows(records)
    texts = []
    for data in _SETS:
        better = [
            f"{row['system']} ({row[data].partition(' ')[0]})"
            for row in rows
            if row[data].endswith(">")
        ]
        if better:
            texts.append(f"{data}: {', '.join(better)}")
    return "; ".join(texts) or "none"


def _large_gckn(records: Sequence[Record]) -> str:
    """Return on how many folds of COLLAB the path variant of GCKN has 128 landmarks."""
    chosen = [
        record.chosen["embedding"].get("n_landmarks")
        for record in records
        if (record.data, record.model, record.protocol) == ("COLLAB", "gckn-path", "nested")
    ]
    return f"{chosen.count(128)} of {len(chosen)}"


def _node_classifiers(records: Sequence[Record]) -> str:
    """Return how often the model ``nodes`` has selected each kernel, by data set."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        if record.model == "nodes":
            kernel = record.chosen["node_classifier"]["kernel"]
            counts.setdefault(record.data, Counter())[kernel] += 1
    texts = [
        f"{data}: {', '.join(f'{kernel} {n}' for kernel, n in count.most_common())}"
        for data, count in counts.items()
    ]
    return "; ".join(texts) or "not run yet"


def _node_gains(records: Sequence[Record]) -> str:
    """Return the differences of micro F1 between ``nodes`` and ``nodes-linear``."""
    scores: dict[str, dict[str, dict[int, float]]] = {}
    for record in records:
        if record.protocol == "nodes-70" and record.model in {"nodes", "nodes-linear"}:
            by_model = scores.setdefault(record.data, {})
            by_model.setdefault(record.model, {})[record.seed] = record.scores["micro_f1"]
    texts = []
    for data, by_model in scores.items():
        best, linear = by_model.get("nodes", {}), by_model.get("nodes-linear", {})
        gains = [100 * (best[seed] - linear[seed]) for seed in best.keys() & linear.keys()]
        if len(gains) > 1:
            texts.append(f"{data}: {mean(gains):.1f} ± {stdev(gains):.1f}")
    return "; ".join(texts) or "not run yet"


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
    """Return the number, dates, versions and commits of the records."""
    if not records:  # they are not part of the source distribution
        return "There are no records.\n"
    days = sorted({record.day for record in records})
    versions = {f"{k} {v}" for record in records for k, v in record.versions.items()}
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    text = f"{len(records):,} records from {dates}, with {', '.join(sorted(versions))}.\n"
    commits = sorted({record.commit for record in records if record.commit is not None})
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
