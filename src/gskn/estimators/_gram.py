"""Kernels between graph embeddings, and the scaling that comes before them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.preprocessing import StandardScaler

from gskn._types import FloatArray, Params

# Embeddings have unit norm on average (see `standardize`), so C has the same meaning for
# all of them.
LINEAR: tuple[Params, ...] = tuple(
    {"kernel": "linear", "C": 10.0**power} for power in range(-1, 3)
)
RBF: tuple[Params, ...] = tuple({"kernel": "rbf", "C": 10.0**power} for power in range(4))
LAPLACIAN: tuple[Params, ...] = tuple(
    {"kernel": "laplacian", "C": 10.0**power} for power in range(3)
)
PRECOMPUTED: tuple[Params, ...] = tuple(
    {"kernel": "precomputed", "C": p["C"]} for p in LINEAR + RBF[-1:]
)
KERNELS = ("linear", "rbf", "laplacian")

# The rounding error of |x|^2 + |x'|^2 - 2 x.x' is about 1e-16 of the squared norms. Below
# this fraction of them the distance is computed from the difference of the rows.
_CLOSE = 1e-6
_ROUNDING = 1e-14  # of the largest entry: smaller deviations are rounding errors
_PAIR_CELLS = 2**22  # cells of the differences of close pairs that are held at once


@dataclass(frozen=True)
class Scaling:
    """Mean and standard deviation of columns, by which embeddings are standardized.

    Standardized embeddings are divided by the square root of the number of columns, so
    that they have unit norm on average.
    """

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def from_embeddings(cls, embeddings: FloatArray) -> Self:
        """Return the scaling by these embeddings; a constant column has deviation 1."""
        scaler = StandardScaler().fit(embeddings)
        # Sums of walks that do not exist are zero up to rounding, which must not be
        # scaled to unit variance.
        smallest = _ROUNDING * np.abs(embeddings).max(initial=0.0)
        is_constant = scaler.scale_ <= smallest
        return cls(scaler.mean_, np.where(is_constant, 1.0, scaler.scale_))

    def apply(self, embeddings: FloatArray) -> FloatArray:
        """Return the standardized embeddings."""
        scaled = embeddings - self.mean
        scaled /= self.deviation
        scaled /= np.sqrt(len(self.mean))
        return scaled


def standardize(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scale both by mean and standard deviation of ``train``, to unit norm on average."""
    scaling = Scaling.from_embeddings(train)
    return scaling.apply(train), scaling.apply(test)


def gram(left: FloatArray, right: FloatArray, kernel: str) -> FloatArray:
    """Return the kernel of all pairs of rows: "linear", "rbf" or "laplacian".

    The RBF kernel is ``exp(-|x - x'|^2 / 2)`` and the Laplacian kernel is
    ``exp(-|x - x'| / (2 sqrt(2)))``, both with the Euclidean norm, for rows whose norm is
    about one.
    """
    ((_, products),) = grams(left, right, (kernel,))
    return products


def grams(
    left: FloatArray, right: FloatArray, kernels: Sequence[str]
) -> Iterator[tuple[str, FloatArray]]:
    """Yield the name and the matrix of several kernels; products are computed once.

    A matrix may be overwritten when the next one is requested.
    """
    products = np.asarray(left @ right.T)
    remaining = list(kernels)
    if "linear" in remaining:
        yield "linear", products
        remaining.remove("linear")
    if not remaining:
        return
    halves = _negative_half_squares(left, right, products)
    if "rbf" in remaining:
        remaining.remove("rbf")
        yield "rbf", np.exp(halves, out=None if remaining else halves)
    if "laplacian" in remaining:
        _correct_close_pairs(left, right, halves)
        yield "laplacian", _laplacian(halves)


def gram_pair(
    train: FloatArray, test: FloatArray, kernel: str
) -> tuple[FloatArray, FloatArray]:
    """Return the kernels of training and of test samples with the training samples.

    For "precomputed", the inputs are kernels and are only scaled to unit variance in
    feature space, so that C has the same meaning for all kernels. Some kernels are nearly
    one for all pairs, and the differences that matter are small.
    """
    if kernel == "precomputed":
        variance = float(np.diagonal(train).mean() - train.mean())
        largest = float(np.abs(train).max(initial=0))
        scale = variance if variance > 1e-12 * largest else 1.0
        return train / scale, test / scale
    train, test = standardize(train, test)
    return gram(train, train, kernel), gram(test, train, kernel)


def training_grams(
    embeddings: FloatArray, kernels: Sequence[str]
) -> Iterator[tuple[str, FloatArray]]:
    """Yield the kernels of training samples; they are standardized once.

    A matrix may be overwritten when the next one is requested.
    """
    if "precomputed" in kernels:
        yield "precomputed", gram_pair(embeddings, embeddings[:1], "precomputed")[0]
        return
    scaled, _ = standardize(embeddings, embeddings[:1])
    yield from grams(scaled, scaled, kernels)


def _negative_half_squares(
    left: FloatArray, right: FloatArray, products: FloatArray
) -> FloatArray:
    """Overwrite products of all pairs by ``-|x - x'|^2 / 2``."""
    products -= (left**2).sum(axis=1)[:, None] / 2
    products -= (right**2).sum(axis=1) / 2
    return np.minimum(products, 0, out=products)


def _correct_close_pairs(left: FloatArray, right: FloatArray, halves: FloatArray) -> None:
    """Compute ``-|x - x'|^2 / 2`` of close pairs from the difference of their rows.

    The square root turns a rounding error of 1e-16 near zero into 1e-8.
    """
    bounds = (left**2).sum(axis=1) * (-_CLOSE)
    first, second = np.nonzero(halves > bounds[:, None])
    n_pairs = max(1, _PAIR_CELLS // max(1, left.shape[1]))
    for begin in range(0, len(first), n_pairs):
        rows = first[begin : begin + n_pairs]
        columns = second[begin : begin + n_pairs]
        differences = left[rows] - right[columns]
        halves[rows, columns] = np.einsum("ij,ij->i", differences, differences) / -2


def _laplacian(halves: FloatArray) -> FloatArray:
    """Overwrite ``-|x - x'|^2 / 2`` by ``exp(-|x - x'| / (2 sqrt(2)))``."""
    np.negative(halves, out=halves)
    np.sqrt(halves, out=halves)
    halves *= -0.5
    return np.exp(halves, out=halves)
