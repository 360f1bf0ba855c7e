"""Nyström layers: node features to node embeddings, one file per branch."""

from gskn.layers._anonymous import AnonymousLayer, InducedLayer
from gskn.layers._context import Walked
from gskn.layers._nystrom import NystromMap
from gskn.layers._path import PathLayer
from gskn.layers._rows import NodeRows
from gskn.layers._settings import Settings
from gskn.layers._stack import BRANCHES, Stack, first_length
from gskn.layers._walk import WalkLayer

__all__ = [
    "BRANCHES",
    "AnonymousLayer",
    "InducedLayer",
    "NodeRows",
    "NystromMap",
    "PathLayer",
    "Settings",
    "Stack",
    "WalkLayer",
    "Walked",
    "first_length",
]
