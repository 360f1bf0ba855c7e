"""Samples of whole graphs: of a stream in bounded memory, and for a fit."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gskn._limits import FIT_NODES
from gskn._random import as_generator
from gskn._types import FloatArray, IndexArray
from gskn.estimators._parameters import make_stack
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.layers import Stack


class FitPlan(NamedTuple):
    """Unfitted layers, their random generator, and the graphs they are fitted to."""

    stack: Stack
    generator: np.random.Generator
    graphs: IndexArray


def plan_fit(model: Any, sizes: IndexArray) -> FitPlan:
    """Validate the parameters of a model and draw the graphs to which it is fitted.

    ``sizes`` holds the number of nodes of every training graph.
    """
    stack = make_stack(model.get_params(deep=False))
    generator = as_generator(model.random_state)
    return FitPlan(stack, generator, draw_graphs(sizes, generator))


def sample_graphs(
    chunks: Iterable[Any], n_nodes: int, generator: np.random.Generator
) -> GraphBatch:
    """Return random graphs with about ``n_nodes`` nodes together, in their order.

    Every graph gets a random number, and the graphs with the smallest numbers are
    returned, so the sample does not depend on the chunks. All graphs are returned if they
    have fewer nodes.
    """
    batches: list[GraphBatch] = []
    draws = np.empty(0)
    limit, n_pending = np.inf, 0
    for chunk in chunks:
        batch = as_batch(chunk)
        batch_draws = generator.random(batch.n_graphs)
        selected = np.flatnonzero(batch_draws < limit)
        batches.append(batch if len(selected) == batch.n_graphs else batch[selected])
        draws = np.concatenate([draws, batch_draws[selected]])
        n_pending += batches[-1].n_nodes + batches[-1].n_graphs
        if n_pending > n_nodes:
            sample, draws, limit = _smallest(GraphBatch.concat(batches), draws, n_nodes)
            batches, n_pending = [sample], 0
    if not len(draws):
        raise InputError("There are no graphs to fit to; give at least one with nodes.")
    return _smallest(GraphBatch.concat(batches), draws, n_nodes)[0]


def check_nodes(batch: GraphBatch) -> None:
    """Raise if no graph has a node."""
    if not batch.n_nodes:
        raise InputError(
            f"There are no nodes to fit to in {batch.n_graphs} graphs; give at least one "
            "graph with nodes."
        )


def draw_graphs(sizes: IndexArray, generator: np.random.Generator) -> IndexArray:
    """Return indices of random graphs, sorted, with enough nodes for a fit."""
    order = generator.permutation(len(sizes))
    n_selected = int(np.searchsorted(np.cumsum(sizes[order]), FIT_NODES)) + 1
    return np.sort(order[:n_selected])


def _smallest(
    batch: GraphBatch, draws: FloatArray, n_nodes: int
) -> tuple[GraphBatch, FloatArray, float]:
    """Return the graphs with the smallest draws, their draws and the largest of these."""
    order = np.argsort(draws, kind="stable")
    # Graphs without nodes count as one node: the sample may hold nothing else.
    total = np.cumsum(np.maximum(batch.graph_sizes, 1)[order])
    n_selected = int(np.searchsorted(total, n_nodes)) + 1
    if n_selected > len(order):
        return batch, draws, np.inf
    selected = np.sort(order[:n_selected])
    return batch[selected], draws[selected], float(draws[order[n_selected - 1]])
