import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import AttributeEncoder, as_batch, datasets
from tests.reference.graphs import adjacency
from tests.strategies import spec_lists

torch = pytest.importorskip("torch", reason="needs the torch extra")

pytestmark = pytest.mark.torch
NAMES = ("gin", "gcn", "sage", "gat")


@pytest.fixture(scope="module")
def modules():
    """Return the torch code of the package."""
    from gskn.networks import _modules  # noqa: PLC0415 - needs torch

    return _modules


def tensors(modules, name, batch, features=None, dtype=np.float64):
    """Return a batch as tensors for a convolution, by default with random features."""
    if features is None:
        features = np.random.default_rng(0).normal(size=(batch.n_nodes, 3))
    matrix = modules.CONVOLUTIONS[name].propagation_matrix(batch.adjacency)
    codes = np.arange(batch.n_nodes)
    inputs = modules.GraphInputs(matrix, batch.graph_ptr, features, codes, dtype)
    return inputs.take(np.arange(batch.n_graphs))


def make(modules, name, n_in=3, n_out=4, **options):
    torch.manual_seed(0)
    module = modules.CONVOLUTIONS[name](n_in, n_out, **options).double()
    for parameter in module.parameters():  # some are zero at first
        torch.nn.init.normal_(parameter)
    return module.eval()


@pytest.fixture(scope="module")
def graphs():
    return as_batch([nx.star_graph(4), nx.lollipop_graph(4, 3), nx.empty_graph(2)])


def edge_index(batch):
    entries = batch.adjacency.tocoo()
    return torch.tensor(np.stack([entries.col, entries.row]).astype(np.int64))


@pytest.mark.parametrize("name", [*NAMES, "sage-sum", "sage-max"])
def test_convolution_equals_pytorch_geometric(modules, graphs, name):
    pyg = pytest.importorskip("torch_geometric.nn", reason="needs torch_geometric")
    kind, _, variant = name.partition("-")
    options = {"sage": {"aggregation": variant or "mean"}}.get(kind, {})
    if kind == "gat":
        options = {"n_heads": 2}
    ours = make(modules, kind, **options)
    if kind == "gin":
        first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 4)
        first.weight, first.bias = ours.first.weight, ours.bias
        second.weight, second.bias = ours.second.weight, ours.second.bias
        mlp = torch.nn.Sequential(first, ours.norm, torch.nn.ReLU(), second)
        theirs = pyg.GINConv(mlp, train_eps=True)
        theirs.eps = torch.nn.Parameter(ours.epsilon.detach())
    elif kind == "gcn":
        theirs = pyg.GCNConv(3, 4)
        theirs.lin.weight, theirs.bias = ours.linear.weight, ours.bias
    elif kind == "sage":
        theirs = pyg.SAGEConv(3, 4, aggr=options["aggregation"])
        theirs.lin_l.weight, theirs.lin_l.bias = ours.neighbors.weight, ours.bias
        theirs.lin_r.weight = ours.root.weight
    else:
        theirs = pyg.GATConv(3, 2, heads=2)
        theirs.lin.weight, theirs.bias = ours.linear.weight, ours.bias
        theirs.att_dst = torch.nn.Parameter(ours.to_node[None].detach())
        theirs.att_src = torch.nn.Parameter(ours.to_neighbor[None].detach())
    theirs = theirs.double().eval()
    part = tensors(modules, kind, graphs)
    rows = part.features.dense()
    expected = theirs(rows, edge_index(graphs))
    torch.testing.assert_close(ours(part, rows), expected, rtol=1e-10, atol=1e-12)
    assert float(expected.detach().abs().min()) > 0


def labelled_tensors(modules, batch, n_columns=3):
    """Return a batch with random features and the edge labels as codes."""
    features = np.random.default_rng(0).normal(size=(batch.n_nodes, n_columns))
    inputs = modules.GraphInputs(
        *(batch.adjacency, batch.graph_ptr, features, np.arange(batch.n_nodes)),
        np.float64,
        edge_codes=batch.edge_labels,
    )
    return inputs.take(np.arange(batch.n_graphs))


@pytest.fixture(scope="module")
def labelled():
    graphs = [nx.lollipop_graph(4, 3), nx.path_graph(3)]
    for graph in graphs:
        for number, edge in enumerate(graph.edges):
            graph.edges[edge]["label"] = "abc"[number % 3]
    return as_batch(graphs)


def test_gine_equals_pytorch_geometric(modules, labelled):
    pyg = pytest.importorskip("torch_geometric.nn", reason="needs torch_geometric")
    ours = make(modules, "gine", n_edge_labels=3)
    mlp = torch.nn.Sequential(ours.first, ours.norm, torch.nn.ReLU(), ours.second)
    theirs = pyg.GINEConv(mlp, train_eps=True).double().eval()
    theirs.eps = torch.nn.Parameter(ours.epsilon.detach())
    part = labelled_tensors(modules, labelled)
    rows = part.features.dense()
    vectors = ours.edges(part.edge_codes)
    expected = theirs(rows, edge_index(labelled), vectors)
    torch.testing.assert_close(ours(part, rows), expected, rtol=1e-10, atol=1e-12)


def test_gradients_of_gine_are_correct(modules, labelled):
    module = make(modules, "gine", n_edge_labels=3)
    part = labelled_tensors(modules, labelled)
    rows = part.features.dense().requires_grad_()
    names = [name for name, _ in module.named_parameters()]

    def output(rows, *values):
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(module, parameters, (part, rows))

    values = [p.detach().clone().requires_grad_() for p in module.parameters()]
    values[names.index("edges.weight")].data[-1] = 0
    assert torch.autograd.gradcheck(output, (rows, *values))


def test_edge_codes_of_some_graphs_belong_to_their_entries(modules, labelled):
    features = np.zeros((labelled.n_nodes, 1))
    inputs = modules.GraphInputs(
        *(labelled.adjacency, labelled.graph_ptr, features, np.arange(labelled.n_nodes)),
        edge_codes=labelled.edge_labels,
    )
    second = inputs.take(np.array([1]))
    assert second.edge_codes.tolist() == labelled[1].edge_labels.tolist()


def test_weighted_gcn_equals_pytorch_geometric(modules):
    pyg = pytest.importorskip("torch_geometric.nn", reason="needs torch_geometric")
    graph = nx.lollipop_graph(4, 3)
    for number, (u, v) in enumerate([*graph.edges, (2, 2)]):
        graph.add_edge(u, v, weight=0.5 + number)
    batch = as_batch(graph)
    ours, theirs = make(modules, "gcn"), pyg.GCNConv(3, 4)
    theirs.lin.weight, theirs.bias = ours.linear.weight, ours.bias
    part = tensors(modules, "gcn", batch)
    rows = part.features.dense()
    weights = torch.tensor(batch.adjacency.tocoo().data)
    expected = theirs.double()(rows, edge_index(batch), weights)
    torch.testing.assert_close(ours(part, rows), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", [*NAMES, "sage-max"])
def test_gradients_are_correct(modules, name):
    kind, _, variant = name.partition("-")
    graph = nx.gnp_random_graph(6, 0.4, seed=1, directed=True)
    options = {"aggregation": variant} if variant else {}
    module = make(modules, kind, **options).train(kind != "gin")
    part = tensors(modules, kind, as_batch(graph))
    rows = part.features.dense().requires_grad_()
    names = [n for n, _ in module.named_parameters()]

    def output(rows, *values):
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(module, parameters, (part, rows))

    values = [p.detach().clone().requires_grad_() for p in module.parameters()]
    assert torch.autograd.gradcheck(output, (rows, *values))


def test_readouts_are_sums_means_and_maxima(modules, graphs):
    part = tensors(modules, "gin", graphs)
    rows = part.features.dense().requires_grad_()
    blocks = np.split(rows.detach().numpy(), graphs.graph_ptr[1:-1])
    for readout, function in (("sum", np.sum), ("mean", np.mean), ("max", np.max)):
        pooled = part.pool(rows, readout)
        expected = np.stack([function(block, axis=0) for block in blocks])
        np.testing.assert_allclose(pooled.detach().numpy(), expected, rtol=1e-12)
        assert torch.autograd.gradcheck(lambda r, name=readout: part.pool(r, name), rows)


def test_readout_of_a_graph_without_nodes_is_zero(modules):
    batch = as_batch([nx.path_graph(2), nx.empty_graph(0), nx.path_graph(1)])
    part = tensors(modules, "gin", batch, -np.ones((3, 2)))
    for readout in ("sum", "mean", "max"):
        assert part.pool(part.features.dense(), readout)[1].tolist() == [0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_table_of_distinct_features_gives_the_same_output(modules, name):
    batch = datasets.load("structure").graphs[:5]
    encoder = AttributeEncoder().fit(batch)
    rows, codes = encoder.distinct_rows(batch)
    matrix = modules.CONVOLUTIONS[name].propagation_matrix(batch.adjacency)
    inputs = modules.GraphInputs(matrix, batch.graph_ptr, rows, codes, np.float64)
    part = inputs.take(np.arange(5))
    assert part.features.codes is not None
    module = make(modules, name, encoder.n_features_out_)
    dense = torch.from_numpy(encoder.transform(batch))
    torch.testing.assert_close(module(part, part.features), module(part, dense))


@settings(max_examples=25)
@given(spec_lists(min_size=1), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_slices_equal_the_graphs_themselves(specs, name, random):
    from gskn.networks import _modules  # noqa: PLC0415 - needs torch

    batch = as_batch([adjacency(spec) for spec in specs])
    convolution = _modules.CONVOLUTIONS[name]
    rows = np.random.default_rng(0).normal(size=(batch.n_nodes, 2))
    codes = np.arange(batch.n_nodes)
    matrix = convolution.propagation_matrix(batch.adjacency)
    inputs = _modules.GraphInputs(matrix, batch.graph_ptr, rows, codes, np.float64)
    chosen = np.array([random.randrange(batch.n_graphs) for _ in range(3)])
    part = inputs.take(chosen)
    taken = batch[chosen]
    expected = convolution.propagation_matrix(taken.adjacency).toarray()
    np.testing.assert_allclose(part.matrix.matrix.to_dense().numpy(), expected)
    np.testing.assert_allclose(part.matrix.transpose.to_dense().numpy(), expected.T)
    nodes = [np.arange(*batch.graph_ptr[[g, g + 1]]) for g in chosen]
    np.testing.assert_array_equal(
        part.features.dense().numpy(), rows[np.concatenate(nodes)]
    )
    assert part.graph_ptr.tolist() == taken.graph_ptr.tolist()


def test_dense_features_are_used_if_there_are_many_distinct_ones(modules):
    batch = as_batch([nx.cycle_graph(600), nx.cycle_graph(700)])
    rows = np.random.default_rng(0).normal(size=(1300, 2))
    codes = np.arange(1300)[::-1].copy()
    inputs = modules.GraphInputs(batch.adjacency, batch.graph_ptr, rows, codes, np.float64)
    part = inputs.take(np.array([1]))
    assert part.features.codes is None
    np.testing.assert_array_equal(part.features.dense().numpy(), rows[::-1][600:])
