"""Initial colors of nodes: equal integers for equal labels and attributes."""

import numpy as np

from gskn._distinct import distinct
from gskn._types import IndexArray
from gskn.graphs import GraphBatch


def label_codes(batch: GraphBatch) -> IndexArray:
    """Return labels as integers; degrees if there are neither labels nor attributes."""
    if batch.node_labels is not None:
        return batch.node_labels
    return np.zeros(batch.n_nodes, np.int64) if batch.n_attributes else batch.degrees


def node_colors(batch: GraphBatch) -> IndexArray:
    """Return colors that are equal if and only if labels and attributes are equal."""
    codes = label_codes(batch)
    attributes = batch.node_attributes
    if attributes is None or not attributes.size:
        return codes
    return distinct(np.column_stack((codes, attributes)))[1]
