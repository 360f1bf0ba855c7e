"""Files of node sets: one npz file, or two csv tables of edges and classes."""

from pathlib import Path

from gskn._files import check_regular
from gskn._types import AnyArray
from gskn.datasets._foreign_nodes import TABLE_PARTS, arrays_from_tables
from gskn.datasets._npz import graph_from_arrays, read_npz
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs import GraphBatch


def table_paths(home: Path, name: str) -> tuple[Path, ...]:
    """Return the paths of the tables of a node set in the data folder, edges first."""
    return tuple(home / "nodes" / f"{name}_{part}.csv" for part in TABLE_PARTS)


def read_node_set(path: Path, name: str) -> tuple[GraphBatch, AnyArray]:
    """Read a node set from its table of edges, or else from an npz file of any name.

    Raises
    ------
    FileFormatError
        If a file is malformed.
    """
    if path.name != f"{name}_edges.csv":
        return read_npz(path)
    contents = []
    for table in table_paths(path.parent.parent, name):
        check_regular(table)
        try:
            contents.append(table.read_bytes())
        except OSError as error:
            raise FileFormatError(
                table, f"cannot be read: {describe_error(error)}"
            ) from error
    try:
        return graph_from_arrays(arrays_from_tables(*contents))
    except FileFormatError as error:
        raise FileFormatError(path, error.reason) from error
