"""Algebra of walk matrices that stores no product of two matrices.

A product of matrices is a `_Chain`, which is not computed. Its entries are needed only
where the steps have entries, or in sums over rows. Both are computed row by row.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array

from gskn._lazy import cached_property
from gskn._threads import cut_by_work, run_threads
from gskn._types import AnyArray, FloatArray
from gskn.graphs import plain_csr
from gskn.walks._algebra import (
    Matrix,
    WalkAlgebra,
    add_vectors,
    multiply_vectors,
    scale_extra,
)
from gskn.walks._jit_fused import (
    MAX_FACTORS,
    ChainArrays,
    PatternArrays,
    fill_chain_sums,
    fill_masked_rows,
)
from gskn.walks._quotients import GraphTraits
from gskn.walks._steps import count_walks

_ONES = np.empty(0)  # stands for the entries of a matrix of ones


@dataclass(frozen=True, eq=False)
class _Chain:
    """A product of matrices, with the vector before every matrix but the first."""

    matrices: tuple[Matrix, ...]
    vectors: tuple[FloatArray | None, ...]


@dataclass(frozen=True, eq=False)
class _ChainProduct:
    """An elementwise product of chains."""

    chains: tuple[_Chain, ...]


_Operand: TypeAlias = Matrix | _Chain | _ChainProduct


class FusedAlgebra(WalkAlgebra):
    """Graphs as one block-diagonal matrix, for patterns up to length 7.

    All stored matrices have their entries on one symmetric pattern; ``Matrix.entries`` is
    an array with one value for every entry of it. The memory is proportional to the steps,
    plus the nodes times the number of threads.

    Parameters
    ----------
    steps : csr_array
        Steps between twin groups.
    extra : ndarray or None
        Values that are added where a node meets itself; None without twins.
    sizes : ndarray or None
        Nodes of every twin group; None if every group is one node.
    traits : GraphTraits
        Traits that all graphs share.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(
        self,
        steps: csr_array,
        extra: FloatArray | None,
        sizes: FloatArray | None,
        traits: GraphTraits,
        n_jobs: int | None,
    ) -> None:
        pattern, entries = steps, steps.data
        if traits.directed:
            pattern = _symmetric_pattern(steps)
            entries = _entries_on(steps, pattern)
        self._pattern, self._n_jobs = pattern, n_jobs
        self._arrays = PatternArrays(
            pattern.indptr.astype(np.int64),
            pattern.indices.astype(np.int32, copy=False),
            np.empty(0) if sizes is None else sizes,
        )
        self._masked: WeakKeyDictionary[_Chain, Any] = WeakKeyDictionary()
        super().__init__(Matrix(entries, extra), sizes, traits, {})

    def _diagonal(self, matrix: Matrix) -> Any:
        return self._as_csr(matrix.entries).diagonal()

    def _as_csr(self, entries: AnyArray) -> csr_array:
        pattern = self._pattern
        return plain_csr(entries, pattern.indices, pattern.indptr, pattern.shape)

    def step(self, forward: int, backward: int) -> Matrix:
        """Return the matrix of an edge that is used ``forward`` and ``backward`` times."""
        if self._uses_edges_once:
            return self.steps
        if not self.traits.weighted:
            forward, backward = min(forward, 1), min(backward, 1)
        entries = self.steps.entries**forward
        if backward:
            entries = entries * self._transposed(self.steps.entries) ** backward
        return Matrix(entries, None)

    def mat_diag_mat(
        self, first: Matrix | _Chain, vector: FloatArray | None, second: Matrix | _Chain
    ) -> _Chain:
        """Return ``first @ diag(vector) @ second``."""
        left, right = (
            _Chain((term,), ()) if isinstance(term, Matrix) else term
            for term in (first, second)
        )
        vectors = (*left.vectors, vector, *right.vectors)
        return _Chain(left.matrices + right.matrices, vectors)

    def hadamard(self, first: _Operand, second: _Operand) -> Matrix | _ChainProduct:
        """Return the elementwise product of two matrices."""
        if isinstance(first, Matrix) and isinstance(second, Matrix):
            extra = self._hadamard_extra(first, second)
            return Matrix(first.entries * second.entries, extra)
        if isinstance(second, Matrix):
            first, second = second, first
        if not isinstance(first, Matrix):
            return _ChainProduct(_chains(first) + _chains(second))
        product = first
        for chain in _chains(second):
            product = self._masked_product(product, chain)
        return product

    def matvec(self, matrix: _Operand, vector: FloatArray | None) -> FloatArray:
        """Return a matrix times a vector."""
        if isinstance(matrix, _ChainProduct):
            return self._row_sums(matrix.chains, vector)
        if isinstance(matrix, _Chain):
            for factor, before in zip(
                matrix.matrices[::-1], (*matrix.vectors[::-1], None), strict=True
            ):
                vector = multiply_vectors(before, self.matvec(factor, vector))
            return self.ones() if vector is None else vector
        weighted = multiply_vectors(vector, self.sizes)
        weighted = np.ones(self._pattern.shape[0]) if weighted is None else weighted
        product = self._as_csr(matrix.entries) @ weighted
        return add_vectors(product, scale_extra(matrix.extra, vector))

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self._pattern.shape[0])

    def _masked_product(self, mask: Matrix, chain: _Chain) -> Matrix:
        """Return the elementwise product of a stored matrix and a chain."""
        if chain not in self._masked:
            self._masked[chain] = self._entries_of(chain)
        entries, (diagonal, added) = self._masked[chain]
        if mask.extra is None:
            return Matrix(mask.entries * entries, None)
        mask_diagonal = self._diagonal(mask)
        extra = (mask_diagonal + mask.extra) * (diagonal + added)
        return Matrix(mask.entries * entries, extra - mask_diagonal * diagonal)

    def _entries_of(self, chain: _Chain) -> tuple[FloatArray, FloatArray]:
        """Return the entries of a chain where steps have some, and its two diagonals."""
        entries = np.empty(len(self._arrays.indices))
        diagonals = np.empty((2, self._pattern.shape[0] if self.sizes is not None else 0))
        chains = self._chain_arrays([chain], [1])
        n_steps = max(2, len(chain.matrices) - 1)
        self._run_rows(
            lambda begin, stop: fill_masked_rows(
                self._arrays, chains, begin, stop, entries, diagonals
            ),
            n_steps,
        )
        return entries, diagonals

    def _row_sums(
        self, factors: tuple[_Chain, ...], vector: FloatArray | None
    ) -> FloatArray:
        """Return the elementwise product of chains times a vector."""
        # The longest chain that is used once comes last: its rows are not computed.
        listed = sorted(
            Counter(factors).items(), key=lambda item: (item[1] == 1, len(item[0].matrices))
        )
        chains = self._chain_arrays(*map(list, zip(*listed, strict=True)))
        weights = self.ones() if vector is None else vector
        sums = np.empty(self._pattern.shape[0])
        self._run_rows(
            lambda begin, stop: fill_chain_sums(
                self._arrays, chains, weights, begin, stop, sums
            ),
            max(2, len(listed[-1][0].matrices) - 1),
        )
        return sums

    def _chain_arrays(self, chains: list[_Chain], powers: list[int]) -> ChainArrays:
        """Return the arguments of compiled loops."""
        matrices = [matrix for chain in chains for matrix in chain.matrices]
        n_rows = self._pattern.shape[0]
        vectors = np.ones((len(matrices), n_rows))
        places = np.cumsum([0, *(len(chain.matrices) for chain in chains)])
        for chain, first in zip(chains, places[:-1], strict=True):
            for number, vector in enumerate(chain.vectors):
                if vector is not None:
                    vectors[first + number + 1] = vector
        extras = np.empty((len(matrices), 0 if self.sizes is None else n_rows))
        if self.sizes is not None:
            extras[:] = [matrix.extra for matrix in matrices]
        values = [self._values(matrix) for matrix in matrices]
        values += values[:1] * (MAX_FACTORS - len(values))
        last = self._values(matrices[-1])
        last = self._transposed(last) if len(last) else last
        return ChainArrays(tuple(values), extras, vectors, places, np.array(powers), last)

    def _values(self, matrix: Matrix) -> FloatArray:
        """Return the entries of a matrix, or no entries if all are ones."""
        is_steps = matrix.entries is self.steps.entries
        values: FloatArray = _ONES if is_steps and self._uses_edges_once else matrix.entries
        return values

    def _transposed(self, entries: FloatArray) -> FloatArray:
        """Return the entries of the transposed matrix."""
        transposed: FloatArray = entries[self._mirror]
        return transposed

    @cached_property
    def _mirror(self) -> AnyArray:
        """Position of the entry of the reversed step, for every entry."""
        numbers = np.arange(len(self._arrays.indices))
        mirror: AnyArray = self._as_csr(numbers).T.tocsr().data
        return mirror

    def _run_rows(self, fill: Callable[[int, int], None], n_steps: int) -> None:
        """Call a loop for blocks of rows with a bounded number of walks."""
        work = np.minimum(self._n_walks(n_steps), len(self._arrays.indices))
        rows = np.arange(len(work))
        blocks = cut_by_work(rows, work, max(1, len(rows)))
        run_threads(lambda block: fill(block[0], block[-1] + 1), blocks, self._n_jobs)

    def _n_walks(self, n_steps: int) -> FloatArray:
        """Return the number of walks of some steps from every row."""
        return count_walks(self._pattern, n_steps + 1)


def _chains(term: _Operand) -> tuple[_Chain, ...]:
    """Return the factors of an elementwise product of chains."""
    if isinstance(term, _ChainProduct):
        return term.chains
    return (term,) if isinstance(term, _Chain) else ()


def _symmetric_pattern(steps: csr_array) -> csr_array:
    """Return a matrix of ones with an entry for every step and every reversed step."""
    ones = csr_array((np.ones(steps.nnz), steps.indices, steps.indptr), steps.shape)
    pattern = (ones + ones.T).tocsr()
    pattern.sort_indices()
    return pattern


def _entries_on(steps: csr_array, pattern: csr_array) -> FloatArray:
    """Return the value of a matrix for every entry of a larger pattern."""
    columns = steps.shape[1]
    rows, wide_rows = (
        np.repeat(np.arange(columns), np.diff(matrix.indptr)) for matrix in (steps, pattern)
    )
    entries = np.zeros(pattern.nnz)
    keys = wide_rows * columns + pattern.indices
    entries[np.searchsorted(keys, rows * columns + steps.indices)] = steps.data
    return entries
