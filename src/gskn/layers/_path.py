"""The path branch: node features along walks that repeat no node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul

import numpy as np

from gskn._limits import ENUMERATION_CHUNK_NODES, PATH_SCRATCH_CELLS
from gskn._threads import cut_by_work, run_threads
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.layers._context import WalkContext
from gskn.layers._enumerated import EnumeratedLayer, WalkFactors
from gskn.layers._jit_pairs import PairSteps, fill_pair_sums
from gskn.layers._path_terms import (
    MAX_SIGNED_LENGTH,
    Cycle,
    Place,
    Positions,
    Term,
    Triangle,
    all_cycles,
    path_terms,
    shared_ends,
)
from gskn.layers._sequences import count_feature_columns
from gskn.layers._steps import Steps
from gskn.walks import count_walks, patterns

_NOTHING = (Term(1, Place(())),)  # behind the last step


@dataclass
class PathLayer(EnumeratedLayer):
    """Sum over all paths, walks without repeated nodes, of the kernel of node features.

    Paths of up to five nodes are not enumerated: their sum is a signed sum over walks,
    triangles and cycles of four (``_path_terms.py``), which looks two steps ahead from
    every group of twins instead of three (``benchmarks/speed/paths.py``). Directed graphs,
    and graphs whose edge weights or edge features are used, are enumerated.
    """

    ignored_parameters = frozenset({"anonymous_length", "beta", "rare_walks"})
    only_paths = True

    def n_columns(self, length: int, n_features: int, n_edge_features: int = 0) -> int:
        """Return the number of columns of a landmark: the features along a path."""
        return count_feature_columns(length, n_features, n_edge_features)

    def _may_be_landmarks(self, symbols: AnyArray) -> BoolArray:
        paths = np.asarray(symbols.max(axis=1, initial=0) == symbols.shape[1] - 1)
        if not paths.any():  # there are no paths of this length, so any walk will do
            paths[:1] = True
        return paths

    def _points(self, features: FloatArray, symbols: AnyArray) -> FloatArray:
        del symbols
        scaled: FloatArray = features * np.sqrt(self.params.alpha)
        return scaled

    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        return np.ones((len(patterns(length, staying=True)), len(landmarks)))

    def _n_enumerated(self, context: WalkContext) -> int:
        n_visits = super()._n_enumerated(context)
        return min(n_visits, 3) if _is_signed(context, self.length) else n_visits

    def _sum_exact(
        self,
        context: WalkContext,
        groups: IndexArray,
        factors: WalkFactors,
        kernel: FloatArray,
    ) -> FloatArray:
        if not _is_signed(context, len(factors.nodes)):
            return super()._sum_exact(context, groups, factors, kernel)
        of_groups = factors.nodes[:, context.group_codes]
        of_groups[:-1] *= context.steps.scale[:, None]  # probabilities of steps, or ones
        steps = replace(context.steps, scale=np.ones(len(context.steps.first)))
        signed = _SignedSums(steps, context.group_ptr, of_groups[1:], groups)
        sums: FloatArray = signed.sums() * of_groups[0]
        return sums


def _is_signed(context: WalkContext, length: int) -> bool:
    is_plain = context.is_plain and context.features.edges is None
    return is_plain and length <= MAX_SIGNED_LENGTH


class _SignedSums:
    """Signed sums over the nodes that follow the first of a path; see ``_path_terms.py``.

    ``factors[p - 1]`` are the factors of all groups of twins at position p.
    """

    def __init__(
        self, steps: Steps, group_ptr: IndexArray, factors: FloatArray, groups: IndexArray
    ) -> None:
        sizes = np.diff(group_ptr)
        self.steps = steps
        self.pair_steps = PairSteps(
            indptr=steps.indptr,
            indices=steps.indices,
            sizes=steps.sizes,
            graph_starts=np.repeat(group_ptr[:-1], sizes),
            largest=int(sizes.max(initial=1)),
        )
        self.factors = factors
        self.groups = groups
        self._factors: dict[Positions, FloatArray] = {}
        self._steps: dict[tuple[Positions, tuple[Term, ...]], FloatArray] = {}
        self._cycles = self._sum_cycles()

    def sums(self) -> FloatArray:
        """Return the sum over all paths from every group of twins."""
        return self._evaluate(path_terms(len(self.factors) + 1))

    def _evaluate(self, terms: Sequence[Term]) -> FloatArray:
        """Add up terms; those that differ only behind one step share that step."""
        groups: dict[tuple[Place, Positions], list[Term]] = {}
        total: FloatArray | float = 0.0
        for term in terms:
            place = term.place
            if not place.steps:
                total = total + self._product(term.sign, place)
                continue
            longest = max(place.steps, key=_depth)
            others = tuple(step for step in place.steps if step is not longest)
            here = Place(place.positions, others, place.cycles)
            behind = Place((), longest.steps, longest.cycles)
            key = here, longest.positions
            groups.setdefault(key, []).append(Term(term.sign, behind))
        for (here, positions), behind_terms in groups.items():
            # One sign for the group: then other groups with the same step share it, too.
            sign = -1 if behind_terms[0].sign < 0 else 1
            if len(behind_terms) == 1:
                sign = behind_terms[0].sign
            shared = tuple(Term(term.sign // sign, term.place) for term in behind_terms)
            total = total + self._product(sign, here, self._step(positions, shared))
        return np.asarray(total)

    def _step(self, positions: Positions, behind: tuple[Term, ...]) -> FloatArray:
        """Return the sum over neighbors of factors times the terms behind them."""
        key = positions, behind
        if key not in self._steps:
            values = self._factor(positions)
            if behind != _NOTHING:
                values = values * self._evaluate(behind)
            self._steps[key] = self.steps.sum_over(values)
        return self._steps[key]

    def _product(
        self, sign: int, place: Place, last: FloatArray | float = 1.0
    ) -> FloatArray | float:
        """Multiply the factors of a place by everything that hangs on it."""
        product: FloatArray | float = last
        if place.positions:
            product = product * self._factor(place.positions)
        for cycle in place.cycles:
            product = product * self._cycles[cycle]
        for step in place.steps:
            behind = Term(1, Place((), step.steps, step.cycles))
            product = product * self._step(step.positions, (behind,))
        return product if sign == 1 else sign * product

    def _factor(self, positions: Positions) -> FloatArray:
        """Return the product of the factors of some positions."""
        if positions not in self._factors:
            self._factors[positions] = reduce(mul, (self.factors[p - 1] for p in positions))
        return self._factors[positions]

    def _sum_cycles(self) -> dict[Triangle | Cycle, FloatArray]:
        """Sum over all triangles and cycles of four that the terms need, in one pass."""
        triangles, cycles = all_cycles(len(self.factors) + 1)
        if not triangles:
            return {}
        ends = shared_ends(triangles, cycles)
        pairs = []
        for triangle in triangles:
            inner, outer = triangle.first, triangle.second
            if inner not in ends:
                inner, outer = outer, inner
            pairs.append((ends.index(inner), self._factor(outer)))
        opposite = self._factor(cycles[0].opposite) if cycles else None
        sums = self._sum_pairs([self._factor(end) for end in ends], pairs, opposite)
        for cycle in cycles:
            # The compiled loop leaves out the start as the node opposite to itself.
            back = self._step(cycle.first, _NOTHING) * self._step(cycle.second, _NOTHING)
            sums[len(triangles)] += self._factor(cycle.opposite) * back
        return dict(zip([*triangles, *cycles], sums, strict=True))

    def _sum_pairs(
        self,
        inner: list[FloatArray],
        triangles: list[tuple[int, FloatArray]],
        opposite: FloatArray | None = None,
    ) -> list[FloatArray]:
        """Return sums over triangles, and over cycles of four if ``opposite`` is given.

        A triangle has one node whose factor is an entry of ``inner``, given by its place,
        and one with the factor beside it. In a cycle, the neighbors of the start have the
        first two entries of ``inner``, and the node opposite has ``opposite``.
        """
        n_groups, n_columns = inner[0].shape
        places = np.array([place for place, _ in triangles])
        outer = [factor for _, factor in triangles]
        if opposite is not None:
            outer.append(opposite)
        sums = np.zeros((len(outer), n_groups, n_columns))
        width = max(1, PATH_SCRATCH_CELLS // (len(inner) * self.pair_steps.largest))
        for begin in range(0, n_columns, width):
            columns = slice(begin, begin + width)
            near, far = (
                np.stack([factor[:, columns] for factor in factors], axis=1)
                for factors in (inner, outer)
            )
            part = self._fill_pairs(near, far, places)
            sums[:, :, columns] = part.transpose(1, 0, 2)
        return list(sums)

    def _fill_pairs(
        self, near: FloatArray, far: FloatArray, places: IndexArray
    ) -> FloatArray:
        sums = np.zeros(far.shape)
        work = (
            count_walks(self.steps.matrix, 3)[self.groups] * near.shape[1] * near.shape[2]
        )
        run_threads(
            lambda starts: fill_pair_sums(self.pair_steps, near, far, places, starts, sums),
            cut_by_work(self.groups, work, ENUMERATION_CHUNK_NODES),
            self.steps.n_jobs,
        )
        return sums


def _depth(place: Place) -> int:
    return 1 + max(map(_depth, place.steps), default=0)
