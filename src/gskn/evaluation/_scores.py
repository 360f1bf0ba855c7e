"""How good predictions are, how sure one can be, and whether two models differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    roc_auc_score,
)

from gskn._types import AnyArray, FloatArray
from gskn.evaluation._records import Record
from gskn.exceptions import InputError

GRAPH_METRICS = ("accuracy", "balanced_accuracy", "roc_auc", "macro_f1", "micro_f1")


def score_classes(
    y: AnyArray, predicted: AnyArray, decision: FloatArray, classes: AnyArray
) -> dict[str, float]:
    """Return accuracy, balanced accuracy, ROC-AUC, macro and micro F1 of predictions.

    Beside them stands the recall of every class that occurs, as ``recall_<class>``.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted classes.
    decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values. ROC-AUC is that of each class against the others, averaged over
        the classes that occur in ``y``; NaN where only one does.
    classes : ndarray
        The class of every column of ``decision``.
    """
    # The mean recall of the classes there are: scikit-learn warns of those predicted only.
    recalls = {str(c): float((predicted[y == c] == c).mean()) for c in np.unique(y)}
    return {
        "accuracy": float(accuracy_score(y, predicted)),
        "balanced_accuracy": float(np.mean(list(recalls.values()))),
        "roc_auc": _roc_auc(y, decision, classes),
        "macro_f1": float(f1_score(y, predicted, average="macro", zero_division=0)),
        "micro_f1": float(f1_score(y, predicted, average="micro", zero_division=0)),
        **{f"recall_{value}": recall for value, recall in recalls.items()},
    }


def _roc_auc(y: AnyArray, decision: FloatArray, classes: AnyArray) -> float:
    columns = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
    present = [
        roc_auc_score(y == value, columns[:, number])
        for number, value in enumerate(classes)
        if 0 < (y == value).sum() < len(y)
    ]
    return float(np.mean(present)) if present else float("nan")


@dataclass(frozen=True)
class Summary:
    """Mean of a score, and its spread.

    Attributes
    ----------
    mean : float
        Over all folds of all repeats.
    std_folds : float
        Standard deviation over folds, the mean over repeats.
    std_repeats : float
        Standard deviation of the means of repeats; 0 for one repeat.
    n : int
        Number of scores.
    """

    mean: float
    std_folds: float
    std_repeats: float
    n: int


def summarize(scores: Any) -> Summary:
    """Summarise scores of shape (n_repeats, n_folds)."""
    scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if not scores.size:
        raise InputError("There are no scores to summarise.")
    means = scores.mean(axis=1)
    spread = float(means.std(ddof=1)) if len(means) > 1 else 0.0
    return Summary(
        float(means.mean()), float(scores.std(axis=1).mean()), spread, scores.size
    )


def summarize_records(
    records: Sequence[Record], metric: str = "accuracy"
) -> dict[str, dict[str, Summary]]:
    """Summarise records of one protocol, by data set and model, in their order.

    Of records with equal keys the first counts.

    Raises
    ------
    InputError
        If records are of several protocols, or if those of a model on a set are of several
        runs or of repeats that are not done: their mean would be that of nothing.
    """
    if not records:
        raise InputError("There are no records to summarise.")
    protocols = sorted({record.protocol for record in records})
    if len(protocols) > 1:
        raise InputError(
            f"The records are of the protocols {' and '.join(protocols)}, which cannot be "
            "compared; choose those of one."
        )
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in {record.key: record for record in reversed(records)}.values():
        groups.setdefault((record.data, record.model), []).append(record)
    found: dict[str, dict[str, Summary]] = {}
    for data, model in dict.fromkeys((record.data, record.model) for record in records):
        scores = _by_repeat(groups[data, model], metric)
        found.setdefault(data, {})[model] = summarize(scores)
    return found


def _by_repeat(records: Sequence[Record], metric: str) -> list[list[float]]:
    """Return the scores of one model on one set, one list per repeat."""
    named = f"{records[0].model} on {records[0].data}"
    repeats: dict[int, dict[int, float]] = {}
    for record in sorted(records, key=lambda record: (record.repeat, record.fold)):
        if metric not in record.scores:
            known = ", ".join(record.scores)
            raise InputError(f"There is no metric {metric!r}; known are {known}.")
        folds = repeats.setdefault(record.repeat, {})
        if record.fold in folds:
            raise InputError(
                f"The records of {named} are of several runs, with other seeds or "
                "configurations; choose those of one."
            )
        folds[record.fold] = record.scores[metric]
    if len({tuple(folds) for folds in repeats.values()}) > 1:
        raise InputError(
            f"The repeats of {named} do not have the same folds; finish the run first."
        )
    return [list(folds.values()) for folds in repeats.values()]


def corrected_t_test(first: Any, second: Any, *, test_share: float) -> float:
    """Return the p-value of two models being equal, given their scores on equal folds.

    Folds overlap in what they train on, so that their scores are not independent: the
    variance is corrected by the share of test samples over training samples (Nadeau and
    Bengio, 2003). Differences with a p-value above 0.05 are called equal.

    Parameters
    ----------
    first, second : array-like of the same shape
        Scores of all folds of all repeats.
    test_share : float
        Share of samples that a fold tests on, 0.1 for ten folds.

    Examples
    --------
    >>> corrected_t_test([0.8, 0.9, 0.7, 0.8], [0.8, 0.9, 0.7, 0.8], test_share=0.25)
    1.0
    """
    first, second = np.ravel(np.asarray(first)), np.ravel(np.asarray(second))
    if first.shape != second.shape or len(first) < 2:
        raise InputError(
            f"Scores of {len(first)} and {len(second)} folds cannot be compared; give two "
            "or more scores on equal folds."
        )
    if not 0 < test_share < 1:
        raise InputError(f"test_share must be between 0 and 1, got {test_share}.")
    gaps = first - second
    if np.ptp(gaps) < 1e-12:  # no variance at all: equal, or different for sure
        return 1.0 if abs(gaps[0]) < 1e-12 else 0.0
    variance = gaps.var(ddof=1) * (1 / len(gaps) + test_share / (1 - test_share))
    return float(2 * student.sf(abs(gaps.mean()) / np.sqrt(variance), len(gaps) - 1))
