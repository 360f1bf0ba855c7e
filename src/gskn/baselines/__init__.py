"""Other systems behind the interface of `gskn.estimators`: kernels, hashes and features."""

from gskn.baselines._graphlet import GraphletKernel
from gskn.baselines._ldp import LDP
from gskn.baselines._random_walk import RandomWalkKernel
from gskn.baselines._retgk import RetGK
from gskn.baselines._shortest_path import ShortestPathKernel
from gskn.baselines._wl import WLKernel, WLOAKernel

__all__ = [
    "LDP",
    "GraphletKernel",
    "RandomWalkKernel",
    "RetGK",
    "ShortestPathKernel",
    "WLKernel",
    "WLOAKernel",
]
