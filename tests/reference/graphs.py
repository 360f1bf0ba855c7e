"""What a batch must hold, written as the documentation says it, in plain Python."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spec:
    """One graph as plain Python values; undirected edges have ``u <= v``."""

    n_nodes: int
    edges: list[tuple[int, int]]
    weights: list[float] | None = None
    labels: list | None = None
    attributes: list[list[float]] | None = None
    directed: bool = False


def adjacency(spec: Spec) -> np.ndarray:
    """Repeated edges are one; weights add up; weight zero is no edge."""
    matrix = np.zeros((spec.n_nodes, spec.n_nodes))
    for number, (u, v) in enumerate(spec.edges):
        if spec.weights is None:
            matrix[u, v] = 1
        else:
            matrix[u, v] += spec.weights[number]
    if not spec.directed:
        matrix = np.maximum(matrix, matrix.T)
    return matrix


def n_edges(matrix: np.ndarray) -> int:
    """Count pairs of a symmetric matrix, loops included, else arcs."""
    if (matrix == matrix.T).all():
        return int((np.triu(matrix) > 0).sum())
    return int((matrix > 0).sum())


def check_batch(batch, specs: list[Spec]) -> None:
    """Compare a batch with the graphs it was made of."""
    matrices = [adjacency(spec) for spec in specs]
    assert batch.n_graphs == len(specs) == len(batch)
    assert batch.shape == (len(specs),)
    assert batch.graph_sizes.tolist() == [spec.n_nodes for spec in specs]
    assert batch.n_nodes == sum(spec.n_nodes for spec in specs)
    whole = np.zeros((batch.n_nodes, batch.n_nodes))
    start = 0
    for matrix in matrices:
        end = start + len(matrix)
        whole[start:end, start:end] = matrix
        start = end
    np.testing.assert_array_equal(batch.adjacency.toarray(), whole)
    assert batch.adjacency.nnz == (whole > 0).sum()
    assert batch.n_edges == sum(map(n_edges, matrices))
    assert batch.directed.tolist() == [bool((m != m.T).any()) for m in matrices]
    check_layout(batch)


def check_layout(batch) -> None:
    """Check types, order and read-only state of the arrays."""
    matrix = batch.adjacency
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert batch.graph_ptr.dtype == batch.degrees.dtype == np.int64
    assert matrix.data.dtype == np.float64
    for row in range(batch.n_nodes):
        columns = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        assert (np.diff(columns) > 0).all()
    arrays = [matrix.data, matrix.indices, matrix.indptr, batch.graph_ptr]
    arrays += [batch.node_labels, batch.node_attributes, batch.node_names]
    assert not any(array.flags.writeable for array in arrays if array is not None)


def check_same(left, right) -> None:
    """Compare two batches in all they hold, labels by their values."""
    np.testing.assert_array_equal(left.graph_ptr, right.graph_ptr)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(
            getattr(left.adjacency, name), getattr(right.adjacency, name)
        )
    assert labels_of(left) == labels_of(right)
    if left.node_attributes is None or right.node_attributes is None:
        assert left.node_attributes is right.node_attributes
    else:
        np.testing.assert_array_equal(left.node_attributes, right.node_attributes)


def labels_of(batch) -> list | None:
    """Return the labels as they were given."""
    if batch.node_labels is None:
        return None
    return [batch.label_values[number] for number in batch.node_labels]
