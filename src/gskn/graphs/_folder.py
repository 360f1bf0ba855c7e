"""One interface to the files of a folder and of a zip archive, without unpacking."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from gskn._archives import ARCHIVE_ERRORS, open_member
from gskn._files import check_exists, check_regular
from gskn._limits import max_text_bytes
from gskn.exceptions import FileFormatError, UnsafeArchiveError, describe_error


class Folder:
    """Text files of a folder or zip archive by base name.

    Parameters
    ----------
    path : str or Path
        A folder, or a file that is a zip archive.

    Raises
    ------
    FileFormatError
        If the path cannot be read, or is a file other than a zip archive.
    UnsafeArchiveError
        If the archive has members outside its folder, or unpacks to an excessive size.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        check_exists(self.path)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        if self.path.is_dir():
            self._members = _list_files(self.path)
            return
        check_regular(self.path)
        self._infos = _list_members(self.path)
        self._members = {name: info.filename for name, info in self._infos.items()}

    @property
    def names(self) -> list[str]:
        """Base names of the files, sorted."""
        return sorted(self._members)

    def describe(self, name: str) -> str:
        """Return the path of a file for a message."""
        return str(self.path / self._members[name])

    @contextmanager
    def open(self, name: str) -> Iterator[io.BufferedReader]:
        """Open a file in binary mode; errors while reading become FileFormatError."""
        if name not in self._infos:
            path = self.path / self._members[name]
            check_regular(path)
            try:
                with path.open("rb") as file:
                    yield file
            except OSError as error:
                raise FileFormatError(
                    path, f"cannot be read: {describe_error(error)}"
                ) from error
            return
        info = self._infos[name]
        # The packed size in the archive may be wrong.
        n_packed = min(info.compress_size, self.path.stat().st_size)
        what = f"the member {info.filename!r}"
        _check_size(info.file_size, n_packed, what, self.path)
        try:
            archive = zipfile.ZipFile(self.path)
        except ARCHIVE_ERRORS as error:
            raise _unreadable(self.path, error) from error
        with archive, open_member(archive, info, self.describe(name)) as file:
            yield file


def _list_files(path: Path) -> dict[str, str]:
    """List all files; opening a pipe or device raises."""
    try:
        children = [child for child in path.iterdir() if child.exists()]
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {describe_error(error)}") from error
    return {child.name: child.name for child in children if not child.is_dir()}


def _list_members(path: Path) -> dict[str, zipfile.ZipInfo]:
    """List the files of an archive by base name; check their paths and total size."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except ARCHIVE_ERRORS as error:
        raise _unreadable(path, error) from error
    for info in infos:
        if _leaves_folder(info.filename):
            raise UnsafeArchiveError(
                path, f"the member {info.filename!r} is outside the folder of the archive"
            )
    # Archives created by macOS contain a second, hidden entry for every file.
    infos = [info for info in infos if not info.filename.startswith("__MACOSX/")]
    total = sum(info.file_size for info in infos if info.filename.endswith(".txt"))
    _check_size(total, path.stat().st_size, "the archive", path)
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = PurePosixPath(info.filename).name
        if name.endswith(".txt") and name in members:
            raise FileFormatError(
                path,
                f"two files have the same name: {members[name].filename!r} and "
                f"{info.filename!r}",
            )
        members[name] = info
    return members


def _check_size(n_bytes: int, n_packed: int, what: str, path: Path) -> None:
    limit = max_text_bytes(n_packed)
    if n_bytes > limit:
        raise UnsafeArchiveError(
            path,
            f"{what} unpacks to {n_bytes} bytes, more than the limit of {limit}; unpack it "
            "to a folder if you trust it",
        )


def _unreadable(path: Path, error: BaseException) -> FileFormatError:
    return FileFormatError(path, f"not a readable zip archive: {describe_error(error)}")


def _leaves_folder(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return name.startswith(("/", "\\")) or ".." in parts or ":" in name.split("/")[0]
