"""Pictures of graphs that are not molecules, and of patterns."""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn.explain._colors import color_of
from gskn.explain._names import Pattern
from gskn.graphs import GraphBatch

_MAX_NODES = 60  # of a picture; larger graphs are cut to the surroundings of top nodes
_TOP_NODES = 8
_MAX_GAP = 80.0  # between neighboring nodes, in pixels
_NOTE_HEIGHT = 18  # of the note below a cut graph
_MAX_TEXT = 5  # characters of a label inside a node
_LINE = "#8a93a0"
_DOTS = ' stroke-dasharray="2 2"'
_BONDS = {  # sideways shift and style of the lines of a bond
    "double": ((-2.5, ""), (2.5, "")),
    "triple": ((-4.0, ""), (0.0, ""), (4.0, "")),
    "aromatic": ((-2.5, ""), (2.5, _DOTS)),
}
_FONT = 'font-family="sans-serif" text-anchor="middle" dominant-baseline="central"'

_Area: TypeAlias = tuple[float, float, float, float]  # left, top, width, height


def draw_graph(
    graph: GraphBatch,
    node_values: FloatArray,
    edge_values: Mapping[tuple[int, int], float],
    scale: float,
    size: tuple[int, int],
) -> str:
    """Return an SVG picture with nodes and edges colored by their values."""
    shown = _shown_nodes(graph, node_values)
    networkx = require("networkx", extra="networkx")
    picture = networkx.Graph()
    picture.add_nodes_from(shown.tolist())
    entries = graph.adjacency.tocoo()
    kept = np.isin(entries.row, shown) & np.isin(entries.col, shown)
    ends = zip(entries.row[kept].tolist(), entries.col[kept].tolist(), strict=True)
    picture.add_edges_from((a, b) for a, b in ends if a != b)
    is_cut = len(shown) < graph.n_nodes
    places = _places(networkx, picture, (size[0], size[1] - _NOTE_HEIGHT * is_cut))
    radius = _radius(places)
    width = float(np.clip(200 / max(picture.number_of_edges(), 1), 1.5, 5))
    parts = []
    for first, second in picture.edges:
        value = edge_values.get((min(first, second), max(first, second)), 0.0)
        (x1, y1), (x2, y2) = places[first], places[second]
        line = f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        title = f"<title>edge {first}-{second}: {value:+.3g}</title>"
        if not edge_values:
            parts.append(f'{line} stroke="{_LINE}" stroke-width="1" stroke-opacity="0.7"/>')
            continue
        parts.append(f'{line} stroke="{_LINE}" stroke-width="{width:.1f}"/>')
        parts.append(
            f'{line} stroke="{color_of(value, scale)}" stroke-width="{0.68 * width:.1f}">'
            f"{title}</line>"
        )
    texts = _texts(graph)
    for node, (x, y) in places.items():
        value = float(node_values[node])
        title = escape(f"node {node}{texts[node] and f' ({texts[node]})'}: {value:+.3g}")
        parts.append(
            f'<g><circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" stroke="{_LINE}" '
            f'fill="{color_of(value, scale)}"/><title>{title}</title>'
            f"{_text(x, y, texts[node][:_MAX_TEXT], radius)}</g>"
        )
    note = ""
    if is_cut:
        note = (
            f'<text x="8" y="{size[1] - 8}" font-size="12" font-family="sans-serif" '
            f'fill="#4b5563">{len(shown)} of {graph.n_nodes:,} nodes, around the largest '
            "contributions</text>"
        )
    return _svg(size, "".join(parts) + note)


def draw_pattern(pattern: Pattern) -> str:
    """Return an SVG picture of a pattern: its nodes, numbered in the order of visits."""
    symbols = pattern.symbols or tuple(range(pattern.length))
    n_nodes = max(symbols) + 1
    visits: list[list[int]] = [[] for _ in range(n_nodes)]
    for visit, symbol in enumerate(symbols, start=1):
        visits[symbol].append(visit)
    extra = [pair for pair in pattern.arcs or () if pair not in pattern.steps]
    places, (width, height) = _place_pattern(n_nodes, pattern.steps, extra)
    room = 0 if pattern.labels is None else 12  # for the order of visits
    parts = []
    names = _edge_names(pattern, symbols)
    for pair in [*pattern.steps, *extra]:
        dash = ' stroke-dasharray="4 3"' if pair in extra else ""
        parts.append(_edge(places[pair[0]], places[pair[1]], names.get(pair, ""), dash))
    for node, (x, y) in places.items():
        numbers = ",".join(map(str, visits[node]))
        inside, below = numbers, ""
        if pattern.labels is not None:
            inside, below = pattern.labels[visits[node][0] - 1][:_MAX_TEXT], numbers
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="#eef1f5" stroke="{_LINE}"/>'
            f"{_text(x, y, inside, 13)}"
        )
        if below:
            parts.append(
                f'<text x="{x:.1f}" y="{y + 24:.1f}" font-size="9" fill="#4b5563" '
                f"{_FONT}>{below}</text>"
            )
    return _svg((width, height + room), "".join(parts), label=pattern.name)


def _place_pattern(
    n_nodes: int, steps: list[tuple[int, int]], extra: list[tuple[int, int]]
) -> tuple[dict[int, tuple[float, float]], tuple[int, int]]:
    """Return the places of the nodes of a pattern, and the size of the picture."""
    networkx = require("networkx", extra="networkx")
    picture = networkx.Graph()
    picture.add_nodes_from(range(n_nodes))
    picture.add_edges_from([*steps, *extra])
    is_chain = not extra and n_nodes > len(picture.edges)
    if is_chain and all(picture.degree(node) <= 2 for node in picture):
        order = _chain_order(picture)
        places = {node: (27.0 + 38 * rank, 22.0) for rank, node in enumerate(order)}
        return places, (16 + 38 * n_nodes, 44)
    return _spread(networkx, picture, distance=38.0, margin=17.0)


def _edge_names(pattern: Pattern, symbols: tuple[int, ...]) -> dict[tuple[int, int], str]:
    """Return the names of the edges that the walk crosses, if they are compared."""
    pairs = [(min(pair), max(pair)) for pair in pairwise(symbols)]
    return dict(zip(pairs, pattern.bonds or (), strict=False))


def _edge(
    start: tuple[float, float], end: tuple[float, float], name: str, dash: str
) -> str:
    """Return the lines of an edge: several for bonds of higher order."""
    (x1, y1), (x2, y2) = start, end
    length = max(float(np.hypot(x2 - x1, y2 - y1)), 1e-9)
    across = ((y1 - y2) / length, (x2 - x1) / length)
    kinds = _BONDS.get(name, ((0.0, ""),))
    lines = "".join(
        f'<line x1="{x1 + shift * across[0]:.1f}" y1="{y1 + shift * across[1]:.1f}" '
        f'x2="{x2 + shift * across[0]:.1f}" y2="{y2 + shift * across[1]:.1f}" '
        f'stroke="{_LINE}" stroke-width="2"{dash or dots}/>'
        for shift, dots in kinds
    )
    return f"<g>{lines}<title>{escape(name)}</title></g>" if name else lines


def _shown_nodes(graph: GraphBatch, values: FloatArray) -> IndexArray:
    """Return all nodes, or those that are nearest to the largest contributions."""
    if graph.n_nodes <= _MAX_NODES:
        return np.arange(graph.n_nodes)
    order = np.argsort(-np.abs(values), kind="stable")
    shown = order[:_TOP_NODES]
    matrix = graph.adjacency
    while len(shown) < _MAX_NODES:
        near = np.unique(np.concatenate([matrix[[node]].indices for node in shown]))
        new = np.setdiff1d(near, shown)
        if not len(new):
            break
        ranked = new[np.argsort(-np.abs(values[new]), kind="stable")]
        shown = np.concatenate([shown, ranked[: _MAX_NODES - len(shown)]])
    return np.sort(shown)


def _places(
    networkx: Any, picture: Any, size: tuple[int, int], margin: float = 26
) -> dict[int, tuple[float, float]]:
    """Place every component in a part of the picture in proportion to its size."""
    components = sorted(
        networkx.connected_components(picture), key=lambda c: (-len(c), min(c))
    )
    places: dict[int, tuple[float, float]] = {}
    for component, (left, top, width, height) in _divide(components, (0.0, 0.0, *size)):
        part = networkx.Graph()
        part.add_nodes_from(sorted(component))
        part.add_edges_from(picture.subgraph(component).edges)
        edge = min(margin, 0.2 * width, 0.2 * height)
        room = (width - 2 * edge, height - 2 * edge)
        rows = _fit(_layout(networkx, part), room)
        rows += [left + width / 2, top + height / 2]
        places |= {
            node: (float(x), float(y)) for node, (x, y) in zip(part, rows, strict=True)
        }
    return places


def _layout(networkx: Any, graph: Any) -> FloatArray:
    """Return the places of the nodes of a connected graph, with gaps of about 1.

    The longest direction is the first one.
    """
    if len(graph) < 2:
        return np.zeros((len(graph), 2))
    layout = networkx.kamada_kawai_layout(graph)
    rows = np.array([layout[node] for node in graph])
    rows -= rows.mean(axis=0)
    rows = rows @ np.linalg.svd(rows, full_matrices=False)[2].T
    return np.asarray(rows / max(float(np.median(_gaps(rows))), 1e-9))


def _gaps(rows: FloatArray) -> FloatArray:
    """Return the distance of every place to the nearest other one."""
    gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
    np.fill_diagonal(gaps, np.inf)
    return np.asarray(gaps.min(axis=1))


def _fit(rows: FloatArray, room: tuple[float, float]) -> FloatArray:
    """Turn and scale places around the origin, so that they fill a room."""
    if room[1] > room[0]:
        rows = rows[:, ::-1]
    rows = rows - (rows.max(axis=0) + rows.min(axis=0)) / 2
    scale = (np.array(room) / np.maximum(np.ptp(rows, axis=0), 1e-9)).min()
    return rows * min(float(scale), _MAX_GAP)


def _divide(components: list[Any], area: _Area) -> Iterator[tuple[Any, _Area]]:
    """Cut an area across its longer side until every component has a part of it."""
    if len(components) < 2:
        yield from ((component, area) for component in components)
        return
    sizes = np.cumsum([len(component) ** 0.8 for component in components])
    half = 1 + int(np.argmin(np.abs(sizes[:-1] - sizes[-1] / 2)))
    share = float(sizes[half - 1] / sizes[-1])
    left, top, width, height = area
    if width >= height:
        first = (left, top, width * share, height)
        second = (left + width * share, top, width * (1 - share), height)
    else:
        first = (left, top, width, height * share)
        second = (left, top + height * share, width, height * (1 - share))
    yield from _divide(components[:half], first)
    yield from _divide(components[half:], second)


def _radius(places: Mapping[int, tuple[float, float]]) -> float:
    """Return a radius with which few nodes overlap."""
    if len(places) < 2:
        return 15.0
    gaps = _gaps(np.array(list(places.values())))
    return float(np.clip(0.45 * np.quantile(gaps, 0.1), 4, 15))


def _spread(
    networkx: Any, picture: Any, *, distance: float, margin: float
) -> tuple[dict[int, tuple[float, float]], tuple[int, int]]:
    """Place the nodes of a small graph at least a distance apart; return also the size."""
    layout = networkx.kamada_kawai_layout(picture)
    rows = np.array([layout[node] for node in picture])
    rows *= distance / max(float(_gaps(rows).min()), 1e-9)
    if np.ptp(rows[:, 1]) > np.ptp(rows[:, 0]):
        rows = rows[:, ::-1]
    rows += margin - rows.min(axis=0)
    width, height = np.ceil(rows.max(axis=0) + margin).astype(int).tolist()
    return dict(zip(picture, map(tuple, rows.tolist()), strict=True)), (width, height)


def _chain_order(picture: Any) -> list[int]:
    """Return the nodes of a chain from one end to the other."""
    ends = [node for node in picture if picture.degree(node) <= 1]
    order = [min(ends)]
    while len(order) < len(picture):
        order += [node for node in picture[order[-1]] if node not in order][:1] or [
            next(node for node in picture if node not in order)
        ]
    return order


def _texts(graph: GraphBatch) -> list[str]:
    """Return the labels of nodes, or empty texts."""
    if graph.node_labels is None:
        return [""] * graph.n_nodes
    labels = [graph.label_values[code] for code in graph.node_labels.tolist()]
    return [str(label[0] if isinstance(label, tuple) else label) for label in labels]


def _text(x: float, y: float, text: str, radius: float) -> str:
    if not text:
        return ""
    size = max(min(0.95 * radius, 2.9 * radius / len(text)), 7)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}" fill="#111827" '
        f"{_FONT}>{escape(text)}</text>"
    )


def _svg(size: tuple[int, int], content: str, label: str = "graph") -> str:
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(label)}">'
        f"{content}</svg>"
    )
