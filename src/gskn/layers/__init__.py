"""Nyström layers: node features to node embeddings, one file per branch."""

from gskn.layers._anonymous import AnonymousLayer
from gskn.layers._anonymous import one_hot_patterns as one_hot_patterns
from gskn.layers._context import WalkContext
from gskn.layers._degree_walk import DegreeWalkLayer
from gskn.layers._enumerated import EnumeratedLayer as EnumeratedLayer
from gskn.layers._features import EdgeFeatures, FeatureViews, NodeFeatures
from gskn.layers._induced import InducedLayer
from gskn.layers._joint import JointLayer
from gskn.layers._label_path import LabelPathLayer
from gskn.layers._layer import GraphStatistics, Layer
from gskn.layers._nystrom import NystromMap
from gskn.layers._params import Advance as Advance
from gskn.layers._params import LayerParams
from gskn.layers._path import PathLayer
from gskn.layers._stack import BRANCHES, Branch, Stack
from gskn.layers._walk import WalkLayer

__all__ = [
    "BRANCHES",
    "AnonymousLayer",
    "Branch",
    "DegreeWalkLayer",
    "EdgeFeatures",
    "FeatureViews",
    "GraphStatistics",
    "InducedLayer",
    "JointLayer",
    "LabelPathLayer",
    "Layer",
    "LayerParams",
    "NodeFeatures",
    "NystromMap",
    "PathLayer",
    "Stack",
    "WalkContext",
    "WalkLayer",
]
