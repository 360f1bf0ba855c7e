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
from gskn.estimators import _sample
from gskn.evaluation import MODELS, Model, ResultFile, _patterns, _svm, evaluate
from gskn.evaluation._part import Part
from gskn.evaluation._patterns import PatternRows
from gskn.evaluation._protocols import _Run, split
from gskn.evaluation._shared import Shared
from gskn.exceptions import InputError

FAST = Model(
    "fast",
    "two embeddings, two classifiers",
    ({"branches": ("walk",)}, {"branches": ("anonymous",), "anonymous_length": 4}),
    ({"kernel": "linear", "C": 0.01}, {"kernel": "rbf", "C": 1.0}),
)


@pytest.fixture(scope="module")
def data():
    return datasets.load("regular")


def test_regular_graphs_are_told_apart_by_patterns_and_by_chance_without(data):
    patterns = evaluate(data, ["aw"])
    walks = evaluate(data, ["rw"])
    assert [r.scores["accuracy"] for r in patterns] == [1.0] * 10
    assert np.mean([r.scores["accuracy"] for r in walks]) == pytest.approx(0.5, abs=0.05)


def test_a_record_says_all_there_is_to_know(data):
    record = evaluate(data, [FAST], seed=3)[4]
    assert (record.data, record.model, record.protocol) == ("regular", "fast", "nested")
    assert (record.repeat, record.fold, record.seed) == (0, 4, 3)
    assert record.chosen["embedding"]["branches"] == ["anonymous"]
    assert set(record.scores) >= {"accuracy", "roc_auc", "macro_f1"}
    assert set(record.seconds) == {"embed", "choose", "classify"}
    assert record.peak_mebibytes > 10
    assert "numpy" in record.versions
    json.dumps(record.key)


def test_equal_seeds_give_equal_scores_and_repeats_differ(data):
    one, two = (evaluate(data, [FAST], repeats=2) for _ in range(2))
    assert [r.scores for r in one] == [r.scores for r in two]
    assert [r.repeat for r in one] == [0] * 10 + [1] * 10
    assert [r.seed for r in one] == [0] * 10 + [1] * 10


def test_a_run_resumes_where_it_stopped(data, tmp_path, monkeypatch):
    file = ResultFile(tmp_path / "runs.jsonl")
    choose, n_chosen, n_calls = _Run._choose, [], []

    def stop_after_three():
        n_calls.append(1)
        if len(n_calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(data, [FAST], results=file, advance=stop_after_three)
    assert len(file.read()) == 3
    monkeypatch.setattr(_Run, "_choose", lambda *a: n_chosen.append(1) or choose(*a))
    n_calls.clear()
    records = evaluate(data, [FAST], results=file, advance=lambda: n_calls.append(1))
    assert len(n_chosen) == 7
    assert len(n_calls) == len(records) == len(file.read()) == 10
    assert [r.scores for r in records] == [r.scores for r in evaluate(data, [FAST])]


def test_other_data_classes_or_defaults_are_another_run(data, tmp_path, monkeypatch):
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


def test_the_filters_of_warnings_are_left_alone(data):
    before = list(warnings.filters)
    evaluate(data, [FAST], n_jobs=2)
    assert warnings.filters == before


def test_the_paper_protocol_is_another_run_and_never_below_by_design(data, tmp_path):
    """Chosen on the test folds, accuracy is the best there is."""
    file = ResultFile(tmp_path / "runs.jsonl")
    honest = evaluate(data, [FAST], results=file)
    flattered = evaluate(data, [FAST], protocol="paper", results=file)
    assert len(file.read()) == 20
    means = [np.mean([r.scores["accuracy"] for r in rs]) for rs in (honest, flattered)]
    assert means[0] <= means[1]
    assert evaluate(data, [FAST], protocol="paper", results=file) == flattered


def test_training_and_test_parts_never_meet(data):
    for train, test in split(data, "stratified", 0):
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(data.y)
    tests = np.concatenate([test for _, test in split(data, "stratified", 0)])
    assert sorted(tests.tolist()) == list(range(len(data.y)))


def test_published_folds_where_they_are(real_data):
    data = datasets.load("MUTAG", real_data)
    for (train, test), expected in zip(
        split(data, "published", 0), data.folds["published"], strict=True
    ):
        np.testing.assert_array_equal(test, expected)
        assert len(train) + len(test) == 188


def with_folds(data, tests):
    return Dataset(data.name, data.graphs, data.y, "graph", {"published": tuple(tests)})


@pytest.mark.parametrize("protocol", ["nested", "paper"])
def test_other_published_folds_are_another_run(data, tmp_path, protocol):
    file = ResultFile(tmp_path / "runs.jsonl")
    options = {"models": ["ldp"], "protocol": protocol, "folds": "published"}
    every_tenth = [np.arange(n, 100, 10) for n in range(10)]
    in_a_row = [np.r_[5 * n : 5 * n + 5, 50 + 5 * n : 55 + 5 * n] for n in range(10)]
    first = evaluate(with_folds(data, every_tenth), results=file, **options)
    second = evaluate(with_folds(data, in_a_row), results=file, **options)
    assert len(file.read()) == 20
    fresh = evaluate(with_folds(data, in_a_row), **options)
    assert [r.scores for r in second] == [r.scores for r in fresh]
    # The same folds in another order and type are on file.
    reordered = [test[::-1].astype(np.int32) for test in every_tenth]
    assert evaluate(with_folds(data, reordered), results=file, **options) == first
    assert len(file.read()) == 20


def test_stratified_folds_follow_from_data_and_seed_and_keep_their_keys(data):
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
    for name in ("_fold", "_best_on_test"):
        monkeypatch.delattr(_Run, name)  # nothing is run again
    for name in ("MUTAG", "PTC"):
        data = datasets.load(name, real_data)
        paper = {"protocol": "paper", "folds": "published"}
        assert len(evaluate(data, ["rw", "aw"], results=file, **paper)) == 20
        assert len(evaluate(data, ["gskn", "wl"], repeats=3, results=file)) == 60
    assert len(file.read()) == n_records


def test_more_threads_than_folds_are_not_started(data):
    records = evaluate(data, ["ldp"], n_jobs=10**9)
    assert [r.scores for r in records] == [r.scores for r in evaluate(data, ["ldp"])]


def test_embeddings_see_the_training_part_alone(data, monkeypatch):
    """And so does the scaling of their rows."""
    names = np.arange(len(data.y)).astype(str)
    named = Dataset("named", replace(data.graphs, graph_names=names), data.y)
    seen, scaled = [], []
    fit, standardize = GSKN.fit_transform, _svm.standardize

    def watched(self, graphs):
        seen.append({int(name) for name in graphs.graph_names})
        return fit(self, graphs)

    monkeypatch.setattr(GSKN, "fit_transform", watched)
    monkeypatch.setattr(
        _svm, "standardize", lambda a, b: scaled.append(len(a)) or standardize(a, b)
    )
    evaluate(named, [FAST])
    allowed = [set(train.tolist()) for train, _ in split(data, "stratified", 0)]
    assert all(graphs in allowed for graphs in seen)
    assert len(seen) == 10  # for patterns see the test of `PatternRows`
    assert set(scaled) == {90}


def test_models_of_a_run_share_what_they_embed(data, monkeypatch):
    """And each gets the rows that it would have got alone."""
    alone = [evaluate(data, [name]) for name in ("aw", "rw", "rw+aw")]
    seen = []
    fit = GSKN.fit_transform
    monkeypatch.setattr(GSKN, "fit_transform", lambda *a: seen.append(1) or fit(*a))
    together = evaluate(data, ["aw", "rw", "rw+aw"])
    assert len(seen) == 10  # patterns are counted for all folds at once
    assert [r.scores for r in together] == [r.scores for run in alone for r in run]


def test_a_part_gives_the_rows_of_the_estimator():
    """Also where it takes them from another setting."""
    graphs = datasets.load("structure").graphs[::16]
    numbers = np.arange(graphs.n_graphs)
    part = Part(Shared(graphs, n_jobs=None), numbers[::2], numbers[1::2], seed=3)
    train, test = graphs[::2], graphs[1::2]
    first = {"branches": ("walk", "joint", "anonymous"), "anonymous_length": 4}
    for change in (
        {},
        {"pooling": "mean"},
        {"pooling": "log"},
        {"alpha": 0.5},
        {"beta": 0.5},
        {"attributes": "degrees"},
        {"method": "sampled", "n_walks": 5},
        {"method": "sampled", "n_walks": 5, "alpha": 0.5},
        {"walk_length": 2},
        {"anonymous_length": 3},
        {"weighting": "count"},
        {"branches": ("walk", "anonymous"), "n_layers": 2},
        {"branches": ("walk", "anonymous"), "n_layers": 2, "alpha": 0.5},
    ):
        setting = {**first, **change}
        model = GSKN(random_state=3, **setting).fit(train)
        rows, others = part.rows(MODELS["gskn"], setting)
        np.testing.assert_allclose(rows, model.transform(train), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(others, model.transform(test), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["gntk-labels", "wwl-labels", "rw-kernel", "wl", "sp"])
def test_graphs_are_compared_once_for_all_kernels_made_of_it(monkeypatch, name):
    graphs, model = datasets.load("structure").graphs[::16], MODELS[name]
    kind, train = model.estimator, np.arange(0, graphs.n_graphs, 2)
    test = np.setdiff1d(np.arange(graphs.n_graphs), train)
    seen, compare = [], kind.compare
    monkeypatch.setattr(kind, "compare", lambda *a: seen.append(1) or compare(*a))
    shared = Shared(graphs, n_jobs=None)
    found = [Part(shared, train, test, 0).rows(model, s) for s in model.embeddings]
    finishing = kind().finishing
    kept = [{k: v for k, v in s.items() if k not in finishing} for s in model.embeddings]
    assert len(seen) == len({repr(setting) for setting in kept})
    for setting, (rows, others) in zip(model.embeddings, found, strict=True):
        kernel = kind(**setting).fit_transform(graphs)
        np.testing.assert_allclose(rows, kernel[np.ix_(train, train)], atol=1e-9)
        np.testing.assert_allclose(others, kernel[np.ix_(test, train)], atol=1e-9)


def test_counts_of_all_graphs_give_the_rows_of_a_fit(monkeypatch):
    """However few graphs it is fitted to, and in however many runs they are counted."""
    monkeypatch.setattr(_patterns, "_RUN_NODES", 100)
    monkeypatch.setattr(_sample, "FIT_NODES", 150)
    graphs = datasets.load("structure").graphs[::16]
    train, test = np.arange(15), np.arange(15, graphs.n_graphs)
    patterns = PatternRows(graphs, n_jobs=None)
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
        rows, others = patterns.embed(model, train, test)
        model.fit(graphs[train])
        np.testing.assert_allclose(rows, model.transform(graphs[train]), rtol=1e-9)
        np.testing.assert_allclose(others, model.transform(graphs[test]), rtol=1e-9)


def test_a_kernel_that_learns_nothing_is_computed_once(data, monkeypatch):
    seen = []
    compare = WLKernel.compare
    monkeypatch.setattr(WLKernel, "compare", lambda *a: seen.append(1) or compare(*a))
    shared = evaluate(data, ["wl"])
    assert len(seen) == len(MODELS["wl"].embeddings)
    monkeypatch.setattr(WLKernel, "learns_from", lambda *_: True)
    assert [r.scores for r in evaluate(data, ["wl"])] == [r.scores for r in shared]
    assert len(seen) == 11 * len(MODELS["wl"].embeddings)  # ten folds more


@pytest.mark.parametrize(
    "protocol", ["nested", pytest.param("paper", marks=pytest.mark.slow)]
)
def test_every_named_model_runs(data, protocol):
    few = np.r_[0:4, 50:54]
    small = Dataset("small", data.graphs[few], data.y[few])
    refusals = {}
    records = evaluate(small, list(MODELS), protocol=protocol, refusals=refusals)
    assert sorted(refusals) == ["hgk-sp", "hgk-wl"]  # there are no attributes
    assert "the graphs have none; give attributes" in refusals["hgk-wl"]
    # No more folds than the smallest class has graphs.
    assert len(records) == 4 * (len(MODELS) - 2)
    assert all(0 <= r.scores["accuracy"] <= 1 for r in records)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["gnn"]}, "no model 'gnn'; known are"),
        ({"protocol": "fair"}, "protocol must be one of"),
        ({"folds": "random"}, "folds must be one of"),
        ({"folds": "published"}, "no published folds"),
        ({"seed": 2**32}, "seed must be at most 4294967295, got 4294967296"),
        ({"seed": 2**32 - 2, "repeats": 3}, "seed must be at most 4294967293"),
        ({"repeats": 10**18}, "repeats must be at most 10000"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or at least 1"),
        ({"n_jobs": -2}, "n_jobs must be at least -1"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_what_cannot_be_is_refused(data, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(data, **options)


def test_a_class_of_one_graph_is_refused(data):
    y = np.zeros(len(data.y), dtype=int)
    y[0] = 1
    with pytest.raises(InputError, match="has one graph"):
        evaluate(Dataset("odd", data.graphs, y))


@pytest.mark.parametrize("protocol", ["nested", "paper"])
def test_kernels_are_models_like_others(protocol):
    whole = datasets.load("structure")
    few = np.r_[0:20, 100:120]
    data = Dataset("two shapes", whole.graphs[few], whole.y[few])
    records = evaluate(data, ["wl", "aw"], protocol=protocol)
    assert len(records) == 20
    wl = [r for r in records if r.model == "wl"]
    assert wl[0].configuration["estimator"] == "WLKernel"
    assert wl[0].chosen["classifier"]["kernel"] == "precomputed"
    assert np.mean([r.scores["accuracy"] for r in wl]) > 0.6
