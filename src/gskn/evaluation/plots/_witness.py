"""Plot of two graphs and of the nodes that distinguish them."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import connected_components, shortest_path

from gskn._types import FloatArray
from gskn.evaluation.plots._style import GRAY, new_panels, plot_style, point_styles
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import Witness, induced_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_NODES = 1000
_N_ITERATIONS = 100  # of the layout
_MAX_STEPS = 100_000  # of the search for a walk
_LIGHT = "#c4c8ce"


def plot_witness(
    first: Any,
    second: Any,
    witness: Witness | None,
    *,
    names: Sequence[str] = ("first graph", "second graph"),
) -> "Figure":
    """Draw two graphs and highlight the nodes of a witness that distinguishes them.

    If the witness is a pattern, one walk with this pattern is drawn in bold. Distances in
    the drawing approximate distances in the graph.

    Parameters
    ----------
    first, second : graph input
        Two graphs of at most 1,000 nodes.
    witness : Witness or None
        Witness of `gskn.walks.distinguish`.
    names : pair of str, default=("first graph", "second graph")
        Titles of the graphs.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A panel for each graph.
    """
    nodes = ((), ()) if witness is None else witness.nodes
    with plot_style():
        figure, panels = new_panels(2, n_columns=2, width=3.4, height=3.2)
        styles = point_styles(names, "graphs") if len(set(names)) == 2 else {}
        for number, (panel, graph) in enumerate(
            zip(panels, (as_batch(first), as_batch(second)), strict=True)
        ):
            color = styles.get(names[number], {}).get("color", GRAY)
            places = _draw(panel, graph, set(nodes[number]), color)
            if witness is not None and witness.pattern and nodes[number]:
                walk = _find_walk(graph, witness, nodes[number][0])
                panel.plot(*places[walk].T, color=color, linewidth=2.5, zorder=1.5)
            panel.set_title(names[number], color=color)
        if witness is not None:
            one, two = (f"{count:,}" for count in witness.counts)
            bold = "; bold: one walk" if witness.pattern else ""
            figure.supxlabel(f"{witness.text}: {one} and {two}{bold}", fontsize=9)
        return figure


def _draw(panel: Any, graph: GraphBatch, highlighted: set[int], color: str) -> FloatArray:
    """Draw a graph and return the positions of its nodes."""
    if graph.n_nodes > _MAX_NODES:
        raise InputError(
            f"A graph has {graph.n_nodes} nodes; at most {_MAX_NODES} can be drawn."
        )
    places = _layout(graph)
    entries = graph.adjacency.tocoo()
    is_first = ~((entries.row > entries.col) & (not graph.is_directed))
    ends = places[np.column_stack([entries.row, entries.col])[is_first]]
    # One line for all edges, interrupted by NaN.
    lines = np.pad(ends, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2)
    panel.plot(*lines.T, color=_LIGHT, linewidth=0.9, zorder=1)
    if graph.is_directed:
        ends = ends[entries.row != entries.col]
        steps = ends[:, 1] - ends[:, 0]
        tails = ends[:, 0] + 0.6 * steps  # short arrows, which the nodes do not hide
        style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.003}
        heads = {"headwidth": 8, "headlength": 10, "headaxislength": 9}
        panel.quiver(*tails.T, *(0.15 * steps).T, color=GRAY, zorder=1.7, **style, **heads)
    colors = [color if node in highlighted else _LIGHT for node in range(graph.n_nodes)]
    panel.scatter(*places.T, s=60, c=colors, edgecolor="white", zorder=2)
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_axis_off()
    return places


def _find_walk(graph: GraphBatch, witness: Witness, start: int) -> list[int]:
    """Return a walk with the pattern of a witness; no nodes after a long search."""
    symbols = list(map(int, witness.pattern.split(" ")[0].split("-")))
    rows = graph.adjacency.tolil().rows.tolist()
    walks = [[start]]
    for _ in range(_MAX_STEPS):
        if not walks:
            break
        walk = walks.pop()
        if len(walk) == len(symbols):
            if (
                not witness.is_induced
                or _induced_name(rows, walk, symbols) == witness.pattern
            ):
                return walk
            continue
        visited = dict(zip(symbols, walk, strict=False))
        old = visited.get(symbols[len(walk)])
        walks += [
            [*walk, node]
            for node in rows[walk[-1]] or walk[-1:]  # at a dead end a walk stays
            if node == old or (old is None and node not in walk)
        ]
    return []


def _induced_name(rows: list[list[int]], walk: list[int], symbols: list[int]) -> str:
    """Return the name of the induced pattern of a walk."""
    visited = sorted(set(zip(symbols, walk, strict=True)))
    arcs = [
        (one, two)
        for (one, first), (two, second) in itertools.permutations(visited, 2)
        if second in rows[first]
    ]
    return induced_names(np.array([symbols]), [arcs])[0]


def _layout(graph: GraphBatch) -> FloatArray:
    """Return positions of nodes; components are arranged in rows, the largest first."""
    places = np.zeros((graph.n_nodes, 2))
    _, owners = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(owners)
    corner, height = np.zeros(2), 0.0
    row_width = 2 * np.sqrt(graph.n_nodes)
    for component in np.argsort(-sizes, kind="stable"):
        nodes = np.flatnonzero(owners == component)
        part = graph.adjacency[nodes][:, nodes]
        distances = shortest_path(part, directed=False, unweighted=True)
        places[nodes] = _component_layout(distances)
        places[nodes] -= places[nodes].min(axis=0)
        extent = places[nodes].max(axis=0)
        if corner[0] > 0 and corner[0] + extent[0] > row_width:
            corner, height = np.array([0.0, corner[1] - height - 1]), 0.0
        places[nodes] += corner - [0, extent[1]]
        corner[0] += extent[0] + 1
        height = max(height, extent[1])
    return places


def _component_layout(distances: FloatArray) -> FloatArray:
    """Return positions with the smallest stress: the relative errors of all distances.

    Stress majorization from positions of classical scaling.
    """
    n_nodes = len(distances)
    squares = distances**2
    centered = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(-(centered + squares.mean()) / 2)
    start = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    places: FloatArray = np.pad(start, ((0, 0), (0, 2 - start.shape[1])))
    # Twins start at the same place.
    places += np.random.default_rng(0).normal(scale=0.05, size=places.shape)
    weights = np.where(squares > 0, 1 / np.maximum(squares, 1), 0)
    inverse = np.linalg.pinv(_laplacian(weights), hermitian=True)
    for _ in range(_N_ITERATIONS if n_nodes > 1 else 0):
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
        factors = weights * distances / np.maximum(gaps, 1e-9)
        places = inverse @ (_laplacian(factors) @ places)
    return places


def _laplacian(weights: FloatArray) -> FloatArray:
    """Return the Laplacian matrix of weights."""
    matrix: FloatArray = np.diag(weights.sum(axis=1)) - weights
    return matrix
