"""Möbius inversion: from walks that coincide at least as in a partition to one pattern.

Let ``hom_s(u)`` be the weight of all walks from ``u`` whose positions coincide *at least*
as in the partition ``s``. A partition of positions, written by the ranks of first visits,
is a pattern. The walks of exactly the pattern ``p`` have the weight

    inj_p = sum over s coarser than p of mu(p, s) hom_s,
    mu(p, s) = product over blocks B of s of (-1)^(b-1) (b-1)!,

where ``b`` is the number of blocks of ``p`` that ``B`` merges. ``hom_s`` depends only on
the quotient of ``s``, so partitions with equal quotients share one column.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np
from scipy.sparse import coo_array, csr_array

from gskn._types import AnyArray
from gskn.walks._patterns import patterns
from gskn.walks._quotients import GraphTraits, Quotient, make_quotient


@dataclass(frozen=True)
class Basis:
    """Quotients of all partitions of one length, and the signed sums that use them."""

    patterns: AnyArray
    quotients: tuple[Quotient, ...]
    signs: csr_array  # n_patterns x n_quotients


@lru_cache(maxsize=64)
def basis(length: int, traits: GraphTraits) -> Basis:
    """Return the distinct quotients of a length, and the patterns as sums over them."""
    listed = patterns(length, staying=traits.staying)
    numbers: dict[Quotient, int] = {}
    number_of = np.array(
        [
            numbers.setdefault(make_quotient(pattern, traits), len(numbers))
            for pattern in listed.tolist()
        ]
    )
    codes = _encode(listed)
    order = np.argsort(codes)
    rows, columns, values = [], [], []
    for row, pattern in enumerate(listed):
        merged, signs = _coarsenings(int(pattern.max()) + 1)
        partitions = merged[:, pattern]
        if not traits.staying:
            moves = (partitions[:, 1:] != partitions[:, :-1]).all(axis=1)
            partitions, signs = partitions[moves], signs[moves]
        places = order[np.searchsorted(codes, _encode(partitions), sorter=order)]
        rows.append(np.full(len(places), row))
        columns.append(number_of[places])
        values.append(signs)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    signs = coo_array(entries, shape=(len(listed), len(numbers))).tocsr()
    signs.eliminate_zeros()
    return Basis(listed, tuple(numbers), signs)


def _encode(partitions: AnyArray) -> AnyArray:
    """Return partitions as numbers, for searching."""
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
