"""How alike nodes are, and patterns: what kernels of walks multiply along positions."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_number
from gskn.exceptions import InputError
from gskn.kernels._pairs import Base, Block, Side

PatternSimilarity: TypeAlias = Callable[[AnyArray, AnyArray], FloatArray]


def node_similarity(base: Base, alpha: float) -> Block:
    """Return the function that compares the nodes of two sides."""
    return partial(_of_nodes, alpha=alpha, unlike=_unlike(base, alpha, "alpha"))


def pattern_similarity(base: Base, beta: float) -> PatternSimilarity:
    """Return the function that compares two sets of patterns."""
    return partial(_of_patterns, unlike=_unlike(base, beta, "beta"))


def _of_nodes(left: Side, right: Side, *, alpha: float, unlike: float) -> FloatArray:
    alike = np.where(left.codes[:, None] == right.codes, 1.0, unlike)
    if left.attributes is not None and alike.size:
        distances = cdist(left.attributes, right.attributes, "sqeuclidean")
        alike *= np.exp(-alpha / 2 * distances)
    return alike


def _of_patterns(patterns: AnyArray, others: AnyArray, *, unlike: float) -> FloatArray:
    similarity = np.ones((len(patterns), len(others)))
    for own, other in zip(patterns.T, others.T, strict=True):
        similarity *= np.where(own[:, None] == other, 1.0, unlike)
    return similarity


def _unlike(base: Base, bandwidth: float, name: str) -> float:
    """Return the similarity of different labels, or symbols: squared distance 2."""
    check_choice(base, "base", choices=["gaussian", "dirac"])
    bandwidth = check_number(bandwidth, name, minimum=0)
    if not np.isfinite(bandwidth):
        raise InputError(f"{name} must be finite, got {bandwidth}; use base='dirac'.")
    return 0.0 if base == "dirac" else float(np.exp(-bandwidth))
