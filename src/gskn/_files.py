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

from gskn.exceptions import FileFormatError, InputError, MissingFileError

_ORPHAN_SECONDS = 24 * 3600
_ENDING = ".gskn-tmp"  # only our temporary files: old ones are removed by this suffix
# File systems allow names of 255 bytes. Hidden companions of a file add at most this many.
_COMPANION_BYTES = 24
_MAX_NAME_BYTES = 255


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder and rename it when the block succeeds.

    Several processes may do this at once: each writes its own file, and the last one
    to finish wins.
    """
    make_folders(path.parent)
    _remove_orphans(path)
    handle, name = tempfile.mkstemp(_ENDING, companion(path, ".").name, path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp hides files from others
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def make_folders(folder: Path) -> None:
    """Create a folder and its parents, however many; `Path.mkdir` recurses for each."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(exist_ok=True)


def companion(path: Path, ending: str) -> Path:
    """Return a hidden path beside ``path`` that ends in ``ending``.

    The name contains that of the file, or its digest where both together would be longer
    than a file system allows.
    """
    name = path.name
    if len(os.fsencode(name)) + _COMPANION_BYTES > _MAX_NAME_BYTES:
        name = hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return path.with_name(f".{name}{ending}")


def check_output(path: Path) -> None:
    """Raise if no file can be written at ``path``; call this before long work.

    A nameless file is created in the folder: permission bits do not show access control
    lists and read-only file systems on every operating system.
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
    """Raise if the file at ``path`` cannot be read and added to, or created."""
    with _writing(path):
        _check_name(path)
        target = real_path(path)
        check_output(target)
        with suppress(FileNotFoundError), target.open("r+b"):
            pass


def real_path(path: Path) -> Path:
    """Return the absolute path behind links, or the path itself if it has no meaning."""
    try:
        # Path.resolve raises for a loop of links, depending on the version of Python.
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raise errors of the operating system as one that names the file and the reason."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(f"{str(path)!r} cannot be written: {_reason(error)}.") from error


def _check_name(path: Path) -> None:
    """Raise unless ``path`` is a regular file, or a name that a file can have."""
    try:
        mode = (
            path.stat().st_mode
        )  # fails for loops of links and for names that are too long
    except FileNotFoundError:
        mode = stat.S_IFREG
    except NotADirectoryError:
        return  # explained with the name of the parent
    if stat.S_ISDIR(mode) or path.name in {"", ".."}:
        raise InputError(f"{str(path)!r} is a folder; give the name of a file to write.")
    if not stat.S_ISREG(mode):
        raise InputError(f"{str(path)!r} is not a regular file; give another name.")
    with suppress(FileNotFoundError):
        companion(path, _COMPANION_BYTES * ".").lstat()  # a path can be too long, too


def check_exists(path: Path) -> None:
    """Raise unless there is a file or a folder at ``path``."""
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:  # for instance, a name that is too long
        raise FileFormatError(path, f"cannot be read: {_reason(error)}") from error
    if not exists:
        raise MissingFileError(f"There is no file or folder {str(path)!r}.")


def check_regular(path: Path) -> None:
    """Raise unless ``path`` is a regular file, or a link to one.

    Reading a pipe waits for a writer, and a device may never end.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {str(path)!r}.") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be read: {_reason(error)}") from error
    if not stat.S_ISREG(mode):
        raise FileFormatError(path, "not a regular file")


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)


def _remove_orphans(path: Path) -> None:
    """Remove temporary files that killed processes left more than a day ago."""
    for orphan in path.parent.glob(f"{escape(companion(path, '.').name)}*{_ENDING}"):
        with suppress(OSError):  # another process may be removing it, too
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                orphan.unlink()
