"""Outputs whole or not at all: write beside the target, then rename."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it when the block succeeds.

    Several processes may do this at once: each writes its own file, the last wins.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp hides files from others
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
