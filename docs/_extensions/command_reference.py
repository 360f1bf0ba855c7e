"""Generate the reference page of the command line from the application."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any


def write_commands(app: Any) -> None:
    """Generate the page with typer and write it if it has changed."""
    command = [sys.executable, "-m", "typer", "gskn.cli", "utils", "docs", "--name", "gskn"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"\A# `gskn`", "# Commands", text)
    text = re.sub(r"^Example: (.*)$", r"Example: `\1`", text, flags=re.MULTILINE)
    # Every example of the first section is a paragraph; together they are one block.
    text = re.sub(r"(?:^ *gskn [a-z]+ .*\n\n)+", _as_block, text, flags=re.MULTILINE)
    page = Path(app.srcdir) / "reference" / "commands.md"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _as_block(match: re.Match[str]) -> str:
    lines = [line.strip() for line in match[0].splitlines() if line.strip()]
    return "```text\n{}\n```\n\n".format("\n".join(lines))


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_commands)
    return {"parallel_read_safe": True}
