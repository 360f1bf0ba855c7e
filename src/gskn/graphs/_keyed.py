"""Node and edge data that graph libraries keep under names: networkx and igraph."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gskn.exceptions import InputError
from gskn.graphs._options import AUTO, AttributeKeys, Key

Column = Callable[[str], list[Any]]  # the values under a key, MISSING where there is none


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def read_labels(
    column: Column, known: Iterable[str], key: Key, graph: str
) -> list[Any] | None:
    """Read one label per node."""
    return _read(column, known, key, custom="label", what="node", graph=graph)


def read_attributes(
    column: Column, known: Iterable[str], keys: AttributeKeys, graph: str
) -> list[Any] | None:
    """Read one vector per node: from one key, or a number from each of several."""
    if keys is None or isinstance(keys, str):
        rows = _read(column, known, keys, custom="attributes", what="node", graph=graph)
        _check_equal_lengths(rows, graph)
        return rows
    columns = [
        _read(column, known, key, custom=key, what="node", graph=graph) for key in keys
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def read_weights(
    column: Column, known: Iterable[str], key: Key, graph: str
) -> list[Any] | None:
    """Read one weight per edge; edges without one weigh 1 where others have one."""
    known = list(known)
    if key is None or (key == AUTO and "weight" not in known):
        return None
    key = "weight" if key == AUTO else key
    values = column(key)
    if values and all(value is MISSING for value in values):
        raise InputError(f"{graph} has no edge data {key!r}; {_hint(known)}")
    return [1.0 if value is MISSING else value for value in values]


def _read(
    column: Column,
    known: Iterable[str],
    key: Key,
    *,
    custom: str,
    what: str,
    graph: str,
) -> list[Any] | None:
    known = list(known)
    if key is None or (key == AUTO and custom not in known):
        return None
    key = custom if key == AUTO else key
    values = column(key)
    for number, value in enumerate(values):
        if value is MISSING or value is None:
            raise InputError(
                f"{graph}, {what} {number} has no {what} data {key!r}; "
                f"give it to every node. {_hint(known)}"
            )
    return values


def _hint(known: list[str]) -> str:
    listed = ", ".join(sorted(map(repr, known)))
    return f"Names found: {listed}." if listed else "The graph has no such data at all."


def _check_equal_lengths(rows: Sequence[Any] | None, graph: str) -> None:
    if not rows:
        return
    sizes = [_size(row) for row in rows]
    for node, size in enumerate(sizes):
        if size != sizes[0]:
            raise InputError(
                f"{graph}, node {node} has {size} attributes, but node 0 has {sizes[0]}; "
                "give every node the same attributes."
            )


def _size(row: Any) -> int:
    return len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1
