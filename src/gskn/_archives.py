"""Read zip and npz archives from untrusted files.

numpy allocates the shape that a header declares before it reads the values, and unpacks
members of any size. Here each header is compared with the size of its member, and the
total size with a limit, before any array is allocated. Objects are not unpickled.
"""

import bz2
import copy
import io
import lzma
import math
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np

from gskn._files import check_regular
from gskn._limits import max_unpacked_bytes
from gskn._types import AnyArray
from gskn.exceptions import FileFormatError, describe_error

# Errors of zipfile and the decompressors for damaged archives.
ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # damaged bzip2 data
    NotImplementedError,  # an unknown compression method or version
    RuntimeError,  # an encrypted member
    ValueError,  # a header that is not UTF-8 or has a negative offset
    LookupError,  # a member without a name
    OverflowError,
    struct.error,
)
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# Errors of numpy for a malformed header, which is a Python literal.
_HEADER_ERRORS = (SyntaxError, TokenError, TypeError, RecursionError, MemoryError)
_KINDS = "biufUS"  # booleans, numbers and text


def read_arrays(
    path: Path, wanted: Collection[str] | None = None, *, stored: bool = False
) -> dict[str, AnyArray]:
    """Read the arrays of an npz archive.

    Parameters
    ----------
    path : Path
        The archive.
    wanted : collection of str, default=None
        Names of the arrays to read. Others are not unpacked, and missing arrays are
        omitted from the result. None reads all.
    stored : bool, default=False
        Whether to raise for compressed arrays, so that the file is as large as its arrays.

    Returns
    -------
    arrays : dict of str to ndarray
        Arrays of booleans, numbers or text.

    Raises
    ------
    FileFormatError
        If the file is not an npz archive, is damaged, contains objects or needs too much
        memory.
    """
    check_regular(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _select_members(archive, wanted, path)
            _check_total(members.values(), path, stored=stored)
            for name, member in members.items():
                with open_member(archive, member, path) as file:
                    _check_header(file, name, member.file_size)
            return {name: _read(archive, member, path) for name, member in members.items()}
    except FileFormatError:
        raise
    except (*ARCHIVE_ERRORS, *_HEADER_ERRORS) as error:
        reason = describe_error(error)
        raise FileFormatError(path, f"not a readable npz archive: {reason}") from error


@contextmanager
def open_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str | Path
) -> Iterator[io.BufferedReader]:
    """Open a member of a zip archive for reading, in memory bounded by its declared size.

    zipfile itself unpacks pieces of bzip2 and LZMA data to any size, and allocates a
    dictionary of the size that an LZMA header declares.

    Parameters
    ----------
    archive : ZipFile
        The archive.
    info : ZipInfo
        The member. The caller checks ``info.file_size``; no more bytes are read.
    path : str or Path
        Name of the member in error messages.

    Yields
    ------
    file : binary file
        Reading damaged data raises FileFormatError.
    """
    with ExitStack() as stack:
        try:
            unpacked = _unpack(archive, info, stack)
        except ARCHIVE_ERRORS as error:
            raise _damaged(path, error) from error
        yield stack.enter_context(io.BufferedReader(_Member(unpacked, info, path)))


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, stack: ExitStack) -> IO[bytes]:
    packed = copy.copy(info)
    del packed.CRC  # checked by `_Member`
    if info.compress_type not in {zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}:
        return stack.enter_context(archive.open(packed))
    packed.compress_type = zipfile.ZIP_STORED
    packed.file_size = info.compress_size
    raw = stack.enter_context(archive.open(packed))
    if info.compress_type == zipfile.ZIP_BZIP2:
        return stack.enter_context(bz2.BZ2File(raw))
    filters = [_lzma_filter(raw, info.file_size)]
    return stack.enter_context(lzma.LZMAFile(raw, format=lzma.FORMAT_RAW, filters=filters))


def _lzma_filter(raw: IO[bytes], n_bytes: int) -> dict[str, int]:
    """Read the LZMA header of a zip member: version, size of the properties, properties."""
    _, size, packed, dict_size = struct.unpack("<HHBI", raw.read(9))
    if size != 5:
        raise ValueError("the LZMA header is malformed")
    packed, literal_context_bits = divmod(packed, 9)
    position_bits, literal_position_bits = divmod(packed, 5)
    return {
        "id": lzma.FILTER_LZMA1,
        # A match cannot start before the first byte.
        "dict_size": min(dict_size, max(n_bytes, 4096)),
        "lc": literal_context_bits,
        "lp": literal_position_bits,
        "pb": position_bits,
    }


class _Member(io.RawIOBase):
    """Unpacked bytes of a zip member, checked against its size and checksum."""

    def __init__(self, file: IO[bytes], info: zipfile.ZipInfo, path: str | Path):
        self._file = file
        self._path = path
        self._n_bytes = self._n_left = info.file_size
        self._expected = info.CRC
        self._checksum = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._n_bytes - self._n_left

    def readinto(self, buffer: Any) -> int:
        try:
            content = self._read(len(buffer))
        except ARCHIVE_ERRORS as error:
            raise _damaged(self._path, error) from error
        buffer[: len(content)] = content
        return len(content)

    def _read(self, n_bytes: int) -> bytes:
        if not self._n_left:
            return b""
        content = self._file.read(min(n_bytes, self._n_left))
        if not content:
            raise EOFError(f"{self._n_left} bytes are missing at the end")
        self._n_left -= len(content)
        self._checksum = zlib.crc32(content, self._checksum)
        if not self._n_left and self._checksum != self._expected:
            raise zipfile.BadZipFile("the CRC-32 checksum is wrong")
        return content


def _damaged(path: str | Path, error: BaseException) -> FileFormatError:
    reason = describe_error(error)
    return FileFormatError(path, f"damaged, or of an unsupported compression: {reason}")


def read_array(content: bytes) -> AnyArray:
    """Read one array in npy format; raise ValueError if it is malformed or of objects."""
    file = io.BytesIO(content)
    try:
        _check_header(file, "npy", len(content))
        file.seek(0)
        array: AnyArray = np.lib.format.read_array(file, allow_pickle=False)
    except _HEADER_ERRORS as error:
        raise ValueError(f"not in npy format: {error}") from error
    return array


def _select_members(
    archive: zipfile.ZipFile, wanted: Collection[str] | None, path: Path
) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if wanted is not None and name not in wanted:
            continue
        if name in members:
            raise FileFormatError(path, f"the array {name!r} occurs twice")
        members[name] = member
    return members


def _check_total(members: Iterable[zipfile.ZipInfo], path: Path, *, stored: bool) -> None:
    """Raise if the arrays need too much memory."""
    members = list(members)
    if stored and any(m.compress_type != zipfile.ZIP_STORED for m in members):
        raise FileFormatError(path, "the archive has compressed arrays")
    total = sum(member.file_size for member in members)
    n_bytes = path.stat().st_size
    limit = n_bytes if stored else max_unpacked_bytes(n_bytes)
    if total > limit:
        raise FileFormatError(
            path, f"the arrays need {total} bytes, more than the limit of {limit}"
        )


def _check_header(file: IO[bytes], name: str, n_bytes: int) -> None:
    """Raise if the header of an array contradicts the size of its file."""
    shape, _, dtype = _read_header(file)
    sizes_are_integers = all(type(size) is int and size >= 0 for size in shape)
    if dtype.kind not in _KINDS:
        raise ValueError(f"the array {name!r} has the unsupported type {dtype}")
    # numpy computes the number of elements in int64 before it reads the file.
    if not sizes_are_integers or any(size > n_bytes for size in shape):
        raise ValueError(f"the array {name!r} has the invalid shape {shape}")
    if file.tell() + math.prod(shape) * dtype.itemsize != n_bytes:
        raise ValueError(f"the array {name!r} does not have the size in its header")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> AnyArray:
    with open_member(archive, member, path) as file:
        array: AnyArray = np.lib.format.read_array(file, allow_pickle=False)
    return array


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version not in _HEADER_READERS:
        raise ValueError(f"version {version} of the npy format is not supported")
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = _HEADER_READERS[version](file)
    return header
