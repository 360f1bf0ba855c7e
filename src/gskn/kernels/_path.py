"""The path layer: walks that repeat no node, against landmarks."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.kernels._jit import fill_pair_sums
from gskn.kernels._joint import JointLayer
from gskn.kernels._steps import Steps
from gskn.kernels._walked import Walked
from gskn.walks import patterns
from gskn.walks._exact import n_walks_from
from gskn.walks._threads import cut_by_work, run_threads

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_SIGNED = 5  # beyond, the pieces that walks fall into are no longer small
_NODES_AT_ONCE = 2048
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
        signed = _Signed(steps, walked.class_ptr, factors[1:], exact)
        sums: FloatArray = signed.sums() * factors[0]
        return sums


def _is_signed(walked: Walked, length: int) -> bool:
    return walked.is_plain and length <= _LONGEST_SIGNED


class _Signed:
    """Signed sums over the nodes that follow the first of a path.

    With N the sum over neighbours, ``f`` the factors of positions (the first is left
    out), ``T(g, h)`` the sum over triangles and ``Q`` that over cycles of four from a
    node. A walk is taken away for every pair of its nodes that are the same, and put
    back where it was taken away twice.
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

    def sums(self) -> FloatArray:
        """Return the sums, by class."""
        by_length: dict[int, Callable[..., FloatArray]] = {
            2: self.steps.sum_over,
            3: self._three,
            4: self._four,
            5: self._five,
        }
        return by_length[1 + len(self.factors)](*self.factors)

    def _three(self, second: FloatArray, third: FloatArray) -> FloatArray:
        n = self.steps.sum_over
        return n(second * n(third)) - third * n(second)

    def _four(
        self, second: FloatArray, third: FloatArray, fourth: FloatArray
    ) -> FloatArray:
        n = self.steps.sum_over
        after = n(fourth)
        (triangles,) = self._pairs([second], [(0, third)])
        return (
            n(second * n(third * after))
            - third * after * n(second)
            - n(second * fourth * n(third))
            + third * n(second * fourth)
            - fourth * triangles
        )

    def _five(
        self, second: FloatArray, third: FloatArray, fourth: FloatArray, fifth: FloatArray
    ) -> FloatArray:
        n = self.steps.sum_over
        after = n(fifth)
        rest = n(fourth * after) - fifth * n(fourth)
        even = second * fourth
        around_third, around_even = n(third), n(even)
        t23, t2_35, t34, t4_25, t3_25, squares = self._pairs(
            [second, fourth, third],
            [
                (0, third),
                (0, third * fifth),
                (1, third),
                (1, second * fifth),
                (2, second * fifth),
            ],
            cycles=third,
        )
        walks = n(second * n(third * rest)) - third * rest * n(second)
        second_is_fourth = (
            n(even * (n(third * fifth) - after * around_third))
            + third * n(even * after)
            - third * fifth * around_even
        )
        first_is_fourth = fourth * (t2_35 + t3_25 - after * t23)
        first_is_fifth = fifth * (n(even * around_third) - third * around_even - squares)
        second_is_fifth = third * t4_25 - n(second * fifth * t34)
        return walks + second_is_fourth + first_is_fourth + first_is_fifth + second_is_fifth

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
        work = n_walks_from(steps.matrix, 3)[self.exact]
        work *= len(inner) * min(width, n_columns)
        pieces = cut_by_work(self.exact, work, _NODES_AT_ONCE)
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

            run_threads(fill, pieces, steps.n_jobs)
            sums[:, :, columns] = found.transpose(1, 0, 2)
        return list(sums)
