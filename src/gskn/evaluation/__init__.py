"""How good rows are: models, protocols, scores and records of runs."""

from gskn.evaluation._models import MODELS, Model
from gskn.evaluation._order import check_order_independence
from gskn.evaluation._protocols import evaluate
from gskn.evaluation._records import Record, ResultFile
from gskn.evaluation._scores import Summary, corrected_t_test, score_classes, summarize

__all__ = [
    "MODELS",
    "Model",
    "Record",
    "ResultFile",
    "Summary",
    "check_order_independence",
    "corrected_t_test",
    "evaluate",
    "score_classes",
    "summarize",
]
