"""Generated pairs of graphs, which methods of increasing strength distinguish."""

import itertools
from collections.abc import Callable

import numpy as np

from gskn._types import BoolArray, IndexArray
from gskn.datasets._dataset import Dataset
from gskn.datasets._synthetic import (
    csl,
    decalin_bicyclopentyl,
    make_dataset,
    rings,
    rook_shrikhande,
    rook_shrikhande_matrices,
    undirected,
)
from gskn.graphs import GraphParts


def cfi() -> Dataset:
    """Generate the graphs of Cai, Fürer and Immerman over K4: plain (0) and twisted (1).

    They have 28 nodes, and 3-WL cannot distinguish them.

    Returns
    -------
    data : Dataset
        Two graphs.

    References
    ----------
    Jin-Yi Cai, Martin Fürer and Neil Immerman, "An optimal lower bound on the number of
    variables for graph identification", 1992.
    """
    edges = list(itertools.combinations(range(4), 2))
    parts = [cfi_graph(edges, is_twisted=twisted) for twisted in (False, True)]
    text = "Graphs of Cai, Fürer and Immerman over K4: plain (0) and twisted (1)."
    return make_dataset("cfi", parts, np.arange(2), text)


def quadrangles() -> Dataset:
    """Generate the point graphs of the generalized quadrangles W(3) (0) and Q(4, 3) (1).

    Both are strongly regular with parameters (40, 12, 2, 4) and satisfy the 4-vertex
    condition: the number of subgraphs of 4 nodes that contain two given nodes depends only
    on whether these are adjacent.

    Returns
    -------
    data : Dataset
        Two graphs.

    References
    ----------
    Stanley Payne and Joseph Thas, "Finite generalized quadrangles", 1984.
    """
    symplectic = np.array([[0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 2, 0]])
    points = _projective_points(4)
    first = (points @ symplectic @ points.T) % 3 == 0
    # x0^2 + x1 x2 + x3 x4, doubled so that the bilinear form is symmetric.
    quadric = np.zeros((5, 5), dtype=np.int64)
    quadric[0, 0] = 2
    quadric[[1, 2, 3, 4], [2, 1, 4, 3]] = 1
    points = _projective_points(5)
    points = points[np.einsum("pi,ij,pj->p", points, quadric, points) % 3 == 0]
    second = (points @ quadric @ points.T) % 3 == 0
    parts = [from_matrix(matrix) for matrix in (first, second)]
    text = "Point graphs of the generalized quadrangles W(3) (0) and Q(4, 3) (1)."
    return make_dataset("quadrangles", parts, np.arange(2), text)


def hamming_doob() -> Dataset:
    """Generate the Hamming graph H(3, 4) (0) and the Doob graph of the same parameters (1).

    Both are distance-regular with 64 nodes. The Hamming graph is the product of three
    graphs K4, and the Doob graph the product of the Shrikhande graph and K4.

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    complete = ~np.eye(4, dtype=bool)
    parts = [
        from_matrix(_product(matrix, complete)) for matrix in rook_shrikhande_matrices()
    ]
    text = "Hamming graph H(3, 4) (0) and a Doob graph with the same parameters (1)."
    return make_dataset("hamming-doob", parts, np.arange(2), text)


def csl_pair() -> Dataset:
    """Generate circular skip links of 41 nodes with skips 9 (0) and 12 (1).

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    graphs = csl(1).graphs[[5, 7]]
    text = "Circular skip links of 41 nodes with skips 9 (0) and 12 (1)."
    return Dataset("csl-9-12", graphs, np.arange(2), "graph", {}, text)


def path_star() -> Dataset:
    """Generate a path (0) and a star (1) of four nodes.

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    edges = [[(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]]
    text = "A path (0) and a star (1) of four nodes."
    parts = [undirected(4, np.transpose(listed)) for listed in edges]
    return make_dataset("path-star", parts, np.arange(2), text)


def spiro_fused() -> Dataset:
    """Generate a triangle and a ring of five nodes that share a node (0) or an edge (1).

    The second graph has one more node, at the ring. Both have equal numbers of walks of
    up to 8 nodes.

    Returns
    -------
    data : Dataset
        Two graphs of seven nodes.
    """
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    edges = [[*ring, (0, 5), (5, 6), (6, 0)], [*ring, (0, 5), (5, 1), (3, 6)]]
    text = "A triangle and a ring of five nodes that share a node (0) or an edge (1)."
    parts = [undirected(7, np.transpose(listed)) for listed in edges]
    return make_dataset("spiro-fused", parts, np.arange(2), text)


def chains() -> Dataset:
    """Generate two chains, each with equal ends (0) or with different ends (1).

    An end is a hub that is connected to the six nodes of a ring, or of two rings of three.
    A walk of eight nodes does not reach from a ring to the hub at the other end.

    Returns
    -------
    data : Dataset
        Two graphs of 40 nodes.
    """
    ring = [(node, (node + 1) % 6) for node in range(6)]
    two_rings = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    chain = [(node, node + 1) for node in range(6, 13)]  # from one hub to the other
    spokes = [(6, node) for node in range(6)] + [(13, node) for node in range(14, 20)]
    parts = []
    for ends in ([(ring, ring), (two_rings, two_rings)], [(ring, two_rings)] * 2):
        edges = [
            np.array([*left, *((a + 14, b + 14) for a, b in right), *chain, *spokes])
            for left, right in ends
        ]
        parts.append(undirected(40, np.vstack([edges[0], edges[1] + 20]).T))
    text = "Two chains, each with equal ends (0) or with different ends (1)."
    return make_dataset("chains", parts, np.arange(2), text)


def cfi_triangles() -> Dataset:
    """Generate graphs of Cai, Fürer and Immerman over triangles: plain (0), twisted (1).

    The base is a triangle with another triangle at every edge. Its treewidth is two, so
    2-FWL distinguishes the graphs.

    Returns
    -------
    data : Dataset
        Two graphs of 48 nodes.
    """
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (1, 4), (2, 4), (2, 5), (0, 5)]
    parts = [cfi_graph(edges, is_twisted=twisted) for twisted in (False, True)]
    text = "Graphs of Cai, Fürer and Immerman over four triangles: plain (0), twisted (1)."
    return make_dataset("cfi-triangles", parts, np.arange(2), text)


# In the order of the methods that distinguish them.
PAIRS: dict[str, Callable[[], Dataset]] = {
    "path-star": path_star,
    "spiro-fused": spiro_fused,
    "rings": rings,
    "decalin-bicyclopentyl": decalin_bicyclopentyl,
    "rook-shrikhande": rook_shrikhande,
    "hamming-doob": hamming_doob,
    "quadrangles": quadrangles,
    "chains": chains,
    "csl": csl_pair,
    "cfi-triangles": cfi_triangles,
    "cfi": cfi,
}


def cfi_graph(edges: list[tuple[int, int]], *, is_twisted: bool) -> GraphParts:
    """Return the graph of Cai, Fürer and Immerman over a connected base graph.

    Every edge of the base becomes two nodes, and every node one node for each subset of
    its edges of even size (of odd size for the first node of a twisted graph). A subset is
    connected to the first node of the edges that it contains, and to the second node of
    the others.
    """
    around: dict[int, list[int]] = {}
    for number, edge in enumerate(edges):
        for node in edge:
            around.setdefault(node, []).append(number)
    sources, targets, n_nodes = [], [], 2 * len(edges)
    for node, numbers in sorted(around.items()):
        parity = int(is_twisted and node == min(around))
        for chosen in itertools.product((0, 1), repeat=len(numbers)):
            if sum(chosen) % 2 != parity:
                continue
            sources += [n_nodes] * len(numbers)
            pairs = zip(numbers, chosen, strict=True)
            targets += [2 * number + side for number, side in pairs]
            n_nodes += 1
    return undirected(n_nodes, np.array([sources, targets]))


def from_matrix(matrix: BoolArray) -> GraphParts:
    """Return the graph of a symmetric matrix, without self-loops."""
    return undirected(len(matrix), np.array(np.nonzero(np.triu(matrix, k=1))))


def _projective_points(n_coordinates: int) -> IndexArray:
    """Return the points of a projective space over three elements: first nonzero is 1."""
    vectors = np.array(list(itertools.product(range(3), repeat=n_coordinates)))[1:]
    leading = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    points: IndexArray = vectors[leading == 1]
    return points


def _product(first: BoolArray, second: BoolArray) -> BoolArray:
    """Return the Cartesian product of two graphs."""
    one, two = (np.eye(len(matrix), dtype=bool) for matrix in (first, second))
    return np.kron(first, two) | np.kron(one, second)
