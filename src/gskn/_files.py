"""Write files completely or not at all, and read regular files only."""

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


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder and rename it when the block succeeds.

    Several processes may do this at once: each writes its own file, and the last one
    to finish wins.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_orphans(path)
    handle, name = tempfile.mkstemp(_ENDING, f".{path.name}.", path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp hides files from others
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_output(path: Path) -> None:
    """Raise if no file can be written at ``path``; call this before long work."""
    try:
        resolved = path.resolve(strict=False)
        if resolved.is_dir():
            raise InputError(
                f"{str(path)!r} is a folder; give the name of a file to write."
            )
        if resolved.exists() and not resolved.is_file():
            raise InputError(f"{str(path)!r} is not a regular file; give another name.")
        _check_folder(path, resolved.parent)
        path.lstat()  # raises if the name is too long
    except FileNotFoundError:
        return
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(path)!r} cannot be written: {_reason(error)}.") from error


def _check_folder(path: Path, folder: Path) -> None:
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(
            f"{str(path)!r} cannot be written: {str(folder)!r} is not a folder."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"{str(path)!r} cannot be written: the folder {str(folder)!r} is not writable."
        )


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
    for orphan in path.parent.glob(f".{escape(path.name)}.*{_ENDING}"):
        with suppress(OSError):  # another process may be removing it, too
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                orphan.unlink()
