"""The TU text format: ``NAME_A.txt`` and its companions, in a folder or a zip.

Lines are parsed in bulk by pyarrow while the archive is still being unpacked; only a
file that turns out to be malformed is read again, line by line, to name the line.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._folder import Folder

_BLOCK_BYTES = 2**22
_PIECE_BYTES = 2**20
_EDGES = "_A.txt"


@dataclass(frozen=True)
class TuSet:
    """What the files of one TU set say; ``targets`` is None without graph labels."""

    name: str
    graphs: GraphBatch
    targets: AnyArray | None


def find_tu_name(folder: Folder) -> str | None:
    """Return NAME if the folder holds ``NAME_A.txt``."""
    names = [name for name in folder.names if name.endswith(_EDGES)]
    if len(names) > 1:
        raise FileFormatError(
            folder.path, f"several sets in one place: {', '.join(names)}; separate them"
        )
    return names[0].removesuffix(_EDGES) if names else None


def read_tu(path: str | Path) -> TuSet:
    """Read a set in the TU format from a folder or a zip archive.

    Edge labels and edge attributes are not read. A label of several columns is a tuple.

    Raises
    ------
    FileFormatError
        Names the file and, where one is at fault, the line.
    """
    folder = Folder(path)
    name = find_tu_name(folder)
    if name is None:
        raise FileFormatError(path, "no file NAME_A.txt, so this is no set in TU format")
    files = _TuFiles(folder, name)
    (indicator,) = files.integers("graph_indicator", n_columns=1)
    targets = files.integers("graph_labels") if files.has("graph_labels") else None
    sizes = _graph_sizes(indicator, None if targets is None else targets.shape[1], files)
    edges = files.integers("A", n_columns=2)
    _check_node_numbers(edges, len(indicator), files)
    labels = files.integers("node_labels") if files.has("node_labels") else None
    attributes = files.floats("node_attributes") if files.has("node_attributes") else None
    for suffix, rows in (("node_labels", labels), ("node_attributes", attributes)):
        if rows is not None and rows.shape[1] != len(indicator):
            raise FileFormatError(
                files.describe(suffix),
                f"{rows.shape[1]} lines for {len(indicator)} nodes; the file is cut short "
                "or belongs to another set",
            )
    edges -= 1  # files count nodes from 1
    part = GraphParts(
        sizes,
        edges[0],
        edges[1],
        labels=None if labels is None else _as_labels(labels),
        attributes=None if attributes is None else attributes.T,
    )
    try:
        graphs = assemble([part])
    except InputError:
        _name_bad_value(edges, indicator, attributes, files)
        raise
    return TuSet(name, graphs, None if targets is None else _as_targets(targets))


def _as_labels(columns: AnyArray) -> Any:
    return columns[0] if len(columns) == 1 else list(zip(*columns.tolist(), strict=True))


def _as_targets(columns: AnyArray) -> IndexArray:
    targets = columns[0] if len(columns) == 1 else columns.T
    return np.ascontiguousarray(targets, dtype=np.int64)


@dataclass(frozen=True)
class _TuFiles:
    folder: Folder
    name: str

    def file(self, suffix: str) -> str:
        return f"{self.name}_{suffix}.txt"

    def has(self, suffix: str) -> bool:
        return self.file(suffix) in self.folder.names

    def describe(self, suffix: str) -> str:
        return self.folder.describe(self.file(suffix))

    def integers(self, suffix: str, n_columns: int | None = None) -> AnyArray:
        """Return the columns of a file as the rows of an array."""
        return self._columns(suffix, pa.int32(), n_columns)

    def floats(self, suffix: str) -> FloatArray:
        return self._columns(suffix, pa.float64(), None)

    def _columns(self, suffix: str, dtype: pa.DataType, n_columns: int | None) -> AnyArray:
        if not self.has(suffix):
            raise FileFormatError(self.folder.path, f"{self.file(suffix)} is missing")
        if n_columns is None:
            n_columns = self._count_columns(suffix)
        try:
            with self.folder.open(self.file(suffix)) as file:
                return _parse(file, n_columns, dtype)
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            self._name_bad_line(suffix, n_columns, dtype)
            raise

    def _count_columns(self, suffix: str) -> int:
        with self.folder.open(self.file(suffix)) as file:
            return file.readline().count(b",") + 1

    def _name_bad_line(self, suffix: str, n_columns: int, dtype: pa.DataType) -> None:
        read = int if pa.types.is_integer(dtype) else float
        what = "integers" if read is int else "numbers"
        with self.folder.open(self.file(suffix)) as file:
            for number, line in enumerate(file, start=1):
                fields = line.decode("utf-8", "replace").strip().split(",")
                if _is_row(fields, n_columns, read) or not line.strip():
                    continue
                shown = line.decode("utf-8", "replace").strip()[:60]
                raise FileFormatError(
                    self.describe(suffix),
                    f"expected {n_columns} {what} separated by commas, got {shown!r}",
                    line=number,
                )


def _is_row(fields: list[str], n_columns: int, read: type) -> bool:
    try:
        values = [read(field) for field in fields]
    except ValueError:
        return False
    fits = read is float or all(-(2**31) <= value < 2**31 for value in values)
    return fits and len(values) == n_columns


def _parse(file: IO[bytes], n_columns: int, dtype: pa.DataType) -> AnyArray:
    """Parse lines of comma-separated numbers into an array, block by block."""
    columns = [str(number) for number in range(n_columns)]
    if not (head := file.read(1)):
        return np.empty((n_columns, 0), dtype=dtype.to_pandas_dtype())
    reader = pyarrow.csv.open_csv(
        pa.PythonFile(_Stream(head, file), mode="r"),
        read_options=pyarrow.csv.ReadOptions(column_names=columns, block_size=_BLOCK_BYTES),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(columns, dtype), null_values=[]
        ),
    )
    table = reader.read_all()
    parsed = np.empty((n_columns, len(table)), dtype=dtype.to_pandas_dtype())
    for number in range(n_columns):
        parsed[number] = table[number].to_numpy()
    return parsed


class _Stream:
    """A file for pyarrow: begins with bytes read before, and reads in small pieces.

    A large read of a member of a zip archive copies what it has at every step; pieces
    of a mebibyte, joined once, are twice as fast.
    """

    def __init__(self, head: bytes, rest: IO[bytes]):
        self._head, self._rest = head, rest
        self.closed = False

    def read(self, n_bytes: int) -> bytes:
        pieces, self._head = [self._head], b""
        wanted = n_bytes - len(pieces[0])
        while wanted > 0 and (piece := self._rest.read(min(wanted, _PIECE_BYTES))):
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        self.closed = True


def _graph_sizes(
    indicator: IndexArray, n_targets: int | None, files: _TuFiles
) -> IndexArray:
    """Count the nodes of every graph; a graph id that never occurs has none."""
    n_graphs = int(indicator.max(initial=0)) if n_targets is None else n_targets
    wrong = (indicator < 1) | (indicator > n_graphs)
    if wrong.any():
        node = int(np.argmax(wrong))
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} does not exist; there are {n_graphs} graphs, "
            "counted from 1",
            line=node + 1,
        )
    falling = np.flatnonzero(np.diff(indicator) < 0)
    if len(falling):
        node = int(falling[0]) + 1
        raise FileFormatError(
            files.describe("graph_indicator"),
            f"graph {indicator[node]} after graph {indicator[node - 1]}; "
            "the nodes of a graph must be listed together, in the order of the graphs",
            line=node + 1,
        )
    return np.bincount(indicator, minlength=n_graphs + 1)[1:]


def _check_node_numbers(edges: AnyArray, n_nodes: int, files: _TuFiles) -> None:
    if edges.size and (edges.min() < 1 or edges.max() > n_nodes):
        line = int(np.argmax(((edges < 1) | (edges > n_nodes)).any(axis=0)))
        raise FileFormatError(
            files.describe("A"),
            f"the edge {edges[:, line].tolist()} names a node that does not exist; there "
            f"are {n_nodes} nodes, counted from 1",
            line=line + 1,
        )


def _name_bad_value(
    edges: AnyArray, indicator: IndexArray, attributes: AnyArray | None, files: _TuFiles
) -> None:
    """Find the line of what `assemble` refused: an edge or an attribute."""
    crossing = indicator[edges[0]] != indicator[edges[1]]
    if crossing.any():
        line = int(np.argmax(crossing))
        raise FileFormatError(
            files.describe("A"),
            f"the edge {(edges[:, line] + 1).tolist()} joins two graphs",
            line=line + 1,
        )
    if attributes is not None and not np.isfinite(attributes).all():
        column, node = np.argwhere(~np.isfinite(attributes))[0]
        raise FileFormatError(
            files.describe("node_attributes"),
            f"attribute {column} is {attributes[column, node]}; attributes must be finite",
            line=int(node) + 1,
        )
