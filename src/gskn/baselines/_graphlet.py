"""The graphlet kernel (Shervashidze et al., 2009): small induced subgraphs, counted."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn._validation import check_int
from gskn.baselines._jit_graphlets import fill_cliques, fill_cycles
from gskn.baselines._kernel import NormalizedKernel
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

# How often the graph of a row is part of that of a column, both on all three or four nodes.
# No edge, an edge, a path, a triangle:
_THREE = [[1, 1, 1, 1], [0, 1, 2, 3], [0, 0, 1, 3], [0, 0, 0, 1]]
# No edge, an edge, a path of three nodes, two edges, a triangle; a star, a path, a triangle
# with a tail, a cycle, a diamond, a clique:
_FOUR = [
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6],
    [0, 0, 1, 0, 3, 3, 2, 5, 4, 8, 12],
    [0, 0, 0, 1, 0, 0, 1, 1, 2, 2, 3],
    [0, 0, 0, 0, 1, 0, 0, 1, 0, 2, 4],
    [0, 0, 0, 0, 0, 1, 0, 1, 0, 2, 4],
    [0, 0, 0, 0, 0, 0, 1, 2, 4, 6, 12],
    [0, 0, 0, 0, 0, 0, 0, 1, 0, 4, 12],
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
]
_FIRST_CONNECTED = {3: 2, 4: 5}


class GraphletKernel(NormalizedKernel):
    """Compare graphs by the shares of their induced subgraphs of three or four nodes.

    Parameters
    ----------
    size : int, default=4
        Nodes of a graphlet, 3 or 4.
    connected : bool, default=False
        Leave out graphlets in pieces, which most are in a sparse graph.
    normalize : bool, default=True
        The cosine instead of the kernel.

    Notes
    -----
    Nino Shervashidze et al., Efficient graphlet kernels for large graph comparison (2009).
    All graphlets are counted, not sampled: graphs in which few edges may be missing are
    counted by sums over degrees, edges, and pairs of nodes, and how often one graph is part
    of another turns these into induced ones. The authors also sample graphlets of five
    nodes, which is not done here. Labels, attributes, weights and self-loops are not looked
    at; directed graphs are refused. A graph of fewer nodes than a graphlet has none, and is
    like no other graph.

    Time grows with the sum of squared degrees, and with triangles for cliques of four.

    Examples
    --------
    >>> from gskn import datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> GraphletKernel(3).fit_transform([ring_of_six, two_triangles]).round(4)
    array([[1.    , 0.8793],
           [0.8793, 1.    ]])
    >>> graphlet_counts(datasets.rings(3).graphs, 3)  # no edge, an edge, a path, a triangle
    array([[ 2., 12.,  6.,  0.],
           [ 0., 18.,  0.,  2.]])
    """

    def __init__(
        self, size: int = 4, *, connected: bool = False, normalize: bool = True
    ) -> None:
        self.size = size
        self.connected = connected
        self.normalize = normalize

    def _looks_at_labels(self) -> bool:
        return False

    def _describe(self, batch: GraphBatch) -> FloatArray:
        check_int(self.size, "size", minimum=3, maximum=4)
        counts = graphlet_counts(batch, self.size)
        if self.connected:
            counts = counts[:, _FIRST_CONNECTED[self.size] :]
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))

    def _compare(self, left: FloatArray, right: FloatArray) -> FloatArray:
        return multiply(left, right.T)

    def _own(self, described: FloatArray) -> FloatArray:
        return np.asarray((described**2).sum(axis=1))


def graphlet_counts(batch: GraphBatch, size: int) -> FloatArray:
    """Count induced subgraphs of three or four nodes in every graph.

    Returns
    -------
    counts : ndarray of shape (n_graphs, 4) or (n_graphs, 11)
        In the order of `_THREE` or `_FOUR`.
    """
    graphs = _simple(batch)
    parts = _parts_of_three(graphs) if size == 3 else _parts_of_four(graphs)
    table = np.array(_THREE if size == 3 else _FOUR, dtype=np.float64)
    # Whole numbers in floats: back substitution with ones on the diagonal is exact.
    return np.asarray(solve_triangular(table, parts, unit_diagonal=True).T)


def _simple(batch: GraphBatch) -> GraphBatch:
    """Drop weights and self-loops; sort nodes by degree, few neighbours first."""
    if batch.is_directed:
        raise InputError(
            "The graphlet kernel compares undirected graphs, but graph "
            f"{np.flatnonzero(batch.directed)[0]} is directed; leave it out, or add the "
            "mirror of every arc."
        )
    order = np.lexsort((batch.degrees, batch.node_graphs))
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    entries = batch.adjacency.tocoo()
    kept = entries.row != entries.col
    rows, columns = places[entries.row[kept]], places[entries.col[kept]]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=entries.shape)
    matrix.sort_indices()
    return GraphBatch(matrix, batch.graph_ptr)


def _parts_of_three(graphs: GraphBatch) -> FloatArray:
    """Count graphs of three nodes among the edges of a graph, induced or not."""
    nodes, edges, degrees = _sizes(graphs)
    triangles, _, _ = _cycles(graphs)
    return np.stack(
        [
            _choose(nodes, 3),
            edges * (nodes - 2),
            _graph_sum(graphs, _choose(degrees, 2)),
            _graph_sum(graphs, triangles) / 3,
        ]
    )


def _parts_of_four(graphs: GraphBatch) -> FloatArray:
    """Count graphs of four nodes among the edges of a graph, induced or not."""
    nodes, edges, degrees = _sizes(graphs)
    triangles, squares, diamonds = _cycles(graphs)
    paths = _graph_sum(graphs, _choose(degrees, 2))
    n_triangles = _graph_sum(graphs, triangles) / 3
    around = graphs.adjacency @ (degrees - 1)
    return np.stack(
        [
            _choose(nodes, 4),
            edges * _choose(nodes - 2, 2),
            paths * (nodes - 3),
            _choose(edges, 2) - paths,
            n_triangles * (nodes - 3),
            _graph_sum(graphs, _choose(degrees, 3)),
            _graph_sum(graphs, (degrees - 1) * around) / 2 - 3 * n_triangles,
            _graph_sum(graphs, triangles * (degrees - 2)),
            _graph_sum(graphs, squares) / 2,
            _graph_sum(graphs, diamonds),
            _graph_sum(graphs, _cliques(graphs)),
        ]
    )


def _sizes(graphs: GraphBatch) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes and edges of graphs and degrees of nodes, as floats."""
    degrees = graphs.degrees.astype(np.float64)
    return graphs.graph_sizes.astype(np.float64), _graph_sum(graphs, degrees) / 2, degrees


def _cycles(graphs: GraphBatch) -> list[FloatArray]:
    """Return triangles of every node, and cycles of four (twice) and diamonds by some."""
    counts = [np.zeros(graphs.n_nodes, dtype=np.int64) for _ in range(3)]
    fill_cycles(*_arrays(graphs), *counts)
    return [count.astype(np.float64) for count in counts]


def _cliques(graphs: GraphBatch) -> FloatArray:
    """Return cliques of four nodes, by their first node."""
    indptr, indices = _arrays(graphs)
    rows = np.repeat(np.arange(graphs.n_nodes), np.diff(indptr))
    before = np.bincount(rows[indices < rows], minlength=graphs.n_nodes)
    cliques = np.zeros(graphs.n_nodes, dtype=np.int64)
    fill_cliques(indptr, indices, indptr[:-1] + before, cliques)
    return cliques.astype(np.float64)


def _arrays(graphs: GraphBatch) -> tuple[IndexArray, NodeArray]:
    matrix = graphs.adjacency
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _graph_sum(graphs: GraphBatch, values: FloatArray) -> FloatArray:
    sums = np.bincount(graphs.node_graphs, values, minlength=graphs.n_graphs)
    return sums.astype(np.float64)  # of no nodes at all it counts


def _choose(total: FloatArray, size: int) -> FloatArray:
    """Return binomial coefficients."""
    result = np.ones_like(total)
    for number in range(size):
        result = result * (total - number) / (number + 1)
    return result
