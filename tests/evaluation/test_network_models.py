from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gskn import as_batch, datasets
from gskn.datasets import Dataset
from gskn.evaluation import MODELS, ResultFile, evaluate, evaluate_nodes
from gskn.exceptions import InputError
from gskn.networks import GIN

pytest.importorskip("torch", reason="needs the torch extra")

pytestmark = pytest.mark.torch
TINY = {"n_hidden": 4, "max_epochs": 2}
GIN_MODEL = replace(
    MODELS["gin"],
    grid=tuple({**TINY, "n_layers": n, "n_seeds": 2} for n in (1, 2)),
    nodes=None,
)


@pytest.fixture(scope="module")
def data():
    return datasets.regular(n_per_class=12)


@pytest.fixture(scope="module")
def nodes():
    graph = nx.karate_club_graph()
    y = np.array([graph.nodes[v]["club"] == "Officer" for v in graph]).astype(int)
    return Dataset("karate", as_batch(graph), y, task="node")


def test_records_of_a_network_are_repeatable_and_resumable(data, tmp_path):
    results = ResultFile(tmp_path / "runs.jsonl")
    records = evaluate(data, [GIN_MODEL], results=results)
    assert len(records) == 10
    assert evaluate(data, [GIN_MODEL], results=results) == records
    again = evaluate(data, [GIN_MODEL])
    assert [r.scores for r in again] == [r.scores for r in records]
    for record in records:
        assert record.chosen["params"] in [dict(params) for params in GIN_MODEL.grid]
        assert record.chosen["epochs"] == [2, 2]
        assert {"choose", "fit", "classify"} <= record.seconds.keys()
        assert "torch" in record.versions
        assert 0 <= record.scores["roc_auc"] <= 1


def test_network_sees_only_training_graphs(data, monkeypatch):
    """Every fit gets the training graphs of a fold, and the folds are the common ones."""
    sizes = []
    fit = GIN.fit

    def recorded(self, X, y):
        sizes.append((X.n_graphs, len(y)))
        return fit(self, X, y)

    monkeypatch.setattr(GIN, "fit", recorded)
    evaluate(data, [GIN_MODEL])
    assert {n for n, _ in sizes} == {21, 22}
    assert all(n == m for n, m in sizes)
    assert len(sizes) == 10 * 3


def test_best_parameters_on_the_validation_part_are_selected(data, monkeypatch):
    accuracies = {1: 0.4, 2: 0.7}
    monkeypatch.setattr(
        GIN, "validation_accuracy_", property(lambda self: accuracies[self.n_layers])
    )
    records = evaluate(data, [GIN_MODEL])
    assert {record.chosen["params"]["n_layers"] for record in records} == {2}
    assert {record.chosen["inner"] for record in records} == {0.7}


def test_networks_are_not_selected_on_test_folds(data):
    with pytest.raises(InputError, match="use the protocol 'nested'"):
        evaluate(data, [GIN_MODEL], protocol="paper")


def test_models_for_nodes_raise_on_graphs_and_vice_versa(data, nodes):
    with pytest.raises(InputError, match="nodes only"):
        evaluate(data, ["sage-unsupervised"])
    with pytest.raises(InputError, match="graphs only"):
        evaluate_nodes(nodes, [GIN_MODEL])
    skipped = {}
    assert evaluate_nodes(nodes, ["gin-short"], skipped=skipped) == []
    assert "graphs only" in skipped["gin-short"]


@pytest.mark.parametrize("n_labels", [1, 2])
def test_supervised_and_unsupervised_networks_on_nodes(nodes, n_labels):
    if n_labels == 2:
        nodes = replace(nodes, y=np.column_stack([nodes.y, 1 - nodes.y]))
    supervised = MODELS["gcn"].nodes
    unsupervised = MODELS["gcn-unsupervised"]
    models = [
        replace(model, grid=tuple({**params, **TINY} for params in model.grid))
        for model in (supervised, unsupervised)
    ]
    records = evaluate_nodes(nodes, models, repeats=2)
    assert len(records) == 8
    assert {record.model for record in records} == {"gcn", "gcn-unsupervised"}
    for record in records:
        assert 0 <= record.scores["macro_f1"] <= 1


def test_name_of_a_network_on_nodes_is_the_supervised_one():
    assert MODELS["gat"].nodes.name == "gat"
    assert MODELS["gat"].nodes.grid == ({"convolution": "gat"},)
