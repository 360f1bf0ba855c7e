"""Tables of explanations in the guide."""

import re

import pytest

from tests.extensions import DOCS, load_extension


@pytest.fixture(scope="module")
def tables():
    return load_extension("explanation_tables")


def record(method, **changes):
    fields = {
        "study": "truth",
        "data": "benzene",
        "model": "GSKN, linear",
        "n_test": 10,
        "parameters": {
            "branches": ["walk", "anonymous"],
            "walk_length": 4,
            "pooling": "sum",
            "C": 10.0,
        },
        "accuracy": 0.9,
        "additivity_error": 2e-14,
        "method": method,
        "n_graphs": 5,
        "auroc": 0.95,
        "auroc_error": 0.01,
        "gea": 0.5,
        "seconds": 3.0,
        "day": "2026-11-19",
    }
    return fields | changes


def rows(text):
    body = text[text.index("<tbody>") : text.index("</tbody>")]
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in body.split("</tr>")[:-1]
    ]


def test_truth_has_a_row_per_method_and_a_group_of_columns_per_set(tables):
    records = [
        record("random", auroc=0.5),
        record("contributions, edges"),
        record("contributions, edges", data="alkane_carbonyl", gea=0.7),
        record("GNNExplainer", study="network", model="GIN", parameters={"max_epochs": 9}),
    ]
    text = tables.make_table("truth", records)
    listed = rows(text)
    assert [row[0] for row in listed] == [
        "contributions, edges",
        "GIN: GNNExplainer",
        "random",
    ]
    assert listed[0][1].startswith("0.950")
    assert listed[0][-1] == "0.70"
    assert "walk and anonymous of 4 nodes, sum pooling, C = 10" in text
    assert "at most 9 epochs" in text
    assert "Largest error of the sum of contributions: 2e-14." in text


def test_fidelity_is_a_mean_over_the_molecules_of_all_folds(tables):
    options = {"study": "fidelity", "data": "MUTAG"}
    records = [
        record("occlusion", **options, fold=0, fidelity_plus=1.0, fidelity_minus=0.0),
        record(
            "occlusion",
            **options,
            fold=1,
            fidelity_plus=0.0,
            fidelity_minus=0.2,
            n_graphs=15,
            n_test=30,
            accuracy=0.5,
        ),
        record(
            "random", **options, fold=0, fidelity_plus=0.1, fidelity_minus=0.3, n_graphs=10
        ),
    ]
    text = tables.make_table("fidelity", records)
    assert rows(text)[0][:3] == ["occlusion", "0.250", "0.150"]
    assert "test accuracy 0.600 on 40 molecules in 2 of 5 folds" in text
    assert "20 explained" in text


def test_seconds_are_a_median_over_folds(tables):
    options = {
        "study": "fidelity",
        "data": "MUTAG",
        "fidelity_plus": 0,
        "fidelity_minus": 0,
    }
    records = [
        record("occlusion", **options, fold=fold, seconds=seconds)
        for fold, seconds in enumerate([2.0, 90.0, 3.0])
    ]
    assert rows(tables.make_table("fidelity", records))[0][-1] == "3.0"


def test_studies_without_records_are_named(tables):
    assert tables.make_table("truth", []) == "Not run yet.\n"


@pytest.mark.skipif(
    not (DOCS / "results" / "explanations.jsonl").exists(),
    reason="needs the stored results",
)
def test_stored_results_are_complete(tables):
    records = tables.read_records(DOCS)
    keys = [
        tuple(str(r.get(k)) for k in ("study", "data", "model", "method", "fold"))
        for r in records
    ]
    assert len(set(keys)) == len(keys)
    for name in ("truth", "fidelity"):
        assert "missing" not in tables.make_table(name, records)
    assert all(r["additivity_error"] < 1e-9 for r in records if "additivity_error" in r)
