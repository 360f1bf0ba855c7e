"""Write files completely or not at all, and read regular files only."""

import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from gskn.exceptions import (
    FileFormatError,
    InputError,
    MissingFileError,
    describe_error,
)

_ORPHAN_SECONDS = 24 * 3600
_ENDING = ".gskn-tmp"  # old files with this suffix are removed
# File systems allow names of 255 bytes; names of companions are up to 24 bytes longer.
_COMPANION_BYTES = 24
_MAX_NAME_BYTES = 255


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder and rename it when the block succeeds.

    Several processes may write the same path at once: each writes a separate temporary
    file, and the last rename determines the content.
    """
    make_folders(path.parent)
    _remove_orphans(path)
    handle, name = tempfile.mkstemp(_ENDING, companion(path, ".").name, path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp allows access only to the owner
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def make_folders(folder: Path) -> None:
    """Create a folder and its parents without recursion, unlike `Path.mkdir`."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(exist_ok=True)


def companion(path: Path, ending: str) -> Path:
    """Return the path of a hidden file next to ``path`` that ends in ``ending``.

    It contains the name of the file, or a digest of the name if the result would be too
    long for a file system.
    """
    name = path.name
    if len(os.fsencode(name)) + _COMPANION_BYTES > _MAX_NAME_BYTES:
        name = hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return path.with_name(f".{name}{ending}")


def check_output(path: Path) -> None:
    """Raise if no file can be written at ``path``; call this before a long computation.

    A temporary file is created in the folder, because permission bits do not show access
    control lists and read-only file systems on every operating system.
    """
    with _writing(path):
        _check_name(path)
        folder = path.parent
        while not os.path.lexists(folder):
            folder = folder.parent
        if not folder.is_dir():
            raise InputError(
                f"{str(path)!r} cannot be written: {str(folder)!r} is not a folder."
            )
        with tempfile.TemporaryFile(dir=folder):
            pass


def check_append(path: Path) -> None:
    """Raise if the file at ``path`` can neither be read and extended nor created."""
    with _writing(path):
        _check_name(path)
        target = real_path(path)
        check_output(target)
        with suppress(FileNotFoundError), target.open("r+b"):
            pass


def real_path(path: Path) -> Path:
    """Return the absolute path without links, or the path itself if it is invalid."""
    try:
        # Some versions of Path.resolve raise for a loop of links.
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Replace errors of the operating system by an InputError with file and reason."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(
            f"{str(path)!r} cannot be written: {describe_error(error)}."
        ) from error


def _check_name(path: Path) -> None:
    """Raise unless ``path`` is a regular file, or a valid name for one."""
    try:
        mode = path.stat().st_mode  # raises for loops of links and names that are too long
    except FileNotFoundError:
        mode = stat.S_IFREG
    except NotADirectoryError:
        return  # `check_output` raises with the name of the parent
    if stat.S_ISDIR(mode) or path.name in {"", ".."}:
        raise InputError(f"{str(path)!r} is a folder; give the name of a file to write.")
    if not stat.S_ISREG(mode):
        raise InputError(f"{str(path)!r} is not a regular file; give another name.")
    with suppress(FileNotFoundError):
        companion(path, _COMPANION_BYTES * ".").lstat()  # raises if the path is too long


def check_exists(path: Path) -> None:
    """Raise unless ``path`` is an existing file or folder."""
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:  # for instance, a name that is too long
        raise FileFormatError(path, f"cannot be read: {describe_error(error)}") from error
    if not exists:
        raise MissingFileError(f"There is no file or folder {str(path)!r}.")


def check_regular(path: Path) -> None:
    """Raise unless ``path`` is a regular file, or a link to one.

    Reading a pipe would wait for a writer, and reading a device may never end.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {str(path)!r}.") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be read: {describe_error(error)}") from error
    if not stat.S_ISREG(mode):
        raise FileFormatError(path, "not a regular file")


def _remove_orphans(path: Path) -> None:
    """Remove temporary files that killed processes left more than a day ago."""
    for orphan in path.parent.glob(f"{escape(companion(path, '.').name)}*{_ENDING}"):
        with suppress(OSError):  # another process may remove it at the same time
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                orphan.unlink()
