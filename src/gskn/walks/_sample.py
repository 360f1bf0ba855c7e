"""Sampled walks and their patterns."""

from typing import Any

import numpy as np

from gskn._limits import MAX_WALK_LENGTH, MAX_WALKS
from gskn._offsets import positions_within
from gskn._random import RandomState, as_generator
from gskn._threads import run_threads
from gskn._types import AnyArray, NodeArray
from gskn._validation import check_cells, check_flag, check_int
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._jit_walks import fill_patterns, fill_walks
from gskn.walks._steps import scaled_weights, walk_graph

_MAX_NODES = 2048  # start nodes of one compiled loop
_MAX_STEPS = 2**24  # about 0.2 seconds: Ctrl-C has to wait for a compiled loop


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
    graphs : graph input
        Anything that `as_batch` accepts.
    length : int
        Number of nodes visited by a walk, including its start (the paper's *l*); at most
        1,000.
    n_walks : int, default=30
        Walks per start node, at most 100,000.
    random_state : int, Generator or None, default=None
        Seed. A walk depends on the seed, the position of its start in its graph and the
        index of the walk. It does not depend on threads, other graphs or their order.
    use_weights : bool, default=True
        Whether steps are drawn in proportion to edge weights, or uniformly.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 one per core.

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
    use_weights = check_flag(use_weights, "use_weights")
    batch = as_batch(graphs)
    seed = as_seed(random_state)
    check_cells(
        batch.n_nodes * n_walks * length / 2,  # nodes have four bytes
        f"{n_walks} walks of {length} nodes from each of {batch.n_nodes} nodes",
        "use fewer walks, shorter walks, or fewer graphs at a time",
    )
    walks = np.empty((batch.n_nodes, n_walks, length), dtype=np.int32)
    weights = scaled_weights(batch, use_weights=use_weights)
    graph = walk_graph(batch, weights, positions_within(batch.graph_sizes), seed)
    n_starts = count_loop_nodes(n_walks * length)

    def fill(start: int) -> None:
        part = walks[start : start + n_starts]
        fill_walks(graph, np.arange(start, start + len(part)), part)

    run_threads(fill, list(range(0, batch.n_nodes, n_starts)), n_jobs)
    return walks


def count_loop_nodes(n_steps: int) -> int:
    """Return the number of nodes for one compiled loop, given the steps of a node."""
    return max(1, min(_MAX_NODES, _MAX_STEPS // n_steps))


def anonymize(walks: AnyArray) -> AnyArray:
    """Replace every node of a walk by the rank of its first visit.

    Parameters
    ----------
    walks : ndarray of shape (..., length)
        Visited nodes.

    Returns
    -------
    patterns : ndarray of the same shape
        Symbols, starting at 0.

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


def as_seed(random_state: RandomState) -> np.uint64:
    """Draw the 64 bits that key all random streams."""
    return np.uint64(as_generator(random_state).integers(0, 2**63))


def walks_for_landmarks(
    batch: GraphBatch, length: int, n_samples: int, seed: int
) -> NodeArray:
    """Sample about ``n_samples`` walks in total, from nodes chosen at random."""
    n_nodes = batch.n_nodes
    starts = np.random.default_rng(seed).permutation(n_nodes)[:n_samples]
    n_walks = max(1, n_samples // max(n_nodes, 1))
    walks = np.empty((len(starts), n_walks, length), dtype=np.int32)
    weights = scaled_weights(batch, use_weights=True)
    # Keyed by the node in the batch: with positions in graphs, the walks from the first
    # nodes of all graphs would be correlated.
    graph = walk_graph(batch, weights, np.arange(n_nodes), np.uint64(seed))
    fill_walks(graph, starts, walks)
    return walks.reshape(-1, length)
