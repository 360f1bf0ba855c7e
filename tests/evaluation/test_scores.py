import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from gskn.evaluation._scores import corrected_t_test, score_classes, summarize
from gskn.exceptions import InputError


def test_scores_of_a_small_example():
    y, predicted = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    decision = np.array([-2.0, -1.0, 0.5, 0.1])
    found = score_classes(y, predicted, decision, np.array([0, 1]))
    assert found["accuracy"] == found["micro_f1"] == 0.75
    assert found["balanced_accuracy"] == pytest.approx((2 / 3 + 1) / 2)
    assert found["roc_auc"] == pytest.approx(2 / 3)
    assert found["macro_f1"] == pytest.approx((0.8 + 2 / 3) / 2)


@given(st.integers(0, 99))
def test_scores_agree_with_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), generator.integers(0, 3, 20)])
    decision = generator.normal(size=(23, 3))
    found = score_classes(y, decision.argmax(axis=1), decision, np.arange(3))
    expected = balanced_accuracy_score(y, decision.argmax(axis=1))
    assert found["balanced_accuracy"] == pytest.approx(expected)
    aucs = [roc_auc_score(y == c, decision[:, c]) for c in range(3)]
    assert found["roc_auc"] == pytest.approx(np.mean(aucs))


def test_a_test_part_of_one_class_has_no_roc():
    found = score_classes(
        np.array([1, 1]), np.array([1, 0]), np.array([0.5, -1.0]), np.array([0, 1])
    )
    assert np.isnan(found["roc_auc"])
    assert found["balanced_accuracy"] == 0.5


def test_spread_over_folds_and_over_repeats_is_told_apart():
    found = summarize([[0.5, 0.7], [0.6, 1.0]])
    assert found.mean == pytest.approx(0.7)
    assert found.std_folds == pytest.approx((0.1 + 0.2) / 2)
    assert found.std_repeats == pytest.approx(np.std([0.6, 0.8], ddof=1))
    assert summarize([0.5, 0.7]).std_repeats == 0
    with pytest.raises(InputError, match="no scores"):
        summarize([])


def test_the_correction_is_that_of_nadeau_and_bengio():
    """With ten folds the variance is 1/10 + 1/9 times that of gaps, instead of 1/10."""
    gaps = np.array([0.02, 0.01, 0.03, 0.0, 0.02, 0.04, -0.01, 0.02, 0.01, 0.02])
    t = gaps.mean() / np.sqrt(gaps.var(ddof=1) * (0.1 + 1 / 9))
    expected = 2 * student.sf(t, 9)
    assert corrected_t_test(gaps, 0 * gaps, test_share=0.1) == pytest.approx(expected)
    assert corrected_t_test(0 * gaps, gaps, test_share=0.1) == pytest.approx(expected)


def test_equal_models_are_called_different_about_as_often_as_promised():
    """Scores of ten folds that are independent: the corrected test errs on the safe side.

    Of 400 comparisons at level 0.05, at most 20 + 3 * sqrt(19) = 33 would be expected.
    """
    generator = np.random.default_rng(0)
    wrong = sum(
        corrected_t_test(*generator.normal(size=(2, 10)), test_share=0.1) < 0.05
        for _ in range(400)
    )
    assert wrong <= 33


def test_no_variance_is_equal_or_different_for_sure():
    assert corrected_t_test([0.5, 0.5], [0.5, 0.5], test_share=0.5) == 1.0
    assert corrected_t_test([0.6, 0.6], [0.5, 0.5], test_share=0.5) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [([0.5], [0.5], 0.1), ([0.5, 0.6], [0.5], 0.1), ([0.5, 0.6], [0.5, 0.7], 1.0)],
)
def test_what_cannot_be_compared_is_refused(first, second, share):
    with pytest.raises(InputError):
        corrected_t_test(first, second, test_share=share)
