"""Estimators with the API of scikit-learn."""

from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._gskn import GSKN
from gskn.estimators._precomputation import Precomputation, Split, SplitPair
from gskn.estimators._sample import check_nodes, draw_graphs

__all__ = [
    "GSKN",
    "GSKNClassifier",
    "Precomputation",
    "Split",
    "SplitPair",
    "check_nodes",
    "draw_graphs",
]
