import json
import math
import subprocess
import sys
from dataclasses import asdict

import pytest

from gskn.evaluation._records import Record, ResultFile
from gskn.exceptions import FileFormatError, InputError


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
    with pytest.raises(FileFormatError, match="line 2: not a record: without 'data'"):
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


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"scores": {"accuracy": None}}, "the score 'accuracy' must be a number"),
        ({"scores": {"accuracy": "0.5"}}, "the score 'accuracy' must be a number"),
        ({"scores": {"accuracy": True}}, "the score 'accuracy' must be a number"),
        ({"scores": {"accuracy": [0.5]}}, "the score 'accuracy' must be a number"),
        ({"scores": {"accuracy": math.inf}}, "the score 'accuracy' must be finite"),
        ({"scores": {"accuracy": 10**400}}, "the score 'accuracy' must be finite"),
        ({"scores": None}, "scores must be an object"),
        ({"scores": [0.5]}, "scores must be an object"),
        ({"configuration": "C"}, "configuration must be an object"),
        ({"seconds": {"embed": "1"}}, "the seconds of 'embed' must be a number"),
        ({"peak_mebibytes": None}, "'peak_mebibytes' must be a number"),
        ({"versions": {"numpy": 2}}, "versions must be text"),
        ({"data": None}, "data must be text"),
        ({"protocol": 1}, "protocol must be text"),
        ({"fold": "0"}, "fold must be an integer"),
        ({"repeat": 0.5}, "repeat must be an integer"),
        ({"seed": True}, "seed must be an integer"),
        ({"\x1b[31m": 1}, r"with the unknown field '\\x1b"),
    ],
)
def test_a_record_with_values_of_wrong_types_is_refused(tmp_path, changes, reason):
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps({**asdict(record()), **changes}) + "\n")
    with pytest.raises(FileFormatError, match=f"line 1: not a record: .*{reason}"):
        ResultFile(path).read()


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    "text",
    [
        '{"data": ' + 100_000 * "[",
        100_000 * '{"data": ',
        100_000 * "[" + 100_000 * "]",
        json.dumps(asdict(record())).replace("[0.1, 1.0]", 5000 * "[" + 5000 * "]"),
        "[]",
        "null",
        "NaN",
        "9" * 5000,
        "not JSON",
        "\0",
    ],
)
def test_a_line_of_any_other_content_is_refused_in_one_line(tmp_path, text, end):
    path = tmp_path / "runs.jsonl"
    path.write_text(text + end)
    with pytest.raises(FileFormatError, match="line 1: not a record") as caught:
        ResultFile(path).read()
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_and_endless_lines_are_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xff\xfe\xff\n")
    with pytest.raises(FileFormatError, match="line 1: not a record: invalid JSON"):
        ResultFile(path).read()
    with path.open("wb") as file:
        file.truncate(2**40)  # zeros that take no space on the disk
    with pytest.raises(FileFormatError, match="longer than 16,777,216 bytes"):
        ResultFile(path).read()


def test_scores_that_are_not_defined_come_back(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(scores={"roc_auc": math.nan}))
    (found,) = file.read().values()
    assert math.isnan(found.scores["roc_auc"])


def test_only_regular_files_are_read(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileFormatError, match="cannot be read"):
        ResultFile(tmp_path / "loop").read()
    with pytest.raises(FileFormatError, match="not a regular file"):
        ResultFile(tmp_path).read()
    with pytest.raises(InputError, match="is a folder"):
        ResultFile(tmp_path).check()


FULL_DISK = """
import resource, sys
from tests.evaluation.test_records import record
from gskn.evaluation import ResultFile

file = ResultFile(sys.argv[1])
file.append(record(0))
whole = file.path.read_bytes()
half = len(whole) + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (half, resource.RLIM_INFINITY))
try:
    file.append(record(1))
except OSError as error:
    print(error)
assert file.path.read_bytes() == whole
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
file.append(record(2))
assert [r.fold for r in file.read().values()] == [0, 2]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
@pytest.mark.parametrize("n_bytes", [0, 1, 100])
def test_a_record_that_does_not_fit_on_the_disk_is_an_error(tmp_path, n_bytes):
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "runs.jsonl"), str(n_bytes)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "too large" in result.stdout
    assert "runs.jsonl" in result.stdout


def test_a_killed_process_does_not_keep_the_lock(tmp_path):
    path = tmp_path / "runs.jsonl"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from gskn.evaluation._records import _locked\n"
        "with _locked(Path(sys.argv[1])):\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "locked\n"
        process.kill()
    ResultFile(path).append(record())
    assert list(ResultFile(path).read().values()) == [record()]
    assert {file.name for file in tmp_path.iterdir()} == {path.name, ".runs.jsonl.lock"}


def test_a_link_and_its_target_share_a_lock(tmp_path):
    link, target = tmp_path / "link.jsonl", tmp_path / "new" / "runs.jsonl"
    link.symlink_to(target)
    ResultFile(link).check()
    ResultFile(link).append(record(0))
    ResultFile(target).append(record(1))
    assert len(ResultFile(link).read()) == 2
    assert not list(tmp_path.glob(".*"))
    assert [file.name for file in target.parent.glob(".*")] == [".runs.jsonl.lock"]


def test_a_name_too_long_for_a_lock_beside_it_is_no_problem(tmp_path):
    file = ResultFile(tmp_path / ("x" * 255))
    file.check()
    file.append(record())
    assert list(file.read().values()) == [record()]
