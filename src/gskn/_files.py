"""Outputs whole or not at all: write beside the target, then rename."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ORPHAN_SECONDS = 24 * 3600


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it when the block succeeds.

    Several processes may do this at once: each writes its own file, the last wins.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_orphans(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp hides files from others
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_orphans(path: Path) -> None:
    """Remove what killed processes left; nobody writes one file for a day."""
    for orphan in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):  # another process may be removing it, too
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                orphan.unlink()
