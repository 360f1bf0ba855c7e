"""Evaluation of embeddings: models, protocols, scores, result files and plots."""

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.evaluation._limits import check_seed as check_seed
from gskn.evaluation._model import Model
from gskn.evaluation._model import as_json as as_json
from gskn.evaluation._model import make_estimator as make_estimator
from gskn.evaluation._nodes import NODE_METRICS, evaluate_nodes
from gskn.evaluation._nodes import TRAIN_SIZES as TRAIN_SIZES
from gskn.evaluation._order import check_order_independence
from gskn.evaluation._protocols import evaluate
from gskn.evaluation._protocols import split as split
from gskn.evaluation._records import Clock as Clock
from gskn.evaluation._records import Record, records_to_frame
from gskn.evaluation._records import metric_name as metric_name
from gskn.evaluation._records import with_provenance as with_provenance
from gskn.evaluation._registry import MODELS
from gskn.evaluation._registry import constant_model as constant_model
from gskn.evaluation._registry import find_models as find_models
from gskn.evaluation._result_file import ResultFile
from gskn.evaluation._scores import (
    GRAPH_METRICS,
    VALUE_METRICS,
    Summary,
    corrected_t_test,
    is_error,
    score_classes,
    score_values,
    summarize,
    summarize_records,
)
from gskn.evaluation._scores import get_score as get_score
from gskn.evaluation.plots import (
    Curve,
    Timing,
    plot_embedding,
    plot_parameters,
    plot_scores,
    plot_times,
    save_figure,
)

__all__ = [
    "GRAPH_METRICS",
    "MODELS",
    "NODE_METRICS",
    "VALUE_METRICS",
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
    "is_error",
    "plot_embedding",
    "plot_parameters",
    "plot_scores",
    "plot_times",
    "records_to_frame",
    "save_figure",
    "score_classes",
    "score_values",
    "summarize",
    "summarize_records",
]
