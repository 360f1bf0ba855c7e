"""Plot of two graphs and of the nodes that distinguish them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from gskn._types import FloatArray
from gskn.evaluation.plots._style import GRAY, new_panels, plot_style, point_styles
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import Witness

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_NODES = 1000
_LIGHT = "#c4c8ce"


def plot_witness(
    first: Any,
    second: Any,
    witness: Witness | None,
    *,
    names: Sequence[str] = ("first graph", "second graph"),
) -> "Figure":
    """Draw two graphs and highlight the nodes of a witness that distinguishes them.

    Distances in the drawing approximate distances in the graph.

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
            _draw(panel, graph, set(nodes[number]), color)
            panel.set_title(names[number], color=color)
        if witness is not None:
            one, two = (f"{count:,}" for count in witness.counts)
            figure.supxlabel(f"{witness.text}: {one} and {two}", fontsize=9)
        return figure


def _draw(panel: Any, graph: GraphBatch, highlighted: set[int], color: str) -> None:
    if graph.n_nodes > _MAX_NODES:
        raise InputError(
            f"A graph has {graph.n_nodes} nodes; at most {_MAX_NODES} can be drawn."
        )
    places = _layout(graph)
    entries = graph.adjacency.tocoo()
    for ends in zip(entries.row.tolist(), entries.col.tolist(), strict=True):
        panel.plot(*places[list(ends)].T, color=_LIGHT, linewidth=0.9, zorder=1)
    colors = [color if node in highlighted else _LIGHT for node in range(graph.n_nodes)]
    panel.scatter(*places.T, s=60, c=colors, edgecolor="white", zorder=2)
    panel.set_aspect("equal")
    panel.set_axis_off()


def _layout(graph: GraphBatch) -> FloatArray:
    """Return positions by classical scaling of the distances between nodes."""
    if not graph.n_nodes:
        return np.empty((0, 2))
    distances = shortest_path(graph.adjacency, directed=False, unweighted=True)
    finite = distances[np.isfinite(distances)].max(initial=0.0)
    squares = np.minimum(distances, finite + 1) ** 2
    centered = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(-(centered + squares.mean()) / 2)
    places: FloatArray = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 1e-9))
    return np.pad(places, ((0, 0), (0, 2 - places.shape[1])))
