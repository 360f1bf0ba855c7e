import json
import shutil
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gskn import GSKN, datasets
from gskn.baselines import WLKernel
from gskn.datasets import Dataset
from gskn.estimators import _gram, _sample
from gskn.evaluation import MODELS, Model, ResultFile, evaluate
from gskn.evaluation._cache import EmbeddingCache
from gskn.evaluation._protocols import _Run, split
from gskn.exceptions import InputError
from gskn.layers import _anonymous

FAST = Model(
    "fast",
    "two embeddings, two classifiers",
    ({"branches": ("walk",)}, {"branches": ("anonymous",), "anonymous_length": 4}),
    ({"kernel": "linear", "C": 0.01}, {"kernel": "rbf", "C": 1.0}),
)


@pytest.fixture(scope="module")
def data():
    return datasets.load("regular")


def test_patterns_classify_regular_graphs_and_walks_do_not(data):
    patterns = evaluate(data, ["aw"])
    walks = evaluate(data, ["rw"])
    assert [r.scores["accuracy"] for r in patterns] == [1.0] * 10
    assert np.mean([r.scores["accuracy"] for r in walks]) == pytest.approx(0.5, abs=0.05)


def test_record_is_complete(data):
    record = evaluate(data, [FAST], seed=3)[4]
    assert (record.data, record.model, record.protocol) == ("regular", "fast", "nested")
    assert (record.repeat, record.fold, record.seed) == (0, 4, 3)
    assert record.chosen["embedding"]["branches"] == ["anonymous"]
    assert set(record.scores) >= {"accuracy", "roc_auc", "macro_f1"}
    assert set(record.seconds) == {"embed", "choose", "classify"}
    assert record.peak_mebibytes > 10
    assert "numpy" in record.versions
    json.dumps(record.key)


def test_equal_seeds_give_equal_scores(data):
    one, two = (evaluate(data, [FAST], repeats=2) for _ in range(2))
    assert [r.scores for r in one] == [r.scores for r in two]
    assert [r.repeat for r in one] == [0] * 10 + [1] * 10
    assert [r.seed for r in one] == [0] * 10 + [1] * 10


def test_interrupted_run_resumes(data, tmp_path, monkeypatch):
    file = ResultFile(tmp_path / "runs.jsonl")
    choose, n_chosen, n_calls = _Run._select, [], []

    def stop_after_three():
        n_calls.append(1)
        if len(n_calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(data, [FAST], results=file, advance=stop_after_three)
    assert len(file.read()) == 3
    monkeypatch.setattr(_Run, "_select", lambda *a: n_chosen.append(1) or choose(*a))
    n_calls.clear()
    records = evaluate(data, [FAST], results=file, advance=lambda: n_calls.append(1))
    assert len(n_chosen) == 7
    assert len(n_calls) == len(records) == len(file.read()) == 10
    assert [r.scores for r in records] == [r.scores for r in evaluate(data, [FAST])]


def test_changed_data_classes_or_defaults_are_another_run(data, tmp_path, monkeypatch):
    file = ResultFile(tmp_path / "runs.jsonl")
    few = np.r_[0:6, 50:56]
    small = Dataset("small", data.graphs[few], data.y[few])
    evaluate(small, ["aw"], results=file)
    shuffled = Dataset("small", small.graphs, np.roll(small.y, 3))
    evaluate(shuffled, ["aw"], results=file)
    assert len(file.read()) == 12
    evaluate(Dataset("small", small.graphs[::-1], small.y), ["aw"], results=file)
    assert len(file.read()) == 18
    evaluate(small, ["aw"], results=file)
    assert len(file.read()) == 18
    monkeypatch.setitem(GSKN.__init__.__kwdefaults__, "anonymous_length", 4)
    evaluate(small, ["aw"], results=file)
    assert len(file.read()) == 24


def test_warning_filters_are_unchanged(data):
    before = list(warnings.filters)
    evaluate(data, [FAST], n_jobs=2)
    assert warnings.filters == before


def test_paper_protocol_is_another_run_and_not_below_nested(data, tmp_path):
    """Selection on the test folds gives the best accuracy of the grid."""
    file = ResultFile(tmp_path / "runs.jsonl")
    nested = evaluate(data, [FAST], results=file)
    paper = evaluate(data, [FAST], protocol="paper", results=file)
    assert len(file.read()) == 20
    means = [np.mean([r.scores["accuracy"] for r in rs]) for rs in (nested, paper)]
    assert means[0] <= means[1]
    assert evaluate(data, [FAST], protocol="paper", results=file) == paper


def test_training_and_test_graphs_are_disjoint(data):
    for train, test in split(data, "stratified", 0):
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(data.y)
    tests = np.concatenate([test for _, test in split(data, "stratified", 0)])
    assert sorted(tests.tolist()) == list(range(len(data.y)))


def test_published_folds_are_used(real_data):
    data = datasets.load("MUTAG", real_data)
    for (train, test), expected in zip(
        split(data, "published", 0), data.folds["published"], strict=True
    ):
        np.testing.assert_array_equal(test, expected)
        assert len(train) + len(test) == 188


def with_folds(data, tests):
    return Dataset(data.name, data.graphs, data.y, "graph", {"published": tuple(tests)})


@pytest.mark.parametrize("protocol", ["nested", "paper"])
def test_changed_published_folds_are_another_run(data, tmp_path, protocol):
    file = ResultFile(tmp_path / "runs.jsonl")
    options = {"models": ["ldp"], "protocol": protocol, "folds": "published"}
    every_tenth = [np.arange(n, 100, 10) for n in range(10)]
    in_a_row = [np.r_[5 * n : 5 * n + 5, 50 + 5 * n : 55 + 5 * n] for n in range(10)]
    first = evaluate(with_folds(data, every_tenth), results=file, **options)
    second = evaluate(with_folds(data, in_a_row), results=file, **options)
    assert len(file.read()) == 20
    fresh = evaluate(with_folds(data, in_a_row), **options)
    assert [r.scores for r in second] == [r.scores for r in fresh]
    # Equal folds in another order and type are stored already.
    reordered = [test[::-1].astype(np.int32) for test in every_tenth]
    assert evaluate(with_folds(data, reordered), results=file, **options) == first
    assert len(file.read()) == 20


def test_stratified_folds_are_not_part_of_the_configuration(data):
    record = evaluate(data, ["ldp"])[0]
    assert set(record.configuration) == {
        *MODELS["ldp"].configuration,
        *("folds", "data"),
    }


def test_stored_results_can_be_resumed(real_data, tmp_path, monkeypatch):
    stored = Path(__file__).parents[2] / "docs" / "results" / "records.jsonl"
    if not stored.exists():
        pytest.skip("needs the documentation")
    file = ResultFile(shutil.copy(stored, tmp_path))
    n_records = len(file.read())
    for name in ("_nested_fold", "_best_on_test"):
        monkeypatch.delattr(_Run, name)  # fails if a fold is run
    for name in ("MUTAG", "PTC"):
        data = datasets.load(name, real_data)
        assert len(evaluate(data, ["wl", "sp"], repeats=3, results=file)) == 60
    assert len(file.read()) == n_records


def test_number_of_threads_does_not_change_scores(data):
    records = evaluate(data, ["ldp"], n_jobs=10**9)
    assert [r.scores for r in records] == [r.scores for r in evaluate(data, ["ldp"])]


def test_embeddings_and_scaling_are_fitted_to_the_training_graphs(data, monkeypatch):
    names = np.arange(len(data.y)).astype(str)
    named = Dataset("named", replace(data.graphs, graph_names=names), data.y)
    seen, scaled = [], []
    fit, standardize = GSKN.fit, _gram.standardize

    def watched(self, graphs):
        seen.append({int(name) for name in graphs.graph_names})
        return fit(self, graphs)

    monkeypatch.setattr(GSKN, "fit", watched)
    monkeypatch.setattr(
        _gram, "standardize", lambda a, b: scaled.append(len(a)) or standardize(a, b)
    )
    evaluate(named, [FAST])
    allowed = [set(train.tolist()) for train, _ in split(data, "stratified", 0)]
    assert all(graphs in allowed for graphs in seen)
    assert len(seen) == 10  # one fit of the walk branch per fold
    assert set(scaled) == {90}


def test_models_of_a_run_share_embeddings(data, monkeypatch):
    alone = [evaluate(data, [name]) for name in ("aw", "rw", "rw+aw")]
    seen = []
    fit = GSKN.fit
    monkeypatch.setattr(GSKN, "fit", lambda *a: seen.append(1) or fit(*a))
    together = evaluate(data, ["aw", "rw", "rw+aw"])
    assert len(seen) == 10  # one fit of the walk branch per fold
    assert [r.scores for r in together] == [r.scores for run in alone for r in run]


def test_split_embeddings_match_the_estimator():
    """Also if they are taken from other parameters of the grid."""
    graphs = datasets.load("structure").graphs[::16]
    numbers = np.arange(graphs.n_graphs)
    part = EmbeddingCache(graphs, n_jobs=None).split(numbers[::2], numbers[1::2], seed=3)
    train, test = graphs[::2], graphs[1::2]
    first = {"branches": ("walk", "joint", "anonymous"), "anonymous_length": 4}
    for change in (
        {},
        {"pooling": "mean"},
        {"pooling": "log"},
        {"alpha": 0.5},
        {"beta": 0.5},
        {"node_features": "degrees"},
        {"method": "sampled", "n_walks": 5},
        {"method": "sampled", "n_walks": 5, "alpha": 0.5},
        {"walk_length": 2},
        {"anonymous_length": 3},
        {"weighting": "count"},
        {"branches": ("walk", "anonymous"), "n_layers": 2},
        {"branches": ("walk", "anonymous"), "n_layers": 2, "alpha": 0.5},
    ):
        params = {**first, **change}
        model = GSKN(random_state=3, **params).fit(train)
        train_embeddings, test_embeddings = part.embed(MODELS["gskn"], params)
        np.testing.assert_allclose(
            train_embeddings, model.transform(train), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(
            test_embeddings, model.transform(test), rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("name", ["gntk-labels", "wwl-labels", "rw-kernel", "wl", "sp"])
def test_kernels_that_differ_in_postprocessing_share_the_comparison(monkeypatch, name):
    graphs, model = datasets.load("structure").graphs[::16], MODELS[name]
    kind, train = model.estimator, np.arange(0, graphs.n_graphs, 2)
    test = np.setdiff1d(np.arange(graphs.n_graphs), train)
    seen, compare = [], kind.compare
    monkeypatch.setattr(kind, "compare", lambda *a: seen.append(1) or compare(*a))
    shared = EmbeddingCache(graphs, n_jobs=None)
    found = [shared.split(train, test, 0).embed(model, s) for s in model.grid]
    excluded = kind.postprocess_parameters
    kept = [{k: v for k, v in p.items() if k not in excluded} for p in model.grid]
    assert len(seen) == len({repr(setting) for setting in kept})
    for setting, (rows, others) in zip(model.grid, found, strict=True):
        kernel = kind(**setting).fit_transform(graphs)
        np.testing.assert_allclose(rows, kernel[np.ix_(train, train)], atol=1e-9)
        np.testing.assert_allclose(others, kernel[np.ix_(test, train)], atol=1e-9)


def test_precomputed_patterns_match_a_fit(monkeypatch):
    """For any sample of graphs, and any number of runs in which graphs are counted."""
    monkeypatch.setattr(_anonymous, "STATISTICS_NODES", 100)
    monkeypatch.setattr(_sample, "FIT_NODES", 150)
    graphs = datasets.load("structure").graphs[::16]
    train, test = np.arange(15), np.arange(15, graphs.n_graphs)
    patterns = GSKN.precompute(graphs)
    for length, weighting, aggregate in (
        (5, "count", True),
        (4, "count", True),
        (6, "count", False),  # more patterns than landmarks
        (6, "probability", False),
        (6, "probability", True),
    ):
        model = GSKN(
            ("anonymous",),
            anonymous_length=length,
            weighting=weighting,
            aggregate=aggregate,
            random_state=1,
        )
        rows, others = patterns.split(train, test).embed(model)
        model.fit(graphs[train])
        np.testing.assert_allclose(rows, model.transform(graphs[train]), rtol=1e-9)
        np.testing.assert_allclose(others, model.transform(graphs[test]), rtol=1e-9)


def test_kernel_without_training_is_computed_once(data, monkeypatch):
    seen = []
    compare = WLKernel.compare
    monkeypatch.setattr(WLKernel, "compare", lambda *a: seen.append(1) or compare(*a))
    shared = evaluate(data, ["wl"])
    assert len(seen) == len(MODELS["wl"].grid)
    monkeypatch.setattr(WLKernel, "depends_on_training", lambda *_: True)
    assert [r.scores for r in evaluate(data, ["wl"])] == [r.scores for r in shared]
    assert len(seen) == 11 * len(MODELS["wl"].grid)  # ten folds more


@pytest.mark.parametrize(
    "protocol", ["nested", pytest.param("paper", marks=pytest.mark.slow)]
)
def test_every_model_runs(data, protocol):
    few = np.r_[0:4, 50:54]
    small = Dataset("small", data.graphs[few], data.y[few])
    skipped = {}
    names = [name for name, model in MODELS.items() if model.extra is None]
    records = evaluate(small, names, protocol=protocol, skipped=skipped)
    # There are no attributes and no real targets.
    assert sorted(skipped) == ["hgk-sp", "hgk-wl", "mean"]
    assert "the graphs have none; add node attributes" in skipped["hgk-wl"]
    # There are as many folds as graphs in the smallest class.
    assert len(records) == 4 * (len(names) - 3)
    assert all(0 <= r.scores["accuracy"] <= 1 for r in records)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["gnn"]}, "no model 'gnn'; did you mean 'gin' or 'gcn'"),
        ({"protocol": "fair"}, "protocol must be one of"),
        ({"folds": "random"}, "folds must be one of"),
        ({"folds": "published"}, "no published folds"),
        ({"seed": 2**32}, "seed must be at most 4294967295, got 4294967296"),
        ({"seed": 2**32 - 2, "repeats": 3}, "seed must be at most 4294967293"),
        ({"repeats": 10**18}, "repeats must be at most 10000"),
        ({"n_jobs": 0}, "n_jobs must be None, a number of threads, or negative .* got 0"),
        ({"n_jobs": 1.5}, "n_jobs must be None or an integer, got 1.5"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_invalid_arguments_raise(data, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(data, **options)


def test_class_with_one_graph_raises(data):
    y = np.zeros(len(data.y), dtype=int)
    y[0] = 1
    with pytest.raises(InputError, match="has one graph"):
        evaluate(Dataset("odd", data.graphs, y))


@pytest.mark.parametrize("protocol", ["nested", "paper"])
def test_kernel_models_run(protocol):
    whole = datasets.load("structure")
    few = np.r_[0:20, 100:120]
    data = Dataset("two shapes", whole.graphs[few], whole.y[few])
    records = evaluate(data, ["wl", "aw"], protocol=protocol)
    assert len(records) == 20
    wl = [r for r in records if r.model == "wl"]
    assert wl[0].configuration["estimator"] == "WLKernel"
    assert wl[0].chosen["classifier"]["kernel"] == "precomputed"
    assert np.mean([r.scores["accuracy"] for r in wl]) > 0.6


@pytest.mark.parametrize("model", ["wl", "ldp"])
def test_embeddings_that_are_equal_for_all_graphs_are_as_good_as_guessing(model):
    """Rounding errors must not depend on the position of a graph in the test part."""
    data = datasets.regular()
    for protocol in ("nested", "paper"):
        records = evaluate(data, [model], protocol=protocol)
        assert {record.scores["accuracy"] for record in records} == {0.5}
        assert {record.scores["roc_auc"] for record in records} == {0.5}
