"""refine_colors: colors of nodes, refined by the colors of their neighbors."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from gskn._limits import MAX_ITERATIONS
from gskn._types import IndexArray
from gskn._validation import check_flag, check_int, shorten
from gskn.colors._hashes import Hashes, hash_rows, hash_values, mix, ranks
from gskn.colors._steps import all_steps, refine
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch


def refine_colors(
    graphs: Any,
    initial: Any = None,
    *,
    n_rounds: int | None = None,
    labels: bool = True,
) -> IndexArray:
    """Refine the colors of nodes by the colors of their neighbors (1-WL).

    In every round, two nodes keep the same color if they have the same color and the same
    multiset of the colors of their neighbors, with the labels of the edges to and from
    each neighbor.

    Parameters
    ----------
    graphs : graph input
        Anything that `as_batch` accepts. Attributes and weights are ignored.
    initial : array of shape (n_nodes,) or (n_nodes, n_columns), dense or sparse
        Initial colors: nodes with equal rows of numbers have equal colors. None for equal
        colors of all nodes.
    n_rounds : int, default=None
        Number of rounds; None refines until no color changes.
    labels : bool, default=True
        Whether nodes with different labels have different initial colors, and edges with
        different labels lead to different colors.

    Returns
    -------
    colors : ndarray of shape (n_nodes,)
        Colors as integers from 0. Colors of all graphs of the call can be compared. They
        do not depend on the order of nodes.

    Notes
    -----
    Colors are computed as two independent hashes of 64 bits. If their mixing function were
    random, n distinct colors, in all rounds, of nodes of at most d neighbors would collide
    with probability below n^2 (d + 1)^2 / 2^129: below 2^-69 for a million colors and a
    thousand neighbors. A round takes time and memory proportional to the number of edges.

    References
    ----------
    Boris Weisfeiler and Andrei Leman, "The reduction of a graph to canonical form and the
    algebra which appears therein", 1968.

    Examples
    --------
    >>> import networkx as nx
    >>> refine_colors([nx.path_graph(4), nx.cycle_graph(3)])
    array([2, 1, 1, 2, 0, 0, 0])
    """
    batch = as_batch(graphs)
    hashes = initial_hashes(batch, initial, labels=labels)
    rounds = color_rounds(batch, hashes, n_rounds=n_rounds, labels=labels)
    return deque(rounds, maxlen=1).pop()


def color_rounds(
    batch: GraphBatch, hashes: Hashes, *, n_rounds: int | None = None, labels: bool = True
) -> Iterator[IndexArray]:
    """Yield the colors of round 0, 1, ..., until they are stable or for some rounds."""
    steps = all_steps(batch, labels=labels)
    colors = ranks(hashes)
    for _ in round_numbers(n_rounds):
        yield colors
        hashes = refine(steps, hashes)
        refined = ranks(hashes)
        if n_rounds is None and refined.max(initial=0) == colors.max(initial=0):
            return
        colors = refined
    yield colors


def round_numbers(n_rounds: int | None) -> range:
    """Return a range of the checked number of rounds."""
    # No graph that fits into memory needs more rounds than the largest integer.
    if n_rounds is None:
        return range(np.iinfo(np.int64).max)
    return range(check_int(n_rounds, "n_rounds", minimum=0, maximum=MAX_ITERATIONS))


def initial_hashes(batch: GraphBatch, initial: Any, *, labels: bool) -> Hashes:
    """Return the hashes of the initial colors and labels of all nodes."""
    if initial is None:
        initial = np.zeros(batch.n_nodes)
    hashes = hash_rows(_check_initial(initial, batch.n_nodes))
    if check_flag(labels, "labels") and batch.node_labels is not None:
        hashes = mix(mix(hashes) + hash_values(batch.label_values)[:, batch.node_labels])
    return hashes


def _check_initial(initial: Any, n_nodes: int) -> Any:
    """Return initial colors as a matrix with one row per node."""
    rows = initial if issparse(initial) else np.asarray(initial)
    if rows.dtype.kind not in "biuf" or rows.ndim not in {1, 2}:
        raise InputError(
            f"initial must be one number or one row of numbers per node, got "
            f"{shorten(initial)}."
        )
    if rows.shape[0] != n_nodes:
        raise InputError(f"initial has {rows.shape[0]} rows for {n_nodes} nodes.")
    numbers: Any = rows.data if issparse(rows) else rows
    if numbers.dtype.kind in "iu" and (np.abs(numbers.astype(np.float64)) > 2**53).any():
        raise InputError(
            "initial has integers above 2^53, which floats do not represent exactly; "
            "pass numpy.unique(initial, return_inverse=True)[1]."
        )
    return csr_array(rows) if rows.ndim == 2 else rows[:, None]
