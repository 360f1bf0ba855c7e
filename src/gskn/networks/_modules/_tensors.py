"""Graphs as torch tensors: minibatches are slices of the block-diagonal matrix."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from gskn._lazy import cached_property
from gskn._offsets import ranges, running_total, runs_of_graphs
from gskn._types import AnyArray, FloatArray, IndexArray

_MAX_TABLE_ROWS = 1024  # of distinct node features; more are stored row by row
_MAX_PREDICTED_NODES = 2**15  # in one minibatch of predictions

with warnings.catch_warnings():
    # torch warns once per process that CSR tensors are in beta state.
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))


class SparseMatrix:
    """A sparse matrix with its transpose, for products that have gradients.

    `torch.sparse.mm` transposes the matrix in every backward pass, which takes four times
    as long as the product (PROTEINS, 64 columns). Here the transpose is stored.
    """

    def __init__(self, matrix: Tensor, transpose: Tensor) -> None:
        self.matrix = matrix
        self.transpose = transpose

    def product(self, rows: Tensor) -> Tensor:
        """Return the product with a dense matrix."""
        result: Tensor = _Product.apply(rows, self.matrix, self.transpose)
        return result

    def maximum(self, rows: Tensor) -> Tensor:
        """Return the largest product of an entry and its row; 0 for a row without entries.

        The backward pass of `torch.sparse.mm` takes a tenth of the time of
        `torch.Tensor.scatter_reduce` (PROTEINS, 64 columns).
        """
        result: Tensor = torch.sparse.mm(self.matrix, rows.contiguous(), "amax")
        return result

    def weighted_product(self, weights: Tensor, rows: Tensor) -> Tensor:
        """Return the products of matrices with other values, one for each head.

        ``weights`` has the shape (n_entries, n_heads), and ``rows`` and the result have
        the shape (n_rows, n_heads, n_columns).
        """
        result: Tensor = _WeightedProduct.apply(weights, rows, self)
        return result

    @cached_property
    def inverse_sums(self) -> Tensor:
        """Inverse of the sum of every row; 0 for a row without entries."""
        ones = self.matrix.values().new_ones(self.matrix.shape[1], 1)
        sums = (self.matrix @ ones)[:, 0]
        return torch.where(sums > 0, 1 / sums, torch.zeros_like(sums))

    @cached_property
    def entries(self) -> tuple[Tensor, Tensor]:
        """Row and column of every entry."""
        indptr = self.matrix.crow_indices()
        rows = torch.repeat_interleave(torch.arange(len(indptr) - 1), indptr.diff())
        return rows, self.matrix.col_indices()

    @cached_property
    def transposed_entries(self) -> Tensor:
        """Numbers of the entries in the order of the transpose."""
        return torch.argsort(self.matrix.col_indices(), stable=True)


class _Product(torch.autograd.Function):
    """Product of a constant sparse matrix and a dense matrix."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, matrix: Tensor, transpose: Tensor) -> Tensor:
        """Return the product."""
        ctx.transpose = transpose
        return matrix @ rows

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the dense matrix."""
        return ctx.transpose @ gradients[0].contiguous(), None, None


class _WeightedProduct(torch.autograd.Function):
    """Products of a sparse matrix with the values of several heads.

    A product per head takes less than half the time of gathering the rows of all entries
    and heads (PPI, eight heads of eight columns), and a fraction of the memory.
    """

    @staticmethod
    def forward(ctx: Any, weights: Tensor, rows: Tensor, matrix: SparseMatrix) -> Tensor:
        """Return the product of every head."""
        ctx.save_for_backward(weights, rows)
        ctx.matrix = matrix
        return _multiply_heads(matrix.matrix, weights, rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of the values and of the rows."""
        (gradient,), (weights, rows), matrix = gradients, ctx.saved_tensors, ctx.matrix
        transposed = weights.index_select(0, matrix.transposed_entries)
        row_gradient = _multiply_heads(matrix.transpose, transposed, gradient)
        targets, sources = matrix.entries
        weight_gradient = torch.empty_like(weights)
        for head in range(weights.shape[1]):
            left = gradient[:, head].index_select(0, targets)
            right = rows[:, head].index_select(0, sources)
            weight_gradient[:, head] = (left * right).sum(1)
        return weight_gradient, row_gradient, None


def _multiply_heads(pattern: Tensor, weights: Tensor, rows: Tensor) -> Tensor:
    """Return the product of every head; the matrices have the entries of a pattern."""
    indptr, indices, shape = pattern.crow_indices(), pattern.col_indices(), pattern.shape
    products = [
        _csr(indptr, indices, weights[:, head].contiguous(), shape)
        @ rows[:, head].contiguous()
        for head in range(weights.shape[1])
    ]
    return torch.stack(products, dim=1)


@dataclass(frozen=True)
class NodeRows:
    """Node features: one row per node, or a table of distinct rows and a code per node.

    Labels and degrees are one-hot rows with few distinct values. A linear map of the
    table, and a lookup, then replaces the linear map of all nodes.
    """

    table: Tensor
    codes: Tensor | None = None

    def project(self, linear: nn.Linear) -> Tensor:
        """Return the linear map of the features of every node."""
        rows: Tensor = linear(self.table)
        return rows if self.codes is None else nn.functional.embedding(self.codes, rows)

    def dense(self) -> Tensor:
        """Return the features of every node."""
        return self.table if self.codes is None else self.table[self.codes]


def project(linear: nn.Linear, rows: "Tensor | NodeRows") -> Tensor:
    """Return the linear map of node features."""
    if isinstance(rows, NodeRows):
        return rows.project(linear)
    result: Tensor = linear(rows)
    return result


def as_dense(rows: "Tensor | NodeRows") -> Tensor:
    """Return node features with one row per node."""
    return rows.dense() if isinstance(rows, NodeRows) else rows


@dataclass(frozen=True)
class GraphTensors:
    """Some graphs: their propagation matrix, node features and first nodes.

    ``edge_codes`` are the codes of edge labels, one per entry of the matrix. If equal nodes
    are merged, ``counts`` are their numbers.
    """

    matrix: SparseMatrix
    features: NodeRows
    graph_ptr: Tensor
    edge_codes: Tensor | None = None
    counts: Tensor | None = None

    def pool(self, rows: Tensor, readout: str) -> Tensor:
        """Return the sum, mean or maximum of node features over every graph."""
        if readout == "max":
            return self._membership.maximum(rows)
        total = self._sum_matrix.product(rows)
        if readout == "sum":
            return total
        return total * self._sum_matrix.inverse_sums[:, None]

    @cached_property
    def _membership(self) -> SparseMatrix:
        n_nodes = int(self.graph_ptr[-1])
        return self._pool_matrix(torch.ones(n_nodes, dtype=self.features.table.dtype))

    @cached_property
    def _sum_matrix(self) -> SparseMatrix:
        return self._membership if self.counts is None else self._pool_matrix(self.counts)

    def _pool_matrix(self, counts: Tensor) -> SparseMatrix:
        """Return a matrix with one row per graph, and the counts at its nodes."""
        n_graphs, n_nodes = len(self.graph_ptr) - 1, int(self.graph_ptr[-1])
        nodes = torch.arange(n_nodes + 1)
        graphs = torch.repeat_interleave(torch.arange(n_graphs), self.graph_ptr.diff())
        return SparseMatrix(
            _csr(self.graph_ptr, nodes[:-1], counts, (n_graphs, n_nodes)),
            _csr(nodes, graphs, counts, (n_nodes, n_graphs)),
        )


class GraphInputs:
    """All graphs of a fit or prediction, from which minibatches are taken.

    Parameters
    ----------
    matrix : csr_array of shape (n_nodes, n_nodes)
        Block-diagonal propagation matrix of a convolution.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph, then the number of nodes.
    rows : ndarray of shape (n_rows, n_features)
        Distinct node features.
    codes : ndarray of shape (n_nodes,)
        Row of every node.
    dtype : numpy floating type, default=float32
        Type of all numbers.
    edge_codes : ndarray of shape (matrix.nnz,) or None, default=None
        Code of the label of every entry of the matrix.
    counts : ndarray of shape (n_nodes,) or None, default=None
        How many equal nodes each node stands for, see `merge_nodes`.
    """

    def __init__(
        self,
        matrix: csr_array,
        graph_ptr: IndexArray,
        rows: FloatArray,
        codes: IndexArray,
        dtype: Any = np.float32,
        edge_codes: IndexArray | None = None,
        counts: IndexArray | None = None,
    ) -> None:
        self.counts = None if counts is None else counts.astype(dtype)
        self.edge_codes = edge_codes
        self.graph_ptr = graph_ptr
        self.blocks = _Blocks(matrix, graph_ptr, dtype)
        transpose = matrix.T.tocsr()
        is_symmetric = _is_same(matrix, transpose)
        self.transpose = None if is_symmetric else _Blocks(transpose, graph_ptr, dtype)
        self.codes: IndexArray | None = codes
        self.table = rows.astype(dtype)
        if len(rows) > _MAX_TABLE_ROWS:
            self.codes, self.table = None, self.table[codes]

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.graph_ptr) - 1

    def take(self, graphs: IndexArray) -> GraphTensors:
        """Return some graphs as tensors."""
        first = self.graph_ptr[graphs]
        sizes = self.graph_ptr[graphs + 1] - first
        nodes = ranges(first, sizes)
        matrix = self.blocks.take(first, sizes, nodes)
        transpose = matrix
        if self.transpose is not None:
            transpose = self.transpose.take(first, sizes, nodes)
        if self.codes is None:
            features = NodeRows(torch.from_numpy(self.table[nodes]))
        else:
            codes = torch.from_numpy(self.codes[nodes])
            features = NodeRows(torch.from_numpy(self.table), codes)
        graph_ptr = torch.from_numpy(running_total(sizes))
        edge_codes = None
        if self.edge_codes is not None:
            chosen = self.edge_codes[self.blocks.entries(first, sizes)[0]]
            edge_codes = torch.from_numpy(chosen)
        counts = None
        if self.counts is not None:
            counts = torch.from_numpy(self.counts[nodes])
        return GraphTensors(
            SparseMatrix(matrix, transpose), features, graph_ptr, edge_codes, counts
        )

    def parts(self, graphs: IndexArray) -> list[GraphTensors]:
        """Return graphs as minibatches of bounded size, in their order."""
        return [self.take(run) for run in self.runs(graphs)]

    def runs(self, graphs: IndexArray) -> list[IndexArray]:
        """Split graphs into parts of bounded size."""
        sizes = np.diff(self.graph_ptr)[graphs]
        runs = runs_of_graphs(running_total(sizes), _MAX_PREDICTED_NODES)
        return [graphs[run] for run in runs]


class _Blocks:
    """The blocks of a block-diagonal CSR matrix."""

    def __init__(self, matrix: csr_array, graph_ptr: IndexArray, dtype: Any) -> None:
        self.indptr = matrix.indptr.astype(np.int64)
        columns = matrix.indices.astype(np.int64)
        n_entries = np.diff(self.indptr[graph_ptr])
        self.indices = columns - np.repeat(graph_ptr[:-1], n_entries)  # within the graph
        self.data = matrix.data.astype(dtype)

    def entries(
        self, first: IndexArray, sizes: IndexArray
    ) -> tuple[IndexArray, IndexArray]:
        """Return the entries of some blocks, and their number in every block."""
        begin = self.indptr[first]
        n_entries = self.indptr[first + sizes] - begin
        return ranges(begin, n_entries), n_entries

    def take(self, first: IndexArray, sizes: IndexArray, nodes: IndexArray) -> Tensor:
        """Return the matrix of some blocks; ``nodes`` are all their nodes."""
        entries, n_entries = self.entries(first, sizes)
        shift = np.repeat(running_total(sizes)[:-1], n_entries)
        indptr = running_total(self.indptr[nodes + 1] - self.indptr[nodes])
        arrays: list[AnyArray] = [indptr, self.indices[entries] + shift, self.data[entries]]
        indptr_, indices, data = (torch.from_numpy(array) for array in arrays)
        return _csr(indptr_, indices, data, (len(nodes), len(nodes)))


def _csr(indptr: Tensor, indices: Tensor, data: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a CSR tensor of arrays that are known to be valid."""
    return torch.sparse_csr_tensor(indptr, indices, data, shape, check_invariants=False)


def _is_same(left: csr_array, right: csr_array) -> bool:
    return bool(
        np.array_equal(left.indptr, right.indptr)
        and np.array_equal(left.indices, right.indices)
        and np.array_equal(left.data, right.data)
    )
