"""Signed sums over quotients: the rows of patterns as a sparse matrix."""

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._loops import CsrArrays
from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.walks._jit_signed import fill_signed_rows
from gskn.walks._mobius import basis
from gskn.walks._quotients import GraphTraits

_LARGEST_COUNT = 2.0**53
_BUFFER_CELLS = 2**20
# Rounding error of a signed sum, relative to the sum of absolute values.
_NOISE = 64 * float(np.finfo(np.float64).eps)


def signed_rows(
    sums: FloatArray, length: int, traits: GraphTraits, *, exact_counts: bool
) -> csr_array:
    """Return the signed sum of every node and pattern; rounding errors are dropped.

    ``sums`` has one row for every quotient and one column for every node.
    """
    signs = basis(length, traits).signs
    n_patterns, n_rows = signs.shape[0], sums.shape[1]
    sign_arrays = CsrArrays(
        signs.indptr.astype(np.int64), signs.indices.astype(np.int32), signs.data
    )
    noise = _NOISE if traits.probability else 0.0
    block_rows = max(64, _BUFFER_CELLS // n_patterns)
    indices, data = np.empty(0, dtype=np.int32), np.empty(0)
    blocks = []
    for start in range(0, max(n_rows, 1), block_rows):
        n_taken = min(block_rows, n_rows - start)
        if len(data) < n_taken * n_patterns:
            indices = np.empty(n_taken * n_patterns, dtype=np.int32)
            data = np.empty(n_taken * n_patterns)
        rows = CsrArrays(np.empty(n_taken + 1, dtype=np.int64), indices, data)
        largest = fill_signed_rows(sign_arrays, sums, start, noise, rows)
        if exact_counts and not traits.probability and largest >= _LARGEST_COUNT:
            raise InputError(
                f"Counts of length {length} exceed 2^53 and are not exact; use "
                "weighting='probability', or accept rounding with exact_counts=False."
            )
        blocks.append(_copy_csr(rows, (n_taken, n_patterns)))
    return vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]


def _copy_csr(rows: CsrArrays, shape: tuple[int, int]) -> csr_array:
    """Copy the filled part of CSR arrays that are larger than needed."""
    n_entries = rows.indptr[-1]
    data, indices = rows.data[:n_entries].copy(), rows.indices[:n_entries].copy()
    return csr_array((data, indices, rows.indptr.astype(np.int32)), shape=shape)
