"""Terms of a plan computed on graphs: batched dense arrays, or one sparse matrix."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import FloatArray, IndexArray
from gskn.walks._jit import fill_complete_fours
from gskn.walks._mobius import Kind
from gskn.walks._plan import Plan, Term

if TYPE_CHECKING:
    from collections.abc import Callable


class Matrix(NamedTuple):
    """Entries between classes of twins, and what is added where a node meets itself.

    Without twins every class is one node, and there is nothing to add.
    """

    entries: Any
    extra: FloatArray | None


class Dense:
    """Graphs of one padded size as an array of shape (n_graphs, size, size)."""

    def __init__(
        self,
        steps: Matrix,
        sizes: FloatArray | None,
        kind: Kind,
    ):
        self.steps, self.sizes, self.kind = steps, sizes, kind
        self.degrees = self.reach(steps, None)
        self.loops = _add(self._diagonal(steps), steps.extra)

    @staticmethod
    def _diagonal(matrix: Matrix) -> Any:
        return np.einsum("gii->gi", matrix.entries)  # a view that may be written to

    def step(self, there: int, back: int) -> Matrix:
        """Return the matrix of an edge used so often there and back."""
        if not (self.kind.weighted or self.kind.directed):
            return self.steps
        entries = self.steps.entries
        powered = _power(entries, there, self.kind)
        if not back:
            return Matrix(powered, None)
        mirror = _power(entries.transpose(0, 2, 1), back, self.kind)
        return Matrix(mirror if not there else powered * mirror, None)

    def visits(self, left: int, stayed: int) -> FloatArray:
        """Return the vector of a vertex left and stayed at so often."""
        return _visits(self.degrees, self.loops, left, stayed)

    def times(self, first: Matrix, vector: Any, second: Matrix) -> Matrix:
        """Return ``first diag(vector) second``."""
        scale = _multiply(vector, self.sizes)
        left = first.entries if scale is None else first.entries * scale[:, None, :]
        if first.extra is None or second.extra is None:
            return Matrix(multiply(left, second.entries), None)
        scaled = Matrix(left, None)  # (X1 S + D1) v X2 + X1 v D2, and D1 v D2
        extra = _multiply(first.extra, vector)
        self._diagonal(scaled)[...] += extra
        product = multiply(left, second.entries)
        rest = _multiply(second.extra, vector)[:, None, :]
        product += np.multiply(first.entries, rest, out=left)
        return Matrix(product, extra * second.extra)

    def both(self, first: Matrix, second: Matrix) -> Matrix:
        """Return the elementwise product of matrices."""
        entries = first.entries * second.entries
        return Matrix(entries, self._both_extra(first, second))

    def _both_extra(self, first: Matrix, second: Matrix) -> FloatArray | None:
        if first.extra is None or second.extra is None:
            return None
        # (x + d)(y + e) - x y on the diagonal
        own: FloatArray = (self._diagonal(first) + first.extra) * second.extra
        own += first.extra * self._diagonal(second)
        return own

    def reach(self, matrix: Matrix, vector: Any) -> FloatArray:
        """Return a matrix times a vector."""
        weighted = _multiply(vector, self.sizes)
        if weighted is None:
            found = matrix.entries.sum(axis=2)
        else:
            found = multiply(matrix.entries, weighted[:, :, None])[:, :, 0]
        return _add(found, _times_vector(matrix.extra, vector))

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.entries.shape[:2])


class Sparse(Dense):
    """Graphs as one block-diagonal CSR matrix."""

    @staticmethod
    def _diagonal(matrix: Matrix) -> Any:
        return np.asarray(matrix.entries.diagonal())

    def step(self, there: int, back: int) -> Matrix:
        """Return the matrix of an edge used so often there and back."""
        if not (self.kind.weighted or self.kind.directed):
            return self.steps
        powered = self._powered(there)
        if not back:
            return Matrix(powered, None)
        mirror = self._powered(back).T.tocsr()
        return Matrix(mirror if not there else powered.multiply(mirror).tocsr(), None)

    def _powered(self, power: int) -> csr_array:
        matrix = self.steps.entries
        if power <= 1 or not self.kind.weighted:
            return matrix
        return csr_array((matrix.data**power, matrix.indices, matrix.indptr), matrix.shape)

    def times(self, first: Matrix, vector: Any, second: Matrix) -> Matrix:
        """Return ``first diag(vector) second``."""
        left = _scale_columns(first.entries, _multiply(vector, self.sizes))
        product = left @ second.entries
        if first.extra is None or second.extra is None:
            return Matrix(product, None)
        extra = _multiply(first.extra, vector)
        product += _scale_rows(second.entries, extra)
        product += _scale_columns(first.entries, _multiply(second.extra, vector))
        return Matrix(product, extra * second.extra)

    def both(self, first: Matrix, second: Matrix) -> Matrix:
        """Return the elementwise product of matrices."""
        entries = first.entries.multiply(second.entries).tocsr()
        return Matrix(entries, self._both_extra(first, second))

    def reach(self, matrix: Matrix, vector: Any) -> FloatArray:
        """Return a matrix times a vector."""
        weighted = _multiply(vector, self.sizes)
        weighted = np.ones(matrix.entries.shape[1]) if weighted is None else weighted
        return _add(matrix.entries @ weighted, _times_vector(matrix.extra, vector))

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.entries.shape[0])

    def four(
        self,
        steps: tuple[Matrix, ...],
        visits: tuple[FloatArray, ...],
        roots: IndexArray,
    ) -> FloatArray:
        """Return the sums over complete graphs of four vertices; twins stand apart."""
        sums = np.empty(len(roots))
        fill_complete_fours(
            tuple(matrix.entries.indptr.astype(np.int64) for matrix in steps),
            tuple(matrix.entries.indices.astype(np.int32) for matrix in steps),
            tuple(matrix.entries.data for matrix in steps),
            np.array(visits),
            roots,
            sums,
        )
        return sums


def compute(
    plan: Plan, algebra: Dense | Sparse, fours: dict[Term, FloatArray]
) -> list[Any]:
    """Compute the vector of every quotient; a term is forgotten after its last use."""
    known: dict[Term, Any] = dict(fours)
    left = dict(plan.n_uses)
    wanted = {root for root in plan.roots if root is not None}
    for term, parts in zip(plan.order, plan.parts, strict=True):
        if term not in known:
            known[term] = _compute_term(term, algebra, known)
        for part in parts:
            left[part] -= 1
            if not left[part] and part not in wanted:
                del known[part]
    return [algebra.ones() if root is None else known[root] for root in plan.roots]


def _compute_term(term: Term, algebra: Dense | Sparse, known: dict[Term, Any]) -> Any:
    kind, *arguments = term
    values = [known[a] if isinstance(a, tuple) else a for a in arguments]
    if kind == "join":
        return values[0] * values[1]
    operation: Callable[..., Any] = getattr(algebra, kind)
    return operation(*values)


def compute_fours(plan: Plan, algebra: Sparse, roots: IndexArray) -> dict[Term, FloatArray]:
    """Compute the complete graphs of four, which no product of matrices gives."""
    return {
        term: algebra.four(
            tuple(algebra.step(*step[1:]) for step in term[1]),
            tuple(algebra.visits(*visit[1:]) for visit in term[2]),
            roots,
        )
        for term in plan.order
        if term[0] == "four"
    }


def _power(matrix: FloatArray, power: int, kind: Kind) -> FloatArray:
    return matrix**power if kind.weighted and power > 1 else matrix


def _visits(degrees: FloatArray, loops: FloatArray, left: int, stayed: int) -> FloatArray:
    # Padding has no steps; its rows are dropped, so any finite number will do.
    safe = np.where(degrees > 0, degrees, 1.0)
    return safe ** -float(left) * loops**stayed


def _multiply(first: Any, second: Any) -> Any:
    """Multiply where None is all ones."""
    if first is None or second is None:
        return second if first is None else first
    return first * second


def _times_vector(extra: FloatArray | None, vector: Any) -> FloatArray | None:
    return None if extra is None else _multiply(extra, vector)


def _add(first: FloatArray, second: FloatArray | None) -> FloatArray:
    """Add where None is nothing."""
    return first if second is None else first + second


def _scale_columns(matrix: csr_array, factors: FloatArray | None) -> csr_array:
    if factors is None:
        return matrix
    scaled = matrix.data * factors[matrix.indices]
    return csr_array((scaled, matrix.indices, matrix.indptr), matrix.shape)


def _scale_rows(matrix: csr_array, factors: FloatArray) -> csr_array:
    scaled = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return csr_array((scaled, matrix.indices, matrix.indptr), matrix.shape)
