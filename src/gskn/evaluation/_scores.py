"""Scores of predictions, their summary, and a test of the difference of two models."""

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

    The recall of every class that occurs in ``y`` is added as ``recall_<class>``.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted classes.
    decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values. ROC-AUC is computed for each class against the others and
        averaged over the classes that occur in ``y``; NaN if only one occurs.
    classes : ndarray
        The class of every column of ``decision``.
    """
    # scikit-learn's function warns of classes that are predicted but do not occur.
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
    """Mean and spread of a score.

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
        If the records belong to several protocols, or if those of one model on one data
        set belong to several runs or to incomplete repeats.
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
        score = get_score(record, metric)
        folds = repeats.setdefault(record.repeat, {})
        if record.fold in folds:
            raise InputError(
                f"The records of {named} are of several runs, with other seeds or "
                "configurations; choose those of one."
            )
        folds[record.fold] = score
    if len({tuple(folds) for folds in repeats.values()}) > 1:
        raise InputError(
            f"The repeats of {named} do not have the same folds; finish the run first."
        )
    return [list(folds.values()) for folds in repeats.values()]


def get_score(record: Record, metric: str) -> float:
    """Return a score of a record; raise if it does not have it."""
    if metric not in record.scores:
        known = ", ".join(record.scores) or "none"
        raise InputError(
            f"There is no metric {metric!r} in the record of {record.model or 'the data'} "
            f"on {record.data}; known are {known}."
        )
    return record.scores[metric]


def corrected_t_test(first: Any, second: Any, *, test_share: float) -> float:
    """Return the p-value of the hypothesis that two models have equal scores.

    The training parts of folds overlap, so their scores are not independent. The variance
    is corrected by the ratio of test samples to training samples (Nadeau and Bengio,
    Inference for the generalization error, 2003).

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
    if np.ptp(gaps) < 1e-12:  # without variance the statistic is not defined
        return 1.0 if abs(gaps[0]) < 1e-12 else 0.0
    variance = gaps.var(ddof=1) * (1 / len(gaps) + test_share / (1 - test_share))
    return float(2 * student.sf(abs(gaps.mean()) / np.sqrt(variance), len(gaps) - 1))
