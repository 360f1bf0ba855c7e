"""The graphlet kernel: counts of small induced subgraphs."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from gskn._blas import multiply
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn._validation import check_int
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._jit_graphlets import fill_cliques, fill_cycles
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

# Number of copies of the graph of a row in the graph of a column, both on all three or four
# nodes. No edge, an edge, a path, a triangle:
_THREE = [[1, 1, 1, 1], [0, 1, 2, 3], [0, 0, 1, 3], [0, 0, 0, 1]]
# No edge, an edge, a path of three nodes, two edges, a triangle; a star, a path, a triangle
# with an edge, a cycle, a diamond, a clique:
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
    """Kernel that compares the frequencies of induced subgraphs of three or four nodes.

    Parameters
    ----------
    size : int, default=4
        Number of nodes of a graphlet, 3 or 4.
    connected : bool, default=False
        Count only connected graphlets. In sparse graphs most graphlets are not connected.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs.

    Notes
    -----
    All graphlets are counted, not sampled: subgraphs that are not necessarily induced are
    counted by sums over degrees, edges and pairs of nodes, and then converted to counts of
    induced subgraphs. The authors also sample graphlets of five nodes, which is not
    implemented here. Node labels, node attributes, edge weights and self-loops are ignored;
    directed graphs are not supported. The kernel of a graph with fewer nodes than a
    graphlet is zero.

    Time is linear in the sum of squared degrees, and in the number of triangles for cliques
    of four nodes.

    References
    ----------
    Nino Shervashidze, S. V. N. Vishwanathan, Tobias Petri, Kurt Mehlhorn and Karsten
    Borgwardt, "Efficient graphlet kernels for large graph comparison", 2009.

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

    variants = (
        Variant(
            name="graphlet",
            label="graphlet kernel",
            grid=parameter_grid(size=(3, 4)),
            table_label="Graphlet kernel",
        ),
    )
    uses = "structure only"

    def __init__(
        self, size: int = 4, *, connected: bool = False, normalize: bool = True
    ) -> None:
        self.size = size
        self.connected = connected
        self.normalize = normalize

    def depends_on_training(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Return False: the kernel of two graphs depends on these two only.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return False

    def _uses_labels(self) -> bool:
        return False

    def _describe(self, batch: GraphBatch) -> FloatArray:
        check_int(self.size, "size", minimum=3, maximum=4)
        counts = graphlet_counts(batch, self.size)
        if self.connected:
            counts = counts[:, _FIRST_CONNECTED[self.size] :]
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))

    def _compare(self, left: FloatArray, right: FloatArray) -> FloatArray:
        return multiply(left, right.T)

    def _self_kernel(self, described: FloatArray) -> FloatArray:
        return np.asarray((described**2).sum(axis=1))


def graphlet_counts(batch: GraphBatch, size: int) -> FloatArray:
    """Count the induced subgraphs of three or four nodes of every graph.

    Parameters
    ----------
    batch : GraphBatch
        Undirected graphs.
    size : int
        Number of nodes of a subgraph, 3 or 4.

    Returns
    -------
    counts : ndarray of shape (n_graphs, 4) or (n_graphs, 11)
        Counts in the order of ``_THREE`` or ``_FOUR``.
    """
    graphs = _simplify(batch)
    counts = _count_three(graphs) if size == 3 else _count_four(graphs)
    table = np.array(_THREE if size == 3 else _FOUR, dtype=np.float64)
    # Integers stored as floats: back substitution with a unit diagonal is exact.
    return np.asarray(solve_triangular(table, counts, unit_diagonal=True).T)


def _simplify(batch: GraphBatch) -> GraphBatch:
    """Remove weights and self-loops, and sort the nodes of every graph by degree."""
    if batch.is_directed:
        raise InputError(
            "The graphlet kernel compares undirected graphs, but graph "
            f"{np.flatnonzero(batch.directed)[0]} is directed; remove it, or add the "
            "reverse of every edge."
        )
    order = np.lexsort((batch.degrees, batch.node_graphs))
    positions = np.empty_like(order)
    positions[order] = np.arange(len(order))
    entries = batch.adjacency.tocoo()
    is_edge = entries.row != entries.col
    rows, columns = positions[entries.row[is_edge]], positions[entries.col[is_edge]]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=entries.shape)
    matrix.sort_indices()
    return GraphBatch(matrix, batch.graph_ptr)


def _count_three(graphs: GraphBatch) -> FloatArray:
    """Count subgraphs of three nodes, induced or not."""
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


def _count_four(graphs: GraphBatch) -> FloatArray:
    """Count subgraphs of four nodes, induced or not."""
    nodes, edges, degrees = _sizes(graphs)
    triangles, squares, diamonds = _cycles(graphs)
    paths = _graph_sum(graphs, _choose(degrees, 2))
    n_triangles = _graph_sum(graphs, triangles) / 3
    neighbor_sums = graphs.adjacency @ (degrees - 1)
    return np.stack(
        [
            _choose(nodes, 4),
            edges * _choose(nodes - 2, 2),
            paths * (nodes - 3),
            _choose(edges, 2) - paths,
            n_triangles * (nodes - 3),
            _graph_sum(graphs, _choose(degrees, 3)),
            _graph_sum(graphs, (degrees - 1) * neighbor_sums) / 2 - 3 * n_triangles,
            _graph_sum(graphs, triangles * (degrees - 2)),
            _graph_sum(graphs, squares) / 2,
            _graph_sum(graphs, diamonds),
            _graph_sum(graphs, _cliques(graphs)),
        ]
    )


def _sizes(graphs: GraphBatch) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return numbers of nodes and edges of graphs, and degrees of nodes, as floats."""
    degrees = graphs.degrees.astype(np.float64)
    return graphs.graph_sizes.astype(np.float64), _graph_sum(graphs, degrees) / 2, degrees


def _cycles(graphs: GraphBatch) -> list[FloatArray]:
    """Return triangles, 4-cycles (counted twice per graph) and diamonds, by node."""
    counts = [np.zeros(graphs.n_nodes, dtype=np.int64) for _ in range(3)]
    indptr, indices = _csr_arrays(graphs)
    triangles, squares, diamonds = counts
    fill_cycles(indptr, indices, triangles, squares, diamonds)
    return [count.astype(np.float64) for count in counts]


def _cliques(graphs: GraphBatch) -> FloatArray:
    """Return the numbers of 4-cliques, by their smallest node."""
    indptr, indices = _csr_arrays(graphs)
    rows = np.repeat(np.arange(graphs.n_nodes), np.diff(indptr))
    n_smaller = np.bincount(rows[indices < rows], minlength=graphs.n_nodes)
    cliques = np.zeros(graphs.n_nodes, dtype=np.int64)
    fill_cliques(indptr, indices, indptr[:-1] + n_smaller, cliques)
    return cliques.astype(np.float64)


def _csr_arrays(graphs: GraphBatch) -> tuple[IndexArray, NodeArray]:
    """Return the offsets and columns of the adjacency matrix."""
    matrix = graphs.adjacency
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _graph_sum(graphs: GraphBatch, values: FloatArray) -> FloatArray:
    """Return sums over the nodes of every graph."""
    sums = np.bincount(graphs.node_graphs, values, minlength=graphs.n_graphs)
    return sums.astype(np.float64)  # bincount returns integers if there are no nodes


def _choose(total: FloatArray, size: int) -> FloatArray:
    """Return binomial coefficients."""
    result = np.ones_like(total)
    for number in range(size):
        result = result * (total - number) / (number + 1)
    return result
