"""Patterns: walks in which every node is replaced by the rank of its first visit."""

import itertools
from functools import lru_cache

import numpy as np

from gskn._types import AnyArray
from gskn._validation import check_flag, check_int

MAX_PATTERN_LENGTH = 10  # which has 115,975 patterns; every node has a row of them


def patterns(length: int, *, staying: bool = False) -> AnyArray:
    """List all patterns of walks that visit ``length`` nodes, in a fixed order.

    Parameters
    ----------
    length : int
        Nodes visited, the start included (the paper's *l*); at most 10.
    staying : bool, default=False
        Whether to list also the patterns of walks that stay where they are for a step,
        which only self-loops and dead ends allow.

    Returns
    -------
    patterns : ndarray of shape (n_patterns, length)
        Symbols count from 0. Patterns that never stay come first, in the order of
        dictionaries: 1, 1, 2, 5, 15, 52, 203, 877 for lengths 1 to 8; then, with
        ``staying``, the others in the same order: 1, 2, 5, 15, 52, 203, 877, 4140 in all.

    Examples
    --------
    >>> pattern_names(patterns(4))
    ['0-1-0-1', '0-1-0-2', '0-1-2-0', '0-1-2-1', '0-1-2-3']
    """
    length = check_int(length, "length", minimum=1, maximum=MAX_PATTERN_LENGTH)
    listed, n_moving = _all_patterns(length)
    return listed if check_flag(staying, "staying") else listed[:n_moving]


def pattern_names(patterns: AnyArray) -> list[str]:
    """Write patterns as "0-1-2-0"."""
    return ["-".join(map(str, pattern)) for pattern in patterns.tolist()]


def quotient(pattern: AnyArray) -> list[tuple[int, int]]:
    """Return the graph a pattern draws: the distinct pairs of symbols it steps between.

    Examples
    --------
    >>> quotient(np.array([0, 1, 2, 0, 1]))
    [(0, 1), (0, 2), (1, 2)]
    """
    symbols = np.asarray(pattern).tolist()
    steps = itertools.pairwise(symbols)
    return sorted({(min(step), max(step)) for step in steps})


@lru_cache(maxsize=MAX_PATTERN_LENGTH)
def _all_patterns(length: int) -> tuple[AnyArray, int]:
    """Grow all patterns symbol by symbol; those that never stay first."""
    grown = np.zeros((1, 1), dtype=np.int8)
    for _ in range(length - 1):
        n_next = grown.max(axis=1).astype(np.int64) + 2  # any known symbol, or a new one
        symbols = np.concatenate([np.arange(count) for count in n_next])
        grown = np.column_stack([np.repeat(grown, n_next, axis=0), symbols.astype(np.int8)])
    stays = (grown[:, 1:] == grown[:, :-1]).any(axis=1)
    listed = np.concatenate([grown[~stays], grown[stays]])
    listed.flags.writeable = False
    return listed, int((~stays).sum())
