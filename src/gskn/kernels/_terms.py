"""Terms of a kernel, computed for all pairs of graphs or nodes, and their sum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from gskn._limits import KERNEL_CHUNK_CELLS
from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.graphs import pool_matrix
from gskn.kernels._inputs import Edges, Inputs, Level, Side, for_both

# Compares nodes of two sides, or steps.
NodeKernel: TypeAlias = Callable[[Side | Edges, Side | Edges], FloatArray]


class KernelTerm(Protocol):
    """One summand of a kernel."""

    def values(self) -> FloatArray:
        """Return the values of all pairs."""

    def self_similarities(self) -> tuple[FloatArray, FloatArray]:
        """Return the value of every item with itself, for both sides."""


@dataclass(frozen=True)
class BlockTerm:
    """A kernel between nodes, computed for one block of graphs after the other."""

    left: Side
    right: Side
    kernel: Callable[[Side, Side], FloatArray]
    level: Level

    def values(self) -> FloatArray:
        """Return the values of all pairs of graphs or nodes."""
        values = np.zeros((self.left.n_items(self.level), self.right.n_items(self.level)))
        symmetric = self.left is self.right
        right_blocks = list(self.right.blocks(self.level))
        for rows, left in self.left.blocks(self.level):
            for columns, right in right_blocks:
                if symmetric and columns.start < rows.start:
                    continue  # copied from the transposed block
                block = self.kernel(left, right)
                if self.level == "graph":
                    by_graph = pool_matrix(left.graph_ptr) @ block
                    block = (pool_matrix(right.graph_ptr) @ by_graph.T).T
                values[rows, columns] = block
                if symmetric:
                    values[columns, rows] = block.T
        return _symmetrize(values) if symmetric else values

    def self_similarities(self) -> tuple[FloatArray, FloatArray]:
        """Return the value of every graph or node with itself, for both sides."""
        return for_both(self._diagonal, self.left, self.right)

    def _diagonal(self, side: Side) -> FloatArray:
        graphs = (side.select(index, index + 1) for index in range(side.n_items("graph")))
        blocks = (self.kernel(graph, graph) for graph in graphs)
        if self.level == "graph":
            return np.array([block.sum() for block in blocks])
        return np.concatenate([np.empty(0), *(block.diagonal() for block in blocks)])


@dataclass(frozen=True)
class FeatureTerm:
    """Inner products of features, or bilinear products with a matrix between features.

    ``between`` is the matrix of similarities between features; None is the identity.
    """

    left: csr_array
    right: csr_array
    between: FloatArray | None = None

    def values(self) -> FloatArray:
        """Return the products of all pairs."""
        values = np.empty((self.left.shape[0], self.right.shape[0]))
        for chunk in chunks(len(values), max(self.right.shape)):
            product = self._transform(self.left[chunk]) @ self.right.T
            values[chunk] = product.toarray() if issparse(product) else product
        return _symmetrize(values) if self.left is self.right else values

    def self_similarities(self) -> tuple[FloatArray, FloatArray]:
        """Return the product of every item with itself, for both sides."""
        return for_both(self._diagonal, self.left, self.right)

    def _diagonal(self, features: csr_array) -> FloatArray:
        diagonal = np.empty(features.shape[0])
        for chunk in chunks(*features.shape):
            transformed = self._transform(features[chunk])
            diagonal[chunk] = features[chunk].multiply(transformed).sum(axis=1)
        return diagonal

    def _transform(self, features: csr_array) -> Any:
        return features if self.between is None else features @ self.between


def sum_terms(inputs: Inputs, *terms: KernelTerm) -> FloatArray:
    """Return the sum of the terms, normalized if ``inputs`` asks for it."""
    # Overflows are detected by the check, whose message suggests a remedy.
    with np.errstate(over="ignore", invalid="ignore"):
        values = terms[0].values()
        for term in terms[1:]:
            values += term.values()
        _check_finite(values)
        if not inputs.normalize:
            return values
        diagonals = zip(*(term.self_similarities() for term in terms), strict=True)
        left, right = (_check_finite(np.sum(pair, axis=0)) for pair in diagonals)
    scale = np.sqrt(left)[:, None] * np.sqrt(right)
    np.divide(values, scale, out=values, where=scale > 0)
    return values


def chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Split the rows of a matrix into chunks of a bounded number of cells."""
    chunk_rows = max(1, KERNEL_CHUNK_CELLS // max(1, n_columns))
    return (slice(first, first + chunk_rows) for first in range(0, n_rows, chunk_rows))


def _symmetrize(values: FloatArray) -> FloatArray:
    """Overwrite the upper triangle, which differs from the lower one by rounding."""
    for row in range(len(values)):
        values[row, row:] = values[row:, row]
    return values


def _check_finite(values: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        raise InputError(
            "The kernel is larger than the largest float; use a smaller length, or "
            "weighting='probability'."
        )
    return values
