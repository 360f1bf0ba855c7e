"""Write rows of numbers in chunks to parquet, csv or npz files.

Files are written completely or not at all.
"""

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

_GROUP_CELLS = 2**22  # numbers in a row group of parquet; every group adds metadata

Ids: TypeAlias = Mapping[str, NameArray]
Write: TypeAlias = Callable[[Ids, FloatArray], None]


def check_row_file(path: Path) -> None:
    """Raise if the suffix is not supported or the file cannot be written."""
    if path.suffix.lower() not in _FORMATS:
        suffixes = ", ".join(_FORMATS)
        raise InputError(
            f"Cannot write rows to {str(path)!r}; the name must end in one of {suffixes}."
        )
    check_output(path)


@contextmanager
def open_row_file(
    path: Path, features: Sequence[str], metadata: Mapping[str, str]
) -> Iterator[Write]:
    r"""Yield a function that appends embeddings; create the file if the block succeeds.

    The function takes columns of ids, integers or text, and one embedding per id. A column
    has the type of its first chunk. Parquet stores ``metadata`` in its schema. An npz file
    contains the embeddings in the array ``rows``, one array per column of ids, and the
    names of the features in ``names``; no array contains objects.

    Text is written as UTF-8. Characters of file names that cannot be encoded as UTF-8 are
    escaped, for instance ``\udcff`` for the byte 0xff.
    """
    check_row_file(path)
    open_format = _FORMATS[path.suffix.lower()]
    with (
        whole_file(path) as temporary,
        temporary.open("wb") as file,
        _open_escaped(open_format, file, features, metadata) as write,
    ):
        yield write


@contextmanager
def open_row_stream(file: IO[bytes], features: Sequence[str]) -> Iterator[Write]:
    """Yield a function that writes rows as csv to an open file, which stays open."""
    with _open_escaped(_open_csv, file, features, {}) as write:
        yield write


@contextmanager
def _open_escaped(
    open_format: "_Open",
    file: IO[bytes],
    features: Sequence[str],
    metadata: Mapping[str, str],
) -> Iterator[Write]:
    """Open a format, and escape text that cannot be encoded as UTF-8."""
    escaped_metadata = {_escape(key): _escape(value) for key, value in metadata.items()}
    with open_format(file, [_escape(name) for name in features], escaped_metadata) as write:

        def write_escaped(ids: Ids, embeddings: FloatArray) -> None:
            escaped = {name: _escape_names(values) for name, values in ids.items()}
            write(escaped, embeddings)

        yield write_escaped


def _escape_names(names: NameArray) -> NameArray:
    if names.dtype.kind not in "OU":
        return names
    try:
        "".join(names).encode("utf-8")
    except UnicodeEncodeError:
        return np.fromiter(map(_escape, names), dtype=object, count=len(names))
    return names


def _escape(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


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
            # Values of embeddings rarely repeat, and are not searched by range.
            writer = pyarrow.parquet.ParquetWriter(
                file, table.schema, use_dictionary=ids, write_statistics=ids
            )
        writer.write_table(table, row_group_size=max(1, len(table)))
        waiting.clear()

    def write(ids: Ids, embeddings: FloatArray) -> None:
        table = _as_table(ids, embeddings, features).replace_schema_metadata(metadata)
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

    def write(ids: Ids, embeddings: FloatArray) -> None:
        nonlocal writer
        table = _as_table(ids, embeddings, features)
        writer = writer or pyarrow.csv.CSVWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _as_table(ids: Ids, embeddings: FloatArray, features: list[str]) -> pa.Table:
    columns = {
        name: pa.array(values, None if values.dtype.kind == "i" else pa.string())
        for name, values in ids.items()
    }
    by_column = np.ascontiguousarray(embeddings.T)
    return pa.table(columns | dict(zip(features, map(pa.array, by_column), strict=True)))


@contextmanager
def _open_npz(
    file: IO[bytes], features: list[str], _metadata: Mapping[str, str]
) -> Iterator[Write]:
    """Write pieces of every array to a temporary file, then join them in the archive.

    The header of an array precedes its values, but contains its length and the width of
    its texts, which depend on all pieces.
    """
    columns: dict[str, _Pieces] = {}

    def write(ids: Ids, embeddings: FloatArray) -> None:
        plain_ids = {
            name: values if values.dtype.kind == "i" else values.astype(str)
            for name, values in ids.items()
        }
        for name, values in {"rows": embeddings, **plain_ids}.items():
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
    """Pieces of one array in a temporary file."""

    def __init__(self, folder: Path) -> None:
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by the caller
        self.shape: tuple[int, ...] = ()
        self.dtype: np.dtype[Any] = np.dtype(np.int64)
        self.n_pieces = 0

    def append(self, values: AnyArray) -> None:
        np.lib.format.write_array(self.file, values, allow_pickle=False)
        n_rows = len(values) + (self.shape[0] if self.n_pieces else 0)
        self.shape = (n_rows, *values.shape[1:])
        dtype = self.dtype if self.n_pieces else values.dtype
        self.dtype = np.promote_types(dtype, values.dtype)
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


_Open: TypeAlias = Callable[
    [IO[bytes], list[str], Mapping[str, str]], AbstractContextManager[Write]
]
_FORMATS: dict[str, _Open] = {
    ".parquet": _open_parquet,
    ".csv": _open_csv,
    ".npz": _open_npz,
}
