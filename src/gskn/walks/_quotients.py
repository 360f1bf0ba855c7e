"""Quotients: the small graphs that walks with given coincidences are maps of.

The quotient of a pattern has the symbols of the pattern as vertices and its steps as edges.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import Any


@dataclass(frozen=True)
class GraphTraits:
    """Properties of graphs that decide which quotients have equal sums."""

    weighted: bool  # matrices hold probabilities; else an edge used twice counts once
    directed: bool  # else both directions of an edge are the same
    staying: bool  # the graph has self-loops or dead ends
    probability: bool  # else the number of steps that leave a vertex does not matter


def plain_traits(*, probability: bool) -> GraphTraits:
    """Return the traits of undirected graphs without weights, self-loops and dead ends."""
    return GraphTraits(
        weighted=False, directed=False, staying=False, probability=probability
    )


@dataclass(frozen=True)
class Quotient:
    """A rooted multigraph. Vertex 0, the root, is the start of the walk.

    Attributes
    ----------
    n_vertices : int
        Number of vertices.
    edges : tuple of (int, int, int, int)
        Vertices a < b, the number of steps from a to b, and from b to a.
    n_left, n_stayed : tuple of int
        For every vertex, the number of steps from it, and from it to itself.
    """

    n_vertices: int
    edges: tuple[tuple[int, int, int, int], ...]
    n_left: tuple[int, ...]
    n_stayed: tuple[int, ...]


def make_quotient(
    pattern: list[int], traits: GraphTraits, extra: Iterable[tuple[int, int]] = ()
) -> Quotient:
    """Return the quotient of a pattern; quotients with equal sums are equal.

    ``extra`` are edges a < b that the walk does not use, of an induced pattern.
    """
    n_vertices = max(pattern) + 1
    n_left, n_stayed = [0] * n_vertices, [0] * n_vertices
    edges: dict[tuple[int, int], list[int]] = {pair: [1, 1] for pair in extra}
    for a, b in pairwise(pattern):
        n_left[a] += 1
        if a == b:
            n_stayed[a] += 1
        else:
            edges.setdefault((min(a, b), max(a, b)), [0, 0])[int(a > b)] += 1
    simple = [
        (a, b, *_simplify(counts, traits)) for (a, b), counts in sorted(edges.items())
    ]
    if not traits.weighted:
        n_stayed = [min(count, 1) for count in n_stayed]
    if not traits.probability or traits.weighted:  # weighted steps are probabilities
        n_left = [0] * n_vertices
    return _canonical(Quotient(n_vertices, tuple(simple), tuple(n_left), tuple(n_stayed)))


def _simplify(counts: list[int], traits: GraphTraits) -> tuple[int, int]:
    """Return how often an edge is used forward and backward, as far as it matters."""
    # Both numbers are the total if the directions are the same.
    forward, backward = counts if traits.directed else (sum(counts), sum(counts))
    return (forward, backward) if traits.weighted else (min(forward, 1), min(backward, 1))


def _canonical(quotient: Quotient) -> Quotient:
    """Rename the vertices except the root, so that isomorphic quotients are equal."""
    colors = _refine(quotient)
    groups: dict[int, list[int]] = {}
    for vertex in range(1, quotient.n_vertices):
        groups.setdefault(colors[vertex], []).append(vertex)
    best: tuple[Any, ...] | None = None
    choice = quotient
    for arranged in product(*(permutations(groups[color]) for color in sorted(groups))):
        renamed = _rename(
            quotient, [0, *(vertex for group in arranged for vertex in group)]
        )
        key = (renamed.edges, renamed.n_left, renamed.n_stayed)
        if best is None or key < best:
            best, choice = key, renamed
    return choice


def _refine(quotient: Quotient) -> list[int]:
    """Return the colors of all vertices after rounds of color refinement."""
    neighbors: list[list[tuple[int, int, int]]] = [[] for _ in range(quotient.n_vertices)]
    for a, b, forward, backward in quotient.edges:
        neighbors[a].append((b, forward, backward))
        neighbors[b].append((a, backward, forward))
    signatures: list[Any] = [
        (vertex != 0, quotient.n_left[vertex], quotient.n_stayed[vertex])
        for vertex in range(quotient.n_vertices)
    ]
    colors = _rank(signatures)
    for _ in range(quotient.n_vertices):
        signatures = [
            (
                colors[vertex],
                tuple(
                    sorted(
                        (colors[other], forward, backward)
                        for other, forward, backward in neighbors[vertex]
                    )
                ),
            )
            for vertex in range(quotient.n_vertices)
        ]
        colors = _rank(signatures)
    return colors


def _rank(values: list[Any]) -> list[int]:
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [ranks[value] for value in values]


def _rename(quotient: Quotient, order: list[int]) -> Quotient:
    """Return the quotient whose vertex ``i`` is vertex ``order[i]``."""
    place = {vertex: position for position, vertex in enumerate(order)}
    edges = []
    for a, b, forward, backward in quotient.edges:
        first, second = place[a], place[b]
        if first < second:
            edges.append((first, second, forward, backward))
        else:
            edges.append((second, first, backward, forward))
    return Quotient(
        quotient.n_vertices,
        tuple(sorted(edges)),
        tuple(quotient.n_left[vertex] for vertex in order),
        tuple(quotient.n_stayed[vertex] for vertex in order),
    )
