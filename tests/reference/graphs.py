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
    edge_labels: list | None = None
    edge_attributes: list[list[float]] | None = None


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
    asymmetric = [
        bool((matrix != matrix.T).any()) or is_asymmetric(spec)
        for spec, matrix in zip(specs, matrices, strict=True)
    ]
    assert batch.directed.tolist() == asymmetric
    assert batch.graph_edges.tolist() == [
        int((matrix > 0).sum()) if is_directed else n_edges(matrix)
        for matrix, is_directed in zip(matrices, asymmetric, strict=True)
    ]
    check_layout(batch)


def edge_values(spec: Spec, values: list | None) -> dict | None:
    """Return the value of every pair with an edge, in both directions if undirected."""
    if values is None:
        return None
    matrix = adjacency(spec)
    pairs = {}
    for (u, v), value in zip(spec.edges, values, strict=True):
        for pair in [(u, v)] if spec.directed else [(u, v), (v, u)]:
            if matrix[pair]:
                pairs[pair] = value
    return pairs


def is_asymmetric(spec: Spec) -> bool:
    """Return whether an edge and its reverse differ in labels or attributes."""
    columns = [edge_values(spec, column) for column in edge_columns(spec)]
    return any(
        pairs is not None and any(pairs.get((v, u)) != x for (u, v), x in pairs.items())
        for pairs in columns
    )


def edge_columns(spec: Spec) -> list[list | None]:
    """Return labels and attributes of the listed edges."""
    return [spec.edge_labels, spec.edge_attributes]


def check_edge_data(batch, specs: list[Spec]) -> None:
    """Compare the edge data of a batch with its definition, entry by entry."""
    entries = batch.adjacency.tocoo()
    for number, (row, column) in enumerate(zip(entries.row, entries.col, strict=True)):
        graph = batch.node_graphs[row]
        first = batch.graph_ptr[graph]
        pair = (int(row - first), int(column - first))
        labels, attributes = (
            edge_values(specs[graph], values) for values in edge_columns(specs[graph])
        )
        if labels is not None:
            code = batch.edge_labels[number]
            assert batch.edge_label_values[code] == labels[pair]
        if attributes is not None:
            assert batch.edge_attributes[number].tolist() == attributes[pair]


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
    arrays += [batch.edge_labels, batch.edge_attributes]
    for array in (batch.edge_labels, batch.edge_attributes):
        assert array is None or len(array) == matrix.nnz
    assert batch.edge_labels is None or batch.edge_labels.dtype == np.int64
    assert batch.edge_attributes is None or batch.edge_attributes.ndim == 2
    assert not any(array.flags.writeable for array in arrays if array is not None)


def check_same(left, right) -> None:
    """Compare two batches in all they hold, labels by their values."""
    np.testing.assert_array_equal(left.graph_ptr, right.graph_ptr)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(
            getattr(left.adjacency, name), getattr(right.adjacency, name)
        )
    assert labels_of(left) == labels_of(right)
    assert edge_labels_of(left) == edge_labels_of(right)
    for name in ("node_attributes", "edge_attributes"):
        one, other = getattr(left, name), getattr(right, name)
        if one is None or other is None:
            assert one is other
        else:
            np.testing.assert_array_equal(one, other)


def labels_of(batch) -> list | None:
    """Return the labels as they were given."""
    if batch.node_labels is None:
        return None
    return [batch.label_values[number] for number in batch.node_labels]


def edge_labels_of(batch) -> list | None:
    """Return the label of every entry as it was given."""
    if batch.edge_labels is None:
        return None
    return [batch.edge_label_values[number] for number in batch.edge_labels]
