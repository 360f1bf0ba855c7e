"""Contributions of patterns, which are kinds of walks, and of landmarks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.explain._arcs import check_listed, key_kernel, number_rows, row_products
from gskn.explain._blocks import Block, Chunk
from gskn.explain._names import Pattern, code_texts, key_patterns
from gskn.explain._walks import WalkList, list_walks, node_steps
from gskn.graphs import pool_matrix
from gskn.layers import AnonymousLayer, EnumeratedLayer, Layer
from gskn.walks import PatternTable


@dataclass(frozen=True)
class PatternParts:
    """Contributions of the patterns in all graphs of a chunk.

    Attributes
    ----------
    contributions : ndarray of shape (n_entries,)
        Contributions, ordered by graph.
    counts : ndarray of shape (n_graphs,)
        Number of entries of every graph.
    numbers : ndarray of shape (n_entries,)
        Position of every entry in ``patterns``.
    amounts : ndarray of shape (n_entries,)
        Total weight of the walks in the graph that have the pattern.
    patterns : list of Pattern
        Patterns.
    """

    contributions: FloatArray
    counts: IndexArray
    numbers: IndexArray
    amounts: FloatArray
    patterns: list[Pattern]


@dataclass(frozen=True)
class _Entries:
    """Entries of one block, in any order."""

    graphs: IndexArray
    numbers: IndexArray
    contributions: FloatArray
    amounts: FloatArray
    patterns: list[Pattern]


def by_patterns(chunk: Chunk) -> PatternParts:
    """Return the contribution of every pattern that occurs in a graph."""
    return _merge(chunk, list(_pattern_entries(chunk)))


def by_landmarks(chunk: Chunk, names: list[list[Pattern]]) -> PatternParts:
    """Return the contribution of every landmark; ``names`` are their nearest patterns."""
    entries = []
    sums_of_blocks = (
        sums
        for layer, group in _by_layer(chunk.blocks)
        for sums in layer.kernel_sums(chunk.batch, group[0].features, None)
    )
    for block, patterns, sums in zip(chunk.blocks, names, sums_of_blocks, strict=True):
        n_graphs, n_landmarks = sums.shape
        entries.append(
            _Entries(
                graphs=np.repeat(np.arange(n_graphs), n_landmarks),
                numbers=np.tile(np.arange(n_landmarks), n_graphs),
                contributions=(sums * block.weights).ravel(),
                amounts=sums.ravel(),
                patterns=patterns,
            )
        )
    return _merge(chunk, entries)


def landmark_patterns(chunk: Chunk) -> list[list[Pattern]]:
    """Return the pattern that is nearest to every landmark of every block."""
    names = []
    for layer, blocks in _by_layer(chunk.blocks):
        kernels = (
            _table_kernels(blocks, layer)
            if isinstance(layer, AnonymousLayer)
            else _walk_kernels(blocks)
        )
        for patterns, kernel in kernels:
            nearest = [patterns[number] for number in kernel.argmax(axis=0)]
            names.append([replace(p, landmark=n) for n, p in enumerate(nearest)])
    return names


def matching_walks(chunk: Chunk, pattern: Pattern) -> IndexArray:
    """Return all walks of a chunk that have a pattern."""
    for _, blocks in _by_layer(chunk.blocks):
        if blocks[0].branch != pattern.branch:
            continue
        texts = code_texts(blocks[0])
        for block, walks in _listed_walks(blocks):
            if walks.length != pattern.length:
                continue
            keys = block.layer.walk_keys(block.batch, block.features, walks.nodes)
            first, codes = number_rows(keys)
            patterns = key_patterns(block, keys[first], texts)
            wanted = replace(pattern, landmark=None)
            matches = np.array([found == wanted for found in patterns], dtype=bool)
            return np.asarray(walks.nodes[matches[codes]])
    raise InputError(
        f"The model has no branch {pattern.branch!r} with walks of {pattern.length} nodes."
    )


def _by_layer(blocks: list[Block]) -> Iterator[tuple[Layer, list[Block]]]:
    """Yield every layer with its blocks, which are in sequence."""
    for _, group in groupby(blocks, key=lambda block: id(block.layer)):
        listed = list(group)
        yield listed[0].layer, listed


def _table_kernels(
    blocks: list[Block], layer: AnonymousLayer
) -> Iterator[tuple[list[Pattern], FloatArray]]:
    """Yield the patterns of every block and their kernel with its landmarks."""
    for block, table in zip(blocks, layer.tables(blocks[0].batch, None), strict=True):
        yield _table_patterns(block, table), layer.table_kernel(table, block.nystrom)


def _walk_kernels(blocks: list[Block]) -> Iterator[tuple[list[Pattern], FloatArray]]:
    """Yield different walks of every block and their kernel with its landmarks."""
    texts = code_texts(blocks[0])
    for block, walks in _listed_walks(blocks):
        keys = block.layer.walk_keys(block.batch, block.features, walks.nodes)
        first, _ = number_rows(keys)
        if not len(first):  # no path has this length
            yield _unnamed(block)
            continue
        kernel = key_kernel(block, keys[first])
        yield key_patterns(block, keys[first], texts), kernel


def _unnamed(block: Block) -> tuple[list[Pattern], FloatArray]:
    """Return a pattern without node features, for landmarks that resemble no walk."""
    return [Pattern(block.branch, block.length)], np.ones((1, block.nystrom.n_landmarks))


def _pattern_entries(chunk: Chunk) -> Iterator[_Entries]:
    for layer, blocks in _by_layer(chunk.blocks):
        if isinstance(layer, AnonymousLayer):
            tables = layer.tables(chunk.batch, None)
            for block, table in zip(blocks, tables, strict=True):
                yield _table_entries(block, layer, table)
        else:
            yield from _walk_entries(blocks)


def _table_entries(block: Block, layer: AnonymousLayer, table: PatternTable) -> _Entries:
    """Return the contributions of the patterns of a table, which may be sampled."""
    rows = (pool_matrix(block.batch.graph_ptr) @ table.rows).tocoo()
    kernel = layer.table_kernel(table, block.nystrom)
    values = row_products(kernel, rows.col, block.weights, rows.row)
    patterns = _table_patterns(block, table)
    return _Entries(rows.row, rows.col, values * rows.data, rows.data, patterns)


def _table_patterns(block: Block, table: PatternTable) -> list[Pattern]:
    arcs: Sequence[list[tuple[int, int]] | None] = table.arcs or [None] * len(
        table.patterns
    )
    return [
        Pattern(block.branch, block.length, None, tuple(symbols), _sorted_pairs(pairs))
        for symbols, pairs in zip(table.patterns.tolist(), arcs, strict=True)
    ]


def _sorted_pairs(arcs: list[tuple[int, int]] | None) -> tuple[tuple[int, int], ...] | None:
    if arcs is None:
        return None
    return tuple(sorted({(min(pair), max(pair)) for pair in arcs}))


def _listed_walks(blocks: list[Block]) -> Iterator[tuple[Block, WalkList]]:
    """Yield the blocks of one layer with all of their walks."""
    layer, batch = blocks[0].layer, blocks[0].batch
    by_length = {block.length: block for block in blocks}
    only_paths = isinstance(layer, EnumeratedLayer) and layer.only_paths
    matrix = node_steps(
        batch, use_probability=layer.params.use_probability, loops=not only_paths
    )
    check_listed(matrix, batch, max(by_length))
    for walks in list_walks(matrix, max(by_length), only_paths=only_paths):
        if walks.length in by_length:
            yield by_length[walks.length], walks


def _walk_entries(blocks: list[Block]) -> Iterator[_Entries]:
    """Yield the contributions of the sequences of features along all walks."""
    texts = code_texts(blocks[0])
    for block, walks in _listed_walks(blocks):
        n_graphs = block.batch.n_graphs
        keys = block.layer.walk_keys(block.batch, block.features, walks.nodes)
        first, codes = number_rows(keys)
        pairs = codes * n_graphs + block.batch.node_graphs[walks.nodes[:, 0]]
        pairs, which = np.unique(pairs, return_inverse=True)
        amounts = np.bincount(which, walks.weights, len(pairs)).astype(np.float64)
        numbers, graphs = np.divmod(pairs, max(n_graphs, 1))
        kernel = key_kernel(block, keys[first])
        values = row_products(kernel, numbers, block.weights, graphs)
        patterns = key_patterns(block, keys[first], texts)
        yield _Entries(graphs, numbers, values * amounts, amounts, patterns)


def _merge(chunk: Chunk, entries: list[_Entries]) -> PatternParts:
    """Join entries, and add those of the same graph and the same name."""
    number_of: dict[Pattern, int] = {}
    columns: list[tuple[IndexArray, ...]] = []
    for part in entries:
        table = np.array(
            [number_of.setdefault(pattern, len(number_of)) for pattern in part.patterns],
            dtype=np.int64,
        )
        columns.append((part.graphs.astype(np.int64), table[part.numbers]))
    n_patterns = max(len(number_of), 1)
    graphs = np.concatenate([np.empty(0, dtype=np.int64), *[c[0] for c in columns]])
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *[c[1] for c in columns]])
    pairs, which = np.unique(graphs * n_patterns + numbers, return_inverse=True)

    def total(values: list[FloatArray]) -> FloatArray:
        joined = np.concatenate([np.empty(0), *values])
        return np.bincount(which, joined, len(pairs)).astype(np.float64)

    owners, numbers = np.divmod(pairs, n_patterns)
    return PatternParts(
        contributions=total([part.contributions for part in entries]),
        counts=np.bincount(owners, minlength=chunk.batch.n_graphs),
        numbers=numbers,
        amounts=total([part.amounts for part in entries]),
        patterns=list(number_of),
    )
