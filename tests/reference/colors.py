"""Refinements of colors by definition, with dictionaries; graphs are networkx graphs.

All functions take several graphs and return colors that can be compared between them.
"""

from collections import Counter

import networkx as nx


def multiset(values):
    return frozenset(Counter(values).items())


def numbered(colorings):
    """Replace equal colors of several dictionaries by equal integers."""
    numbers = {}
    return [
        {key: numbers.setdefault(color, len(numbers)) for key, color in coloring.items()}
        for coloring in colorings
    ]


def label(data):
    return data.get("label")


def edge(graph, u, v):
    """Return the label of an edge, or () if there is none."""
    return label(graph.edges[u, v]) if graph.has_edge(u, v) else ()


def surroundings(graph, node, color):
    """Return the multiset of the colors of neighbors and the labels of their edges."""
    neighbors = set(nx.all_neighbors(graph, node))
    return multiset(
        (edge(graph, node, other), edge(graph, other, node), color(other))
        for other in neighbors
    )


def stable(colorings, refine):
    """Refine until the number of colors does not grow."""
    colorings = numbered(colorings)
    while True:
        refined = numbered(refine(colorings))
        if n_colors(refined) == n_colors(colorings):
            return colorings
        colorings = refined


def n_colors(colorings):
    return len({color for coloring in colorings for color in coloring.values()})


def initial(graph, number, given):
    return {
        node: (label(data), None if given is None else given[number][node])
        for node, data in graph.nodes(data=True)
    }


def node_colors(graphs, given=None):
    """Return the stable colors of 1-WL."""

    def refine(colorings):
        return [
            {node: (colors[node], surroundings(graph, node, colors.get)) for node in graph}
            for graph, colors in zip(graphs, colorings, strict=True)
        ]

    return stable([initial(g, n, given) for n, g in enumerate(graphs)], refine)


def pair_colors(graphs, given=None, *, adjacent_only=False):
    """Return the stable colors of 2-FWL, or of SSWL."""

    def start(graph, number):
        nodes = initial(graph, number, given)
        return {
            (u, v): (
                *(nodes[u], nodes[v], u == v),
                *(edge(graph, u, v), edge(graph, v, u)),
            )
            for u in graph
            for v in graph
        }

    def around(graph, colors, u, v):
        if not adjacent_only:
            return multiset((colors[u, w], colors[w, v]) for w in graph)
        return (
            surroundings(graph, u, lambda w: colors[w, v]),
            surroundings(graph, v, lambda w: colors[u, w]),
        )

    def refine(colorings):
        return [
            {pair: (colors[pair], around(graph, colors, *pair)) for pair in colors}
            for graph, colors in zip(graphs, colorings, strict=True)
        ]

    return stable([start(graph, number) for number, graph in enumerate(graphs)], refine)


def individual_colors(graphs, given=None):
    """Return the color of the graph for every node of its smallest class, else None."""
    pairs = pair_colors(graphs, given)
    chosen, marked = [], []
    for graph, colors in zip(graphs, pairs, strict=True):
        nodes = {node: colors[node, node] for node in graph}
        sizes = Counter(nodes.values())
        several = [color for color in sizes if sizes[color] > 1]
        smallest = min((sizes[color] for color in several), default=0)
        # All classes of the smallest size: the library chooses one of them.
        classes = [
            [node for node in graph if nodes[node] == color]
            for color in several
            if sizes[color] == smallest
        ]
        chosen.append(classes)
        marked += [
            (graph, {u: (nodes[u], u == node) for u in graph})
            for listed in classes
            for node in listed
        ]
    colorings = pair_colors([m[0] for m in marked], [m[1] for m in marked])
    results = iter([multiset(coloring.values()) for coloring in colorings])
    return [
        [{node: next(results) for node in listed} for listed in classes]
        for classes in chosen
    ]
