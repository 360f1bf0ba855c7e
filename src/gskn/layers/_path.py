"""The path layer: walks that repeat no node, against landmarks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import mul

import numpy as np

from gskn._threads import run_threads
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.layers._context import Walked
from gskn.layers._jit import fill_pair_sums
from gskn.layers._joint import JointLayer, pieces
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
from gskn.layers._steps import Steps
from gskn.walks import patterns

_NOTHING = (Term(1, Place(())),)  # behind the last step
_SCRATCH = 2**21  # numbers that a thread keeps of the classes two steps away


class PathLayer(JointLayer):
    """Sum over all paths, walks without repeated nodes, of the kernel of attributes.

    Paths of up to five nodes are all walks less those that come back somewhere, which are
    products, triangles and cycles of four: what two steps reach from every class is looked
    at, instead of three (``benchmarks/speed/paths.py``). Graphs with directions or
    chances of weights are enumerated.
    """

    only_paths = True

    def _allowed(self, symbols: AnyArray) -> BoolArray:
        paths = np.asarray(symbols.max(axis=1, initial=0) == symbols.shape[1] - 1)
        if not paths.any():  # no paths so long: any walk will do, no path is near it
            paths[:1] = True
        return paths

    def _points(self, attributes: FloatArray, symbols: AnyArray) -> FloatArray:
        del symbols
        scaled: FloatArray = attributes * np.sqrt(self.settings.alpha)
        return scaled.reshape(len(attributes), -1)

    def _pattern_kernel(self, length: int, landmarks: FloatArray) -> FloatArray:
        return np.ones((len(patterns(length, staying=True)), len(landmarks)))

    def _n_visits(self, walked: Walked) -> int:
        visits = super()._n_visits(walked)
        return min(visits, 3) if _is_signed(walked, self.length) else visits

    def _sum_classes(
        self, walked: Walked, exact: IndexArray, factors: FloatArray, kernel: FloatArray
    ) -> FloatArray:
        length = len(factors)
        if not _is_signed(walked, length):
            return super()._sum_classes(walked, exact, factors, kernel)
        factors = factors[:, walked.codes]
        factors[:-1] *= walked.steps.scale[:, None]  # chances of steps, or ones
        steps = replace(walked.steps, scale=np.ones(len(walked.codes)))
        signed = _SignedSums(steps, walked.class_ptr, factors[1:], exact)
        sums: FloatArray = signed.sums() * factors[0]
        return sums


def _is_signed(walked: Walked, length: int) -> bool:
    return walked.is_plain and length <= MAX_SIGNED_LENGTH


class _SignedSums:
    """Signed sums over the nodes that follow the first of a path; see `_path_terms`.

    ``factors[p - 1]`` are the factors of all groups of twins at position p.
    """

    def __init__(
        self, steps: Steps, class_ptr: IndexArray, factors: FloatArray, exact: IndexArray
    ) -> None:
        sizes = np.diff(class_ptr)
        self.steps = steps
        self.starts = np.repeat(class_ptr[:-1], sizes)  # of the graph of every class
        self.largest = int(sizes.max(initial=1))
        self.factors = factors
        self.exact = exact
        self._factors: dict[Positions, FloatArray] = {}
        self._steps: dict[tuple[Positions, tuple[Term, ...]], FloatArray] = {}
        self._cycles = self._sum_cycles()

    def sums(self) -> FloatArray:
        """Return the sum over all paths, by class."""
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
        """Return the sum over neighbours of factors times the terms behind them."""
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
        sums = self._pairs([self._factor(end) for end in ends], pairs, opposite)
        for cycle in cycles:
            # The compiled loop leaves out the start as the node opposite to itself.
            back = self._step(cycle.first, _NOTHING) * self._step(cycle.second, _NOTHING)
            sums[len(triangles)] += self._factor(cycle.opposite) * back
        return dict(zip([*triangles, *cycles], sums, strict=True))

    def _pairs(
        self,
        inner: list[FloatArray],
        triangles: list[tuple[int, FloatArray]],
        cycles: FloatArray | None = None,
    ) -> list[FloatArray]:
        """Return sums over triangles, and over cycles of four if wanted.

        Of a triangle, one node has a factor that ``inner`` holds at a place, and one has
        a factor beside it. Of a cycle, the neighbours have the first two, the node
        opposite has ``cycles``.
        """
        steps = self.steps
        n_classes, n_columns = inner[0].shape
        places = np.array([place for place, _ in triangles])
        outer = [factor for _, factor in triangles]
        if cycles is not None:
            outer.append(cycles)
        sums = np.zeros((len(outer), n_classes, n_columns))
        width = max(1, _SCRATCH // (len(inner) * self.largest))
        for begin in range(0, n_columns, width):
            columns = slice(begin, begin + width)
            near, far = (
                np.stack([factor[:, columns] for factor in factors], axis=1)
                for factors in (inner, outer)
            )
            found = np.zeros(far.shape)

            def fill(
                some: IndexArray,
                near: FloatArray = near,
                far: FloatArray = far,
                found: FloatArray = found,
            ) -> None:
                csr = (steps.indptr, steps.indices, steps.sizes)
                graphs = (self.starts, self.largest)
                fill_pair_sums(*csr, *graphs, near, far, places, some, found)

            run_threads(fill, pieces(self.exact), steps.n_jobs)
            sums[:, :, columns] = found.transpose(1, 0, 2)
        return list(sums)


def _depth(place: Place) -> int:
    return 1 + max(map(_depth, place.steps), default=0)
