"""Distinct rows of an array."""

import numpy as np

from gskn._types import FloatArray, IndexArray


def distinct(rows: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Return the index of the first copy of every distinct row, and the code of each row.

    Rows are compared by a random projection to one number, because sorting numbers is
    twenty times faster than sorting rows. The result is checked: if two different rows
    have the same number, the rows themselves are sorted.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Rows to compare.

    Returns
    -------
    first : ndarray of shape (n_distinct,)
        Indices of rows, so that ``rows[first]`` are the distinct rows.
    codes : ndarray of shape (n_rows,)
        Position of the equal row in ``first``: ``rows[first][codes]`` equals ``rows``.
    """
    # Not a matrix product, which may round equal rows differently.
    keys = (rows * np.random.default_rng(0).random(rows.shape[1])).sum(axis=1)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first][codes], rows):
        _, first, codes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, codes.ravel()
