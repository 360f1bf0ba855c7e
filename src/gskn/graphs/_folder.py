"""A folder or a zip archive, read alike and without unpacking to disk."""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from gskn.exceptions import FileFormatError, GsknError, MissingFileError, UnsafeArchiveError

MAX_UNPACKED_BYTES = 8 * 2**30
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # what bzip2 says of damage
    NotImplementedError,  # compressed in a way Python cannot read
    RuntimeError,  # encrypted
)


class Folder:
    """Files of a folder or zip by their base name."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        if not self.path.exists():
            raise MissingFileError(f"There is no file or folder {str(self.path)!r}.")
        self._is_zip = self.path.is_file()
        self._members = _zip_members(self.path) if self._is_zip else _files(self.path)

    @property
    def names(self) -> list[str]:
        """Base names of the files, sorted."""
        return sorted(self._members)

    def describe(self, name: str) -> str:
        """Name a file in a message."""
        return str(self.path / self._members[name])

    def size(self, name: str) -> int:
        """Return the number of bytes of a file, unpacked."""
        if not self._is_zip:
            return (self.path / self._members[name]).stat().st_size
        with zipfile.ZipFile(self.path) as archive:
            return archive.getinfo(self._members[name]).file_size

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for reading bytes; damage to an archive is said as such."""
        if not self._is_zip:
            with (self.path / self._members[name]).open("rb") as file:
                yield file
            return
        try:
            with (
                zipfile.ZipFile(self.path) as archive,
                archive.open(self._members[name]) as file,
            ):
                yield file
        except GsknError:
            raise
        except _DAMAGES as error:
            raise FileFormatError(
                self.describe(name),
                f"damaged, or packed in a way that cannot be read: {error}",
            ) from error


def _files(path: Path) -> dict[str, str]:
    return {child.name: child.name for child in path.iterdir() if child.is_file()}


def _zip_members(path: Path) -> dict[str, str]:
    """List the files of an archive, refusing those that reach outside or are too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError) as error:
        raise FileFormatError(path, f"not a readable zip archive: {error}") from error
    for info in infos:
        if _leaves_folder(info.filename):
            raise UnsafeArchiveError(
                path, f"the member {info.filename!r} lies outside the archive's folder"
            )
    # Archives made on a Mac carry a shadow of every file.
    infos = [info for info in infos if not info.filename.startswith("__MACOSX/")]
    total = sum(info.file_size for info in infos)
    if total > MAX_UNPACKED_BYTES:
        raise UnsafeArchiveError(
            path,
            f"it would unpack to {total} bytes, beyond the bound of "
            f"{MAX_UNPACKED_BYTES}; unpack it yourself if you trust it",
        )
    members: dict[str, str] = {}
    for info in infos:
        name = PurePosixPath(info.filename).name
        if name.endswith(".txt") and name in members:
            raise FileFormatError(
                path, f"two files of one name: {members[name]!r} and {info.filename!r}"
            )
        members[name] = info.filename
    return members


def _leaves_folder(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return name.startswith(("/", "\\")) or ".." in parts or ":" in name.split("/")[0]
