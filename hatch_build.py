"""Metadata of the package: a README without links to files of the repository."""

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ModuleNotFoundError:  # in the tests
    MetadataHookInterface = object


class ReadmeHook(MetadataHookInterface):
    """Set the text that a package index shows."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata of the project."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": without_relative_links(text),
        }


def without_relative_links(text: str) -> str:
    """Replace pictures by their descriptions, and links to files by the paths."""
    relative = r"\((?!https?:)([^)#]*)[^)]*\)"
    text = re.sub(rf"!\[([^\]]*)\]{relative}", r"*\1*", text)
    return re.sub(rf"\[([^\]]*)\]{relative}", r"\1 (`\2`)", text)
