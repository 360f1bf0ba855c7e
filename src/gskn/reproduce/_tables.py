"""Tables of records beside the numbers of the paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from gskn.evaluation import (
    Record,
    Summary,
    corrected_t_test,
    get_score,
    summarize_records,
)
from gskn.reproduce._jobs import latest_run
from gskn.reproduce._printed import NODES, STRUCTURE, Printed
from gskn.reproduce._reasons import (
    MISSING,
    NESTED_ONLY,
    OF_GRAPHS,
    OF_NODES,
    is_network,
    model_on,
    reason,
)

Row = dict[str, Any]
# Column names: the number in the paper, and our number under each protocol.
PAPER, PAPER_PROTOCOL, NESTED = "paper", "ours, paper protocol", "ours, nested"
_N_RUNS = 10  # folds, or splits of nodes
_SIGNS = {"above": " >", "below": " <", "equal": ""}
_SHAPES = {"Cycle": 0, "Wheel": 2, "Path": 1, "Ladder": 3}  # classes of `structure`


def graph_rows(
    records: Sequence[Record],
    printed: Printed,
    ours: Mapping[str, str],
    against: Mapping[str, str],
) -> list[Row]:
    """Return one row per data set and model.

    Parameters
    ----------
    records : sequence of Record
        Records of any models, data sets and protocols.
    printed : mapping of mappings
        Numbers in the paper, by data set and model.
    ours : mapping of str to str
        Name of our model by name in the table. Models that the paper does not have come
        last.
    against : mapping of str to str
        Name in the table of the model that a model is compared with.

    Returns
    -------
    rows : list of dict
        Cells by column name.
    """
    rows = []
    for data, cells in printed.items():
        for system in dict.fromkeys([*cells, *ours]):
            model = model_on(data, ours.get(system, ""))
            row = {
                "data": data,
                "system": system,
                PAPER: " ± ".join(cells.get(system, "-").split()),
                PAPER_PROTOCOL: _paper_protocol(records, data, model),
                NESTED: nested_cell(records, data, model),
            }
            if not model and system in OF_GRAPHS:
                row |= dict.fromkeys((PAPER_PROTOCOL, NESTED), OF_GRAPHS[system])
            reference = ours.get(against.get(system, ""), "")
            row["compared"] = compare(records, data, model, reference)
            rows.append(row)
    return rows


def structure_rows(records: Sequence[Record], ours: Mapping[str, str]) -> list[Row]:
    """Return the recall of every shape and the accuracy."""
    rows = []
    for system in dict.fromkeys([*STRUCTURE["average"], *ours]):
        model = ours.get(system, "")
        for name, protocol in (
            (PAPER, None),
            (PAPER_PROTOCOL, "paper"),
            (NESTED, "nested"),
        ):
            row: Row = {"system": system, "source": name}
            for shape in STRUCTURE:
                metric = f"recall_{_SHAPES[shape]}" if shape in _SHAPES else "accuracy"
                row[shape] = (
                    STRUCTURE[shape].get(system) or "-"
                    if protocol is None
                    else _format_mean(
                        summary_of(records, "structure", model, protocol, metric)
                    )
                )
            rows.append(row)
    return rows


def node_rows(
    records: Sequence[Record], ours: Mapping[str, str], printed: Printed = NODES
) -> list[Row]:
    """Return macro and micro F1 with 30 and 70 percent of training nodes.

    Data sets that are not in the paper have no columns for its numbers.
    """
    columns = [(m, s) for m in ("macro_f1", "micro_f1") for s in (30, 70)]
    rows = []
    for data, cells in printed.items():
        for system in dict.fromkeys([*cells, *ours]):
            numbers = cells.get(system, "- - - -").split()
            model = ours.get(system, "")
            row: Row = {"data": data, "system": system}
            for (metric, share), number in zip(columns, numbers, strict=True):
                summary = summary_of(records, data, model, f"nodes-{share}", metric)
                name = f"{metric.replace('_f1', '')} {share}%"
                if cells:
                    row[f"{name}, {PAPER}"] = number
                text = OF_NODES.get(system) or reason(data, model)
                if summary is not None:
                    text = format_summary(summary, "std_repeats", digits=2)
                    text += _remark(summary, model, "split")
                row[f"{name}, ours" if cells else name] = text
            rows.append(row)
    return rows


def summary_of(
    records: Sequence[Record],
    data: str,
    model: str,
    protocol: str,
    metric: str = "accuracy",
) -> Summary | None:
    """Return the summary of one model on one data set, or None if it has no records."""
    selected = select(records, data, model, protocol)
    return summarize_records(selected, metric)[data][model] if selected else None


def select(records: Sequence[Record], data: str, model: str, protocol: str) -> list[Record]:
    """Return the records of the latest run of one model, without incomplete repeats."""
    name = (data, model, protocol)
    run = latest_run([r for r in records if (r.data, r.model, r.protocol) == name])
    n_folds = Counter(record.repeat for record in run)
    return [r for r in run if n_folds[r.repeat] == max(n_folds.values())]


def format_summary(
    summary: Summary | None, spread: str = "std_folds", digits: int = 1
) -> str:
    """Return the mean and a standard deviation in percent as text."""
    if summary is None:
        return MISSING
    mean, std = 100 * summary.mean, 100 * getattr(summary, spread)
    return f"{mean:.{digits}f} ± {std:.{digits}f}"


def nested_cell(records: Sequence[Record], data: str, model: str, sign: str = "") -> str:
    """Return the nested accuracy with a sign, or why there is none."""
    summary = summary_of(records, data, model, "nested")
    if summary is None:
        return reason(data, model)
    return f"{format_summary(summary)}{sign}{_remark(summary, model, 'fold')}"


def compared_cell(records: Sequence[Record], data: str, model: str) -> str:
    """Return the nested accuracy, with a sign if it differs from that of "gskn"."""
    verdict = compare(records, data, model, "gskn")
    return nested_cell(records, data, model, _SIGNS[verdict.partition(" ")[0] or "equal"])


def _remark(summary: Summary, model: str, unit: str) -> str:
    """Return the number of folds or splits of a network whose run is not finished."""
    if summary.n >= _N_RUNS or not is_network(model):
        return ""
    return f" ({summary.n} {unit}{'s' if summary.n > 1 else ''})"


def _paper_protocol(records: Sequence[Record], data: str, model: str) -> str:
    summary = summary_of(records, data, model, "paper")
    if summary is not None:
        return format_summary(summary)
    is_nested = summary_of(records, data, model, "nested") is not None
    return NESTED_ONLY if is_nested or is_network(model) else MISSING


def _format_mean(summary: Summary | None) -> str:
    return MISSING if summary is None else f"{100 * summary.mean:.1f}"


def compare(records: Sequence[Record], data: str, model: str, reference: str) -> str:
    """Return whether the accuracy of a model differs significantly from a reference model.

    Folds on which one of the accuracies is undefined are skipped.
    """
    one, other = (
        {
            (r.repeat, r.fold, r.seed): get_score(r, "accuracy")
            for r in select(records, data, name, "nested")
        }
        for name in (model, reference)
    )
    common = sorted(k for k in one.keys() & other.keys() if not isnan(one[k] + other[k]))
    if model == reference or len(common) < 2:
        return ""
    first, second = [one[key] for key in common], [other[key] for key in common]
    p_value = corrected_t_test(first, second, test_share=0.1)
    gap = 100 * (sum(first) - sum(second)) / len(first)
    verdict = "equal" if p_value > 0.05 else "above" if gap > 0 else "below"
    return f"{verdict} ({gap:+.1f}, p = {p_value:.2f})"
