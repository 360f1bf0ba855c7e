"""Other systems behind the interface of `gskn.estimators`: kernels, hashes and features."""

from gskn.baselines._awe import AWE, AWEFeatures
from gskn.baselines._graph2vec import Graph2Vec
from gskn.baselines._ldp import LDP
from gskn.baselines._shortest_path import ShortestPathKernel
from gskn.baselines._wl import WLKernel

__all__ = ["AWE", "LDP", "AWEFeatures", "Graph2Vec", "ShortestPathKernel", "WLKernel"]
