"""Other systems behind the interface of `gskn.estimators`: kernels, hashes and features.

Deep divergence graph kernels (Al-Rfou, Zelle and Perozzi, 2019) are not here. They train an
attention network for every pair of graphs, which needs a framework for deep learning and,
for a thousand graphs, a million trainings.
"""

from gskn.baselines._awe import AWE, AWEFeatures
from gskn.baselines._gckn import GCKN
from gskn.baselines._gntk import GNTK
from gskn.baselines._graph2vec import Graph2Vec
from gskn.baselines._graphlet import GraphletKernel
from gskn.baselines._hgk import HashGraphKernel
from gskn.baselines._kernel import GraphKernel
from gskn.baselines._ldp import LDP
from gskn.baselines._random_walk import RandomWalkKernel
from gskn.baselines._retgk import RetGK
from gskn.baselines._shortest_path import ShortestPathKernel
from gskn.baselines._wl import WLKernel, WLOAKernel
from gskn.baselines._wwl import WWLKernel

__all__ = [
    "AWE",
    "GCKN",
    "GNTK",
    "LDP",
    "AWEFeatures",
    "Graph2Vec",
    "GraphKernel",
    "GraphletKernel",
    "HashGraphKernel",
    "RandomWalkKernel",
    "RetGK",
    "ShortestPathKernel",
    "WLKernel",
    "WLOAKernel",
    "WWLKernel",
]
