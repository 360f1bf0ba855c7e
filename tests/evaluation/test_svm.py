import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from gskn.evaluation import _svm
from gskn.evaluation._svm import (
    LINEAR,
    PRECOMPUTED,
    RBF,
    choose,
    gram,
    predict,
    standardize,
)


@pytest.fixture(scope="module")
def samples():
    return make_classification(
        150, 8, n_informative=4, n_classes=3, class_sep=0.8, random_state=0
    )


@given(st.integers(0, 50))
def test_kernels_are_those_of_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    rows, others = generator.normal(size=(7, 3)), generator.normal(size=(5, 3))
    np.testing.assert_allclose(gram(rows, others, "linear"), rows @ others.T)
    expected = rbf_kernel(rows, others, gamma=0.5)
    np.testing.assert_allclose(gram(rows, others, "rbf"), expected, rtol=1e-10)


def test_rows_have_unit_norm_on_average_and_constant_columns_are_zero():
    rows = np.random.default_rng(0).normal(3, 5, size=(50, 4))
    rows[:, 2] = 7
    scaled, others = standardize(rows, rows[:3])
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(3 / 4)
    assert not scaled[:, 2].any()
    np.testing.assert_array_equal(others, scaled[:3])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_choice_is_that_of_plain_cross_validation(samples, n_jobs):
    rows, y = samples
    scaled, _ = standardize(rows, rows)
    inner = StratifiedKFold(5, shuffle=True, random_state=4)
    settings = LINEAR + RBF
    expected = [
        cross_val_score(SVC(kernel=s["kernel"], C=s["C"], gamma=0.5), scaled, y, cv=inner)
        for s in settings
    ]
    best = int(np.argmax(np.mean(expected, axis=1)))
    score, setting = choose(rows, y, settings, 4, n_jobs)
    assert setting == settings[best]
    assert score == pytest.approx(np.mean(expected[best]))


def test_predictions_are_those_of_scikit_learn(samples):
    rows, y = samples
    settings = [LINEAR[1], RBF[1], LINEAR[3]]
    scaled, others = standardize(rows[:100], rows[100:])
    all_found = predict(settings, rows[:100], y[:100], rows[100:])
    for setting, (found, decision, classes) in zip(settings, all_found, strict=True):
        model = SVC(kernel=setting["kernel"], C=setting["C"], gamma=0.5)
        model.fit(scaled, y[:100])
        np.testing.assert_array_equal(found, model.predict(others))
        np.testing.assert_allclose(decision, model.decision_function(others), atol=1e-3)
        assert classes.tolist() == [0, 1, 2]


def test_scale_and_offset_of_a_kernel_change_nothing(samples):
    """An SVM does not see the offset, and kernels are brought to one scale."""
    rows, y = samples
    products = rows @ rows.T
    expected = predict(
        [PRECOMPUTED[1]], products[:100, :100], y[:100], products[100:, :100]
    )
    other = 1e3 * products + 1e4
    found = predict([PRECOMPUTED[1]], other[:100, :100], y[:100], other[100:, :100])
    np.testing.assert_array_equal(found[0][0], expected[0][0])
    np.testing.assert_allclose(found[0][1], expected[0][1], atol=0.02)
    few = PRECOMPUTED[:2]
    assert choose(products, y, few, 4) == choose(1e3 * products, y, few, 4)


def test_a_kernel_that_tells_nothing_apart_is_no_failure():
    ones = np.ones((12, 12))
    ((predicted, _, _),) = predict([PRECOMPUTED[0]], ones, np.arange(12) % 2, ones[:3])
    assert len(predicted) == 3


def test_large_sets_are_tested_on_some_of_their_inner_folds(samples, monkeypatch):
    _, y = samples
    assert len(_svm._inner_folds(y, 0)) == 5
    monkeypatch.setattr(_svm, "_ENOUGH_TESTED", 80)
    assert len(_svm._inner_folds(y, 0)) == 3
    monkeypatch.setattr(_svm, "_ENOUGH_TESTED", 1)
    assert len(_svm._inner_folds(y, 0)) == 2


def test_a_class_of_one_sample_leaves_nothing_to_choose_by(samples):
    rows, y = samples
    odd = np.r_[np.zeros(9, dtype=int), 1]
    assert choose(rows[:10], odd, LINEAR, 0) == (0.0, LINEAR[0])
    assert choose(rows, y, LINEAR[:1], 0)[1] == LINEAR[0]
