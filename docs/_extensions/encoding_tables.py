"""Generate the tables of structural encodings from ``results/encodings.jsonl``.

No network is trained here; ``benchmarks/accuracy/encodings.py`` writes the records.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from html_tables import Best, html_table
from json_records import read_json_records

Records = Sequence[Mapping[str, Any]]
Runs = Mapping[str, Records]  # records of a study by encoding
Checks = Mapping[str, bool]  # what was found, and whether it agrees with the claim

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
_REFERENCE = "random walk 20"
_BAD_ERROR = 0.1  # on validation graphs, of networks that stopped early


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of the studies."""
    return read_json_records(folder / "results" / "encodings.jsonl")


def write_tables(app: Any) -> None:
    """Write one table for every study."""
    generated = Path(app.srcdir) / "results" / "generated"
    generated.mkdir(exist_ok=True)
    records = read_records(Path(app.srcdir))
    for study in _SCORES:
        text = f"{make_table(study, records)}\n{judge(study, records)}\n"
        if stopped := list_stopped(study, records):
            text += f"\n{stopped}\n"
        if study == "zinc":
            text += f"\n{compare(records, _REFERENCE)} {compare(records, 'none')}\n"
        (generated / f"encodings-{study}.md").write_text(text, encoding="utf-8")
    summary = "".join(
        f"- {study}: {judge(study, records)} {name_best(study, records)}".rstrip() + "\n"
        for study in _SCORES
    )
    (generated / "encodings-summary.md").write_text(summary, encoding="utf-8")


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
        row["encoding s"] = f"{mean(record['encoding_seconds'] for record in group):.1f}"
        row["training s"] = f"{mean(record['seconds'] for record in group):.0f}"
        rows.append(row)
    best: dict[str, Best] = {
        name: "largest" if name == "accuracy" else "smallest" for name in names
    }
    caption = f'<p class="results-caption">{_extent(chosen)}</p>'
    return f"{html_table(rows, best=best)}\n{caption}\n"


def judge(study: str, records: Records) -> str:
    """Return whether the records refute the claim about a study on the results page."""
    checks = _CHECKS[study](_by_encoding(study, records))
    if checks is None:
        return "The claim has not been tested: encodings or seeds are missing."
    failed = [text for text, holds in checks.items() if not holds]
    if failed:
        return f"The claim is **refuted** by these records: {'; '.join(failed)}."
    return f"These records do not refute the claim: {'; '.join(checks)}."


def name_best(study: str, records: Records) -> str:
    """Return the best mean scores of a study, next to those of random walks."""
    runs = _by_encoding(study, records)
    if _REFERENCE not in runs:
        return ""
    errors = {encoding: _errors(runs, encoding) for encoding in runs}
    parts = []
    for place, name in enumerate(_SCORES[study][0]):
        texts = {
            encoding: f"{100 - 100 * means[place]:.1f}%"
            if name == "accuracy"
            else f"{means[place]:.3f}"
            for encoding, means in errors.items()
        }
        best = min(errors, key=lambda encoding: errors[encoding][place])
        other = "" if best == _REFERENCE else f" ({_REFERENCE}: {texts[_REFERENCE]})"
        parts.append(f"{name} {texts[best]} with {best}{other}")
    return f"Best means: {'; '.join(parts)}."


def list_stopped(study: str, records: Records) -> str:
    """Return which networks stopped early although they classify other graphs badly."""
    parts = [
        f"{record['encoding']} in fold {record['fold']} after {record['epochs']} epochs "
        f"({100 - 100 * record['test'][0]:.1f}%)"
        for group in _by_encoding(study, records).values()
        for record in group
        if _SCORES[study][0] == ["accuracy"]
        and record["epochs"] < record["n_epochs"]
        and record["validation"][0] > _BAD_ERROR
    ]
    if not parts:
        return ""
    return f"Stopped early, but with a low validation accuracy: {'; '.join(parts)}."


def compare(records: Records, reference: str) -> str:
    """Return which errors on ZINC differ from those of one encoding beyond the noise."""
    runs = {
        encoding: [record["test"][0] for record in group]
        for encoding, group in _by_encoding("zinc", records).items()
    }
    if any(len(errors) < 2 for errors in runs.values()) or reference not in runs:
        return ""
    theirs = runs.pop(reference)
    found: dict[str, list[str]] = {"smaller": [], "equal": [], "larger": []}
    for encoding, errors in runs.items():
        gain = mean(theirs) - mean(errors)
        relation = "smaller" if gain > 0 else "larger"
        is_noise = abs(gain) <= max(stdev(errors), stdev(theirs))
        found["equal" if is_noise else relation].append(encoding)
    parts = []
    for relation, encodings in found.items():
        names = ", ".join(encodings)
        if names and not parts:
            to = "to that" if relation == "equal" else "than"
            parts.append(f"The error with {names} is {relation} {to} with {reference}")
        elif names:
            parts.append(f"with {names}, it is {relation}")
    return f"{'; '.join(parts)}."


def _by_encoding(study: str, records: Records) -> dict[str, list[Mapping[str, Any]]]:
    """Return the records of a study by encoding."""
    runs: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        if record["study"] == study:
            runs.setdefault(record["encoding"], []).append(record)
    return runs


def _errors(runs: Runs, encoding: str, key: str = "test") -> list[float]:
    """Return the means of all errors over seeds and folds."""
    rows = [record[key] for record in runs[encoding]]
    return [mean(values) for values in zip(*rows, strict=True)]


def _check_exp(runs: Runs) -> Checks | None:
    if not {"none", "anonymous 5", "anonymous 6"} <= runs.keys():
        return None
    none, five, six = (
        100 - 100 * _errors(runs, name)[0]
        for name in ("none", "anonymous 5", "anonymous 6")
    )
    return {
        f"without encoding {none:.1f}%": none <= 60,
        f"walks of 5 nodes {five:.1f}%": five < 95,
        f"walks of 6 nodes {six:.1f}%": six >= 95,
    }


def _check_csl(runs: Runs) -> Checks | None:
    limits = {"none": 10, "anonymous 7": 60, "anonymous 8": 90, "induced 6": 60}
    if not limits.keys() <= runs.keys():
        return None
    # One graph of 15 in a fold is 7 points, so that means may exceed the limits by chance.
    found = {name: 100 - 100 * _errors(runs, name)[0] for name in limits}
    return {
        f"{name} {found[name]:.1f}%": found[name] <= limits[name] + 10 for name in found
    }


def _check_counting(runs: Runs) -> Checks | None:
    if not {_REFERENCE, "anonymous 7"} <= runs.keys():
        return None
    both = (_errors(runs, name) for name in ("anonymous 7", _REFERENCE))
    pairs = zip(*both, strict=True)
    ratios = [ours / theirs for ours, theirs in pairs]
    return {
        f"the error for {name} is {ratio:.2f} of the one with random walks": ratio <= 0.5
        for name, ratio in zip(_SCORES["counting"][0], ratios, strict=True)
    }


def _check_zinc(runs: Runs) -> Checks | None:
    ours, theirs = ("anonymous 6", "anonymous 7", "induced 5"), _REFERENCE
    if not {theirs, *ours} <= runs.keys() or len(runs[theirs]) == 1:
        return None
    chosen = min(ours, key=lambda name: _errors(runs, name, "validation")[0])
    errors = {name: [r["test"][0] for r in runs[name]] for name in (chosen, theirs)}
    noise = max(stdev(values) for values in errors.values())
    means = {name: mean(values) for name, values in errors.items()}
    text = (
        f"{means[chosen]:.3f} with {chosen}, {means[theirs]:.3f} with random walks, "
        f"standard deviation over seeds {noise:.3f}"
    )
    return {text: means[theirs] - means[chosen] > noise}


_CHECKS: dict[str, Callable[[Runs], Checks | None]] = {
    "EXP": _check_exp,
    "CSL": _check_csl,
    "counting": _check_counting,
    "zinc": _check_zinc,
}


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
