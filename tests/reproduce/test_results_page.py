import re

import pytest

from gskn.evaluation import MODELS, Record, ResultFile
from gskn.reproduce._printed import CONTINUOUS, GRAPHS
from tests.extensions import DOCS, load_extension

RECORDS = DOCS / "results" / "records.jsonl"


@pytest.fixture(scope="module")
def extension():
    return load_extension("result_tables")


def noisy(data, model, mean, sign=1, protocol="nested"):
    """Return one record for every fold, with small deviations from a mean accuracy."""
    noise = [0.01, -0.01, 0.02, -0.02, 0.0, 0.01, -0.01, 0.02, -0.02, 0.0]
    return [
        Record(data, model, protocol, 0, fold, 0, {}, {"accuracy": mean + sign * change})
        for fold, change in enumerate(noise)
    ]


def test_means_are_named_by_protocol_model_and_data_set(extension):
    records = [
        Record("MUTAG", "rw+aw-64", "nested", 0, fold, 0, {}, {"accuracy": accuracy})
        for fold, accuracy in enumerate([0.8, 0.9])
    ]
    nodes = Record("ppi", "nodes-64", "nodes-70", 0, 0, 0, {}, {"micro_f1": 0.4})
    numbers = extension.page_numbers([*records, nodes])
    assert numbers["nested_rw_aw_64_MUTAG"] == "85.0"
    assert numbers["micro_f1_nodes_70_nodes_64_ppi"] == "40.0"
    assert numbers["better_baselines"] == "none"
    assert numbers["gain_of_all_lengths"] == "-"


def test_selected_classifiers_and_gains_of_nodes(extension):
    records = [
        Record(
            *("cora", model, "nodes-70", seed, 0, seed, {}, {"micro_f1": score}),
            chosen={"node_classifier": {"kernel": kernel, "C": 1.0}},
        )
        for seed, gain in enumerate([0.02, 0.04])
        for model, kernel, score in (
            ("nodes", "rbf", 0.5 + gain),
            ("nodes-linear", "linear", 0.5),
        )
    ]
    numbers = extension.page_numbers(records)
    assert numbers["node_classifiers"] == "cora: rbf 2"
    assert numbers["gain_of_node_kernels"] == "cora: 3.0 ± 1.4"


def test_models_with_the_same_name_on_the_page_are_an_error(extension):
    records = [
        Record("MUTAG", model, "nested", 0, 0, 0, {}, {"accuracy": 0.5})
        for model in ("rw+aw", "rw-aw")
    ]
    with pytest.raises(ValueError, match="Two results have the name 'nested_rw_aw_MUTAG'"):
        extension.page_numbers(records)


@pytest.mark.skipif(not RECORDS.exists(), reason="needs the stored results")
def test_all_numbers_of_the_results_page_have_records(extension):
    text = (DOCS / "results" / "index.md").read_text(encoding="utf-8")
    names = set(re.findall(r"{{ (\w+) }}", text))
    numbers = extension.page_numbers(list(ResultFile(RECORDS).read().values()))
    assert len(names) > 10
    assert not {name for name in names if not numbers.get(name)}
    assert 0 < float(numbers["gain_of_all_lengths"]) < 5


def test_significantly_better_baselines_are_listed_by_data_set(extension):
    records = [
        *noisy("MUTAG", "gskn", 0.8),
        *noisy("MUTAG", "gntk-labels", 0.9, -1),
        *noisy("MUTAG", "wl", 0.8, -1),
    ]
    assert extension.page_numbers(records)["better_baselines"] == "MUTAG: GNTK (90.0)"


def test_effect_of_patterns_is_stated_for_every_set(extension):
    records = [
        *noisy("MUTAG", "gskn", 0.9),
        *noisy("MUTAG", "gskn-rw", 0.8, -1),
        *noisy("PTC", "gskn", 0.6),
        *noisy("PTC", "gskn-rw", 0.7, -1),
        *noisy("BZR", "gskn", 0.8),
        *noisy("BZR", "gskn-rw", 0.8, -1),
    ]
    numbers = extension.page_numbers(records)
    assert numbers["patterns_add"] == (
        "significantly better on MUTAG (+10.0), significantly worse on PTC (-10.0), and "
        "equal within the noise on BZR"
    )
    assert numbers["patterns_add_32"] == "not run yet"
    assert extension.page_numbers(records[40:])["patterns_add"] == (
        "equal within the noise on BZR"
    )


def test_best_other_system_is_named_for_every_set(extension):
    records = [
        *noisy("MUTAG", "gskn", 0.8),
        *noisy("MUTAG", "wl", 0.9, -1),
        *noisy("MUTAG", "sp", 0.7, -1),
        *noisy("COLLAB", "gskn", 0.8),
        *noisy("COLLAB", "gin-short", 0.8, -1),
    ]
    first, second = extension.best_baseline_rows(records)
    assert first == {
        "data": "MUTAG",
        "GSKN": "80.0 ± 1.4",
        "best other system": "WL subtree",
        "accuracy": "90.0 ± 1.4",
        "difference": "below (-10.0, p = 0.00)",
    }
    assert second["best other system"] == "GIN"
    numbers = extension.page_numbers(records)
    assert numbers["best_baselines"] == (
        "significantly better on no set, significantly worse on MUTAG (WL subtree, -10.0), "
        "and equal within the noise on COLLAB"
    )
    assert numbers["best_baseline_COLLAB"] == "GIN has 80.0"


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (0.84, "84.0 (expected 76: reached), on COLLAB 84.0 (expected 83: reached), "),
        (0.75, "75.0 (expected 76: 1.0 below), on COLLAB 75.0 (expected 83: 8.0 below), "),
    ],
)
def test_expected_numbers_are_stated_with_the_measured_ones(extension, own, expected):
    sets = [*GRAPHS, *CONTINUOUS]
    records = [
        record
        for data in sets
        for model, mean in (("gskn", own), ("gskn-rw", 0.8), ("wl", 0.7))
        for record in noisy(data, model, mean)
    ]
    text = extension.page_numbers(records)["expectations"]
    assert text.startswith(f"mean accuracy {expected}")
    rank = "1.0 among 3 models (the best)"
    if own < 0.8:
        rank = "2.0 among 3 models (after RW only, chosen)"
    assert f"average rank {rank}; the best rank of another system is 3.0" in text


def test_parameters_and_nodes_that_differ_are_named(extension):
    base = MODELS["rw+aw-64"].name
    nodes = [
        Record(data, model, "nodes-70", seed, 0, seed, {}, {"micro_f1": score})
        for data, model, score in (
            ("cora", "rw+aw-64", 0.81),
            ("ppi", "rw+aw-64", 0.4),
            ("cora", "nodes-64", 0.81),
            ("cora", "nodes-large", 0.82),
        )
        for seed in range(2)
    ]
    curves = [
        *noisy("PTC", base, 0.6),
        *noisy("PTC", f"{base}, n_walks = 1", 0.5, -1),
        *noisy("PTC", f"{base}, n_walks = 3", 0.6, -1),
    ]
    numbers = extension.page_numbers([*nodes, *curves])
    assert numbers["parameters_PTC"] == "n_walks = 1 (-10.0, p = 0.00)"
    assert numbers["nodes_above_paper"] == "cora"
    assert numbers["larger_node_embeddings"] == "cora"


def test_networks_are_compared_with_published_numbers_and_missing_runs_counted(extension):
    none = extension.page_numbers([])
    assert none["network_gaps"] == "not run yet"
    assert (
        none["node_networks_like_paper"]
        == "by walks 0 of 0 (none); by classes 0 of 0 (none)"
    )
    nodes = [
        Record("cora", model, protocol, n, 0, n, {}, {"micro_f1": score})
        for model, score in (
            ("gcn-unsupervised", 0.82),  # the paper has 81.94
            ("gat-unsupervised", 0.80),  # 83.43
            ("gcn", 0.87),
            ("gralsp", 0.85),  # 84.31
            ("gin-unsupervised", 0.5),  # not in the paper
        )
        for protocol in ("nodes-30", "nodes-70")
        for n in range(10)
    ]
    graphs = [
        Record("IMDB-BINARY", model, "nested", 0, fold, 0, {}, {"accuracy": 0.7})
        for model, n_folds in (("gin", 10), ("sage", 9))
        for fold in range(n_folds)
    ]
    numbers = extension.page_numbers([*nodes, *graphs])
    assert numbers["network_gaps"] == "GIN on IMDB-BINARY -1.2"
    assert numbers["node_networks_like_paper"] == (
        "by walks 2 of 3 (GCN on cora and GraLSP on cora); by classes 0 of 1 (none)"
    )
    n_missing = [int(n["missing_networks"].split()[0]) for n in (none, numbers)]
    assert n_missing[0] - n_missing[1] == 6


def test_outdated_and_incomplete_records_are_listed_by_data_set(extension):
    records = [
        Record(data, model, "nested", 0, fold, 0, configuration, {"accuracy": 0.5})
        for model, configuration in (
            ("wl", {}),
            ("sp", {}),
            ("aw", MODELS["aw"].configuration),
            ("rw+aw-64, n_walks = 3", {}),
        )
        for data in ("MUTAG", "PTC")
        for fold in range(10)
    ]
    numbers = extension.page_numbers(records)
    listed = "wl, sp, rw+aw-64 with other parameters on MUTAG, PTC"
    assert numbers["outdated_records"] == listed
    assert numbers["fewer_folds"] == "wl (10 folds), sp (10 folds) on MUTAG, PTC"
    assert numbers["expectations"] == "no results on all data sets yet"


def test_documentation_without_records_has_no_tables(extension):
    assert extension._origin([]) == "There are no records.\n"
    assert extension.page_numbers([])["better_baselines"] == "none"


def body(table):
    """Return the text of the cells of every row, with asterisks around bold numbers."""
    table = table.replace("<strong>", "*").replace("</strong>", "*")
    rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2])
    return [
        [
            re.sub("<.*?>", " ", cell).split()
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row)
        ]
        for row in rows
    ]


def test_cells_show_bold_means_spreads_signs_and_missing_numbers(extension):
    rows = [
        {"system": "a<b", "x": "88.0 ± 5.9 >", "y": "missing"},
        {"system": "c", "x": "90.0 ± 4.0", "y": "26 (paper: 51)"},
    ]
    table = extension.html_table(rows, best={"x": "largest"})
    assert body(table) == [
        [["a&lt;b"], ["88.0", "±", "5.9", "▲"], [extension.DASH]],
        [["c"], ["*90.0*", "±", "4.0"], ["(paper:", "51)", "26"]],
    ]
    assert "\n\n" not in table


def test_columns_of_numbers_contain_reasons_for_missing_numbers(extension):
    rows = [
        {"system": "a", "x": "88.0 ± 5.9 <", "y": "not run, 2 h"},
        {"system": "b", "x": "too large", "y": "nested only"},
    ]
    table = extension.html_table(rows, best={"x": "largest", "y": "largest"})
    assert body(table) == [
        [["a"], ["88.0", "±", "5.9", "▼"], ["not", "run,", "2", "h"]],
        [["b"], ["too", "large"], ["nested", "only"]],
    ]
    assert '<span class="note">too large</span>' in table


def test_published_numbers_of_networks_are_gray_and_not_compared(extension):
    rows = [
        {"system": "GIN", "x": "70.0 ± 1.0"},
        {"system": "GIN, published", "x": "75.0"},
        {"system": "GCN", "x": "not run, 2 h"},
        {"system": "GAT", "x": "60.0 ± 1.0 (3 folds)"},
    ]
    table = extension._networks(rows)
    assert body(table)[:2] == [[["GIN"], ["*70.0*", "±", "1.0"]], [["published"], ["75.0"]]]
    assert body(table)[3][1] == ["(3", "folds)", "60.0", "±", "1.0"]
    assert table.count('<tr class="muted">') == 1


def test_columns_of_a_group_share_a_header(extension):
    (table,) = [extension.html_table([{"system": "a", "ours, x": "1", "ours, y": "2"}])]
    head = table.partition("<tbody>")[0]
    assert 'colspan="2">ours</th>' in head
    assert head.count("<tr>") == 2


def test_rows_are_sorted_by_the_first_column_with_a_number(extension):
    rows = [
        {"n": n, "a": a, "b": b}
        for n, a, b in ((0, "-", "3"), (1, "1.0", "9"), (2, "2", "-"))
    ]
    assert [row["n"] for row in extension.sort_rows(rows, "a", "b")] == [2, 1, 0]
    assert [row["n"] for row in extension.sort_rows(rows, "a", largest=False)] == [1, 2, 0]


def test_tables_of_several_sets_have_an_overview_sorted_by_rank(extension):
    rows = [
        {
            "data": data,
            "system": system,
            extension.PAPER: "-",
            extension.PAPER_PROTOCOL: "missing",
            extension.NESTED: number,
            "compared": "",
        }
        for data in ("one", "two")
        for system, number in (
            ("worst", "50.0 ± 1.0"),
            ("best", "60.0 ± 1.0"),
            ("no", "missing"),
            ("none", "for nodes only"),
        )
    ]
    overview, *sets = extension._by_set(rows).split("{tab-item}")[1:]
    assert body(overview) == [
        [["best"], ["*1.0*"], ["*60.0*"], ["*60.0*"]],
        [["worst"], ["2.0"], ["50.0"], ["50.0"]],
        [["none"], [extension.DASH], ["for", "nodes", "only"], ["for", "nodes", "only"]],
    ]
    assert [line[0] for line in body(sets[0])] == [["best"], ["worst"], ["no"], ["none"]]


@pytest.mark.skipif(not RECORDS.exists(), reason="needs the stored results")
def test_every_experiment_has_a_table_without_blank_lines(extension):
    records = extension.read_records(DOCS)
    for experiment in extension.EXPERIMENTS.values():
        page = extension._page(experiment, records)
        assert '<table class="results">' in page
        for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
            assert "\n\n" not in table
