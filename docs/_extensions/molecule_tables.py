"""Generate the tables of molecules from ``results/molecules.jsonl``.

No model is evaluated here; ``benchmarks/accuracy/molecules.py`` writes the records. Tables
and goals use whatever records there are, and list what was not run.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from html_tables import Best, html_table, tab_set

from gskn.evaluation import Record, ResultFile, corrected_t_test, is_error

Scores = Mapping[tuple[str, str, str], Mapping[tuple[int, int], float]]

_VALUES = {"freesolv": "FreeSolv", "esol": "ESOL", "lipophilicity": "Lipophilicity"}
_SETS = {
    **_VALUES,
    "bace-pic50": "BACE, pIC50",
    "bbbp": "BBBP",
    "bace": "BACE, classes",
    "hiv": "HIV",
}
_CLASSES = ("bbbp", "bace", "hiv")
_FOLDS = {"stratified": "random folds", "scaffold": "scaffold folds"}
_FINGERPRINTS = (
    "ECFP bits, forest",
    "ECFP counts, forest",
    "ECFP bits, linear",
    "ECFP counts, linear",
    "ECFP bits, Tanimoto",
    "ECFP counts, Tanimoto",
)
_DESCRIPTORS = ("descriptors, Laplacian", "descriptors, forest", "descriptors, boosting")
_RIVALS = (*_FINGERPRINTS, *_DESCRIPTORS, "wl")
_DEFAULT = "GSKN, elements and bonds"
_ATOMS = "GSKN, atoms and bonds"
_BOTH = "GSKN, atoms and bonds, with descriptors"
_STEPS = (
    "GSKN, structure",
    "GSKN, elements",
    _DEFAULT,
    "GSKN, atoms",
    _ATOMS,
    "GSKN, atoms in columns and bonds",
)
_SYSTEMS = (*_FINGERPRINTS, *_DESCRIPTORS, "wl", *_STEPS, _BOTH)
# Kernels of all pairs of molecules, and steps that are not in benchmarks/accuracy/hiv.py.
_NOT_ON_HIV = (
    "ECFP bits, Tanimoto",
    "ECFP counts, Tanimoto",
    "descriptors, Laplacian",
    "wl",
    "GSKN, structure",
    "GSKN, atoms in columns and bonds",
)
_NAMES = {"wl": "WL kernel, elements and bonds"}
_LARGEST_RATIO = 0.85  # of our error to the error of every fingerprint
_LEAST_FOLDS = 3  # for a test
_TEST_SHARE = 0.1


class _Comparison(NamedTuple):
    """Means of two systems on the folds that both have, and what the test says."""

    ours: float
    theirs: float
    p_value: float | None  # None if there are too few folds
    n_folds: int

    def is_significant(self) -> bool:
        return self.p_value is not None and self.p_value < 0.05


def read_records(folder: Path) -> list[Record]:
    """Return the records; none if there is no file, as in the source distribution."""
    return list(ResultFile(folder / "results" / "molecules.jsonl").read().values())


def write_tables(app: Any) -> None:
    """Write tables and goals."""
    generated = Path(app.srcdir) / "results" / "generated"
    generated.mkdir(exist_ok=True)
    records = read_records(Path(app.srcdir))
    texts = {
        "sets": make_tables(records),
        "ablation": make_ablation(records),
        "goals": judge(records),
    }
    for name, text in texts.items():
        (generated / f"molecules-{name}.md").write_text(f"{text}\n", encoding="utf-8")


def make_tables(records: Sequence[Record]) -> str:
    """Return one tab for every set that was run, and what was not run."""
    scores = collect(records)
    tables = {}
    for data, name in _SETS.items():
        folds = [kind for kind in _FOLDS if _systems(scores, data, kind)]
        if not folds:
            continue
        rows = [
            {
                "system": _NAMES.get(system, system),
                **{
                    _FOLDS[kind]: _cell(scores, data, kind, system, deviation=True)
                    for kind in folds
                },
            }
            for system in _SYSTEMS
            if any(system in _systems(scores, data, kind) for kind in folds)
        ]
        best = dict.fromkeys(map(_FOLDS.get, folds), _best(data))
        table = html_table(rows, best=best)
        tables[name] = f"{table}\n{_caption(records, scores, data, folds)}\n"
    if not tables:
        return "Not run yet.\n"
    return f"{tab_set(tables)}\n{_missing(scores)}\n"


def make_ablation(records: Sequence[Record]) -> str:
    """Return a tab for both kinds of folds with the steps of the features of GSKN."""
    scores = collect(records)
    tabs = {}
    for kind, title in _FOLDS.items():
        sets = [data for data in _SETS if set(_STEPS) & _systems(scores, data, kind)]
        if not sets:
            continue
        rows = [
            {
                "system": system,
                **{
                    _SETS[data]: _cell(scores, data, kind, system, deviation=False)
                    for data in sets
                },
            }
            for system in (*_STEPS, _BOTH)
            if any(system in _systems(scores, data, kind) for data in sets)
        ]
        best = {_SETS[data]: _best(data) for data in sets}
        tabs[title[0].upper() + title[1:]] = html_table(rows, best=best)
    return tab_set(tabs) if tabs else "Not run yet.\n"


def judge(records: Sequence[Record]) -> str:
    """Return lists with every goal, and whether the records reach it."""
    scores = collect(records)
    texts = []
    for ours, title in ((_DEFAULT, "the default"), (_ATOMS, "all features")):
        lines = []
        for data, kind in product((*_VALUES, *_CLASSES), _FOLDS):
            if (data, kind, ours) in scores:
                judge_set = _judge_values if data in _VALUES else _judge_classes
                lines += judge_set(scores, data, kind, ours)
        if lines:
            items = "\n".join(f"- {line}" for line in lines)
            texts.append(f"**{ours}** ({title}):\n\n{items}")
    return "\n\n".join(texts) or "Not run yet."


def collect(records: Sequence[Record]) -> Scores:
    """Return the scores of every fold by set, kind of folds and system."""
    scores: dict[tuple[str, str, str], dict[tuple[int, int], float]] = {}
    for record in records:
        value = record.scores[_metric(record.data)]
        if not np.isnan(value):  # ROC-AUC is not defined if all test molecules are equal
            key = record.data, record.configuration["folds"], record.model
            scores.setdefault(key, {})[record.repeat, record.fold] = value
    return scores


def _judge_values(scores: Scores, data: str, kind: str, ours: str) -> list[str]:
    where = f"{_SETS[data]}, {_FOLDS[kind]}"
    lines = []
    rival = _strongest(scores, data, kind, _FINGERPRINTS, ours)
    if rival is not None:
        found = _compare(scores, data, kind, rival, ours)
        ratio = found.ours / found.theirs
        verdict = "reached" if ratio <= _LARGEST_RATIO else "**not reached**"
        lines.append(
            f"{where}: RMSE 15% below every fingerprint: {verdict} ({found.ours:.3f}; best "
            f"of the fingerprints {rival}, {found.theirs:.3f}; {100 - 100 * ratio:.0f}% "
            f"below; {_extent(scores, data, kind, _FINGERPRINTS, found)})."
        )
    rival = _strongest(scores, data, kind, _DESCRIPTORS, ours)
    if rival is None:
        return lines
    found = _compare(scores, data, kind, rival, ours)
    extent = _extent(scores, data, kind, _DESCRIPTORS, found)
    lines.append(f"{where}: level with descriptors: {_level(found, data, rival, extent)}.")
    if ours == _ATOMS and (data, kind, _BOTH) in scores:
        lines.append(
            f"{where}: GSKN with descriptors ahead of both: "
            f"{_ahead_of_both(scores, data, kind, rival)}."
        )
    return lines


def _ahead_of_both(scores: Scores, data: str, kind: str, rival: str) -> str:
    """Return whether GSKN with descriptors has a smaller error than its parts."""
    found = [_compare(scores, data, kind, part, _BOTH) for part in (_ATOMS, rival)]
    best = min(found, key=lambda comparison: comparison.theirs)
    verdict = "**not reached**"
    if best.ours < best.theirs:
        verdict = "reached" if best.is_significant() else "only within the noise"
        if best.p_value is None:
            verdict = "ahead, but there are too few folds for a test"
    numbers = f"GSKN alone {found[0].theirs:.3f}, {rival} {found[1].theirs:.3f}"
    return f"{verdict} ({best.ours:.3f}; {numbers})"


def _judge_classes(scores: Scores, data: str, kind: str, ours: str) -> list[str]:
    rival = _strongest(scores, data, kind, _RIVALS, ours)
    if rival is None:
        return []
    found = _compare(scores, data, kind, rival, ours)
    level = _level(found, data, rival, _extent(scores, data, kind, _RIVALS, found))
    return [f"{_SETS[data]}, {_FOLDS[kind]}: not behind beyond the noise: {level}."]


def _extent(
    scores: Scores, data: str, kind: str, systems: Sequence[str], found: _Comparison
) -> str:
    """Return the number of folds, and of the systems if some of them were not run."""
    text = f"{found.n_folds} fold{'s' * (found.n_folds > 1)}"
    planned = _planned(data, systems)
    n_run = len({*planned} & _systems(scores, data, kind))
    return text if n_run == len(planned) else f"{text}, {n_run} of {len(planned)} models"


def _planned(data: str, systems: Sequence[str]) -> list[str]:
    """Return the systems that can be run on a set."""
    return [name for name in systems if data != "hiv" or name not in _NOT_ON_HIV]


def _level(found: _Comparison, data: str, rival: str, extent: str) -> str:
    """Return whether our system is at least as good as a rival within the noise."""
    name = _NAMES.get(rival, rival)
    numbers = f"{found.ours:.3f}; {name} {found.theirs:.3f}; {extent}"
    is_ahead = (found.ours < found.theirs) == (_best(data) == "smallest")
    if found.p_value is None:
        order = "ahead" if is_ahead else "behind"
        return f"{order}, but there are too few folds for a test ({numbers})"
    if is_ahead:
        return f"reached ({numbers}; p = {found.p_value:.2f})"
    if found.is_significant():
        winner = "descriptors win" if rival in _DESCRIPTORS else f"{name} wins"
        return f"**not reached**, {winner} ({numbers}; p = {found.p_value:.2f})"
    return f"reached, equal within the noise ({numbers}; p = {found.p_value:.2f})"


def _strongest(
    scores: Scores, data: str, kind: str, systems: Sequence[str], ours: str
) -> str | None:
    """Return the system with the best mean on the folds that it shares with ours."""
    means = {
        system: _compare(scores, data, kind, system, ours).theirs
        for system in systems
        if scores.get((data, kind, system), {}).keys() & scores[data, kind, ours].keys()
    }
    if not means:
        return None
    choose = min if _best(data) == "smallest" else max
    return choose(means, key=lambda system: means[system])


def _compare(
    scores: Scores, data: str, kind: str, rival: str, ours: str = _DEFAULT
) -> _Comparison:
    first, second = scores[data, kind, ours], scores[data, kind, rival]
    common = sorted(first.keys() & second.keys())
    pairs = [[group[fold] for fold in common] for group in (first, second)]
    p_value = None
    if len(common) >= _LEAST_FOLDS:
        p_value = corrected_t_test(*pairs, test_share=_TEST_SHARE)
    return _Comparison(mean(pairs[0]), mean(pairs[1]), p_value, len(common))


def _cell(scores: Scores, data: str, kind: str, system: str, *, deviation: bool) -> str:
    """Return the mean of a system; the number of folds if others have more."""
    values = [*scores.get((data, kind, system), {}).values()]
    if not values:
        return "-"
    text = f"{mean(values):.3f}"
    if deviation and len(values) > 1:
        text += f" ± {stdev(values):.3f}"
    if deviation and system not in _STEPS:
        text += _mark(scores, data, kind, system)
    n_folds = _n_folds(scores, data, kind)
    if len(values) < n_folds:
        text += f" ({len(values)} of {n_folds} folds)"
    return text


def _mark(scores: Scores, data: str, kind: str, system: str) -> str:
    """Return the sign of a significant difference from the default."""
    ours = scores.get((data, kind, _DEFAULT), {})
    if not ours.keys() & scores[data, kind, system].keys():
        return ""
    found = _compare(scores, data, kind, system)
    if not found.is_significant():
        return ""
    is_better = (found.theirs < found.ours) == (_best(data) == "smallest")
    return " >" if is_better else " <"


def _caption(
    records: Sequence[Record], scores: Scores, data: str, folds: Sequence[str]
) -> str:
    metric = "RMSE, lower is better" if _best(data) == "smallest" else "ROC-AUC"
    numbers = {_FOLDS[kind]: _n_folds(scores, data, kind) for kind in folds}
    counts = ", ".join(
        f"{number} {title if number > 1 else title.removesuffix('s')}"
        for title, number in numbers.items()
    )
    days = sorted({record.day for record in records if record.data == data})
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    text = f"{metric}. Mean ± standard deviation over {counts}. Run: {dates}."
    return f'<p class="results-caption">{text}</p>'


def _missing(scores: Scores) -> str:
    """Return the cells without records, and folds that were left out."""
    nothing, parts = [], []
    for (data, name), (kind, title) in product(_SETS.items(), _FOLDS.items()):
        if (data, kind) == ("hiv", "stratified"):
            continue  # not planned
        present = _systems(scores, data, kind)
        absent = [_NAMES.get(s, s) for s in _planned(data, _SYSTEMS) if s not in present]
        if not present:
            nothing.append(f"{name} ({title})")
        elif absent:
            parts.append(f"{name}, {title}: {'; '.join(absent)}.")
    parts += [f"All systems: {', '.join(nothing)}."] if nothing else []
    few = [
        f"{_SETS[data]}, {_FOLDS[kind]} ({_n_folds(scores, data, kind)})"
        for data, kind in product(_SETS, _FOLDS)
        if data != "hiv" and 0 < _n_folds(scores, data, kind) < 10
    ]
    lines = []
    if parts:
        lines.append(f"Not run, because of the time it takes: {' '.join(parts)}")
    if few:
        lines.append(f"Fewer than ten folds, for the same reason: {', '.join(few)}.")
    return "\n\n".join(lines)


def _systems(scores: Scores, data: str, kind: str) -> set[str]:
    return {model for d, k, model in scores if (d, k) == (data, kind)}


def _n_folds(scores: Scores, data: str, kind: str) -> int:
    """Return the largest number of folds of a system."""
    groups = (group for (d, k, _), group in scores.items() if (d, k) == (data, kind))
    return max(map(len, groups), default=0)


def _metric(data: str) -> str:
    return "roc_auc" if data in _CLASSES else "rmse"


def _best(data: str) -> Best:
    return "smallest" if is_error(_metric(data)) else "largest"


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_tables)
    return {"parallel_read_safe": True}
