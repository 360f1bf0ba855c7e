import doctest
import itertools
import pickle
import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from gskn import GSKN, as_batch, datasets
from gskn.exceptions import InputError, UnsupportedInputError
from gskn.walks import pattern_counts, patterns
from tests.reference import walks as reference
from tests.strategies import specs

torch = pytest.importorskip("torch", reason="needs the torch extra")
# Imported by this function, because PyG warns during its import.
pyg_data = pytest.importorskip("torch_geometric.data", reason="needs the pyg extra")
layers = pytest.importorskip("torch_geometric.nn", reason="needs the pyg extra")
loader = pytest.importorskip("torch_geometric.loader", reason="needs the pyg extra")
transforms = pytest.importorskip("torch_geometric.transforms", reason="needs the pyg extra")
module = pytest.importorskip("gskn.integrations.pyg", reason="needs the pyg extra")

Batch, Data, InMemoryDataset = pyg_data.Batch, pyg_data.Data, pyg_data.InMemoryDataset
AddRandomWalkPE, Compose = transforms.AddRandomWalkPE, transforms.Compose
AddAnonymousWalkPE, AddGSKN = module.AddAnonymousWalkPE, module.AddGSKN
encode_dataset = module.encode_dataset

pytestmark = pytest.mark.torch

ARGUMENTS = [
    {"kind": kind, "weighting": weighting, "basis": basis}
    for kind, weighting, basis in itertools.product(
        ("anonymous", "induced"), ("probability", "count"), ("quotients", "patterns")
    )
]


def as_data(graph, **fields):
    """Convert a networkx graph whose nodes are 0, 1, ..., with weights if it has them."""
    arcs = nx.DiGraph(graph)
    ends = torch.tensor([*arcs.edges], dtype=torch.long).reshape(-1, 2).T
    if weights := nx.get_edge_attributes(arcs, "weight"):
        fields["edge_weight"] = torch.tensor([weights[edge] for edge in arcs.edges])
    return Data(edge_index=ends, num_nodes=len(graph), **fields)


def undirected_graphs(n_graphs=6):
    """Return random graphs with isolated nodes, without weights."""
    return [nx.gnp_random_graph(8, 0.3, seed=seed) for seed in range(n_graphs)]


@st.composite
def graphs_with_loops(draw):
    spec = draw(specs())
    graph = nx.DiGraph() if spec.directed else nx.Graph()
    graph.add_nodes_from(range(max(1, spec.n_nodes)))
    weights = spec.weights or [1.0] * len(spec.edges)
    for (u, v), weight in zip(spec.edges, weights, strict=True):
        if weight:
            graph.add_edge(u, v, **({"weight": weight} if spec.weights else {}))
    return graph


def expected_patterns(graph, length):
    """Return the probabilities of all patterns, by enumeration without self-loops."""
    graph = graph.copy()
    graph.remove_edges_from([*nx.selfloop_edges(graph)])
    rows = np.zeros((len(graph), len(patterns(length))))
    column = {tuple(p): n for n, p in enumerate(patterns(length).tolist())}
    by_pattern = reference.pattern_rows(
        graph, length, weigh=lambda walk: reference.probability(graph, walk)
    )
    for node, row in enumerate(by_pattern):
        for pattern, value in row.items():
            if pattern in column:
                rows[node, column[pattern]] = value
    return rows


@given(graphs_with_loops(), st.integers(2, 5))
def test_patterns_match_enumeration_without_self_loops(graph, length):
    transform = AddAnonymousWalkPE(length, basis="patterns")
    rows = transform(as_data(graph)).anonymous_walk_pe
    np.testing.assert_allclose(rows, expected_patterns(graph, length), atol=1e-6)


@pytest.mark.parametrize("weighting", ["probability", "count"])
@pytest.mark.parametrize("length", [4, 6, 7])
def test_patterns_equal_pattern_counts(weighting, length):
    for graph in undirected_graphs():
        graph.add_edges_from((node, (node + 1) % 8) for node in [*nx.isolates(graph)])
        table = pattern_counts(graph, length, weighting=weighting)
        transform = AddAnonymousWalkPE(length, weighting=weighting, basis="patterns")
        expected = table.rows.toarray()[:, : len(patterns(length))]
        rows = transform(as_data(graph)).anonymous_walk_pe
        np.testing.assert_allclose(rows, expected, rtol=1e-6)


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_number_of_columns_depends_on_the_arguments_only(arguments):
    transform = AddAnonymousWalkPE(5, **arguments)
    assert len({*transform.feature_names}) == transform.num_features
    for graph in [nx.empty_graph(1), nx.complete_graph(6), nx.path_graph(3)]:
        rows = transform(as_data(graph)).anonymous_walk_pe
        assert rows.shape == (len(graph), transform.num_features)


def test_numbers_of_columns_are_documented():
    def widths(weighting, basis):
        return [
            AddAnonymousWalkPE(n, weighting=weighting, basis=basis).num_features
            for n in range(4, 9)
        ]

    documented = " ".join(AddAnonymousWalkPE.__doc__.split())
    assert widths("probability", "quotients") == [5, 12, 31, 80, 225]
    assert "5, 12, 31, 80 and 225 columns of probabilities" in documented
    assert widths("count", "quotients") == [5, 11, 24, 57, 141]
    assert "5, 11, 24, 57 and 141 columns of counts" in documented
    assert widths("count", "patterns") == [5, 15, 52, 203, 877]
    induced = [AddAnonymousWalkPE(5, **a).num_features for a in ARGUMENTS[4:]]
    assert induced == [87, 112, 48, 112]
    assert "87 columns of probabilities and 48 of counts, instead of 112" in documented


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_permuted_nodes_have_permuted_rows(arguments):
    transform = AddAnonymousWalkPE(5, **arguments)
    order = torch.tensor([3, 0, 5, 1, 7, 2, 6, 4])
    for graph in undirected_graphs():
        data = as_data(graph)
        permuted = Data(edge_index=order[data.edge_index], num_nodes=8)
        torch.testing.assert_close(
            transform(permuted).anonymous_walk_pe[order],
            transform(data).anonymous_walk_pe,
        )


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_a_graph_has_the_same_rows_alone_in_a_batch_and_in_a_data_set(arguments):
    transform = AddAnonymousWalkPE(5, **arguments)
    graphs = [as_data(graph) for graph in [*undirected_graphs(), nx.empty_graph(2)]]
    alone = torch.cat([transform(graph).anonymous_walk_pe for graph in graphs])
    batched = transform(Batch.from_data_list(graphs)).anonymous_walk_pe
    torch.testing.assert_close(batched, alone)
    encoded = encode_dataset(graphs, transform)
    torch.testing.assert_close(torch.cat([g.anonymous_walk_pe for g in encoded]), alone)
    assert all("anonymous_walk_pe" not in graph for graph in graphs)


def test_probabilities_sum_to_one_on_weighted_graphs():
    graph = nx.gnp_random_graph(12, 0.4, seed=0)
    for number, edge in enumerate(graph.edges):
        graph.edges[edge]["weight"] = 0.5 + number % 5
    data = as_data(graph)
    rows = AddAnonymousWalkPE(6, basis="patterns")(data).anonymous_walk_pe
    torch.testing.assert_close(rows.sum(dim=1), torch.ones(12))
    # The return probability after two steps, which AddRandomWalkPE gets wrong here.
    steps = nx.to_numpy_array(graph)
    steps /= steps.sum(axis=1, keepdims=True)
    returns = AddAnonymousWalkPE(3, basis="patterns")(data).anonymous_walk_pe[:, 0]
    np.testing.assert_allclose(returns, np.diagonal(steps @ steps), rtol=1e-5)
    theirs = AddRandomWalkPE(2)(data).random_walk_pe[:, 1]
    assert not np.allclose(theirs, np.diagonal(steps @ steps), rtol=0.1)


def test_isolated_nodes_have_zeros():
    data = as_data(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(2)))
    for arguments in ARGUMENTS:
        rows = AddAnonymousWalkPE(4, **arguments)(data).anonymous_walk_pe
        assert (rows[2:] == 0).all()
        assert (rows[:2].sum(dim=1) >= 1).all()
    without_edges = Data(num_nodes=3)
    assert (AddAnonymousWalkPE(4)(without_edges).anonymous_walk_pe == 0).all()


def test_self_loops_are_ignored():
    graph = nx.cycle_graph(5)
    looped = graph.copy()
    looped.add_edge(0, 0)
    for arguments in ARGUMENTS:
        transform = AddAnonymousWalkPE(5, **arguments)
        torch.testing.assert_close(
            transform(as_data(looped)).anonymous_walk_pe,
            transform(as_data(graph)).anonymous_walk_pe,
        )


def test_encodings_distinguish_a_ring_from_two_triangles():
    ring, triangles = nx.cycle_graph(6), nx.disjoint_union(*[nx.cycle_graph(3)] * 2)
    transform = AddAnonymousWalkPE(4)
    rows = [transform(as_data(g)).anonymous_walk_pe[0] for g in (ring, triangles)]
    assert not torch.allclose(*rows)


def test_values_are_scaled_by_logarithms():
    data = as_data(nx.star_graph(30))
    counts = AddAnonymousWalkPE(6, weighting="count")(data).anonymous_walk_pe
    logs = AddAnonymousWalkPE(6, weighting="count", log=True)(data).anonymous_walk_pe
    torch.testing.assert_close(logs, torch.log1p(counts))


def test_device_type_and_other_fields_are_kept():
    x = torch.ones(5, 2, dtype=torch.float64)
    data = as_data(nx.cycle_graph(5), x=x, y=torch.tensor([1]))
    encoded = AddAnonymousWalkPE(4)(data)
    assert encoded.anonymous_walk_pe.dtype == torch.float64
    assert encoded.anonymous_walk_pe.device == data.edge_index.device
    assert encoded.x is x
    assert encoded.y is data.y
    assert "anonymous_walk_pe" not in data
    assert AddAnonymousWalkPE(4)(as_data(nx.cycle_graph(5))).anonymous_walk_pe.dtype == (
        torch.get_default_dtype()
    )


def test_encodings_are_appended_to_x():
    transform = AddAnonymousWalkPE(4, attr_name=None)
    encoding = transform(as_data(nx.path_graph(4))).x
    assert encoding.shape == (4, 5)
    for x in (torch.ones(4), torch.ones(4, 1)):
        joined = transform(as_data(nx.path_graph(4), x=x)).x
        torch.testing.assert_close(joined, torch.cat([torch.ones(4, 1), encoding], dim=1))
    with pytest.raises(InputError, match=r"type torch\.int64.*attr_name"):
        transform(as_data(nx.path_graph(4), x=torch.ones(4, 1, dtype=torch.long)))


def test_directed_graphs_need_patterns():
    data = as_data(nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)]))
    rows = AddAnonymousWalkPE(4, basis="patterns")(data).anonymous_walk_pe
    # From node 0, the third step returns or ends the walk; node 3 is a dead end.
    assert rows.sum(dim=1).tolist() == [1.0, 0.5, 0.5, 0.0]
    for arguments in ({}, {"kind": "induced"}, {"kind": "induced", "basis": "patterns"}):
        with pytest.raises(InputError, match="Graph 0 is directed; use kind='anonymous'"):
            AddAnonymousWalkPE(4, **arguments)(data)


def test_weights_are_used_or_refused():
    graph = nx.path_graph(3)
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 3.0)])
    data = as_data(graph)
    rows = AddAnonymousWalkPE(3, basis="patterns")(data).anonymous_walk_pe
    assert rows.tolist() == [[0.25, 0.75], [1.0, 0.0], [0.75, 0.25]]
    for arguments in ({}, {"weighting": "count", "basis": "patterns"}):
        with pytest.raises(InputError, match="edge_weight=None"):
            AddAnonymousWalkPE(3, **arguments)(data)
    ignored = AddAnonymousWalkPE(3, edge_weight=None)(data).anonymous_walk_pe
    torch.testing.assert_close(
        ignored, AddAnonymousWalkPE(3)(as_data(nx.path_graph(3))).anonymous_walk_pe
    )
    data.bond = data.edge_weight
    del data.edge_weight
    named = AddAnonymousWalkPE(3, basis="patterns", edge_weight="bond")(data)
    assert named.anonymous_walk_pe[0].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"length": 1}, "length must be at least 2, got 1"),
        ({"length": 9}, "length must be at most 8, got 9"),
        ({"length": 7, "kind": "induced"}, "length must be at most 6, got 7"),
        ({"kind": "random"}, "kind must be one of"),
        ({"weighting": "counts"}, "weighting must be one of"),
        ({"basis": "all"}, "basis must be one of"),
        ({"log": "yes"}, "log must be True or False"),
        ({"max_work": -1}, "max_work must be at least 0"),
        ({"edge_weight": 3}, "edge_weight must be the name of a field or None, got 3"),
        ({"attr_name": ""}, "attr_name must be the name of a field or None, got ''"),
        ({"attr_name": "pe_batch"}, "contain 'index' or 'batch', got 'pe_batch'"),
        ({"attr_name": "walk_index"}, "contain 'index' or 'batch', got 'walk_index'"),
        ({"attr_name": "ptr"}, "attr_name must not be .*, got 'ptr'"),
        ({"attr_name": "num_nodes"}, "attr_name must not be .*, got 'num_nodes'"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    with pytest.raises(InputError, match=message):
        AddAnonymousWalkPE(**arguments)


def test_graphs_that_cannot_be_encoded_raise():
    with pytest.raises(UnsupportedInputError, match="to_homogeneous"):
        AddAnonymousWalkPE()(pyg_data.HeteroData({"a": {"x": torch.ones(1, 1)}}))
    sparse = Data(adj_t=torch.eye(3).to_sparse(), num_nodes=3)
    with pytest.raises(InputError, match="before ToSparseTensor"):
        AddAnonymousWalkPE()(sparse)
    for wrong in (nx.path_graph(3), None, [as_data(nx.path_graph(3))]):
        with pytest.raises(InputError, match="Graph 0 must be a Data or Batch"):
            AddAnonymousWalkPE()(wrong)
    with (
        pytest.warns(UserWarning, match="num_nodes"),
        pytest.raises(InputError, match="Graph 0 has no field .* set num_nodes"),
    ):
        AddAnonymousWalkPE()(Data(y=torch.tensor([1])))
    for number in (float("nan"), -1.0, float("inf")):
        weighted = as_data(nx.path_graph(2), edge_weight=torch.tensor([1.0, number]))
        with pytest.raises(InputError, match=f"from node 1 to node 0 has weight {number}"):
            AddAnonymousWalkPE(basis="patterns")(weighted)
    for shape in ((4, 2), (3, 2, 2)):
        wide = as_data(nx.path_graph(3), x=torch.ones(shape))
        with pytest.raises(InputError, match=f"{re.escape(str(shape))}.*set attr_name"):
            AddAnonymousWalkPE(attr_name=None)(wide)
    for other in (torch.ones(3, 2).to_sparse(), ["C", "N", "O"]):
        with pytest.raises(InputError, match="x is not a dense tensor.*set attr_name"):
            AddAnonymousWalkPE(attr_name=None)(as_data(nx.path_graph(3), x=other))
    star = nx.star_graph(700)
    star.add_edges_from((ray, 700 + ray) for ray in range(1, 701))
    for arguments in ({}, {"basis": "patterns"}, {"kind": "induced"}):
        with pytest.raises(InputError, match="max_work"):
            AddAnonymousWalkPE(6, max_work=1e4, **arguments)(as_data(star))


def test_fields_that_are_not_tensors_are_kept():
    for x in (["C", "N", "O"], np.ones((3, 2)), torch.ones(3, 2).to_sparse()):
        encoded = AddAnonymousWalkPE(4)(as_data(nx.path_graph(3), x=x))
        assert encoded.x is x
        assert encoded.anonymous_walk_pe.shape == (3, 5)


def test_runs_of_a_data_set_are_encoded_like_one(monkeypatch):
    graphs = [as_data(graph) for graph in undirected_graphs(9)]
    transforms = [AddAnonymousWalkPE(5, **arguments) for arguments in ARGUMENTS]
    model = GSKN(n_landmarks=4, random_state=0).fit(undirected_graphs(9))
    for transform in [*transforms, AddGSKN(model)]:
        expected = encode_dataset(graphs, transform)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_RUN_NODES", 20)  # two graphs, or one larger graph
            encoded = encode_dataset(graphs, transform)
        for one, other in zip(encoded, expected, strict=True):
            torch.testing.assert_close(one[transform.attr_name], other[transform.attr_name])


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_messages_count_the_graphs_of_all_runs(arguments, monkeypatch):
    monkeypatch.setattr(module, "_RUN_NODES", 10)
    path = as_data(nx.path_graph(4))
    large = as_data(nx.gnp_random_graph(200, 0.2, seed=0))
    transform = AddAnonymousWalkPE(6, max_work=1e5, **arguments)
    with pytest.raises(InputError, match="Graph 5 (is|needs)"):
        encode_dataset([*[path] * 5, large], transform)


class Rings(InMemoryDataset):
    """A data set that is processed and cached like TUDataset."""

    @property
    def raw_file_names(self):
        return []

    @property
    def processed_file_names(self):
        return ["data.pt"]

    def __init__(self, root, **options):
        super().__init__(root, log=False, **options)
        self.load(self.processed_paths[0])

    def process(self):
        graphs = [as_data(nx.cycle_graph(n), y=torch.tensor([n])) for n in (3, 4, 5, 6)]
        if self.pre_transform is not None:
            graphs = [self.pre_transform(graph) for graph in graphs]
        self.save(graphs, self.processed_paths[0])


def test_changed_arguments_warn_of_a_stale_cache(tmp_path):
    root = str(tmp_path)
    first = Rings(root, pre_transform=AddAnonymousWalkPE(4))
    assert first[0].anonymous_walk_pe.shape == (3, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Rings(root, pre_transform=AddAnonymousWalkPE(4))
    changes = [
        {"length": 5},
        {"kind": "induced"},
        {"weighting": "count"},
        {"basis": "patterns"},
        {"log": True},
        {"edge_weight": None},
        {"attr_name": "pe"},
    ]
    for change in changes:
        with pytest.warns(UserWarning, match="pre_transform"):
            Rings(root, pre_transform=AddAnonymousWalkPE(**{"length": 4, **change}))
    renewed = Rings(root, pre_transform=AddAnonymousWalkPE(5), force_reload=True)
    assert renewed[0].anonymous_walk_pe.shape == (3, 12)
    # The cache of PyG's own encoding does not notice a change.
    other = str(tmp_path / "other")
    Rings(other, pre_transform=AddRandomWalkPE(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stale = Rings(other, pre_transform=AddRandomWalkPE(9))
    assert stale[0].random_walk_pe.shape == (3, 3)


def test_text_contains_all_arguments_and_a_version():
    assert repr(AddAnonymousWalkPE(7)) == (
        "AddAnonymousWalkPE(length=7, kind='anonymous', weighting='probability', "
        "basis='quotients', log=False, edge_weight='auto', max_work=20000000000.0, "
        "attr_name='anonymous_walk_pe', version=1)"
    )


def test_data_sets_are_encoded_as_by_a_transform(tmp_path):
    transform = AddAnonymousWalkPE(5)
    dataset = Rings(str(tmp_path))
    encoded = encode_dataset(dataset, transform)
    assert isinstance(encoded, Rings)
    assert len(encoded) == 4
    for one, other in zip(dataset, encoded, strict=True):
        torch.testing.assert_close(
            transform(one).anonymous_walk_pe, other.anonymous_walk_pe
        )
        assert torch.equal(one.y, other.y)
    assert "anonymous_walk_pe" not in dataset[0]
    part = encode_dataset(dataset[[3, 1]], transform)
    assert part.y.tolist() == [6, 4]
    torch.testing.assert_close(part[0].anonymous_walk_pe, encoded[3].anonymous_walk_pe)
    assert encode_dataset([], transform) == []


def test_graphs_of_a_data_set_may_have_different_fields():
    weights = torch.tensor([1.0, 1.0, 3.0, 3.0])
    ends = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    graphs = [
        Data(edge_index=ends, num_nodes=3, y=torch.tensor([1])),
        Data(edge_index=ends, edge_weight=weights, pos=torch.ones(3, 2)),
        Data(
            edge_index=ends, x=torch.ones(3, 2, dtype=torch.float64), pos=torch.ones(3, 3)
        ),
    ]
    transform = AddAnonymousWalkPE(3, basis="patterns")
    encoded = encode_dataset(graphs, transform)
    for graph, one in zip(graphs, encoded, strict=True):
        rows = transform(graph).anonymous_walk_pe
        torch.testing.assert_close(one.anonymous_walk_pe, rows)
        assert one.anonymous_walk_pe.dtype == rows.dtype
        assert {*one.keys()} == {*graph.keys(), "anonymous_walk_pe"}
    assert encoded[1].anonymous_walk_pe[0].tolist() == [0.25, 0.75]


def test_an_encoded_graph_is_stored_without_the_others():
    graphs = [as_data(nx.cycle_graph(5))] * 1000
    encoding = encode_dataset(graphs, AddAnonymousWalkPE(4))[0].anonymous_walk_pe
    assert encoding.untyped_storage().nbytes() == encoding.numel() * 4


def test_arguments_that_are_no_data_set_or_encoding_raise():
    graph = as_data(nx.cycle_graph(4))
    for single in (graph, Batch.from_data_list([graph, graph])):
        with pytest.raises(InputError, match="call the transform with it instead"):
            encode_dataset(single, AddAnonymousWalkPE(4))
    with pytest.raises(InputError, match=r"got AddRandomWalkPE\(\); call other transforms"):
        encode_dataset([graph], AddRandomWalkPE(4))
    with pytest.raises(InputError, match="Graph 1 must be a Data"):
        encode_dataset([graph, nx.cycle_graph(4)], AddAnonymousWalkPE(4))
    directed = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match="Graph 1 is directed"):
        encode_dataset([graph, directed], AddAnonymousWalkPE(4))


def test_encodings_work_in_compositions_and_loaders(tmp_path):
    transform = Compose([AddAnonymousWalkPE(4), AddRandomWalkPE(3)])
    dataset = Rings(str(tmp_path), transform=transform)
    (batch,) = loader.DataLoader(dataset, batch_size=4)
    assert batch.anonymous_walk_pe.shape == (18, 5)
    assert batch.random_walk_pe.shape == (18, 3)


def fitted(seed=0):
    model = GSKN(n_landmarks=8, edge_features="none", random_state=seed)
    return model.fit(datasets.load("MUTAG").graphs)


def molecules(n_graphs=4):
    """Return molecules whose ``x`` is one-hot, with the elements as node labels."""
    batch = datasets.load("MUTAG").graphs[:n_graphs]
    graphs = []
    for graph in batch:
        ends = torch.tensor(np.array(graph.adjacency.nonzero()))
        labels = [batch.label_values[label] for label in graph.node_labels]
        element = torch.tensor(labels)
        bonds = [batch.edge_label_values[label] for label in graph.edge_labels]
        fields = {"element": element, "edge_attr": torch.tensor(bonds)}
        graphs.append(Data(edge_index=ends, num_nodes=len(labels), **fields))
    return graphs


def test_gskn_embeddings_equal_the_model():
    model = fitted()
    transform = AddGSKN(model, node_label="element")
    expected = model.transform_nodes(as_batch(molecules(), node_label="element"))
    encoded = encode_dataset(molecules(), transform)
    rows = torch.cat([graph.gskn_pe for graph in encoded])
    np.testing.assert_allclose(rows, expected, rtol=1e-5, atol=1e-6)
    assert rows.shape[1] == transform.num_features == len(transform.feature_names)
    np.testing.assert_allclose(transform(molecules()[0]).gskn_pe, encoded[0].gskn_pe)


def test_text_of_gskn_changes_with_the_fit():
    one = AddGSKN(fitted(), node_label="element")
    assert repr(one) == repr(AddGSKN(fitted(), node_label="element"))
    assert repr(one) != repr(AddGSKN(fitted(seed=1), node_label="element"))
    assert repr(one) != repr(AddGSKN(fitted()))
    with pytest.raises(InputError, match="model must be a GSKN"):
        AddGSKN("model.gskn")
    with pytest.raises(NotFittedError):
        AddGSKN(GSKN())
    with pytest.raises(InputError, match="as_batch has no option 'node_labels'"):
        AddGSKN(fitted(), node_labels="element")


def test_transforms_can_be_pickled():
    for transform in (AddAnonymousWalkPE(5), AddGSKN(fitted(), node_label="element")):
        restored = pickle.loads(pickle.dumps(transform))
        assert repr(restored) == repr(transform)
        data = molecules(1)[0]
        torch.testing.assert_close(restored.encode(data), transform.encode(data))


@pytest.mark.slow
def test_worker_processes_use_transforms(tmp_path):
    model = GSKN(n_landmarks=4, random_state=0).fit([nx.cycle_graph(4)])
    transform = Compose([AddGSKN(model)])
    dataset = Rings(str(tmp_path), transform=transform)
    spawning = loader.DataLoader(
        dataset, batch_size=4, num_workers=1, multiprocessing_context="spawn"
    )
    (batch,) = spawning
    torch.testing.assert_close(
        batch.gskn_pe, torch.cat([graph.gskn_pe for graph in dataset])
    )


def test_examples_in_docstrings_print_the_documented_output():
    """Other runs of doctests skip the module, because PyG warns during its import."""
    results = doctest.testmod(module)
    assert results.attempted >= 8
    assert not results.failed


class Parts(InMemoryDataset):
    """Rings in three parts, with the arguments of PyG's ZINC."""

    def __init__(self, root, *, subset, split="train"):
        assert subset
        super().__init__(root)
        sizes = {"train": (3, 4, 5), "val": (6, 7), "test": (8,)}[split]
        self.data, self.slices = self.collate(
            [
                as_data(nx.cycle_graph(n), x=torch.zeros(n, 1, dtype=torch.long))
                for n in sizes
            ]
        )


def test_documented_encoder_of_graphgym_is_registered(monkeypatch):
    """Without yacs, GraphGym warns and has no configuration, but it has its registry."""
    register = pytest.importorskip("torch_geometric.graphgym.register")
    page = Path(__file__).parents[2] / "docs" / "guide" / "encodings.md"
    text = page.read_text(encoding="utf-8")
    (code,) = re.findall(r"```text\n(import torch\n.*?)```", text, re.DOTALL)
    exec(code, names := {})
    encoder = register.node_encoder_dict.pop("AnonymousWalk")(emb_dim=8)
    assert register.loader_dict.pop("encoded") is names["load"]
    monkeypatch.setitem(names, "ZINC", Parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # GraphGym uses `InMemoryDataset.data`
        dataset = names["load"]("encoded", "ZINC", "")
    assert names["load"]("PyG", "ZINC", "") is None
    chosen = {}
    for part in ("train", "val", "test"):  # as in `create_loader` of GraphGym
        chosen[part] = dataset[dataset._data[f"{part}_graph_index"]]
        delattr(dataset._data, f"{part}_graph_index")
    sizes = {part: [len(g.pestat_AnonymousWalk) for g in chosen[part]] for part in chosen}
    assert sizes == {"train": [3, 4, 5], "val": [6, 7], "test": [8]}
    data = as_data(nx.cycle_graph(5), x=torch.zeros(5, 1, dtype=torch.long))
    batch = Batch.from_data_list(encode_dataset([data, data], names["transform"]))
    assert encoder(batch).x.shape == (10, 8)


class GPS(torch.nn.Module):
    """The model of PyG's example of a graph transformer, with another encoding."""

    def __init__(self, num_features, channels=16):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(num_features)
        self.encoding = torch.nn.Linear(num_features, channels)
        self.edge = torch.nn.Embedding(4, channels)
        inner = torch.nn.Sequential(
            torch.nn.Linear(channels, channels),
            torch.nn.ReLU(),
            torch.nn.Linear(channels, channels),
        )
        self.conv = layers.GPSConv(channels, layers.GINEConv(inner), heads=4)
        self.output = torch.nn.Linear(channels, 1)

    def forward(self, data):
        x = self.encoding(self.norm(data.anonymous_walk_pe))
        edge_attr = self.edge(data.edge_attr)
        x = self.conv(x, data.edge_index, data.batch, edge_attr=edge_attr)
        return self.output(layers.global_add_pool(x, data.batch)).squeeze(-1)


class GIN(torch.nn.Module):
    """Graph isomorphism layers on the encoding."""

    def __init__(self, num_features, channels=16):
        super().__init__()
        inner = torch.nn.Sequential(
            torch.nn.Linear(num_features, channels),
            torch.nn.BatchNorm1d(channels),
            torch.nn.ReLU(),
        )
        self.conv = layers.GINConv(inner)
        self.output = torch.nn.Linear(channels, 1)

    def forward(self, data):
        x = self.conv(data.anonymous_walk_pe, data.edge_index)
        return self.output(layers.global_add_pool(x, data.batch)).squeeze(-1)


@pytest.mark.parametrize("network", [GPS, GIN])
def test_an_epoch_of_a_network_runs(network):
    torch.manual_seed(0)
    graphs = [
        as_data(graph, y=torch.tensor([float(graph.number_of_edges())]))
        for graph in undirected_graphs(16)
    ]
    for graph in graphs:
        graph.edge_attr = torch.zeros(graph.num_edges, dtype=torch.long)
    transform = AddAnonymousWalkPE(5)
    model = network(transform.num_features)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    before = [value.clone() for value in model.parameters()]
    for batch in loader.DataLoader(encode_dataset(graphs, transform), batch_size=8):
        optimizer.zero_grad()
        loss = (model(batch) - batch.y).abs().mean()
        loss.backward()
        optimizer.step()
    assert torch.isfinite(loss)
    pairs = zip(before, model.parameters(), strict=True)
    assert any(not torch.equal(old, new) for old, new in pairs)
