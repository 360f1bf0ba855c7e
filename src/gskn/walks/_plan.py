"""How to sum over all maps of a quotient: vertices are eliminated one by one.

Eliminating a vertex with one neighbour is a matrix times a vector, with two neighbours
a matrix product. Terms are tuples, so equal parts of different quotients are the same
term and are computed once:

    ("step", p, q)         W^p * (W^T)^q, elementwise; the matrix of one edge
    ("times", X, v, Y)     X diag(v) Y
    ("both", X, Y)         X * Y, elementwise
    ("visits", p, q)       d^-p * diag(W)^q; the vector of one vertex
    ("reach", X, v)        X v
    ("join", v, w)         v * w
    ("four", steps, visits)  the complete graph on the root and three others

The vector None is all ones. Up to length 7 every quotient has treewidth at most two;
at length 8 the one exception is the complete graph on four vertices.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from gskn.walks._mobius import Kind, Quotient, basis

if TYPE_CHECKING:
    from collections.abc import Sequence

Term: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Plan:
    """Terms in the order of computation, their number of uses, and what is asked for."""

    order: tuple[Term, ...]
    parts: tuple[tuple[Term, ...], ...]  # of every term in that order
    n_uses: dict[Term, int]
    roots: tuple[Term | None, ...]

    def count(self, kind: str) -> int:
        """Count the terms of a kind."""
        return sum(term[0] == kind for term in self.order)


@lru_cache(maxsize=64)
def make_plan(lengths: tuple[int, ...], kind: Kind) -> Plan:
    """Plan the sums of all quotients of some lengths, sharing what they have in common."""
    roots = tuple(
        _eliminate(quotient, kind)
        for length in lengths
        for quotient in basis(length, kind).quotients
    )
    order: list[Term] = []
    n_uses: Counter[Term] = Counter()
    for root in roots:
        if root is not None:
            _visit(root, order, n_uses)
    return Plan(tuple(order), tuple(map(_parts, order)), dict(n_uses), roots)


def _parts(term: Term) -> tuple[Term, ...]:
    """Return the terms that a term is made of."""
    if term[0] == "four":
        return (*term[1], *term[2])
    return tuple(part for part in term[1:] if isinstance(part, tuple))


def transpose(term: Term, kind: Kind) -> Term:
    """Write the transposed matrix as a term of its own."""
    if term[0] == "step":
        return ("step", term[2], term[1]) if kind.directed else term
    if term[0] == "both":
        return _both(transpose(term[1], kind), transpose(term[2], kind))
    return ("times", transpose(term[3], kind), term[2], transpose(term[1], kind))


def _visit(term: Term, order: list[Term], n_uses: Counter[Term]) -> None:
    n_uses[term] += 1
    if n_uses[term] > 1:
        return
    for part in _parts(term):
        _visit(part, order, n_uses)
    order.append(term)


def _eliminate(quotient: Quotient, kind: Kind) -> Term | None:
    """Turn a quotient into a term for the vector over all nodes its root may be."""
    steps = {
        (a, b): ("step", there, back if kind.directed else 0)
        for a, b, there, back in quotient.edges
    }
    visits: dict[int, Term | None] = {}
    for vertex, (left, stayed) in enumerate(
        zip(quotient.leaves, quotient.stays, strict=True)
    ):
        visits[vertex] = ("visits", left, stayed) if left or stayed else None
    alive = set(range(1, quotient.n_vertices))
    while alive:
        around = {v: [pair for pair in steps if v in pair] for v in alive}
        # Simple vertices first: what they leave behind is shared by more quotients.
        vertex = min(alive, key=lambda v: _difficulty(v, around[v], steps, visits))
        pairs = around[vertex]
        if len(pairs) > 2:
            return _complete_four(steps, visits)
        ends = [a if b == vertex else b for a, b in pairs]
        matrices = [
            _oriented(steps.pop(pair), pair, end, kind)
            for pair, end in zip(pairs, ends, strict=True)
        ]
        alive.remove(vertex)
        if len(pairs) == 1:
            reach: Term = ("reach", matrices[0], visits[vertex])
            visits[ends[0]] = _join(visits[ends[0]], reach)
            continue
        (first, second), (left_matrix, right_matrix) = ends, matrices
        term: Term = ("times", left_matrix, visits[vertex], transpose(right_matrix, kind))
        if first > second:
            first, second, term = second, first, transpose(term, kind)
        pair = (first, second)
        steps[pair] = _both(steps[pair], term) if pair in steps else term
    return visits[0]


def _difficulty(
    vertex: int,
    pairs: list[tuple[int, int]],
    steps: dict[tuple[int, int], Term],
    visits: dict[int, Term | None],
) -> tuple[int, int, int, int]:
    weight = len(repr(visits[vertex])) if visits[vertex] else 0
    return len(pairs), weight, sum(len(repr(steps[pair])) for pair in pairs), vertex


def _oriented(term: Term, pair: tuple[int, int], row: int, kind: Kind) -> Term:
    """Return the matrix of a pair with the vertex ``row`` as its rows."""
    return term if pair[0] == row else transpose(term, kind)


def _both(first: Term, second: Term) -> Term:
    return ("both", *sorted((first, second), key=repr))


def _join(first: Term | None, second: Term | None) -> Term | None:
    if first is None or second is None:
        return first or second
    return ("join", *sorted((first, second), key=repr))


def _complete_four(
    steps: dict[tuple[int, int], Term], visits: dict[int, Term | None]
) -> Term:
    """Keep the complete graph on four vertices whole; nothing else has treewidth three."""
    order: Sequence[tuple[int, int]] = sorted(steps)
    vertices = sorted({vertex for pair in order for vertex in pair})
    if len(vertices) != 4 or len(order) != 6:
        raise AssertionError(
            f"no other quotient up to length 8 has treewidth three: {order}"
        )
    return (
        "four",
        tuple(steps[pair] for pair in order),
        tuple(visits[vertex] or ("visits", 0, 0) for vertex in vertices),
    )
