"""All induced patterns of undirected graphs without self-loops, as fixed columns."""

import itertools
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.walks._patterns import patterns
from gskn.walks._quotients import Quotient, make_quotient, plain_traits
from gskn.walks._table import PatternTable

_Arcs: TypeAlias = list[tuple[int, int]]


@lru_cache(maxsize=8)
def induced_patterns(length: int) -> tuple[AnyArray, list[_Arcs]]:
    """Return all induced patterns and their arcs, in a fixed order.

    Patterns without equal consecutive symbols only, and both arcs of every edge.
    """
    symbols, arcs = [], []
    for pattern in patterns(length).tolist():
        walked = _walked(pattern)
        pairs = itertools.combinations(range(max(pattern) + 1), 2)
        unused = [pair for pair in pairs if pair not in walked]
        for chosen in itertools.product((False, True), repeat=len(unused)):
            edges = walked | set(itertools.compress(unused, chosen))
            symbols.append(pattern)
            arcs.append(sorted([*edges, *((b, a) for a, b in edges)]))
    return np.array(symbols, dtype=np.int8), arcs


@lru_cache(maxsize=16)
def distinct_induced(length: int, *, probability: bool) -> IndexArray:
    """Return the columns of `induced_patterns` without those equal to an earlier one.

    Two columns are equal in all graphs without weights if the visited nodes induce the same
    rooted graph and, for probabilities, the walks leave its vertices equally often.
    """
    traits = plain_traits(probability=probability)
    first: dict[Quotient, int] = {}
    symbols, arcs = induced_patterns(length)
    for column, (pattern, pairs) in enumerate(zip(symbols.tolist(), arcs, strict=True)):
        extra = [(a, b) for a, b in pairs if a < b and (a, b) not in _walked(pattern)]
        first.setdefault(make_quotient(pattern, traits, extra), column)
    return np.array(list(first.values()))


def induced_columns(table: PatternTable) -> FloatArray:
    """Return the rows of a table of induced patterns, with a column for all patterns.

    Walks that stay at a node are dropped.
    """
    symbols, arcs = induced_patterns(table.length)
    numbers = {key: column for column, key in enumerate(_keys(symbols, arcs))}
    columns = [numbers.get(key, -1) for key in _keys(table.patterns, table.arcs or [])]
    rows = np.zeros((table.rows.shape[0], len(arcs) + 1))  # column -1 is dropped
    rows[:, columns] = table.rows.toarray()
    return rows[:, :-1]


def _keys(symbols: AnyArray, arcs: list[_Arcs]) -> list[tuple[object, object]]:
    """Return the induced patterns as hashable values."""
    pairs = zip(symbols.tolist(), arcs, strict=True)
    return [(tuple(pattern), tuple(edges)) for pattern, edges in pairs]


def _walked(pattern: list[int]) -> set[tuple[int, int]]:
    """Return the edges that a walk uses."""
    return {(min(step), max(step)) for step in itertools.pairwise(pattern)}
