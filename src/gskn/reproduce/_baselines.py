"""Other systems beside ours, all under the same protocol in the same process."""

from collections.abc import Sequence
from typing import Any

from gskn.baselines import BASELINES
from gskn.evaluation._records import Record
from gskn.reproduce._jobs import Job
from gskn.reproduce._printed import CONTINUOUS, GRAPHS, LITERATURE
from gskn.reproduce._tables import cell, compare, scores_of


def _models_by_system(table_data: str) -> dict[str, str]:
    """Return model names by the name of the system in the tables of the paper."""
    return {
        variant.table_label or variant.label: variant.name
        for baseline in BASELINES
        for variant in baseline.variants
        if variant.table_data in {"any", table_data}
    }


def _sort_as_printed(models: dict[str, str]) -> dict[str, str]:
    """Sort systems as in the paper; systems that are not in the paper come last."""
    printed = list(dict.fromkeys([*GRAPHS["MUTAG"], *CONTINUOUS["BZR"]]))
    return {
        system: models[system]
        for system in dict.fromkeys([*printed, *models])
        if system in models
    }


OTHERS = _sort_as_printed(_models_by_system("labels"))
# PROTEINS has an attribute as well, but the literature does not use it.
_ATTRIBUTE_MODELS = _models_by_system("attributes")
CONTINUOUS_OTHERS = {
    **{name: model for name, model in _ATTRIBUTE_MODELS.items() if name not in OTHERS},
    **OTHERS,
    **_ATTRIBUTE_MODELS,
}
_OURS = {
    "GSKN, chosen": "gskn",
    "RW only, chosen": "gskn-rw",
    "GSKN, 64 columns": "rw+aw-64",
}
_SLOW = {"awe", "gntk", "gntk-labels", "rw-kernel"}
_SIGNS = {"above": " >", "below": " <", "equal": ""}


def baseline_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return other systems on all sets; quick: the fast ones on three sets."""
    jobs = []
    for data in ("MUTAG", "PTC", "BZR") if quick else (*GRAPHS, *CONTINUOUS):
        left_out = _SLOW if quick else set()
        models = [name for name in _others(data).values() if name not in left_out]
        jobs.append(Job(data, models, "nested", repeats=1 if quick else 3))
    return jobs


def baseline_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one row per system, with the accuracy on every set.

    A system that others measured under an honest protocol has a second row.
    """
    rows = []
    for system in {**_OURS, **CONTINUOUS_OTHERS}:
        ours = {}
        for data in (*GRAPHS, *CONTINUOUS):  # without attributes there is nothing to hash
            model = {**_OURS, **_others(data)}.get(system)
            ours[data] = "-" if model is None else _cell(records, data, model)
        rows.append({"system": system, **ours})
        published = {data: LITERATURE[data].get(system) or "-" for data in ours}
        if any(number != "-" for number in published.values()):
            rows.append({"system": f"{system}, published", **published})
    return rows


def _others(data: str) -> dict[str, str]:
    return CONTINUOUS_OTHERS if data in CONTINUOUS else OTHERS


def _cell(records: Sequence[Record], data: str, model: str) -> str:
    found = scores_of(records, data, model, "nested")
    if found is None:
        return cell(None)
    verdict = compare(records, data, model, "gskn")
    return cell(found) + _SIGNS[verdict.partition(" ")[0] or "equal"]
