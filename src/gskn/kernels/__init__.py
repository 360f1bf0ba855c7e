"""Gram matrices of graph kernels, computed from their definitions; one file per kernel.

The faster layers are tested against these functions. The matrices can also be used
directly, for example with ``SVC(kernel="precomputed")``.
"""

from gskn.kernels._anonymous import anonymous_walk_kernel
from gskn.kernels._joint import joint_kernel
from gskn.kernels._path import path_kernel
from gskn.kernels._subtree import subtree_kernel
from gskn.kernels._sum import anonymous_random_walk_kernel
from gskn.kernels._walk import walk_kernel

__all__ = [
    "anonymous_random_walk_kernel",
    "anonymous_walk_kernel",
    "joint_kernel",
    "path_kernel",
    "subtree_kernel",
    "walk_kernel",
]
