"""Report which methods distinguish pairs of generated graphs with equal parameters.

Run ``python benchmarks/accuracy/hard_pairs.py``. The families are strongly regular graphs
(Latin square graphs, the triangular graph and its switchings, rook and Shrikhande graph,
generalized quadrangles), a distance-regular pair, circular skip links, and graphs of Cai,
Fürer and Immerman over small bases. The table is quoted in ``docs/guide/distinguish.md``.
"""

import itertools

import networkx as nx
import numpy as np

from gskn import as_batch, datasets
from gskn.datasets._hard_pairs import cfi_graph
from gskn.graphs import assemble
from gskn.walks import distinguish

METHODS = {
    "1-WL": "1-WL",
    "patterns": "patterns of up to 8",
    "induced patterns": "induced up to 6",
    "SSWL from patterns": "SSWL from patterns",
    "2-FWL": "2-FWL",
    "2-FWL from patterns": "2-FWL from patterns",
    "individualization": "individualization",
}
FOUR_TRIANGLES = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (1, 4), (2, 4), (2, 5), (0, 5)]
BASES = {
    "cycle of 5": nx.cycle_graph(5),
    "four triangles": nx.Graph(FOUR_TRIANGLES),
    "K4": nx.complete_graph(4),
    "prism": nx.circular_ladder_graph(3),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "cube": nx.hypercube_graph(3),
}


def latin_square_graph(square):
    """Connect cells of a Latin square in the same row or column, or with equal symbols."""
    size = len(square)
    rows, columns = (part.ravel() for part in np.indices((size, size)))
    parts = (rows, columns, square.ravel())
    matrix = sum(part[:, None] == part[None] for part in parts) > 0
    return matrix & ~np.eye(size * size, dtype=bool)


def switched(square, generator):
    """Exchange two symbols along one cycle of two rows."""
    one, two = generator.choice(len(square), 2, replace=False)
    column = start = int(generator.integers(len(square)))
    result = square.copy()
    while True:
        result[[one, two], column] = result[[two, one], column]
        column = int(np.flatnonzero(square[one] == square[two, column])[0])
        if column == start:
            return result


def latin_squares(size, count, seed):
    """Return graphs of squares that random switchings produce from the cyclic group."""
    generator = np.random.default_rng(seed)
    square = np.add.outer(np.arange(size), np.arange(size)) % size
    found = []
    for _ in range(40 * count):
        graph = nx.from_numpy_array(latin_square_graph(square))
        if not any(isomorphic(graph, other) for other in found):
            found.append(graph)
        if len(found) == count:
            break
        square = switched(square, generator)
    return found


def isomorphic(one, two):
    return distinguish(one, two, methods=["walks"]).is_isomorphic


def triangular_and_chang():
    """Switch the line graph of K8 with respect to the edges of three subgraphs."""
    line = nx.convert_node_labels_to_integers(
        nx.line_graph(nx.complete_graph(8)), label_attribute="edge"
    )
    number = {tuple(sorted(data)): node for node, data in line.nodes(data="edge")}
    matrix = nx.to_numpy_array(line) > 0
    matching = [(0, 1), (2, 3), (4, 5), (6, 7)]
    octagon = [(n, (n + 1) % 8) for n in range(8)]
    triangle_pentagon = [
        (0, 1),
        (1, 2),
        (0, 2),
        *((3 + n, 3 + (n + 1) % 5) for n in range(5)),
    ]
    graphs = [nx.from_numpy_array(matrix)]
    for edges in (matching, octagon, triangle_pentagon):
        inside = np.zeros(28, dtype=bool)
        inside[[number[tuple(sorted(edge))] for edge in edges]] = True
        graphs.append(nx.from_numpy_array(matrix ^ (inside[:, None] ^ inside[None])))
    return graphs


def cfi_pair(base):
    edges = list(nx.convert_node_labels_to_integers(base).edges)
    return [assemble([cfi_graph(edges, is_twisted=twisted)]) for twisted in (False, True)]


def families():
    yield "SRG(16, 6, 2, 2): rook, Shrikhande", list(datasets.rook_shrikhande().graphs)
    yield "SRG(28, 12, 6, 4): T(8), Chang graphs", triangular_and_chang()
    yield "SRG(36, 15, 6, 6): Latin squares of 6", latin_squares(6, 10, 1)
    yield "SRG(40, 12, 2, 4): W(3), Q(4, 3)", list(datasets.quadrangles().graphs)
    yield "distance-regular: H(3, 4), Doob", list(datasets.hamming_doob().graphs)
    yield "circular skip links", list(datasets.csl(1).graphs)
    for name, base in BASES.items():
        yield f"CFI over {name}", cfi_pair(base)


def main():
    columns = ["family", "pairs", "sums of patterns", *METHODS.values()]
    print(f"| {' | '.join(columns)} |")
    print(f"| --- | {' | '.join(['---:'] * (len(columns) - 1))} |")
    for name, graphs in families():
        pairs = list(itertools.combinations(map(as_batch, graphs), 2))
        results = [
            distinguish(*pair, methods=list(METHODS), try_all=True) for pair in pairs
        ]
        sums = [distinguish(*pair, methods=["patterns"], level="graph") for pair in pairs]
        counts = [sum(result.method is not None for result in sums)]
        counts += [
            sum(bool(r[method].distinguishes) for r in results) for method in METHODS
        ]
        print(f"| {name} | {len(pairs)} | {' | '.join(map(str, counts))} |", flush=True)


if __name__ == "__main__":
    main()
