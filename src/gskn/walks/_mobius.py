"""From walks that agree at least as a partition says to walks of exactly one pattern.

Let ``hom_s(u)`` be the weight of all walks from ``u`` whose positions agree *at least*
as the partition ``s`` says. A partition of positions, written by the ranks of first
visits, is a pattern. Walks of exactly the pattern ``p`` are, by Möbius inversion,

    inj_p = sum over s coarser than p of mu(p, s) hom_s,
    mu(p, s) = product over blocks B of s of (-1)^(b-1) (b-1)!,

where ``b`` is the number of blocks of ``p`` that ``B`` merges. ``hom_s`` depends only on
the quotient that ``s`` draws, so partitions with equal quotients share one column.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations, product
from math import factorial
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from gskn._types import AnyArray
from gskn.walks._patterns import patterns


@dataclass(frozen=True)
class Quotient:
    """A rooted multigraph: vertex 0 is the start of the walk.

    ``edges`` maps a pair ``a < b`` to how often steps go from ``a`` to ``b`` and back;
    ``leaves`` says how often a vertex is left, ``stays`` how often a step stays there.
    """

    n_vertices: int
    edges: tuple[tuple[int, int, int, int], ...]
    leaves: tuple[int, ...]
    stays: tuple[int, ...]


@dataclass(frozen=True)
class Basis:
    """Quotients of all partitions of one length, and the signed sums that use them."""

    patterns: AnyArray
    quotients: tuple[Quotient, ...]
    signs: csr_array  # n_patterns x n_quotients


@dataclass(frozen=True)
class Kind:
    """What may be forgotten about a quotient on graphs of this kind."""

    weighted: bool  # steps are chances; else a step used twice counts once
    directed: bool  # else steps there and back are the same
    staying: bool  # self-loops or dead ends
    probability: bool  # else how often a vertex is left does not matter


@lru_cache(maxsize=64)
def basis(length: int, kind: Kind) -> Basis:
    """Find the distinct quotients of a length, and how patterns are sums over them."""
    listed = patterns(length, staying=kind.staying)
    numbers: dict[Quotient, int] = {}
    number_of = np.array(
        [
            numbers.setdefault(_canonical(_draw(p, kind)), len(numbers))
            for p in listed.tolist()
        ]
    )
    codes = _encode(listed)
    order = np.argsort(codes)
    rows, columns, values = [], [], []
    for row, pattern in enumerate(listed):
        merged, signs = _coarsenings(int(pattern.max()) + 1)
        partitions = merged[:, pattern]
        if not kind.staying:
            moves = (partitions[:, 1:] != partitions[:, :-1]).all(axis=1)
            partitions, signs = partitions[moves], signs[moves]
        found = order[np.searchsorted(codes, _encode(partitions), sorter=order)]
        rows.append(np.full(len(found), row))
        columns.append(number_of[found])
        values.append(signs)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    signs = coo_array(entries, shape=(len(listed), len(numbers))).tocsr()
    signs.eliminate_zeros()
    return Basis(listed, tuple(numbers), signs)


def _encode(partitions: AnyArray) -> AnyArray:
    """Write partitions as numbers, for searching."""
    powers = 16 ** np.arange(partitions.shape[1], dtype=np.int64)
    return partitions.astype(np.int64) @ powers


@lru_cache(maxsize=16)
def _coarsenings(n_blocks: int) -> tuple[AnyArray, AnyArray]:
    """Return all ways to merge blocks, and their Möbius signs."""
    merged = patterns(n_blocks, staying=True)
    sizes = (merged[:, :, None] == np.arange(n_blocks)).sum(axis=1)
    weights = np.array(
        [1.0] + [(-1) ** (b - 1) * factorial(b - 1) for b in range(1, n_blocks + 1)]
    )
    return merged, weights[sizes].prod(axis=1)


def _draw(pattern: list[int], kind: Kind) -> Quotient:
    """Draw the quotient of a pattern, as far as graphs of this kind can tell."""
    n_vertices = max(pattern) + 1
    leaves, stays = [0] * n_vertices, [0] * n_vertices
    edges: dict[tuple[int, int], list[int]] = {}
    for a, b in pairwise(pattern):
        leaves[a] += 1
        if a == b:
            stays[a] += 1
        else:
            edges.setdefault((min(a, b), max(a, b)), [0, 0])[int(a > b)] += 1
    simple = [(a, b, *_forget(counts, kind)) for (a, b), counts in sorted(edges.items())]
    if not kind.weighted:
        stays = [min(count, 1) for count in stays]
    if not kind.probability or kind.weighted:  # weighted steps are chances already
        leaves = [0] * n_vertices
    return Quotient(n_vertices, tuple(simple), tuple(leaves), tuple(stays))


def _forget(counts: list[int], kind: Kind) -> tuple[int, int]:
    # Where there and back are the same, both numbers say how often the edge is used.
    there, back = counts if kind.directed else (sum(counts), sum(counts))
    return (there, back) if kind.weighted else (min(there, 1), min(back, 1))


def _canonical(quotient: Quotient) -> Quotient:
    """Rename the vertices but the root, so that equal quotients become the same."""
    colours = _refine(quotient)
    groups: dict[int, list[int]] = {}
    for vertex in range(1, quotient.n_vertices):
        groups.setdefault(colours[vertex], []).append(vertex)
    best: tuple[Any, ...] | None = None
    choice = quotient
    for arranged in product(*(permutations(groups[colour]) for colour in sorted(groups))):
        renamed = _rename(
            quotient, [0, *(vertex for group in arranged for vertex in group)]
        )
        key = (renamed.edges, renamed.leaves, renamed.stays)
        if best is None or key < best:
            best, choice = key, renamed
    return choice


def _refine(quotient: Quotient) -> list[int]:
    """Colour vertices by what they are and by their neighbours, a few times over."""
    around: list[list[tuple[int, int, int]]] = [[] for _ in range(quotient.n_vertices)]
    for a, b, there, back in quotient.edges:
        around[a].append((b, there, back))
        around[b].append((a, back, there))
    seen: list[Any] = [
        (vertex != 0, quotient.leaves[vertex], quotient.stays[vertex])
        for vertex in range(quotient.n_vertices)
    ]
    colours = _rank(seen)
    for _ in range(quotient.n_vertices):
        seen = [
            (
                colours[v],
                tuple(sorted((colours[w], there, back) for w, there, back in around[v])),
            )
            for v in range(quotient.n_vertices)
        ]
        colours = _rank(seen)
    return colours


def _rank(values: list[Any]) -> list[int]:
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [ranks[value] for value in values]


def _rename(quotient: Quotient, order: list[int]) -> Quotient:
    place = {vertex: position for position, vertex in enumerate(order)}
    edges = []
    for a, b, there, back in quotient.edges:
        first, second = place[a], place[b]
        edges.append(
            (first, second, there, back) if first < second else (second, first, back, there)
        )
    return Quotient(
        quotient.n_vertices,
        tuple(sorted(edges)),
        tuple(quotient.leaves[vertex] for vertex in order),
        tuple(quotient.stays[vertex] for vertex in order),
    )
