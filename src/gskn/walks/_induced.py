"""Induced patterns: a pattern, and which of the visited nodes are adjacent.

Walks are enumerated by a compiled loop while they are few enough, else sampled. What a
walk is called is packed into 64 bits: the number of its symbols, the rank of its pattern
among those with as many symbols, and two bits for every pair of symbols, for an edge
there and one back.
"""

import itertools
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.graphs import GraphBatch
from gskn.graphs._batch import positions_within, running_total
from gskn.walks._jit import enumerate_induced, sample_induced
from gskn.walks._patterns import patterns
from gskn.walks._sample import pattern_tree, running_sums, scaled_weights

MAX_INDUCED_LENGTH = 8  # the bits of longer ones do not fit
_FIRST_CAPACITY = 2**9


def induced_rows(
    batch: GraphBatch,
    is_exact: AnyArray,
    length: int,
    *,
    probability: bool,
    n_walks: int,
    seed: np.uint64,
) -> tuple[AnyArray, csr_array]:
    """Return the codes of the induced patterns found, sorted, and a row for every node."""
    matrix = batch.adjacency
    weights = scaled_weights(batch, use_weights=probability)
    totals = running_sums(batch, weights)
    positions = positions_within(batch.graph_sizes)
    children, packed = pattern_tree(length), _packed_patterns(length)
    graph_of = batch.node_graphs
    codes, values, counts = [], [], np.zeros(batch.n_nodes, dtype=np.int64)
    capacity = _FIRST_CAPACITY
    for node in range(batch.n_nodes):
        while True:
            keys = np.zeros(capacity, dtype=np.uint64)
            sums = np.zeros(capacity)
            if is_exact[graph_of[node]]:
                n_found = enumerate_induced(
                    *(matrix.indptr, matrix.indices, weights, node, length),
                    *(children, packed, probability, keys, sums),
                )
            else:
                n_found = sample_induced(
                    *(matrix.indptr, matrix.indices, totals, node, length, n_walks),
                    *(seed, positions[node], children, packed, keys, sums),
                )
            if n_found >= 0:
                break
            capacity *= 4  # the table was full: begin again with a larger one
        filled = np.flatnonzero(keys)
        codes.append(keys[filled])
        values.append(sums[filled])
        counts[node] = n_found
    return _as_rows(codes, values, counts)


def _as_rows(
    codes: list[AnyArray], values: list[FloatArray], counts: IndexArray
) -> tuple[AnyArray, csr_array]:
    joined = np.concatenate([*codes, np.empty(0, dtype=np.uint64)])
    distinct, columns = np.unique(joined, return_inverse=True)
    data = np.concatenate([*values, np.empty(0)])
    arrays = (data, columns.astype(np.int64), running_total(counts))
    rows = csr_array(arrays, shape=(len(counts), len(distinct)))
    rows.sort_indices()
    return distinct, rows


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
