"""What a caller may say about how graphs are to be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Key: TypeAlias = str | None
AttributeKeys: TypeAlias = str | Sequence[str] | None

AUTO = "auto"  # the custom of the format, where the graphs follow it


@dataclass(frozen=True)
class ReadOptions:
    """Names of the node and edge data to read; None leaves that data out."""

    node_label: Key = AUTO
    node_attributes: AttributeKeys = AUTO
    edge_weight: Key = AUTO
    directed: bool | None = None
    columns: tuple[str, str, str] = ("graph", "source", "target")
    nodes: Any = None

    def is_directed(self, custom: bool) -> bool:  # noqa: FBT001 - the format's answer
        """Return what the caller said, else the custom of the format."""
        return custom if self.directed is None else self.directed
