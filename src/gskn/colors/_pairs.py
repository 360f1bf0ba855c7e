"""pair_colors: colors of pairs of nodes, refined by the colors of other pairs."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gskn._limits import MAX_PAIR_CELLS, MAX_PAIR_NODES
from gskn._offsets import running_total
from gskn._types import IndexArray
from gskn._validation import check_choice
from gskn.colors._hashes import Hashes, mix, ranks
from gskn.colors._jit_products import add_products
from gskn.colors._nodes import initial_hashes, round_numbers
from gskn.colors._steps import Steps, all_steps
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch

# Digits of the fraction of the golden ratio, and of the square roots of 5 and 7.
_EDGE, _LEFT, _RIGHT = np.array(
    [0x9E3779B97F4A7C15, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1], dtype=np.uint64
)

Method = Literal["2-fwl", "sswl"]


def pair_colors(
    graphs: Any,
    initial: Any = None,
    *,
    method: Method = "2-fwl",
    n_rounds: int | None = None,
    labels: bool = True,
) -> list[IndexArray]:
    """Refine the colors of pairs of nodes (2-FWL or subgraph WL).

    The initial color of a pair (u, v) consists of the colors of u and v, the edges between
    them, and whether u = v. In every round, pairs keep the same color if they have the
    same color and the same multiset: for "2-fwl", of the colors of (u, w) and (w, v) for
    all nodes w; for "sswl", of the colors of (u, w) for the neighbors w of v, and of
    (w, v) for the neighbors w of u.

    Parameters
    ----------
    graphs : graph input
        Anything that `as_batch` accepts, with at most 1,000 nodes per graph and 16 million
        pairs. Attributes and weights are ignored.
    initial : array of shape (n_nodes,) or (n_nodes, n_columns), dense or sparse
        Initial colors of nodes as in `refine_colors`, for example rows of patterns.
    method : {"2-fwl", "sswl"}, default="2-fwl"
        "2-fwl" is as expressive as 3-WL, and takes time n^3 for n nodes in every round.
        "sswl" is less expressive and takes time n m for m edges.
    n_rounds : int, default=None
        Number of rounds; None refines until no color changes.
    labels : bool, default=True
        Whether to use the labels of nodes and edges, as in `refine_colors`.

    Returns
    -------
    colors : list of ndarray of shape (n_nodes, n_nodes)
        One matrix of integers for every graph. Colors of all graphs of the call can be
        compared. They do not depend on the order of nodes.

    Notes
    -----
    Colors are computed as hashes of 128 bits. If their mixing function were random, two
    different multisets of "2-fwl" would have equal hashes with probability below 2^-100,
    so n colors collide with probability below n^2 / 2^101. A pair takes up to 130 bytes of
    memory (measured on graphs of 1,000 nodes: up to 97 for "2-fwl", 128 for "sswl").

    References
    ----------
    Jin-Yi Cai, Martin Fürer and Neil Immerman, "An optimal lower bound on the number of
    variables for graph identification", 1992.

    Bohang Zhang, Guhao Feng, Yiheng Du, Di He and Liwei Wang, "A complete expressiveness
    hierarchy for subgraph GNNs via subgraph Weisfeiler-Lehman tests", 2023.

    Examples
    --------
    >>> import networkx as nx
    >>> ring_of_six, two_triangles = pair_colors(
    ...     [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    ... )
    >>> len(set(ring_of_six.ravel())), len(set(two_triangles.ravel()))
    (4, 3)
    """
    batch = as_batch(graphs)
    hashes = initial_hashes(batch, initial, labels=labels)
    rounds = pair_rounds(batch, hashes, method=method, n_rounds=n_rounds, labels=labels)
    return deque(rounds, maxlen=1).pop()


def pair_rounds(
    batch: GraphBatch,
    hashes: Hashes,
    *,
    method: str,
    n_rounds: int | None = None,
    labels: bool = True,
) -> Iterator[list[IndexArray]]:
    """Yield the colors of pairs of round 0, 1, ..., until stable or for some rounds."""
    check_choice(method, "method", choices=["2-fwl", "sswl"])
    check_pairs(batch)
    update = _add_all if method == "2-fwl" else _add_neighbors
    pairs = [
        _Pairs.from_graph(batch[number], hashes[:, first:end], labels=labels)
        for number, (first, end) in enumerate(
            zip(batch.graph_ptr[:-1], batch.graph_ptr[1:], strict=True)
        )
    ]
    colors = _joint_ranks(pairs)
    for _ in round_numbers(n_rounds):
        yield colors
        for graph in pairs:
            graph.refine(update)
        refined = _joint_ranks(pairs)
        if n_rounds is None and _n_colors(refined) == _n_colors(colors):
            return
        colors = refined
    yield colors


def node_hashes(
    batch: GraphBatch, hashes: Hashes, *, n_rounds: int, labels: bool
) -> Hashes:
    """Return two hashes of the colors of the pairs of every node, for every round.

    The shape is (n_rounds + 1, 2, n_nodes). Graphs are refined one after another.
    """
    nodes = np.empty((n_rounds + 1, *hashes.shape), dtype=np.uint64)
    for number in range(batch.n_graphs):
        graph = batch[number]
        check_pairs(graph)
        part = slice(*batch.graph_ptr[number : number + 2])
        pairs = _Pairs.from_graph(graph, hashes[:, part], labels=labels)
        for n_done in range(n_rounds + 1):
            own = np.diagonal(pairs.colors, axis1=1, axis2=2)
            nodes[n_done, :, part] = mix(mix(own) + mix(pairs.colors).sum(axis=2))
            if n_done < n_rounds:
                pairs.refine(_add_all)
    return nodes


def stable_hash(graph: GraphBatch, hashes: Hashes, *, labels: bool) -> Hashes:
    """Return two hashes of the stable colors of all pairs of one graph (2-FWL).

    They can be compared with those of other calls, because graphs with equal colors need
    the same number of rounds.
    """
    pairs = _Pairs.from_graph(graph, hashes, labels=labels)
    n_colors, n_rounds = -1, 0
    while (refined := _n_colors(_joint_ranks([pairs]))) > n_colors:
        n_colors, n_rounds = refined, n_rounds + 1
        pairs.refine(_add_all)
    total: Hashes = mix(pairs.colors).sum(axis=(1, 2)) + np.uint64(n_rounds)
    return total


def check_pairs(batch: GraphBatch) -> None:
    """Raise if the pairs of nodes do not fit into memory."""
    sizes = batch.graph_sizes
    largest, n_pairs = sizes.max(initial=0), (sizes**2).sum()
    if largest > MAX_PAIR_NODES:
        raise InputError(
            f"A graph has {largest} nodes; colors of pairs are limited to "
            f"{MAX_PAIR_NODES} nodes. Use colors of nodes: refine_colors, or method='1-wl'."
        )
    if n_pairs > MAX_PAIR_CELLS:
        raise InputError(
            f"The graphs have {n_pairs:,} pairs of nodes, more than {MAX_PAIR_CELLS:,}; "
            "pass fewer graphs at once."
        )


@dataclass
class _Pairs:
    """Colors of the pairs of nodes of one graph, of shape (2, n_nodes, n_nodes)."""

    colors: Hashes
    steps: list[Steps]

    @classmethod
    def from_graph(cls, graph: GraphBatch, nodes: Hashes, *, labels: bool) -> "_Pairs":
        """Return the initial colors, given the colors of the nodes."""
        steps = all_steps(graph, labels=labels)
        size = graph.n_nodes
        edges = np.zeros((2, size, size), dtype=np.uint64)
        for step in steps:
            entries = step.matrix.tocoo()
            edges[:, entries.row, entries.col] = mix(step.salt ^ _EDGE)[:, None]
        colors = mix(mix(nodes)[:, :, None] + mix(nodes ^ _RIGHT)[:, None, :])
        colors = mix(colors + edges)
        colors[:, np.arange(size), np.arange(size)] ^= _EDGE
        return cls(colors, steps)

    def refine(self, update: Callable[["_Pairs", Hashes], None]) -> None:
        """Refine the colors by one round."""
        refined = mix(mix(self.colors))
        update(self, refined)
        self.colors = mix(refined)


def _add_all(pairs: _Pairs, total: Hashes) -> None:
    """Add a hash of the colors of (u, w) and (w, v) for all w."""
    # Let the numbers in which two multisets of pairs of colors (a, b) differ be N_ab, at
    # most 1,000, so divisible by at most 2^9. For random integers R_a and S_b, the sum of
    # N_ab R_a S_b is 0 modulo 2^64 with probability at most 28.5 / 2^55 < 2^-50, and both
    # sums with probability below 2^-100.
    for lane, sums in zip(pairs.colors, total, strict=True):
        add_products(mix(lane ^ _LEFT), mix(lane ^ _RIGHT), sums)


def _add_neighbors(pairs: _Pairs, total: Hashes) -> None:
    """Add hashes of the colors of (u, w) for w next to v and (w, v) for w next to u."""
    for step in pairs.steps:
        by_second = step.sum(pairs.colors.transpose(0, 2, 1) ^ _RIGHT)
        total += step.sum(pairs.colors ^ _LEFT) + by_second.transpose(0, 2, 1)


def _joint_ranks(pairs: list[_Pairs]) -> list[IndexArray]:
    """Return the colors of all graphs as integers."""
    parts = [graph.colors.reshape(2, -1) for graph in pairs]
    joined = np.concatenate([np.empty((2, 0), dtype=np.uint64), *parts], axis=1)
    cuts = running_total([part.shape[1] for part in parts])[1:-1]
    split = np.split(ranks(joined), cuts)
    return [
        part.reshape(graph.colors.shape[1:])
        for part, graph in zip(split, pairs, strict=False)
    ]


def _n_colors(colors: list[IndexArray]) -> int:
    return max((int(part.max(initial=-1)) for part in colors), default=-1)
