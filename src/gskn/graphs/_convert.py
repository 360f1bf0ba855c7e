"""as_batch: conversion of graphs of any supported type."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import issparse

from gskn._optional import comes_from
from gskn._types import AnyArray
from gskn._validation import shorten
from gskn.exceptions import InputError, UnsupportedInputError
from gskn.graphs._arrays import (
    as_numpy,
    from_edge_index,
    from_matrix,
    is_array,
    is_edge_index_pair,
    is_matrix,
)
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._atoms import is_molecule
from gskn.graphs._batch import GraphBatch
from gskn.graphs._csr import from_sparse
from gskn.graphs._grakel import from_grakel, is_grakel
from gskn.graphs._igraph import from_igraph, is_igraph
from gskn.graphs._molecules import from_molecule, from_molecules, is_smiles
from gskn.graphs._networkx import from_networkx, is_networkx
from gskn.graphs._options import AUTO, AttributeKeys, Key, ReadOptions
from gskn.graphs._pyg import from_pyg, is_pyg
from gskn.graphs._read import has_graph_suffix, read_graphs
from gskn.graphs._smiles_tables import as_list, find_smiles_column, from_smiles_table
from gskn.graphs._table import from_table, is_table

# The first match is used: a tuple of two arrays is an (edge_index, x) pair.
_FORMATS = (
    (is_networkx, from_networkx),
    (is_igraph, from_igraph),
    (is_pyg, from_pyg),
    (is_edge_index_pair, from_edge_index),
    (is_grakel, from_grakel),
    (is_matrix, from_matrix),
    (is_molecule, from_molecule),
)
_SUPPORTED = (
    "networkx, igraph, PyG and GraKeL graphs, adjacency matrices, (edge_index, x) tuples, "
    "edge tables, RDKit molecules, SMILES and paths"
)


def as_batch(  # noqa: PLR0913 - one parameter per option
    graphs: Any,
    *,
    node_label: Key = AUTO,
    node_attributes: AttributeKeys = AUTO,
    edge_weight: Key = AUTO,
    directed: bool | None = None,
    columns: tuple[str, str, str] = ("graph", "source", "target"),
    nodes: Any = None,
    edge_label: Key = AUTO,
    edge_attributes: AttributeKeys = AUTO,
    smiles: str | bool | None = None,
    atom_features: Sequence[str] = ("element",),
    atom_encoding: str = "joint",
    bond_features: Sequence[str] = ("type",),
    explicit_hydrogens: bool = False,
    on_invalid: str = "raise",
) -> GraphBatch:
    """Convert graphs of any supported type to one validated `GraphBatch`.

    Parameters
    ----------
    graphs : GraphBatch, graph, sequence of graphs, table or path
        - a `GraphBatch`, which is returned unchanged;
        - networkx graphs, directed or not. Parallel edges of a multigraph are merged;
        - igraph graphs;
        - PyTorch Geometric ``Data``, ``Batch`` or a data set of these;
        - adjacency matrices, scipy sparse or dense; a dense array of three dimensions
          is a sequence of matrices;
        - ``(edge_index, x)`` tuples: a 2 x n_edges array of node numbers, and one row
          per node or None;
        - GraKeL graphs: ``(edges, labels)`` with labels in a dict, or ``grakel.Graph``;
        - one edge table of pandas or pyarrow, with the columns in ``columns``;
        - molecules, with the rdkit extra: RDKit ``Mol`` objects, SMILES and InChI strings,
          a pandas or pyarrow column of SMILES, or a table with a column of SMILES;
        - the path of a file or folder, see `read_graphs`.

        Any other list or tuple is a sequence of graphs, which may also contain batches
        and paths. A string is a path if it has the suffix of a supported format, is a
        folder or contains characters that do not occur in SMILES.
    node_label : str or None, default="auto"
        Key of node labels: a key of networkx or igraph node data, a field of PyG data or a
        column of ``nodes``. "auto" is ``label`` if it exists. None reads no labels.
    node_attributes : str, sequence of str or None, default="auto"
        Key of node attributes: one key of vectors, or several keys of numbers. "auto" is
        ``attributes``, for PyG ``x``, if it exists. None reads no attributes.
    edge_weight : str or None, default="auto"
        Key of edge weights. "auto" is ``weight``, for PyG ``edge_weight``, if it exists.
        None sets all weights to 1.
    directed : bool or None, default=None
        Whether edges are directed. None is the convention of the format: networkx and
        igraph graphs are directed or not; matrices, edge indices and GraKeL graphs list
        both directions; an edge table lists every undirected edge once.
    columns : tuple of str, default=("graph", "source", "target")
        Columns of an edge table. A table without the graph column is one graph.
    nodes : table, default=None
        Node table for an edge table: columns ``node``, the graph column, labels and
        attributes. It is required only for isolated nodes and for node data.
    edge_label : str or None, default="auto"
        Key of edge labels: a key of networkx or igraph edge data, a field of PyG data or a
        column of an edge table. "auto" is ``label``, for edge tables ``edge_label``, for
        PyG ``edge_attr`` if it is categorical (see Notes), if it exists. None reads no
        edge labels.
    edge_attributes : str, sequence of str or None, default="auto"
        Key of edge attributes: one key of vectors, or several keys of numbers. "auto" is
        ``attributes``, for edge tables ``edge_attributes``, for PyG ``edge_attr`` if it is
        not categorical, if it exists. None reads no edge attributes.
    smiles : str, bool or None, default=None
        Column of SMILES of a table of molecules. None selects a column ``smiles`` (in any
        case), or the only one whose name ends in it, of a table without sources and
        targets. True: strings are SMILES, not paths; False: they are paths, and tables
        contain edges.
    atom_features : sequence of str, default=("element",)
        Features of atoms in node labels: "element", "charge", "aromatic", "hydrogens"
        (their number), "ring" (whether the atom is in a ring) and "chirality" (R, S or
        none).
    atom_encoding : {"joint", "columns"}, default="joint"
        "joint": the label of a node is the tuple of its features, or a single feature.
        "columns": the label is the element, and every other feature is a block of 0/1
        columns of node attributes: charge from -2 to 2, aromatic, hydrogens from 0 to 4,
        ring, and chirality none, R and S. Values out of range are clipped.
    bond_features : sequence of str, default=("type",)
        Features of bonds in edge labels: "type" ("single", "double", "triple",
        "aromatic", "dative", ...) and "conjugated". Several features are a tuple.
    explicit_hydrogens : bool, default=False
        Whether hydrogens are nodes. By default, only hydrogens that RDKit keeps are.
    on_invalid : {"raise", "skip", "keep"}, default="raise"
        Treatment of molecules that RDKit cannot read. "skip" leaves them out and issues a
        warning with their number; "keep" replaces them by graphs without nodes, so that
        graphs stay aligned with the rows of the input.

    Returns
    -------
    batch : GraphBatch
        All graphs, in order.

    Raises
    ------
    InputError
        If a graph or an option is invalid.
    UnsupportedInputError
        If the type of an object is not supported.
    FileFormatError
        If a file is malformed.

    Notes
    -----
    An edge that is listed several times is one edge; its weights, if any, add up. An edge
    of weight zero is removed; a negative weight raises. Labels and attributes must be in
    all graphs that have nodes or in none. Labels may be numbers, strings or tuples (lists
    become tuples). Graphs without nodes and empty sequences are allowed.

    Labels and attributes of edges must be in all graphs that have edges or in none. Every
    listing of an edge must have the same label and attributes, and in an undirected graph
    both directions have; otherwise the edge is named in an error. In formats that list
    directed edges, two directions may differ; the graph is then directed. PyG's
    ``edge_attr`` contains labels if it contains integers (rows of several integers are
    tuples), or if every row of all graphs is one-hot (the label is the number of the
    column); other real numbers are attributes.

    The index arrays of sparse matrices and edge indices are checked before they are used.
    Without ``x``, the largest number in ``edge_index`` determines the number of nodes,
    which may be at most 16.8 million plus 64 per edge; the same limit holds for the shape
    of COO, DIA and DOK matrices. Columns of ids may have any type that can be sorted;
    nested types raise. If the name of a column differs from ``weight`` only in case, it is
    not read and a warning is issued.

    Arrays are converted without a Python loop over nodes or edges.

    Examples
    --------
    >>> import numpy as np
    >>> as_batch((np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), None))
    GraphBatch(n_graphs=1, n_nodes=3, n_edges=2, undirected)
    >>> as_batch([({("a", "b"): 2.0}, {"a": "C", "b": "O"})])
    GraphBatch(n_graphs=1, n_nodes=2, n_edges=1, n_labels=2, directed, weighted)
    """
    options = ReadOptions(
        node_label,
        node_attributes,
        edge_weight,
        directed,
        columns,
        nodes,
        edge_label,
        edge_attributes,
        smiles,
        atom_features,
        atom_encoding,
        bond_features,
        explicit_hydrogens,
        on_invalid,
    )
    if isinstance(graphs, GraphBatch):
        return graphs
    if isinstance(graphs, str) and _is_smiles_text(graphs, options):
        return assemble([from_molecules([graphs], options)])
    if isinstance(graphs, str | Path):
        return read_graphs(graphs, options=options)
    if is_table(graphs):
        column = _smiles_column(graphs, options)
        return assemble(
            [
                from_table(graphs, options)
                if column is None
                else from_smiles_table(graphs, column, options)
            ]
        )
    if issparse(graphs) and (graph := from_sparse(graphs, options)) is not None:
        return graph
    part = _as_parts(graphs, options, number=0)
    return _from_sequence(graphs, options) if part is None else assemble([part])


def _is_series(value: object) -> bool:
    """Return whether an object is a column of pandas."""
    return comes_from(value, "pandas") and hasattr(value, "isna")


def _smiles_column(table: Any, options: ReadOptions) -> str | None:
    is_arrow = isinstance(table, pa.Table | pa.RecordBatch)
    names = table.schema.names if is_arrow else [str(name) for name in table.columns]
    return find_smiles_column(names, options)


def _is_smiles_text(text: str, options: ReadOptions) -> bool:
    """Return whether a string is a SMILES and not a path."""
    if isinstance(options.smiles, bool):
        return options.smiles
    return is_smiles(text) and not _is_path(text)


def _is_path(value: object) -> bool:
    """Return whether a value is a path: of a folder, or with a supported suffix."""
    if not isinstance(value, str) or not value:
        return isinstance(value, Path)
    try:
        return has_graph_suffix(Path(value)) or Path(value).is_dir()
    except (OSError, ValueError):  # a text that is too long for a path
        return False


def _are_molecules(items: Sequence[Any], options: ReadOptions) -> bool:
    """Return whether a sequence contains molecules: SMILES, RDKit molecules or None."""
    if not all(
        item is None or isinstance(item, str | float) or is_molecule(item) for item in items
    ):
        return False
    texts = [item for item in items if isinstance(item, str)]
    if options.smiles is True or (options.smiles is False and texts):
        return options.smiles
    if any(map(_is_path, texts)):
        return False
    return any(map(is_molecule, items)) or any(map(is_smiles, texts))


def _as_parts(graph: Any, options: ReadOptions, number: int) -> GraphParts | None:
    """Read one graph, or return None if the value is not a graph."""
    for is_format, from_format in _FORMATS:
        if is_format(graph):
            return from_format(graph, options, number)
    return None


def _from_sequence(graphs: Any, options: ReadOptions) -> GraphBatch:
    if issparse(graphs):
        raise InputError(
            f"An adjacency matrix must have two dimensions, got a sparse array of shape "
            f"{graphs.shape}."
        )
    if isinstance(graphs, dict | bytes) or not isinstance(graphs, Iterable):
        raise UnsupportedInputError(
            f"Cannot convert {shorten(graphs, 40)} of unsupported type "
            f"{type(graphs).__name__} to graphs. Supported: {_SUPPORTED}."
        )
    if isinstance(graphs, pa.Array | pa.ChunkedArray) or _is_series(graphs):
        graphs = as_list(graphs)
    items = list(_check_stack(as_numpy(graphs)) if is_array(graphs) else graphs)
    if _are_molecules(items, options):
        return assemble([from_molecules(map(_as_text, items), options)])
    if any(isinstance(item, GraphBatch | str | Path) for item in items):
        return GraphBatch.concat([_as_one(item, options) for item in items])
    parts = []
    for number, item in enumerate(items):
        part = _as_parts(item, options, number)
        if part is None:
            raise UnsupportedInputError(
                f"Graph {number} has unsupported type {type(item).__name__} "
                f"({shorten(item, 40)}). Supported: {_SUPPORTED}."
            )
        parts.append(part)
    return assemble(parts)


def _as_one(item: Any, options: ReadOptions) -> GraphBatch:
    """Read a batch, a file or a graph of a mixed sequence."""
    if isinstance(item, GraphBatch):
        return item
    if isinstance(item, str) and _is_smiles_text(item, options):
        return assemble([from_molecules([item], options)])
    if isinstance(item, str | Path):
        return read_graphs(item, options=options)
    return _from_sequence([item], options)


def _as_text(item: Any) -> Any:
    """Return a string of numpy as a string of Python."""
    return str(item) if isinstance(item, np.str_) else item


def _check_stack(array: AnyArray) -> AnyArray:
    is_list = array.ndim == 1 and array.dtype.kind in "OUT"
    if array.ndim != 3 and array.size and not is_list:
        raise InputError(
            "An adjacency matrix must have two dimensions, and a stack of matrices three, "
            f"got an array of shape {array.shape}."
        )
    return array
