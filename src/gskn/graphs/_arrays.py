"""Conversion of matrices and index arrays, without a Python loop over nodes or edges."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from gskn._limits import max_implied_nodes
from gskn._optional import comes_from
from gskn._types import AnyArray
from gskn.exceptions import InputError, describe_error
from gskn.graphs._assemble import GraphParts, as_floats
from gskn.graphs._options import ReadOptions
from gskn.graphs._sparse import read_entries

# Formats of scipy whose size does not depend on the number of nodes.
_COMPACT = ("coo", "dia", "dok")


def is_matrix(value: Any) -> bool:
    """Return whether a value is a sparse or a dense two-dimensional array."""
    return (issparse(value) or is_array(value)) and np.ndim(value) == 2


def is_array(value: object) -> bool:
    """Return whether a value is a numpy array or a torch tensor."""
    return isinstance(value, np.ndarray) or (
        comes_from(value, "torch") and hasattr(value, "detach")
    )


def is_edge_index_pair(value: object) -> bool:
    """Return whether a value is a tuple of a 2 x n_edges array and an array or None."""
    if not isinstance(value, tuple) or len(value) != 2 or not is_array(value[0]):
        return False
    ends, features = value
    return (
        np.ndim(ends) == 2 and len(ends) == 2 and (features is None or is_array(features))
    )


def from_matrix(matrix: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read an adjacency matrix: entry (i, j) is the weight of the edge from i to j."""
    shape = np.shape(matrix)
    if shape[0] != shape[1]:
        raise InputError(
            f"Graph {number}: an adjacency matrix must be square, got shape {shape}."
        )
    if issparse(matrix):
        source, target, weight = read_entries(matrix, f"Graph {number}")
        if matrix.format in _COMPACT:
            check_implied_nodes(shape[0], len(source), number)
        if weight.dtype.kind not in "biuf":
            weight = as_floats(weight, f"Graph {number}: an adjacency matrix")
    else:
        dense = as_floats(as_numpy(matrix), f"Graph {number}: an adjacency matrix")
        source, target = np.nonzero(dense)
        weight = dense[source, target]
    directed = options.is_directed(default=True)
    if options.edge_weight is None or weight.dtype == bool:
        present = weight != 0  # a sparse matrix may contain explicit zeros
        return GraphParts([shape[0]], source[present], target[present], directed=directed)
    return GraphParts([shape[0]], source, target, weight=weight, directed=directed)


def from_edge_index(pair: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read ``(edge_index, x)``: two rows of nodes, and node attributes or None."""
    ends, features = as_numpy(pair[0]), pair[1]
    if ends.size and ends.dtype.kind not in "iu":
        raise InputError(
            f"Graph {number}: edge_index must contain integers, got {ends.dtype}."
        )
    if features is None:
        n_nodes = int(ends.max()) + 1 if ends.size else 0
        check_implied_nodes(n_nodes, ends.shape[1], number)
    else:
        features = np.atleast_1d(as_numpy(features))
        n_nodes = len(features)
    return GraphParts(
        [n_nodes],
        ends[0],
        ends[1],
        attributes=features if options.node_attributes is not None else None,
        directed=options.is_directed(default=True),
    )


def check_implied_nodes(n_nodes: int, n_edges: int, number: int) -> None:
    """Raise if a graph has far more nodes than its edges use.

    A large id or shape implies many nodes, each of which needs memory, whatever the size
    of the input.
    """
    limit = max_implied_nodes(n_edges)
    if n_nodes > limit:
        raise InputError(
            f"Graph {number} has {n_nodes} nodes for {n_edges} edges, which are too many "
            f"nodes without edges (at most {limit}); number the nodes from 0 without gaps."
        )


def as_numpy(array: Any) -> AnyArray:
    """Convert an array or a tensor, also one that records gradients, to numpy."""
    try:
        if hasattr(array, "detach"):
            array = array.detach().cpu().numpy()
        return np.asarray(array)
    except (TypeError, RuntimeError) as error:  # a sparse or a quantized tensor
        raise InputError(f"An array cannot be read: {describe_error(error)}.") from error
