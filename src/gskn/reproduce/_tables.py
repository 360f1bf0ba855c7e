"""Tables of the paper's numbers beside ours, made from records."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from gskn.evaluation import Record
from gskn.evaluation._scores import (
    Summary,
    corrected_t_test,
    get_score,
    summarize_records,
)
from gskn.reproduce._printed import NODES, STRUCTURE, Printed

Row = dict[str, Any]
PAPER, FLATTERED, HONEST = "paper", "ours, paper protocol", "ours, nested"
_MISSING = "missing"  # the system is not implemented, or was not run
_SHAPES = {"Cycle": 0, "Wheel": 2, "Path": 1, "Ladder": 3}  # classes of `structure`


def graph_rows(
    records: Sequence[Record],
    printed: Printed,
    ours: Mapping[str, str],
    against: Mapping[str, str],
) -> list[Row]:
    """Return one row per data set and system.

    Parameters
    ----------
    records : sequence of Record
        Of any models, sets and protocols.
    printed : mapping of mappings
        What the paper prints, by set and system.
    ours : mapping of str to str
        Our model of a system; those that the paper does not print come last.
    against : mapping of str to str
        The system that a system of ours is compared with.
    """
    rows = []
    for data, cells in printed.items():
        for system in dict.fromkeys([*cells, *ours]):
            model = ours.get(system, "")
            row = {
                "data": data,
                "system": system,
                PAPER: " ± ".join(cells.get(system, "-").split()),
                FLATTERED: cell(scores_of(records, data, model, "paper")),
                HONEST: cell(scores_of(records, data, model, "nested")),
            }
            other = ours.get(against.get(system, ""), "")
            row["compared"] = compare(records, data, model, other)
            rows.append(row)
    return rows


def structure_rows(records: Sequence[Record], ours: Mapping[str, str]) -> list[Row]:
    """Return the recall of every shape, and the accuracy."""
    rows = []
    for system in dict.fromkeys([*STRUCTURE["average"], *ours]):
        model = ours.get(system, "")
        for name, protocol in (
            (PAPER, None),
            (FLATTERED, "paper"),
            (HONEST, "nested"),
        ):
            row: Row = {"system": system, "whose": name}
            for shape in STRUCTURE:
                metric = f"recall_{_SHAPES[shape]}" if shape in _SHAPES else "accuracy"
                row[shape] = (
                    STRUCTURE[shape].get(system) or "-"
                    if protocol is None
                    else _mean(scores_of(records, "structure", model, protocol, metric))
                )
            rows.append(row)
    return rows


def node_rows(records: Sequence[Record], ours: Mapping[str, str]) -> list[Row]:
    """Return macro and micro F1 with 30 and 70 percent of the nodes for training."""
    columns = [(m, s) for m in ("macro_f1", "micro_f1") for s in (30, 70)]
    rows = []
    for data, cells in NODES.items():
        for system in dict.fromkeys([*cells, *ours]):
            printed = cells.get(system, "- - - -").split()
            row: Row = {"data": data, "system": system}
            for (metric, share), number in zip(columns, printed, strict=True):
                found = scores_of(
                    records, data, ours.get(system, ""), f"nodes-{share}", metric
                )
                name = f"{metric.replace('_f1', '')} {share}%"
                row[f"{name}, {PAPER}"] = number
                row[f"{name}, ours"] = cell(found, "std_repeats", digits=2)
            rows.append(row)
    return rows


def scores_of(
    records: Sequence[Record],
    data: str,
    model: str,
    protocol: str,
    metric: str = "accuracy",
) -> Summary | None:
    """Return the summary of one model on one data set, or None without records."""
    own = select(records, data, model, protocol)
    return summarize_records(own, metric)[data][model] if own else None


def select(records: Sequence[Record], data: str, model: str, protocol: str) -> list[Record]:
    """Return the records of one model, without incomplete repeats."""
    wanted = (data, model, protocol)
    own = [r for r in records if (r.data, r.model, r.protocol) == wanted]
    n_folds = Counter(record.repeat for record in own)
    return [r for r in own if n_folds[r.repeat] == max(n_folds.values())]


def cell(found: Summary | None, spread: str = "std_folds", digits: int = 1) -> str:
    """Return a mean and its spread in percent as text."""
    if found is None:
        return _MISSING
    mean, std = 100 * found.mean, 100 * getattr(found, spread)
    return f"{mean:.{digits}f} ± {std:.{digits}f}"


def _mean(found: Summary | None) -> str:
    return _MISSING if found is None else f"{100 * found.mean:.1f}"


def compare(records: Sequence[Record], data: str, model: str, other: str) -> str:
    """Return whether a model differs from another one significantly on the same folds.

    Folds on which an accuracy is not defined are left out.
    """
    one, two = (
        {(r.repeat, r.fold, r.seed): get_score(r, "accuracy") for r in own}
        for own in (select(records, data, name, "nested") for name in (model, other))
    )
    common = sorted(k for k in one.keys() & two.keys() if not isnan(one[k] + two[k]))
    if model == other or len(common) < 2:
        return ""
    first, second = [one[key] for key in common], [two[key] for key in common]
    p_value = corrected_t_test(first, second, test_share=0.1)
    gap = 100 * (sum(first) - sum(second)) / len(first)
    verdict = "equal" if p_value > 0.05 else "above" if gap > 0 else "below"
    return f"{verdict} ({gap:+.1f}, p = {p_value:.2f})"
