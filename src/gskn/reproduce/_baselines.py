"""Table of baselines: all models under the same protocol, in the same process."""

from collections.abc import Sequence
from typing import Any

from gskn.baselines import BASELINES
from gskn.evaluation import Record
from gskn.reproduce._jobs import Job
from gskn.reproduce._printed import CONTINUOUS, GRAPHS, LITERATURE
from gskn.reproduce._tables import compared_cell


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


BASELINE_SYSTEMS = _sort_as_printed(_models_by_system("labels"))
# PROTEINS has an attribute as well, but the literature does not use it.
_ATTRIBUTE_MODELS = _models_by_system("attributes")
CONTINUOUS_SYSTEMS = {
    **{
        name: model
        for name, model in _ATTRIBUTE_MODELS.items()
        if name not in BASELINE_SYSTEMS
    },
    **BASELINE_SYSTEMS,
    **_ATTRIBUTE_MODELS,
}
GSKN_SYSTEMS = {
    "GSKN, chosen": "gskn",
    "RW only, chosen": "gskn-rw",
    "GSKN, 64 columns": "rw+aw-64",
}
_SLOW = {"awe", "gntk", "gntk-labels", "rw-kernel"}


def baseline_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return jobs of all baselines on all data sets; quick: the fast ones on three sets."""
    jobs = []
    for data in ("MUTAG", "PTC", "BZR") if quick else (*GRAPHS, *CONTINUOUS):
        skipped = _SLOW if quick else set()
        models = [name for name in baselines_of(data).values() if name not in skipped]
        jobs.append(Job(data, models, "nested", repeats=1 if quick else 3))
    return jobs


def baseline_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one row per model, with the accuracy on every data set.

    A model with published results of a nested protocol has a second row.
    """
    rows = []
    for system in {**GSKN_SYSTEMS, **CONTINUOUS_SYSTEMS}:
        ours = {}
        for data in (*GRAPHS, *CONTINUOUS):  # hash kernels need continuous attributes
            model = {**GSKN_SYSTEMS, **baselines_of(data)}.get(system)
            ours[data] = "-" if model is None else compared_cell(records, data, model)
        rows.append({"system": system, **ours})
        published = {data: LITERATURE[data].get(system) or "-" for data in ours}
        if any(number != "-" for number in published.values()):
            rows.append({"system": f"{system}, published", **published})
    return rows


def baselines_of(data: str) -> dict[str, str]:
    """Return the baselines for a data set, by their name in the tables."""
    return CONTINUOUS_SYSTEMS if data in CONTINUOUS else BASELINE_SYSTEMS
