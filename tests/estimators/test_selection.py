from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from gskn.estimators import (
    LAPLACIAN,
    LINEAR,
    PRECOMPUTED,
    RBF,
    ClassTask,
    ValueTask,
    _gram,
    _tasks,
    class_votes,
    fit_outputs,
    ignore_convergence,
    most_likely,
    select,
)
from gskn.estimators._gram import gram, grams, standardize
from gskn.estimators._search import (
    Candidate,
    screening_machines,
    select_embedding,
    select_machine,
)
from tests.reference import kernels as reference


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
    expected = reference.laplacian(embeddings, others)
    np.testing.assert_allclose(gram(embeddings, others, "laplacian"), expected, rtol=1e-10)


@given(st.integers(0, 50), st.integers(-16, 0))
def test_laplacian_kernel_is_exact_near_zero_distance(seed, power):
    generator = np.random.default_rng(seed)
    embeddings = generator.normal(size=(6, 5))
    others = embeddings + 10.0**power * generator.normal(size=(6, 5))
    others[0] = embeddings[0]
    kernel = gram(embeddings, others, "laplacian")
    assert kernel[0, 0] == 1
    assert (np.diagonal(gram(embeddings, embeddings, "laplacian")) == 1).all()
    expected = reference.laplacian(embeddings, others)
    # 1 - K is proportional to the distance.
    np.testing.assert_allclose(1 - kernel, 1 - expected, rtol=1e-9, atol=3e-16)


def test_close_pairs_are_corrected_in_chunks(monkeypatch):
    embeddings = np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 5, axis=0)
    whole = gram(embeddings, embeddings, "laplacian")
    monkeypatch.setattr(_gram, "_PAIR_CELLS", 10)
    np.testing.assert_array_equal(gram(embeddings, embeddings, "laplacian"), whole)
    np.testing.assert_array_equal(whole[:5, :5], np.ones((5, 5)))


def test_kernels_that_share_products_equal_single_kernels():
    generator = np.random.default_rng(0)
    embeddings, others = generator.normal(size=(7, 3)), generator.normal(size=(5, 3))
    names = ("linear", "rbf", "laplacian")
    for kernel, products in grams(embeddings, others, names):
        np.testing.assert_array_equal(products, gram(embeddings, others, kernel))


def test_standardized_embeddings_have_unit_norm_and_constant_columns_are_zero():
    embeddings = np.random.default_rng(0).normal(3, 5, size=(50, 4))
    embeddings[:, 2] = 7
    scaled, others = standardize(embeddings, embeddings[:3])
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(3 / 4)
    assert not scaled[:, 2].any()
    np.testing.assert_array_equal(others, scaled[:3])


def reference_svm(params):
    kernel = params["kernel"]
    return SVC(
        kernel=reference.laplacian if kernel == "laplacian" else kernel,
        C=params["C"],
        gamma=0.5,
    )


def select_for(embeddings, y, machines, seed=4, n_jobs=None):
    """Select kernel and C for a fixed embedding."""
    task = ClassTask.from_targets(y)
    folds = task.folds(5, seed)
    return select(lambda _: embeddings, [{}], machines, task, folds, n_jobs=n_jobs)


def predict(machines, train, y, test):
    """Return predicted classes and decision values of every machine."""
    task = ClassTask.from_targets(y)
    with ignore_convergence():
        outputs = fit_outputs(machines, train, test, task)
    return [(task.classes[most_likely(part)], class_votes(part)) for part in outputs]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_selection_matches_cross_validation_of_scikit_learn(samples, n_jobs):
    embeddings, y = samples[0], samples[1] > 0  # ties of votes between classes differ
    scaled, _ = standardize(embeddings, embeddings)
    inner = StratifiedKFold(5, shuffle=True, random_state=4)
    candidates = LINEAR + RBF + LAPLACIAN[:1]  # without the default, which is preferred
    expected = [
        cross_val_score(reference_svm(params), scaled, y, cv=inner) for params in candidates
    ]
    best = int(np.argmax(np.mean(expected, axis=1)))
    selection = select_for(embeddings, y, candidates, n_jobs=n_jobs)
    assert selection.machine == candidates[best]
    assert selection.candidate.score == pytest.approx(np.mean(expected[best]))
    error = np.std(expected[best], ddof=1) / np.sqrt(5)
    assert selection.candidate.standard_error == pytest.approx(error)
    assert len(selection.rows) == len(candidates)


def test_embedding_is_selected_with_one_machine_then_the_machine_for_it(samples):
    embeddings, y = samples
    noise = np.random.default_rng(0).normal(size=embeddings.shape)
    grid = [{"name": "noise"}, {"name": "signal"}]
    task = ClassTask.from_targets(y)
    steps = []
    selection = select(
        lambda number: (noise, embeddings)[number],
        grid,
        LINEAR + LAPLACIAN,
        task,
        task.folds(5, 0),
        advance=lambda: steps.append(1),
    )
    assert selection.number == 1
    assert selection.embeddings is embeddings
    compared = [row for row in selection.rows if row["params"]["name"] == "noise"]
    assert [(row["kernel"], row["C"]) for row in compared] == [("laplacian", 10.0)]
    assert len(selection.rows) == 1 + 7
    assert len(steps) == len(grid) + 1
    assert screening_machines(LINEAR) == [LINEAR[1]]


def _candidate(sample_scores):
    scores = np.asarray(sample_scores, dtype=float)
    return Candidate({}, [], float(scores.mean()), 0.1, scores)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_first_of_the_best_embeddings_is_selected(scores):
    # Without variation between samples the standard error is zero.
    candidates = [_candidate(np.full(4, round(score, 3))) for score in scores]
    rounded = [round(score, 3) for score in scores]
    assert select_embedding(candidates) == rounded.index(max(rounded))


def test_smaller_embedding_within_one_standard_error_is_selected():
    small = np.repeat([1.0, 0.0], 50)
    # One sample of 100 more: the difference is 0.01, its standard error just below 0.01.
    better_by_one = small.copy()
    better_by_one[50] = 1
    assert select_embedding([_candidate(small), _candidate(better_by_one)]) == 1
    # Three gained and two lost: the difference is 0.01, its standard error 0.022.
    within_noise = small.copy()
    within_noise[[50, 51, 52]], within_noise[[0, 1]] = 1, 0
    assert select_embedding([_candidate(small), _candidate(within_noise)]) == 0
    beyond_noise = small.copy()
    beyond_noise[50:60] = 1
    assert select_embedding([_candidate(small), _candidate(beyond_noise)]) == 1


def test_default_machine_within_half_a_standard_error_is_selected():
    scores = np.repeat([1.0, 0.0], 50)  # standard error 0.05
    default = _candidate(scores)._replace(params=LAPLACIAN[1])
    closer = np.r_[np.ones(52), np.zeros(48)]
    better = np.r_[np.ones(53), np.zeros(47)]
    for others, expected in ((closer, default.params), (better, LINEAR[0])):
        other = _candidate(others)._replace(params=LINEAR[0])
        assert select_machine([other, default], LAPLACIAN[1]).params == expected
        assert select_machine([other], LAPLACIAN[1]) is other


@pytest.mark.parametrize("weighted", [False, True])
def test_mean_of_sample_scores_is_the_score(weighted):
    generator = np.random.default_rng(0)
    y = generator.integers(0, 3, 40)
    weights = generator.uniform(0.1, 2, 40) if weighted else None
    samples = np.arange(5, 30)
    classes = replace(ClassTask.from_targets(y), weights=weights)
    outputs = generator.normal(size=(25, 3))
    part = None if weights is None else weights[samples]
    correct = most_likely(outputs) == classes.codes[samples]
    assert classes.sample_scores(outputs, samples).mean() == pytest.approx(
        np.average(correct, weights=part)
    )
    values = replace(ValueTask.from_targets(y * 1.5), weights=weights)
    errors = (outputs[:, 0] - values.y[samples]) ** 2
    assert values.sample_scores(outputs, samples).mean() == pytest.approx(
        -np.average(errors, weights=part)
    )


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_predictions_match_scikit_learn(n_classes):
    embeddings, y = make_classification(
        150, 8, n_informative=4, n_classes=n_classes, class_sep=0.8, random_state=0
    )
    candidates = [LINEAR[1], RBF[1], LAPLACIAN[1], LINEAR[3]]
    scaled, others = standardize(embeddings[:100], embeddings[100:])
    predictions = predict(candidates, embeddings[:100], y[:100], embeddings[100:])
    for params, (predicted, decision) in zip(candidates, predictions, strict=True):
        model = reference_svm(params).fit(scaled, y[:100])
        expected = model.decision_function(others).reshape(len(others), -1)
        np.testing.assert_allclose(decision, expected, atol=1e-3)
        by_votes = model.predict(others)
        # scikit-learn decides between equal numbers of votes by the order of classes.
        best = expected.max(axis=1, keepdims=True)
        is_tie = (np.round(expected) == np.round(best)).sum(axis=1) > 1
        np.testing.assert_array_equal(predicted[~is_tie], by_votes[~is_tie])
        if n_classes > 2:
            np.testing.assert_array_equal(predicted, expected.argmax(axis=1))


def test_predictions_do_not_depend_on_scale_and_offset_of_a_kernel(samples):
    """An SVM ignores the offset, and kernels are scaled to unit variance."""
    embeddings, y = samples
    products = embeddings @ embeddings.T
    few = PRECOMPUTED[1:2]
    (expected,) = predict(few, products[:100, :100], y[:100], products[100:, :100])
    other = 1e3 * products + 1e4
    (prediction,) = predict(few, other[:100, :100], y[:100], other[100:, :100])
    np.testing.assert_array_equal(prediction[0], expected[0])
    np.testing.assert_allclose(prediction[1], expected[1], atol=0.02)
    few = PRECOMPUTED[:2]
    selected = select_for(products, y, few)
    again = select_for(1e3 * products, y, few)
    assert again.machine == selected.machine
    assert again.candidate.score == selected.candidate.score


def test_constant_kernel_is_accepted():
    ones = np.ones((12, 12))
    ((predicted, _),) = predict([PRECOMPUTED[0]], ones, np.arange(12) % 2, ones[:3])
    assert len(predicted) == 3


@pytest.mark.parametrize("kind", [ClassTask, ValueTask])
def test_large_data_sets_use_fewer_inner_folds(samples, monkeypatch, kind):
    task = kind.from_targets(samples[1])
    assert len(task.folds(5, 0)) == 5
    monkeypatch.setattr(_tasks, "_ENOUGH_TEST_SAMPLES", 80)
    assert len(task.folds(5, 0)) == 3
    monkeypatch.setattr(_tasks, "_ENOUGH_TEST_SAMPLES", 1)
    assert len(task.folds(5, 0)) == 2


def test_class_with_one_sample_selects_the_default_machine(samples):
    embeddings, y = samples
    odd = np.r_[np.zeros(9, dtype=int), 1]
    selection = select_for(embeddings[:10], odd, LINEAR + LAPLACIAN)
    assert selection.machine == {"kernel": "laplacian", "C": 10.0}
    assert selection.candidate is None
    assert select_for(embeddings[:10], odd, LINEAR).machine == LINEAR[0]
    assert select_for(embeddings, y, LINEAR[:1]).machine == LINEAR[0]
