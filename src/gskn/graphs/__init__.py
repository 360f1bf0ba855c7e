"""Stage 1: anything that describes graphs becomes one `GraphBatch`."""

from importlib import import_module
from typing import TYPE_CHECKING

from gskn.graphs._batch import GraphBatch
from gskn.graphs._convert import as_batch
from gskn.graphs._read import read_graphs
from gskn.graphs._sparse import plain_csr as plain_csr  # shared, not public
from gskn.graphs._sparse import pool_matrix as pool_matrix
from gskn.graphs._stream import iter_graphs

if TYPE_CHECKING:
    from gskn.graphs._encoder import AttributeEncoder

__all__ = [
    "AttributeEncoder",
    "GraphBatch",
    "as_batch",
    "iter_graphs",
    "read_graphs",
]


# scikit-learn takes more than a second to import; who only reads graphs need not wait.
def __getattr__(name: str) -> object:
    if name == "AttributeEncoder":
        return import_module("gskn.graphs._encoder").AttributeEncoder
    raise AttributeError(f"module 'gskn.graphs' has no attribute {name!r}")
