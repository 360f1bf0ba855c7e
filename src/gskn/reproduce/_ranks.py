"""Ranks of all models over nine data sets, and the effect of anonymous walks."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from gskn.evaluation import Record
from gskn.reproduce._baselines import CONTINUOUS_SYSTEMS, GSKN_SYSTEMS, baselines_of
from gskn.reproduce._jobs import Job
from gskn.reproduce._networks import NETWORK_SYSTEMS
from gskn.reproduce._printed import CONTINUOUS, GRAPHS
from gskn.reproduce._reasons import model_on
from gskn.reproduce._tables import compare, format_summary, summary_of

_SETS = (*GRAPHS, *CONTINUOUS)
_SYSTEMS = (*GSKN_SYSTEMS, *CONTINUOUS_SYSTEMS)
_VERDICTS = {"above": "significantly better", "below": "significantly worse"}


def rank_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return the jobs of all models on all data sets; quick: one repeat of three sets."""
    sets = ("MUTAG", "PTC", "BZR") if quick else _SETS
    return [
        Job(data, list(_models(data).values()), "nested", repeats=1 if quick else 3)
        for data in sets
    ]


def rank_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return mean accuracy and average rank of models that have results on all sets.

    The last columns count the data sets on which a model is significantly better than,
    equal to and significantly worse than GSKN.
    """
    means = {system: row for system in _SYSTEMS if (row := _means(records, system))}
    if not means:
        return []
    ranks = rankdata(-np.array(list(means.values())), axis=0)
    averages = dict(zip(means, ranks.mean(axis=1), strict=True))
    rows = []
    for system in sorted(means, key=averages.__getitem__):
        counts = Counter(_verdict(records, data, system) for data in _SETS)
        is_gskn = _models(_SETS[0])[system] == "gskn"
        rows.append(
            {
                "system": system,
                "mean accuracy": f"{100 * np.mean(means[system]):.1f}",
                "average rank": f"{averages[system]:.1f}",
                **{
                    name: "-" if is_gskn else str(counts[verdict])
                    for verdict, name in (
                        ("above", "better than GSKN"),
                        ("equal", "equal"),
                        ("below", "worse"),
                    )
                },
            }
        )
    return rows


def best_baseline_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the best other system on every data set, and the difference of GSKN to it.

    It is the best of many on these test folds, so the comparison favors it.
    """
    rows = []
    for data in _SETS:
        names = {**baselines_of(data)}
        names |= {system: model_on(data, net) for system, net in NETWORK_SYSTEMS.items()}
        summaries = {
            system: summary
            for system, model in names.items()
            if (summary := summary_of(records, data, model, "nested")) is not None
        }
        comparisons = {s: compare(records, data, "gskn", names[s]) for s in summaries}
        summaries = {s: value for s, value in summaries.items() if comparisons[s]}
        if not summaries:
            continue
        best = max(summaries, key=lambda system: summaries[system].mean)
        rows.append(
            {
                "data": data,
                "GSKN": format_summary(summary_of(records, data, "gskn", "nested")),
                "best other system": best,
                "accuracy": format_summary(summaries[best]),
                "difference": comparisons[best],
            }
        )
    return rows


def pattern_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return the jobs of GSKN with and without anonymous walks."""
    sets = ("MUTAG", "PTC", "BZR") if quick else _SETS
    models = ["gskn", "gskn-rw", "gskn-aw"]
    return [Job(data, models, "nested", repeats=1 if quick else 3) for data in sets]


def pattern_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the accuracy with and without anonymous walks on every data set."""
    rows = []
    for data in _SETS:
        summaries = {
            name: summary_of(records, data, model, "nested")
            for name, model in (
                ("walks and patterns", "gskn"),
                ("walks only", "gskn-rw"),
                ("patterns only", "gskn-aw"),
            )
        }
        row = {"data": data}
        row |= {name: format_summary(value) for name, value in summaries.items()}
        row["patterns add"] = _describe(compare(records, data, "gskn", "gskn-rw"))
        rows.append(row)
    return rows


def _models(data: str) -> dict[str, str]:
    return {**GSKN_SYSTEMS, **baselines_of(data)}


def _means(records: Sequence[Record], system: str) -> list[float]:
    """Return the mean accuracy on every set; an empty list if there are sets without."""
    summaries = [
        summary_of(records, data, _models(data).get(system, ""), "nested") for data in _SETS
    ]
    means = [summary.mean for summary in summaries if summary is not None]
    return means if len(means) == len(_SETS) else []


def _verdict(records: Sequence[Record], data: str, system: str) -> str:
    comparison = compare(records, data, _models(data)[system], "gskn")
    return comparison.partition(" ")[0]


def _describe(comparison: str) -> str:
    """Return the difference and p value, or "nothing" within the noise."""
    verdict, _, numbers = comparison.partition(" ")
    if not verdict:
        return "-"
    return f"{_VERDICTS.get(verdict, 'nothing beyond the noise')} {numbers}"
