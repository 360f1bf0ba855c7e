"""Generated sets: synthetic sets of the paper, and graphs that 1-WL cannot distinguish."""

import numpy as np

from gskn._random import RandomState, as_generator
from gskn._types import AnyArray, BoolArray, IndexArray
from gskn._validation import check_fraction, check_int
from gskn.datasets._dataset import Dataset
from gskn.graphs import GraphParts, assemble

CSL_SKIPS = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)
_PAIRINGS_AT_ONCE = 4096


def structure(
    n_per_class: int = 100, *, noise: float = 0.1, random_state: RandomState = 0
) -> Dataset:
    """Generate cycles, paths, wheels and ladders with extra edges (classes 0 to 3).

    This is the set *Structure* of the paper. Sizes are uniform in 20..80; the size of a
    ladder is rounded down to an even number. Extra edges are sampled uniformly among pairs
    of nodes that are not adjacent.

    Parameters
    ----------
    n_per_class : int, default=100
        Number of graphs of every class.
    noise : float, default=0.1
        Number of extra edges, relative to the number of edges of a graph.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    data : Dataset
        The four classes in order.

    Examples
    --------
    >>> structure(2).graphs.n_graphs
    8
    """
    n_per_class = check_int(n_per_class, "n_per_class", minimum=1)
    noise = check_fraction(noise, "noise")
    generator = as_generator(random_state)
    parts = []
    for shape in (_cycle, _path, _wheel, _ladder):
        for n_nodes in generator.integers(20, 81, size=n_per_class).tolist():
            size, edges = shape(n_nodes)
            n_extra = round(noise * edges.shape[1])
            extra = _sample_absent_edges(size, edges, n_extra, generator)
            parts.append(undirected(size, np.hstack([edges, extra])))
    classes = np.repeat(np.arange(4), n_per_class)
    text = "Cycles (0), paths (1), wheels (2) and ladders (3) of 20 to 80 nodes with "
    return make_dataset("structure", parts, classes, f"{text}{noise:.0%} extra edges.")


def regular(n_per_class: int = 50, *, random_state: RandomState = 0) -> Dataset:
    """Generate 5-regular graphs of 20 nodes (0), and pairs of such graphs of 10 nodes (1).

    This is the set *Regular* of the paper. All connected simple 5-regular graphs of a size
    are equally likely. Neither 1-WL nor random walks distinguish the classes.

    Parameters
    ----------
    n_per_class : int, default=50
        Number of graphs of every class.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    data : Dataset
        The two classes in order.

    Examples
    --------
    >>> regular(3).graphs.degrees.max()
    np.int64(5)
    """
    n_per_class = check_int(n_per_class, "n_per_class", minimum=1)
    generator = as_generator(random_state)
    whole = _sample_regular(20, 5, n_per_class, generator)
    # A 5-regular graph has at least 6 nodes, so one of 10 nodes is connected.
    halves = _sample_regular(10, 5, 2 * n_per_class, generator)
    pairs = [
        np.hstack([first, second + 10])
        for first, second in zip(halves[::2], halves[1::2], strict=True)
    ]
    parts = [undirected(20, edges) for edges in [*whole, *pairs]]
    classes = np.repeat([0, 1], n_per_class)
    text = "Connected 5-regular graphs of 20 nodes (0); two 5-regular graphs of 10 (1)."
    return make_dataset("regular", parts, classes, text)


def rings(k: int = 3) -> Dataset:
    """Generate a ring of ``2 k`` nodes (0) and two rings of ``k`` nodes (1).

    Parameters
    ----------
    k : int, default=3
        Number of nodes of a small ring.

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    k = check_int(k, "k", minimum=3)
    _, ring = _cycle(k)
    parts = [
        undirected(*_cycle(2 * k)),
        undirected(2 * k, np.hstack([ring, ring + k])),
    ]
    text = f"A ring of {2 * k} nodes (0) and two rings of {k} (1)."
    return make_dataset(f"rings-{k}", parts, np.arange(2), text)


def csl(n_copies: int = 15, *, random_state: RandomState = 0) -> Dataset:
    """Generate circular skip links: 10 classes of 41-node graphs, ``n_copies`` of each.

    In class ``c``, every node of a ring is connected to the nodes 1 and ``CSL_SKIPS[c]``
    steps away. The nodes of the first copy are in ring order, the others are shuffled.

    Parameters
    ----------
    n_copies : int, default=15
        Number of graphs of every class.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    data : Dataset
        The ten classes in order.

    References
    ----------
    R. Murphy, B. Srinivasan, V. Rao and B. Ribeiro, "Relational pooling for graph
    representations", 2019.
    """
    n_copies = check_int(n_copies, "n_copies", minimum=1)
    generator = as_generator(random_state)
    parts = []
    for skip in CSL_SKIPS:
        edges = _circulant(41, (1, skip))
        orders = [
            np.arange(41),
            *(generator.permutation(41) for _ in range(n_copies - 1)),
        ]
        parts += [undirected(41, order[edges]) for order in orders]
    classes = np.repeat(np.arange(len(CSL_SKIPS)), n_copies)
    text = (
        f"Circular skip links of 41 nodes with skips {CSL_SKIPS}, {n_copies} copies each."
    )
    return make_dataset("CSL", parts, classes, text)


def rook_shrikhande() -> Dataset:
    """Generate the 4x4 rook graph (0) and the Shrikhande graph (1).

    Both are strongly regular with parameters (16, 6, 2, 2), so 2-WL cannot distinguish
    them either.

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    matrices = rook_shrikhande_matrices()
    parts = [undirected(16, np.array(np.nonzero(np.triu(a)))) for a in matrices]
    text = "The 4x4 rook graph (0) and the Shrikhande graph (1)."
    return make_dataset("rook-shrikhande", parts, np.arange(2), text)


def rook_shrikhande_matrices() -> tuple[BoolArray, BoolArray]:
    """Return the adjacency matrices of the 4x4 rook graph and the Shrikhande graph."""
    row, column = np.divmod(np.arange(16), 4)
    down, right = row[None] - row[:, None], column[None] - column[:, None]
    step = np.stack([down % 4, right % 4], axis=-1)
    steps = np.array([(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)])
    shrikhande = (step[:, :, None] == steps).all(axis=-1).any(axis=-1)
    return (down == 0) ^ (right == 0), shrikhande


def decalin_bicyclopentyl() -> Dataset:
    """Generate two molecules of ten carbon atoms that 1-WL cannot distinguish.

    Decalin (0) consists of two rings of six atoms with a common bond, bicyclopentyl (1) of
    two rings of five atoms that are connected by a bond.

    Returns
    -------
    data : Dataset
        Two graphs.
    """
    _, ten = _cycle(10)
    _, five = _cycle(5)
    decalin = np.hstack([ten, [[0], [5]]])
    bicyclopentyl = np.hstack([five, five + 5, [[0], [5]]])
    parts = [undirected(10, decalin), undirected(10, bicyclopentyl)]
    text = "Carbon skeletons of decalin (0) and bicyclopentyl (1)."
    return make_dataset("decalin-bicyclopentyl", parts, np.arange(2), text)


def make_dataset(name: str, parts: list[GraphParts], y: AnyArray, text: str) -> Dataset:
    """Return graphs with their classes."""
    return Dataset(name, assemble(parts), y.astype(np.int64), "graph", {}, text)


def undirected(n_nodes: int, edges: IndexArray) -> GraphParts:
    """Return a graph, given an array of two rows with every edge once."""
    source, target = edges
    return GraphParts([n_nodes], source, target, directed=False)


# Shapes return the number of nodes and a 2 x n_edges array with every edge once.


def _path(n_nodes: int) -> tuple[int, IndexArray]:
    nodes = np.arange(n_nodes)
    return n_nodes, np.array([nodes[:-1], nodes[1:]])


def _cycle(n_nodes: int) -> tuple[int, IndexArray]:
    return n_nodes, _circulant(n_nodes, (1,))


def _wheel(n_nodes: int) -> tuple[int, IndexArray]:
    """Connect node 0 to every node of a ring of the other nodes."""
    _, rim = _cycle(n_nodes - 1)
    spokes = np.array([np.zeros(n_nodes - 1, dtype=np.int64), np.arange(1, n_nodes)])
    return n_nodes, np.hstack([rim + 1, spokes])


def _ladder(n_nodes: int) -> tuple[int, IndexArray]:
    n_rungs = n_nodes // 2
    _, rail = _path(n_rungs)
    rungs = np.array([np.arange(n_rungs), np.arange(n_rungs) + n_rungs])
    return 2 * n_rungs, np.hstack([rail, rail + n_rungs, rungs])


def _circulant(n_nodes: int, steps: tuple[int, ...]) -> IndexArray:
    nodes = np.arange(n_nodes)
    return np.hstack([[nodes, (nodes + step) % n_nodes] for step in steps])


def _sample_absent_edges(
    n_nodes: int, edges: IndexArray, n_extra: int, generator: np.random.Generator
) -> IndexArray:
    """Sample pairs of nodes that are not adjacent, uniformly and without replacement."""
    absent = np.triu(np.ones((n_nodes, n_nodes), dtype=bool), k=1)
    absent[edges.min(axis=0), edges.max(axis=0)] = False
    pairs = np.array(np.nonzero(absent))
    columns = generator.choice(pairs.shape[1], size=n_extra, replace=False)
    return pairs[:, columns]


def _sample_regular(
    n_nodes: int, degree: int, n_graphs: int, generator: np.random.Generator
) -> list[IndexArray]:
    """Sample connected simple regular graphs with equal probability.

    Half-edges are paired at random, and results that are not simple and connected are
    rejected, so all other graphs have equal probability. About one pairing in 500 is
    accepted, so many are sampled at once.
    """
    stubs = np.tile(np.repeat(np.arange(n_nodes), degree), (_PAIRINGS_AT_ONCE, 1))
    graphs: list[IndexArray] = []
    while len(graphs) < n_graphs:
        paired = generator.permuted(stubs, axis=1).reshape(_PAIRINGS_AT_ONCE, -1, 2)
        low, high = paired.min(axis=2), paired.max(axis=2)
        keys = np.sort(low * n_nodes + high, axis=1)
        simple = (low != high).all(axis=1) & (np.diff(keys, axis=1) > 0).all(axis=1)
        for key in keys[simple]:
            edges = np.array(np.divmod(key, n_nodes))
            if _is_connected(n_nodes, edges):
                graphs.append(edges)
    return graphs[:n_graphs]


def _is_connected(n_nodes: int, edges: IndexArray) -> bool:
    reach = np.eye(n_nodes, dtype=bool)
    reach[edges[0], edges[1]] = reach[edges[1], edges[0]] = True
    for _ in range(n_nodes.bit_length()):  # path lengths double each time
        reach = reach @ reach
    return bool(reach.all())
