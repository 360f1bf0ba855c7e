"""Labels, attributes and names of several parts, joined into one column each."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gskn._types import FloatArray, IndexArray, NameArray
from gskn.exceptions import InputError

_PLAIN_NAMES = {str, int, float, bool, bytes, type(None)}

_REMEDIES = {
    "edge labels": " To ignore them, use edge_label=None or batch.without_edge_data().",
    "edge attributes": (
        " To ignore them, use edge_attributes=None or batch.without_edge_data()."
    ),
}

Describe = Callable[[int], str]  # the name of a part in a message, for instance "Graph 3"


@dataclass(frozen=True)
class Coded:
    """Labels given as indices into a tuple of different values."""

    codes: IndexArray
    values: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Hashable]:
        return (self.values[code] for code in self.codes)

    def in_order(self) -> tuple[IndexArray, tuple[Hashable, ...]]:
        """Return codes and values, without unused values and in their standard order."""
        used = np.flatnonzero(np.bincount(self.codes, minlength=len(self.values)))
        values = sort_values({self.values[code] for code in used})
        position = {value: number for number, value in enumerate(values)}
        table = np.zeros(len(self.values), dtype=np.int64)
        table[used] = [position[self.values[code]] for code in used]
        return table[self.codes], values


def all_or_none(
    columns: Sequence[Any], sizes: Sequence[int] | IndexArray, what: str, part: Describe
) -> list[tuple[int, Any]] | None:
    """Return the columns of all parts that are not empty; raise if only some have one.

    ``sizes`` are the numbers of nodes, or of edges for a column of edge data.
    """
    if all(column is None for column in columns):
        return None
    filled = [number for number, size in enumerate(sizes) if size]
    # If all parts are empty, an empty column still has a width.
    candidates = filled or range(len(columns))
    present = [(number, columns[number]) for number in candidates]
    present = [(number, column) for number, column in present if column is not None]
    if present and len(present) < len(filled):
        missing = next(number for number in filled if columns[number] is None)
        raise InputError(
            f"{part(missing)} has no {what}, but {part(present[0][0]).lower()} has; give "
            f"them to all or to none.{_REMEDIES.get(what, '')}"
        )
    return present or None


def join_attributes(
    blocks: Sequence[tuple[int, FloatArray]], part: Describe, what: str
) -> FloatArray:
    """Join the attributes of parts; raise if their numbers of attributes differ."""
    first, width = blocks[0][0], blocks[0][1].shape[1]
    for number, block in blocks:
        if block.shape[1] != width:
            raise InputError(
                f"{part(number)} has {block.shape[1]} {what}, but "
                f"{part(first).lower()} has {width}; give all the same attributes."
            )
    return np.concatenate([block for _, block in blocks])


def join_names(
    columns: Sequence[NameArray | None], positions: Iterable[IndexArray]
) -> NameArray | None:
    """Join names; if only some parts have names, the others are named by position."""
    if all(names is None for names in columns):
        return None
    filled = [
        position if names is None else names
        for names, position in zip(columns, positions, strict=True)
    ]
    if len({names.dtype.kind for names in filled}) > 1:
        # numpy would convert numbers among strings to strings.
        filled = [names.astype(object) for names in filled]
    return np.concatenate(filled)


def name_array(names: Sequence[Hashable] | NameArray) -> NameArray:
    """Return names as a one-dimensional object array; a tuple is one name."""
    if not {*map(type, names)} <= _PLAIN_NAMES:
        for name in names:
            _check_name(name)
    return np.fromiter(names, dtype=object, count=len(names))


def _check_name(name: object) -> None:
    # A tensor is hashable, but compares by element.
    if hasattr(name, "__array__") and not isinstance(name, np.generic):
        raise InputError(
            f"A name of a graph or node is of type {type(name).__name__}; use a string or "
            "a number."
        )
    try:
        hash(name)
    except TypeError:
        raise InputError(
            f"A name of a graph or node is of type {type(name).__name__}, which is not "
            "hashable; use a string, a number or a tuple."
        ) from None


def sort_values(values: set[Hashable]) -> tuple[Hashable, ...]:
    """Sort label values, or sort by type and text if they cannot be compared.

    Sorted values, unlike values by first appearance, do not depend on the order of graphs.
    """
    if all(isinstance(value, int | float | str | bytes | tuple) for value in values):
        try:
            return tuple(sorted(values))  # type: ignore[type-var]
        except (TypeError, ValueError, ArithmeticError):
            pass  # several types, or a type without an order
    return tuple(sorted(values, key=lambda value: (type(value).__name__, _text(value))))


def _text(value: Hashable) -> str:
    try:
        if isinstance(value, frozenset):
            return str(sorted(map(repr, value)))
        return repr(value)
    except (ValueError, RecursionError):  # an integer of many digits, or deep nesting
        return hex(value) if isinstance(value, int) else ""


def as_python(value: Any) -> Any:
    """Convert a numpy scalar to a Python value; return other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value
