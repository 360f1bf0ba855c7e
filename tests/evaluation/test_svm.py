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
    fit_predict,
    gram,
    select_classifier,
    standardize,
)


@pytest.fixture(scope="module")
def samples():
    return make_classification(
        150, 8, n_informative=4, n_classes=3, class_sep=0.8, random_state=0
    )


@given(st.integers(0, 50))
def test_gram_matches_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    embeddings, others = generator.normal(size=(7, 3)), generator.normal(size=(5, 3))
    np.testing.assert_allclose(gram(embeddings, others, "linear"), embeddings @ others.T)
    expected = rbf_kernel(embeddings, others, gamma=0.5)
    np.testing.assert_allclose(gram(embeddings, others, "rbf"), expected, rtol=1e-10)


def test_standardized_embeddings_have_unit_norm_and_constant_columns_are_zero():
    embeddings = np.random.default_rng(0).normal(3, 5, size=(50, 4))
    embeddings[:, 2] = 7
    scaled, others = standardize(embeddings, embeddings[:3])
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(3 / 4)
    assert not scaled[:, 2].any()
    np.testing.assert_array_equal(others, scaled[:3])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_selection_matches_cross_validation_of_scikit_learn(samples, n_jobs):
    embeddings, y = samples
    scaled, _ = standardize(embeddings, embeddings)
    inner = StratifiedKFold(5, shuffle=True, random_state=4)
    candidates = LINEAR + RBF
    expected = [
        cross_val_score(SVC(kernel=s["kernel"], C=s["C"], gamma=0.5), scaled, y, cv=inner)
        for s in candidates
    ]
    best = int(np.argmax(np.mean(expected, axis=1)))
    score, params = select_classifier(embeddings, y, candidates, 4, n_jobs)
    assert params == candidates[best]
    assert score == pytest.approx(np.mean(expected[best]))


def test_predictions_match_scikit_learn(samples):
    embeddings, y = samples
    candidates = [LINEAR[1], RBF[1], LINEAR[3]]
    scaled, others = standardize(embeddings[:100], embeddings[100:])
    predictions = fit_predict(candidates, embeddings[:100], y[:100], embeddings[100:])
    for params, (predicted, decision, classes) in zip(candidates, predictions, strict=True):
        model = SVC(kernel=params["kernel"], C=params["C"], gamma=0.5)
        model.fit(scaled, y[:100])
        np.testing.assert_array_equal(predicted, model.predict(others))
        np.testing.assert_allclose(decision, model.decision_function(others), atol=1e-3)
        assert classes.tolist() == [0, 1, 2]


def test_predictions_do_not_depend_on_scale_and_offset_of_a_kernel(samples):
    """An SVM ignores the offset, and kernels are scaled to unit variance."""
    embeddings, y = samples
    products = embeddings @ embeddings.T
    expected = fit_predict(
        [PRECOMPUTED[1]], products[:100, :100], y[:100], products[100:, :100]
    )
    other = 1e3 * products + 1e4
    found = fit_predict([PRECOMPUTED[1]], other[:100, :100], y[:100], other[100:, :100])
    np.testing.assert_array_equal(found[0][0], expected[0][0])
    np.testing.assert_allclose(found[0][1], expected[0][1], atol=0.02)
    few = PRECOMPUTED[:2]
    selected = select_classifier(products, y, few, 4)
    assert select_classifier(1e3 * products, y, few, 4) == selected


def test_constant_kernel_is_accepted():
    ones = np.ones((12, 12))
    ((predicted, _, _),) = fit_predict([PRECOMPUTED[0]], ones, np.arange(12) % 2, ones[:3])
    assert len(predicted) == 3


def test_large_data_sets_use_fewer_inner_folds(samples, monkeypatch):
    _, y = samples
    assert len(_svm._inner_folds(y, 0)) == 5
    monkeypatch.setattr(_svm, "_ENOUGH_TEST_SAMPLES", 80)
    assert len(_svm._inner_folds(y, 0)) == 3
    monkeypatch.setattr(_svm, "_ENOUGH_TEST_SAMPLES", 1)
    assert len(_svm._inner_folds(y, 0)) == 2


def test_class_with_one_sample_selects_the_first_classifier(samples):
    embeddings, y = samples
    odd = np.r_[np.zeros(9, dtype=int), 1]
    assert select_classifier(embeddings[:10], odd, LINEAR, 0) == (0.0, LINEAR[0])
    assert select_classifier(embeddings, y, LINEAR[:1], 0)[1] == LINEAR[0]
