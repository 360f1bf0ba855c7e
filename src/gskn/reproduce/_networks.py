"""Table of networks: the neural systems of the paper, on the folds of all other models."""

from collections.abc import Sequence
from typing import Any

from gskn.evaluation import Record
from gskn.reproduce._jobs import Job
from gskn.reproduce._printed import CONTINUOUS, GRAPHS, NETWORK_LITERATURE, NODES
from gskn.reproduce._reasons import is_too_large, model_on
from gskn.reproduce._tables import compared_cell

NETWORK_SYSTEMS = {
    "GIN": "gin",
    "GCN": "gcn",
    "GraphSAGE": "sage",
    "GAT": "gat",
    "PatchySAN": "patchysan",
    "DDGK": "ddgk",
}
# Trained by walks, as quoted in the paper; by the classes of the training nodes.
NODE_NETWORKS = {
    "GCN": "gcn-unsupervised",
    "GAT": "gat-unsupervised",
    "GraphSAGE": "sage-unsupervised",
    "GIN": "gin-unsupervised",
    "GraLSP": "gralsp",
    "GraphSTONE": "graphstone",
    "GraphSTONE, as published": "graphstone-published",
    "GCN, by classes": "gcn",
    "GAT, by classes": "gat",
    "GraphSAGE, by classes": "sage",
    "GIN, by classes": "gin",
}
# From small to large, so that an interrupted run has complete columns.
_SETS = (
    "MUTAG",
    "PTC",
    "BZR",
    "COX2",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "PROTEINS",
    "PROTEINS_full",
    "COLLAB",
)
NETWORK_CAPTION = (
    "nested: the parameters are selected on a tenth of the training part, everything is "
    "fitted to the training part. One repeat of ten folds; three networks with different "
    "seeds are averaged. COLLAB: one parameter set, one network, 60 epochs, 32 fields of "
    "PatchySAN. ± is the standard deviation over folds; < and >: significantly below or "
    "above GSKN, chosen (p < 0.05). published: results of the literature under a protocol "
    "like nested. not run: with the estimated time on one core. too large: the time of "
    "DDGK grows with the squared number of nodes."
)


def network_jobs(quick: bool) -> list[Job]:  # noqa: FBT001
    """Return jobs of all networks; quick: regular graphs, and GIN and GCN on MUTAG.

    Every model has its own job, so that an interrupted run has complete cells.
    """
    jobs = [Job("regular", ["gin"], "nested")]
    if quick:
        return [*jobs, *(Job("MUTAG", [model], "nested") for model in ("gin", "gcn"))]
    jobs.append(Job("structure", ["gin"], "nested"))
    for data in _SETS:
        jobs += [
            Job(data, [model_on(data, model)], "nested")
            for model in NETWORK_SYSTEMS.values()
            if not is_too_large(data, model)
        ]
    for data in NODES:
        jobs += [Job(data, [model], "nodes", 10) for model in NODE_NETWORKS.values()]
    return jobs


def network_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one row per network, with the accuracy on every data set.

    A network with published results of a nested protocol has a second row.
    """
    rows = []
    for system, model in {"GSKN, chosen": "gskn", **NETWORK_SYSTEMS}.items():
        row = {"system": system}
        for data in (*GRAPHS, *CONTINUOUS):
            row[data] = compared_cell(records, data, model_on(data, model))
        rows.append(row)
        published = {
            data: NETWORK_LITERATURE.get(data, {}).get(system) or "-"
            for data in (*GRAPHS, *CONTINUOUS)
        }
        if any(number != "-" for number in published.values()):
            rows.append({"system": f"{system}, published", **published})
    return rows
