"""Options for reading graphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gskn._validation import shorten
from gskn.exceptions import InputError

Key: TypeAlias = str | None
AttributeKeys: TypeAlias = str | Sequence[str] | None

AUTO = "auto"  # the default key of the format, if the graphs have it


@dataclass(frozen=True)
class ReadOptions:
    """Keys of the node and edge data to read, with the parameters of `as_batch`."""

    node_label: Key = AUTO
    node_attributes: AttributeKeys = AUTO
    edge_weight: Key = AUTO
    directed: bool | None = None
    columns: tuple[str, str, str] = ("graph", "source", "target")
    nodes: Any = None

    def __post_init__(self) -> None:
        for name in ("node_label", "edge_weight"):
            value = getattr(self, name)
            if not isinstance(value, str | None):
                raise InputError(f"{name} must be a string or None, got {shorten(value)}.")
        keys = self.node_attributes
        if not isinstance(keys, str | None) and not _are_names(keys):
            raise InputError(
                "node_attributes must be a string, a sequence of strings or None, got "
                f"{shorten(keys)}."
            )
        if not isinstance(self.directed, bool | None):
            raise InputError(
                f"directed must be True, False or None, got {shorten(self.directed)}."
            )
        if not _are_names(self.columns) or len(self.columns) != 3:
            raise InputError(
                "columns must be the names of the graph, source and target columns, got "
                f"{shorten(self.columns)}."
            )

    def is_directed(self, *, default: bool) -> bool:
        """Return ``directed``, or the convention of the format if it is None."""
        return default if self.directed is None else self.directed


def _are_names(keys: object) -> bool:
    return (
        isinstance(keys, list | tuple)
        and bool(keys)
        and all(isinstance(key, str) for key in keys)
    )
