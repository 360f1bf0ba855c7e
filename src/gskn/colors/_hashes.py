"""Colors as hashes that are equal across graphs, calls and processes.

A color is one 64-bit hash or, if collisions must not happen, two independent ones: arrays
of 64-bit integers of shape (n,) or (2, n). If `mix` is replaced by a random function, n
distinct colors of one hash collide with probability below n^2 / 2^65: one in a million for
five million colors. Of two hashes, they collide with probability below n^2 / 2^129.

The hash of a multiset is a sum modulo 2^64. If the numbers in which two multisets of at
most d colors differ are divisible by 2^k, at most d, their sums are equal with probability
2^k / 2^64. Two hashes of n distinct pairs of a color and a multiset collide with
probability below n^2 (d + 1)^2 / 2^129.
"""

import hashlib
from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gskn._types import IndexArray

Hashes: TypeAlias = NDArray[np.uint64]

LANES = 2  # independent hashes of a color
# First digits of the fractions of the square roots of 2 and 3.
_SALTS = np.array([0x6A09E667F3BCC908, 0xBB67AE8584CAA73B], dtype=np.uint64)


def mix(values: Hashes) -> Hashes:
    """Return hashes of 64-bit numbers (the finalizer of splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hash_value(value: Hashable, lane: int = 0) -> int:
    """Return a 64-bit hash of a label, the same in every process.

    Equal values have equal hashes: 1, 1.0 and True.
    """
    text = _canonical(value).encode()
    digest = hashlib.blake2b(text, digest_size=8, salt=bytes([lane])).digest()
    return int.from_bytes(digest, "little")


def hash_values(values: Iterable[Hashable]) -> Hashes:
    """Return two hashes of every value, as an array of shape (2, n_values)."""
    listed = list(values)
    hashes = [[hash_value(value, lane) for value in listed] for lane in range(LANES)]
    # Without the dtype numpy may convert 64-bit integers to floats of 53 bits.
    return np.array(hashes, dtype=np.uint64)


def hash_rows(rows: Any) -> Hashes:
    """Return two hashes of every row of a matrix of numbers, dense or sparse."""
    matrix = csr_array(rows, dtype=np.float64, copy=True)
    matrix.eliminate_zeros()
    bits = matrix.data.view(np.uint64)
    columns = mix(matrix.indices.astype(np.uint64))
    return np.stack(
        [mix(_row_sums(matrix, mix(mix(bits ^ salt) + columns)) ^ salt) for salt in _SALTS]
    )


def ranks(hashes: Hashes) -> IndexArray:
    """Return the rank of every color among the distinct ones, given two hashes of each."""
    first, second = hashes
    order = np.argsort(first, kind="stable")
    is_new = first[order][1:] != first[order][:-1]
    if (second[order][1:] != second[order][:-1])[~is_new].any():
        order = np.lexsort((second, first))
        is_new = (hashes[:, order][:, 1:] != hashes[:, order][:, :-1]).any(axis=0)
    ranked = np.empty(len(first), dtype=np.int64)
    ranked[order[:1]] = 0
    ranked[order[1:]] = np.cumsum(is_new)
    return ranked


def _row_sums(matrix: csr_array, values: Hashes) -> Hashes:
    """Return the sum of the values of every row, modulo 2^64."""
    entries = csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
    sums: Hashes = entries @ np.ones(matrix.shape[1], dtype=np.uint64)
    return sums


def _canonical(value: Hashable) -> str:
    """Return a string that is equal for equal values."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | float) and value == value // 1:
        value = int(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_canonical, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_canonical, value)))}}}"
    return repr(value)
