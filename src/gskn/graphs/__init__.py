"""Stage 1: anything that describes graphs becomes one `GraphBatch`."""

from importlib import import_module
from typing import TYPE_CHECKING

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.graphs._batch import GraphBatch
from gskn.graphs._convert import as_batch
from gskn.graphs._read import CLASS_FILES as CLASS_FILES
from gskn.graphs._read import is_graph_file as is_graph_file
from gskn.graphs._read import read_graphs
from gskn.graphs._sparse import pool_matrix as pool_matrix
from gskn.graphs._stream import is_streamed as is_streamed
from gskn.graphs._stream import iter_graphs

if TYPE_CHECKING:
    from gskn.graphs._encoder import AttributeEncoder, check_size

__all__ = [
    "AttributeEncoder",
    "GraphBatch",
    "as_batch",
    "check_size",
    "iter_graphs",
    "pool_matrix",
    "read_graphs",
]


# The encoder imports scikit-learn, which takes more than a second.
def __getattr__(name: str) -> object:
    if name in {"AttributeEncoder", "check_size"}:
        return getattr(import_module("gskn.graphs._encoder"), name)
    raise AttributeError(f"module 'gskn.graphs' has no attribute {name!r}")
