"""Files of rows, written chunk by chunk, whole or not at all: parquet, csv or npz."""

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gskn._files import check_output, whole_file
from gskn._types import AnyArray, FloatArray, NameArray
from gskn.exceptions import InputError

_GROUP_CELLS = 2**22  # of a row group of parquet; each costs its own description

Ids: TypeAlias = Mapping[str, NameArray]
Write: TypeAlias = Callable[[Ids, FloatArray], None]


def check_row_file(path: Path) -> None:
    """Refuse a suffix there is not, and a place where nothing can be written."""
    if path.suffix.lower() not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise InputError(
            f"Rows cannot be written to {str(path)!r}; its name must end in one of {known}."
        )
    check_output(path)


@contextmanager
def open_row_file(
    path: Path, features: Sequence[str], metadata: Mapping[str, str]
) -> Iterator[Write]:
    """Give a function that appends rows; the file appears when the block succeeds.

    The function takes columns of ids, integers or text, and as many rows. What is an
    integer in the first chunk is one in all. Parquet carries ``metadata`` in its schema.
    An npz file has the arrays ``rows``, those of ids, and ``names``, none of objects.
    """
    check_row_file(path)
    opened = _FORMATS[path.suffix.lower()]
    with (
        whole_file(path) as temporary,
        temporary.open("wb") as file,
        opened(file, list(features), metadata) as write,
    ):
        yield write


@contextmanager
def _open_parquet(
    file: IO[bytes], features: list[str], metadata: Mapping[str, str]
) -> Iterator[Write]:
    waiting: list[pa.Table] = []
    writer: pyarrow.parquet.ParquetWriter | None = None

    def flush() -> None:
        nonlocal writer
        table = pa.concat_tables(waiting)
        if writer is None:
            ids = [name for name in table.column_names if name not in set(features)]
            # Real numbers hardly repeat, and their extremes help nobody find a graph.
            writer = pyarrow.parquet.ParquetWriter(
                file, table.schema, use_dictionary=ids, write_statistics=ids
            )
        writer.write_table(table, row_group_size=max(1, len(table)))
        waiting.clear()

    def write(ids: Ids, rows: FloatArray) -> None:
        table = _as_table(ids, rows, features).replace_schema_metadata(metadata)
        waiting.append(table)
        if sum(map(len, waiting)) * len(features) >= _GROUP_CELLS:
            flush()

    try:
        yield write
        if waiting:
            flush()
    finally:
        if writer is not None:
            writer.close()


@contextmanager
def _open_csv(
    file: IO[bytes], features: list[str], _metadata: Mapping[str, str]
) -> Iterator[Write]:
    writer: pyarrow.csv.CSVWriter | None = None

    def write(ids: Ids, rows: FloatArray) -> None:
        nonlocal writer
        table = _as_table(ids, rows, features)
        writer = writer or pyarrow.csv.CSVWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _as_table(ids: Ids, rows: FloatArray, features: list[str]) -> pa.Table:
    columns = {
        name: pa.array(values, None if values.dtype.kind == "i" else pa.string())
        for name, values in ids.items()
    }
    by_column = np.ascontiguousarray(rows.T)
    return pa.table(columns | dict(zip(features, map(pa.array, by_column), strict=True)))


@contextmanager
def _open_npz(
    file: IO[bytes], features: list[str], _metadata: Mapping[str, str]
) -> Iterator[Write]:
    """Keep pieces of every array in a nameless file, then join them in the archive.

    The header of an array comes first, and says how many rows and how wide a text there
    are; both are known last.
    """
    columns: dict[str, _Pieces] = {}

    def write(ids: Ids, rows: FloatArray) -> None:
        texts = {
            name: values if values.dtype.kind == "i" else values.astype(str)
            for name, values in ids.items()
        }
        for name, values in {"rows": rows, **texts}.items():
            if name not in columns:
                columns[name] = _Pieces(Path(file.name).parent)
            columns[name].append(values)

    try:
        yield write
        with zipfile.ZipFile(file, "w") as archive:
            for name, pieces in columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    pieces.copy_to(member)
            with archive.open("names.npy", "w") as member:
                np.lib.format.write_array(member, np.array(features), allow_pickle=False)
    finally:
        for pieces in columns.values():
            pieces.file.close()


class _Pieces:
    """Parts of one array on disk."""

    def __init__(self, folder: Path) -> None:
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by its user
        self.shape: tuple[int, ...] = ()
        self.dtype: np.dtype[Any] = np.dtype(np.int64)
        self.n_pieces = 0

    def append(self, values: AnyArray) -> None:
        np.lib.format.write_array(self.file, values, allow_pickle=False)
        n_rows = len(values) + (self.shape[0] if self.n_pieces else 0)
        self.shape = (n_rows, *values.shape[1:])
        known = self.dtype if self.n_pieces else values.dtype
        self.dtype = np.promote_types(known, values.dtype)
        self.n_pieces += 1

    def copy_to(self, member: IO[bytes]) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": self.shape,
        }
        np.lib.format.write_array_header_1_0(member, header)
        self.file.seek(0)
        for _ in range(self.n_pieces):
            piece = np.lib.format.read_array(self.file, allow_pickle=False)
            member.write(piece.astype(self.dtype).tobytes())


_Opened: TypeAlias = AbstractContextManager[Write]
_FORMATS: dict[str, Callable[[IO[bytes], list[str], Mapping[str, str]], _Opened]] = {
    ".parquet": _open_parquet,
    ".csv": _open_csv,
    ".npz": _open_npz,
}
