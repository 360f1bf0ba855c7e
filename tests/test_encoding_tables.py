"""Tables of structural encodings on the results page."""

import re
from types import SimpleNamespace

import pytest

from tests.extensions import DOCS, load_extension


@pytest.fixture(scope="module")
def tables():
    return load_extension("encoding_tables")


def record(encoding, test, **changes):
    fields = {"study": "zinc", "seed": 0, "fold": 0, "epochs": 8, "n_features": 20}
    fields |= {"encoding": encoding, "test": test, "seconds": 3.2, "day": "2026-11-18"}
    fields |= {"validation": test, "encoding_seconds": 1.5}
    return fields | changes


def cells(text):
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    return [[re.sub(r"<.*?>", "", cell) for cell in row.split("</t")] for row in rows]


def test_table_has_a_row_per_encoding_with_mean_and_deviation(tables):
    records = [
        record("random walk 20", [0.4]),
        record("random walk 20", [0.6], seed=1),
        record("none", [0.9], n_features=0),
    ]
    text = tables.make_table("zinc", records)
    rows = ["".join(row) for row in cells(text)]
    assert "none" in rows[1]
    assert "0.900" in rows[1]
    assert "random walk 20" in rows[2]
    assert "0.500" in rows[2]
    assert "0.141" in rows[2]
    assert "Seeds: 2. Folds: 1. Epochs: at most 8. Run: 2026-11-18." in text


def test_accuracies_are_in_percent(tables):
    text = tables.make_table("EXP", [record("none", [0.5], study="EXP")])
    assert "50.0" in text


def test_studies_without_records_are_named(tables):
    assert tables.make_table("CSL", [record("none", [0.5])]) == "Not run yet.\n"


def test_claims_are_judged_by_the_records(tables):
    errors = {"random walk 20": [0.2] * 5, "anonymous 7": [0.1, 0.1, 0.16, 0.1, 0.1]}
    counting = [record(name, test, study="counting") for name, test in errors.items()]
    text = tables.judge("counting", counting)
    assert "**refuted** by these records: the error for 5-cycles is 0.80 of" in text
    assert "triangles" not in text
    accuracies = {"none": 0.5, "anonymous 5": 0.5, "anonymous 6": 0.0}
    exp = [record(name, [e], study="EXP") for name, e in accuracies.items()]
    assert "do not refute the claim" in tables.judge("EXP", exp)
    errors = {"none": 0.9, "anonymous 7": 0.4, "anonymous 8": 0.1, "induced 6": 0.2}
    csl = [record(name, [e], study="CSL") for name, e in errors.items()]
    assert "**refuted** by these records: induced 6 80.0%" in tables.judge("CSL", csl)


def seeds(**errors):
    """Return records of three seeds whose standard deviation is 0.01."""
    return [
        record(encoding, [error + shift], seed=seed, validation=[validation])
        for encoding, (error, validation) in errors.items()
        for seed, shift in enumerate((-0.01, 0, 0.01))
    ]


def test_zinc_compares_the_encoding_with_the_smallest_validation_error(tables):
    errors = {"random walk 20": (0.4, 0.4), "anonymous 6": (0.5, 0.5)}
    assert "has not been tested" in tables.judge("zinc", seeds(**errors))
    errors |= {"anonymous 7": (0.3, 0.39), "induced 5": (0.38, 0.38)}
    expected = (
        "0.380 with induced 5, 0.400 with random walks, standard deviation over seeds"
    )
    text = tables.judge("zinc", seeds(**errors))
    assert f"do not refute the claim: {expected} 0.010." in text
    errors["induced 5"] = (0.395, 0.38)  # within the noise
    assert "**refuted** by these records: 0.395" in tables.judge("zinc", seeds(**errors))
    one = [r for r in seeds(**errors) if r["seed"] == 0]
    assert "has not been tested" in tables.judge("zinc", one)


def test_guide_includes_a_verdict_for_every_study(tables, tmp_path):
    (tmp_path / "results").mkdir()
    tables.write_tables(SimpleNamespace(srcdir=tmp_path))
    text = (tmp_path / "results" / "generated" / "encodings-summary.md").read_text("utf-8")
    claims = ["The claim has not been tested: encodings or seeds are missing."] * 4
    studies = ["EXP", "CSL", "counting", "zinc"]
    assert text.splitlines() == [
        f"- {s}: {c}" for s, c in zip(studies, claims, strict=True)
    ]
    guide = (DOCS / "guide" / "encodings.md").read_text(encoding="utf-8")
    assert "{include} ../results/generated/encodings-summary.md" in guide


def test_best_scores_are_next_to_those_of_random_walks(tables):
    errors = {"random walk 20": [0.2, 0.1] + [0.3] * 3, "induced 5": [0.1] + [0.4] * 4}
    counting = [record(name, test, study="counting") for name, test in errors.items()]
    text = tables.name_best("counting", counting)
    assert text.startswith(
        "Best means: triangles 0.100 with induced 5 (random walk 20: 0.200); "
        "4-cycles 0.100 with random walk 20; 5-cycles 0.300"
    )
    errors = {"random walk 20": [0.0], "anonymous 7": [0.4]}
    csl = [record(name, test, study="CSL") for name, test in errors.items()]
    assert tables.name_best("CSL", csl) == (
        "Best means: accuracy 100.0% with random walk 20."
    )
    assert tables.name_best("CSL", csl[1:]) == ""


def test_networks_that_stopped_early_without_success_are_listed(tables):
    options = {"study": "EXP", "epochs": 2}
    records = [
        record("anonymous 6", [0.45], **options, fold=5, n_epochs=15),
        record("anonymous 6", [0.0], **options, n_epochs=15),
        record("none", [0.5], **options, n_epochs=2),
    ]
    assert tables.list_stopped("EXP", records) == (
        "Stopped early, but with a low validation accuracy: anonymous 6 in fold 5 after "
        "2 epochs (55.0%)."
    )
    assert tables.list_stopped("EXP", records[1:]) == ""
    assert tables.list_stopped("zinc", seeds(none=(0.5, 0.5))) == ""


def test_comparisons_call_noise_equal(tables):
    errors = {"random walk 20": 0.4, "none": 0.6, "anonymous 6": 0.3, "induced 5": 0.408}
    records = seeds(**{name: (error, error) for name, error in errors.items()})
    assert tables.compare(records, "random walk 20") == (
        "The error with anonymous 6 is smaller than with random walk 20; with induced 5, "
        "it is equal; with none, it is larger."
    )
    assert tables.compare(records, "none") == (
        "The error with random walk 20, anonymous 6, induced 5 is smaller than with none."
    )
    assert tables.compare(records[:3], "none") == ""


@pytest.mark.skipif(
    not (DOCS / "results" / "encodings.jsonl").exists(), reason="needs the stored results"
)
def test_stored_records_are_complete(tables):
    records = tables.read_records(DOCS)
    keys = [tuple(r[k] for k in ("study", "encoding", "seed", "fold")) for r in records]
    assert len({*keys}) == len(keys)
    for study in ("EXP", "CSL", "counting", "zinc"):
        chosen = [r for r in records if r["study"] == study]
        assert len({(r["seed"], r["fold"]) for r in chosen}) * len(
            {r["encoding"] for r in chosen}
        ) == len(chosen)
