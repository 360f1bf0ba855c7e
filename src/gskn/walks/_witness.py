"""What differs between two graphs, or two nodes: a pattern, or a color."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from gskn._types import IndexArray
from gskn.walks._table import PatternTable


@dataclass(frozen=True)
class Witness:
    """A property that occurs a different number of times in two graphs.

    Attributes
    ----------
    text : str
        The property in words.
    counts : tuple of int
        How often it occurs in the first and in the second graph.
    pattern : str
        Name of the pattern, "" for colors.
    is_induced : bool
        Whether the pattern includes which visited nodes are adjacent.
    nodes : tuple of tuple of int
        Nodes of the first and of the second graph that have the property: those that start
        walks with the pattern, have the color, or come first in pairs with the color.
    """

    text: str
    counts: tuple[int, int]
    pattern: str = ""
    is_induced: bool = False
    nodes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


def color_witness(
    parts: Sequence[IndexArray], text: Callable[[int, int], str]
) -> Witness | None:
    """Return the rarest color whose number differs between two arrays of colors.

    None if all numbers are equal. ``text`` describes the color, given the number of an
    array and a position in it.
    """
    n_colors = int(max(part.max(initial=-1) for part in parts)) + 1
    counts = np.array([np.bincount(part, minlength=n_colors) for part in parts])
    differs = np.flatnonzero(counts[0] != counts[1])
    if not len(differs):
        return None
    color = int(differs[np.argmin(counts[:, differs].sum(axis=0))])
    first, second = (tuple(np.flatnonzero(part == color).tolist()) for part in parts)
    example = text(0, first[0]) if first else text(1, second[0])
    return Witness(example, (len(first), len(second)), nodes=(first, second))


def count_witness(rows: csr_array, cut: int, table: PatternTable) -> Witness | None:
    """Return the first pattern whose total differs, None if all totals are equal.

    The first ``cut`` rows are the nodes of the first graph; ``table`` names the columns.
    """
    totals = [np.asarray(part.sum(axis=0)) for part in (rows[:cut], rows[cut:])]
    differs = np.flatnonzero(totals[0] != totals[1])
    if not len(differs):
        return None
    column = int(differs[0])
    starts = rows[:, [column]].toarray().ravel() > 0
    return Witness(
        _walks(table, column),
        (int(totals[0][column]), int(totals[1][column])),
        table.name(column),
        table.arcs is not None,
        (
            tuple(np.flatnonzero(starts[:cut]).tolist()),
            tuple(np.flatnonzero(starts[cut:]).tolist()),
        ),
    )


def value_witness(rows: csr_array, cut: int, table: PatternTable) -> Witness | None:
    """Return a number of walks with one pattern that a different number of nodes starts.

    None if the multisets of the numbers are equal for every single pattern.
    """
    columns = rows.tocsc()
    for column in range(rows.shape[1]):
        values = columns[:, [column]].toarray().ravel()
        codes = np.unique(values, return_inverse=True)[1]
        witness = color_witness((codes[:cut], codes[cut:]), lambda *_: "")
        if witness is not None:
            first, second = witness.nodes
            number = int(values[first[0] if first else cut + second[0]])
            text = f"nodes that start {number:,} {_walks(table, column)}"
            name, is_induced = table.name(column), table.arcs is not None
            return replace(witness, text=text, pattern=name, is_induced=is_induced)
    return None


def _walks(table: PatternTable, column: int) -> str:
    kind = "walks" if table.arcs is None else "induced walks"
    return f"{kind} {table.name(column)}"
