"""Node colors of baselines: one 64-bit hash that is equal across graphs and calls."""

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from gskn._types import IndexArray
from gskn.colors import Hashes, SaltedSteps, hash_value, mix, out_steps
from gskn.colors import refine as refine_hashes
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

Colors: TypeAlias = Hashes


def initial_colors(batch: GraphBatch, system: str) -> Colors:
    """Return the colors of the node labels, or of the degrees if there are no labels."""
    if batch.node_labels is not None:
        return _hash_labels(batch.node_labels, batch.label_values)
    if batch.n_attributes:
        raise InputError(
            f"{system} compares node labels, but the graphs have only node attributes; "
            "add node labels, or remove the attributes to compare degrees."
        )
    return mix(batch.degrees.astype(np.uint64))


def edge_salts(batch: GraphBatch) -> Colors | None:
    """Return a hash of the label of every edge, None if edges have no labels."""
    if batch.edge_labels is None:
        return None
    return _hash_labels(batch.edge_labels, batch.edge_label_values)


def refine(
    batch: GraphBatch, colors: Colors, n_iterations: int, salts: Colors | None = None
) -> Iterator[Colors]:
    """Yield the Weisfeiler-Lehman colors of iterations 0 to ``n_iterations``.

    With salts, hashes of the edges, pairs of the color of a neighbor and of the edge to it
    are compared instead of neighbors.
    """
    steps = [out_steps(batch) if salts is None else SaltedSteps(batch.adjacency, salts)]
    yield colors
    for _ in range(n_iterations):
        colors = refine_hashes(steps, colors)
        yield colors


def _hash_labels(labels: IndexArray, values: Sequence[Hashable]) -> Colors:
    hashes = [hash_value(value) for value in values] or [0]
    # Without the dtype numpy may convert 64-bit integers to floats of 53 bits.
    return np.array(hashes, dtype=np.uint64)[labels]


def check_labels(batch: GraphBatch, system: str, *, labelled: bool) -> None:
    """Raise if the graphs have labels and the training graphs do not, or vice versa."""
    has_labels = batch.node_labels is not None
    if not batch.n_nodes or has_labels == labelled:
        return
    training, new = ("with", "have no") if labelled else ("without", "have")
    raise InputError(
        f"{system} was fitted to graphs {training} node labels, but these graphs {new} "
        "node labels; use the same kind of graphs."
    )
