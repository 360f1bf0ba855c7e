"""Colours of nodes: what they carry at first, then what Weisfeiler and Lehman refine."""

import numpy as np

from gskn._distinct import distinct
from gskn._types import IndexArray
from gskn.graphs import GraphBatch
from gskn.walks import refine_colors


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
    return distinct(np.column_stack((colours, attributes)))[1]


def subtree_colours(batch: GraphBatch, depth: int) -> list[IndexArray]:
    """Return the colours of rounds 0 to ``depth``; round 0 is what the nodes carry.

    Of a directed graph, only the nodes that edges lead to count, as for walks.
    """
    rounds = [node_colours(batch)]
    for _ in range(depth):
        rounds.append(refine_colors([batch.adjacency], rounds[-1]))
    return rounds
