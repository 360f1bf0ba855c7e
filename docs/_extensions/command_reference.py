"""Generate the reference page of the command line from the application."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def write_commands(app: Any) -> None:
    """Generate the page with typer and write it if it has changed."""
    command = [sys.executable, "-m", "typer", "gskn.cli", "utils", "docs", "--name", "gskn"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    page = Path(app.srcdir) / "reference" / "commands.md"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_commands)
    return {"parallel_read_safe": True}
