"""Stage 1: anything that describes graphs becomes one `GraphBatch`."""

from gskn.graphs._batch import GraphBatch
from gskn.graphs._convert import as_batch
from gskn.graphs._encoder import AttributeEncoder
from gskn.graphs._read import read_graphs

__all__ = ["AttributeEncoder", "GraphBatch", "as_batch", "read_graphs"]
