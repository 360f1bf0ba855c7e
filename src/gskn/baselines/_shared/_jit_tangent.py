"""Compiled loops of the graph neural tangent kernel: aggregation and ReLU layers."""

import math

import numpy as np
from numpy.polynomial import chebyshev

from gskn._loops import add_row_product
from gskn._numba import jit
from gskn._types import FloatArray, NodeArray

_STRIP = 256  # columns that fit in the L1 cache
_ROWS = 32  # rows that are transposed together
_DEGREE = 15  # later terms are below the rounding error
_PER_PI = 1 / math.pi


def _arcsine_terms() -> FloatArray:
    """Return coefficients of ``arcsin(s) / s``, s <= 1/2, in powers of ``8 s^2 - 1``."""
    nodes = chebyshev.chebpts1(_DEGREE + 1)
    sines = np.sqrt((nodes + 1) / 8)
    series = chebyshev.chebfit(nodes, np.arcsin(sines) / sines, _DEGREE)
    return np.array(chebyshev.cheb2poly(series)[::-1], dtype=np.float64)


_TERMS = _arcsine_terms()


@jit
def squared_sine(cosine: float) -> float:
    """Return the squared sine of t / 2 or of pi/2 - t, with the acute angle t."""
    size = abs(cosine)
    return (1 - size) / 2 if size > 0.5 else size * size


@jit
def fill_sandwich(
    left_indptr: NodeArray,
    left_indices: NodeArray,
    left_data: FloatArray,
    right_indptr: NodeArray,
    right_indices: NodeArray,
    right_data: FloatArray,
    values: FloatArray,
    out: FloatArray,
) -> None:
    """Overwrite ``out`` with ``left @ values @ right.T`` for two CSR matrices.

    Rows are processed in blocks that fit in the cache while they are transposed.
    """
    n_rows, n_columns = out.shape
    product = np.empty((_ROWS, values.shape[1]))
    transposed = np.empty((values.shape[1], _ROWS))
    result = np.empty((n_columns, _ROWS))
    for first in range(0, n_rows, _ROWS):
        n_here = min(_ROWS, n_rows - first)
        product[:n_here] = 0.0
        for i in range(n_here):
            begin, end = left_indptr[first + i], left_indptr[first + i + 1]
            add_row_product(left_indices, left_data, begin, end, values, product[i])
        for j in range(transposed.shape[0]):
            for i in range(_ROWS):
                transposed[j, i] = product[i, j]
        result[:] = 0.0
        for j in range(n_columns):
            begin, end = right_indptr[j], right_indptr[j + 1]
            add_row_product(right_indices, right_data, begin, end, transposed, result[j])
        for i in range(n_here):
            for j in range(n_columns):
                out[first + i, j] = result[j, i]


@jit
def pass_layer(
    sigma: FloatArray, theta: FloatArray, left: FloatArray, right: FloatArray
) -> None:
    """Replace covariances and tangent kernels by their values after a ReLU layer.

    ``left`` and ``right`` are the standard deviations of rows and columns. Angles are
    computed by polynomials, which can be vectorized: this takes a fifth of the time of
    the library function and agrees with it to 1e-15.
    """
    n_columns = sigma.shape[1]
    scales = np.zeros(n_columns)
    for column in range(n_columns):
        if right[column] > 0:
            scales[column] = 1 / right[column]
    cosines, arguments, ratios = np.empty(_STRIP), np.empty(_STRIP), np.empty(_STRIP)
    for row in range(sigma.shape[0]):
        root = left[row]
        scale = 1 / root if root > 0 else 0.0
        for first in range(0, n_columns, _STRIP):
            strip = slice(first, min(first + _STRIP, n_columns))
            units, tangents = sigma[row, strip], theta[row, strip]
            roots, over = right[strip], scales[strip]
            for i in range(len(units)):
                cosines[i] = min(max(units[i] * scale * over[i], -1.0), 1.0)
                arguments[i] = 8 * squared_sine(cosines[i]) - 1
                ratios[i] = _TERMS[0]
            for term in _TERMS[1:]:
                for i in range(len(units)):
                    ratios[i] = ratios[i] * arguments[i] + term
            for i in range(len(units)):
                cosine = cosines[i]
                angle = math.sqrt(squared_sine(cosine)) * ratios[i]
                angle = 2 * angle if abs(cosine) > 0.5 else math.pi / 2 - angle
                angle = math.pi - angle if cosine < 0 else angle
                slope = 1 - angle * _PER_PI
                value = cosine * slope + math.sqrt((1 - cosine) * (1 + cosine)) * _PER_PI
                units[i] = root * roots[i] * value
                tangents[i] = tangents[i] * slope + units[i]
