"""How good rows are: protocols, scores and records of runs."""

from gskn.evaluation._records import Record, ResultFile
from gskn.evaluation._scores import Summary, corrected_t_test, score_classes, summarize

__all__ = [
    "Record",
    "ResultFile",
    "Summary",
    "corrected_t_test",
    "score_classes",
    "summarize",
]
