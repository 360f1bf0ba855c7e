"""What a table says where it has no number of ours: why, and how long a run would take.

The hours are estimates from the sizes of the data sets in the paper and from the times
below, which were measured on one core. They show whether a run takes minutes or a night.
"""

import math

from gskn.evaluation import MODELS, TRAIN_SIZES
from gskn.reproduce._printed import NODES, STATISTICS

MISSING = "missing"
NESTED_ONLY = "nested only"  # we do not select on test folds what has nested results
TOO_LARGE = "too large"
OF_GRAPHS = {"GraphSTONE": "for nodes only"}  # there is no published program for graphs
OF_NODES = {"GCKN": "for graphs only"}  # our implementation
SHORT_SETS = {"COLLAB"}  # networks have one parameter set and fewer epochs

# The time of DDGK grows with the squared number of nodes.
_TOO_LARGE = {("ddgk", "COLLAB")}
_N_FOLDS = 10
_N_SPLITS = 10 * len(TRAIN_SIZES)  # of nodes
_EDGES_PER_NODE = 50  # the time of so many edges is the time of a node
_GRAPH_EPOCHS = 75  # usual number, with early stopping
_NODE_EPOCHS = 120
_WALK_EPOCHS = 200
# Microseconds per node and epoch.
_GRAPH_TIMES = {"gin": 4.0, "gcn": 2.5, "sage": 3.0, "gat": 6.5, "patchysan": 2.5}
# Share of the time that remains where equal nodes are merged.
_MERGED = {"IMDB-BINARY": 0.5, "IMDB-MULTI": 0.5, "COLLAB": 0.7}
_NODE_TIME = 20.0  # of one network
_WALK_TIMES = {"gralsp": 100.0, "graphstone": 800.0, "graphstone-published": 70.0}
_DDGK_TIME = 1000.0  # microseconds per squared number of nodes, for 16 sources
_DDGK_SOURCES = 1.25  # times as many, in all folds together


def model_on(data: str, model: str) -> str:
    """Return the name of a model on a data set: networks have another one on large sets."""
    short = f"{model}-short"
    return short if data in SHORT_SETS and short in MODELS else model


def is_network(model: str) -> bool:
    """Return whether a model is a network."""
    return model in MODELS and MODELS[model].extra == "torch"


def is_too_large(data: str, model: str) -> bool:
    """Return whether a data set is left out because the model would take too long."""
    return (model, data) in _TOO_LARGE


def reason(data: str, model: str) -> str:
    """Return why there is no nested number; with the time of a run that is missing."""
    if is_too_large(data, model):
        return TOO_LARGE
    if not is_network(model) or data not in STATISTICS["graphs"]:
        return MISSING
    hours = estimate_hours(data, model)
    time = f"{hours:.1f} h" if hours >= 1 else f"{math.ceil(60 * hours)} min"
    return f"not run, {time}"


def estimate_hours(data: str, model: str) -> float:
    """Return the estimated hours of one core for a network on a set of the paper."""
    n_graphs, n_nodes, n_edges = (
        float(STATISTICS[name][data]) for name in ("graphs", "nodes", "edges")
    )
    size = n_nodes + n_edges / _EDGES_PER_NODE
    if data in NODES:
        seconds = 1e-6 * size * _node_units(model)
    elif model == "ddgk":
        seconds = 1e-6 * _DDGK_SOURCES * _DDGK_TIME * n_graphs * n_nodes**2
    else:
        seconds = 1e-6 * _N_FOLDS * n_graphs * size * _graph_units(model)
        if model.removesuffix("-short") != "patchysan":
            seconds *= _MERGED.get(data, 1.0)
    return seconds / 3600


def _graph_units(model: str) -> float:
    """Return the microseconds per node and fold, over all trained networks."""
    grid = MODELS[model].grid
    n_networks = len(grid) + max(params.get("n_seeds", 1) for params in grid) - 1
    n_epochs = min(params.get("max_epochs", _GRAPH_EPOCHS) for params in grid)
    units: float = n_networks * n_epochs * _GRAPH_TIMES[model.removesuffix("-short")]
    return units


def _node_units(model: str) -> float:
    """Return the microseconds per node over all splits.

    Embeddings without classes are the same for all splits.
    """
    if MODELS[model].predicts:
        return _N_SPLITS * _NODE_EPOCHS * _NODE_TIME
    return _WALK_EPOCHS * _WALK_TIMES.get(model, _NODE_TIME)
