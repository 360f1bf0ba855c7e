from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from gskn import as_batch
from gskn.datasets import Dataset, regular
from gskn.evaluation import MODELS, evaluate, evaluate_nodes
from gskn.exceptions import FileFormatError, InputError
from gskn.networks import GraLSP, GraphSTONE, _topics
from gskn.networks._gralsp import pattern_rows, standardize
from gskn.walks import anonymize, pattern_counts, patterns, sample_walks
from tests.networks.test_files import rewrite, set_value

torch = pytest.importorskip("torch", reason="needs the torch extra")

from gskn.networks import _modules  # noqa: E402 - needs torch
from gskn.networks._modules import PatternWalks, _walk_modules  # noqa: E402

pytestmark = pytest.mark.torch
SMALL = {"max_epochs": 5, "random_state": 0}
MODELS_OF_NODES = (GraLSP(n_walks=20, **SMALL), GraphSTONE(**SMALL))


@pytest.fixture(scope="module")
def graph():
    return nx.karate_club_graph()


@pytest.fixture(scope="module", params=MODELS_OF_NODES, ids=["GraLSP", "GraphSTONE"])
def fitted(request, graph):
    return clone(request.param).fit(graph)


def test_training_loss_decreases(fitted, graph):
    model = clone(fitted).set_params(max_epochs=40).fit(graph)
    losses = model.history_[0]["loss"]
    assert losses[-1] < 0.9 * losses[0]


def test_nodes_of_one_part_are_more_similar_than_others():
    barbell = nx.barbell_graph(8, 0)
    for model in MODELS_OF_NODES:
        rows = clone(model).set_params(max_epochs=60).fit(barbell).transform_nodes(barbell)
        similarity = rows @ rows.T
        inside = similarity[:7, :7].mean() + similarity[9:, 9:].mean()
        assert inside > 2 * similarity[:7, 9:].mean()


def test_rows_have_unit_norm(fitted, graph):
    rows = fitted.transform_nodes(graph)
    assert rows.shape == (34, fitted.n_components)
    parts = [rows] if isinstance(fitted, GraLSP) else [rows[:, :32], rows[:, 32:]]
    for part in parts:
        np.testing.assert_allclose(np.linalg.norm(part, axis=1), 1, atol=1e-6)


def test_seed_determines_the_embedding(fitted, graph):
    again = clone(fitted).fit(graph).transform_nodes(graph)
    np.testing.assert_array_equal(again, fitted.transform_nodes(graph))
    other = clone(fitted).set_params(random_state=1).fit(graph).transform_nodes(graph)
    assert (again != other).any()


def test_other_graphs_can_be_embedded(fitted):
    """New patterns and isolated nodes have no learned values, and finite embeddings."""
    other = nx.disjoint_union(nx.complete_graph(12), nx.empty_graph(1))
    assert np.isfinite(fitted.transform_nodes(other)).all()


def test_loaded_model_has_the_same_embeddings(fitted, graph, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = type(fitted).load(tmp_path / "model")
    np.testing.assert_array_equal(
        loaded.transform_nodes(graph), fitted.transform_nodes(graph)
    )
    assert loaded.get_params() == fitted.get_params()


def remove_encoder(header, arrays):
    header["encoder"] = None
    for name in [name for name in arrays if name.startswith("encoder_")]:
        del arrays[name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_value("state", "seed", value=-1), "seed must be at least 0"),
        (set_value("n_out", value=65), "do not fit n_components"),
        (remove_encoder, "encoder is missing"),
        (set_value("parameters", "n_hidden", value=7), "not of shape"),
    ],
)
def test_inconsistent_file_raises(fitted, tmp_path, change, message):
    path = tmp_path / "model"
    fitted.save(path)
    rewrite(path, change)
    with pytest.raises(FileFormatError, match=message):
        type(fitted).load(path)


def test_unsorted_words_or_types_of_a_file_raise(fitted, tmp_path):
    path = tmp_path / "model"
    fitted.save(path)
    name = "types" if isinstance(fitted, GraLSP) else "words"
    for values, message in (([5, 3], "not sorted"), ([], "not sorted"), ([-1], "at least")):
        rewrite(path, set_value("state", name, value=values))
        with pytest.raises(FileFormatError, match=message):
            type(fitted).load(path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GraLSP(n_walks=0), "n_walks must be at least 1"),
        (GraLSP(walk_weight=-1), "walk_weight must be at least 0"),
        (GraLSP(n_components=0), "n_components must be at least 1"),
        (GraphSTONE(n_components=32), "n_components must be at least 33"),
        (GraphSTONE(topics="random"), "topics must be one of"),
        (GraphSTONE(n_topics=0), "n_topics must be at least 1"),
    ],
)
def test_invalid_parameters_raise(graph, model, message):
    with pytest.raises(InputError, match=message):
        model.fit(graph)
    with pytest.raises(InputError, match="no nodes"):
        GraLSP().fit([nx.empty_graph(0)])


def test_models_are_evaluated_on_nodes_and_not_on_graphs(graph):
    y = np.array([graph.nodes[v]["club"] == "Officer" for v in graph]).astype(int)
    data = Dataset("karate", as_batch(graph), y, task="node")
    assert MODELS["graphstone"].grid != MODELS["graphstone-published"].grid
    records = evaluate_nodes(data, ["gralsp", "graphstone"], train_sizes=[0.7], repeats=3)
    scores = [record.scores["micro_f1"] for record in records]
    assert len(scores) == 6
    assert np.mean(scores) > 0.6
    with pytest.raises(InputError, match="nodes only"):
        evaluate(regular(n_per_class=5), ["gralsp"])


def test_rows_of_patterns_are_found():
    listed = patterns(5, staying=True)
    order = np.random.default_rng(0).permutation(len(listed))
    assert pattern_rows(listed[order]).tolist() == order.tolist()


def test_types_of_walks_are_the_columns_of_the_pattern_table(graph):
    fitted = clone(MODELS_OF_NODES[0]).fit(graph)
    walks, columns = fitted._sample(as_batch(graph))
    table = pattern_counts(graph, 8)
    first = table.patterns[columns[0, 0]]
    assert first.tolist() == anonymize(walks[0, 0, :8]).tolist()
    assert set(columns.ravel()) <= set(fitted.types_)


def test_standardized_frequencies():
    rows = standardize(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert rows.tolist() == [[-1, 0], [1, 0]]


def test_pairs_are_near_nodes_of_own_walks(graph):
    walks = sample_walks(graph, 6, 4, random_state=0)
    n_near = np.full((34, 4), 2)
    n_near[:, 0] = 1
    types = np.arange(34 * 4).reshape(34, 4)
    found = PatternWalks(walks, types, n_near).sample(np.random.default_rng(0))
    for node, (kinds, nodes) in enumerate(zip(*found, strict=True)):
        for kind, other in zip(kinds.tolist(), nodes.tolist(), strict=True):
            owner, walk = divmod(kind, 4)
            assert owner == node
            assert other in walks[node, walk, : n_near[node, walk]]


def test_number_of_near_nodes_is_sixteen_by_the_number_of_distinct_ones(graph):
    model = clone(MODELS_OF_NODES[0]).fit(graph)
    walks = np.array([[[0, 1] * 5], [list(range(10))], [[0, 1, 2, 3, 4] * 2]])
    types = np.zeros((3, 1), dtype=np.int64)
    assert model._pattern_walks(_modules, walks, types).n_near.ravel().tolist() == [8, 1, 3]


def test_layer_equals_a_loop_over_pairs():
    torch.manual_seed(0)
    layer = _walk_modules.PatternLayer(3, 2, 4).double()
    rows, table = torch.randn(5, 3).double(), torch.randn(6, 4).double()
    types, nodes = torch.randint(6, (5, 7)), torch.randint(5, (5, 7))
    found = layer(rows, types, nodes, table)
    for node in range(5):
        messages = [
            torch.sigmoid(layer.gate(table[kind])) * rows[other]
            for kind, other in zip(types[node], nodes[node], strict=True)
        ]
        mean = torch.stack(messages).mean(0)
        expected = layer.neighbors(mean) + layer.root(rows[node])
        torch.testing.assert_close(found[node], expected)


def test_triplets_have_the_signs_of_the_loss():
    scores = np.array([[1.0, 2.0, -1.0], [1.0, 1.0, 1.0], [-1.0, -2.0, 3.0]])
    problem = _walk_modules.PatternProblem(None, None, None, None, scores, 0.1)
    triplets = problem.draw_triplets(np.random.default_rng(0))
    assert 1 <= len(triplets) <= 4  # two nodes have any
    for first, second, third in triplets:
        signs = np.sign(scores[[0, 2]][:, [first, second, third]])
        assert ((signs[:, 0] == signs[:, 1]) & (signs[:, 0] == -signs[:, 2])).any()
    table = torch.eye(3)
    loss = _walk_modules.triplet_loss(table, np.array([[0, 0, 1]]))
    assert loss.item() == pytest.approx(np.log(1 + np.exp(-1)))
    assert _walk_modules.triplet_loss(table, np.empty((0, 3), dtype=int)).item() == 0


def test_many_node_features_are_reduced_by_pca():
    generator = np.random.default_rng(0)
    many = nx.path_graph(130)
    for node in many:
        many.nodes[node]["attributes"] = generator.normal(size=120)
    model = clone(MODELS_OF_NODES[0]).fit(many)
    weights = model.members_[0].input.weight.numpy()
    assert weights.shape == (100, 120)
    np.testing.assert_allclose(weights @ weights.T, np.eye(100), atol=1e-5)
    assert np.isfinite(model.transform_nodes(many)).all()


def test_words_are_patterns_of_the_first_nodes():
    walks = np.array([[4, 5, 4, 6], [7, 8, 7, 9], [4, 5, 4, 5], [1, 2, 1, 3]])
    codes = _topics.encode_words(walks, np.array([4, 4, 3, 3]))
    assert codes[0] == codes[1]
    assert codes[2] == codes[3]
    assert codes[0] != codes[2]


def test_cooccurrences_of_two_nodes_by_hand():
    """Node 0 has words a, a, b, and node 1 has b, b, b: six ordered pairs each."""
    words = _topics.count_words(np.array([[3, 3, 8], [8, 8, 8]]), max_words=5)
    assert words.codes.tolist() == [3, 8]
    assert words.counts.toarray().tolist() == [[2, 1], [0, 3]]
    pairs = _topics.cooccurrences(words.counts, 3)
    np.testing.assert_allclose(pairs, np.array([[2, 2], [2, 6]]) / 12)
    few = _topics.count_words(np.array([[3, 3, 8], [8, 8, 8]]), max_words=1)
    assert few.codes.tolist() == [8]


def test_mixtures_of_anchors_are_recovered():
    generator = np.random.default_rng(0)
    basis = generator.dirichlet(np.ones(6), size=2)
    shares = np.array([[1, 0], [0, 1], [0.25, 0.75], [0.6, 0.4], [0.9, 0.1], [0.5, 0.5]])
    weights = _topics.mix_anchors(3 * shares @ basis, np.array([0, 1]))
    np.testing.assert_allclose(weights, shares, atol=0.02)


def test_steps_of_mixtures_do_not_increase_the_divergence(monkeypatch):
    generator = np.random.default_rng(1)
    pairs = generator.dirichlet(np.ones(8), size=8)
    losses = []
    for n_steps in (1, 2, 5, 50):
        monkeypatch.setattr(_topics, "_N_STEPS", n_steps)
        mixture = _topics.mix_anchors(pairs, np.array([2, 5])) @ pairs[[2, 5]]
        losses.append((pairs * np.log(pairs / mixture)).sum())
    assert all(after <= before for before, after in pairwise(losses))


def test_key_words_contain_anchors_and_differ_by_the_topic_model():
    generator = np.random.default_rng(0)
    counts = csr_array(generator.poisson(0.3, (60, 150)).astype(float))
    pairs = _topics.cooccurrences(counts, 50)
    anchors = _topics.find_anchors(pairs, 5)
    mixed, plain = (
        _topics.find_key_words(pairs, 5, use_mixtures=use) for use in (True, False)
    )
    for words in (mixed, plain):
        assert set(anchors) <= set(words)
        assert 101 <= len(words) <= 106
    assert set(mixed) != set(plain)


def test_presence_of_words():
    codes = np.array([[3, 8], [9, 9], [5, 5]])
    rows = _topics.presence(codes, np.array([3, 8, 9]))
    assert rows.tolist() == [[1, 1, 0], [0, 0, 1], [1e-4, 1e-4, 1e-4]]
