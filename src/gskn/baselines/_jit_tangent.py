"""Compiled loops: one infinitely wide layer with rectified units, and what lies between."""

import math

import numpy as np
from numpy.polynomial import chebyshev

from gskn._loops import add_row_product
from gskn._numba import jit
from gskn._types import FloatArray, NodeArray

_STRIP = 256  # columns that stay in the nearest cache
_ROWS = 32  # that are turned round together
_DEGREE = 15  # the next terms are below rounding
_PER_PI = 1 / math.pi


def _arcsine_terms() -> FloatArray:
    """Return ``arcsin(s) / s``, s up to 1/2, as a polynomial of ``8 s^2 - 1``."""
    places = chebyshev.chebpts1(_DEGREE + 1)
    sines = np.sqrt((places + 1) / 8)
    series = chebyshev.chebfit(places, np.arcsin(sines) / sines, _DEGREE)
    return np.array(chebyshev.cheb2poly(series)[::-1], dtype=np.float64)


_TERMS = _arcsine_terms()


@jit
def half_square(cosine: float) -> float:
    """Return the squared sine of the angle to the axis, or of half the angle, if less."""
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
    """Overwrite ``out`` with a CSR matrix times values times the transpose of another.

    Some rows at a time, which stay in a near cache while they are turned round.
    """
    n_rows, n_columns = out.shape
    between = np.empty((_ROWS, values.shape[1]))
    turned = np.empty((values.shape[1], _ROWS))
    result = np.empty((n_columns, _ROWS))
    for first in range(0, n_rows, _ROWS):
        n_here = min(_ROWS, n_rows - first)
        between[:n_here] = 0.0
        for i in range(n_here):
            begin, end = left_indptr[first + i], left_indptr[first + i + 1]
            add_row_product(left_indices, left_data, begin, end, values, between[i])
        for j in range(turned.shape[0]):
            for i in range(_ROWS):
                turned[j, i] = between[i, j]
        result[:] = 0.0
        for j in range(n_columns):
            begin, end = right_indptr[j], right_indptr[j + 1]
            add_row_product(right_indices, right_data, begin, end, turned, result[j])
        for i in range(n_here):
            for j in range(n_columns):
                out[first + i, j] = result[j, i]


@jit
def pass_layer(
    sigma: FloatArray, theta: FloatArray, left: FloatArray, right: FloatArray
) -> None:
    """Overwrite covariances of units and tangent kernels by those after the layer.

    ``left`` and ``right`` are the roots of the variances of rows and columns. Angles are
    polynomials, which the processor finds for several columns at once: a fifth of the
    time of the library's function, and as close to 1e-15.
    """
    n_columns = sigma.shape[1]
    scales = np.zeros(n_columns)
    for column in range(n_columns):
        if right[column] > 0:
            scales[column] = 1 / right[column]
    cosines, places, ratios = np.empty(_STRIP), np.empty(_STRIP), np.empty(_STRIP)
    for row in range(sigma.shape[0]):
        root = left[row]
        scale = 1 / root if root > 0 else 0.0
        for first in range(0, n_columns, _STRIP):
            strip = slice(first, min(first + _STRIP, n_columns))
            units, tangents = sigma[row, strip], theta[row, strip]
            roots, over = right[strip], scales[strip]
            for i in range(len(units)):
                cosines[i] = min(max(units[i] * scale * over[i], -1.0), 1.0)
                places[i] = 8 * half_square(cosines[i]) - 1
                ratios[i] = _TERMS[0]
            for term in _TERMS[1:]:
                for i in range(len(units)):
                    ratios[i] = ratios[i] * places[i] + term
            for i in range(len(units)):
                cosine = cosines[i]
                angle = math.sqrt(half_square(cosine)) * ratios[i]
                angle = 2 * angle if abs(cosine) > 0.5 else math.pi / 2 - angle
                angle = math.pi - angle if cosine < 0 else angle
                slope = 1 - angle * _PER_PI
                value = cosine * slope + math.sqrt((1 - cosine) * (1 + cosine)) * _PER_PI
                units[i] = root * roots[i] * value
                tangents[i] = tangents[i] * slope + units[i]
