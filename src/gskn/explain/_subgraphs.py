"""Subgraphs that some nodes of every graph induce."""

from dataclasses import replace

import numpy as np

from gskn._offsets import running_total
from gskn._types import BoolArray
from gskn.graphs import GraphBatch, plain_csr


def induced_subgraphs(batch: GraphBatch, kept: BoolArray) -> GraphBatch:
    """Return the graphs without the nodes that are not kept, and without their edges."""
    matrix = batch.adjacency
    rows = np.repeat(np.arange(batch.n_nodes), batch.degrees)
    entries = np.flatnonzero(kept[rows] & kept[matrix.indices])
    number = np.cumsum(kept) - 1
    n_nodes = int(kept.sum())
    counts = np.bincount(number[rows[entries]], minlength=n_nodes)
    columns = number[matrix.indices[entries]]
    adjacency = plain_csr(
        matrix.data[entries], columns, running_total(counts), (n_nodes, n_nodes)
    )
    changes = {
        name: getattr(batch, name)[kept]
        for name in ("node_labels", "node_attributes", "node_names")
        if getattr(batch, name) is not None
    }
    changes |= {
        name: getattr(batch, name)[entries]
        for name in ("edge_labels", "edge_attributes")
        if getattr(batch, name) is not None
    }
    sizes = running_total(kept)[batch.graph_ptr]
    return replace(batch, adjacency=adjacency, graph_ptr=sizes, **changes)
