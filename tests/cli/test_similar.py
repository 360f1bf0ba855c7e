import csv
import json

import pytest

LIBRARY = "c1ccccc1O phenol\nCCO ethanol\nc1ccccc1N aniline\nCCCO propanol\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "library.smi").write_text(LIBRARY)
    (tmp_path / "query.smi").write_text("c1ccccc1C toluene\n")
    return tmp_path / "query.smi", tmp_path / "library.smi"


def test_similar_graphs_are_listed_by_distance(files, call):
    result = call("similar", *files, "-k", 2, "--json")
    assert result.returncode == 0
    rows = json.loads(result.stdout)
    assert {row["graph"] for row in rows} == {"aniline", "phenol"}
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["query"] == "toluene"
    assert 0 < rows[0]["distance"] <= rows[1]["distance"]


def test_table_has_names_and_distances(files, call):
    result = call("similar", *files)
    assert "aniline" in result.stdout
    assert "distance" in result.stdout
    assert result.stdout.count("toluene") == 4  # the library has four graphs


def test_file_contains_the_rows_of_the_table(files, tmp_path, call):
    out = tmp_path / "similar.csv"
    result = call("similar", *files, "-k", 2, "-o", out)
    assert result.stdout.startswith(f"{out}: 2 similar graphs")
    with out.open() as lines:
        rows = list(csv.DictReader(lines))
    expected = json.loads(call("similar", *files, "-k", 2, "--json").stdout)
    assert [row["graph"] for row in rows] == [row["graph"] for row in expected]
    assert float(rows[1]["distance"]) == pytest.approx(expected[1]["distance"], abs=1e-6)


def test_graphs_without_names_are_numbered(call):
    result = call("similar", "regular", "regular", "-k", 1, "--json")
    rows = json.loads(result.stdout)
    assert len(rows) == 100
    assert {type(row["graph"]) for row in rows} == {int}
    assert max(row["distance"] for row in rows) < 1e-6


def test_model_is_used_and_unknown_labels_are_reported(files, tmp_path, call):
    model = tmp_path / "model.gskn"
    assert call("fit", files[1], "-o", model, "--branches", "walk").returncode == 0
    result = call("similar", *files, "--model", model, "--json")
    assert json.loads(result.stdout)[0]["graph"] in {"aniline", "phenol"}
    assert result.stderr == ""
    (tmp_path / "other.smi").write_text("CCBr bromoethane\n")
    result = call("similar", tmp_path / "other.smi", files[1], "--model", model)
    assert "1 of 3 nodes have labels that no training graph has" in result.stderr


@pytest.mark.parametrize("options", [["-k", "0"], ["--jobs", "0"]])
def test_invalid_numbers_print_one_line(files, call, options):
    result = call("similar", *files, *options)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1


def test_output_must_not_be_an_input(files, tmp_path, call):
    (tmp_path / "query.csv").write_text("source,target\na,b\n")
    result = call("similar", tmp_path / "query.csv", files[1], "-o", tmp_path / "query.csv")
    assert result.returncode == 1
    assert "is the input" in result.stderr
