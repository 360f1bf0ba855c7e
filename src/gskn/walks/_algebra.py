"""Terms of a plan computed on graphs: batched dense arrays, or one sparse matrix."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from gskn._types import FloatArray
from gskn.walks._jit import fill_complete_fours
from gskn.walks._mobius import Kind
from gskn.walks._plan import Plan, Term

if TYPE_CHECKING:
    from collections.abc import Callable


class Dense:
    """Graphs of one padded size as an array of shape (n_graphs, size, size)."""

    def __init__(self, steps: FloatArray, kind: Kind):
        self.steps, self.kind = steps, kind
        self.degrees = steps.sum(axis=2)
        self.loops = np.diagonal(steps, axis1=1, axis2=2)

    def step(self, there: int, back: int) -> FloatArray:
        """Return the matrix of an edge used so often there and back."""
        powered = _power(self.steps, there, self.kind)
        if not back:
            return powered
        mirror = _power(self.steps.transpose(0, 2, 1), back, self.kind)
        return mirror if not there else powered * mirror

    def visits(self, left: int, stayed: int) -> FloatArray:
        """Return the vector of a vertex left and stayed at so often."""
        return _visits(self.degrees, self.loops, left, stayed)

    def times(self, first: Any, vector: Any, second: Any) -> Any:
        """Return ``first diag(vector) second``."""
        if vector is not None:
            first = first * vector[:, None, :]
        return np.matmul(first, second)

    def both(self, first: Any, second: Any) -> Any:
        """Return the elementwise product of matrices."""
        return first * second

    def reach(self, matrix: Any, vector: Any) -> Any:
        """Return a matrix times a vector."""
        if vector is None:
            return matrix.sum(axis=2)
        return np.matmul(matrix, vector[:, :, None])[:, :, 0]

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.shape[:2])


class Sparse:
    """Graphs as one block-diagonal CSR matrix."""

    def __init__(self, steps: csr_array, kind: Kind):
        self.steps, self.kind = steps, kind
        self.degrees = np.asarray(steps.sum(axis=1))
        self.loops = steps.diagonal()

    def step(self, there: int, back: int) -> csr_array:
        """Return the matrix of an edge used so often there and back."""
        powered = self._powered(self.steps, there)
        if not back:
            return powered
        mirror = self._powered(self.steps, back).T.tocsr()
        return mirror if not there else powered.multiply(mirror).tocsr()

    def _powered(self, matrix: csr_array, power: int) -> csr_array:
        if power <= 1 or not self.kind.weighted:
            return matrix
        return csr_array((matrix.data**power, matrix.indices, matrix.indptr), matrix.shape)

    def visits(self, left: int, stayed: int) -> FloatArray:
        """Return the vector of a vertex left and stayed at so often."""
        return _visits(self.degrees, self.loops, left, stayed)

    def times(self, first: Any, vector: Any, second: Any) -> csr_array:
        """Return ``first diag(vector) second``."""
        if vector is not None:
            # Columns of the first are scaled in place of rows of the second: no product.
            scaled = first.data * vector[first.indices]
            first = csr_array((scaled, first.indices, first.indptr), first.shape)
        return first @ second

    def both(self, first: Any, second: Any) -> csr_array:
        """Return the elementwise product of matrices."""
        return first.multiply(second).tocsr()

    def reach(self, matrix: Any, vector: Any) -> Any:
        """Return a matrix times a vector."""
        vector = np.ones(matrix.shape[1]) if vector is None else vector
        return np.asarray(matrix @ vector)

    def ones(self) -> FloatArray:
        """Return the vector of ones."""
        return np.ones(self.steps.shape[0])

    def four(
        self, steps: tuple[csr_array, ...], visits: tuple[FloatArray, ...]
    ) -> FloatArray:
        """Return the sums over complete graphs of four vertices."""
        sums = np.empty(self.steps.shape[0])
        fill_complete_fours(
            tuple(matrix.indptr.astype(np.int64) for matrix in steps),
            tuple(matrix.indices.astype(np.int32) for matrix in steps),
            tuple(matrix.data for matrix in steps),
            np.array(visits),
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


def compute_fours(plan: Plan, algebra: Sparse) -> dict[Term, FloatArray]:
    """Compute the complete graphs of four, which no product of matrices gives."""
    return {
        term: algebra.four(
            tuple(algebra.step(*step[1:]) for step in term[1]),
            tuple(algebra.visits(*visit[1:]) for visit in term[2]),
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
