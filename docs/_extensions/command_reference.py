"""Write the page of the command line from the application itself, at every build."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def write_commands(app: Any) -> None:
    """Let typer describe all commands, and write the page if it changed."""
    command = [sys.executable, "-m", "typer", "gskn.cli", "utils", "docs", "--name", "gskn"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    page = Path(app.srcdir) / "reference" / "commands.md"
    if not page.exists() or page.read_text(encoding="utf-8") != told:
        page.write_text(told, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_commands)
    return {"parallel_read_safe": True}
