import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn.metrics import (
    balanced_accuracy_score,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from gskn.evaluation import (
    GRAPH_METRICS,
    VALUE_METRICS,
    corrected_t_test,
    is_error,
    score_classes,
    score_values,
    summarize,
)
from gskn.exceptions import InputError


def test_scores_of_a_small_example():
    y, predicted = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    decision = np.array([-2.0, -1.0, 0.5, 0.1])
    scores = score_classes(y, predicted, decision, np.array([0, 1]))
    assert scores["accuracy"] == scores["micro_f1"] == 0.75
    assert scores["balanced_accuracy"] == pytest.approx((2 / 3 + 1) / 2)
    assert scores["roc_auc"] == pytest.approx(2 / 3)
    assert scores["macro_f1"] == pytest.approx((0.8 + 2 / 3) / 2)


@given(st.integers(0, 99))
def test_scores_agree_with_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), generator.integers(0, 3, 20)])
    decision = generator.normal(size=(23, 3))
    scores = score_classes(y, decision.argmax(axis=1), decision, np.arange(3))
    expected = balanced_accuracy_score(y, decision.argmax(axis=1))
    assert scores["balanced_accuracy"] == pytest.approx(expected)
    aucs = [roc_auc_score(y == c, decision[:, c]) for c in range(3)]
    assert scores["roc_auc"] == pytest.approx(np.mean(aucs))


@given(st.integers(0, 99))
def test_scores_of_values_agree_with_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    y, predicted = generator.normal(size=(2, 9))
    scores = score_values(y, predicted)
    assert tuple(scores) == VALUE_METRICS
    assert scores["rmse"] == pytest.approx(root_mean_squared_error(y, predicted))
    assert scores["mae"] == pytest.approx(mean_absolute_error(y, predicted))
    assert scores["r2"] == pytest.approx(r2_score(y, predicted))


def test_r2_of_equal_values_is_undefined():
    scores = score_values(np.array([2.0, 2.0]), np.array([2.0, 3.0]))
    assert np.isnan(scores["r2"])
    assert scores["mae"] == 0.5


def test_only_errors_are_better_if_they_are_lower():
    errors = [name for name in (*GRAPH_METRICS, *VALUE_METRICS) if is_error(name)]
    assert errors == ["rmse", "mae"]


def test_roc_auc_of_a_single_class_is_undefined():
    scores = score_classes(
        np.array([1, 1]), np.array([1, 0]), np.array([0.5, -1.0]), np.array([0, 1])
    )
    assert np.isnan(scores["roc_auc"])
    assert scores["balanced_accuracy"] == 0.5


def test_summary_has_deviations_over_folds_and_over_repeats():
    scores = summarize([[0.5, 0.7], [0.6, 1.0]])
    assert scores.mean == pytest.approx(0.7)
    assert scores.std_folds == pytest.approx((0.1 + 0.2) / 2)
    assert scores.std_repeats == pytest.approx(np.std([0.6, 0.8], ddof=1))
    assert summarize([0.5, 0.7]).std_repeats == 0
    with pytest.raises(InputError, match="scores is empty"):
        summarize([])


def test_t_test_has_the_correction_of_nadeau_and_bengio():
    """With ten folds the factor of the variance is 1/10 + 1/9 instead of 1/10."""
    differences = np.array([0.02, 0.01, 0.03, 0.0, 0.02, 0.04, -0.01, 0.02, 0.01, 0.02])
    t = differences.mean() / np.sqrt(differences.var(ddof=1) * (0.1 + 1 / 9))
    expected = 2 * student.sf(t, 9)
    assert corrected_t_test(differences, 0 * differences, test_share=0.1) == pytest.approx(
        expected
    )
    assert corrected_t_test(0 * differences, differences, test_share=0.1) == pytest.approx(
        expected
    )


def test_false_positive_rate_is_below_the_level():
    """The corrected test is conservative for independent scores of ten folds.

    At level 0.05, 400 comparisons have at most 20 + 3 * sqrt(19) = 33 false positives.
    """
    generator = np.random.default_rng(0)
    n_false = sum(
        corrected_t_test(*generator.normal(size=(2, 10)), test_share=0.1) < 0.05
        for _ in range(400)
    )
    assert n_false <= 33


def test_p_value_without_variance_is_0_or_1():
    assert corrected_t_test([0.5, 0.5], [0.5, 0.5], test_share=0.5) == 1.0
    assert corrected_t_test([0.6, 0.6], [0.5, 0.5], test_share=0.5) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [([0.5], [0.5], 0.1), ([0.5, 0.6], [0.5], 0.1), ([0.5, 0.6], [0.5, 0.7], 1.0)],
)
def test_scores_that_cannot_be_compared_are_an_error(first, second, share):
    with pytest.raises(InputError):
        corrected_t_test(first, second, test_share=share)
