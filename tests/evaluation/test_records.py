import subprocess
import sys

import pytest

from gskn.evaluation._records import Record, ResultFile
from gskn.exceptions import FileFormatError


def record(fold=0, **changes):
    given = {
        "data": "MUTAG",
        "model": "gskn",
        "protocol": "nested",
        "repeat": 0,
        "fold": fold,
        "seed": 1,
        "configuration": {"C": [0.1, 1.0]},
        "scores": {"accuracy": 0.5 + fold / 100},
    }
    return Record(**{**given, **changes})


def test_records_come_back_as_they_went(tmp_path):
    file = ResultFile(tmp_path / "new" / "runs.jsonl")
    assert file.read() == {}
    for fold in range(3):
        file.append(record(fold))
    assert list(file.read().values()) == [record(fold) for fold in range(3)]


def test_a_fold_is_never_counted_twice(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record())
    file.append(record(scores={"accuracy": 0.9}))
    file.append(record(configuration={"C": [1.0]}))  # another run
    found = list(file.read().values())
    assert [r.scores["accuracy"] for r in found] == [0.5, 0.5]


def test_a_line_cut_short_is_dropped_and_swallows_nothing(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(0))
    whole = file.path.read_bytes()
    for end in range(1, len(whole) - 1):
        file.path.write_bytes(whole + whole[:end])
        file.append(record(1))
        assert list(ResultFile(file.path).read().values()) == [record(0), record(1)]


def test_only_what_is_new_is_read_again(tmp_path, monkeypatch):
    file, other = (ResultFile(tmp_path / "runs.jsonl") for _ in range(2))
    parsed = []
    parse = ResultFile._parse
    monkeypatch.setattr(ResultFile, "_parse", lambda *a: parsed.append(a[1]) or parse(*a))
    for fold in range(4):
        other.append(record(fold))
        assert len(file.read()) == fold + 1
    assert len([line for line in parsed if line]) == 4
    file.path.unlink()  # what is gone is not remembered
    assert file.read() == {}
    other.append(record(9))
    assert list(file.read().values()) == [record(9)]


def test_a_line_that_is_still_being_written_counts_when_it_is_whole(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(0))
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-20])
    assert file.read() == {}
    file.path.write_bytes(whole)
    assert list(file.read().values()) == [record(0)]


def test_what_is_no_record_is_refused_by_line(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record())
    with file.path.open("a") as text:
        text.write('{"cake": 1}\n')
    with pytest.raises(FileFormatError, match="line 2: not a record"):
        file.read()


def test_processes_may_share_a_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    code = (
        "import sys\n"
        "from gskn.evaluation._records import Record, ResultFile\n"
        "name = sys.argv[2] * 500\n"
        "for fold in range(200):\n"
        "    ResultFile(sys.argv[1]).append(Record('d', name, 'p', 0, fold, 0, {}, {}))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "abc"
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(ResultFile(path).read()) == 600


def test_systems_without_locks_and_peaks_of_memory_do_without(tmp_path):
    code = (
        "import sys\n"
        "sys.modules['fcntl'] = sys.modules['resource'] = None\n"
        "from gskn import datasets\n"
        "from gskn.evaluation import ResultFile, evaluate\n"
        "file = ResultFile(sys.argv[1])\n"
        "found = evaluate(datasets.regular(10), ['ldp'], results=file)\n"
        "assert found == list(file.read().values())\n"
        "assert {record.peak_mebibytes for record in found} == {0.0}\n"
    )
    path = tmp_path / "runs.jsonl"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert len(ResultFile(path).read()) == 10
