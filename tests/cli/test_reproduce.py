import json

from gskn.evaluation import ResultFile
from tests.cli.test_app import run


def test_experiments_are_listed():
    rows = json.loads(run("reproduce", "--json").stdout)
    assert {"name": "graphs", "paper": "table 4"}.items() <= rows[3].items()
    assert [row["name"] for row in rows][-1] == "leak"


def test_table_is_printed_and_its_records_are_stored(tmp_path):
    arguments = ("reproduce", "table3", "--out", tmp_path)
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    for heading in ("paper", "ours, paper protocol", "ours, nested"):
        assert heading in result.stdout
    assert "TEST folds" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    (cells,) = (line for line in lines if line[:2] == ["regular", "GSKN"])
    assert cells[2:] == ["100.0", "100.0", "±", "0.0", "100.0", "±", "0.0"]
    assert len(ResultFile(tmp_path / "records.jsonl").read()) == 100
    assert run(*arguments).stdout == result.stdout
    assert len(ResultFile(tmp_path / "records.jsonl").read()) == 100


def test_several_tables_are_one_json_document(tmp_path):
    result = run("reproduce", "regular", "table3", "--out", tmp_path, "--json")
    rows = json.loads(result.stdout)
    assert {row["experiment"] for row in rows} == {"regular"}
    assert len(rows) == 5


def test_unknown_name_is_one_line():
    result = run("reproduce", "table99")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "Unknown experiment 'table99'" in result.stderr
