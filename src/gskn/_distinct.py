"""Distinct rows of an array."""

import numpy as np

from gskn._types import FloatArray, IndexArray


def distinct(rows: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Return where every distinct row is first, and which of these each row equals.

    Rows are compared by one number each, which sorts twenty times as fast as rows do, and
    the result is checked: where two rows share a number, rows are sorted after all.
    """
    # Multiplied out row by row: a matrix product may round equal rows differently.
    keys = (rows * np.random.default_rng(0).random(rows.shape[1])).sum(axis=1)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first][codes], rows):
        _, first, codes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, codes.ravel()
