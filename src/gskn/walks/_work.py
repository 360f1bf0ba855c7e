"""Estimates of the work of exact computation, which decide where walks are sampled."""

from itertools import pairwise

import numpy as np

from gskn._limits import MAX_DENSE_SIZE, MAX_EXACT_LENGTH
from gskn._offsets import ranges, running_total
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._jit_k4 import fill_k4_work
from gskn.walks._mobius import basis
from gskn.walks._quotients import GraphTraits
from gskn.walks._steps import (
    count_walks,
    count_walks_by_graph,
    sum_by_graph,
    with_dead_ends,
)
from gskn.walks._walk_batch import WalkBatch

_MAX_ENUMERATED = 1e12
# Work is a fixed conversion of numbers of walks, steps and bytes to nanoseconds of one
# core. It does not depend on the machine, so a graph is sampled on all machines or on none.
# Measured on R-MAT, regular and grid graphs with benchmarks/scale/patterns.py, which differ
# by factors of up to four. For every length: per walk of two steps and of three.
_WALK_WORK = {1: (0.0, 0.0), 2: (0.0, 0.0), 3: (0.0, 0.0)}
_WALK_WORK |= {4: (2.0, 0.0), 5: (10.0, 0.0), 6: (20.0, 4.0), 7: (100.0, 20.0)}
_K4_STEP_WORK = 2.0
ENUMERATION_WORK = 100.0  # per enumerated walk
_NODE_WORK = 300.0  # per walk without its last step, if a node is enumerated alone
# Memory is bounded too: the default of ``max_work`` allows 4 GB.
_BYTE_WORK = 5.0
_BYTES_PER_PRODUCT = 20.0  # at the peak of one sparse multiplication (measured)


def exact_work(walks: WalkBatch, length: int, max_work: float) -> FloatArray:
    """Return the work of all quotients of every graph, in nanoseconds.

    At length 8, the work on K4 is added for graphs that are otherwise within ``max_work``.
    """
    work = _algebra_work(walks, length) + _memory_work(walks, length)
    if length == MAX_EXACT_LENGTH:
        candidates = np.flatnonzero(work <= max_work)
        work[candidates] += _k4_work(walks, candidates)
    return work


def _algebra_work(walks: WalkBatch, length: int) -> FloatArray:
    """Return the work of sparse algebra; small graphs use dense algebra, which is fast."""
    if length == MAX_EXACT_LENGTH:  # products of matrices are stored
        work = product_work(walks, length) * (_BYTES_PER_PRODUCT * _BYTE_WORK)
    else:
        twins = walks.twins
        per_two, per_three = _WALK_WORK[length]
        work = per_two * count_walks_by_graph(twins.steps, twins.group_ptr, 3)
        if per_three:
            # A row of a product of matrices has no more terms than there are steps.
            n_steps = np.diff(twins.steps.indptr[twins.group_ptr])
            terms = np.minimum(count_walks(twins.steps, 4), np.repeat(n_steps, walks.sizes))
            work = work + per_three * sum_by_graph(terms, twins.group_ptr)
    bounded: FloatArray = np.where(walks.sizes <= MAX_DENSE_SIZE, 0.0, work)
    return bounded


def product_work(walks: WalkBatch, length: int) -> FloatArray:
    """Return a bound on the multiplications of the largest sparse product of every graph.

    A product of k matrices of steps has at most as many terms as there are walks of k
    steps: two for lengths 4 and 5, three up to 7, four at 8.
    """
    twins = walks.twins
    n_visits = 3 if length <= 5 else 4 if length <= 7 else 5
    return count_walks_by_graph(twins.steps, twins.group_ptr, n_visits)


def _k4_work(walks: WalkBatch, numbers: IndexArray) -> FloatArray:
    """Return the work on K4 of some graphs, in nanoseconds."""
    ptr = walks.twins.group_ptr
    sizes = ptr[numbers + 1] - ptr[numbers]
    roots = walks.twins.first[ranges(ptr[numbers], sizes)]
    work = np.empty(len(roots))
    fill_k4_work(walks.steps.indptr, walks.steps.indices, roots, work)
    return sum_by_graph(work, running_total(sizes)) * _K4_STEP_WORK


def _memory_work(walks: WalkBatch, length: int) -> FloatArray:
    """Return the memory of the sums over all quotients as work."""
    is_plain = ~(walks.weighted | walks.batch.directed | walks.staying)
    n_plain, n_other = (
        len(basis(length, _traits(is_plain=plain)).quotients) for plain in (True, False)
    )
    n_cells = np.where(is_plain, n_plain, n_other) * walks.sizes
    return np.asarray(n_cells * (8 * _BYTE_WORK), dtype=np.float64)


def _traits(*, is_plain: bool) -> GraphTraits:
    """Return the traits with the fewest quotients, or with the most."""
    return GraphTraits(
        weighted=not is_plain,
        directed=not is_plain,
        staying=not is_plain,
        probability=True,
    )


def enumeration_work(batch: GraphBatch, length: int) -> FloatArray:
    """Return the number of walks that visit ``length`` nodes in every graph."""
    steps = with_dead_ends(batch.adjacency.tocsr())
    return count_walks_by_graph(steps, batch.graph_ptr, length)


def choose_cheap(
    n_walks: FloatArray, graph_ptr: IndexArray, limit: int, max_work: float
) -> BoolArray:
    """Return the nodes with at most ``limit`` walks, as far as a graph is within a bound.

    The nodes of a graph with the fewest walks are chosen; their number of walks decides,
    not their order.
    """
    chosen = n_walks <= limit
    for begin, end in pairwise(graph_ptr.tolist()):
        if not chosen[begin:end].any():
            continue
        ordered = np.sort(n_walks[begin:end][chosen[begin:end]])
        n_within = np.searchsorted(np.cumsum(ordered) * _NODE_WORK, max_work, "right")
        if n_within < len(ordered):  # the next node is too much, and all that equal it
            chosen[begin:end] &= n_walks[begin:end] < ordered[n_within]
    return chosen


def check_enumerable(n_walks: FloatArray, length: int) -> None:
    """Raise if a graph has more walks than can be enumerated in hours."""
    largest = float(n_walks.max(initial=0.0))
    if not largest <= _MAX_ENUMERATED:
        raise InputError(
            f"A graph has {largest:.1e} walks of length {length}; at most "
            f"{_MAX_ENUMERATED:.0e} can be enumerated. Use method='auto' or a smaller "
            "length."
        )
