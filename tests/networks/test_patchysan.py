import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone

from gskn import AttributeEncoder, as_batch, datasets
from gskn.exceptions import InputError
from gskn.networks import PatchySAN
from gskn.networks._fields import find_fields, rank_nodes
from tests.reference import networks as slow

torch = pytest.importorskip("torch", reason="needs the torch extra")

from gskn.networks._modules import FieldInputs, FieldModule, GraphInputs  # noqa: E402

pytestmark = pytest.mark.torch
SMALL = {"n_hidden": 8, "max_epochs": 4, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    loaded = datasets.load("structure")
    return loaded.graphs[::8], loaded.y[::8]


def rank(graphs, node_features="degrees"):
    batch = as_batch(graphs)
    rows = AttributeEncoder(node_features=node_features).fit(batch).distinct_rows(batch)
    return batch, rank_nodes(batch, *rows)


def test_ranks_and_fields_of_a_tree_by_hand():
    """Node 1 has three neighbors; 2 and 3 differ by what follows them."""
    tree = nx.Graph([(0, 1), (1, 2), (1, 3), (3, 4)])
    batch, ranks = rank(tree)
    # Degrees 1, 3, 1, 2, 1: leaves 0 and 2 are next to rank 0, and leaf 4 to rank 1.
    assert ranks.tolist() == [2, 0, 2, 1, 3]
    fields = find_fields(batch, ranks, n_fields=6, field_size=3)[0]
    assert fields.tolist() == [
        [1, 3, 0],
        [3, 1, 4],
        [0, 1, 3],
        [2, 1, 3],
        [4, 3, 1],
        [-1, -1, -1],
    ]


def test_equal_ranks_are_ordered_by_edges_to_the_nodes_before():
    """In a wheel all nodes of the rim are equal; neighbors of a chosen node come first."""
    wheel = nx.wheel_graph(7)  # node 0 is the center
    batch, ranks = rank(wheel)
    field = find_fields(batch, ranks, n_fields=1, field_size=7)[0, 0]
    assert field[:3].tolist() == [0, 1, 2]
    assert field[3] == 6  # the other neighbor of 1
    assert wheel.has_edge(field[4], 2)


def test_features_order_nodes_of_equal_degree():
    cycle = nx.cycle_graph(4)
    nx.set_node_attributes(cycle, {0: "b", 1: "a", 2: "b", 3: "b"}, "label")
    _, ranks = rank(cycle, "labels")
    assert len(set(ranks.tolist())) == 3
    assert ranks[0] == ranks[2]


@pytest.mark.parametrize("field_size", [1, 4, 10])
def test_fields_equal_the_slow_twin(field_size):
    graphs = [nx.gnp_random_graph(n, 0.25, seed=n) for n in range(1, 16)]
    batch, ranks = rank(graphs)
    fields = find_fields(batch, ranks, 5, field_size)
    for number, graph in enumerate(graphs):
        own = ranks[batch.graph_ptr[number] : batch.graph_ptr[number + 1]]
        roots = np.argsort(own, kind="stable")[:5]
        for place, root in enumerate(roots):
            expected = slow.field(graph, root, own, field_size)
            found = fields[number, place]
            assert found[found >= 0].tolist() == expected
        assert (fields[number, len(roots) :] == -1).all()


def test_order_of_nodes_does_not_change_the_fields_of_trees():
    generator = np.random.default_rng(0)
    for n_nodes in range(3, 12):
        tree = nx.random_labeled_tree(n_nodes, seed=n_nodes)
        order = generator.permutation(n_nodes)
        other = nx.relabel_nodes(tree, dict(enumerate(order.tolist())))
        same = nx.Graph()
        same.add_nodes_from(range(n_nodes))
        same.add_edges_from(other.edges)
        batch, ranks = rank([tree, same])
        first, second = find_fields(batch, ranks, n_nodes, 5)
        own = [ranks[:n_nodes], ranks[n_nodes:]]
        assert [own[0][f[f >= 0]].tolist() for f in first] == [
            own[1][f[f >= 0]].tolist() for f in second
        ]


def test_convolution_equals_conv1d_on_the_tensor_of_all_fields(data):
    graphs, _ = data
    encoder = AttributeEncoder().fit(graphs)
    rows, codes = encoder.distinct_rows(graphs)
    fields = find_fields(graphs, rank_nodes(graphs, rows, codes), 12, 4)
    inputs = FieldInputs(
        GraphInputs(graphs.adjacency, graphs.graph_ptr, rows, codes, np.float64), fields
    )
    chosen = np.array([3, 0, 7])
    torch.manual_seed(0)
    module = FieldModule(
        rows.shape[1], 2, n_fields=12, field_size=4, n_hidden=3, dropout=0.0
    ).double()
    dense = np.zeros((3, rows.shape[1], 12 * 4))
    for number, graph in enumerate(chosen):
        for place, node in enumerate(fields[graph].ravel()):
            if node >= 0:
                dense[number, :, place] = rows[codes[graphs.graph_ptr[graph] + node]]
    kernel = module.first.weight.reshape(4, 16, -1).permute(1, 2, 0)
    expected = torch.nn.functional.conv1d(torch.from_numpy(dense), kernel, stride=4)
    found = module.convolve(inputs.take(chosen))
    torch.testing.assert_close(found.transpose(1, 2), expected)


def test_training_loss_decreases_and_seed_determines_the_network(data):
    model = PatchySAN(max_epochs=20, random_state=0).fit(*data)
    losses = model.history_[0]["loss"]
    assert losses[-1] < 0.7 * losses[0]
    again = clone(model).fit(*data)
    probabilities = model.predict_proba(data[0])
    np.testing.assert_array_equal(again.predict_proba(data[0]), probabilities)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_output_of_a_graph_does_not_depend_on_other_graphs(data):
    graphs, y = data
    model = PatchySAN(**SMALL).fit(graphs, y)
    whole = model.predict_proba(graphs)
    for number in (0, 20, graphs.n_graphs - 1):
        alone = model.predict_proba(graphs[[number]])
        np.testing.assert_allclose(alone, whole[[number]], atol=1e-6)


def test_number_of_fields_is_the_mean_number_of_nodes():
    graphs = [nx.path_graph(2), nx.path_graph(5), nx.path_graph(1), nx.empty_graph(0)]
    model = PatchySAN(**SMALL).fit(graphs, [0, 1, 0, 1])
    assert model.n_fields_ == 2
    assert PatchySAN(**SMALL, n_fields=3).fit(graphs, [0, 1, 0, 1]).n_fields_ == 3
    assert np.isfinite(model.predict_proba([nx.empty_graph(0), nx.path_graph(30)])).all()


def test_loaded_network_has_the_same_predictions(data, tmp_path):
    graphs, y = data
    fitted = PatchySAN(**SMALL, n_seeds=2).fit(graphs, y)
    fitted.save(tmp_path / "model")
    loaded = PatchySAN.load(tmp_path / "model")
    np.testing.assert_array_equal(
        loaded.predict_proba(graphs), fitted.predict_proba(graphs)
    )
    assert loaded.n_fields_ == fitted.n_fields_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"field_size": 0}, "field_size must be at least 1"),
        ({"field_size": 61}, "field_size must be at most 60"),
        ({"n_fields": 0}, "n_fields must be at least 1"),
        ({"n_hidden": 0}, "n_hidden must be at least 1"),
    ],
)
def test_invalid_parameters_raise(data, params, message):
    with pytest.raises(InputError, match=message):
        PatchySAN(**params).fit(*data)
