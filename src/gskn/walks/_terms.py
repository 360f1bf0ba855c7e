"""Terms of sums over all maps of a quotient, and the algebra that evaluates them.

A matrix has an entry for every pair of nodes, a vector for every node. Terms are compared
by value, so equal parts of different quotients are one term, which is evaluated once.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from gskn._lazy import cached_property
from gskn._types import FloatArray


class Algebra(Protocol):
    """Operations on the matrices and vectors of some graphs.

    A vector may be None, which stands for ones.
    """

    def step(self, forward: int, backward: int) -> Any:
        """Return the matrix of an edge that is used ``forward`` and ``backward`` times."""

    def mat_diag_mat(self, first: Any, vector: FloatArray | None, second: Any) -> Any:
        """Return ``first @ diag(vector) @ second``."""

    def hadamard(self, first: Any, second: Any) -> Any:
        """Return the elementwise product of two matrices."""

    def visits(self, n_left: int, n_stayed: int) -> FloatArray:
        """Return the vector of a vertex that is left and stayed at so many times."""

    def matvec(self, matrix: Any, vector: FloatArray | None) -> FloatArray:
        """Return a matrix times a vector."""

    def k4(self, term: "K4") -> FloatArray:
        """Return the sums over complete graphs of four vertices."""

    def ones(self) -> FloatArray:
        """Return the vector of ones."""


@dataclass(frozen=True)
class Term(ABC):
    """A matrix or vector that a plan computes from its parts."""

    rank: ClassVar[int]  # of its class in the order of terms

    @property
    def parts(self) -> tuple["Term", ...]:
        """Terms that are evaluated before this one."""
        return ()

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Sort key: any order serves that is the same for equal terms."""
        return (self.rank, *(part.key for part in self.parts))

    @cached_property
    def size(self) -> int:
        """Number of operations, with repetitions."""
        return 1 + sum(part.size for part in self.parts)

    @abstractmethod
    def evaluate(self, algebra: Algebra, *parts: Any) -> Any:
        """Return the value, given the values of the parts."""


class MatrixTerm(Term):
    """A term whose value is a matrix."""

    @abstractmethod
    def transposed(self) -> "MatrixTerm":
        """Return the transposed matrix as a term."""


class VectorTerm(Term):
    """A term whose value is a vector."""


@dataclass(frozen=True)
class Step(MatrixTerm):
    """``W^forward * (W^T)^backward``, elementwise: the matrix of one edge."""

    rank = 4
    forward: int
    backward: int
    is_symmetric: bool

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Sort key."""
        return (self.rank, self.forward, self.backward)

    def transposed(self) -> "Step":
        """Return the transposed matrix as a term."""
        return self if self.is_symmetric else Step(self.backward, self.forward, False)

    def evaluate(self, algebra: Algebra, *parts: Any) -> Any:
        """Return the value, given the values of the parts."""
        return algebra.step(self.forward, self.backward)


@dataclass(frozen=True)
class MatDiagMat(MatrixTerm):
    """``first @ diag(vector) @ second``: eliminates a vertex with two neighbors."""

    rank = 5
    first: MatrixTerm
    vector: VectorTerm
    second: MatrixTerm

    @property
    def parts(self) -> tuple[Term, ...]:
        """Terms that are evaluated before this one."""
        return self.first, self.vector, self.second

    def transposed(self) -> "MatDiagMat":
        """Return the transposed matrix as a term."""
        return MatDiagMat(self.second.transposed(), self.vector, self.first.transposed())

    def evaluate(self, algebra: Algebra, *parts: Any) -> Any:
        """Return the value, given the values of the parts."""
        return algebra.mat_diag_mat(*parts)


@dataclass(frozen=True)
class Hadamard(MatrixTerm):
    """``first * second``, elementwise: joins two matrices of the same pair of vertices."""

    rank = 0
    first: MatrixTerm
    second: MatrixTerm

    @classmethod
    def from_pair(cls, one: MatrixTerm, two: MatrixTerm) -> Self:
        """Order the factors, so that equal products are equal terms."""
        return cls(*sorted((one, two), key=_key))

    @property
    def parts(self) -> tuple[Term, ...]:
        """Terms that are evaluated before this one."""
        return self.first, self.second

    def transposed(self) -> "Hadamard":
        """Return the transposed matrix as a term."""
        return Hadamard.from_pair(self.first.transposed(), self.second.transposed())

    def evaluate(self, algebra: Algebra, *parts: Any) -> Any:
        """Return the value, given the values of the parts."""
        return algebra.hadamard(*parts)


@dataclass(frozen=True)
class Ones(VectorTerm):
    """The vector of ones, which is not stored: its value is None."""

    rank = 7

    @cached_property
    def size(self) -> int:
        """Number of operations: none."""
        return 0

    def evaluate(self, algebra: Algebra, *parts: Any) -> None:
        """Return None, which stands for ones."""


@dataclass(frozen=True)
class Visits(VectorTerm):
    """``d^-n_left * diag(W)^n_stayed``: the vector of one vertex."""

    rank = 6
    n_left: int
    n_stayed: int

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Sort key."""
        return (self.rank, self.n_left, self.n_stayed)

    def evaluate(self, algebra: Algebra, *parts: Any) -> FloatArray:
        """Return the value, given the values of the parts."""
        return algebra.visits(self.n_left, self.n_stayed)


@dataclass(frozen=True)
class MatVec(VectorTerm):
    """``matrix @ vector``: eliminates a vertex with one neighbor."""

    rank = 3
    matrix: MatrixTerm
    vector: VectorTerm

    @property
    def parts(self) -> tuple[Term, ...]:
        """Terms that are evaluated before this one."""
        return self.matrix, self.vector

    def evaluate(self, algebra: Algebra, *parts: Any) -> FloatArray:
        """Return the value, given the values of the parts."""
        return algebra.matvec(*parts)


@dataclass(frozen=True)
class Product(VectorTerm):
    """``first * second``: joins two vectors of the same vertex."""

    rank = 2
    first: VectorTerm
    second: VectorTerm

    @classmethod
    def from_pair(cls, one: VectorTerm, two: VectorTerm) -> VectorTerm:
        """Order the factors, so that equal products are equal terms."""
        first, second = sorted((one, two), key=_key)
        return first if second == Ones() else cls(first, second)

    @property
    def parts(self) -> tuple[Term, ...]:
        """Terms that are evaluated before this one."""
        return self.first, self.second

    def evaluate(self, algebra: Algebra, *parts: Any) -> FloatArray:
        """Return the value, given the values of the parts."""
        first, second = parts
        product: FloatArray = first * second
        return product


@dataclass(frozen=True)
class K4(VectorTerm):
    """Sums over complete graphs of four vertices; vertex 0 is the root.

    ``steps`` are the matrices of the pairs 01, 02, 03, 12, 13 and 23. They are not parts:
    the sums run over nodes, because twins are different vertices of a complete graph.
    """

    rank = 1
    steps: tuple[Step, ...]
    visits: tuple[Visits, ...]

    def evaluate(self, algebra: Algebra, *parts: Any) -> FloatArray:
        """Return the value, given the values of the parts."""
        return algebra.k4(self)


def _key(term: Term) -> tuple[Any, ...]:
    return term.key
