"""The evaluated model is the model that users fit."""

import numpy as np
import pytest

from gskn import GSKNClassifier, GSKNRegressor, datasets
from gskn.datasets import Dataset
from gskn.evaluation import _protocols, evaluate
from gskn.evaluation._model import as_json


def three_shapes():
    whole = datasets.structure(n_per_class=10, noise=0.5)
    few = whole.y < 3
    return whole.graphs[few], whole.y[few]


def molecules():
    data = datasets.load("MUTAG")
    return data.graphs[::3], np.where(data.y[::3] > 0, "yes", "no")


def sizes():
    graphs = datasets.load("MUTAG").graphs[::3]
    noise = np.random.default_rng(0).normal(size=graphs.n_graphs)
    return graphs, graphs.graph_sizes + noise


@pytest.mark.parametrize("make", [three_shapes, molecules, sizes])
def test_evaluated_model_equals_the_estimator(make, monkeypatch):
    graphs, y = make()
    tests = (np.arange(0, len(y), 3),)
    data = Dataset("data", graphs, y, "graph", {"published": tests})
    predictions = []
    for name in ("score_classes", "score_values"):
        score = getattr(_protocols, name)
        monkeypatch.setattr(
            _protocols,
            name,
            lambda y, p, *rest, score=score: predictions.append(p) or score(y, p, *rest),
        )
    records = evaluate(data, ["gskn"], folds="published", seed=5)
    has_values = data.targets == "values"
    estimator, machine = (
        (GSKNRegressor, "regressor") if has_values else (GSKNClassifier, "classifier")
    )
    for record, test, predicted in zip(records, tests, predictions, strict=True):
        train = np.setdiff1d(np.arange(len(y)), test)
        model = estimator(random_state=5).fit(graphs[train], y[train])
        selected = model.selected_
        name = "alpha" if has_values else "C"
        expected = {"kernel": selected.kernel, name: selected.strength}
        assert record.chosen[machine] == expected
        assert record.chosen["embedding"] == as_json(selected.params)
        (score,) = (
            row["score"]
            for row in selected.scores
            if row["params"] == selected.params
            and {"kernel": row["kernel"], name: row[name]} == expected
        )
        assert record.chosen["inner"] == pytest.approx(score, rel=1e-5)
        if has_values:
            np.testing.assert_allclose(model.predict(graphs[test]), predicted, rtol=1e-6)
        else:
            np.testing.assert_array_equal(model.predict(graphs[test]), predicted)
            score = model.score(graphs[test], y[test])
            assert record.scores["accuracy"] == pytest.approx(score, abs=1e-6)
