"""Edge tables in parquet files, with limits on their size in memory.

A parquet file of a few kilobytes can contain 10^9 rows, because repeated values are stored
once. The number of rows, the uncompressed sizes in the metadata and the size of decoded
text are compared with a limit that is proportional to the size of the file.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from gskn._files import check_regular
from gskn._limits import max_unpacked_bytes
from gskn.exceptions import FileFormatError, GsknError, InputError, describe_error
from gskn.graphs._assemble import GraphParts
from gskn.graphs._molecules import read_smiles_rows
from gskn.graphs._options import ReadOptions
from gskn.graphs._smiles_tables import as_list, find_name_column, find_smiles_column
from gskn.graphs._table import check_edge_columns, from_table

# Bytes counted per row. A small file may have 3.3 million rows, and a large file four times
# as many rows as a table of small integers of the same size (2.5 bytes per row in the file,
# and 200 to 500 bytes in memory during the conversion).
_ROW_BYTES = 80
# Errors of pyarrow for damaged files.
_PARQUET_ERRORS = (
    pa.ArrowException,
    OSError,
    ValueError,  # for instance, a column name that is not UTF-8
    OverflowError,
    MemoryError,
    RecursionError,
)

_BATCH_ROWS = 2**20
_TEXT_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
)


def read_parquet(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read an edge table, or molecules in a column of SMILES, from a parquet file."""
    with _parquet_errors(path):
        names = read_column_names(path)
        smiles = find_smiles_column(names, options)
    if smiles is None:
        return [from_table(_read_table(path, options, None), options)]
    keys = [key for key in (smiles, find_name_column(names)) if key is not None]
    table = _read_table(path, options, keys)
    texts, titles = as_list(table[smiles]), as_list(table[keys[-1]])
    return read_smiles_rows(path, texts, titles, options, lambda row: row + 1)


def read_parquet_columns(path: Path, options: ReadOptions) -> Mapping[str, Any] | None:
    """Return the columns of a file with a column of SMILES; None for other files."""
    with _parquet_errors(path):
        names = read_column_names(path)
        if find_smiles_column(names, options) is None:
            return None
    table = _read_table(path, options, names)
    return {name: table[name] for name in names}


def _read_table(path: Path, options: ReadOptions, columns: list[str] | None) -> pa.Table:
    """Read columns of a file, by default the columns of an edge table."""
    with open_edge_file(path, options, columns) as file:
        file.check_rows(file.n_rows)
        file.check_bytes(sum(file.group_sizes()))
        pieces, n_bytes = [], 0
        for piece in file.read(max(file.n_rows, 1)):
            n_bytes += piece.nbytes
            file.check_bytes(n_bytes)
            pieces.append(piece)
        return pa.concat_tables(pieces) if pieces else file.empty()


@contextmanager
def open_edge_file(
    path: Path, options: ReadOptions, columns: list[str] | None = None
) -> Iterator["EdgeFile"]:
    """Open a parquet file and check the sizes of its row groups.

    Without ``columns``, the columns of a table of edges are read.
    """
    with _parquet_errors(path):
        check_regular(path)
        metadata = pyarrow.parquet.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        if columns is None:
            columns = check_edge_columns(
                schema.names,
                options,
                stacklevel=9,  # the caller of read_graphs
            )
        for name in columns:
            if pa.types.is_nested(schema.field(name).type):
                raise InputError(
                    f"Column {name!r} has the nested type {schema.field(name).type}; use "
                    "numbers or text."
                )
        row_bytes = _ROW_BYTES + sum(_fixed_bytes(schema.field(name)) for name in columns)
        with (
            # Text is read as dictionaries, to compute its size before it is decoded.
            pyarrow.parquet.ParquetFile(
                path, metadata=metadata, pre_buffer=False, read_dictionary=columns
            ) as reader,
            pyarrow.parquet.ParquetFile(
                path, metadata=metadata, pre_buffer=False
            ) as plain_reader,
        ):
            file = EdgeFile(path, reader, plain_reader, columns, row_bytes)
            file.check_bytes(max(file.group_sizes(), default=0))
            yield file


def read_column_names(path: Path) -> list[str]:
    """Return the names of the columns of a parquet file."""
    with _parquet_errors(path):
        check_regular(path)
        names: list[str] = pyarrow.parquet.read_schema(path).names
    return names


@dataclass(frozen=True)
class EdgeFile:
    """An open parquet file of edges, the columns to read and the bytes counted per row."""

    path: Path
    reader: Any
    plain_reader: Any
    columns: list[str]
    row_bytes: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.reader.metadata.num_rows)

    @property
    def max_bytes(self) -> int:
        """Number of bytes that the content may occupy in memory."""
        return max_unpacked_bytes(self.path.stat().st_size)

    def check_rows(self, n_rows: int) -> None:
        """Raise if ``n_rows`` rows in memory need too much of it."""
        if n_rows * self.row_bytes > self.max_bytes:
            raise FileFormatError(
                self.path,
                f"{n_rows} rows are too many for a file of {self.path.stat().st_size} "
                f"bytes (at most {self.max_bytes // self.row_bytes}). If you trust the "
                "file, pass pyarrow.parquet.read_table(path) to as_batch",
            )

    def group_sizes(self) -> list[int]:
        """Return the uncompressed size of every row group.

        Sizes of single columns are not used: pyarrow aborts if their metadata is damaged.
        """
        metadata = self.reader.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        return [group.total_byte_size for group in groups]

    def empty(self) -> pa.Table:
        """Return the table without rows."""
        schema = self.plain_reader.schema_arrow
        fields = [schema.field(name) for name in self.columns]
        return pa.schema(fields).empty_table()

    def read(self, n_rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``n_rows`` rows, with text decoded and checked."""
        reader, limit = self.reader, n_rows
        if not self._can_read_dictionaries():
            # A text is not longer than its row group, so this limits the bytes of a batch.
            largest = max(self.group_sizes(), default=1)
            reader, limit = self.plain_reader, self.max_bytes // max(8 * largest, 1)
        n_batch = max(1, min(n_rows, limit, _BATCH_ROWS))
        for batch in reader.iter_batches(n_batch, columns=self.columns):
            yield self._decode(pa.Table.from_batches([batch]))

    def _can_read_dictionaries(self) -> bool:
        """Return whether pyarrow can read text as dictionaries in its encoding."""
        try:
            next(self.reader.iter_batches(1, columns=self.columns), None)
        except _PARQUET_ERRORS:  # if the file is damaged, the plain reader raises as well
            return False
        return True

    def _decode(self, table: pa.Table) -> pa.Table:
        """Validate all columns and replace dictionaries by their values."""
        for number, name in enumerate(table.column_names):
            column = table[name]
            column.validate(full=True)
            if pa.types.is_dictionary(column.type):
                self.check_bytes(_decoded_bytes(column))
                column = column.cast(column.type.value_type)
            table = table.set_column(number, name, column)
        return table

    def check_bytes(self, n_bytes: int) -> None:
        """Raise if columns of ``n_bytes`` bytes need too much memory."""
        if n_bytes > self.max_bytes:
            raise FileFormatError(
                self.path,
                f"the columns need {n_bytes} bytes, more than the limit of "
                f"{self.max_bytes}. If you trust the file, pass "
                "pyarrow.parquet.read_table(path) to as_batch",
            )


def _fixed_bytes(field: pa.Field) -> int:
    """Return the bytes of a value of fixed width, else 0."""
    dtype = field.type
    return int(dtype.byte_width) if pa.types.is_fixed_size_binary(dtype) else 0


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    """Return the size of a column of dictionaries of text after decoding."""
    value_type = column.type.value_type
    if not any(is_text(value_type) for is_text in _TEXT_TYPES):
        return 0
    total = 0
    for chunk in column.chunks:
        sizes = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy()
        used = chunk.indices.drop_null().to_numpy()
        counts = np.bincount(used, minlength=len(sizes))
        total += int(counts @ sizes.astype(np.int64))
    return total


@contextmanager
def _parquet_errors(path: Path) -> Iterator[None]:
    """Replace errors of pyarrow by FileFormatError."""
    try:
        yield
    except InputError as error:
        raise FileFormatError(path, str(error)) from error
    except GsknError:
        raise
    except _PARQUET_ERRORS as error:
        raise FileFormatError(path, f"not parquet: {describe_error(error)}") from error
