"""Plans of sums over all maps of quotients: vertices are eliminated one by one.

Eliminating a vertex with one neighbor is a matrix-vector product, with two neighbors a
product of two matrices. Up to length 7 every quotient has treewidth at most two; at length
8 the only exception is K4, the complete graph of four vertices (docs/theory/patterns.md).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeAlias

from gskn.walks._mobius import basis
from gskn.walks._quotients import GraphTraits, Quotient
from gskn.walks._terms import (
    K4,
    Algebra,
    Hadamard,
    MatDiagMat,
    MatrixTerm,
    MatVec,
    Ones,
    Product,
    Step,
    Term,
    VectorTerm,
    Visits,
)

_Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Operation:
    """A term, the operations that compute its parts, and those not needed afterwards."""

    term: Term
    parts: tuple[int, ...]
    released: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """Operations in the order of computation, and the operation of every quotient."""

    operations: tuple[Operation, ...]
    roots: tuple[int, ...]

    @property
    def terms(self) -> list[Term]:
        """Terms in the order of computation."""
        return [operation.term for operation in self.operations]

    @property
    def k4_terms(self) -> list[K4]:
        """Terms that are computed before the plan is evaluated."""
        return [term for term in self.terms if isinstance(term, K4)]

    def count(self, kind: type[Term]) -> int:
        """Return the number of terms of a class."""
        return sum(isinstance(term, kind) for term in self.terms)

    def evaluate(self, algebra: Algebra) -> list[Any]:
        """Return the vector of every quotient. A value is released after its last use."""
        values: list[Any] = [None] * len(self.operations)
        for place, operation in enumerate(self.operations):
            values[place] = operation.term.evaluate(
                algebra, *[values[part] for part in operation.parts]
            )
            for part in operation.released:
                values[part] = None
        vectors = [values[root] for root in self.roots]
        return [algebra.ones() if vector is None else vector for vector in vectors]


@lru_cache(maxsize=64)
def make_plan(lengths: tuple[int, ...], traits: GraphTraits) -> Plan:
    """Plan the sums of all quotients of some lengths, sharing equal terms."""
    places: dict[Term, int] = {}
    parts: list[tuple[int, ...]] = []
    roots = tuple(
        _add(_eliminate(quotient, traits), places, parts)
        for length in lengths
        for quotient in basis(length, traits).quotients
    )
    released = _find_released(parts, set(roots))
    operations = map(Operation, places, parts, released)
    return Plan(tuple(operations), roots)


def _add(term: Term, places: dict[Term, int], parts: list[tuple[int, ...]]) -> int:
    """Add a term after its parts, unless it is in the plan, and return its place."""
    if term not in places:
        part_places = tuple(_add(part, places, parts) for part in term.parts)
        places[term] = len(places)
        parts.append(part_places)
    return places[term]


def _find_released(parts: list[tuple[int, ...]], roots: set[int]) -> list[tuple[int, ...]]:
    """Return for every operation the values that no later one needs."""
    last_use = {part: place for place, used in enumerate(parts) for part in used}
    released: list[list[int]] = [[] for _ in parts]
    for part, place in last_use.items():
        if part not in roots:
            released[place].append(part)
    return [tuple(places) for places in released]


def _eliminate(quotient: Quotient, traits: GraphTraits) -> VectorTerm:
    """Turn a quotient into a term for the vector over all nodes its root may be."""
    steps, visits = _leaf_terms(quotient, traits)
    vectors: list[VectorTerm] = [
        visit if visit != Visits(0, 0) else Ones() for visit in visits
    ]
    graph = _Elimination(dict(steps), vectors)
    alive = set(range(1, quotient.n_vertices))
    while alive:
        vertex = min(alive, key=graph.difficulty)
        if len(graph.neighbors(vertex)) > 2:
            if sorted(steps) != list(combinations(range(4), 2)):
                raise AssertionError(f"Only K4 has treewidth three, not {quotient}.")
            return K4(tuple(steps[pair] for pair in sorted(steps)), tuple(visits))
        graph.eliminate(vertex)
        alive.remove(vertex)
    return graph.vectors[0]


def _leaf_terms(
    quotient: Quotient, traits: GraphTraits
) -> tuple[dict[_Pair, Step], list[Visits]]:
    """Return the matrices of all edges and the vectors of all vertices."""
    symmetric = not traits.directed
    steps = {
        (a, b): Step(forward, 0 if symmetric else backward, symmetric)
        for a, b, forward, backward in quotient.edges
    }
    return steps, list(map(Visits, quotient.n_left, quotient.n_stayed))


@dataclass
class _Elimination:
    """A quotient while vertices are removed: matrices of pairs and vectors of vertices."""

    matrices: dict[_Pair, MatrixTerm]  # the smaller vertex of a pair comes first
    vectors: list[VectorTerm]

    def neighbors(self, vertex: int) -> list[int]:
        return [a if b == vertex else b for a, b in self.matrices if vertex in {a, b}]

    def difficulty(self, vertex: int) -> tuple[int, int, int, int]:
        """Order vertices: the terms of simple vertices are shared by more quotients."""
        matrices = [term for pair, term in self.matrices.items() if vertex in pair]
        size = sum(term.size for term in matrices)
        return len(matrices), self.vectors[vertex].size, size, vertex

    def eliminate(self, vertex: int) -> None:
        """Remove a vertex with one or two neighbors: sum over the nodes it may be."""
        neighbors = self.neighbors(vertex)
        matrices = [self._pop(neighbor, vertex) for neighbor in neighbors]
        if len(neighbors) == 1:
            (neighbor,) = neighbors
            reached = MatVec(matrices[0], self.vectors[vertex])
            self.vectors[neighbor] = Product.from_pair(self.vectors[neighbor], reached)
            return
        (first, second), (left, right) = neighbors, matrices
        term: MatrixTerm = MatDiagMat(left, self.vectors[vertex], right.transposed())
        if first > second:
            first, second, term = second, first, term.transposed()
        pair = (first, second)
        if pair in self.matrices:
            term = Hadamard.from_pair(self.matrices[pair], term)
        self.matrices[pair] = term

    def _pop(self, row: int, column: int) -> MatrixTerm:
        """Remove the matrix of a pair and return it with the vertex ``row`` as its rows."""
        if row < column:
            return self.matrices.pop((row, column))
        return self.matrices.pop((column, row)).transposed()
