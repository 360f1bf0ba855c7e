"""Gram matrices of walk kernels, computed as their definitions say."""

from gskn.kernels._definitions import (
    anonymous_random_walk_kernel,
    anonymous_walk_kernel,
    joint_kernel,
    path_kernel,
    subtree_kernel,
    walk_kernel,
)

__all__ = [
    "anonymous_random_walk_kernel",
    "anonymous_walk_kernel",
    "joint_kernel",
    "path_kernel",
    "subtree_kernel",
    "walk_kernel",
]
