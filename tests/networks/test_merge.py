import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from gskn import as_batch
from gskn.networks import GIN, GraphSAGE
from gskn.networks._merge import find_kinds, merge_nodes
from tests.reference.graphs import adjacency
from tests.strategies import spec_lists


def kinds_of(*graphs):
    batch = as_batch(list(graphs))
    codes = np.zeros(batch.n_nodes, dtype=np.int64)
    return find_kinds(batch.adjacency, batch.graph_ptr, codes).tolist()


def social_graphs():
    """Return graphs with few kinds of nodes, and one without nodes."""
    joined = nx.union(nx.complete_graph(4), nx.complete_graph(range(4, 9)))
    joined.add_edges_from((9, node) for node in range(9))
    weighted = nx.star_graph(5)
    nx.set_edge_attributes(weighted, {(0, 1): 2.0, (0, 2): 2.0}, "weight")
    directed = nx.DiGraph([(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)])
    loops = nx.Graph([(0, 0), (1, 2), (3, 0), (3, 1), (3, 2)])
    return as_batch(
        [
            joined,
            nx.windmill_graph(3, 4),
            weighted,
            nx.empty_graph(0),
            nx.cycle_graph(6),
            directed,
            loops,
            nx.empty_graph(3),
        ]
    )


def test_kinds_of_nodes_by_hand():
    assert len(set(kinds_of(nx.cycle_graph(5)))) == 1
    center, *leaves = kinds_of(nx.star_graph(4))
    assert len(set(leaves)) == 1
    assert center not in leaves
    first, second, third, fourth = kinds_of(nx.path_graph(4))
    assert (first, second) == (fourth, third)
    assert first != second
    assert set(kinds_of(nx.cycle_graph(3), nx.cycle_graph(3))) == {0, 1}  # by graph
    assert kinds_of() == []


def test_kinds_have_equal_features_and_weights():
    cycle = as_batch(nx.cycle_graph(4))
    codes = np.array([5, 2, 5, 2])
    assert find_kinds(cycle.adjacency, cycle.graph_ptr, codes).tolist() == [1, 0, 1, 0]
    star = nx.star_graph(3)
    star.edges[0, 1]["weight"] = 2.0
    kinds = kinds_of(star)
    assert kinds[2] == kinds[3] != kinds[1]


def test_merged_graphs_count_neighbors_of_every_kind():
    batch = as_batch([nx.cycle_graph(6), nx.star_graph(4)])
    codes = np.zeros(11, dtype=np.int64)
    merged = merge_nodes(batch.adjacency, batch.graph_ptr, codes)
    assert merged.graph_ptr.tolist() == [0, 1, 3]
    by_size = np.argsort(merged.counts[1:])  # center, leaves
    assert merged.counts[1:][by_size].tolist() == [1, 4]
    assert merged.counts[0] == merged.counts.sum() - 5 == 6
    matrix = merged.matrix.toarray()
    assert matrix[0].tolist() == [2, 0, 0]
    assert matrix[1:, 1:][np.ix_(by_size, by_size)].tolist() == [[0, 4], [1, 0]]


def test_graphs_with_many_kinds_are_not_merged():
    batch = as_batch([nx.path_graph(6), nx.lollipop_graph(3, 9)])
    codes = np.arange(batch.n_nodes)
    assert merge_nodes(batch.adjacency, batch.graph_ptr, codes) is None


@settings(max_examples=40)
@given(spec_lists(min_size=1))
def test_nodes_of_a_kind_have_equal_entries_to_every_kind(specs):
    batch = as_batch([adjacency(spec) for spec in specs])
    codes = np.zeros(batch.n_nodes, dtype=np.int64)
    kinds = find_kinds(batch.adjacency, batch.graph_ptr, codes)
    n_kinds = kinds.max(initial=-1) + 1
    membership = csr_array(
        (np.ones(batch.n_nodes), (np.arange(batch.n_nodes), kinds)),
        shape=(batch.n_nodes, n_kinds),
    )
    totals = (batch.adjacency @ membership).toarray()
    for kind in range(n_kinds):
        rows = totals[kinds == kind]
        np.testing.assert_allclose(rows, rows[[0]].repeat(len(rows), 0))
    graphs = np.repeat(np.arange(batch.n_graphs), batch.graph_sizes)
    assert (np.diff(graphs[np.argsort(kinds, kind="stable")]) >= 0).all()


@pytest.mark.torch
@pytest.mark.parametrize("readout", ["sum", "mean", "max"])
@pytest.mark.parametrize("name", ["gin", "gcn", "sage", "sage-sum", "gat"])
def test_merged_graphs_give_the_same_training_step(name, readout):
    torch = pytest.importorskip("torch", reason="needs the torch extra")
    from gskn.networks import _modules as modules  # noqa: PLC0415 - needs torch

    batch = social_graphs()
    kind, _, aggregation = name.partition("-")
    convolution = modules.CONVOLUTIONS[kind]
    matrix = convolution.propagation_matrix(batch.adjacency).astype(np.float64)
    codes = np.minimum(batch.degrees, 4).astype(np.int64)
    rows = np.random.default_rng(0).normal(size=(5, 3))
    merged = merge_nodes(matrix, batch.graph_ptr, codes)
    assert len(merged.nodes) < 0.6 * batch.n_nodes
    graphs = np.arange(batch.n_graphs)
    plain = modules.GraphInputs(matrix, batch.graph_ptr, rows, codes, np.float64)
    counted = modules.GraphInputs(
        merged.matrix,
        merged.graph_ptr,
        rows,
        codes[merged.nodes],
        np.float64,
        counts=merged.counts,
    )
    results = []
    for inputs in (plain, counted):
        torch.manual_seed(0)
        module = modules.GraphModule(
            kind,
            3,
            2,
            n_layers=3,
            n_hidden=4,
            readout=readout,
            dropout=0.0,
            options={"aggregation": aggregation} if aggregation else {},
        ).double()
        part = inputs.take(graphs[::-1].copy())
        output = module.train()(part)
        output.square().sum().backward()
        state = [value.double() for value in module.state_dict().values()]
        gradients = [parameter.grad for parameter in module.parameters()]
        results.append([output, *state, *gradients, module.eval()(part)])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-8)


@pytest.mark.torch
def test_estimators_merge_nodes_except_for_maxima_and_edge_labels():
    pytest.importorskip("torch", reason="needs the torch extra")
    from gskn.networks import _modules as modules  # noqa: PLC0415 - needs torch

    graphs = [nx.complete_graph(n) for n in (4, 5, 6, 7)] * 3
    y = [0, 0, 1, 1] * 3
    batch = as_batch(graphs)
    few = {"n_layers": 2, "n_hidden": 4, "max_epochs": 2, "random_state": 0}

    def counts(model):
        return model.fit(batch, y)._inputs(modules, batch).counts

    assert counts(GIN(**few)).tolist() == [4, 5, 6, 7] * 3
    assert counts(GraphSAGE(**few)).tolist() == [4, 5, 6, 7] * 3
    assert counts(GraphSAGE(**few, aggregation="max")) is None
    labelled = nx.complete_graph(4)
    nx.set_edge_attributes(labelled, "-", "label")
    batch, y = as_batch([labelled] * 4), [0, 1, 0, 1]
    assert batch.edge_labels is not None
    assert counts(GIN(**few)) is None
    assert counts(GIN(**few, edge_features="none")) is not None
