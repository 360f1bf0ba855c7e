"""Landmarks: the points that represent all walks or patterns."""

from contextlib import nullcontext
from functools import cache

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from threadpoolctl import ThreadpoolController

from gskn._blas import one_thread
from gskn._distinct import distinct
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_cells

_DECIMALS = 10
_MAX_DENSITY = 1 / 64  # of points in sparse form
_LARGE = 2**20  # products of one iteration of k-means


def choose_landmarks(
    points: FloatArray, weights: FloatArray, n_landmarks: int, seed: int
) -> FloatArray:
    """Return the centers of weighted k-means, or all distinct points if they are few.

    ``weights`` are the numbers of occurrences of the points.
    """
    points, weights = _distinct_points(points, weights)
    if len(points) <= n_landmarks:
        return points
    # Weights of very different size slow convergence down, and the last digits of a
    # center do not matter.
    model = KMeans(n_landmarks, n_init=1, max_iter=100, tol=1e-3, random_state=seed)
    # One-hot vectors of many degrees: 0.1 instead of 4 to 9 seconds for 3,900 walks of 5
    # nodes with 368 degrees and 256 landmarks.
    is_sparse = np.count_nonzero(points) <= _MAX_DENSITY * points.size
    data = csr_matrix(points) if is_sparse else points
    # The products of the initialization are small, and threads of BLAS wait for each other:
    # 0.1 instead of 2 seconds on busy cores. To set their number takes a millisecond.
    is_large = points.size * n_landmarks > _LARGE
    # More threads are slower for few points, and the centers would depend on their number.
    with (
        one_thread() if is_large else nullcontext(),
        _libraries().limit(limits=1, user_api="openmp"),
    ):
        centers: FloatArray = model.fit(data, sample_weight=weights).cluster_centers_
    return centers


def check_points(n_points: int, n_columns: int) -> None:
    """Raise if the walks among which landmarks are chosen would take too much memory."""
    check_cells(
        float(n_points) * n_columns,
        f"{n_points} walks with {n_columns} numbers each",
        "use shorter walks or fewer landmarks",
    )


def distinct_walks(codes: IndexArray) -> tuple[IndexArray, FloatArray]:
    """Return the distinct rows of an array of codes, and how often each occurs."""
    base = int(codes.max(initial=0)) + 1
    keys, n_keys = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if n_keys * base >= 2**62:  # one more column would overflow: renumber
            distinct_keys, keys = np.unique(keys, return_inverse=True)
            n_keys = len(distinct_keys)
        keys, n_keys = keys * base + column, n_keys * base
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return codes[first], counts.astype(np.float64)


@cache
def _libraries() -> ThreadpoolController:
    """Find libraries with threads, which takes longer than k-means of a small set."""
    return ThreadpoolController()


def _distinct_points(
    points: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Merge equal points and add up their weights.

    Embeddings of equal nodes differ by rounding after the first layer, so the last digits
    are ignored.
    """
    first, which = distinct(points.round(_DECIMALS))
    summed: FloatArray = np.bincount(which, weights, len(first)).astype(np.float64)
    return points[first], summed
