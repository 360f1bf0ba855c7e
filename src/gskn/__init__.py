"""Structural embeddings of graphs and of their nodes.

Public names load on first use, so ``import gskn`` costs milliseconds and
``gskn --help`` never pays for scipy or scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gskn import (
        baselines,
        datasets,
        estimators,
        evaluation,
        exceptions,
        explain,
        graphs,
        kernels,
        networks,
        pooling,
        walks,
    )
    from gskn.estimators import (
        GSKN,
        GSKNClassifier,
        GSKNRegressor,
        NearestGraphs,
        NodeEmbedding,
    )
    from gskn.graphs import AttributeEncoder, GraphBatch, as_batch, read_graphs
    from gskn.walks import pattern_counts, sample_walks

    __version__: str

__all__ = [
    "GSKN",
    "AttributeEncoder",
    "GSKNClassifier",
    "GSKNRegressor",
    "GraphBatch",
    "NearestGraphs",
    "NodeEmbedding",
    "__version__",
    "as_batch",
    "baselines",
    "datasets",
    "estimators",
    "evaluation",
    "exceptions",
    "explain",
    "graphs",
    "kernels",
    "networks",
    "pattern_counts",
    "pooling",
    "read_graphs",
    "sample_walks",
    "walks",
]

_HOME_OF = {
    "GSKN": "gskn.estimators",
    "GSKNClassifier": "gskn.estimators",
    "GSKNRegressor": "gskn.estimators",
    "NearestGraphs": "gskn.estimators",
    "NodeEmbedding": "gskn.estimators",
    "AttributeEncoder": "gskn.graphs",
    "GraphBatch": "gskn.graphs",
    "as_batch": "gskn.graphs",
    "pattern_counts": "gskn.walks",
    "read_graphs": "gskn.graphs",
    "sample_walks": "gskn.walks",
}
_MODULES = (
    "baselines",
    "datasets",
    "estimators",
    "evaluation",
    "exceptions",
    "explain",
    "graphs",
    "kernels",
    "networks",
    "pooling",
    "walks",
)


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        value: object = getattr(import_module(_HOME_OF[name]), name)
    elif name in _MODULES:
        value = import_module(f"gskn.{name}")
    elif name == "__version__":
        value = import_module("importlib.metadata").version("gskn")
    else:
        raise AttributeError(f"module 'gskn' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
