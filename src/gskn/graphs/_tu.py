"""Sets in TU format: ``NAME_A.txt`` and related files in a folder or a zip archive."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._folder import Folder
from gskn.graphs._options import ReadOptions
from gskn.graphs._tu_files import TuFiles

# An edge may be listed this many times, and small graphs may have this many lines anyway.
_MAX_LISTINGS = 8
_FREE_EDGES = 2**20
_EDGES = "_A.txt"


@dataclass(frozen=True)
class TuSet:
    """Graphs and targets of a TU set.

    Attributes
    ----------
    name : str
        Name of the set, the prefix of its files.
    graphs : GraphBatch
        All graphs.
    targets : ndarray of shape (n_graphs,) or (n_graphs, n_columns), or None
        Content of the file of graph labels, if it exists.
    """

    name: str
    graphs: GraphBatch
    targets: AnyArray | None


def find_tu_name(folder: Folder) -> str | None:
    """Return NAME if the folder has a file ``NAME_A.txt``, else None."""
    names = [name for name in folder.names if name.endswith(_EDGES)]
    if len(names) > 1:
        raise FileFormatError(
            folder.path,
            f"the folder contains several sets: {', '.join(names)}; use one folder per set",
        )
    return names[0].removesuffix(_EDGES) if names else None


def read_tu(path: str | Path, options: ReadOptions | None = None) -> TuSet:
    """Read a set in the TU format from a folder or a zip archive.

    A label of several columns is a tuple. Edge labels and edge attributes have one line per
    line of ``NAME_A.txt``; an edge that is listed twice must have the same label twice.

    Raises
    ------
    FileFormatError
        If a file is malformed. The message contains the file and, if possible, the line.
    """
    options = options or ReadOptions()
    folder = Folder(path)
    name = find_tu_name(folder)
    if name is None:
        raise FileFormatError(path, "not in TU format: no file NAME_A.txt")
    files = TuFiles(folder, name)
    (indicator,) = files.integers("graph_indicator", n_columns=1)
    targets = files.integers("graph_labels") if files.has("graph_labels") else None
    sizes = _graph_sizes(indicator, None if targets is None else len(targets[0]), files)
    edges = files.integers("A", n_columns=2, max_rows=_max_edges(sizes))
    _check_node_numbers(edges, len(indicator), files)
    labels = attributes = None
    if files.has("node_labels") and options.node_label is not None:
        labels = files.integers("node_labels", max_rows=len(indicator))
    if files.has("node_attributes") and options.node_attributes is not None:
        attributes = files.floats("node_attributes", max_rows=len(indicator))
    for suffix, columns in (("node_labels", labels), ("node_attributes", attributes)):
        if columns is not None and len(columns[0]) != len(indicator):
            raise FileFormatError(
                files.describe(suffix),
                f"{len(columns[0])} lines for {len(indicator)} nodes; the file is "
                "incomplete or belongs to another set",
            )
    edge_labels, edge_attributes = _read_edge_data(files, options, len(edges[0]))
    for ends in edges:
        np.subtract(ends, 1, out=ends)  # nodes are counted from 1 in files
    part = GraphParts(
        sizes,
        edges[0],
        edges[1],
        labels=None if labels is None else _as_labels(labels),
        attributes=None if attributes is None else np.column_stack(attributes),
        owned=True,
        directed=options.is_directed(default=True),
        edge_labels=edge_labels,
        edge_attributes=edge_attributes,
    )
    try:
        graphs = assemble([part])
    except InputError:
        _raise_with_line(edges, indicator, attributes, files)
        raise
    return TuSet(name, graphs, None if targets is None else _as_targets(targets))


def read_tu_values(path: str | Path, n_graphs: int) -> FloatArray | None:
    """Read the real targets of a TU set, one row per graph; None if it has none.

    Sets for regression store them in ``NAME_graph_attributes.txt``.

    Raises
    ------
    FileFormatError
        If the file is malformed or has another number of lines.
    """
    folder = Folder(path)
    name = find_tu_name(folder)
    if name is None:
        raise FileFormatError(path, "not in TU format: no file NAME_A.txt")
    files = TuFiles(folder, name)
    if not files.has("graph_attributes"):
        return None
    values = np.column_stack(files.floats("graph_attributes", max_rows=n_graphs))
    if len(values) != n_graphs:
        raise FileFormatError(
            files.describe("graph_attributes"),
            f"{len(values)} lines for {n_graphs} graphs; the file is incomplete or belongs "
            "to another set",
        )
    return values


def _max_edges(sizes: IndexArray) -> int:
    """Return the largest number of lines in the file of edges, for all pairs of nodes."""
    n_pairs = float(np.square(sizes, dtype=np.float64).sum())
    return _FREE_EDGES + int(_MAX_LISTINGS * n_pairs)


def _read_edge_data(files: TuFiles, options: ReadOptions, n_edges: int) -> tuple[Any, Any]:
    """Read edge labels and edge attributes, if the files exist."""
    labels = attributes = None
    if files.has("edge_labels") and options.edge_label is not None:
        labels = files.integers("edge_labels", max_rows=n_edges)
    if files.has("edge_attributes") and options.edge_attributes is not None:
        attributes = files.floats("edge_attributes", max_rows=n_edges)
    for suffix, columns in (("edge_labels", labels), ("edge_attributes", attributes)):
        if columns is not None and len(columns[0]) != n_edges:
            raise FileFormatError(
                files.describe(suffix),
                f"{len(columns[0])} lines for {n_edges} lines in {files.file('A')}; the "
                "file is incomplete or belongs to another set",
            )
    for number, column in enumerate(attributes or []):
        _check_finite(column, number, "edge_attributes", files)
    return (
        None if labels is None else _as_labels(labels),
        None if attributes is None else np.column_stack(attributes),
    )


def _check_finite(column: FloatArray, number: int, suffix: str, files: TuFiles) -> None:
    if not np.isfinite(column).all():
        row = int(np.argmin(np.isfinite(column)))
        raise FileFormatError(
            files.describe(suffix),
            f"attribute {number} is {column[row]}; attributes must be finite",
            line=files.line_of(suffix, row),
        )


def _as_labels(columns: list[AnyArray]) -> Any:
    if len(columns) == 1:
        return columns[0]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _as_targets(columns: list[AnyArray]) -> IndexArray:
    targets = columns[0] if len(columns) == 1 else np.column_stack(columns)
    return targets.astype(np.int64)


def _graph_sizes(
    indicator: IndexArray, n_targets: int | None, files: TuFiles
) -> IndexArray:
    """Count the nodes of every graph; a graph whose id does not occur has none."""
    # Without graph labels, the largest id is the number of graphs, at most one per node.
    largest = int(indicator.max(initial=0))
    n_graphs = min(largest, len(indicator)) if n_targets is None else n_targets
    wrong = (indicator < 1) | (indicator > n_graphs)
    if wrong.any():
        node = int(np.argmax(wrong))
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} is out of range for {n_graphs} graphs, counted "
            "from 1",
            line=files.line_of("graph_indicator", node),
        )
    falling = np.flatnonzero(np.diff(indicator) < 0)
    if len(falling):
        node = int(falling[0]) + 1
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} after graph {indicator[node - 1]}; nodes must be "
            "sorted by graph",
            line=files.line_of("graph_indicator", node),
        )
    return np.bincount(indicator, minlength=n_graphs + 1)[1:]


def _check_node_numbers(edges: list[AnyArray], n_nodes: int, files: TuFiles) -> None:
    for ends in edges:
        if len(ends) and (ends.min() < 1 or ends.max() > n_nodes):
            row = int(np.argmax((ends < 1) | (ends > n_nodes)))
            raise FileFormatError(
                files.describe("A"),
                f"the edge {_pair(edges, row)} is out of range for {n_nodes} nodes, "
                "counted from 1",
                line=files.line_of("A", row),
            )


def _raise_with_line(
    edges: list[AnyArray],
    indicator: IndexArray,
    attributes: list[FloatArray] | None,
    files: TuFiles,
) -> None:
    """Raise an error with the line of the edge or attribute that `assemble` rejected."""
    crossing = indicator[edges[0]] != indicator[edges[1]]
    if crossing.any():
        row = int(np.argmax(crossing))
        raise FileFormatError(
            files.describe("A"),
            f"the edge {_pair(edges, row, count_from=1)} connects two graphs",
            line=files.line_of("A", row),
        )
    for number, column in enumerate(attributes or []):
        _check_finite(column, number, "node_attributes", files)


def _pair(edges: list[AnyArray], row: int, *, count_from: int = 0) -> list[int]:
    return [int(ends[row]) + count_from for ends in edges]
