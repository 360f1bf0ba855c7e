"""Baselines: graph kernels and embeddings of other authors as scikit-learn estimators.

`BASELINES` lists all classes. A class stores the names, labels and parameter grids under
which it is evaluated as class data, see `Variant`.
"""

from gskn.baselines._awe import AWE, AWEFeatures
from gskn.baselines._gckn import GCKN
from gskn.baselines._gntk import GNTK
from gskn.baselines._graph2vec import Graph2Vec
from gskn.baselines._graphlet import GraphletKernel
from gskn.baselines._hgk import HashGraphKernel
from gskn.baselines._ldp import LDP
from gskn.baselines._random_walk import RandomWalkKernel
from gskn.baselines._retgk import RetGK
from gskn.baselines._shared._baseline import Baseline, Variant
from gskn.baselines._shared._kernel import GraphKernel
from gskn.baselines._shortest_path import ShortestPathKernel
from gskn.baselines._wl import WLKernel, WLOAKernel
from gskn.baselines._wwl import WWLKernel

BASELINES: tuple[type[Baseline], ...] = (
    LDP,
    WLKernel,
    WLOAKernel,
    ShortestPathKernel,
    RandomWalkKernel,
    GraphletKernel,
    RetGK,
    WWLKernel,
    GNTK,
    HashGraphKernel,
    Graph2Vec,
    AWE,
    AWEFeatures,
    GCKN,
)

__all__ = [
    "AWE",
    "BASELINES",
    "GCKN",
    "GNTK",
    "LDP",
    "AWEFeatures",
    "Baseline",
    "Graph2Vec",
    "GraphKernel",
    "GraphletKernel",
    "HashGraphKernel",
    "RandomWalkKernel",
    "RetGK",
    "ShortestPathKernel",
    "Variant",
    "WLKernel",
    "WLOAKernel",
    "WWLKernel",
]
