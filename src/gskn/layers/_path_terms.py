"""Sums over paths as signed sums over walks, generated from the partition lattice.

A walk visits positions 0, 1, ..., and a partition of the positions groups those that are
the same node. The sum over paths is the sum over all partitions of
``prod((-1)^(k - 1) (k - 1)!)``, k the sizes of the blocks, times the sum over all walks
that agree with the partition (Möbius inversion, see ``docs/theory/paths.md``). Without
loops, consecutive positions are never the same node.

The walks of a partition are the maps of a small graph, its quotient, into the graph. With
at most five nodes a quotient consists of edges, triangles and cycles of four that share
nodes like the parts of a tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import factorial, prod
from typing import TypeAlias

MAX_SIGNED_LENGTH = 5  # quotients of longer walks have other parts, such as two cycles

Positions: TypeAlias = tuple[int, ...]
_Graph: TypeAlias = dict[Positions, set[Positions]]


@dataclass(frozen=True, order=True)
class Triangle:
    """A triangle through a node; ``first`` and ``second`` are its other nodes."""

    first: Positions
    second: Positions


@dataclass(frozen=True, order=True)
class Cycle:
    """A cycle of four nodes through a node, with its two neighbors and the opposite."""

    first: Positions
    second: Positions
    opposite: Positions


@dataclass(frozen=True)
class Place:
    """A node of a quotient: the positions that it stands for, and what hangs on it.

    ``steps`` are the places one step further, ``cycles`` the triangles and cycles of four
    through this node.
    """

    positions: Positions
    steps: tuple["Place", ...] = ()
    cycles: tuple[Triangle | Cycle, ...] = ()

    @property
    def all_cycles(self) -> frozenset[Triangle | Cycle]:
        """Triangles and cycles of this place and of all places behind it."""
        return frozenset(self.cycles).union(*(step.all_cycles for step in self.steps))


@dataclass(frozen=True)
class Term:
    """A quotient seen from the start of the walks, and the factor of its sum."""

    sign: int
    place: Place


@cache
def path_terms(length: int) -> tuple[Term, ...]:
    """Return the terms whose signed sum is the sum over paths of ``length`` nodes.

    Position 0 is left out of the positions of the first place.
    """
    return tuple(
        Term(
            prod((-1) ** (len(block) - 1) * factorial(len(block) - 1) for block in blocks),
            _as_place(blocks),
        )
        for blocks in _partitions(length)
    )


def _partitions(length: int) -> Iterator[list[Positions]]:
    """Yield the partitions in which no two consecutive positions share a block."""

    def extend(position: int, blocks: list[Positions]) -> Iterator[list[Positions]]:
        if position == length:
            yield blocks
            return
        for number, block in enumerate(blocks):
            if block[-1] != position - 1:
                longer = (*block, position)
                yield from extend(
                    position + 1, [*blocks[:number], longer, *blocks[number + 1 :]]
                )
        yield from extend(position + 1, [*blocks, (position,)])

    return extend(1, [(0,)])


def _as_place(blocks: list[Positions]) -> Place:
    block_of = {position: block for block in blocks for position in block}
    graph: _Graph = {block: set() for block in blocks}
    for position in range(1, len(block_of)):
        one, other = block_of[position - 1], block_of[position]
        graph[one].add(other)
        graph[other].add(one)
    root = _place(graph, blocks[0])
    return Place(root.positions[1:], root.steps, root.cycles)


def _place(graph: _Graph, block: Positions) -> Place:
    """Describe what is reached from a block, which is the only way to it."""
    steps, cycles = [], []
    rest = {other: graph[other] - {block} for other in graph if other != block}
    for component in _components(rest, graph[block]):
        inside = {other: rest[other] for other in component}
        near = sorted(graph[block] & component)
        if len(near) == 1:
            steps.append(_place(inside, near[0]))
        else:
            cycles.append(_cycle(inside, near))
    return Place(block, tuple(steps), tuple(cycles))


def _components(graph: _Graph, starts: set[Positions]) -> list[set[Positions]]:
    """Return the connected components that hold a start."""
    components: list[set[Positions]] = []
    for start in sorted(starts):
        if any(start in component for component in components):
            continue
        component, waiting = {start}, [start]
        while waiting:
            new = graph[waiting.pop()] - component
            component |= new
            waiting += new
        components.append(component)
    return components


def _cycle(component: _Graph, near: list[Positions]) -> Triangle | Cycle:
    """Describe a component with two neighbors of a node, and at most one more block."""
    first, second = near
    if len(component) == 2:
        return Triangle(first, second)
    (opposite,) = set(component) - set(near)
    return Cycle(first, second, opposite)


def all_cycles(length: int) -> tuple[list[Triangle], list[Cycle]]:
    """Return the triangles and the cycles of four that the terms need."""
    cycles = sorted(
        frozenset().union(*(term.place.all_cycles for term in path_terms(length))),
        key=repr,
    )
    triangles = [cycle for cycle in cycles if isinstance(cycle, Triangle)]
    return triangles, [cycle for cycle in cycles if isinstance(cycle, Cycle)]


def shared_ends(triangles: list[Triangle], cycles: list[Cycle]) -> list[Positions]:
    """Choose few blocks such that every triangle has one of them.

    The neighbors of the start in a cycle of four come first.
    """
    chosen = [end for cycle in cycles for end in (cycle.first, cycle.second)]
    waiting = [t for t in triangles if t.first not in chosen and t.second not in chosen]
    ends = sorted({end for t in waiting for end in (t.first, t.second)})
    for size in range(len(ends) + 1):
        for some in combinations(ends, size):
            if all(t.first in some or t.second in some for t in waiting):
                return [*chosen, *some]
    return chosen
