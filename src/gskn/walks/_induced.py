"""Induced patterns: a pattern, and which of the visited nodes are adjacent.

Walks are enumerated by a compiled loop while they are few enough, else sampled. What a
walk is called is packed into 64 bits: the number of its symbols, the rank of its pattern
among those with as many symbols, and two bits for every pair of symbols, for an edge
there and one back.
"""

import itertools
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from scipy.sparse import csr_array

from gskn._offsets import positions_within, running_total
from gskn._threads import cut_by_work, run_threads
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.walks._exact import n_walks_from, with_dead_ends
from gskn.walks._jit import fill_induced
from gskn.walks._patterns import patterns
from gskn.walks._sample import pattern_tree, running_sums, scaled_weights, step_chances

MAX_INDUCED_LENGTH = 8  # the bits of longer ones do not fit
_FIRST_CAPACITY = 2**12
_NODES_AT_ONCE = 2**14
_WORK_A_WALK = 32.0  # in multiplications, about
_NONE = (np.empty(0, np.uint64), np.empty(0), np.empty(0, np.int64))


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
    """Return the codes of the induced patterns found, sorted, and a row for every node."""
    matrix, owners = batch.adjacency, batch.node_graphs
    weights = scaled_weights(batch, use_weights=True)
    children, first_states = pattern_tree(length)
    packed = np.concatenate(
        [np.zeros(first_states[length], dtype=np.uint64), _packed_patterns(length)]
    )
    fill = partial(
        fill_induced,
        matrix.indptr,
        matrix.indices,
        step_chances(batch, weights) if probability else np.empty(0),
        running_sums(batch, weights),
        batch.directed[owners],
        ~is_exact[owners],
        positions_within(batch.graph_sizes),
        seed,
        n_walks,
        children,
        packed,
    )

    work = np.where(
        is_exact[owners],
        n_walks_from(with_dead_ends(matrix.tocsr()), max(length - 1, 1)),
        float(n_walks * length),
    )

    def collect(first: int) -> tuple[AnyArray, FloatArray, IndexArray]:
        nodes = np.arange(first, min(first + _NODES_AT_ONCE, batch.n_nodes))
        return _collect(fill, nodes, work)

    parts = run_threads(collect, list(range(0, batch.n_nodes, _NODES_AT_ONCE)), n_jobs)
    codes, values, counts = (
        np.concatenate(part) for part in zip(_NONE, *parts, strict=True)
    )
    distinct, columns = np.unique(codes, return_inverse=True)
    shape = (batch.n_nodes, len(distinct))
    rows = csr_array((values, columns.astype(np.int64), running_total(counts)), shape)
    rows.sort_indices()
    return distinct, rows


def _collect(
    fill: Callable[..., int], nodes: IndexArray, work: FloatArray
) -> tuple[AnyArray, FloatArray, IndexArray]:
    """Return codes, values and their number for some nodes, one after another.

    ``work`` is the number of walks from every node of the batch.
    """
    scratch = np.full(len(work), -1, np.int8), np.zeros(len(work), np.uint64)
    pieces, capacity = [_NONE], _FIRST_CAPACITY
    for some in cut_by_work(nodes, _WORK_A_WALK * work[nodes], len(nodes)):
        found, capacity = _fill_tables(fill, some, scratch, capacity)
        pieces += found
    codes, values, counts = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return codes, values, counts


def _fill_tables(
    fill: Callable[..., int],
    nodes: IndexArray,
    scratch: tuple[AnyArray, AnyArray],
    capacity: int,
) -> tuple[list[tuple[AnyArray, FloatArray, IndexArray]], int]:
    """Return codes, values and their number in pieces, and the capacity of the tables."""
    pieces = []
    while len(nodes):
        table = (
            *scratch,
            np.zeros(capacity, np.uint64),
            np.empty(capacity),
            np.zeros(capacity, np.int64),
        )
        # A table is at most half full, so that one node always fits the lists.
        codes, values = np.empty(4 * capacity, np.uint64), np.empty(4 * capacity)
        counts = np.empty(len(nodes), np.int64)
        n_done = fill(nodes, table, codes, values, counts)
        n_codes = counts[:n_done].sum()
        pieces.append((codes[:n_codes], values[:n_codes], counts[:n_done]))
        nodes = nodes[n_done:]
        if not n_done:
            capacity *= 4
    return pieces, capacity


def unpack(codes: AnyArray, length: int) -> tuple[AnyArray, list[list[tuple[int, int]]]]:
    """Return the patterns that codes stand for, and the arcs between their symbols."""
    listed = patterns(length, staying=True)
    of_size = [np.flatnonzero(listed.max(axis=1) + 1 == k) for k in range(length + 1)]
    found, arcs = [], []
    for code in codes.tolist():
        n_symbols = code >> 60
        n_bits = n_symbols * (n_symbols - 1)
        rank = (code & (2**60 - 1)) >> n_bits
        found.append(listed[of_size[n_symbols][rank]])
        arcs.append(_arcs(code, n_symbols))
    return np.array(found, dtype=np.int8).reshape(-1, length), arcs


def _arcs(code: int, n_symbols: int) -> list[tuple[int, int]]:
    arcs = []
    for high in range(1, n_symbols):
        for low in range(high):
            bit = high * (high - 1) + 2 * low
            arcs += [(low, high)] if code >> bit & 1 else []
            arcs += [(high, low)] if code >> (bit + 1) & 1 else []
    return sorted(arcs)


@lru_cache(maxsize=16)
def _packed_patterns(length: int) -> AnyArray:
    """Return, for every pattern, its code before the bits of its arcs are set."""
    listed = patterns(length, staying=True)
    sizes = listed.max(axis=1).astype(np.int64) + 1
    packed = np.zeros(len(listed), dtype=np.uint64)
    for n_symbols in range(1, length + 1):
        numbers = np.flatnonzero(sizes == n_symbols)
        ranks = np.arange(len(numbers), dtype=np.uint64)
        shift = np.uint64(n_symbols * (n_symbols - 1))
        packed[numbers] = np.uint64(n_symbols) << np.uint64(60) | ranks << shift
    return packed


def induced_names(patterns: AnyArray, arcs: list[list[tuple[int, int]]]) -> list[str]:
    """Write induced patterns as "0-1-2-3 {0-2}": also the edges that are not walked."""
    return [
        f"{'-'.join(map(str, pattern))}{_extra(pattern, pairs)}"
        for pattern, pairs in zip(patterns.tolist(), arcs, strict=True)
    ]


def _extra(pattern: list[int], arcs: list[tuple[int, int]]) -> str:
    """List the pairs that are joined but not walked, and all that are joined one way."""
    walked = {(min(s), max(s)) for s in itertools.pairwise(pattern)}
    found = set(arcs)
    texts = []
    for a, b in sorted({(min(arc), max(arc)) for arc in arcs}):
        if (a, b) in found and (b, a) in found:
            texts += [] if (a, b) in walked else [f"{a}-{b}"]
        else:
            texts.append(f"{a}>{b}" if (a, b) in found else f"{b}>{a}")
    return f" {{{' '.join(texts)}}}" if texts else ""
