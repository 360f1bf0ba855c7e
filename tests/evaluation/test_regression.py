"""Evaluation of real targets, and models that ignore the graphs."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from gskn import datasets
from gskn.datasets import Dataset
from gskn.evaluation import (
    MODELS,
    Model,
    ResultFile,
    corrected_t_test,
    evaluate,
    evaluate_nodes,
)
from gskn.exceptions import InputError


@pytest.fixture(scope="module")
def data():
    """Molecules whose target is their number of edges, in another unit."""
    graphs = datasets.load("MUTAG").graphs[::4]
    return Dataset("edges", graphs, np.array([g.n_edges / 1e6 for g in graphs]))


def scores(records, model, metric="rmse"):
    return [r.scores[metric] for r in records if r.model == model]


def test_mean_is_scored_on_the_same_folds(data):
    records = evaluate(data, ["mean", "ldp"], seed=3)
    folds = KFold(10, shuffle=True, random_state=3).split(data.y)
    for record, (train, test) in zip(records[:10], folds, strict=True):
        errors = data.y[test] - data.y[train].mean()
        expected = np.sqrt((errors**2).mean())
        assert record.scores["rmse"] == pytest.approx(expected, rel=1e-5)
        assert record.scores["mae"] == pytest.approx(np.abs(errors).mean(), rel=1e-5)
        assert record.chosen == {"embedding": {"strategy": "mean"}}
    baseline, ldp = scores(records, "mean"), scores(records, "ldp")
    assert np.mean(ldp) < 0.5 * np.mean(baseline)
    assert np.mean(scores(records, "ldp", "r2")) > 0.5
    assert corrected_t_test(baseline, ldp, test_share=0.1) < 0.05


def test_records_have_regressors_and_are_resumed(data, tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    model = Model(
        "one", "one embedding", ({"branches": ("walk",)},), MODELS["ldp"].classifiers
    )
    records = evaluate(data, [model, "wl"], results=file)
    assert evaluate(data, [model, "wl"], results=file) == records
    first, last = records[0], records[-1]
    assert "classifiers" not in first.configuration
    assert first.chosen["regressor"] in first.configuration["regressors"]
    assert first.chosen["inner"] < 0
    assert last.chosen["regressor"]["kernel"] == "precomputed"
    classes = Dataset(data.name, data.graphs, np.arange(len(data.y)) % 2)
    assert "regressors" not in evaluate(classes, ["majority"])[0].configuration


def test_every_model_runs_or_is_skipped(data):
    small = Dataset("small", data.graphs[:9], data.y[:9])
    skipped = {}
    names = [name for name, model in MODELS.items() if model.extra is None]
    records = evaluate(small, names, skipped=skipped)
    assert sorted(skipped) == ["hgk-sp", "hgk-wl", "majority"]
    assert len(records) == 9 * (len(names) - 3)
    assert all(np.isfinite(record.scores["rmse"]) for record in records)


def test_invalid_runs_raise(data):
    with pytest.raises(InputError, match="protocol='paper' needs classes"):
        evaluate(data, ["ldp"], protocol="paper")
    with pytest.raises(InputError, match="'majority' does not predict real targets"):
        evaluate(data, ["majority"])
    with pytest.raises(InputError, match="1 graphs; folds need two"):
        evaluate(Dataset("one", data.graphs[:1], data.y[:1]), ["mean"])
    with pytest.raises(InputError, match="'mean' does not predict classes"):
        evaluate(datasets.load("regular"), ["mean"])


@pytest.mark.parametrize("protocol", ["nested", "paper"])
def test_majority_is_the_largest_class_of_the_training_part(protocol):
    molecules = datasets.load("MUTAG")
    records = evaluate(molecules, ["majority"], protocol=protocol)
    assert [record.scores["roc_auc"] for record in records] == [0.5] * 10
    largest = np.unique(molecules.y, return_counts=True)[1].max() / 188
    assert np.mean(scores(records, "majority", "accuracy")) == pytest.approx(
        largest, abs=0.01
    )


def test_majority_of_nodes():
    graph = datasets.load("regular").graphs[:1]
    y = np.r_[np.zeros(14, dtype=int), np.ones(6, dtype=int)]
    records = evaluate_nodes(Dataset("nodes", graph, y, "node"), ["majority"], repeats=3)
    assert len(records) == 6
    assert np.mean(scores(records, "majority", "accuracy")) == pytest.approx(0.7, abs=0.15)
    several = np.column_stack([y, 1 - y, y])
    records = evaluate_nodes(Dataset("nodes", graph, several, "node"), ["majority"])
    assert all(0 <= score <= 1 for score in scores(records, "majority", "micro_f1"))
    with pytest.raises(InputError, match="'mean' embeds graphs only"):
        evaluate_nodes(Dataset("nodes", graph, y, "node"), ["mean"])
