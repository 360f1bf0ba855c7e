import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import sqrtm
from threadpoolctl import threadpool_limits

from gskn._gaussian import gaussian_kernel
from gskn.layers._landmarks import choose_landmarks, distinct_walks
from gskn.layers._nystrom import inverse_sqrt


@given(st.integers(0, 99), st.integers(1, 8))
def test_square_of_inverse_root_is_the_inverse(seed, size):
    points = np.random.default_rng(seed).normal(size=(size, 3))
    gram = points @ points.T + np.eye(size)
    root = inverse_sqrt(gram, eps=0.5)
    np.testing.assert_allclose(
        root @ root @ (gram + 0.5 * np.eye(size)), np.eye(size), atol=1e-9
    )
    np.testing.assert_allclose(
        root, np.linalg.inv(sqrtm(gram + 0.5 * np.eye(size))), atol=1e-9
    )


@pytest.mark.parametrize("eps", [0.0, 1e-7])
def test_singular_kernels_give_finite_and_stable_roots(eps):
    """Equal landmarks make the kernel singular; rounding errors must not be amplified."""
    points = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 4, axis=0)
    gram = gaussian_kernel(points, points, 1.0)
    root = inverse_sqrt(gram, eps)
    assert np.isfinite(root).all()
    assert np.abs(root).max() < (10 if eps == 0 else eps**-0.5)
    np.testing.assert_allclose(root @ gram @ root @ gram, gram, atol=1e-6 if eps else 1e-12)
    zero = inverse_sqrt(np.zeros((3, 3)), eps)
    np.testing.assert_array_equal(zero, 0)


def test_gaussian_matches_the_formula():
    points = np.random.default_rng(0).normal(size=(4, 3))
    others = np.random.default_rng(1).normal(size=(5, 3))
    expected = [[np.exp(-0.35 * ((x - z) ** 2).sum()) for z in others] for x in points]
    np.testing.assert_allclose(gaussian_kernel(points, others, 0.7), expected)


def test_few_points_are_the_landmarks():
    points = np.array([[0.0, 1.0], [1.0, 0.0], [1e-14, 1.0]])
    landmarks = choose_landmarks(points, np.ones(3), 2, 0)
    np.testing.assert_allclose(np.sort(landmarks, axis=0), [[0, 0], [1, 1]], atol=1e-12)


def test_landmarks_follow_the_weights():
    """Of two clusters, the one with 1000 times the weight gets most of the landmarks."""
    generator = np.random.default_rng(0)
    light, heavy = generator.normal(0, 1, (50, 2)), generator.normal(20, 1, (50, 2))
    weights = np.repeat([1.0, 1000.0], 50)
    centers = choose_landmarks(np.vstack([light, heavy]), weights, 8, 0)
    assert len(centers) == 8
    assert (centers[:, 0] > 10).sum() >= 6
    again = choose_landmarks(np.vstack([light, heavy]), weights, 8, 0)
    np.testing.assert_array_equal(centers, again)


def test_landmarks_do_not_depend_on_threads():
    points = np.random.default_rng(0).normal(size=(5000, 6))
    landmarks = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            landmarks.append(choose_landmarks(points, np.ones(5000), 20, 0))
    np.testing.assert_array_equal(*landmarks)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1))
def test_distinct_walks_are_counted(codes):
    walks, counts = distinct_walks(np.array(codes))
    expected = {tuple(walk): codes.count(walk) for walk in codes}
    assert dict(zip(map(tuple, walks.tolist()), counts, strict=True)) == expected


def test_distinct_walks_of_many_codes():
    codes = np.array([[10**9, 1, 5], [10**9, 1, 5], [1, 10**9, 5]])
    walks, counts = distinct_walks(codes)
    assert sorted(counts.tolist()) == [1, 2]
    assert len(walks) == 2
