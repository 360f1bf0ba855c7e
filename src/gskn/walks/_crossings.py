"""Values of walks by the steps they cross: derivatives of sums over quotients."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._limits import MAX_DENSE_SIZE
from gskn._offsets import positions_within, ranges
from gskn._types import BoolArray, FloatArray, IndexArray
from gskn.walks._blocks import Blocks
from gskn.walks._mobius import basis
from gskn.walks._plan import Plan, make_plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._terms import (
    Hadamard,
    MatDiagMat,
    MatrixTerm,
    MatVec,
    Product,
    Step,
    Visits,
)

MAX_CROSSINGS_LENGTH = 7  # quotients of longer walks contain complete graphs of 4 vertices
_GROUP_BYTES = 2**28  # of all matrices of a plan, for the graphs of one group


def can_sum_crossings(sizes: IndexArray, length: int) -> BoolArray:
    """Return for every graph whether `crossing_sums` is defined for its size."""
    return np.asarray((sizes <= MAX_DENSE_SIZE) & (length <= MAX_CROSSINGS_LENGTH))


def crossing_sums(
    steps: csr_array,
    graph_ptr: IndexArray,
    numbers: IndexArray,
    length: int,
    values: FloatArray,
) -> FloatArray:
    """Return the sum of the values of all walks that cross a step, for every step.

    The value of a walk is the value of its pattern times the entries W of the steps that it
    crosses. The sum T of the values of all walks is a polynomial of these entries, and
    ``W dT/dW`` counts every walk as often as it crosses the entry. The plan by which T is
    computed from products of matrices is differentiated from its end to its beginning.

    Parameters
    ----------
    steps : csr_array of shape (n_nodes, n_nodes)
        Block-diagonal matrix of steps.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    numbers : ndarray
        Graphs whose walks are summed, which `can_sum_crossings` accepts.
    length : int
        Number of nodes that a walk visits.
    values : ndarray of shape (n_graphs, n_patterns)
        Value of every pattern in every graph, in the order of
        ``patterns(length, staying=True)``.

    Returns
    -------
    sums : ndarray of shape (nnz,)
        Sums for the entries of ``steps``; zero for other graphs.
    """
    sums = np.zeros(steps.nnz)
    sizes = np.diff(graph_ptr)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    has_loops = np.bincount(owners, np.asarray(steps.diagonal()), len(sizes))[numbers] > 0
    for staying in (False, True):
        # Both directions of an edge, and the number of times it is used, are distinguished.
        traits = GraphTraits(
            weighted=True, directed=True, staying=staying, probability=True
        )
        plan, signs = make_plan((length,), traits), basis(length, traits).signs
        weights = values[:, : signs.shape[0]] @ signs
        for group in _groups(numbers[has_loops == staying], sizes, plan):
            blocks = Blocks.from_matrix(steps, graph_ptr, group)
            padded, _ = blocks.as_padded()
            crossed = _differentiate(plan, padded, weights[group])
            first = steps.indptr[graph_ptr[group]].astype(np.int64)
            entries = ranges(first, steps.indptr[graph_ptr[group + 1]] - first)
            rows = np.repeat(positions_within(blocks.sizes), blocks.row_sizes)
            sums[entries] = crossed[blocks.entry_blocks, rows, blocks.columns]
    return sums


def _groups(numbers: IndexArray, sizes: IndexArray, plan: Plan) -> Iterator[IndexArray]:
    """Join graphs of similar size while all matrices of the plan are within the bound."""
    n_matrices = 2 * sum(isinstance(term, MatrixTerm) for term in plan.terms) + 1
    padded = -(-np.maximum(sizes[numbers], 1) // 8) * 8
    for size in np.unique(padded):
        same = numbers[padded == size]
        n_graphs = max(1, int(_GROUP_BYTES // (8 * size * size * n_matrices)))
        for first in range(0, len(same), n_graphs):
            yield same[first : first + n_graphs]


def _differentiate(plan: Plan, steps: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``W dT/dW`` for the weighted sum T of all quotients of a plan.

    ``steps`` has the shape (n_graphs, size, size), ``weights`` (n_graphs, n_quotients).
    """
    values = _evaluate(plan, steps)
    slopes: list[Any] = [None] * len(values)
    for number, place in enumerate(plan.roots):
        weight = np.broadcast_to(weights[:, [number]], steps.shape[:2])
        slopes[place] = weight if slopes[place] is None else slopes[place] + weight
    crossed = np.zeros(steps.shape)
    diagonal = np.einsum("gii->gi", crossed)  # a writable view
    for place in reversed(range(len(values))):
        operation, slope, value = plan.operations[place], slopes[place], values[place]
        slopes[place] = values[place] = None  # not needed below
        if isinstance(operation.term, Step):
            product = slope * value
            crossed += operation.term.forward * product
            crossed += operation.term.backward * product.transpose(0, 2, 1)
        elif isinstance(operation.term, Visits):
            diagonal += operation.term.n_stayed * slope * value
        parts = [values[part] for part in operation.parts]
        for part, change in zip(
            operation.parts, _pull_back(operation.term, slope, parts), strict=True
        ):
            slopes[part] = change if slopes[part] is None else slopes[part] + change
    return crossed


def _evaluate(plan: Plan, steps: FloatArray) -> list[Any]:
    """Return the values of all operations; those of vectors may be ones."""
    loops = np.einsum("gii->gi", steps)
    mirror = steps.transpose(0, 2, 1)
    values: list[Any] = []
    for operation in plan.operations:
        parts = [values[part] for part in operation.parts]
        match operation.term:
            case Step(forward=forward, backward=backward):
                value = steps**forward * mirror**backward
            case Visits(n_stayed=n_stayed):
                value = loops**n_stayed
            case MatVec():
                value = multiply(parts[0], parts[1][:, :, None])[:, :, 0]
            case MatDiagMat():
                value = multiply(parts[0] * parts[1][:, None, :], parts[2])
            case Product() | Hadamard():
                value = parts[0] * parts[1]
            case _:  # ones
                value = np.ones(steps.shape[:2])
        values.append(value)
    return values


def _pull_back(term: Any, slope: FloatArray, parts: list[FloatArray]) -> list[FloatArray]:
    """Return the derivatives with respect to the parts of a term."""
    match term:
        case MatVec():
            matrix, vector = parts
            mirror = matrix.transpose(0, 2, 1)
            return [
                slope[:, :, None] * vector[:, None, :],
                multiply(mirror, slope[:, :, None])[:, :, 0],
            ]
        case MatDiagMat():
            first, vector, second = parts
            of_left = multiply(slope, second.transpose(0, 2, 1))
            of_right = multiply(first.transpose(0, 2, 1), slope)
            return [
                of_left * vector[:, None, :],
                (first * of_left).sum(axis=1),
                of_right * vector[:, :, None],
            ]
        case Product() | Hadamard():
            return [slope * parts[1], slope * parts[0]]
    return []
