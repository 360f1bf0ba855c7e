"""Estimates of the work of exact computation, which decide where walks are sampled."""

import numpy as np

from gskn._offsets import ranges, running_total
from gskn._types import FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._jit_k4 import fill_k4_work
from gskn.walks._mobius import basis
from gskn.walks._quotients import GraphTraits
from gskn.walks._steps import count_walks_by_graph, sum_by_graph, with_dead_ends
from gskn.walks._walk_batch import WalkBatch

_MAX_ENUMERATED = 1e12
_BYTES_PER_PRODUCT = 20.0  # at the peak of one sparse multiplication (measured)
_K4_STEPS_PER_PRODUCT = 5.0  # steps of the K4 loop in the time of a multiplication


def product_work(walks: WalkBatch, length: int) -> FloatArray:
    """Return a bound on the multiplications of the largest sparse product of every graph.

    A product of k matrices of steps has at most as many terms as there are walks of k
    steps: two for lengths 4 and 5, three up to 7, four at 8.
    """
    twins = walks.twins
    n_visits = 3 if length <= 5 else 4 if length <= 7 else 5
    return count_walks_by_graph(twins.steps, twins.group_ptr, n_visits)


def k4_work(walks: WalkBatch, numbers: IndexArray) -> FloatArray:
    """Return the work on K4 of some graphs, in sparse multiplications."""
    ptr = walks.twins.group_ptr
    sizes = ptr[numbers + 1] - ptr[numbers]
    roots = walks.twins.first[ranges(ptr[numbers], sizes)]
    work = np.empty(len(roots))
    fill_k4_work(walks.steps.indptr, walks.steps.indices, roots, work)
    return sum_by_graph(work, running_total(sizes)) / _K4_STEPS_PER_PRODUCT


def memory_work(walks: WalkBatch, length: int) -> FloatArray:
    """Return the memory of the sums over all quotients, in sparse multiplications."""
    is_plain = ~(walks.weighted | walks.batch.directed | walks.staying)
    n_plain, n_other = (
        len(basis(length, _traits(is_plain=plain)).quotients) for plain in (True, False)
    )
    return np.where(is_plain, n_plain, n_other) * walks.sizes * 8 / _BYTES_PER_PRODUCT


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


def check_enumerable(n_walks: FloatArray, length: int) -> None:
    """Raise if a graph has more walks than can be enumerated in hours."""
    largest = float(n_walks.max(initial=0.0))
    if not largest <= _MAX_ENUMERATED:
        raise InputError(
            f"A graph has {largest:.1e} walks of length {length}; at most "
            f"{_MAX_ENUMERATED:.0e} can be enumerated. Use method='auto' or a smaller "
            "length."
        )
