"""Generate the tables of explanations from ``results/explanations.jsonl``.

Nothing is explained here; ``benchmarks/accuracy/explanations.py`` writes the records.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from html_tables import Best, html_table
from json_records import read_json_records

Record = Mapping[str, Any]
Records = Sequence[Record]

_STUDIES = {"truth": ("truth", "network"), "fidelity": ("fidelity",)}
_METHODS = (
    "contributions, visited nodes",
    "contributions, edges",
    "contributions, start nodes",
    "occlusion",
    "gradient x input",
    "GNNExplainer",
    "degree",
    "random",
)


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of the studies."""
    return read_json_records(folder / "results" / "explanations.jsonl")


def write_tables(app: Any) -> None:
    """Write one table for every study."""
    generated = Path(app.srcdir) / "results" / "generated"
    generated.mkdir(exist_ok=True)
    records = read_records(Path(app.srcdir))
    for name in _STUDIES:
        text = make_table(name, records)
        (generated / f"explanations-{name}.md").write_text(text, encoding="utf-8")


def make_table(name: str, records: Records) -> str:
    """Return the table of a study, and how it was run."""
    chosen = [record for record in records if record["study"] in _STUDIES[name]]
    if not chosen:
        return "Not run yet.\n"
    sets = list(dict.fromkeys(record["data"] for record in chosen))
    rows, best = [], {}
    for model, method in _methods(chosen):
        row = {"method": f"{model}: {method}" if model == "GIN" else method}
        for data in sets:
            group = [
                record
                for record in chosen
                if (record["model"], record["method"], record["data"])
                == (model, method, data)
            ]
            cells = _truth(group) if name == "truth" else _fidelity(group)
            for column, (text, kind) in cells.items():
                row[f"{data}, {column}"] = text
                best[f"{data}, {column}"] = kind
        rows.append(row)
    captions = (_caption(data, chosen) for data in sets)
    lines = "".join(f'<p class="results-caption">{text}</p>\n' for text in captions)
    return f"{html_table(rows, best=best)}\n{lines}"


def _methods(records: Records) -> list[tuple[str, str]]:
    """Return models and methods in the order of the table."""
    pairs = {(record["model"], record["method"]) for record in records}
    return sorted(pairs, key=lambda pair: _METHODS.index(pair[1]))


def _truth(group: Records) -> dict[str, tuple[str, Best]]:
    """Return the cells of one method and set."""
    if not group:
        return {"AUROC": ("-", "largest"), "GEA": ("-", "largest")}
    (record,) = group
    area = f"{record['auroc']:.3f} ± {record['auroc_error']:.3f}"
    return {"AUROC": (area, "largest"), "GEA": (f"{record['gea']:.2f}", "largest")}


def _fidelity(group: Records) -> dict[str, tuple[str, Best]]:
    """Return the cells of one method and set, over all molecules of all folds.

    The median of the seconds of folds ignores a fold in which the machine was busy.
    """
    seconds = median(record["seconds"] for record in group) if group else 0.0
    return {
        "fidelity+": (f"{_mean(group, 'fidelity_plus'):.3f}", "largest"),
        "fidelity-": (f"{_mean(group, 'fidelity_minus'):.3f}", "smallest"),
        "s per 1,000": (f"{seconds:.1f}" if seconds else "-", "smallest"),
    }


def _mean(group: Records, key: str) -> float:
    """Return the mean over molecules."""
    total = sum(record["n_graphs"] for record in group)
    return sum(record[key] * record["n_graphs"] for record in group) / max(total, 1)


def _caption(data: str, records: Records) -> str:
    """Return models, accuracies, numbers of molecules and dates of a set."""
    own = [record for record in records if record["data"] == data]
    parts = [f"{data}:"]
    for model in dict.fromkeys(record["model"] for record in own):
        group = [record for record in own if record["model"] == model]
        folds = {record.get("fold", 0): record for record in group}.values()
        n_test = sum(record["n_test"] for record in folds)
        accuracy = sum(r["accuracy"] * r["n_test"] for r in folds) / n_test
        of_folds = f" in {len(folds)} of 5 folds" if "fold" in group[0] else ""
        parts.append(
            f"{model} ({_settings(folds)}), test accuracy {accuracy:.3f} on {n_test:,} "
            f"molecules{of_folds}, {_explained(group)} explained."
        )
    errors = [r["additivity_error"] for r in own if "additivity_error" in r]
    if errors:
        parts.append(f"Largest error of the sum of contributions: {max(errors):.0e}.")
    days = sorted({record["day"] for record in own})
    parts.append(f"Run: {' to '.join(dict.fromkeys((days[0], days[-1])))}.")
    return " ".join(parts)


def _explained(group: Records) -> str:
    """Return how many molecules methods explain, which may be fewer for occlusion."""
    sums: dict[str, int] = {}
    for record in group:
        sums[record["method"]] = sums.get(record["method"], 0) + record["n_graphs"]
    largest = max(sums.values())
    text = f"{largest:,}"
    if sums.get("occlusion", largest) < largest:
        text += f" ({sums['occlusion']:,} by occlusion)"
    return text


def _settings(folds: Iterable[Record]) -> str:
    """Return the parameters of a model; those of several folds if they differ."""
    texts = {}
    for record in folds:
        parameters = record["parameters"]
        if "branches" not in parameters:
            texts[f"at most {parameters['max_epochs']} epochs"] = None
            continue
        branches = " and ".join(parameters["branches"])
        texts[
            f"{branches} of {parameters['walk_length']} nodes, {parameters['pooling']} "
            f"pooling, C = {parameters['C']:g}"
        ] = None
    return "; or ".join(texts)


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_tables)
    return {"parallel_read_safe": True}
