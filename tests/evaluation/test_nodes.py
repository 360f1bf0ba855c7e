import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, as_batch, datasets
from gskn.datasets import Dataset
from gskn.evaluation import Model, ResultFile, evaluate_nodes
from gskn.evaluation import _nodes as nodes
from gskn.exceptions import InputError

SMALL = Model(
    "small",
    "patterns of four nodes",
    ({"branches": ("anonymous",), "anonymous_length": 4},),
)


def rings_and_paths(n_components=60, seed=0):
    """Return one graph of many components: nodes of triangles, squares and paths."""
    generator = np.random.default_rng(seed)
    blocks, y = [], []
    for kind in generator.integers(0, 3, n_components):
        size = (3, 4, 5)[kind]
        block = np.zeros((size, size))
        for a in range(size - (kind == 2)):
            block[a, (a + 1) % size] = block[(a + 1) % size, a] = 1
        blocks.append(block)
        y += [kind] * size
    n_nodes = len(y)
    whole = np.zeros((n_nodes, n_nodes))
    first = 0
    for block in blocks:
        whole[first : first + len(block), first : first + len(block)] = block
        first += len(block)
    return Dataset("components", as_batch([whole]), np.array(y), "node")


@pytest.fixture(scope="module")
def data():
    return rings_and_paths()


def test_components_are_classified_and_recorded(data):
    records = evaluate_nodes(data, [SMALL], repeats=2)
    assert [(r.protocol, r.repeat) for r in records] == [
        ("nodes-30", 0),
        ("nodes-30", 1),
        ("nodes-70", 0),
        ("nodes-70", 1),
    ]
    assert all(r.scores["micro_f1"] > 0.9 for r in records)
    assert set(records[0].scores) == {"accuracy", "macro_f1", "micro_f1"}
    assert records[0].chosen["C"] in (0.01, 0.1, 1.0)


def test_scores_match_scikit_learn(data):
    (record,) = evaluate_nodes(data, [SMALL], train_sizes=[0.5], repeats=1, seed=4)
    model = GSKN(random_state=4, **SMALL.grid[0]).fit(data.graphs)
    embeddings = model.transform_nodes(data.graphs)
    splitter = ShuffleSplit(1, train_size=0.5, random_state=4)
    train, test = next(splitter.split(data.y))
    scaler = StandardScaler().fit(embeddings[train])
    model = LogisticRegression(C=record.chosen["C"], max_iter=500)
    model.fit(scaler.transform(embeddings[train]), data.y[train])
    predicted = model.predict(scaler.transform(embeddings[test]))
    expected = f1_score(data.y[test], predicted, average="macro")
    assert record.scores["macro_f1"] == pytest.approx(expected, abs=1e-6)


def test_nodes_may_have_several_labels(data):
    both = np.column_stack([data.y == 0, data.y < 2, data.y >= 0]).astype(int)
    several = Dataset("several", data.graphs, both, "node")
    (record,) = evaluate_nodes(several, [SMALL], train_sizes=[0.7], repeats=1, n_jobs=2)
    assert record.scores["micro_f1"] > 0.9
    assert record.scores["accuracy"] <= record.scores["micro_f1"]


def test_embedding_is_selected_on_held_out_nodes(data):
    two = Model(
        "two",
        "walks of regular components, and patterns",
        (
            {"branches": ("walk",), "walk_length": 1, "node_features": "degrees"},
            *SMALL.grid,
        ),
    )
    (record,) = evaluate_nodes(data, [two], train_sizes=[0.7], repeats=1)
    assert record.chosen["embedding"]["branches"] == ["anonymous"]


def test_resumed_run_computes_no_embeddings_again(data, tmp_path, monkeypatch):
    file = ResultFile(tmp_path / "runs.jsonl")
    first = evaluate_nodes(data, [SMALL], repeats=2, results=file)
    monkeypatch.setattr(nodes._Run, "_embed", lambda *_: pytest.fail("embedded again"))
    assert evaluate_nodes(data, [SMALL], repeats=2, results=file) == first
    assert len(file.read()) == 4


def test_splits_are_disjoint_and_have_the_requested_size():
    train, test = nodes._random_split(101, 0.3, 7)
    assert (len(train), len(test)) == (30, 71)
    assert sorted([*train, *test]) == list(range(101))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"train_sizes": [0.3, 1.0]}, r"must be between 0 and 1, got \(0.3, 1.0\)"),
        ({"models": ["gnn"]}, "no model 'gnn'"),
        ({"models": ["sp"]}, "'sp' embeds graphs only, not nodes"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_invalid_arguments_raise(data, options, message):
    with pytest.raises(InputError, match=message):
        evaluate_nodes(data, **options)


def test_data_set_with_classes_of_graphs_raises():
    with pytest.raises(InputError, match="classes of graphs; use evaluate"):
        evaluate_nodes(datasets.load("regular"))
