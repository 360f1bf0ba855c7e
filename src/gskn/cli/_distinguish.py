"""``gskn distinguish``: the shortest walks by which two graphs differ."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn._limits import MAX_EXACT_LENGTH

if TYPE_CHECKING:
    from gskn.walks import Distinction


def distinguish(
    first: Annotated[str | None, typer.Argument(help="File of one graph.")] = None,
    second: Annotated[str | None, typer.Argument(help="File of another graph.")] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            help="A built-in pair: rings, decalin-bicyclopentyl or rook-shrikhande."
        ),
    ] = None,
    max_length: Annotated[
        int,
        typer.Option(help=f"Largest pattern length to try, at most {MAX_EXACT_LENGTH}."),
    ] = MAX_EXACT_LENGTH,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two graphs by 1-WL and by walks, and print the shortest length that differs.

    Example: gskn distinguish --pair rook-shrikhande
    """
    from gskn.cli._console import waiting
    from gskn.cli._tables import show
    from gskn.walks import distinguish as compare

    with waiting("reading"):
        names, graphs = _read(first, second, pair)
    with waiting("counting walks"):
        found = compare(*graphs, max_length=max_length)
    show(
        _rows(found),
        title=f"{names[0]}  against  {names[1]}",
        as_json=as_json,
        caption="" if as_json else _picture(found, names),
    )


def _read(first: str | None, second: str | None, pair: str | None) -> tuple[list[str], Any]:
    from gskn import datasets, read_graphs
    from gskn.exceptions import MissingFileError

    if pair is not None and first is None:
        if pair not in datasets.PAIRS:
            known = ", ".join(datasets.PAIRS)
            raise typer.BadParameter(f"{pair!r} is none of {known}.", param_hint="--pair")
        titles = pair.split("-") if "-" in pair else ["one ring of 6", "two rings of 3"]
        return titles, list(datasets.PAIRS[pair]().graphs)
    if pair is not None or first is None or second is None:
        raise typer.BadParameter("give two files, or --pair NAME.")
    for name in (first, second):  # both, before the first is read
        if not Path(name).exists():
            raise MissingFileError(f"There is no file {name!r}.")
    return [first, second], [read_graphs(first), read_graphs(second)]


def _rows(found: "Distinction") -> list[dict[str, Any]]:
    lengths = {
        "all walks": found.by_walks,
        "anonymous walks": found.by_patterns,
        "induced patterns": found.by_induced,
    }
    rows: list[dict[str, Any]] = [
        {"test": "1-WL", "apart": found.by_wl, "from_length": None}
    ]
    rows += [
        {"test": test, "apart": length is not None, "from_length": length}
        for test, length in lengths.items()
    ]
    return rows


def _picture(found: "Distinction", names: list[str]) -> str:
    """Draw the first pattern that differs: a line of nodes, and arcs back below it."""
    if not found.pattern:
        return f"No pattern of up to {found.max_length} nodes differs."
    symbols = list(map(int, found.pattern.split("-")))
    edges = {(min(s), max(s)) for s in itertools.pairwise(symbols)}
    line = "0"
    for symbol in range(1, max(symbols) + 1):
        line += ("───" if (symbol - 1, symbol) in edges else "   ") + str(symbol)
    arcs = [
        " " * (4 * a) + "└" + "─" * (4 * (b - a) - 1) + "┘"
        for a, b in sorted(edges)
        if b - a > 1
    ]
    counts = f"{found.counts[0]:,} times in {names[0]}, {found.counts[1]:,} in {names[1]}"
    title = f"The first pattern that differs is {found.pattern}: {counts}."
    return "\n".join([title, "", *(f"    {row}" for row in [line, *arcs])])
