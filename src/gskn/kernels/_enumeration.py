"""Walks one by one, for kernels that no recursion along the positions computes."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import ranges
from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.kernels._pairs import Block, Side, chunks, of_both
from gskn.kernels._similarity import PatternSimilarity
from gskn.walks import anonymize

_MAX_WALKS = 2**24
_MAX_WALK_PAIRS = 2**34


def enumerate_walks(
    left: Side, right: Side, length: int, *, simple: bool
) -> tuple[Side, Side]:
    """Give both sides all their walks, or those that repeat no node."""
    left, right = of_both(partial(_walked, length=length, simple=simple), left, right)
    n_pairs = len(left.walks) * len(right.walks)
    if n_pairs > _MAX_WALK_PAIRS:
        raise InputError(
            f"{len(left.walks)} walks against {len(right.walks)} are {n_pairs:.1e} pairs, "
            f"more than the {_MAX_WALK_PAIRS:.1e} to be compared; use a smaller length, or "
            "give fewer graphs at a time."
        )
    return left, right


def walk_pairs_block(
    left: Side, right: Side, *, of_nodes: Block, of_patterns: PatternSimilarity | None
) -> FloatArray:
    """Sum over all pairs of enumerated walks, some of the left ones at a time."""
    alike = of_nodes(left, right)
    values = np.zeros_like(alike)
    from_left, from_right = _by_start(left), _by_start(right)
    patterns, other_patterns = anonymize(left.walks), anonymize(right.walks)
    for some in chunks(len(left.walks), len(right.walks)):
        walks = left.walks[some]
        similarity = np.ones((len(walks), len(right.walks)))
        if of_patterns is not None:
            similarity = of_patterns(patterns[some], other_patterns)
        for own, other in zip(walks.T, right.walks.T, strict=True):
            similarity *= alike[own].take(other, axis=1)
        values += from_left[:, some] @ (from_right @ similarity.T).T
    return values


def _walked(side: Side, length: int, *, simple: bool) -> Side:
    walks, weights = side.walks, side.weights
    indptr = side.steps.indptr.astype(np.int64)
    for n_visits in range(2, length + 1):
        begin = indptr[walks[:, -1]]
        n_ways = indptr[walks[:, -1] + 1] - begin
        if n_ways.sum() > _MAX_WALKS:
            raise InputError(
                f"{n_ways.sum()} walks visit {n_visits} nodes, more than the {_MAX_WALKS} "
                "to be enumerated; use a smaller length, or give fewer graphs at a time."
            )
        entries = ranges(begin, n_ways)
        before = np.repeat(np.arange(len(walks)), n_ways)
        nodes = side.steps.indices[entries].astype(np.int64)
        weights = weights[before] * side.steps.data[entries]
        walks = np.column_stack((walks[before], nodes))
        if simple:
            kept = (walks[:, :-1] != nodes[:, None]).all(axis=1)
            walks, weights = walks[kept], weights[kept]
    return replace(side, walks=walks, weights=weights)


def _by_start(side: Side) -> csr_array:
    """Return the matrix that adds up, by their starts, what weighted walks have."""
    n_walks = len(side.walks)
    entries = (side.weights, (side.walks[:, 0], np.arange(n_walks)))
    return csr_array(entries, shape=(len(side.codes), n_walks))
