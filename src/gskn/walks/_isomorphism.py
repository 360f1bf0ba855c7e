"""Exact isomorphism of two graphs, through igraph or networkx if one is installed."""

from importlib.util import find_spec

import numpy as np

from gskn._optional import require
from gskn._types import IndexArray
from gskn.colors import initial_hashes, ranks, refine_colors
from gskn.graphs import GraphBatch

# The time of both packages grows exponentially on some regular graphs.
_MAX_NODES = {"igraph": 400, "networkx": 30}
_MAX_PLAIN_NODES = 20_000  # of a graph without directions and labels for igraph


def are_isomorphic(
    pair: GraphBatch, nodes: tuple[int, int] | None, *, labels: bool
) -> bool | None:
    """Return whether two graphs are isomorphic; None if they are too large to test.

    If ``nodes`` are given, the isomorphism has to map the first one to the second one.
    None, too, if neither igraph nor networkx is installed.
    """
    package = next((name for name in _MAX_NODES if find_spec(name)), None)
    if package is None or pair.graph_sizes.max(initial=0) > _MAX_NODES[package]:
        return None
    if len(set(pair.graph_sizes.tolist())) > 1:
        return False
    initial = np.zeros(pair.n_nodes, dtype=np.int64)
    if nodes is not None:
        initial[[nodes[0], pair.graph_ptr[1] + nodes[1]]] = 1
    initial = ranks(initial_hashes(pair, initial, labels=labels))
    loops = pair.adjacency.diagonal() != 0
    colors = refine_colors(pair, np.column_stack([initial, loops]), labels=labels)
    graphs = _colored_graphs(pair, colors, labels=labels)
    if package == "networkx":
        return _compare_networkx(*graphs)
    codes = pair.edge_labels if labels else None
    if not pair.is_directed and (codes is None or len(set(codes.tolist())) < 2):
        return _compare_igraph(*map(_undirected, graphs))
    if max(len(nodes) + 2 * len(kinds) for _, kinds, nodes in graphs) > _MAX_PLAIN_NODES:
        return None
    return _compare_igraph(*map(_subdivided, graphs))


# Ends and kinds of all entries of an adjacency matrix, and colors of nodes.
_Colored = tuple[IndexArray, IndexArray, IndexArray]
# Edges of an undirected graph, and colors of nodes.
_Plain = tuple[IndexArray, IndexArray]


def _colored_graphs(
    pair: GraphBatch, colors: IndexArray, *, labels: bool
) -> list[_Colored]:
    """Return both graphs; the kind of an entry is its label and the colors of its ends."""
    adjacency = pair.adjacency
    sources = np.repeat(np.arange(pair.n_nodes), np.diff(adjacency.indptr))
    ends = np.column_stack([sources, adjacency.indices])
    codes = np.zeros(len(ends), dtype=np.int64)
    if labels and pair.edge_labels is not None:
        codes = pair.edge_labels
    keys = np.column_stack([colors[ends], codes])
    kinds = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    graphs = []
    for first, end in zip(pair.graph_ptr[:-1], pair.graph_ptr[1:], strict=True):
        part = slice(*adjacency.indptr[[first, end]])
        graphs.append((ends[part] - first, kinds[part], colors[first:end]))
    return graphs


def _undirected(graph: _Colored) -> _Plain:
    """Return the edges of an undirected graph without labels or self-loops."""
    ends, _, colors = graph
    return ends[ends[:, 0] < ends[:, 1]], colors


def _subdivided(graph: _Colored) -> _Plain:
    """Replace every entry by a path over two nodes, colored by its kind and the end.

    Two graphs are isomorphic if and only if the results are.
    """
    ends, kinds, colors = graph
    tails = np.arange(len(ends)) + len(colors)
    heads = tails + len(ends)
    paths = [(ends[:, 0], tails), (tails, heads), (heads, ends[:, 1])]
    edges = np.concatenate([np.column_stack(path) for path in paths])
    # Nodes, tails and heads have different remainders modulo 3.
    return edges, np.concatenate([3 * colors, 3 * kinds + 1, 3 * kinds + 2])


def _compare_igraph(first: _Plain, second: _Plain) -> bool:
    """Compare the canonical forms of two graphs."""
    igraph = require("igraph", extra="igraph")
    forms = []
    for edges, colors in (first, second):
        graph = igraph.Graph(n=len(colors), edges=edges.tolist())
        graph.vs["color"] = colors.tolist()
        # The meaning of a permutation depends on the version, but not that of both calls.
        form = graph.permute_vertices(graph.canonical_permutation(color="color"))
        forms.append((sorted(map(sorted, form.get_edgelist())), form.vs["color"]))
    return bool(forms[0] == forms[1])


def _compare_networkx(first: _Colored, second: _Colored) -> bool:
    networkx = require("networkx", extra="networkx")
    isomorphism = networkx.algorithms.isomorphism
    graphs = []
    for ends, kinds, colors in (first, second):
        graph = networkx.DiGraph()
        graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors))
        for (source, target), kind in zip(ends.tolist(), kinds.tolist(), strict=True):
            graph.add_edge(source, target, kind=kind)
        graphs.append(graph)
    return bool(
        networkx.is_isomorphic(
            *graphs,
            node_match=isomorphism.categorical_node_match("color", None),
            edge_match=isomorphism.categorical_edge_match("kind", None),
        )
    )
