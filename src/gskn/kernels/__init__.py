"""Stage 3: kernels between walks, and layers that turn rows of nodes into rows of nodes."""

from gskn.kernels._definitions import (
    anonymous_random_walk_kernel,
    anonymous_walk_kernel,
    joint_kernel,
    path_kernel,
    subtree_kernel,
    walk_kernel,
)
from gskn.kernels._nystrom import NystromMap
from gskn.kernels._rows import NodeRows
from gskn.kernels._settings import Settings
from gskn.kernels._stack import BRANCHES, Stack, first_length

__all__ = [
    "BRANCHES",
    "NodeRows",
    "NystromMap",
    "Settings",
    "Stack",
    "anonymous_random_walk_kernel",
    "anonymous_walk_kernel",
    "first_length",
    "joint_kernel",
    "path_kernel",
    "subtree_kernel",
    "walk_kernel",
]
