"""Draw two graphs that message passing cannot distinguish, and the pattern that differs.

Run ``python docs/pictures/two_graphs.py`` to write ``two_graphs.svg`` and, for narrow
screens, ``two_graphs_narrow.svg`` beside this file. The README and the start page of the
documentation show them.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gskn import datasets
from gskn.evaluation.plots import point_styles, save_figure
from gskn.walks import Distinction, distinguish

NAMES = ("decalin", "bicyclopentyl")
INK, GRAY, LIGHT = "#262626", "#6b6b6b", "#c4c8ce"
BLUE, ORANGE = (style["color"] for style in point_styles(NAMES, "graphs").values())
# Nodes of the highlighted walks, and the text below them.
WALKS = ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 0))
# Places of graphs and table: left, bottom, width, height.
_WIDE = ((0.0, 0.0, 0.6, 1.0), (0.62, 0.0, 0.36, 1.0))
_NARROW = ((0.0, 0.46, 1.0, 0.54), (0.03, 0.0, 0.94, 0.46))
NOTES = ("five steps around a ring do not close it", "five steps around a ring close it")


def main() -> None:
    """Write the pictures."""
    save_figure(draw(), Path(__file__).with_name("two_graphs.svg"))
    save_figure(draw(narrow=True), Path(__file__).with_name("two_graphs_narrow.svg"))


def draw(*, narrow: bool = False) -> Figure:
    """Return the figure, with the table beside or, for narrow screens, below the graphs."""
    pair = datasets.decalin_bicyclopentyl().graphs
    # A background of its own makes the picture legible on dark pages, too.
    figure = Figure((5.8, 4.6) if narrow else (9.6, 2.5), facecolor="white")
    graphs, table = _NARROW if narrow else _WIDE
    axis = figure.add_axes(graphs, aspect="equal", anchor="W")
    axis.set(xlim=(-2.2, 7.0), ylim=(-1.95, 1.95))
    axis.set_axis_off()
    positions = (_fused_hexagons(), _linked_pentagons(middle=4.6))
    for number, color in enumerate((BLUE, ORANGE)):
        graph = pair.to_networkx(number)
        _draw_graph(axis, graph, positions[number], WALKS[number], color)
        middle = positions[number][:, 0].mean()
        style = {"ha": "center", "va": "center"}
        title = {"size": 13, "weight": "bold", "color": color}
        axis.text(middle, 1.58, NAMES[number], **style, **title)
        axis.text(middle, -1.58, NOTES[number], **style, size=9, color=GRAY)
    lines = table_of(pair, distinguish(*pair))
    _draw_table(figure.add_axes(table), lines, size=15 if narrow else 11)
    return figure


def table_of(pair: Any, result: Distinction) -> list[tuple[str, str, str]]:
    """Return name, value of the first and value of the second graph for every line."""
    same = {False: "equal", True: "different"}
    first, second = pair
    return [
        ("atoms", str(first.n_nodes), str(second.n_nodes)),
        ("bonds", str(first.n_edges), str(second.n_edges)),
        ("message passing (1-WL)", same[result["1-WL"].distinguishes], ""),
        ("numbers of walks", same[result["walks"].distinguishes], ""),
        (result.witness.text, *map(str, result.witness.counts)),
    ]


def _fused_hexagons() -> np.ndarray:
    right = _polygon((np.sqrt(0.75), 0), 6, start=150)
    left = _polygon((-np.sqrt(0.75), 0), 6, start=-30)
    return np.vstack([right, left[1:5]])


def _linked_pentagons(middle: float) -> np.ndarray:
    radius = 0.5 / np.sin(np.pi / 5)
    right = _polygon((middle + 0.5 + radius, 0), 5, start=180)
    left = _polygon((middle - 0.5 - radius, 0), 5, start=0)
    return np.vstack([right, left])


def _polygon(center: tuple[float, float], n_nodes: int, start: float) -> np.ndarray:
    """Return the corners of a polygon with sides of length 1, clockwise."""
    angles = np.radians(start - 360 * np.arange(n_nodes) / n_nodes)
    radius = 0.5 / np.sin(np.pi / n_nodes)
    return np.array(center) + radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _draw_graph(
    axis: Any, graph: Any, positions: np.ndarray, walk: tuple[int, ...], color: str
) -> None:
    for edge in graph.edges:
        axis.plot(*positions[list(edge)].T, color=LIGHT, linewidth=2.5, zorder=1)
    for edge in pairwise(walk):
        start, end = positions[list(edge)]
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 2.2}
        arrow |= {"shrinkA": 10, "shrinkB": 10, "mutation_scale": 13}
        axis.annotate("", end, start, arrowprops=arrow, zorder=2)
    colors = [color if node in walk else LIGHT for node in graph]
    axis.scatter(*positions.T, s=300, c=colors, edgecolor="white", linewidth=1.5, zorder=3)
    for rank, node in enumerate(dict.fromkeys(walk)):
        place = {"ha": "center", "va": "center_baseline", "zorder": 4}
        axis.text(*positions[node], str(rank), color="white", weight="bold", **place)


def _draw_table(axis: Any, lines: list[tuple[str, str, str]], size: int) -> None:
    """Write one line per property, with values in the colors of the graphs."""
    axis.set(xlim=(0, 1), ylim=(0, 1))
    axis.set_axis_off()
    heights = np.linspace(0.84, 0.16, len(lines))
    for height, (name, first, second) in zip(heights, lines, strict=True):
        differs = second not in {"", first}
        style = {"va": "center", "size": size, "weight": "bold" if differs else "normal"}
        axis.text(0.02, height, name, ha="left", color=INK, **style)
        if second:
            axis.text(0.76, height, first, ha="center", color=BLUE, **style)
            axis.text(0.92, height, second, ha="center", color=ORANGE, **style)
        else:
            axis.text(0.84, height, first, ha="center", color=GRAY, **style)
    for height in (heights[1:] + heights[:-1]) / 2:
        axis.plot((0.02, 0.98), (height, height), color="#e4e4e4", linewidth=0.8)


if __name__ == "__main__":
    main()
