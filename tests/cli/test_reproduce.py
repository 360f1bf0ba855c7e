import json

from gskn.evaluation import ResultFile


def test_experiments_are_listed(call):
    rows = json.loads(call("reproduce", "--json").stdout)
    assert {"name": "graphs", "paper": "table 4"}.items() <= rows[3].items()
    assert rows[-1]["name"] == "leak"


def test_table_is_printed_again_from_records(
    reproduced, copy_of_reproduced, tmp_path, call
):
    stdout = (reproduced / "stdout").read_text(encoding="utf-8")
    assert (reproduced / "stderr").read_text(encoding="utf-8") == ""
    for heading in ("paper", "ours, paper protocol", "ours, nested"):
        assert heading in stdout
    assert "TEST folds" in stdout
    lines = [line.split() for line in stdout.splitlines()]
    (cells,) = (line for line in lines if line[:2] == ["regular", "GSKN"])
    assert cells[2:] == ["100.0", "100.0", "±", "0.0", "100.0", "±", "0.0"]
    records = ResultFile(reproduced / "records.jsonl").read()
    assert len(records) == 100
    folder = copy_of_reproduced(tmp_path / "results")
    assert call("reproduce", "table3", "--out", folder).stdout == stdout
    assert ResultFile(folder / "records.jsonl").read() == records


def test_two_names_of_an_experiment_give_one_table(copy_of_reproduced, tmp_path, call):
    folder = copy_of_reproduced(tmp_path / "results")
    result = call("reproduce", "regular", "table3", "--out", folder, "--json")
    rows = json.loads(result.stdout)
    assert {row["experiment"] for row in rows} == {"regular"}
    assert len(rows) == 6


def test_unknown_experiment_prints_one_line(call):
    result = call("reproduce", "table99")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "Unknown experiment 'table99'" in result.stderr
