"""Outputs whole or not at all: write beside the target, then rename."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from gskn.exceptions import InputError

_ORPHAN_SECONDS = 24 * 3600
_ENDING = ".gskn-tmp"  # nobody else's files end so: some are removed by their name


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it when the block succeeds.

    Several processes may do this at once: each writes its own file, the last wins.
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
    """Refuse a place where no file can be written, before hours of work are lost."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file to write.")
    folder = path.absolute().parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"{str(path)!r} cannot be written: {str(folder)!r} is no folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"{str(path)!r} cannot be written: nothing may be written to {str(folder)!r}."
        )


def _remove_orphans(path: Path) -> None:
    """Remove what killed processes left; nobody writes one file for a day."""
    for orphan in path.parent.glob(f".{escape(path.name)}.*{_ENDING}"):
        with suppress(OSError):  # another process may be removing it, too
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                orphan.unlink()
