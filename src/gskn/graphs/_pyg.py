"""Conversion of PyTorch Geometric graphs."""

from typing import Any

import numpy as np

from gskn._optional import comes_from
from gskn.exceptions import InputError, UnsupportedInputError
from gskn.graphs._arrays import as_numpy, check_implied_nodes
from gskn.graphs._assemble import GraphParts
from gskn.graphs._edge_data import is_one_hot
from gskn.graphs._options import AUTO, ReadOptions


def is_pyg(value: object) -> bool:
    """Return whether an object is a PyG ``Data`` or ``Batch``."""
    # A data set of PyG forwards attribute access to its graphs, so the class is compared.
    return comes_from(value, "torch_geometric") and _has_base(value, "BaseData")


def from_pyg(data: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Read ``edge_index`` and, if they exist, ``x``, ``edge_weight`` and ``edge_attr``.

    ``x`` contains node attributes. ``edge_attr`` contains edge labels if it is categorical,
    see `split_features`, else edge attributes. The options may name other fields. As in
    PyG, an undirected graph lists every edge in both directions.
    """
    if _has_base(data, "HeteroData"):
        raise UnsupportedInputError(
            f"Graph {number} has several node types; call .to_homogeneous() first."
        )
    ends = data.edge_index
    ends = np.empty((2, 0), dtype=np.int64) if ends is None else as_numpy(ends)
    if ends.ndim != 2 or len(ends) != 2:
        raise InputError(
            f"Graph {number}: edge_index must have two rows, got shape {ends.shape}."
        )
    ptr = getattr(data, "ptr", None)
    if ptr is None:
        sizes: Any = [data.num_nodes]
        if sizes[0] is None:
            raise InputError(
                f"Graph {number} has no field that tells its number of nodes; set "
                "num_nodes."
            )
        is_implied = getattr(data, "x", None) is None and "num_nodes" not in data
        if is_implied and isinstance(sizes[0], int):
            check_implied_nodes(sizes[0], ends.shape[1], number)
    else:
        sizes = np.diff(as_numpy(ptr))
    return GraphParts(
        sizes,
        ends[0],
        ends[1],
        weight=_field(data, options.edge_weight, "edge_weight", number),
        labels=_field(data, options.node_label, None, number),
        attributes=_attributes(data, options, number),
        directed=options.is_directed(default=True),
        **_edge_data(data, options, number),
    )


def _edge_data(data: Any, options: ReadOptions, number: int) -> dict[str, Any]:
    """Return edge labels and edge attributes, or ``edge_attr``, which is one of them."""
    label, attributes = options.edge_label, options.edge_attributes
    if label == attributes == AUTO:
        return {"edge_features": _edge_field(data, AUTO, number)}
    columns: dict[str, Any] = {}
    if label is not None and label != AUTO:
        values = _edge_field(data, label, number)
        one_hot = is_one_hot(values)
        columns["edge_labels"] = values.argmax(axis=1) if one_hot else values.tolist()
    if attributes is not None and not isinstance(attributes, str):
        blocks = [_edge_field(data, key, number) for key in attributes]
        joined = [block.reshape(len(block), -1) for block in blocks]
        columns["edge_attributes"] = np.concatenate(joined, axis=1)
    elif attributes != AUTO:
        columns["edge_attributes"] = _edge_field(data, attributes, number)
    elif label is None:  # "auto" without labels: edge_attr is real
        columns["edge_attributes"] = _edge_field(data, AUTO, number)
    return columns


def _edge_field(data: Any, key: str | None, number: int) -> Any:
    """Return a field with one row per edge; one column becomes one dimension."""
    return _field(data, key, "edge_attr", number)


def _has_base(value: object, name: str) -> bool:
    return any(base.__name__ == name for base in type(value).__mro__)


def _attributes(data: Any, options: ReadOptions, number: int) -> Any:
    keys = options.node_attributes
    if keys is None or isinstance(keys, str):
        return _field(data, keys, "x", number)
    columns = [_field(data, key, None, number) for key in keys]
    return np.concatenate([column.reshape(len(column), -1) for column in columns], axis=1)


def _field(data: Any, key: str | None, default: str | None, number: int) -> Any:
    """Return a field as an array; raise if a key other than "auto" does not exist."""
    if key is None or (key == AUTO and default is None):
        return None
    name = default if key == AUTO else key
    value = getattr(data, str(name), None)
    if value is None:
        if key == AUTO:
            return None
        fields = ", ".join(sorted(map(repr, data.keys())))
        raise InputError(f"Graph {number} has no field {key!r}. Existing fields: {fields}.")
    value = as_numpy(value)
    is_column = value.ndim == 2 and value.shape[1] == 1 and default != "x"
    return value[:, 0] if is_column else value
