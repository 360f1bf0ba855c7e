"""``gskn distinguish``: find the first method that tells two graphs apart."""

import itertools
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn._limits import MAX_EXACT_LENGTH, MAX_INDUCED_LENGTH
from gskn.cli._options import AsJson

if TYPE_CHECKING:
    from gskn.walks import Comparison, Distinction

_MAX_NODES = 12  # of the witness that are listed
_TITLES = {
    "path-star": ("path", "star"),
    "spiro-fused": ("spiro", "fused"),
    "rings": ("one ring of 6", "two rings of 3"),
    "decalin-bicyclopentyl": ("decalin", "bicyclopentyl"),
    "rook-shrikhande": ("rook", "shrikhande"),
    "hamming-doob": ("hamming", "doob"),
    "quadrangles": ("W(3)", "Q(4,3)"),
    "chains": ("equal ends", "different ends"),
    "csl": ("skip links of 9", "skip links of 12"),
    "cfi-triangles": ("plain", "twisted"),
    "cfi": ("plain", "twisted"),
}


def distinguish(  # noqa: PLR0913, PLR0917 - one parameter per option
    first: Annotated[str | None, typer.Argument(help="File with one graph.")] = None,
    second: Annotated[str | None, typer.Argument(help="File with another graph.")] = None,
    pair: Annotated[
        str | None,
        typer.Option(help=f"Built-in pair instead of files: {', '.join(_TITLES)}."),
    ] = None,
    nodes: Annotated[
        tuple[int, int] | None,
        typer.Option(
            help="Compare a node of the first with one of the second graph; both files "
            "may be the same.",
        ),
    ] = None,
    max_length: Annotated[
        int,
        typer.Option(help=f"Largest pattern length to try, at most {MAX_EXACT_LENGTH}."),
    ] = MAX_EXACT_LENGTH,
    max_induced_length: Annotated[
        int,
        typer.Option(
            help=f"Largest length of induced patterns, at most {MAX_INDUCED_LENGTH}."
        ),
    ] = 6,
    structure_only: Annotated[
        bool,
        typer.Option("--structure-only", help="Ignore the labels of nodes and edges."),
    ] = False,
    try_all: Annotated[
        bool,
        typer.Option("--all", help="Continue after the first method that succeeds."),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the witness in both graphs, to a .png or .svg file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the first method that distinguishes two graphs.

    The methods are walks, 1-WL, anonymous walks, induced patterns, refinements
    of nodes and pairs that start from patterns, and individualization with
    2-FWL. Labels of nodes and edges are compared.

    Example: gskn distinguish --pair rook-shrikhande
    """
    from gskn.cli._console import echo, waiting
    from gskn.cli._tables import show
    from gskn.evaluation.plots import check_figure_path, plot_witness, save_figure
    from gskn.walks import distinguish as compare

    if plot is not None:
        check_figure_path(plot)
    with waiting("reading"):
        names, graphs = _read(first, second, pair)
    with waiting("comparing"):
        result = compare(
            *graphs,
            nodes=nodes,
            labels=not structure_only,
            max_length=max_length,
            max_induced_length=max_induced_length,
            try_all=try_all,
        )
    if as_json:
        echo(json.dumps(_as_json(result, names), indent=2))
    else:
        rows = [_row(item) for item in result.comparisons]
        title = " and ".join(_titles(result, names))
        show(rows, title=title, as_json=False, caption=_caption(result, names))
    if plot is not None:
        titles = _titles(result, names)
        figure = plot_witness(graphs[0], graphs[1], result.witness, names=titles)
        save_figure(figure, plot)
        echo(f"Plot: {plot}", stderr=True)


def _read(first: str | None, second: str | None, pair: str | None) -> tuple[list[str], Any]:
    from gskn import datasets, read_graphs
    from gskn.exceptions import MissingFileError

    if pair is not None and first is None:
        if pair not in datasets.PAIRS:
            pairs = ", ".join(datasets.PAIRS)
            raise typer.BadParameter(
                f"{pair!r} is not one of {pairs}.", param_hint="--pair"
            )
        return list(_TITLES[pair]), list(datasets.PAIRS[pair]().graphs)
    if pair is not None or first is None or second is None:
        raise typer.BadParameter("pass two files, or --pair NAME.")
    for name in (first, second):  # check both before the first is read
        if not Path(name).exists():
            raise MissingFileError(f"There is no file {name!r}.")
    return [first, second], [read_graphs(first), read_graphs(second)]


def _row(item: "Comparison") -> dict[str, Any]:
    return {
        "method": item.method,
        "distinguishes": item.reason or bool(item.distinguishes),
        "length": item.length,
        "rounds": item.n_rounds,
        "seconds": f"{item.seconds:.4f}",
    }


def _as_json(result: "Distinction", names: list[str]) -> dict[str, Any]:
    return {
        "graphs": names,
        "nodes": None if result.nodes is None else list(result.nodes),
        "compared": list(result.compared),
        "ignored": list(result.ignored),
        "method": result.method,
        "witness": None if result.witness is None else asdict(result.witness),
        "isomorphic": result.is_isomorphic,
        "summary": result.summary,
        "comparisons": [
            {
                "method": item.method,
                "distinguishes": item.distinguishes,
                "length": item.length,
                "rounds": item.n_rounds,
                "seconds": item.seconds,
                "reason": item.reason,
            }
            for item in result.comparisons
        ],
    }


def _titles(result: "Distinction", names: list[str]) -> list[str]:
    """Return the names of the graphs, or of the compared nodes."""
    if result.nodes is None:
        return names
    return [
        f"node {node} of {name}" for node, name in zip(result.nodes, names, strict=True)
    ]


def _caption(result: "Distinction", names: list[str]) -> str:
    """Return what was compared, the summary, and a drawing of the witness."""
    ignored = f" Ignored: {', '.join(result.ignored)}." if result.ignored else ""
    lines = [f"Compared: {', '.join(result.compared)}.{ignored}", result.summary]
    witness = result.witness
    if witness is not None and witness.pattern:
        lines += ["", *(f"    {row}" for row in _picture(witness.pattern))]
    if witness is not None and any(witness.nodes) and result.nodes is None:
        lines.append("")
        lines += [
            f"{name}: {_nodes(nodes)}"
            for name, nodes in zip(names, witness.nodes, strict=True)
        ]
    return "\n".join(lines)


def _nodes(nodes: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, nodes[:_MAX_NODES]))
    more = f" and {len(nodes) - _MAX_NODES:,} more" if len(nodes) > _MAX_NODES else ""
    if not nodes:
        return "no node"
    return f"node {shown}" if len(nodes) == 1 else f"nodes {shown}{more}"


def _picture(name: str) -> list[str]:
    """Draw a pattern as a line of nodes, with arcs below it."""
    pattern, _, extra = name.partition(" ")
    symbols = list(map(int, pattern.split("-")))
    edges = {(min(s), max(s)) for s in itertools.pairwise(symbols)}
    pairs = (re.split("[->]", pair) for pair in extra.strip("{}").split())
    edges |= {(min(a, b), max(a, b)) for a, b in (map(int, pair) for pair in pairs)}
    line = "0"
    for symbol in range(1, max(symbols) + 1):
        line += ("───" if (symbol - 1, symbol) in edges else "   ") + str(symbol)
    arcs = [
        " " * (4 * a) + "└" + "─" * (4 * (b - a) - 1) + "┘"
        for a, b in sorted(edges)
        if b - a > 1
    ]
    return [line, *arcs]
