"""Other systems behind the interface of `gskn.estimators`: kernels, hashes and features."""

from gskn.baselines._gntk import GNTK
from gskn.baselines._hgk import HashGraphKernel
from gskn.baselines._ldp import LDP
from gskn.baselines._shortest_path import ShortestPathKernel
from gskn.baselines._wl import WLKernel
from gskn.baselines._wwl import WWLKernel

__all__ = ["GNTK", "LDP", "HashGraphKernel", "ShortestPathKernel", "WLKernel", "WWLKernel"]
