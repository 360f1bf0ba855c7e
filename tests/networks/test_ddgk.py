import networkx as nx
import numpy as np
import pytest

from gskn import as_batch, datasets
from gskn.exceptions import FileFormatError, InputError
from gskn.networks import DDGK
from gskn.networks._network import load_modules
from tests.networks.test_files import rewrite, set_value
from tests.reference import networks as slow

torch = pytest.importorskip("torch", reason="needs the torch extra")

from gskn.networks._modules import SourceEncoders, _divergence  # noqa: E402

pytestmark = pytest.mark.torch
SMALL = {"n_sources": 3, "n_steps": 20, "random_state": 0}


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("structure").graphs[::40]


@pytest.fixture(scope="module")
def fitted(graphs):
    return DDGK(**SMALL).fit(graphs)


def encode(sizes):
    encoders = SourceEncoders(len(sizes), max(sizes)).double()
    encoders.initialize(sizes, range(len(sizes)))
    return encoders


def source_arrays(encoders, source, n_nodes):
    def array(parameter):
        return parameter[source].detach().numpy()

    return (
        array(encoders.embedding)[:n_nodes],
        [array(weights) for weights in encoders.weights],
        [array(bias) for bias in encoders.biases],
        array(encoders.last)[:, :n_nodes],
        array(encoders.last_bias)[:, :n_nodes],
    )


def test_loss_of_zero_weights_is_worked_by_hand():
    """All logits are 0, so that every pair of nodes costs log 2."""
    path = nx.to_scipy_sparse_array(nx.path_graph(3))
    adjacency, mask = _divergence._pad([path], 8)
    losses = _divergence.edge_loss(SourceEncoders(1, 8)(), adjacency, mask)
    assert losses.item() == pytest.approx(np.log(2))
    # Logits of 1 for the edges of a path, of which 4 of 9 pairs are edges.
    logits = adjacency.clone()
    expected = (4 * np.log(1 + np.exp(-1)) + 5 * np.log(2)) / 9
    assert _divergence.edge_loss(logits, adjacency, mask).item() == pytest.approx(expected)


def test_loss_of_sources_equals_the_slow_twin():
    sizes = [3, 5]
    encoders = encode(sizes)
    graphs = [nx.path_graph(3), nx.cycle_graph(5)]
    matrices = [nx.to_scipy_sparse_array(graph) for graph in graphs]
    adjacency, mask = _divergence._pad(matrices, 5)
    losses = _divergence.edge_loss(encoders(), adjacency.double(), mask.double())
    for source, matrix in enumerate(matrices):
        arrays = source_arrays(encoders, source, sizes[source])
        expected = slow.edge_loss(slow.source_logits(*arrays), matrix.toarray())
        assert losses[source].item() == pytest.approx(expected)


def test_loss_of_a_target_equals_the_slow_twin():
    encoders = encode([4])
    target = nx.star_graph(5)
    matrix = nx.to_scipy_sparse_array(target)
    adjacency, mask = _divergence._pad([matrix], 8)
    attention = _divergence.Attention(torch.tensor([6]), 8, 4, seed=1)
    attention.forth, attention.back = attention.forth.double(), attention.back.double()
    attention.bias = attention.bias.double() + 0.3
    loss = attention.loss(encoders, 0, adjacency.double(), mask.double())
    embedding, *arrays = source_arrays(encoders, 0, 4)
    forth = np.exp(attention.forth[0, :6].detach().numpy())
    weights = forth / forth.sum(axis=1, keepdims=True)
    logits = slow.source_logits(weights @ embedding, *arrays)
    logits = logits @ attention.back[0, :, :6].detach().numpy() + 0.3
    assert loss.item() == pytest.approx(slow.edge_loss(logits, matrix.toarray()))


def test_gradients_of_the_losses():
    encoders = encode([3])
    adjacency, mask = (
        array.double()
        for array in _divergence._pad([nx.to_scipy_sparse_array(nx.path_graph(3))], 4)
    )
    attention = _divergence.Attention(torch.tensor([3]), 4, 3, seed=0)
    start = [p.detach().double().requires_grad_() for p in attention.parameters]

    def loss(forth, back, bias):
        attention.forth, attention.back, attention.bias = forth, back, bias
        return attention.loss(encoders, 0, adjacency, mask)

    assert torch.autograd.gradcheck(loss, start)


def test_divergence_from_the_same_graph_is_small():
    """A cycle is described better by a cycle than by a star, and a star by a star."""
    graphs = [nx.cycle_graph(8), nx.star_graph(7)]
    model = DDGK(n_sources=2, n_steps=300, random_state=0).fit(graphs)
    columns = np.argsort(model.sources_)
    divergences = model.transform(graphs)[:, columns]
    assert divergences[0, 0] < divergences[0, 1]
    assert divergences[1, 1] < divergences[1, 0]


def test_losses_decrease(fitted, graphs):
    losses = DDGK(n_sources=3, n_steps=100, random_state=0).fit(graphs).history_[0]["loss"]
    assert losses[-1] < 0.9 * losses[0]
    longer = DDGK(n_sources=3, n_steps=100, random_state=0).fit(graphs)
    assert longer.transform(graphs).mean() < fitted.transform(graphs).mean()


def test_divergences_do_not_depend_on_other_graphs(fitted, graphs):
    whole = fitted.transform(graphs)
    assert whole.shape == (10, 3)
    for number in (0, 4, 9):
        alone = fitted.transform(graphs[[number]])
        np.testing.assert_allclose(alone, whole[[number]], atol=1e-6)


def test_sources_of_one_batch_are_trained_independently():
    """The loss of a small source does not depend on the padding by a larger one."""
    small = [nx.to_scipy_sparse_array(nx.path_graph(3))]
    large = [nx.to_scipy_sparse_array(nx.cycle_graph(9))]
    _, alone = _divergence.train_sources(small, 10, 0.01, [0])
    _, both = _divergence.train_sources(small + large, 10, 0.01, [0, 1])
    first = [[step[0] for step in steps] for steps in (alone, both)]
    np.testing.assert_allclose(*first, rtol=1e-5)


def test_seed_determines_the_embedding(fitted, graphs):
    again = DDGK(**SMALL).fit_transform(graphs)
    np.testing.assert_array_equal(again, fitted.transform(graphs))
    other = DDGK(**{**SMALL, "random_state": 1}).fit_transform(graphs)
    assert (again != other).any()


def test_empty_graphs_have_no_divergence(fitted):
    mixed = [nx.empty_graph(0), nx.path_graph(3), nx.empty_graph(1)]
    rows = fitted.transform(mixed)
    assert (rows[0] == 0).all()
    assert (rows[1:] > 0).all()
    assert fitted.transform([]).shape == (0, 3)
    assert DDGK(**SMALL).fit(mixed).sources_.tolist() in ([1, 2], [2, 1])
    with pytest.raises(InputError, match="no nodes"):
        DDGK().fit([nx.empty_graph(0)])


def test_order_of_training_graphs_does_not_change_the_embedding(fitted, graphs):
    order = np.random.default_rng(0).permutation(len(graphs))
    again = DDGK(**SMALL).fit(graphs[order])
    assert order[again.sources_].tolist() == fitted.sources_.tolist()
    np.testing.assert_array_equal(again.transform(graphs), fitted.transform(graphs))


def test_equal_graphs_are_one_source():
    model = DDGK(**SMALL).fit([nx.path_graph(3), nx.path_graph(3), nx.cycle_graph(3)])
    assert len(model.sources_) == 2
    assert sorted(model.source_sizes_.tolist()) == [3, 3]
    assert len({*model.source_seeds_}) == 2


def test_sources_of_parts_are_trained_once_with_equal_results(graphs, monkeypatch):
    n_trained = []
    train = _divergence.train_sources

    def count(matrices, *arguments):
        n_trained.append(len(matrices))
        return train(matrices, *arguments)

    modules = load_modules()
    monkeypatch.setattr(modules, "train_sources", count)
    shared = DDGK.precompute(graphs)
    everything = np.arange(len(graphs))
    for left_out in (0, 3, 7):
        test = everything[left_out : left_out + 2]
        rest = np.setdiff1d(everything, test)
        pair = shared.split(rest, test).embed(DDGK(**SMALL))
        n_shared = sum(n_trained)
        model = DDGK(**SMALL).fit(graphs[rest])
        del n_trained[-1]
        for part, rows in zip((rest, test), pair, strict=True):
            np.testing.assert_allclose(rows, model.transform(graphs[part]), atol=1e-5)
    assert n_shared < 9  # three for every part
    fresh = shared.split(rest, test).embed(DDGK(**{**SMALL, "random_state": None}))
    assert [rows.shape for rows in fresh] == [(8, 3), (2, 3)]
    assert sum(n_trained) == n_shared + 3


def test_columns_have_names(fitted):
    assert fitted.get_feature_names_out().tolist() == ["ddgk0", "ddgk1", "ddgk2"]


def test_too_large_graphs_raise(fitted):
    with pytest.raises(InputError, match="a graph has 20000 nodes"):
        fitted.transform(as_batch([nx.empty_graph(20_000)]))


def test_progress_is_shown_on_request(graphs, capsys):
    DDGK(**SMALL, verbose=1).fit(graphs).transform(graphs)
    assert "divergences" in capsys.readouterr().err


def test_loaded_model_has_the_same_embeddings(fitted, graphs, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = DDGK.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(graphs), fitted.transform(graphs))
    assert loaded.get_params() == fitted.get_params()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_value("state", "sizes", value=[3]), "do not fit"),
        (set_value("state", "sizes", value=[3, 3, -1]), "sizes must be at least 1"),
        (set_value("state", "sizes", value=[3, 3, 10**9]), "at most"),
        (set_value("state", "sizes", value=[3, 3, 3]), "not of shape"),
        (set_value("state", "seeds", value=[3, 3, -1]), "seeds must be at least 0"),
        (set_value("state", "seeds", value=[3]), "do not fit"),
        (set_value("n_out", value=2), "do not fit"),
        (set_value("parameters", "n_steps", value=0), "n_steps must be at least 1"),
        (set_value("encoder", value={}), "no entry"),
    ],
)
def test_inconsistent_file_raises(fitted, tmp_path, change, message):
    path = tmp_path / "model"
    fitted.save(path)
    rewrite(path, change)
    with pytest.raises(FileFormatError, match=message):
        DDGK.load(path)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_sources": 0}, "n_sources must be at least 1"),
        ({"n_steps": 1.5}, "n_steps must be an integer"),
        ({"learning_rate": 0}, "learning_rate must be above 0"),
    ],
)
def test_invalid_parameters_raise(graphs, params, message):
    with pytest.raises(InputError, match=message):
        DDGK(**params).fit(graphs)
