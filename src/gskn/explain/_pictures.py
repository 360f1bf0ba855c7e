"""Pictures of graphs with colored nodes and edges."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.explain._layout import draw_graph
from gskn.explain._molecules import draw_molecule, molecule_of
from gskn.graphs import GraphBatch

if TYPE_CHECKING:
    from gskn.explain._explanation import Explanation

SIZE = (560, 360)


def draw(
    explanation: "Explanation", *, scale: float | None = None, size: tuple[int, int] = SIZE
) -> str:
    """Return an SVG picture of one graph with its contributions as colors.

    Molecules are drawn by RDKit (extra ``rdkit``): graphs that are named by their SMILES,
    or whose labels are elements. Other graphs are drawn by networkx (extra ``networkx``).
    The value of a node or an edge is its title, which browsers show under the mouse.

    Parameters
    ----------
    explanation : Explanation
        Explanation of one graph by nodes or edges.
    scale : float or None, default=None
        Value with the full color. None: the largest absolute contribution.
    size : (int, int), default=(560, 360)
        Width and height in pixels.

    Returns
    -------
    svg : str
        The picture.

    Examples
    --------
    >>> from gskn import GSKN, GSKNRegressor, datasets
    >>> from gskn.explain import draw, explain
    >>> data = datasets.load("MUTAG")
    >>> model = GSKNRegressor(selection="none", random_state=0)
    >>> model = model.fit(data.graphs, data.graphs.graph_edges)
    >>> svg = draw(explain(model, data.graphs[0]))
    >>> svg.startswith("<svg"), svg.count("<circle") > 10
    (True, True)
    """
    if len(explanation) != 1:
        raise InputError(
            f"The explanation has {len(explanation)} graphs, but a picture shows one; "
            "select it as explanation[0]."
        )
    values = explanation.node_values()
    edges = edge_values_of(explanation if explanation.by == "edges" else None)
    if explanation.by == "edges":
        values = np.zeros(len(values))
        for (first, second), value in zip(
            (
                explanation.nodes if explanation.nodes is not None else np.empty((0, 2))
            ).tolist(),
            explanation.contributions.tolist(),
            strict=True,
        ):
            if first == second:
                values[first] = value
    if scale is None:
        scale = float(np.abs(explanation.contributions).max(initial=0.0)) or 1.0
    return draw_values(explanation.graphs, values, edges, scale, size)


def draw_values(
    graph: GraphBatch,
    node_values: FloatArray,
    edge_values: Mapping[tuple[int, int], float],
    scale: float,
    size: tuple[int, int],
) -> str:
    """Return an SVG picture of a graph with colored nodes and edges."""
    molecule = molecule_of(graph)
    if molecule is not None and graph.n_nodes:
        return draw_molecule(molecule, node_values, edge_values, scale, size)
    return draw_graph(graph, node_values, edge_values, scale, size)


def edge_values_of(explanation: "Explanation | None") -> dict[tuple[int, int], float]:
    """Return the contribution of every edge, both directions of an arc added up."""
    values: dict[tuple[int, int], float] = {}
    if explanation is None or explanation.nodes is None:
        return values
    pairs = explanation.nodes.tolist()
    for (first, second), value in zip(
        pairs, explanation.contributions.tolist(), strict=True
    ):
        if first != second:
            pair = (min(first, second), max(first, second))
            values[pair] = values.get(pair, 0.0) + value
    return values
