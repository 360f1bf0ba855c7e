"""Colours of nodes: what they carry at first, then what Weisfeiler and Lehman refine."""

import numpy as np

from gskn._types import IndexArray
from gskn.graphs import GraphBatch


def label_codes(batch: GraphBatch) -> IndexArray:
    """Return labels as integers, degrees if there are neither labels nor attributes."""
    if batch.node_labels is not None:
        return batch.node_labels
    return np.zeros(batch.n_nodes, np.int64) if batch.n_attributes else batch.degrees


def node_colours(batch: GraphBatch) -> IndexArray:
    """Give nodes one colour if and only if their labels and attributes are equal."""
    colours = label_codes(batch)
    attributes = batch.node_attributes
    if attributes is None or not attributes.size:
        return colours
    _, rows = np.unique(attributes, axis=0, return_inverse=True)
    pairs = np.column_stack((colours, rows.ravel()))
    return np.unique(pairs, axis=0, return_inverse=True)[1].ravel()


def subtree_colours(batch: GraphBatch, depth: int) -> list[IndexArray]:
    """Return the colours of rounds 0 to ``depth``; round 0 is what the nodes carry."""
    rounds = [node_colours(batch)]
    for _ in range(depth):
        rounds.append(_refine(batch, rounds[-1]))
    return rounds


def _refine(batch: GraphBatch, colours: IndexArray) -> IndexArray:
    """Give one colour to nodes of one colour whose neighbours have the same colours."""
    matrix = batch.adjacency
    sources = np.repeat(np.arange(batch.n_nodes), batch.degrees)
    around = colours[matrix.indices]
    around = around[np.lexsort((around, sources))]
    numbers: dict[tuple[int, bytes], int] = {}
    refined = np.empty(batch.n_nodes, dtype=np.int64)
    for node, colour in enumerate(colours.tolist()):
        seen = around[matrix.indptr[node] : matrix.indptr[node + 1]].tobytes()
        refined[node] = numbers.setdefault((colour, seen), len(numbers))
    return refined
