"""Stage 5: the scikit-learn face."""

from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._gskn import GSKN
from gskn.estimators._sample import check_nodes, draw_graphs

__all__ = ["GSKN", "GSKNClassifier", "check_nodes", "draw_graphs"]
