"""Offsets of consecutive blocks in an array, from their sizes."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gskn._types import AnyArray, IndexArray


def running_total(counts: Any) -> IndexArray:
    """Return the offsets of consecutive blocks: zero, then the cumulative sums."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def ranges(first: IndexArray, counts: IndexArray) -> IndexArray:
    """Concatenate ``arange(f, f + c)`` for every pair, without a loop."""
    shift = np.repeat(first - running_total(counts)[:-1], counts)
    return np.arange(len(shift)) + shift


def positions_within(sizes: Sequence[int] | AnyArray) -> IndexArray:
    """Count from 0 within every block of the given sizes."""
    return ranges(np.zeros(len(sizes), dtype=np.int64), np.asarray(sizes, dtype=np.int64))


def runs_of_graphs(graph_ptr: IndexArray, n_nodes: int) -> list[slice]:
    """Split graphs into runs of at most ``n_nodes`` nodes, or of one larger graph."""
    cuts = [0]
    while cuts[-1] < len(graph_ptr) - 1:
        room = graph_ptr[cuts[-1]] + n_nodes
        end = int(np.searchsorted(graph_ptr, room, side="right")) - 1
        cuts.append(max(end, cuts[-1] + 1))
    return [slice(a, b) for a, b in itertools.pairwise(cuts)]
