"""Scores of predictions, their summaries, and a significance test for two models."""

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
from gskn.evaluation._records import ERRORS, Record
from gskn.exceptions import InputError

GRAPH_METRICS = ("accuracy", "balanced_accuracy", "roc_auc", "macro_f1", "micro_f1")
VALUE_METRICS = ("rmse", "mae", "r2")


def is_error(metric: str) -> bool:
    """Return whether lower values of a metric are better.

    Parameters
    ----------
    metric : str
        Name of a score.

    Returns
    -------
    is_error : bool
        True for the errors "rmse" and "mae".

    Examples
    --------
    >>> is_error("rmse"), is_error("accuracy")
    (True, False)
    """
    return metric in ERRORS


def score_classes(
    y: AnyArray, predicted: AnyArray, decision: FloatArray, classes: AnyArray
) -> dict[str, float]:
    """Return accuracy, balanced accuracy, ROC-AUC, F1 scores and recalls of predictions.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted classes.
    decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values. ROC-AUC is computed for each class against the rest and averaged
        over the classes that occur in ``y``; NaN if there is only one.
    classes : ndarray of shape (n_classes,)
        The class of every column of ``decision``.

    Returns
    -------
    scores : dict of str to float
        The metrics in `GRAPH_METRICS`, and ``recall_<class>`` for every class in ``y``.

    Examples
    --------
    >>> y, predicted = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> decision = np.array([-1.0, 0.5, 0.2, 2.0])
    >>> scores = score_classes(y, predicted, decision, np.array([0, 1]))
    >>> scores["accuracy"], scores["recall_0"]
    (0.75, 0.5)
    """
    # The recall of scikit-learn warns about classes that are predicted but do not occur.
    recalls = {str(c): float((predicted[y == c] == c).mean()) for c in np.unique(y)}
    return {
        "accuracy": float(accuracy_score(y, predicted)),
        "balanced_accuracy": float(np.mean(list(recalls.values()))),
        "roc_auc": _roc_auc(y, decision, classes),
        "macro_f1": float(f1_score(y, predicted, average="macro", zero_division=0)),
        "micro_f1": float(f1_score(y, predicted, average="micro", zero_division=0)),
        **{f"recall_{value}": recall for value, recall in recalls.items()},
    }


def score_values(y: FloatArray, predicted: FloatArray) -> dict[str, float]:
    """Return the errors and the coefficient of determination of predicted values.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted values.

    Returns
    -------
    scores : dict of str to float
        The metrics in `VALUE_METRICS`: root mean squared error, mean absolute error, and
        ``r2``, which is NaN if all true values are equal.

    Examples
    --------
    >>> scores = score_values(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 5.0]))
    >>> {name: round(score, 3) for name, score in scores.items()}
    {'rmse': 1.155, 'mae': 0.667, 'r2': -1.0}
    """
    errors = predicted - y
    variance = float(np.var(y))
    error = float(np.mean(errors**2))
    return {
        "rmse": float(np.sqrt(error)),
        "mae": float(np.abs(errors).mean()),
        "r2": 1 - error / variance if variance > 0 else float("nan"),
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
    """Mean and standard deviations of a score.

    Attributes
    ----------
    mean : float
        Mean over all folds of all repeats.
    std_folds : float
        Standard deviation over folds, averaged over repeats.
    std_repeats : float
        Standard deviation of the means of the repeats; 0 for a single repeat.
    n : int
        Number of scores.
    """

    mean: float
    std_folds: float
    std_repeats: float
    n: int


def summarize(scores: Any) -> Summary:
    """Return the mean and the standard deviations of scores.

    Parameters
    ----------
    scores : array-like of shape (n_repeats, n_folds) or (n_folds,)
        Scores of one model.

    Returns
    -------
    summary : Summary
        Mean and standard deviations.

    Examples
    --------
    >>> summarize([[0.5, 0.7], [0.6, 0.6]]).mean
    0.6
    """
    scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if not scores.size:
        raise InputError("scores is empty.")
    means = scores.mean(axis=1)
    return Summary(
        mean=float(means.mean()),
        std_folds=float(scores.std(axis=1).mean()),
        std_repeats=float(means.std(ddof=1)) if len(means) > 1 else 0.0,
        n=scores.size,
    )


def summarize_records(
    records: Sequence[Record], metric: str = "accuracy"
) -> dict[str, dict[str, Summary]]:
    """Return the summary of a metric for every data set and model.

    Parameters
    ----------
    records : sequence of Record
        Records of one protocol. If several records have the same key, the first one is
        used.
    metric : str, default="accuracy"
        Name of a score.

    Returns
    -------
    summaries : dict of dict of Summary
        Summaries by data set and model, in the order of the records.

    Raises
    ------
    InputError
        If the records belong to several protocols, or if the records of one model on one
        data set belong to several runs, or if one of their repeats is incomplete.
    """
    if not records:
        raise InputError("There are no records to summarize.")
    protocols = sorted({record.protocol for record in records})
    if len(protocols) > 1:
        raise InputError(
            f"The records have the protocols {' and '.join(protocols)}, which cannot be "
            "compared. Select the records of one protocol."
        )
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in {record.key: record for record in reversed(records)}.values():
        groups.setdefault((record.data, record.model), []).append(record)
    summaries: dict[str, dict[str, Summary]] = {}
    for data, model in dict.fromkeys((record.data, record.model) for record in records):
        scores = _by_repeat(groups[data, model], metric)
        summaries.setdefault(data, {})[model] = summarize(scores)
    return summaries


def _by_repeat(records: Sequence[Record], metric: str) -> list[list[float]]:
    """Return the scores of one model on one data set, one list per repeat."""
    name = f"{records[0].model} on {records[0].data}"
    repeats: dict[int, dict[int, float]] = {}
    for record in sorted(records, key=lambda record: (record.repeat, record.fold)):
        score = get_score(record, metric)
        folds = repeats.setdefault(record.repeat, {})
        if record.fold in folds:
            raise InputError(
                f"The records of {name} belong to several runs with different seeds or "
                "configurations. Select the records of one run."
            )
        folds[record.fold] = score
    if len({tuple(folds) for folds in repeats.values()}) > 1:
        raise InputError(
            f"The repeats of {name} have different folds. Complete the run first."
        )
    return [list(folds.values()) for folds in repeats.values()]


def get_score(record: Record, metric: str) -> float:
    """Return a score of a record, or raise if the record does not have it."""
    if metric not in record.scores:
        metrics = ", ".join(record.scores) or "none"
        raise InputError(
            f"Unknown metric {metric!r} for the record of {record.model or 'the data'} on "
            f"{record.data}. Known: {metrics}."
        )
    return record.scores[metric]


def corrected_t_test(first: Any, second: Any, *, test_share: float) -> float:
    """Return the p-value of the hypothesis that two models have equal scores.

    The training parts of folds overlap, so the scores of folds are not independent. The
    corrected resampled t-test multiplies the variance of the mean by a factor that depends
    on the ratio of test samples to training samples.

    Parameters
    ----------
    first, second : array-like of the same shape
        Scores of both models on all folds of all repeats.
    test_share : float
        Fraction of the samples in the test part of a fold, 0.1 for ten folds.

    Returns
    -------
    p_value : float
        1 if all scores are equal; 0 if they differ by the same amount on all folds.

    References
    ----------
    Claude Nadeau and Yoshua Bengio, "Inference for the generalization error", Machine
    Learning 52, 2003.

    Examples
    --------
    >>> corrected_t_test([0.8, 0.9, 0.7, 0.8], [0.8, 0.9, 0.7, 0.8], test_share=0.25)
    1.0
    """
    first, second = np.ravel(np.asarray(first)), np.ravel(np.asarray(second))
    if first.shape != second.shape or len(first) < 2:
        raise InputError(
            f"first and second must have the same length, at least 2, got {len(first)} "
            f"and {len(second)}."
        )
    if not 0 < test_share < 1:
        raise InputError(f"test_share must be between 0 and 1, got {test_share}.")
    differences = first - second
    if np.ptp(differences) < 1e-12:  # without variance the statistic is undefined
        return 1.0 if abs(differences[0]) < 1e-12 else 0.0
    variance = differences.var(ddof=1) * (
        1 / len(differences) + test_share / (1 - test_share)
    )
    return float(
        2 * student.sf(abs(differences.mean()) / np.sqrt(variance), len(differences) - 1)
    )
