import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from gskn import datasets
from gskn.baselines import BASELINES
from gskn.datasets import Dataset
from gskn.evaluation import MODELS, Record, ResultFile
from gskn.exceptions import InputError
from gskn.reproduce import (
    EXPERIMENTS,
    Runner,
    _network_times,
    _times,
    find_experiment,
)
from gskn.reproduce import _printed as printed
from gskn.reproduce._baselines import baseline_jobs, baseline_rows
from gskn.reproduce._experiments import _graph_jobs
from gskn.reproduce._jobs import Job
from gskn.reproduce._leak import leak_rows, run_leak
from gskn.reproduce._network_times import n_network_times, run_network_times
from gskn.reproduce._networks import network_jobs, network_rows
from gskn.reproduce._parameters import (
    parameter_figure,
    parameter_models,
    parameter_rows,
)
from gskn.reproduce._ranks import pattern_rows, rank_rows
from gskn.reproduce._reasons import estimate_hours, model_on
from gskn.reproduce._tables import graph_rows, node_rows, structure_rows
from gskn.reproduce._times import run_times, time_figure, time_rows


def records_of(data, model, accuracies, protocol="nested", **scores):
    return [
        Record(data, model, protocol, 0, n, 0, {}, {"accuracy": a, **scores})
        for n, a in enumerate(accuracies)
    ]


class SmallRunner(Runner):
    """Loads a small part of a built-in data set under any name."""

    def load(self, name):
        whole = datasets.load("structure")
        part = np.r_[0:12, 100:112]
        return Dataset(name, whole.graphs[part], whole.y[part])


def test_experiments_are_found_by_name_or_number_in_the_paper():
    assert find_experiment("table4").name == "graphs"
    assert find_experiment("Table 4").name == "graphs"
    assert find_experiment("figure5").name == "parameters-proteins"
    assert find_experiment("leak").name == "leak"
    for name in ("table9", "", " ", "-"):
        with pytest.raises(
            InputError, match=f"Unknown experiment '{name}'. Known: statistics"
        ):
            find_experiment(name)


def test_printed_numbers_are_complete():
    assert len(printed.GRAPHS) == 6
    assert len(printed.CONTINUOUS) == len(printed.NODES) == 3
    for table, n_systems, n_numbers in (
        (printed.GRAPHS, 13, 2),
        (printed.CONTINUOUS, 6, 2),
        (printed.NODES, 7, 4),
        (printed.ABLATION, 4, 1),
    ):
        for data, cells in table.items():
            assert len(cells) == n_systems, data
            for system, cell in cells.items():
                numbers = [float(number) for number in cell.split()]
                assert len(numbers) == n_numbers, (data, system)
                assert 0 < numbers[0] < 100, (data, system)
                if n_numbers == 2:
                    assert 0 < numbers[1] < 10, (data, system)  # standard deviation
    assert printed.GRAPHS["PTC"]["GSKN"] == "85.2 5.1"
    assert printed.CONTINUOUS["COX2"]["HGK-SP"] == "72.6 1.2"
    assert printed.TIMES["COLLAB"]["AWE"] == "> 48 h"


def test_printed_tables_agree_with_each_other():
    for data, cells in printed.ABLATION.items():
        assert cells["RW + AW"] == printed.GRAPHS[data]["GSKN"].split()[0]
    for data, cells in printed.CONTINUOUS.items():
        assert cells["WWL"].split()[0] == printed.LITERATURE[data]["WWL"]
    data = {*printed.GRAPHS, *printed.CONTINUOUS, *printed.NODES}
    assert data == {*printed.STATISTICS["graphs"]}
    assert data >= {*printed.TIMES, *printed.LITERATURE}


def test_table_has_the_paper_and_both_protocols_side_by_side():
    records = [
        *records_of("MUTAG", "a", [0.8, 0.9]),
        *records_of("MUTAG", "a", [0.9, 1.0], "paper"),
        *records_of("MUTAG", "b", [0.7, 0.7]),
    ]
    table = {"MUTAG": {"GCKN": "92.8 6.1", "GSKN": "93.3 3.3"}}
    rows = graph_rows(records, table, {"GSKN": "a", "RW": "b"}, {"RW": "GSKN"})
    assert [row["system"] for row in rows] == ["GCKN", "GSKN", "RW"]
    gckn, gskn, rw = rows
    assert (gckn["paper"], gckn["ours, nested"]) == ("92.8 ± 6.1", "missing")
    assert gskn["ours, paper protocol"] == "95.0 ± 5.0"
    assert gskn["ours, nested"] == "85.0 ± 5.0"
    assert (rw["paper"], rw["ours, paper protocol"]) == ("-", "nested only")
    assert rw["compared"].startswith("equal (-15.0, p = 0.")


def test_significant_difference_is_reported():
    noise = np.tile([0.0, 0.01], 15)
    records = [
        *records_of("MUTAG", "a", 0.9 + noise),
        *records_of("MUTAG", "b", 0.7 - noise),
    ]
    (row,) = graph_rows(records, {"MUTAG": {"RW": ""}}, {"RW": "b", "G": "a"}, {"RW": "G"})[
        :1
    ]
    assert row["compared"].startswith("below (-21.0")


def test_structure_table_has_the_recall_of_each_shape():
    recalls = {f"recall_{n}": (1 + n) / 10 for n in range(4)}
    records = records_of("structure", "rw+aw", [0.5], **recalls)
    rows = structure_rows(records, {"GSKN": "rw+aw"})
    paper, _, ours = [row for row in rows if row["system"] == "GSKN"]
    assert paper["Cycle"] == "99.5"
    shapes = [ours[shape] for shape in ("Cycle", "Path", "Wheel", "Ladder", "average")]
    assert shapes == ["10.0", "20.0", "30.0", "40.0", "50.0"]
    assert next(row for row in rows if row["system"] == "GIN")["Cycle"] == "-"


def test_node_table_has_columns_by_share_and_metric():
    records = [
        Record(
            "cora",
            "m",
            "nodes-70",
            n,
            0,
            n,
            {},
            {"macro_f1": 0.5, "micro_f1": 0.6 + n / 10},
        )
        for n in range(2)
    ]
    rows = node_rows(records, {"GSKN": "m"})
    row = next(r for r in rows if (r["data"], r["system"]) == ("cora", "GSKN"))
    assert row["micro 70%, paper"] == "80.55"
    assert row["micro 70%, ours"] == "65.00 ± 7.07"
    assert row["micro 30%, ours"] == "missing"


def test_node_table_without_numbers_of_the_paper():
    scores = {"macro_f1": 0.5, "micro_f1": 0.6}
    records = [Record("lastfm", "m", "nodes-30", n, 0, n, {}, scores) for n in range(2)]
    (row,) = node_rows(records, {"GSKN": "m"}, {"lastfm": {}})
    assert row["macro 30%"] == "50.00 ± 0.00"
    assert row["micro 70%"] == "missing"
    assert not any("paper" in name for name in row)


def test_quick_run_is_a_part_of_the_full_run(tmp_path):
    quick, full = (_graph_jobs(["MUTAG"], q) for q in (True, False))
    assert sum(job.cost for job in quick) < sum(job.cost for job in full) / 3
    assert {name for job in full for name in job.models} >= {"gskn", "gskn-rw", "gskn-aw"}
    assert all(name in MODELS for job in full for name in job.models)
    costs = []
    runner = Runner(results=ResultFile(tmp_path / "r.jsonl"), advance=costs.append)
    job = Job("regular", ["aw"], "nested")
    first = job.run(runner)
    assert len(first) == 10
    assert job.run(runner) == first
    assert sum(costs) == 2 * job.cost


def test_transform_per_batch_depends_on_the_order_of_the_file(tmp_path):
    """In a sorted file the batch determines the class; in a shuffled file it does not."""
    whole = datasets.load("structure")
    part = np.r_[0:64, 100:164]

    class TwoClasses(Runner):
        def load(self, name):
            return Dataset(name, whole.graphs[part], whole.y[part])

    runner = TwoClasses(results=ResultFile(tmp_path / "r.jsonl"))
    records = run_leak(runner, ["two"])
    rows = {row["embeddings"]: row for row in leak_rows(records)}
    number = rows["only the number of the batch"]
    assert number["file sorted"] == "100.0 ± 0.0"
    assert float(number["file shuffled"].split()[0]) < 70
    assert run_leak(runner, ["two"]) == records


def test_parameter_figure_has_exact_patterns_as_a_reference():
    models = parameter_models()
    assert len({model.name for model in models}) == len(models)
    records = [r for m in models for r in records_of("PTC", m.name, [0.5, 0.6])]
    rows = parameter_rows(records, "PTC")
    assert len(rows) == len(models) - 1
    assert {row["parameter"] for row in rows} == {
        "anonymous_length",
        "n_walks",
        "alpha = beta",
        "n_landmarks",
    }
    figure = parameter_figure(records, "PTC")
    assert len(figure.axes) == 4
    assert parameter_rows(records[:-2], "PTC") == []  # one model is missing
    assert parameter_figure(records, "PROTEINS") is None
    more = [replace(r, repeat=1, scores={"accuracy": 1.0}) for r in records[:2]]
    assert parameter_rows(records + more, "PTC") == rows  # a repeat of one model only


def test_times_are_measured_once(tmp_path, monkeypatch):
    measured, measure = [], _times._time

    def count(blank, *arguments):
        measured.append((blank.data, blank.model))
        return measure(blank, *arguments)

    monkeypatch.setattr(_times, "_time", count)
    runner = SmallRunner(results=ResultFile(tmp_path / "r.jsonl"))
    quick = run_times(runner, [200, 400], quick=True)
    assert measured == [(r.data, r.model) for r in quick]
    assert ("COLLAB", "AWE") not in measured
    records = run_times(runner, [200, 400])
    assert [r for r in records if r in quick] == quick
    assert len(measured) == len({*measured}) == len(records)
    assert run_times(runner, [200, 400]) == records
    assert len(measured) == len(records)
    rows = {(row["data"], row["system"]): row for row in time_rows(records)}
    assert rows["COLLAB", "GSKN"]["paper"] == "15.3"
    assert rows["MUTAG", "DDGK"]["ours"] == "missing"
    minutes = {(r.data, r.model): r.scores["minutes"] for r in records}
    for system in ("GSKN", "AWE", "WL kernel"):
        assert rows["COLLAB", system]["ours"] == f"{minutes['COLLAB', system]:.4f}"
    assert "Edges" in time_figure(records).axes[0].get_xlabel()


@pytest.mark.torch
def test_times_of_networks_are_measured_beside_gskn(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="needs the torch extra")

    class WithNodes(SmallRunner):
        def load(self, name):
            data = super().load(name)
            if name != "cora":
                return data
            y = (data.graphs.degrees > 2).astype(int)
            return Dataset(name, data.graphs, y, task="node")

    all_sets = _network_times._SETS
    names = {"MUTAG": ["GSKN", "GIN", "DDGK"], "cora": ["GSKN", "GCN, by classes", "GCN"]}
    few = {data: {n: all_sets[data][n] for n in names[data]} for data in names}
    for systems in few.values():
        for system, estimator in systems.items():
            short = {"max_epochs": 2, "ddgk__n_steps": 2}
            systems[system] = clone(estimator).set_params(
                **{n: v for n, v in short.items() if n in estimator.get_params()}
            )
    monkeypatch.setattr(_network_times, "_SETS", few)
    runner = WithNodes(results=ResultFile(tmp_path / "r.jsonl"))
    records = run_network_times(runner, quick=False)
    assert len(records) == n_network_times(quick=False) == 6
    assert all(min(r.scores["fit"], r.scores["predict"]) > 0 for r in records)
    assert run_network_times(runner, quick=True) == records[:3]  # stored
    experiment = EXPERIMENTS["network-times"]
    assert all(experiment.owns(record) for record in records)
    rows = experiment.rows(records[:-1])
    assert [(r["data"], r["system"]) for r in rows] == [(r.data, r.model) for r in records]
    assert rows[0]["fit"] == f"{records[0].scores['fit']:.3f}"
    assert rows[-1] == {
        "data": "cora", "system": "GCN", "fit": "missing", "predict": "missing"
    }  # fmt: skip
    assert set(all_sets) == {"MUTAG", "PTC", "IMDB-BINARY", "cora"}


def test_times_without_torch_are_those_of_gskn(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    few = {n: _network_times._SETS["MUTAG"][n] for n in ("GSKN", "GIN")}
    monkeypatch.setattr(_network_times, "_SETS", {"MUTAG": few})
    with pytest.warns(UserWarning, match="GIN is skipped on MUTAG. torch is required"):
        records = run_network_times(SmallRunner(), quick=True)
    assert [record.model for record in records] == ["GSKN"]


def test_time_of_ddgk_is_the_longest_fold():
    folds = [
        replace(record, seconds={"embed": 60.0 * n, "choose": 5.0})
        for n, record in enumerate(records_of("MUTAG", "ddgk", [0.8, 0.9, 0.8]))
    ]
    rows = {(row["data"], row["system"]): row for row in time_rows(folds)}
    assert rows["MUTAG", "DDGK"] == {
        "data": "MUTAG", "system": "DDGK", "paper": "70.2", "ours": "2.0000"
    }  # fmt: skip
    assert rows["COLLAB", "DDGK"]["ours"] == "missing"


def test_statistics_show_numbers_of_the_paper_that_differ(real_data):
    experiment = EXPERIMENTS["statistics"]
    records = experiment.run(Runner(data_home=real_data), True)
    rows = {row["data"]: row for row in experiment.rows(records)}
    assert rows["MUTAG"]["nodes"] == "18"
    assert rows["PTC"]["edges"] == "26 (paper: 51)"
    assert rows["BZR"]["attributes"] == "labels + 3 (paper: 3)"


def test_tables_can_be_made_from_incomplete_records():
    """Records of other experiments are ignored, and cells without records are missing."""
    some = records_of("MUTAG", "rw+aw-64", [0.8, 0.9])
    uneven = [replace(r, repeat=1) for r in some][:1]
    for experiment in EXPERIMENTS.values():
        assert isinstance(experiment.rows([]), list)
        assert isinstance(experiment.rows(some + uneven), list)
    rows = EXPERIMENTS["graphs"].rows(some + uneven)
    ours = next(row for row in rows if row["system"] == "GSKN" and row["data"] == "MUTAG")
    assert ours["ours, nested"] == "85.0 ± 5.0"
    assert "TEST folds" in EXPERIMENTS["graphs"].caption
    assert "paper protocol" not in EXPERIMENTS["parameters-ptc"].caption


def test_captions_explain_only_what_the_table_contains():
    regular = EXPERIMENTS["regular"]
    caption = regular.caption_of([{"system": "GSKN", "ours, nested": "100.0 ± 0.0"}])
    assert "paper protocol: the best" in caption
    assert caption.endswith("± is the standard deviation over folds.")
    assert not re.search("missing|not run|nested only|GraphSTONE", caption)
    rows = [{"system": "GraphSTONE", "ours, nested": "missing"}]
    assert "missing: not run" in regular.caption_of(rows)
    assert "GraphSTONE has no published program" in regular.caption_of(rows)


def test_baselines_are_compared_with_gskn():
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.01, 30)
    by_model = {"gskn": base, "wl": base - 0.1 + rng.normal(0, 0.01, 30), "ldp": base}
    records = [
        Record("MUTAG", model, "nested", n // 10, n % 10, n // 10, {}, {"accuracy": a})
        for model, accuracies in by_model.items()
        for n, a in enumerate(accuracies)
    ]
    rows = {row["system"]: row for row in baseline_rows(records)}
    assert rows["WL subtree"]["MUTAG"].endswith(" <")
    assert rows["LDP"]["MUTAG"] == rows["GSKN, chosen"]["MUTAG"]
    assert rows["LDP"]["PTC"] == rows["HGK-WL"]["BZR"] == "missing"
    assert rows["HGK-WL"]["PTC"] == "-"
    assert rows["WL subtree, published"]["MUTAG"] == "85.8"
    assert "LDP, published" not in rows
    assert rows["GSKN, chosen"]["MUTAG"].startswith("79.9 ±")


def test_ranks_contain_models_with_all_sets_and_counts_of_significant_differences():
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.01, 30)
    worse = base - 0.1 + rng.normal(0, 0.01, 30)
    by_model = {"gskn": base, "wl": worse, "ldp": base}
    sets = (*printed.GRAPHS, *printed.CONTINUOUS)
    records = [
        Record(data, model, "nested", n // 10, n % 10, n // 10, {}, {"accuracy": a})
        for data in sets
        for model, accuracies in by_model.items()
        for n, a in enumerate(accuracies)
    ]
    records += records_of("MUTAG", "sp", base)  # not on the other sets
    first, second, last = rank_rows(records)
    assert [first["system"], second["system"]] == ["GSKN, chosen", "LDP"]
    assert first["average rank"] == second["average rank"] == "1.5"
    assert first["mean accuracy"] == "79.9"
    assert first["equal"] == "-"
    assert (second["better than GSKN"], second["equal"], second["worse"]) == ("0", "9", "0")
    assert (last["system"], last["average rank"]) == ("WL subtree", "3.0")
    assert (last["better than GSKN"], last["equal"], last["worse"]) == ("0", "0", "9")
    assert rank_rows(records_of("MUTAG", "gskn", base)) == []


def test_pattern_table_says_where_anonymous_walks_help():
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.01, 10)
    records = [
        *records_of("MUTAG", "gskn", base),
        *records_of("MUTAG", "gskn-rw", base - 0.1 + rng.normal(0, 0.01, 10)),
        *records_of("PTC", "gskn", base),
        *records_of("PTC", "gskn-rw", rng.permutation(base)),
    ]
    rows = {row["data"]: row for row in pattern_rows(records)}
    assert rows["MUTAG"]["patterns add"].startswith("significantly better (+10")
    assert rows["PTC"]["patterns add"].startswith("nothing beyond the noise (")
    assert rows["COLLAB"]["patterns add"] == "-"
    assert rows["MUTAG"]["patterns only"] == "missing"


def test_jobs_of_baselines_contain_supported_data_sets_only():
    jobs = {job.data: list(job.models) for job in baseline_jobs(quick=False)}
    assert set(jobs) == {*printed.GRAPHS, *printed.CONTINUOUS}
    assert "hgk-wl" in jobs["BZR"]
    assert "hgk-wl" not in jobs["MUTAG"]
    assert jobs["COLLAB"] == jobs["MUTAG"]
    assert ("wwl" in jobs["BZR"], "wwl" in jobs["PROTEINS"]) == (True, False)
    every = {name for models in jobs.values() for name in models}
    assert every == {variant.name for b in BASELINES for variant in b.variants}


def test_networks_have_jobs_for_all_sets_and_short_ones_on_collab():
    jobs = {(job.data, *job.models) for job in network_jobs(quick=False)}
    assert ("COLLAB", "gin-short") in jobs
    assert ("COLLAB", "gin") not in jobs
    assert {("structure", "gin"), ("regular", "gin"), ("MUTAG", "ddgk")} <= jobs
    assert ("COLLAB", "ddgk") not in jobs
    assert {("cora", "gcn"), ("ppi", "gat-unsupervised"), ("pubmed", "gralsp")} <= jobs
    assert {model for _, model in jobs} <= MODELS.keys()
    assert {(job.data, *job.models) for job in network_jobs(quick=True)} < jobs


def test_table_of_networks_has_published_numbers_and_says_what_is_left_out():
    base = np.linspace(0.7, 0.8, 10)
    records = [
        *records_of("MUTAG", "gin", base),
        *records_of("MUTAG", "gskn", base),
        *records_of("COLLAB", "gin-short", base - 0.1),
    ]
    rows = {row["system"]: row for row in network_rows(records)}
    assert rows["GIN"]["MUTAG"] == rows["GSKN, chosen"]["MUTAG"] == "75.0 ± 3.2"
    assert rows["GIN"]["COLLAB"] == "65.0 ± 3.2"
    assert rows["GIN, published"]["COLLAB"] == "75.6"
    assert rows["DDGK"]["COLLAB"] == "too large"
    assert rows["DDGK"]["PTC"] == "not run, 5 min"
    assert rows["DDGK"]["COX2"] == "not run, 17 min"
    assert "GAT, published" not in rows


def test_networks_with_fewer_folds_or_splits_say_so():
    records = [
        *records_of("MUTAG", "gin", [0.8, 0.9, 0.7]),
        *records_of("MUTAG", "rw-32", [0.8, 0.9, 0.7]),
        Record("ppi", "gcn", "nodes-30", 0, 0, 0, {}, {"macro_f1": 0.1, "micro_f1": 0.2}),
    ]
    rows = {row["system"]: row for row in network_rows(records)}
    assert rows["GIN"]["MUTAG"] == "80.0 ± 8.2 (3 folds)"
    rows = graph_rows(records, {"MUTAG": {}}, {"GIN": "gin", "RW": "rw-32"}, {})
    assert [row["ours, nested"] for row in rows] == ["80.0 ± 8.2 (3 folds)", "80.0 ± 8.2"]
    rows = node_rows(records, {"GCN": "gcn", "GAT": "gat"}, {"ppi": {"GCKN": "1 2 3 4"}})
    cells = {row["system"]: row["micro 30%, ours"] for row in rows}
    assert cells["GCN"] == "20.00 ± 0.00 (1 split)"
    assert cells["GAT"].startswith("not run, ")
    assert cells["GCKN"] == "for graphs only"


def test_every_cell_of_the_tables_of_networks_has_a_number_or_a_reason():
    for row in network_rows([]):
        assert "missing" not in row.values() or row["system"] == "GSKN, chosen"
    systems = EXPERIMENTS["nodes"].rows([])
    networks = [r for r in systems if "GSKN" not in r["system"] and "RW" not in r["system"]]
    assert len(networks) == 3 * 12
    assert not any("missing" in row.values() for row in networks)


def test_estimated_hours_grow_with_the_set():
    hours = {
        data: [estimate_hours(data, model_on(data, name)) for name in ("gin", "sage")]
        for data in ("MUTAG", "PTC", "PROTEINS", "COLLAB")
    }
    gin, sage = zip(*hours.values(), strict=True)
    assert list(gin[:3]) == sorted(gin[:3])
    assert gin > sage
    one = 1e-6 * 10 * 6 * 75 * 4.0 * 188 * (18 + 20 / 50) / 3600
    assert gin[0] == pytest.approx(one)
    shorter = 60 / (6 * 75)  # one network and fewer epochs
    assert gin[3] == pytest.approx(estimate_hours("COLLAB", "gin") * shorter)


def test_networks_are_rows_of_the_tables_of_the_paper():
    base = np.linspace(0.7, 0.8, 10)
    recalls = {f"recall_{n}": 0.5 for n in range(4)}
    records = [
        *records_of("MUTAG", "gin", base),
        *records_of("COLLAB", "gin-short", base),
        *records_of("structure", "gin", base, **recalls),
        *records_of("regular", "gin", base),
        Record("cora", "gcn-unsupervised", "nodes-30", 0, 0, 0, {}, {"macro_f1": 0.8}),
    ]
    for name, data, column in (
        ("graphs", "MUTAG", "ours, nested"),
        ("graphs", "COLLAB", "ours, nested"),
        ("regular", "regular", "ours, nested"),
    ):
        rows = EXPERIMENTS[name].rows(records)
        (gin,) = [r for r in rows if (r["data"], r["system"]) == (data, "GIN")]
        assert gin[column] == "75.0 ± 3.2"
        assert gin["ours, paper protocol"] == "nested only"
    rows = EXPERIMENTS["structure"].rows(records)
    assert [r["Cycle"] for r in rows if r["system"] == "GIN"][-1] == "50.0"
    rows = {r["system"]: r for r in EXPERIMENTS["graphs"].rows(records)}
    assert rows["GraphSTONE"]["ours, nested"] == "for nodes only"
    assert rows["DDGK"]["ours, paper protocol"] == "nested only"


def test_stored_records_of_other_experiments_are_shown(tmp_path):
    file = ResultFile(tmp_path / "records.jsonl")
    current, old = MODELS["wl"].configuration, {"embeddings": []}
    for model, configuration, data in (
        ("wl", {**current, "data": "x"}, "MUTAG"),
        ("wl", {**old, "data": "x"}, "PTC"),  # an old definition of the model
        ("gskn", MODELS["gskn"].configuration, "MUTAG"),  # already in the run
        ("a PCA per batch", {}, "MUTAG"),  # not a model
    ):
        file.append(Record(data, model, "nested", 0, 0, 0, configuration, {"accuracy": 1}))
    run = records_of("MUTAG", "gskn", [0.5])
    (stored,) = Runner(results=file).stored(run)
    assert (stored.model, stored.data) == ("wl", "MUTAG")
    assert Runner().stored(run) == []


def test_jobs_own_records_of_their_data_models_and_protocol():
    job = Job("cora", ["rw-32", MODELS["nodes-64"]], "nodes")
    for model, protocol, owned in (
        ("rw-32", "nodes-30", True),
        ("nodes-64", "nodes-70", True),
        ("rw-32", "nested", False),
        ("gskn", "nodes-30", False),
    ):
        assert job.owns(Record("cora", model, protocol, 0, 0, 0, {}, {})) == owned
    owners = [
        experiment.name
        for experiment in EXPERIMENTS.values()
        if experiment.owns(Record("PTC", "wl-oa", "nested", 0, 0, 0, {}, {}))
    ]
    assert owners == ["baselines", "ranks"]


def test_last_of_several_stored_runs_is_shown(tmp_path):
    file = ResultFile(tmp_path / "records.jsonl")
    configuration = MODELS["wl"].configuration
    for folds, accuracy in (("old", 0.1), ("new", 0.9)):
        for record in records_of("PTC", "wl", [accuracy] * 10, "paper"):
            full = {**configuration, "folds": "published", "fold_indices": folds}
            file.append(replace(record, configuration=full))
    stored = Runner(results=file).stored([])
    assert [record.scores["accuracy"] for record in stored] == [0.9] * 10


def test_tables_show_the_last_run_after_a_configuration_changed():
    """Records of an old configuration stay in the file and do not affect the tables."""
    models = [model.name for model in parameter_models()]
    old, new = (
        [
            replace(record, configuration={"version": version})
            for data in ("PTC", "MUTAG")
            for model in (*models, "gskn", "wl", "rw+aw")
            for record in records_of(data, model, accuracies)
        ]
        for version, accuracies in ((1, [0.5, 0.6]), (2, [0.7, 0.9]))
    )
    for name in ("graphs", "baselines", "ablation", "parameters-ptc"):
        rows = EXPERIMENTS[name].rows
        assert rows(old + new) == rows(new) != rows(old)
    assert parameter_figure(old + new, "PTC") is not None
    assert EXPERIMENTS["graphs"].figure(old + new) is not None


@pytest.mark.parametrize("name", ["graphs", "statistics", "times", "structure"])
def test_records_without_the_scores_of_a_table_raise_one_line(name):
    experiment = EXPERIMENTS[name]
    models = ("rw+aw-64", "rw-32", "rw-kernel", "GSKN", "")
    protocols = ("nested", "statistics", "times")
    records = [
        Record(data, model, protocol, 0, fold, 0, {}, {})
        for data in ("MUTAG", "structure")
        for model in models
        for protocol in protocols
        for fold in range(2)
    ]
    with pytest.raises(InputError, match="Unknown metric .* Known: none") as caught:
        experiment.rows(records)
    assert "\n" not in str(caught.value)


def test_undefined_accuracies_are_not_compared():
    names = {"GSKN": "rw+aw-64", "RW only, 32": "rw-32"}
    records = [
        *records_of("MUTAG", "rw+aw-64", [0.9, float("nan")]),
        *records_of("MUTAG", "rw-32", [0.8, 0.7]),
    ]
    rows = graph_rows(records, {"MUTAG": {}}, names, {"RW only, 32": "GSKN"})
    assert [row["compared"] for row in rows] == ["", ""]
