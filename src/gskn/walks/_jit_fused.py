"""Compiled loops over the rows of chains of matrices, which are not stored.

A chain is a product ``M[0] diag(v[1]) M[1] diag(v[2]) ... M[k]``. All matrices have their
entries on one symmetric pattern, the steps between twin groups, and an additional value
where a node meets itself (see `gskn.walks._algebra`).
"""

from typing import NamedTuple

import numpy as np

from gskn._loops import find
from gskn._numba import inlined_jit, jit
from gskn._types import FloatArray, IndexArray, NodeArray

MAX_FACTORS = 6  # matrices of all chains of a sum: the steps of a walk of seven nodes
SEARCH_RATIO = 24  # neighbors that are read in the time of one search
_MAX_GATHERED = 3  # matrices of a last chain whose row is not needed


class PatternArrays(NamedTuple):
    """The pattern of all matrices, and the nodes of every twin group if there are twins."""

    indptr: IndexArray
    indices: NodeArray
    sizes: FloatArray


class ChainArrays(NamedTuple):
    """Matrices and vectors of one or more chains, one after the other.

    ``values`` are the entries of matrices, empty if all are ones; unused places repeat
    one of them. ``extras`` are the additional diagonals, and row ``i`` of ``vectors``
    scales the columns before matrix ``i``. ``ptr`` holds the first matrix of every chain,
    and ``powers`` how often its row is a factor. ``last`` is the transposed last matrix.
    """

    values: tuple[FloatArray, ...]
    extras: FloatArray
    vectors: FloatArray
    ptr: IndexArray
    powers: IndexArray
    last: FloatArray


@jit
def add_row(
    indices: NodeArray,
    values: FloatArray,
    first: int,
    end: int,
    factor: float,
    row: FloatArray,
    touched: NodeArray,
    n_touched: int,
) -> int:
    """Add entries of a matrix, times a factor that is not zero, to a dense row.

    ``touched`` lists the cells that are not zero; a cell that was zero in between is listed
    again. Return their number. The loops have no branches.
    """
    if len(values) == 0:
        for entry in range(first, end):
            column = indices[entry]
            before = row[column]
            touched[n_touched] = column
            n_touched += before == 0.0
            row[column] = before + factor
        return n_touched
    for entry in range(first, end):
        column = indices[entry]
        before, part = row[column], factor * values[entry]
        touched[n_touched] = column
        n_touched += (before == 0.0) & (part != 0.0)
        row[column] = before + part
    return n_touched


@jit
def dot_row(
    indices: NodeArray, values: FloatArray, first: int, end: int, row: FloatArray
) -> float:
    """Return the sum of entries of a matrix times a dense row."""
    total = 0.0
    if len(values) == 0:
        for entry in range(first, end):
            total += row[indices[entry]]
        return total
    for entry in range(first, end):
        total += values[entry] * row[indices[entry]]
    return total


@jit
def dot_neighbors(
    indices: NodeArray,
    values: FloatArray,
    first: int,
    end: int,
    row: FloatArray,
    begin: int,
    stop: int,
) -> float:
    """Return `dot_row` for a dense row with values in columns ``begin`` to ``stop`` only.

    The columns of a long row are searched for. The terms are added in the same order, so
    the result is the same.
    """
    if end - first <= SEARCH_RATIO * (stop - begin):
        return dot_row(indices, values, first, end, row)
    total = 0.0
    for entry in range(begin, stop):
        column = np.int64(indices[entry])
        place = find(indices, first, end, column)
        if place >= 0:
            total += row[column] * (1.0 if len(values) == 0 else values[place])
    return total


@jit
def move_row(
    row: FloatArray,
    touched: NodeArray,
    n_touched: int,
    target: FloatArray,
    support: NodeArray,
) -> int:
    """Move the touched cells to an empty dense row; return how many are not zero."""
    n_cells = 0
    for place in range(n_touched):
        cell = touched[place]
        if row[cell] != 0.0:
            target[cell] = row[cell]
            row[cell] = 0.0
            support[n_cells] = cell
            n_cells += 1
    return n_cells


@jit
def scale_cells(
    row: FloatArray, cells: NodeArray, vector: FloatArray, sizes: FloatArray
) -> None:
    """Multiply cells of a dense row by a vector and by the nodes of their twin groups."""
    for place in range(len(cells)):
        cell = cells[place]
        row[cell] *= vector[cell] * (sizes[cell] if len(sizes) > 0 else 1.0)


@jit
def raise_to(value: float, power: int) -> float:
    """Return a small positive power by multiplications, which are faster than ``**``."""
    result = value
    for _ in range(power - 1):
        result *= value
    return result


@inlined_jit
def fill_chain_row(
    pattern: PatternArrays,
    chains: ChainArrays,
    first: int,
    end: int,
    node: int,
    rows: FloatArray,
    touched: NodeArray,
) -> tuple[int, int, float]:
    """Fill one of two dense rows with a row of a product: matrices ``first`` to ``end``.

    Return its number, the number of touched cells and the additional diagonal value. The
    dense rows are zero before.
    """
    indptr, indices, sizes = pattern.indptr, pattern.indices, pattern.sizes
    all_values, extras, vectors = chains.values, chains.extras, chains.vectors
    has_twins = len(sizes) > 0
    side, extra = 0, (extras[first, node] if has_twins else 0.0)
    n_touched = add_row(
        indices,
        all_values[first],
        indptr[node],
        indptr[node + 1],
        1.0,
        rows[0],
        touched[0],
        0,
    )
    for number in range(first + 1, end):
        values = all_values[number]
        row, new_row = rows[side], rows[1 - side]
        cells, new_cells, n_new = touched[side], touched[1 - side], 0
        for place in range(n_touched):
            middle = cells[place]
            value = row[middle] * vectors[number, middle]
            row[middle] = 0.0
            # Entries are never negative, but a difference of twins may be rounded.
            if value <= 0.0:
                continue
            if has_twins:
                before, part = new_row[middle], value * extras[number, middle]
                if part != 0.0:
                    new_cells[n_new] = middle
                    n_new += before == 0.0
                    new_row[middle] = before + part
                value *= sizes[middle]
            begin, stop = indptr[middle], indptr[middle + 1]
            n_new = add_row(indices, values, begin, stop, value, new_row, new_cells, n_new)
        if extra != 0.0:
            value = extra * vectors[number, node]
            begin, stop = indptr[node], indptr[node + 1]
            n_new = add_row(indices, values, begin, stop, value, new_row, new_cells, n_new)
            extra = value * extras[number, node]
        side, n_touched = 1 - side, n_new
    return side, n_touched, extra


@jit
def fill_masked_rows(
    pattern: PatternArrays,
    chains: ChainArrays,
    begin: int,
    stop: int,
    values: FloatArray,
    diagonals: FloatArray,
) -> None:
    """Overwrite the entries of rows ``begin`` to ``stop`` of a chain that the pattern has.

    With twins, ``diagonals`` receives the entries of nodes with their twins, and the values
    that are added where a node meets itself.
    """
    indptr, indices, sizes = pattern.indptr, pattern.indices, pattern.sizes
    last, n, has_twins = chains.last, len(indptr) - 1, len(sizes) > 0
    rows = np.zeros((2, n))
    touched = np.empty((2, 4 * n + 1 if has_twins else n + 1), np.int32)
    number = chains.ptr[1] - 1  # of the last matrix
    vector, extras, matrix = chains.vectors[number], chains.extras, chains.values[number]
    for node in range(begin, stop):
        side, n_touched, extra = fill_chain_row(
            pattern, chains, 0, number, node, rows, touched
        )
        row, cells = rows[1 - side], touched[1 - side]
        n_cells = move_row(rows[side], touched[side], n_touched, row, cells)
        scale_cells(row, cells[:n_cells], vector, sizes)
        rest, loop = extra * vector[node], 0.0
        first, end = indptr[node], indptr[node + 1]
        for entry in range(first, end):
            column = np.int64(indices[entry])
            start, final = indptr[column], indptr[column + 1]
            if number == 1:
                total = dot_neighbors(indices, last, start, final, row, first, end)
            else:
                total = dot_row(indices, last, start, final, row)
            if has_twins:
                step = 1.0 if len(matrix) == 0 else matrix[entry]
                total += row[column] / sizes[column] * extras[number, column]
                total += rest * step
                loop = step if column == node else loop
            values[entry] = total
        if has_twins:
            total = dot_row(indices, last, first, end, row) + rest * loop
            total += row[node] / sizes[node] * extras[number, node]
            diagonals[0, node] = total
            diagonals[1, node] = rest * extras[number, node]
        for place in range(n_cells):
            row[cells[place]] = 0.0


@jit
def fill_chain_sums(
    pattern: PatternArrays,
    chains: ChainArrays,
    vector: FloatArray,
    begin: int,
    stop: int,
    sums: FloatArray,
) -> None:
    """Overwrite the sums over rows of an elementwise product of chains, times a vector.

    If several chains are given and the power of the last one is 1, its row is not computed:
    the sum needs only a row of the product without its last matrix.
    """
    n, has_twins = len(pattern.indptr) - 1, len(pattern.sizes) > 0
    rows, product, backward = np.zeros((2, n)), np.zeros(n), np.zeros(n)
    touched = np.empty((2, 4 * n + 1 if has_twins else n + 1), np.int32)
    support, reached = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    ptr, powers, n_chains = chains.ptr, chains.powers, len(chains.powers)
    ends_early = n_chains > 1 and powers[n_chains - 1] == 1
    for node in range(begin, stop):
        n_support, others, itself = 0, 1.0, 1.0
        for number in range(n_chains - ends_early):
            side, n_touched, extra = fill_chain_row(
                pattern, chains, ptr[number], ptr[number + 1], node, rows, touched
            )
            row, cells, power = rows[side], touched[side], powers[number]
            others *= raise_to(row[node], power)
            itself *= raise_to(row[node] + extra, power)
            if number == 0:
                n_support = move_row(row, cells, n_touched, product, support)
                for place in range(n_support if power > 1 else 0):
                    product[support[place]] = raise_to(product[support[place]], power)
                continue
            for place in range(n_support):
                product[support[place]] *= raise_to(row[support[place]], power)
            for place in range(n_touched):
                row[cells[place]] = 0.0
        scale_cells(product, support[:n_support], vector, pattern.sizes)
        if ends_early:
            total, end, end_extra = sum_last_chain(
                pattern,
                chains,
                node,
                product,
                support[:n_support],
                rows,
                touched,
                backward,
                reached,
            )
            others, itself = others * end, itself * (end + end_extra)
        else:
            total = 0.0
            for place in range(n_support):
                total += product[support[place]]
        sums[node] = total + (itself - others) * vector[node]
        for place in range(n_support):
            product[support[place]] = 0.0


@inlined_jit
def sum_last_chain(
    pattern: PatternArrays,
    chains: ChainArrays,
    node: int,
    product: FloatArray,
    support: NodeArray,
    rows: FloatArray,
    touched: NodeArray,
    backward: FloatArray,
    reached: NodeArray,
) -> tuple[float, float, float]:
    """Return the row of the last chain times a dense row, without computing the row.

    Return also its entry at the node itself and the value that is added there; both are
    zero without twins.
    """
    indptr, indices, sizes = pattern.indptr, pattern.indices, pattern.sizes
    n_chains, has_twins = len(chains.powers), len(sizes) > 0
    begin, number = chains.ptr[n_chains - 1], chains.ptr[n_chains] - 1
    matrix, vector, extras = chains.values[number], chains.vectors[number], chains.extras
    n_reached = 0
    is_long = number - begin >= _MAX_GATHERED
    if is_long:  # one matrix backward is less than two forward
        for place in range(len(support)):
            cell = support[place]
            if product[cell] > 0.0:
                n_reached = add_row(
                    indices,
                    chains.last,
                    indptr[cell],
                    indptr[cell + 1],
                    product[cell],
                    backward,
                    reached,
                    n_reached,
                )
    side, n_touched, extra = fill_chain_row(
        pattern, chains, begin, number, node, rows, touched
    )
    row, cells = rows[1 - side], touched[1 - side]
    n_cells = move_row(rows[side], touched[side], n_touched, row, cells)
    scale_cells(row, cells[:n_cells], vector, sizes)
    total, end, end_extra = 0.0, 0.0, 0.0
    for place in range(n_cells):
        cell = cells[place]
        if is_long:
            total += row[cell] * backward[cell]
        else:
            total += row[cell] * dot_row(
                indices, matrix, indptr[cell], indptr[cell + 1], product
            )
        if has_twins:
            total += row[cell] / sizes[cell] * extras[number, cell] * product[cell]
    if has_twins:
        first, stop = indptr[node], indptr[node + 1]
        rest, loop = extra * vector[node], 0.0
        for entry in range(first, stop):
            if indices[entry] == node:
                loop = 1.0 if len(matrix) == 0 else matrix[entry]
        total += rest * dot_row(indices, matrix, first, stop, product)
        end = dot_row(indices, chains.last, first, stop, row) + rest * loop
        end += row[node] / sizes[node] * extras[number, node]
        end_extra = rest * extras[number, node]
    for place in range(n_cells):
        row[cells[place]] = 0.0
    for place in range(n_reached):
        backward[reached[place]] = 0.0
    return total, end, end_extra
