"""Other systems beside ours, all under the same protocol in the same process."""

from collections.abc import Sequence
from typing import Any

from gskn.evaluation import Record
from gskn.reproduce._jobs import Job
from gskn.reproduce._printed import CONTINUOUS, GRAPHS, LITERATURE
from gskn.reproduce._tables import cell, compare, scores_of

# What the paper calls them, then those it does not have.
OTHERS = {
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
# PROTEINS has an attribute, too, that the literature leaves out.
CONTINUOUS_OTHERS = {
    "HGK-WL": "hgk-wl",
    "HGK-SP": "hgk-sp",
    **OTHERS,
    "RetGK": "retgk",
    "GNTK": "gntk",
    "WWL": "wwl",
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
