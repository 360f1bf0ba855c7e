"""A sample of whole graphs out of a stream, in one pass and bounded memory."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch

FIT_NODES = 2**17  # landmarks are chosen among the walks of at most so many nodes


def sample_graphs(
    chunks: Iterable[Any], n_nodes: int, generator: np.random.Generator
) -> GraphBatch:
    """Return graphs at random, in their order, until they have ``n_nodes`` nodes.

    Every graph draws a number, and those with the smallest are kept: which ones does not
    depend on chunks. All are kept where they have fewer nodes together.
    """
    kept: list[GraphBatch] = []
    draws = np.empty(0)
    limit, n_waiting = np.inf, 0
    for chunk in chunks:
        batch = as_batch(chunk)
        drawn = generator.random(batch.n_graphs)
        chosen = np.flatnonzero(drawn < limit)
        kept.append(batch[chosen])
        draws = np.concatenate([draws, drawn[chosen]])
        n_waiting += kept[-1].n_nodes + kept[-1].n_graphs
        if n_waiting > n_nodes:
            sample, draws, limit = _smallest(GraphBatch.concat(kept), draws, n_nodes)
            kept, n_waiting = [sample], 0
    if not len(draws):
        raise InputError("There are no graphs to fit to; give at least one with nodes.")
    return _smallest(GraphBatch.concat(kept), draws, n_nodes)[0]


def check_nodes(batch: GraphBatch) -> None:
    """Refuse graphs without nodes: there is nothing to fit to."""
    if not batch.n_nodes:
        raise InputError(
            f"There are no nodes to fit to in {batch.n_graphs} graphs; give at least one "
            "graph with nodes."
        )


def draw_graphs(sizes: IndexArray, generator: np.random.Generator) -> IndexArray:
    """Return graphs at random, in their order, until they have enough nodes to fit to."""
    order = generator.permutation(len(sizes))
    n_chosen = int(np.searchsorted(np.cumsum(sizes[order]), FIT_NODES)) + 1
    return np.sort(order[:n_chosen])


def _smallest(
    batch: GraphBatch, draws: FloatArray, n_nodes: int
) -> tuple[GraphBatch, FloatArray, float]:
    """Keep graphs by ascending draw until there are enough nodes; say the largest draw."""
    order = np.argsort(draws, kind="stable")
    # A graph without nodes takes room, too: there might be nothing else.
    total = np.cumsum(np.maximum(batch.graph_sizes, 1)[order])
    n_chosen = int(np.searchsorted(total, n_nodes)) + 1
    if n_chosen > len(order):
        return batch, draws, np.inf
    chosen = np.sort(order[:n_chosen])
    return batch[chosen], draws[chosen], float(draws[order[n_chosen - 1]])
