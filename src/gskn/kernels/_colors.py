"""Colors of nodes and edges: equal integers for equal labels and attributes."""

import numpy as np

from gskn._distinct import distinct
from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch


def label_codes(batch: GraphBatch) -> IndexArray:
    """Return labels as integers; degrees if there are neither labels nor attributes."""
    if batch.node_labels is not None:
        return batch.node_labels
    return np.zeros(batch.n_nodes, np.int64) if batch.n_attributes else batch.degrees


def node_colors(batch: GraphBatch) -> IndexArray:
    """Return colors that are equal if and only if labels and attributes are equal."""
    return _refine(label_codes(batch), batch.node_attributes)


def edge_codes(batch: GraphBatch) -> IndexArray:
    """Return edge labels as integers; zeros if there are none."""
    if batch.edge_labels is not None:
        return batch.edge_labels
    return np.zeros(batch.adjacency.nnz, np.int64)


def edge_colors(batch: GraphBatch) -> IndexArray:
    """Return colors of edges that are equal if labels and attributes are equal."""
    return _refine(edge_codes(batch), batch.edge_attributes)


def _refine(codes: IndexArray, attributes: FloatArray | None) -> IndexArray:
    if attributes is None or not attributes.size:
        return codes
    return distinct(np.column_stack((codes, attributes)))[1]
