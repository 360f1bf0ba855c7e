"""Table of baselines: all models under the same protocol, in the same process."""

from collections.abc import Sequence
from typing import Any

from gskn.evaluation import Record
from gskn.reproduce._jobs import Job
from gskn.reproduce._printed import CONTINUOUS, GRAPHS, LITERATURE
from gskn.reproduce._tables import compare, format_summary, summary_of

# Models by the name in the paper, followed by models that the paper does not have.
BASELINES = {
    "LDP": "ldp",
    "Graph2Vec": "graph2vec",
    "WL subtree": "wl",
    "RetGK": "retgk-labels",
    "GNTK": "gntk-labels",
    "AWE": "awe",
    "GCKN": "gckn-path",
    "WWL": "wwl-labels",
    "WL-OA": "wl-oa",
    "SP kernel": "sp",
    "RW kernel": "rw-kernel",
    "Graphlet kernel": "graphlet",
    "AWE, features": "awe-features",
    "GCKN, walks": "gckn-walk",
    "GCKN, subtrees": "gckn-subtree",
}
# For data sets with continuous attributes. PROTEINS has an attribute, too, but it is not
# used in the literature.
CONTINUOUS_BASELINES = {
    "HGK-WL": "hgk-wl",
    "HGK-SP": "hgk-sp",
    **BASELINES,
    "RetGK": "retgk",
    "GNTK": "gntk",
    "WWL": "wwl",
}
_GSKN_MODELS = {
    "GSKN, chosen": "gskn",
    "RW only, chosen": "gskn-rw",
    "GSKN, 64 columns": "rw+aw-64",
}
_SLOW = {"awe", "gntk", "gntk-labels", "rw-kernel"}
_SIGNS = {"above": " >", "below": " <", "equal": ""}


def baseline_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return jobs of all baselines on all data sets; quick: the fast ones on three sets."""
    jobs = []
    for data in ("MUTAG", "PTC", "BZR") if quick else (*GRAPHS, *CONTINUOUS):
        skipped = _SLOW if quick else set()
        models = [name for name in _baselines(data).values() if name not in skipped]
        jobs.append(Job(data, models, "nested", repeats=1 if quick else 3))
    return jobs


def baseline_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one row per model, with the accuracy on every data set.

    A model with published results of a nested protocol has a second row.
    """
    rows = []
    for system in {**_GSKN_MODELS, **CONTINUOUS_BASELINES}:
        ours = {}
        for data in (*GRAPHS, *CONTINUOUS):  # hash kernels need continuous attributes
            model = {**_GSKN_MODELS, **_baselines(data)}.get(system)
            ours[data] = "-" if model is None else _cell(records, data, model)
        rows.append({"system": system, **ours})
        published = {data: LITERATURE[data].get(system) or "-" for data in ours}
        if any(number != "-" for number in published.values()):
            rows.append({"system": f"{system}, published", **published})
    return rows


def _baselines(data: str) -> dict[str, str]:
    return CONTINUOUS_BASELINES if data in CONTINUOUS else BASELINES


def _cell(records: Sequence[Record], data: str, model: str) -> str:
    summary = summary_of(records, data, model, "nested")
    if summary is None:
        return format_summary(None)
    verdict = compare(records, data, model, "gskn")
    return format_summary(summary) + _SIGNS[verdict.partition(" ")[0] or "equal"]
