"""Patterns: walks in which every node is replaced by the rank of its first visit."""

import itertools
from functools import lru_cache

import numpy as np

from gskn._limits import MAX_PATTERN_LENGTH
from gskn._offsets import running_total
from gskn._types import AnyArray, IndexArray
from gskn._validation import check_flag, check_int


def patterns(length: int, *, staying: bool = False) -> AnyArray:
    """List all patterns of walks that visit ``length`` nodes, in a fixed order.

    Parameters
    ----------
    length : int
        Number of nodes visited, including the start (the paper's *l*); at most 10.
    staying : bool, default=False
        Whether to include patterns with equal consecutive symbols, which occur only with
        self-loops and dead ends.

    Returns
    -------
    patterns : ndarray of shape (n_patterns, length)
        Symbols, starting at 0. Patterns without equal consecutive symbols come first, in
        lexicographic order: 1, 1, 2, 5, 15, 52, 203, 877 for lengths 1 to 8. With
        ``staying``, the others follow in the same order: 1, 2, 5, 15, 52, 203, 877, 4140
        in total.

    Examples
    --------
    >>> pattern_names(patterns(4))
    ['0-1-0-1', '0-1-0-2', '0-1-2-0', '0-1-2-1', '0-1-2-3']
    """
    length = check_int(length, "length", minimum=1, maximum=MAX_PATTERN_LENGTH)
    listed, n_moving = _all_patterns(length)
    return listed if check_flag(staying, "staying") else listed[:n_moving]


def pattern_names(patterns: AnyArray) -> list[str]:
    """Return the names of patterns.

    Parameters
    ----------
    patterns : ndarray of shape (n_patterns, length)
        Symbols, starting at 0.

    Returns
    -------
    names : list of str
        Symbols joined by hyphens.

    Examples
    --------
    >>> pattern_names(patterns(3))
    ['0-1-0', '0-1-2']
    """
    return ["-".join(map(str, pattern)) for pattern in patterns.tolist()]


def quotient(pattern: AnyArray) -> list[tuple[int, int]]:
    """Return the edges of the quotient of a pattern.

    Parameters
    ----------
    pattern : ndarray of shape (length,)
        Symbols, starting at 0.

    Returns
    -------
    edges : list of (int, int)
        Distinct pairs of consecutive symbols, sorted.

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
    """Return all patterns, and the number of those without equal consecutive symbols."""
    listed = np.zeros((1, 1), dtype=np.int8)
    for _ in range(length - 1):
        n_next = listed.max(axis=1).astype(np.int64) + 2  # any old symbol, or a new one
        symbols = np.concatenate([np.arange(count) for count in n_next])
        repeated = np.repeat(listed, n_next, axis=0)
        listed = np.column_stack([repeated, symbols.astype(np.int8)])
    stays = (listed[:, 1:] == listed[:, :-1]).any(axis=1)
    ordered = np.concatenate([listed[~stays], listed[stays]])
    ordered.flags.writeable = False
    return ordered, int((~stays).sum())


@lru_cache(maxsize=16)
def pattern_tree(length: int) -> tuple[IndexArray, IndexArray]:
    """Return the tree of all patterns of up to ``length`` symbols.

    States are patterns, numbered by length and then in the order of `patterns`. The first
    array holds the state of a pattern with one more symbol, for every state and symbol;
    the second one the first state of every length.
    """
    sizes = [len(patterns(k, staying=True)) for k in range(1, length)]
    first_states = running_total(np.array([0, *sizes]))
    children = np.zeros((int(first_states[-1]), length), dtype=np.int64)
    for size in range(1, length):
        shorter = {tuple(p): n for n, p in enumerate(patterns(size, staying=True).tolist())}
        for number, pattern in enumerate(patterns(size + 1, staying=True).tolist()):
            parent = first_states[size] + shorter[tuple(pattern[:-1])]
            children[parent, pattern[-1]] = first_states[size + 1] + number
    return children, first_states
