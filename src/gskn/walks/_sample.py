"""Sampled walks, their patterns, and the pattern rows of graphs too large for algebra."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from gskn._limits import MAX_WALK_LENGTH, MAX_WALKS
from gskn._offsets import positions_within, running_total
from gskn._random import RandomState, as_generator
from gskn._threads import run_threads
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray, NodeArray
from gskn._validation import check_cells, check_flag, check_int
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._exact import as_sparse, row_maxima
from gskn.walks._jit import fill_patterns, fill_running_sums, fill_sampled_rows, fill_walks
from gskn.walks._patterns import patterns

_NODES_AT_ONCE = 2048
_STEPS_AT_ONCE = 2**24  # about 0.2 seconds: Ctrl-C has to wait for a compiled loop
_BUFFER_CELLS = 2**22  # of the dense rows that one thread fills


def sample_walks(
    graphs: Any,
    length: int,
    n_walks: int = 30,
    *,
    random_state: RandomState = None,
    use_weights: bool = True,
    n_jobs: int | None = None,
) -> NodeArray:
    """Sample walks that visit ``length`` nodes from every node.

    Parameters
    ----------
    graphs : anything `as_batch` reads
        Graphs to walk on.
    length : int
        Nodes visited by a walk, its start included (the paper's *l*); at most 1,000.
    n_walks : int, default=30
        Walks per start node, at most 100,000.
    random_state : int, Generator or None, default=None
        Seed. A walk depends on the seed, on its node's place in its graph and on its
        number alone: not on threads, on other graphs or on their order.
    use_weights : bool, default=True
        Whether a step follows edges by their weight, else all alike.
    n_jobs : int or None, default=None
        Threads; None is one.

    Returns
    -------
    walks : ndarray of shape (n_nodes, n_walks, length)
        Visited nodes, numbered as in the batch. At a dead end a walk stays.

    Examples
    --------
    >>> import numpy as np
    >>> sample_walks(np.array([[0, 1], [1, 0]]), length=3, n_walks=1)[:, 0]
    array([[0, 1, 0],
           [1, 0, 1]], dtype=int32)
    """
    length = check_int(length, "length", minimum=1, maximum=MAX_WALK_LENGTH)
    n_walks = check_int(n_walks, "n_walks", minimum=1, maximum=MAX_WALKS)
    batch = as_batch(graphs)
    seed = as_seed(random_state)
    check_cells(
        batch.n_nodes * n_walks * length / 2,  # nodes have four bytes
        f"{n_walks} walks of {length} nodes from each of {batch.n_nodes} nodes",
        "take fewer walks, shorter ones, or fewer graphs at a time",
    )
    walks = np.empty((batch.n_nodes, n_walks, length), dtype=np.int32)
    matrix = batch.adjacency
    use_weights = check_flag(use_weights, "use_weights")
    totals = running_sums(batch, scaled_weights(batch, use_weights=use_weights))
    positions = positions_within(batch.graph_sizes)

    at_once = nodes_at_once(n_walks * length)

    def fill(start: int) -> None:
        part = walks[start : start + at_once]
        nodes = np.arange(start, start + len(part))
        fill_walks(matrix.indptr, matrix.indices, totals, positions, seed, nodes, part)

    run_threads(fill, list(range(0, batch.n_nodes, at_once)), n_jobs)
    return walks


def nodes_at_once(n_steps: int) -> int:
    """Return for how many nodes one compiled loop takes ``n_steps`` steps each."""
    return max(1, min(_NODES_AT_ONCE, _STEPS_AT_ONCE // n_steps))


def anonymize(walks: AnyArray) -> AnyArray:
    """Replace every node of a walk by the rank of its first visit.

    Parameters
    ----------
    walks : ndarray of shape (..., length)
        Nodes visited.

    Returns
    -------
    patterns : ndarray of the same shape
        Symbols, counted from 0.

    Examples
    --------
    >>> import numpy as np
    >>> anonymize(np.array([0, 9, 8, 11, 9]))
    array([0, 1, 2, 3, 1], dtype=int16)
    """
    walks = np.asarray(walks)
    if walks.dtype.kind not in "iu" or not walks.ndim:
        raise InputError(f"walks must be an array of node numbers, got {walks.dtype}.")
    length = walks.shape[-1]
    flat = np.ascontiguousarray(walks.reshape(walks.size // max(length, 1), length))
    result = np.empty(flat.shape, dtype=np.int16 if length < 2**15 else np.int32)
    fill_patterns(flat, result)
    return result.reshape(walks.shape)


def sampled_rows(
    batch: GraphBatch,
    nodes: IndexArray,
    lengths: tuple[int, ...],
    n_walks: int,
    seed: np.uint64,
    *,
    use_weights: bool,
    n_jobs: int | None,
) -> list[csr_array]:
    """Estimate the pattern probabilities of some nodes; the last step is exact.

    The walks are the same for all lengths: a short one begins a long one.
    """
    children, columns, wanted, cuts = _targets(lengths)
    matrix = batch.adjacency
    weights = scaled_weights(batch, use_weights=use_weights)
    totals, positions = running_sums(batch, weights), positions_within(batch.graph_sizes)
    at_once = min(
        nodes_at_once(n_walks * max(lengths)), max(16, _BUFFER_CELLS // int(cuts[-1]))
    )
    starts = list(range(0, len(nodes), at_once))

    def fill(start: int) -> list[csr_array]:
        part = nodes[start : start + at_once]
        rows = np.zeros((len(part), cuts[-1]))
        if lengths[0] == 1:
            rows[:, 0] = 1.0
        fill_sampled_rows(
            *(matrix.indptr, matrix.indices, weights, totals, positions, seed),
            *(part, n_walks, children, columns, wanted, rows),
        )
        return [as_sparse(block) for block in np.split(rows, cuts[1:-1], axis=1)]

    blocks = run_threads(fill, starts, n_jobs)
    empty = [csr_array((0, n_columns)) for n_columns in np.diff(cuts)]
    return [vstack(parts, format="csr") for parts in zip(empty, *blocks, strict=True)]


def _targets(
    lengths: tuple[int, ...],
) -> tuple[IndexArray, IndexArray, BoolArray, IndexArray]:
    """Return states, the columns of the wanted ones, and where lengths begin and end."""
    children, first_states = pattern_tree(max(lengths))
    columns = children.copy()
    wanted = np.zeros(max(lengths) + 1, dtype=bool)
    wanted[list(lengths)] = True
    cuts = running_total(np.array([len(patterns(k, staying=True)) for k in lengths]))
    for length, cut in zip(lengths, cuts[:-1], strict=True):
        columns[first_states[length - 1] : first_states[length]] -= (
            first_states[length] - cut
        )
    return children, columns, wanted, cuts


def as_seed(random_state: RandomState) -> np.uint64:
    """Draw the 64 bits that key all streams."""
    return np.uint64(as_generator(random_state).integers(0, 2**63))


@lru_cache(maxsize=16)
def pattern_tree(length: int) -> tuple[IndexArray, IndexArray]:
    """Return the state of every pattern with one more symbol, and the first of a length.

    States are patterns, numbered by length and then in the order of `patterns`.
    """
    sizes = [len(patterns(k, staying=True)) for k in range(1, length)]
    n_before = running_total(np.array([0, *sizes]))
    children = np.zeros((int(n_before[-1]), length), dtype=np.int64)
    for size in range(1, length):
        shorter = {tuple(p): n for n, p in enumerate(patterns(size, staying=True).tolist())}
        for number, pattern in enumerate(patterns(size + 1, staying=True).tolist()):
            parent = n_before[size] + shorter[tuple(pattern[:-1])]
            children[parent, pattern[-1]] = n_before[size + 1] + number
    return children, n_before


def scaled_weights(batch: GraphBatch, *, use_weights: bool) -> FloatArray:
    """Return weights scaled to at most 1 in every row, so that no sum overflows.

    Return an empty array if all weights are 1 or are not used.
    """
    if not use_weights or not batch.is_weighted:
        return np.empty(0)
    maxima = np.repeat(row_maxima(batch), batch.degrees)
    scaled: FloatArray = batch.adjacency.data / maxima
    return scaled


def running_sums(batch: GraphBatch, weights: FloatArray) -> FloatArray:
    """Return running sums of the weights within every row; empty for empty weights."""
    totals = np.empty_like(weights)
    if len(weights):
        fill_running_sums(batch.adjacency.indptr, weights, totals)
    return totals


def step_chances(batch: GraphBatch, weights: FloatArray) -> FloatArray:
    """Return the probability of every step, by weight if there are weights."""
    if not len(weights):
        return np.repeat(1.0 / np.maximum(batch.degrees, 1), batch.degrees)
    rows = np.repeat(np.arange(batch.n_nodes), batch.degrees)
    chances: FloatArray = weights / np.bincount(rows, weights, batch.n_nodes)[rows]
    return chances


def walks_for_landmarks(
    batch: GraphBatch, length: int, n_samples: int, seed: int
) -> NodeArray:
    """Sample about ``n_samples`` walks in total, from nodes chosen at random."""
    n_nodes = batch.n_nodes
    starts = np.random.default_rng(seed).permutation(n_nodes)[:n_samples]
    n_walks = max(1, n_samples // max(n_nodes, 1))
    walks = np.empty((len(starts), n_walks, length), dtype=np.int32)
    weights = scaled_weights(batch, use_weights=True)
    # Keyed by the node in the batch: first nodes of all graphs would walk alike.
    keys, totals = np.arange(n_nodes), running_sums(batch, weights)
    matrix = batch.adjacency
    fill_walks(matrix.indptr, matrix.indices, totals, keys, np.uint64(seed), starts, walks)
    return walks.reshape(-1, length)
