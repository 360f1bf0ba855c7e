"""Groups of graphs that are computed together, by one of three algebras.

dense
    Small graphs with many walks.
stored
    Sparse graphs: products of matrices have few entries. At length 8, also all others.
fused
    Graphs with many walks, of which no product of matrices is stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gskn._limits import MAX_DENSE_SIZE, MAX_EXACT_LENGTH
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.walks._plan import Plan, make_plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._terms import MatDiagMat
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import product_work

AlgebraName: TypeAlias = Literal["dense", "stored", "fused"]

_SPARSE_OVER_DENSE = 40.0  # time of a sparse multiplication over a dense one
_STORED_WALKS = 32.0  # walks of two steps per node up to which storing is faster
_GROUP_PRODUCTS = 2e7  # multiplications of a sparse product of a group
_GROUP_CELLS = 2**24  # cells of the sums over all quotients of a group
_GROUP_BYTES = 2**22  # of one dense matrix of a group: several of them fit the cache


@dataclass(frozen=True)
class Group:
    """Graphs with the same traits that are computed together, by one thread."""

    numbers: IndexArray
    traits: GraphTraits
    has_twins: bool
    algebra: AlgebraName
    is_large: bool


def make_groups(
    walks: WalkBatch, numbers: IndexArray, lengths: tuple[int, ...], *, probability: bool
) -> Iterator[Group]:
    """Split graphs into groups for the patterns of some lengths."""
    work = product_work(walks, max(lengths))
    stored = _has_few_walks(walks) | (max(lengths) == MAX_EXACT_LENGTH)
    for traits, has_twins, members in _by_traits(walks, numbers, probability=probability):
        plan = make_plan(lengths, traits)
        sizes = walks.sizes[members]
        for group, algebra in _by_algebra(
            members, sizes, work[members], plan, stored[members]
        ):
            is_large = len(group) == 1 and work[group[0]] > _GROUP_PRODUCTS
            is_large &= algebra != "dense"
            yield Group(group, traits, has_twins, algebra, is_large)


def _has_few_walks(walks: WalkBatch) -> BoolArray:
    """Return the graphs whose products are stored, which depends on no length.

    Rows of a length are therefore the same, to the last digit, next to longer ones.
    """
    shortest, longest = (product_work(walks, n) for n in (4, MAX_EXACT_LENGTH - 1))
    few = (shortest <= _STORED_WALKS * walks.sizes) & (longest <= _GROUP_PRODUCTS)
    return np.asarray(few)


def _by_traits(
    walks: WalkBatch, numbers: IndexArray, *, probability: bool
) -> Iterator[tuple[GraphTraits, bool, IndexArray]]:
    """Split graphs by their traits, and by whether twins are used."""
    flags = np.array(
        [walks.weighted, walks.batch.directed, walks.staying, walks.twins.used]
    ).T[numbers]
    for flag in np.unique(flags, axis=0):
        weighted, directed, staying, has_twins = map(bool, flag)
        # The probabilities of both directions of an edge differ even if weights do not.
        traits = GraphTraits(weighted, directed or weighted, staying, probability)
        yield traits, has_twins, numbers[(flags == flag).all(axis=1)]


def _by_algebra(
    numbers: IndexArray,
    sizes: IndexArray,
    work: FloatArray,
    plan: Plan,
    stored: BoolArray,
) -> Iterator[tuple[IndexArray, AlgebraName]]:
    """Split graphs with the same traits by their algebra."""
    cubes = sizes.astype(np.float64) ** 3
    dense = (sizes <= MAX_DENSE_SIZE) & (_SPARSE_OVER_DENSE * work > cubes)
    dense &= plan.count(MatDiagMat) > 0
    cells = len(plan.roots) * sizes.astype(np.float64)
    by_name: dict[AlgebraName, BoolArray] = {
        "stored": stored & ~dense,
        "fused": ~stored & ~dense,
    }
    for algebra, chosen in by_name.items():
        for group in _sparse_groups(numbers[chosen], work[chosen], cells[chosen]):
            yield group, algebra
    for group in _dense_groups(numbers[dense], sizes[dense]):
        yield group, "dense"


def _sparse_groups(
    numbers: IndexArray, work: FloatArray, cells: FloatArray
) -> Iterator[IndexArray]:
    """Join graphs while their products and their sums are within the bounds."""
    share = np.maximum(np.minimum(work, 1e18) / _GROUP_PRODUCTS, cells / _GROUP_CELLS)
    total = np.cumsum(share) // 1
    for key in np.unique(total):
        yield numbers[total == key]


def _dense_groups(numbers: IndexArray, sizes: IndexArray) -> Iterator[IndexArray]:
    """Join graphs of similar size while one dense matrix is within the bound."""
    order = np.argsort(sizes, kind="stable")
    padded = -(-np.maximum(sizes[order], 1) // 8) * 8
    for size in np.unique(padded):
        same = numbers[order[padded == size]]
        n_graphs = max(1, int(_GROUP_BYTES // (8 * size * size)))
        for first in range(0, len(same), n_graphs):
            yield same[first : first + n_graphs]
