"""Induced patterns: patterns with the edges between visited nodes.

Walks are enumerated by a compiled loop if they are few enough, else sampled. The induced
pattern of a walk is packed into 64 bits: the number of its symbols, the rank of its pattern
among the patterns with this number of symbols, and two bits for every pair of symbols, one
for each direction of an edge.
"""

import itertools
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import MAX_INDUCED_ENTRIES
from gskn._offsets import positions_within, running_total
from gskn._threads import cut_by_work, run_threads
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._jit_induced import (
    CodeLists,
    InducedWalks,
    NodeMarks,
    PatternStates,
    Table,
    fill_induced,
    number_codes,
)
from gskn.walks._patterns import pattern_tree, patterns
from gskn.walks._steps import (
    count_walks,
    scaled_weights,
    step_probabilities,
    walk_graph,
    with_dead_ends,
)
from gskn.walks._twins import Twins

_FIRST_CAPACITY = 2**12
_CHUNK_NODES = 2**14
_WALK_WORK = 32.0  # of one walk, in multiplications (approximate)
_EMPTY = CodeLists(np.empty(0, np.uint64), np.empty(0), np.empty(0, np.int64))

# Nodes, marks, table and lists to the number of nodes that are done; see `fill_induced`.
_Fill: TypeAlias = Callable[[IndexArray, NodeMarks, Table, CodeLists], int]
_Arcs: TypeAlias = list[tuple[int, int]]


def induced_rows(
    batch: GraphBatch,
    is_exact: AnyArray,
    length: int,
    *,
    probability: bool,
    n_walks: int,
    seed: np.uint64,
    n_jobs: int | None = None,
) -> tuple[AnyArray, csr_array]:
    """Return the sorted codes of all induced patterns that occur, and a row per node."""
    owners = batch.node_graphs
    weights = scaled_weights(batch, use_weights=True)
    walks = InducedWalks(
        probabilities=step_probabilities(batch, weights) if probability else np.empty(0),
        directed=batch.directed[owners],
        sampled=~is_exact[owners],
        n_walks=n_walks,
        weighted=probability and len(weights) > 0,
        looped=bool(batch.adjacency.diagonal().any()),
    )
    staying = walks.looped or bool((batch.degrees == 0).any())
    fill = partial(
        fill_induced,
        walk_graph(batch, weights, positions_within(batch.graph_sizes), seed),
        walks,
        _pattern_states(length, staying=staying),
    )
    steps = with_dead_ends(batch.adjacency.tocsr())
    work = np.where(
        walks.sampled, float(n_walks * length), count_walks(steps, max(length - 1, 1))
    )

    # Twins have equal rows; those of sampled, directed or weighted graphs are not shared.
    is_shared = np.asarray(is_exact & ~batch.directed)
    is_shared &= not (walks.weighted or walks.looped)
    twins = Twins.from_steps(batch.adjacency, batch.graph_ptr, is_shared)

    n_entries = np.zeros(1, dtype=np.int64)  # of all threads

    def collect(first: int) -> CodeLists:
        nodes = twins.first[first : first + _CHUNK_NODES]
        return _collect(fill, nodes, work, n_entries)

    parts = run_threads(collect, list(range(0, len(twins.first), _CHUNK_NODES)), n_jobs)
    lists = _concatenate(parts)
    codes, columns = _distinct_codes(lists.codes)
    entries = (lists.values, columns, running_total(lists.counts))
    rows = csr_array(entries, (len(twins.first), len(codes)))
    rows.sort_indices()
    if not twins.used.any():
        return codes, rows
    _check_entries(lists.counts[twins.group_of].sum())
    return codes, rows[twins.group_of]


def _distinct_codes(codes: AnyArray) -> tuple[AnyArray, IndexArray]:
    """Return the distinct codes, sorted, and the place of every code among them.

    The same as `numpy.unique`, which sorts all codes, of which few are distinct.
    """
    columns, capacity = np.empty(len(codes), dtype=np.int64), _FIRST_CAPACITY
    while True:
        keys, numbers = np.zeros(capacity, np.uint64), np.empty(capacity, np.int64)
        n_codes = number_codes(codes, keys, numbers, columns)
        if n_codes >= 0:
            break
        capacity *= 4
    is_used = keys != 0
    distinct, places = np.empty(n_codes, np.uint64), np.empty(n_codes, np.int64)
    distinct[numbers[is_used]] = keys[is_used]
    order = np.argsort(distinct)
    places[order] = np.arange(n_codes)
    return distinct[order], places[columns]


def _check_entries(n_entries: int) -> None:
    """Raise if a table does not fit into memory."""
    if n_entries > MAX_INDUCED_ENTRIES:
        raise InputError(
            f"Induced patterns need a table of more than {MAX_INDUCED_ENTRIES:,} counts; "
            "pass fewer graphs at once, or use a smaller length."
        )


def _collect(
    fill: _Fill, nodes: IndexArray, work: FloatArray, n_entries: IndexArray
) -> CodeLists:
    """Return the codes of some nodes, and add their number to ``n_entries``.

    ``work`` is the number of walks from every node.
    """
    marks = NodeMarks(np.full(len(work), -1, np.int8), np.zeros(len(work), np.uint64))
    pieces: list[CodeLists] = []
    capacity = _FIRST_CAPACITY
    for some in cut_by_work(nodes, _WALK_WORK * work[nodes], len(nodes)):
        filled, capacity = _fill_lists(fill, some, marks, capacity)
        pieces += filled
        n_entries += sum(len(piece.codes) for piece in filled)
        _check_entries(int(n_entries[0]))
    return _concatenate(pieces)


def _fill_lists(
    fill: _Fill, nodes: IndexArray, marks: NodeMarks, capacity: int
) -> tuple[list[CodeLists], int]:
    """Return the codes of some nodes in pieces, and the capacity of the last table."""
    pieces = []
    while len(nodes):
        table = Table(
            np.zeros(capacity, np.uint64),
            np.empty(capacity, np.int64),
            np.zeros(2 + capacity, np.int64),
            np.zeros(8 * capacity),
        )
        # As long as the table, so that one node always fits the lists.
        lists = CodeLists(
            np.empty(8 * capacity, np.uint64),
            np.empty(8 * capacity),
            np.empty(len(nodes), np.int64),
        )
        n_done = fill(nodes, marks, table, lists)
        counts = lists.counts[:n_done]
        n_codes = counts.sum()
        pieces.append(CodeLists(lists.codes[:n_codes], lists.values[:n_codes], counts))
        nodes = nodes[n_done:]
        if not n_done:
            capacity *= 4
            _check_entries(8 * capacity)
    return pieces, capacity


def _concatenate(pieces: list[CodeLists]) -> CodeLists:
    fields = zip(_EMPTY, *pieces, strict=True)
    return CodeLists(*(np.concatenate(arrays) for arrays in fields))


@lru_cache(maxsize=16)
def _pattern_states(length: int, *, staying: bool) -> PatternStates:
    """Return the tree of patterns, and the rank of every pattern of full length."""
    children, first_states = pattern_tree(length)
    sizes = patterns(length, staying=True).max(axis=1).astype(np.int64) + 1
    # Patterns in which the walk stays come last.
    n_used = len(patterns(length, staying=staying))
    ranks = np.empty(len(sizes), dtype=np.int64)
    for n_symbols in range(1, length + 1):
        is_size = sizes == n_symbols
        ranks[is_size] = np.arange(is_size.sum())
    shorter = [patterns(size, staying=True)[:, -1] for size in range(1, length)]
    last = np.concatenate([np.empty(0), *shorter]).astype(np.int64)
    row_sizes = np.bincount(sizes[:n_used], minlength=length + 1)
    first_open, first_full = first_states[[length - 1, length]].tolist()
    return PatternStates(children, last, ranks, row_sizes, first_open, first_full)


def unpack(codes: AnyArray, length: int) -> tuple[AnyArray, list[_Arcs]]:
    """Return the patterns of some codes, and the arcs between their symbols."""
    listed = patterns(length, staying=True)
    by_size = [np.flatnonzero(listed.max(axis=1) + 1 == k) for k in range(length + 1)]
    arc_bits = [_arc_bits(n_symbols) for n_symbols in range(length + 1)]
    rows, arcs = [], []
    for code in codes.tolist():
        n_symbols = code >> 60
        n_bits = n_symbols * (n_symbols - 1)
        rows.append(by_size[n_symbols][(code & (2**60 - 1)) >> n_bits])
        arcs.append([arc for bit, arc in arc_bits[n_symbols] if code & bit])
    return listed[np.array(rows, dtype=np.int64)].astype(np.int8), arcs


def _arc_bits(n_symbols: int) -> list[tuple[int, tuple[int, int]]]:
    """Return the bit of every arc between two symbols, sorted by arc."""
    return [
        (1 << (high * (high - 1) + 2 * low + (a > b)), (a, b))
        for a, b in itertools.permutations(range(n_symbols), 2)
        for low, high in [sorted((a, b))]
    ]


def induced_names(patterns: AnyArray, arcs: list[_Arcs]) -> list[str]:
    """Return names such as "0-1-2-3 {0-2}": the edges that the walk does not use follow."""
    return [
        f"{'-'.join(map(str, pattern))}{_extra_edges(pattern, pairs)}"
        for pattern, pairs in zip(patterns.tolist(), arcs, strict=True)
    ]


def _extra_edges(pattern: list[int], arcs: _Arcs) -> str:
    """List the edges that the walk does not use, and all edges of one direction."""
    walked = {(min(step), max(step)) for step in itertools.pairwise(pattern)}
    present = set(arcs)
    texts = []
    for a, b in sorted({(min(arc), max(arc)) for arc in arcs}):
        if (a, b) in present and (b, a) in present:
            texts += [] if (a, b) in walked else [f"{a}-{b}"]
        else:
            texts.append(f"{a}>{b}" if (a, b) in present else f"{b}>{a}")
    return f" {{{' '.join(texts)}}}" if texts else ""
