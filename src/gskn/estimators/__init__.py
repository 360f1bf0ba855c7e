"""Stage 5: the scikit-learn face."""

from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._gskn import GSKN

__all__ = ["GSKN", "GSKNClassifier"]
