"""Estimators with the API of scikit-learn."""

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._gskn import GSKN
from gskn.estimators._precomputation import Precomputation as Precomputation
from gskn.estimators._precomputation import Split as Split
from gskn.estimators._precomputation import SplitPair as SplitPair
from gskn.estimators._sample import check_nodes as check_nodes
from gskn.estimators._sample import draw_graphs as draw_graphs

__all__ = ["GSKN", "GSKNClassifier"]
