"""Stage 1: conversion of graphs in any supported format to one `GraphBatch`."""

from importlib import import_module
from typing import TYPE_CHECKING

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.graphs._assemble import GraphParts as GraphParts
from gskn.graphs._assemble import assemble as assemble
from gskn.graphs._atoms import is_molecule as is_molecule
from gskn.graphs._batch import GraphBatch
from gskn.graphs._convert import as_batch
from gskn.graphs._csr import from_csr
from gskn.graphs._folder import Folder as Folder
from gskn.graphs._molecules import RDKIT_ERRORS as RDKIT_ERRORS
from gskn.graphs._molecules import as_molecules as as_molecules
from gskn.graphs._molecules import parse_molecule as parse_molecule
from gskn.graphs._molecules import quiet as quiet
from gskn.graphs._options import ReadOptions as ReadOptions
from gskn.graphs._options import Rejected as Rejected
from gskn.graphs._read import CLASS_FILES as CLASS_FILES
from gskn.graphs._read import is_graph_file as is_graph_file
from gskn.graphs._read import read_folder as read_folder
from gskn.graphs._read import read_graphs
from gskn.graphs._read import read_molecule_columns as read_molecule_columns
from gskn.graphs._smiles_tables import as_list as as_list
from gskn.graphs._smiles_tables import find_name_column as find_name_column
from gskn.graphs._smiles_tables import find_smiles_column as find_smiles_column
from gskn.graphs._sparse import are_ones as are_ones
from gskn.graphs._sparse import check_csr as check_csr
from gskn.graphs._sparse import make_csr as make_csr
from gskn.graphs._sparse import ones as ones
from gskn.graphs._sparse import plain_csr as plain_csr
from gskn.graphs._sparse import pool_matrix as pool_matrix
from gskn.graphs._stream import is_pattern as is_pattern
from gskn.graphs._stream import is_streamed as is_streamed
from gskn.graphs._stream import iter_graphs
from gskn.graphs._tu import TuSet as TuSet
from gskn.graphs._tu import find_tu_name as find_tu_name
from gskn.graphs._tu import read_tu as read_tu
from gskn.graphs._tu import read_tu_values as read_tu_values
from gskn.graphs._unused import warn_unused_edges as warn_unused_edges

if TYPE_CHECKING:
    from gskn.graphs._edge_encoder import EdgeEncoder as EdgeEncoder
    from gskn.graphs._edge_encoder import select_edge_features as select_edge_features
    from gskn.graphs._encoder import AttributeEncoder
    from gskn.graphs._encoder import check_max_degree as check_max_degree
    from gskn.graphs._encoder import check_size as check_size
    from gskn.graphs._encoder import select_node_features as select_node_features

__all__ = [
    "AttributeEncoder",
    "GraphBatch",
    "as_batch",
    "from_csr",
    "iter_graphs",
    "read_graphs",
]


# Importing scikit-learn takes more than a second, and reading graphs does not need it.
_ENCODER_NAMES = {
    "AttributeEncoder",
    "check_max_degree",
    "check_size",
    "select_node_features",
}
_EDGE_ENCODER_NAMES = {"EdgeEncoder", "select_edge_features"}


def __getattr__(name: str) -> object:
    if name in _ENCODER_NAMES:
        return getattr(import_module("gskn.graphs._encoder"), name)
    if name in _EDGE_ENCODER_NAMES:
        return getattr(import_module("gskn.graphs._edge_encoder"), name)
    raise AttributeError(f"module 'gskn.graphs' has no attribute {name!r}")
