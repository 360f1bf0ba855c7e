"""Read npz archives from untrusted files.

numpy allocates the shape that a header declares before it reads the values, and unpacks
every member that is asked for. Here each header is compared with the size of its member,
and the total with a bound, before any array is allocated. No objects are unpickled.
"""

import lzma
import math
import zipfile
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from gskn._files import check_regular
from gskn._limits import max_unpacked_bytes
from gskn._types import AnyArray
from gskn.exceptions import FileFormatError

# What zipfile and the decompressors raise on damaged archives.
ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # damaged bzip2 data
    NotImplementedError,  # an unknown compression method or version
    RuntimeError,  # an encrypted member
    ValueError,  # a header that is not UTF-8 or has a negative offset
    LookupError,  # an empty member name
    OverflowError,
)
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# What numpy raises on a malformed header, which is a Python literal.
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
        Names of the arrays to read; others are not unpacked, and missing ones are left
        out. None reads all.
    stored : bool, default=False
        Whether to refuse compressed arrays, so that the file is as large as its arrays.

    Returns
    -------
    arrays : dict of str to ndarray
        Arrays of booleans, numbers or text.

    Raises
    ------
    FileFormatError
        If the file is not an npz archive, is damaged, holds objects or would take too
        much memory.
    """
    check_regular(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _select_members(archive, wanted, path)
            _check_total(members.values(), path, stored=stored)
            for name, member in members.items():
                _check_member(archive, name, member)
            return {name: _read(archive, member) for name, member in members.items()}
    except FileFormatError:
        raise
    except (*ARCHIVE_ERRORS, *_HEADER_ERRORS) as error:
        raise FileFormatError(path, f"not a readable npz archive: {error}") from error


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
    """Raise if the arrays would take too much memory."""
    members = list(members)
    if stored and any(m.compress_type != zipfile.ZIP_STORED for m in members):
        raise FileFormatError(path, "it has compressed arrays")
    total = sum(member.file_size for member in members)
    n_bytes = path.stat().st_size
    bound = n_bytes if stored else max_unpacked_bytes(n_bytes)
    if total > bound:
        raise FileFormatError(
            path, f"its arrays would take {total} bytes, more than the bound of {bound}"
        )


def _check_member(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> None:
    """Raise if the header of an array does not agree with the size of its member."""
    with archive.open(member) as file:
        shape, _, dtype = _read_header(file)
        sizes_are_integers = all(type(size) is int and size >= 0 for size in shape)
        if dtype.kind not in _KINDS:
            raise ValueError(f"the array {name!r} has the type {dtype}")
        # numpy counts the elements in int64 before it looks at the file.
        if not sizes_are_integers or any(size > member.file_size for size in shape):
            raise ValueError(f"the array {name!r} has the shape {shape}")
        if file.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
            raise ValueError(f"the array {name!r} does not have the size it declares")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> AnyArray:
    with archive.open(member) as file:
        array: AnyArray = np.lib.format.read_array(file, allow_pickle=False)
        # The checksum of a member is compared at its end only.
        if file.read(1):
            raise ValueError(f"there are bytes after the array {member.filename!r}")
    return array


def _read_header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version not in _HEADER_READERS:
        raise ValueError(f"version {version} of the npy format is not supported")
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = _HEADER_READERS[version](file)
    return header
