"""Weisfeiler-Lehman kernels: colours of nodes, refined by those of their neighbours."""

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._types import FloatArray
from gskn._validation import check_int
from gskn.baselines._colours import first_colours, refine
from gskn.baselines._counts import Counts, compare_all, count_nodes, squares_of_all
from gskn.baselines._kernel import NormalizedKernel
from gskn.graphs import GraphBatch


class WLKernel(NormalizedKernel):
    """The subtree kernel: colours that two graphs share, after 0 to h refinements.

    Parameters
    ----------
    n_iterations : int, default=5
        Refinements, at most 10,000; the authors choose among 0 to 10. Colours of all
        rounds count.
    normalize : bool, default=True
        The cosine instead of the kernel.

    Notes
    -----
    Shervashidze et al., Weisfeiler-Lehman graph kernels, JMLR 12 (2011). Colours begin
    with labels of nodes, or with degrees where there are none. Weights of edges are not
    looked at.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> WLKernel().fit_transform([ring_of_six, two_triangles]).round(12)
    array([[1., 1.],
           [1., 1.]])
    """

    def __init__(self, n_iterations: int = 5, *, normalize: bool = True) -> None:
        self.n_iterations = n_iterations
        self.normalize = normalize

    def _learn(self, batch: GraphBatch) -> list[Counts]:
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> list[Counts]:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, known: list[Counts] | None) -> list[Counts]:
        rounds = refine(batch, first_colours(batch, type(self).__name__), self.n_iterations)
        return count_nodes(rounds, batch, known)

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        return compare_all(left, right)

    def _own(self, described: list[Counts]) -> FloatArray:
        return squares_of_all(described)


class WLOAKernel(WLKernel):
    """The optimal assignment kernel: the best matching of nodes by how long they agree.

    Parameters
    ----------
    n_iterations : int, default=5
        Refinements, at most 10,000; the authors choose among 0 to 7. Colours of all
        rounds count.
    normalize : bool, default=True
        The cosine instead of the kernel.

    Notes
    -----
    Nils Kriege, Pierre-Louis Giscard and Richard Wilson, On valid optimal assignment
    kernels and applications to graph classification (2016). Two nodes are worth the number
    of rounds in which their colours are equal; the best matching of two graphs is then
    worth the sum, over colours of all rounds, of the smaller of two counts. Colours are
    those of `WLKernel`. Time grows with the pairs of graphs that share a colour: with the
    square of the number of graphs, at worst.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> WLOAKernel(2, normalize=False).fit_transform([ring_of_six, two_triangles])
    array([[18., 18.],
           [18., 18.]])
    """

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        pairs = zip(left, right, strict=True)
        return np.asarray(sum(one.intersect(other) for one, other in pairs))

    def _own(self, described: list[Counts]) -> FloatArray:
        return np.asarray(sum(counts.totals for counts in described))
