"""Evaluation of embeddings: models, protocols, scores, result files and plots."""

from gskn.evaluation._model import Model
from gskn.evaluation._models import MODELS
from gskn.evaluation._nodes import NODE_METRICS, evaluate_nodes
from gskn.evaluation._order import check_order_independence
from gskn.evaluation._protocols import evaluate
from gskn.evaluation._records import Record
from gskn.evaluation._result_file import ResultFile
from gskn.evaluation._scores import (
    GRAPH_METRICS,
    Summary,
    corrected_t_test,
    score_classes,
    summarize,
    summarize_records,
)
from gskn.evaluation.plots import (
    Curve,
    Timing,
    plot_embedding,
    plot_parameters,
    plot_scores,
    plot_times,
    save_figure,
)

# Shared with `gskn.reproduce`, but not part of the public interface.
from gskn.evaluation._model import make as make  # isort: skip
from gskn.evaluation._model import plain as plain  # isort: skip
from gskn.evaluation._nodes import SHARES as SHARES  # isort: skip
from gskn.evaluation._protocols import split as split  # isort: skip
from gskn.evaluation._records import Clock as Clock  # isort: skip
from gskn.evaluation._records import with_provenance as with_provenance  # isort: skip
from gskn.evaluation._scores import get_score as get_score  # isort: skip
from gskn.evaluation._svm import LINEAR as LINEAR  # isort: skip
from gskn.evaluation._svm import RBF as RBF  # isort: skip
from gskn.evaluation._svm import Setting as Setting  # isort: skip
from gskn.evaluation._svm import predict as predict  # isort: skip
from gskn.evaluation._svm import stopping_early as stopping_early  # isort: skip

__all__ = [
    "GRAPH_METRICS",
    "MODELS",
    "NODE_METRICS",
    "Curve",
    "Model",
    "Record",
    "ResultFile",
    "Summary",
    "Timing",
    "check_order_independence",
    "corrected_t_test",
    "evaluate",
    "evaluate_nodes",
    "plot_embedding",
    "plot_parameters",
    "plot_scores",
    "plot_times",
    "save_figure",
    "score_classes",
    "summarize",
    "summarize_records",
]
