"""Enumerated walks, for kernels that have no recursion along the positions."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import MAX_ENUMERATED_WALKS, MAX_WALK_PAIRS
from gskn._offsets import ranges
from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.kernels._inputs import Side, for_both
from gskn.kernels._similarity import PatternKernel
from gskn.kernels._terms import NodeKernel, chunks
from gskn.walks import anonymize


def enumerate_walks(
    left: Side, right: Side, length: int, *, simple: bool
) -> tuple[Side, Side]:
    """Return both sides with all their walks, or with the walks that repeat no node."""
    extend = partial(_with_walks, length=length, simple=simple)
    left, right = for_both(extend, left, right)
    n_pairs = len(left.walks) * len(right.walks)
    if n_pairs > MAX_WALK_PAIRS:
        raise InputError(
            f"Comparing {len(left.walks)} walks with {len(right.walks)} needs "
            f"{n_pairs:.1e} pairs, more than {MAX_WALK_PAIRS:.1e}; use a smaller length, "
            "or fewer graphs at a time."
        )
    return left, right


def compare_walks(
    left: Side,
    right: Side,
    *,
    compare_nodes: NodeKernel,
    compare_patterns: PatternKernel | None,
) -> FloatArray:
    """Return, for all pairs of start nodes, the sum over all pairs of their walks."""
    similarity = compare_nodes(left, right)
    values = np.zeros_like(similarity)
    left_sums, right_sums = _sums_by_start(left), _sums_by_start(right)
    left_patterns, right_patterns = anonymize(left.walks), anonymize(right.walks)
    for chunk in chunks(len(left.walks), len(right.walks)):
        walks = left.walks[chunk]
        products = np.ones((len(walks), len(right.walks)))
        if compare_patterns is not None:
            products = compare_patterns(left_patterns[chunk], right_patterns)
        for left_nodes, right_nodes in zip(walks.T, right.walks.T, strict=True):
            products *= similarity[left_nodes].take(right_nodes, axis=1)
        if left.edges is not None and right.edges is not None:
            pairs = zip(left.entries[chunk].T, right.entries.T, strict=True)
            for left_steps, right_steps in pairs:
                products *= compare_nodes(
                    left.edges.take(left_steps), right.edges.take(right_steps)
                )
        values += left_sums[:, chunk] @ (right_sums @ products.T).T
    return values


def _with_walks(side: Side, length: int, *, simple: bool) -> Side:
    walks, steps, weights = side.walks, side.entries, side.weights
    indptr = side.steps.indptr.astype(np.int64)
    for n_visits in range(2, length + 1):
        begin = indptr[walks[:, -1]]
        n_next = indptr[walks[:, -1] + 1] - begin
        if n_next.sum() > MAX_ENUMERATED_WALKS:
            raise InputError(
                f"There are {n_next.sum()} walks of {n_visits} nodes, more than the "
                f"{MAX_ENUMERATED_WALKS} that can be enumerated; use a smaller length, or "
                "fewer graphs at a time."
            )
        entries = ranges(begin, n_next)
        previous = np.repeat(np.arange(len(walks)), n_next)
        nodes = side.steps.indices[entries].astype(np.int64)
        weights = weights[previous] * side.steps.data[entries]
        walks = np.column_stack((walks[previous], nodes))
        steps = steps[previous]
        if side.edges is not None:
            steps = np.column_stack((steps, entries))
        if simple:
            is_path = (walks[:, :-1] != nodes[:, None]).all(axis=1)
            walks, steps, weights = walks[is_path], steps[is_path], weights[is_path]
    return replace(side, walks=walks, entries=steps, weights=weights)


def _sums_by_start(side: Side) -> csr_array:
    """Return the matrix that sums values of weighted walks by their start nodes."""
    n_walks = len(side.walks)
    entries = (side.weights, (side.walks[:, 0], np.arange(n_walks)))
    return csr_array(entries, shape=(len(side.codes), n_walks))
