"""Exact isomorphism of two graphs, through igraph or networkx if one is installed."""

from importlib.util import find_spec

import numpy as np

from gskn._optional import require
from gskn._types import IndexArray
from gskn.colors import initial_hashes, ranks, refine_colors
from gskn.graphs import GraphBatch

# The time of both packages grows exponentially on some regular graphs.
_MAX_NODES = {"igraph": 400, "networkx": 40}


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
    graphs = _plain_graphs(pair, colors, labels=labels)
    return _compare_igraph(*graphs) if package == "igraph" else _compare_networkx(*graphs)


# Edges, and colors of nodes.
_Plain = tuple[IndexArray, IndexArray]


def _plain_graphs(pair: GraphBatch, colors: IndexArray, *, labels: bool) -> list[_Plain]:
    """Return two undirected graphs without edge labels that are isomorphic if the pair is.

    In graphs with edge labels or directions, every entry of the adjacency matrix becomes a
    path over two nodes, whose colors are the label and the end.
    """
    codes = pair.edge_labels if labels else None
    is_plain = codes is None and not pair.is_directed
    codes = np.zeros(pair.adjacency.nnz, dtype=np.int64) if codes is None else codes
    n_colors, n_labels = int(colors.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    graphs = []
    for first, end in zip(pair.graph_ptr[:-1], pair.graph_ptr[1:], strict=True):
        part = slice(*pair.adjacency.indptr[[first, end]])
        degrees = np.diff(pair.adjacency.indptr[first : end + 1])
        source = np.repeat(np.arange(end - first), degrees)
        target = pair.adjacency.indices[part] - first
        if is_plain:
            edges = np.column_stack([source, target])[source < target]
            graphs.append((edges, colors[first:end]))
            continue
        tails = np.arange(len(source)) + (end - first)
        heads = tails + len(source)
        paths = [(source, tails), (tails, heads), (heads, target)]
        edges = np.concatenate([np.column_stack(path) for path in paths])
        ends = [codes[part] + n_colors, codes[part] + n_colors + n_labels]
        graphs.append((edges, np.concatenate([colors[first:end], *ends])))
    return graphs


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


def _compare_networkx(first: _Plain, second: _Plain) -> bool:
    networkx = require("networkx", extra="networkx")
    graphs = []
    for edges, colors in (first, second):
        graph = networkx.Graph()
        graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors))
        graph.add_edges_from(edges.tolist())
        graphs.append(graph)
    return bool(networkx.vf2pp_is_isomorphic(*graphs, node_label="color"))
