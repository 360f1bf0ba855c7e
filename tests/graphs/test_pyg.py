import networkx as nx
import numpy as np
import pytest

from gskn import as_batch
from gskn.exceptions import InputError, UnsupportedInputError
from tests.reference.graphs import check_same, edge_labels_of, labels_of

torch = pytest.importorskip("torch", reason="needs the torch extra")
pyg = pytest.importorskip("torch_geometric", reason="needs the torch extra")

pytestmark = pytest.mark.torch


def triangle(**fields):
    ends = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    return pyg.data.Data(edge_index=ends, x=torch.arange(6.0).reshape(3, 2), **fields)


def test_pyg_data():
    batch = as_batch(triangle())
    assert nx.is_isomorphic(batch.to_networkx(0), nx.cycle_graph(3))
    assert batch.node_attributes.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert not batch.is_directed


def test_pyg_batch_equals_its_list():
    graphs = [
        triangle(),
        pyg.data.Data(x=torch.ones(2, 2), edge_index=torch.empty(2, 0).long()),
    ]
    check_same(as_batch(pyg.data.Batch.from_data_list(graphs)), as_batch(graphs))


def test_pyg_data_set(tmp_path):
    class Triangles(pyg.data.InMemoryDataset):
        def __init__(self, root):
            super().__init__(root)
            self.data, self.slices = self.collate([triangle(), triangle()])

    check_same(as_batch(Triangles(str(tmp_path))), as_batch([triangle(), triangle()]))


def test_arguments_select_fields():
    graph = triangle(
        z=torch.tensor([[6], [7], [8]]),
        edge_weight=torch.full((6,), 2.0),
        bond=torch.full((6, 1), 3.0),
        pos=torch.ones(3, 1),
    )
    assert as_batch(graph).adjacency.data.tolist() == [2.0] * 6
    batch = as_batch(
        graph, node_label="z", edge_weight="bond", node_attributes=["x", "pos"]
    )
    assert labels_of(batch) == [6, 7, 8]
    assert batch.adjacency.data.tolist() == [3.0] * 6
    assert batch.node_attributes.shape == (3, 3)
    with pytest.raises(InputError, match="'mass'.*'pos'"):
        as_batch(graph, node_label="mass")


def test_tensors_that_record_gradients_are_read():
    rows = torch.ones(2, 1, requires_grad=True)
    batch = as_batch((torch.tensor([[0], [1]]), rows))
    assert batch.node_attributes.tolist() == [[1], [1]]
    matrix = torch.ones(2, 2, requires_grad=True)
    np.testing.assert_array_equal(as_batch(matrix).adjacency.toarray(), np.ones((2, 2)))


def test_several_node_types_raise():
    with pytest.raises(UnsupportedInputError, match="to_homogeneous"):
        as_batch(pyg.data.HeteroData({"a": {"x": torch.ones(1, 1)}}))


def test_edge_attr_contains_labels_or_attributes():
    one_hot = torch.eye(3)[[0, 0, 1, 1, 2, 2]]
    assert edge_labels_of(as_batch(triangle(edge_attr=one_hot))) == [0, 2, 0, 1, 2, 1]
    integers = torch.tensor([5, 5, 6, 6, 7, 7])
    for edge_attr in (integers, integers.reshape(-1, 1)):
        assert edge_labels_of(as_batch(triangle(edge_attr=edge_attr))) == [5, 7, 5, 6, 7, 6]
    several = torch.stack([integers, integers], dim=1)
    assert edge_labels_of(as_batch(triangle(edge_attr=several)))[0] == (5, 5)
    real = as_batch(triangle(edge_attr=one_hot / 2))
    assert real.edge_labels is None
    assert real.edge_attributes[0].tolist() == [0.5, 0, 0]
    mixed = as_batch([triangle(edge_attr=one_hot), triangle(edge_attr=one_hot / 2)])
    assert mixed.edge_labels is None
    assert mixed.n_edge_attributes == 3


def test_edge_fields_may_be_named():
    graph = triangle(edge_attr=torch.eye(3)[[0, 0, 1, 1, 2, 2]], bond=torch.arange(6) // 2)
    named = as_batch(graph, edge_label="bond", edge_attributes="edge_attr")
    assert edge_labels_of(named) == [0, 2, 0, 1, 2, 1]
    assert named.n_edge_attributes == 3
    assert as_batch(graph, edge_label=None).n_edge_attributes == 3
    plain = as_batch(graph, edge_label=None, edge_attributes=None)
    assert plain.edge_labels is plain.edge_attributes is None
    both = as_batch(graph, edge_label="edge_attr", edge_attributes=["bond", "edge_attr"])
    assert edge_labels_of(both) == [0, 2, 0, 1, 2, 1]
    assert both.n_edge_attributes == 4
    with pytest.raises(InputError, match="no field 'order'"):
        as_batch(graph, edge_label="order")


def test_batches_of_pyg_keep_edge_data():
    one_hot = torch.eye(3)[[0, 0, 1, 1, 2, 2]]
    graphs = [triangle(edge_attr=one_hot), triangle(edge_attr=one_hot)]
    check_same(as_batch(pyg.data.Batch.from_data_list(graphs)), as_batch(graphs))
