import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, save_npz

from gskn import as_batch, read_graphs
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs import from_csr, iter_graphs

INDPTR, INDICES = np.array([0, 1, 3, 4, 4]), np.array([1, 0, 2, 1])


def write_folder(folder, indptr=INDPTR, indices=INDICES, weights=None):
    folder.mkdir()
    np.save(folder / "indptr.npy", indptr)
    np.save(folder / "indices.npy", indices)
    if weights is not None:
        np.save(folder / "weights.npy", weights)
    return folder


def circulant(n_nodes, degree):
    """Return CSR arrays of a ring in which every node is adjacent to its nearest nodes."""
    half = np.arange(1, degree // 2 + 1)
    steps = np.concatenate([-half, half])
    rows = np.sort((np.arange(n_nodes)[:, None] + steps) % n_nodes, axis=1)
    indices = rows.ravel().astype(np.int32)
    indices.flags.writeable = False
    return np.arange(n_nodes + 1) * degree, indices


def assert_same(graph, other):
    np.testing.assert_array_equal(graph.adjacency.toarray(), other.adjacency.toarray())
    np.testing.assert_array_equal(graph.graph_ptr, other.graph_ptr)
    assert graph.adjacency.indices.dtype == other.adjacency.indices.dtype == np.int32
    assert graph.adjacency.data.dtype == other.adjacency.data.dtype == np.float64


@given(st.integers(0, 6), st.integers(0, 99), st.booleans())
def test_csr_arrays_give_the_graph_of_their_matrix(n_nodes, seed, weighted):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 3, (n_nodes, n_nodes)) * (rng.random((n_nodes,) * 2) < 0.5)
    matrix = csr_array(dense if weighted else np.sign(dense)).astype(np.float64)
    expected = as_batch([matrix.tocoo()])
    assert_same(as_batch(matrix), expected)
    weights = matrix.data if weighted else None
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        arrays = matrix.indptr.astype(dtype), matrix.indices.astype(dtype)
        assert_same(from_csr(*arrays, weights), expected)


def test_options_of_matrices_are_respected():
    matrix = csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))
    assert as_batch(matrix).adjacency.toarray().tolist() == [[0, 2], [0, 0]]
    unweighted = as_batch(matrix, edge_weight=None)
    assert unweighted.adjacency.toarray().tolist() == [[0, 1], [0, 0]]
    both = as_batch(matrix, directed=False).adjacency.toarray()
    assert both.tolist() == [[0, 2], [2, 0]]
    matrix.data[0] = 0.0
    assert as_batch(matrix).n_edges == as_batch(matrix, edge_weight=None).n_edges == 0
    unsorted = csr_array((np.ones(3), np.array([1, 0, 1]), np.array([0, 2, 3])))
    assert as_batch(unsorted).adjacency.toarray().tolist() == [[1, 1], [0, 1]]
    matrix.data[0] = -1.0
    with pytest.raises(InputError, match="not negative"):
        as_batch(matrix)


def test_arrays_of_the_caller_are_copied_and_mapped_files_are_not(tmp_path):
    indptr, indices = INDPTR.astype(np.int32), INDICES.astype(np.int32)
    graph = from_csr(indptr, indices)
    indices[:] = 0
    assert graph.adjacency.indices.tolist() == INDICES.tolist()
    matrix = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    graph = as_batch(matrix)
    matrix.indices[:] = 0
    matrix.data[:] = 5.0
    assert graph.adjacency.toarray().tolist() == [[0, 1], [1, 0]]
    np.save(tmp_path / "indices.npy", INDICES.astype(np.int32))
    mapped = np.load(tmp_path / "indices.npy", mmap_mode="r")
    assert np.shares_memory(from_csr(INDPTR, mapped).adjacency.indices, mapped)


def test_unweighted_arrays_take_no_memory_for_weights():
    arrays = circulant(512, 64)
    plain, weighted = from_csr(*arrays), from_csr(*arrays, np.ones(512 * 64))
    assert weighted.nbytes - plain.nbytes == 8 * 512 * 64
    assert not plain.is_weighted
    assert not plain.is_directed
    assert_same(plain, weighted)
    assert_same(pickle.loads(pickle.dumps(plain)), weighted)
    # An array that repeats another number is not mistaken for ones.
    twos = from_csr(INDPTR, INDICES, np.broadcast_to(2.0, 4))
    assert twos.is_weighted
    assert twos.adjacency.data.tolist() == [2.0] * 4


def test_a_folder_of_arrays_is_one_graph(tmp_path):
    graph = read_graphs(write_folder(tmp_path / "large"))
    assert_same(graph, from_csr(INDPTR, INDICES))
    assert graph.graph_names.tolist() == ["large"]
    weights = np.array([0.5, 0.5, 2.0, 2.0], dtype=np.float32)
    weighted = write_folder(tmp_path / "weighted", weights=weights)
    assert read_graphs(weighted).adjacency.data.tolist() == weights.tolist()
    (chunk,) = iter_graphs(tmp_path / "large")
    assert chunk.node_names.tolist() == [0, 1, 2, 3]
    assert read_graphs(tmp_path, options=None).graph_names.tolist() == ["large", "weighted"]


def test_matrices_of_scipy_are_read(tmp_path):
    matrix = csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))
    save_npz(tmp_path / "graph.npz", matrix)
    graph = read_graphs(tmp_path / "graph.npz")
    assert graph.adjacency.toarray().tolist() == [[0, 2], [2, 0]]
    assert graph.graph_names.tolist() == ["graph"]
    save_npz(tmp_path / "graph.npz", matrix.tocoo())
    with pytest.raises(FileFormatError, match="missing"):
        read_graphs(tmp_path / "graph.npz")
    np.savez(tmp_path / "graph.npz", rows=np.ones(3))
    with pytest.raises(FileFormatError, match=r"use scipy\.sparse\.save_npz"):
        read_graphs(tmp_path / "graph.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indptr": np.array([0, 1, 3, 4, 5])}, "must increase from 0"),
        ({"indptr": np.array([0, 3, 1, 4, 4])}, "must increase from 0"),
        ({"indptr": np.array([1, 1, 3, 4, 4])}, "must increase from 0"),
        ({"indptr": np.array([], dtype=int)}, "got shape"),
        ({"indptr": INDPTR[None]}, "got shape"),
        ({"indptr": INDPTR.astype(float)}, "list of integers, got float64"),
        ({"indices": INDICES.astype(float)}, "list of integers, got float64"),
        ({"indices": INDICES.reshape(2, 2)}, r"of shape \(2, 2\)"),
        ({"indices": np.array([1, 0, 4, 1])}, "column 4 is out of range"),
        ({"indices": np.array([1, 0, -1, 1])}, "column -1 is out of range"),
        ({"indices": np.array([1, 2, 0, 1])}, "ascending"),
        ({"indices": np.array([1, 0, 0, 1])}, "ascending"),
        ({"weights": np.ones(3)}, "weights must be 4 numbers"),
        ({"weights": np.array(["a"] * 4)}, "weights must be 4 numbers"),
        ({"weights": np.array([1.0, np.nan, 1.0, 1.0])}, "weights positive"),
        ({"weights": np.array([1.0, 0.0, 1.0, 1.0])}, "weights positive"),
    ],
)
def test_invalid_arrays_raise(tmp_path, changes, message):
    arrays = {"indptr": INDPTR, "indices": INDICES, **changes}
    with pytest.raises(InputError, match=message):
        from_csr(**arrays)
    with pytest.raises(FileFormatError, match=message):
        read_graphs(write_folder(tmp_path / "graph", **arrays))


def test_damaged_files_raise(tmp_path):
    folder = write_folder(tmp_path / "graph")
    content = (folder / "indices.npy").read_bytes()
    for damaged in (b"", content[:50], content[:-8], b"x" * 200):
        (folder / "indices.npy").write_bytes(damaged)
        with pytest.raises(FileFormatError, match="not an array"):
            read_graphs(folder)
    np.save(folder / "indices.npy", np.array([{}] * 4), allow_pickle=True)
    with pytest.raises(FileFormatError, match="not an array"):
        read_graphs(folder)
