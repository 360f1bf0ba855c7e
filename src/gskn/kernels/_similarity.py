"""Similarity of single nodes or edges and of patterns, the factors of walk kernels."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from gskn._gaussian import gaussian_of_distances
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_number
from gskn.exceptions import InputError
from gskn.kernels._inputs import Base, Edges, Side
from gskn.kernels._terms import NodeKernel

PatternKernel: TypeAlias = Callable[[AnyArray, AnyArray], FloatArray]


def node_similarity(base: Base, alpha: float) -> NodeKernel:
    """Return the function that compares the nodes or steps of two sides."""
    mismatch = _mismatch_value(base, alpha, "alpha")
    return partial(_compare_nodes, alpha=alpha, mismatch=mismatch)


def pattern_similarity(base: Base, beta: float) -> PatternKernel:
    """Return the function that compares two arrays of patterns."""
    return partial(_compare_patterns, mismatch=_mismatch_value(base, beta, "beta"))


def _compare_nodes(
    left: Side | Edges, right: Side | Edges, *, alpha: float, mismatch: float
) -> FloatArray:
    similarity = np.where(left.codes[:, None] == right.codes, 1.0, mismatch)
    if left.attributes is not None and similarity.size:
        # Differences are squared directly: these values are the reference for the layers,
        # which expand the square.
        distances = cdist(left.attributes, right.attributes, "sqeuclidean")
        similarity *= gaussian_of_distances(distances, alpha)
    return similarity


def _compare_patterns(
    patterns: AnyArray, others: AnyArray, *, mismatch: float
) -> FloatArray:
    similarity = np.ones((len(patterns), len(others)))
    for symbols, other_symbols in zip(patterns.T, others.T, strict=True):
        similarity *= np.where(symbols[:, None] == other_symbols, 1.0, mismatch)
    return similarity


def _mismatch_value(base: Base, bandwidth: float, name: str) -> float:
    """Return the similarity of different labels or symbols: squared distance 2."""
    check_choice(base, "base", choices=["gaussian", "dirac"])
    bandwidth = check_number(bandwidth, name, minimum=0)
    if not np.isfinite(bandwidth):
        raise InputError(f"{name} must be finite, got {bandwidth}; use base='dirac'.")
    return 0.0 if base == "dirac" else float(np.exp(-bandwidth))
