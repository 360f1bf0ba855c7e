"""Algebra of walk matrices: batched dense arrays, or one sparse matrix.

Both classes satisfy the protocol `gskn.walks._terms.Algebra`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import FloatArray, IndexArray
from gskn.walks._jit_k4 import fill_k4_sums
from gskn.walks._plan import Plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._terms import K4


class Matrix(NamedTuple):
    """Entries between twin groups, and values added where a node meets itself.

    Without twins every group is one node, and ``extra`` is None.
    """

    entries: Any
    extra: FloatArray | None


class WalkAlgebra(ABC):
    """Operations that do not depend on the storage of matrices.

    Parameters
    ----------
    steps : Matrix
        Steps between twin groups.
    sizes : ndarray or None
        Nodes of every twin group; None if every group is one node.
    traits : GraphTraits
        Traits that all graphs share.
    k4_sums : mapping from K4 to ndarray
        Sums over complete graphs of four vertices, computed before.
    """

    def __init__(
        self,
        steps: Matrix,
        sizes: FloatArray | None,
        traits: GraphTraits,
        k4_sums: Mapping[K4, FloatArray],
    ) -> None:
        self.steps, self.sizes, self.traits = steps, sizes, traits
        self._k4_sums = k4_sums
        self._degrees = self.matvec(steps, None)
        self._loops = add_vectors(self._diagonal(steps), steps.extra)

    @abstractmethod
    def matvec(self, matrix: Matrix, vector: FloatArray | None) -> FloatArray:
        """Return a matrix times a vector."""

    @abstractmethod
    def _diagonal(self, matrix: Matrix) -> Any:
        """Return the diagonal of the entries."""

    def visits(self, n_left: int, n_stayed: int) -> FloatArray:
        """Return the vector of a vertex that is left and stayed at so many times."""
        # Padding has no steps; its rows are dropped, so any finite number will do.
        safe = np.where(self._degrees > 0, self._degrees, 1.0)
        vector: FloatArray = safe ** -float(n_left) * self._loops**n_stayed
        return vector

    def k4(self, term: K4) -> FloatArray:
        """Return the sums over complete graphs of four vertices."""
        return self._k4_sums[term]

    @property
    def _uses_edges_once(self) -> bool:
        """Whether the matrix of an edge does not depend on how often it is used."""
        return not (self.traits.weighted or self.traits.directed)

    def _hadamard_extra(self, first: Matrix, second: Matrix) -> FloatArray | None:
        if first.extra is None or second.extra is None:
            return None
        # (x + d)(y + e) - x y on the diagonal
        extra: FloatArray = (self._diagonal(first) + first.extra) * second.extra
        extra += first.extra * self._diagonal(second)
        return extra


class DenseAlgebra(WalkAlgebra):
    """Graphs of one padded size as an array of shape (n_graphs, size, size)."""

    def _diagonal(self, matrix: Matrix) -> Any:
        return np.einsum("gii->gi", matrix.entries)  # a writable view

    def step(self, forward: int, backward: int) -> Matrix:
        """Return the matrix of an edge that is used ``forward`` and ``backward`` times."""
        if self._uses_edges_once:
            return self.steps
        powered = self._power(self.steps.entries, forward)
        if not backward:
            return Matrix(powered, None)
        mirror = self._power(self.steps.entries.transpose(0, 2, 1), backward)
        return Matrix(powered * mirror if forward else mirror, None)

    def _power(self, entries: FloatArray, power: int) -> FloatArray:
        return entries**power if self.traits.weighted and power > 1 else entries

    def mat_diag_mat(
        self, first: Matrix, vector: FloatArray | None, second: Matrix
    ) -> Matrix:
        """Return ``first @ diag(vector) @ second``."""
        scale = multiply_vectors(vector, self.sizes)
        left = first.entries if scale is None else first.entries * scale[:, None, :]
        if first.extra is None or second.extra is None:
            return Matrix(multiply(left, second.entries), None)
        scaled = Matrix(left, None)  # (X1 S + D1) v X2 + X1 v D2, and D1 v D2
        extra = multiply_vectors(first.extra, vector)
        self._diagonal(scaled)[...] += extra
        product = multiply(left, second.entries)
        rest = multiply_vectors(second.extra, vector)[:, None, :]
        product += np.multiply(first.entries, rest, out=left)
        return Matrix(product, extra * second.extra)

    def hadamard(self, first: Matrix, second: Matrix) -> Matrix:
        """Return the elementwise product of two matrices."""
        entries = first.entries * second.entries
        return Matrix(entries, self._hadamard_extra(first, second))

    def matvec(self, matrix: Matrix, vector: FloatArray | None) -> FloatArray:
        """Return a matrix times a vector."""
        weighted = multiply_vectors(vector, self.sizes)
        if weighted is None:
            product = matrix.entries.sum(axis=2)
        else:
            product = multiply(matrix.entries, weighted[:, :, None])[:, :, 0]
        return add_vectors(product, scale_extra(matrix.extra, vector))

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.entries.shape[:2])


class SparseAlgebra(WalkAlgebra):
    """Graphs as one block-diagonal CSR matrix."""

    def _diagonal(self, matrix: Matrix) -> Any:
        return np.asarray(matrix.entries.diagonal())

    def step(self, forward: int, backward: int) -> Matrix:
        """Return the matrix of an edge that is used ``forward`` and ``backward`` times."""
        if self._uses_edges_once:
            return self.steps
        powered = self._power(forward)
        if not backward:
            return Matrix(powered, None)
        mirror = self._power(backward).T.tocsr()
        return Matrix(powered.multiply(mirror).tocsr() if forward else mirror, None)

    def _power(self, power: int) -> csr_array:
        matrix = self.steps.entries
        if power <= 1 or not self.traits.weighted:
            return matrix
        return csr_array((matrix.data**power, matrix.indices, matrix.indptr), matrix.shape)

    def mat_diag_mat(
        self, first: Matrix, vector: FloatArray | None, second: Matrix
    ) -> Matrix:
        """Return ``first @ diag(vector) @ second``."""
        left = _scale_columns(first.entries, multiply_vectors(vector, self.sizes))
        product = left @ second.entries
        if first.extra is None or second.extra is None:
            return Matrix(product, None)
        extra = multiply_vectors(first.extra, vector)
        product += _scale_rows(second.entries, extra)
        product += _scale_columns(first.entries, multiply_vectors(second.extra, vector))
        return Matrix(product, extra * second.extra)

    def hadamard(self, first: Matrix, second: Matrix) -> Matrix:
        """Return the elementwise product of two matrices."""
        entries = first.entries.multiply(second.entries).tocsr()
        return Matrix(entries, self._hadamard_extra(first, second))

    def matvec(self, matrix: Matrix, vector: FloatArray | None) -> FloatArray:
        """Return a matrix times a vector."""
        weighted = multiply_vectors(vector, self.sizes)
        weighted = np.ones(matrix.entries.shape[1]) if weighted is None else weighted
        return add_vectors(matrix.entries @ weighted, scale_extra(matrix.extra, vector))

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.entries.shape[0])

    def sum_k4(self, term: K4, roots: IndexArray) -> FloatArray:
        """Return the sums over complete graphs of four vertices from some nodes."""
        matrices = [self.step(step.forward, step.backward).entries for step in term.steps]
        visits = [self.visits(visit.n_left, visit.n_stayed) for visit in term.visits]
        sums = np.empty(len(roots))
        fill_k4_sums(
            tuple(matrix.indptr.astype(np.int64) for matrix in matrices),
            tuple(matrix.indices.astype(np.int32) for matrix in matrices),
            tuple(matrix.data for matrix in matrices),
            np.array(visits),
            roots,
            sums,
        )
        return sums


def sum_k4_terms(
    plan: Plan, steps: csr_array, traits: GraphTraits, roots: IndexArray
) -> dict[K4, FloatArray]:
    """Return the values of all K4 terms of a plan, which no product of matrices gives."""
    algebra = SparseAlgebra(Matrix(steps, None), None, traits, {})
    return {term: algebra.sum_k4(term, roots) for term in plan.k4_terms}


def multiply_vectors(first: Any, second: Any) -> Any:
    """Return the product of two vectors; None stands for ones."""
    if first is None or second is None:
        return second if first is None else first
    return first * second


def scale_extra(extra: FloatArray | None, vector: FloatArray | None) -> FloatArray | None:
    return None if extra is None else multiply_vectors(extra, vector)


def add_vectors(first: FloatArray, second: FloatArray | None) -> FloatArray:
    """Return the sum of two vectors; None stands for zeros."""
    return first if second is None else first + second


def _scale_columns(matrix: csr_array, factors: FloatArray | None) -> csr_array:
    if factors is None:
        return matrix
    scaled = matrix.data * factors[matrix.indices]
    return csr_array((scaled, matrix.indices, matrix.indptr), matrix.shape)


def _scale_rows(matrix: csr_array, factors: FloatArray) -> csr_array:
    scaled = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return csr_array((scaled, matrix.indices, matrix.indptr), matrix.shape)
