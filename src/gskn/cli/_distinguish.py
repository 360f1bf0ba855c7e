"""``gskn distinguish``: find the shortest walks that distinguish two graphs."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn._limits import MAX_EXACT_LENGTH
from gskn.cli._options import AsJson

if TYPE_CHECKING:
    from gskn.walks import Distinction


def distinguish(
    first: Annotated[str | None, typer.Argument(help="File with one graph.")] = None,
    second: Annotated[str | None, typer.Argument(help="File with another graph.")] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            help="Built-in pair instead of files: rings, decalin-bicyclopentyl or "
            "rook-shrikhande."
        ),
    ] = None,
    max_length: Annotated[
        int,
        typer.Option(help=f"Largest pattern length to try, at most {MAX_EXACT_LENGTH}."),
    ] = MAX_EXACT_LENGTH,
    as_json: AsJson = False,
) -> None:
    """Test which methods distinguish two graphs, and from which length.

    The methods are 1-WL, walks, anonymous walks and induced patterns.

    Example: gskn distinguish --pair rook-shrikhande
    """
    from gskn.cli._console import waiting
    from gskn.cli._tables import show
    from gskn.walks import distinguish as compare

    with waiting("reading"):
        names, graphs = _read(first, second, pair)
    with waiting("counting walks"):
        distinction = compare(*graphs, max_length=max_length)
    show(
        _rows(distinction),
        title=f"{names[0]} and {names[1]}",
        as_json=as_json,
        caption="" if as_json else _picture(distinction, names),
    )


def _read(first: str | None, second: str | None, pair: str | None) -> tuple[list[str], Any]:
    from gskn import datasets, read_graphs
    from gskn.exceptions import MissingFileError

    if pair is not None and first is None:
        if pair not in datasets.PAIRS:
            pairs = ", ".join(datasets.PAIRS)
            raise typer.BadParameter(
                f"{pair!r} is not one of {pairs}.", param_hint="--pair"
            )
        titles = pair.split("-") if "-" in pair else ["one ring of 6", "two rings of 3"]
        return titles, list(datasets.PAIRS[pair]().graphs)
    if pair is not None or first is None or second is None:
        raise typer.BadParameter("pass two files, or --pair NAME.")
    for name in (first, second):  # check both before the first is read
        if not Path(name).exists():
            raise MissingFileError(f"There is no file {name!r}.")
    return [first, second], [read_graphs(first), read_graphs(second)]


def _rows(distinction: "Distinction") -> list[dict[str, Any]]:
    lengths = {
        "all walks": distinction.by_walks,
        "anonymous walks": distinction.by_patterns,
        "induced patterns": distinction.by_induced,
    }
    rows: list[dict[str, Any]] = [
        {"method": "1-WL", "distinguishes": distinction.by_wl, "from_length": None}
    ]
    rows += [
        {"method": method, "distinguishes": length is not None, "from_length": length}
        for method, length in lengths.items()
    ]
    return rows


def _picture(distinction: "Distinction", names: list[str]) -> str:
    """Draw the first pattern that differs: a line of nodes, with arcs below it."""
    if not distinction.pattern:
        return f"No pattern of up to {distinction.max_length} nodes differs."
    symbols = list(map(int, distinction.pattern.split("-")))
    edges = {(min(s), max(s)) for s in itertools.pairwise(symbols)}
    line = "0"
    for symbol in range(1, max(symbols) + 1):
        line += ("───" if (symbol - 1, symbol) in edges else "   ") + str(symbol)
    arcs = [
        " " * (4 * a) + "└" + "─" * (4 * (b - a) - 1) + "┘"
        for a, b in sorted(edges)
        if b - a > 1
    ]
    first, second = (f"{count:,}" for count in distinction.counts)
    counts = f"{first} times in {names[0]}, {second} in {names[1]}"
    title = f"The first pattern that differs is {distinction.pattern}: {counts}."
    return "\n".join([title, "", *(f"    {row}" for row in [line, *arcs])])
