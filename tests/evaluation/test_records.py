import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gskn import datasets, evaluation
from gskn.evaluation import Record, ResultFile
from gskn.evaluation._record_lines import Header, decode, encode
from gskn.evaluation._records import Clock, code_commit, with_provenance
from gskn.exceptions import FileFormatError, InputError, UnsupportedInputError

CONFIGURATION = {
    "embeddings": [{"pooling": "sum"}, {"pooling": "mean"}],
    "C": [0.1, 1.0],
}


def record(fold=0, **changes):
    content = {
        "data": "MUTAG",
        "model": "gskn",
        "protocol": "nested",
        "repeat": 0,
        "fold": fold,
        "seed": 1,
        "configuration": CONFIGURATION,
        "scores": {"accuracy": 0.5 + fold / 100},
        "chosen": {"embedding": {"pooling": "mean"}, "C": 1.0, "inner": 0.25},
        "seconds": {"embed": 0.5, "classify": 0.1},
        "versions": {"python": "3.11.7"},
        "day": "2026-12-31",
    }
    return Record(**{**content, **changes})


def lines_of(one_record):
    """Return the header and the fold of a record as JSON values."""
    return [json.loads(line) for line in encode(one_record, {}).splitlines()]


def write_lines(path, *lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return ResultFile(path)


def test_records_are_read_as_they_were_written(tmp_path):
    file = ResultFile(tmp_path / "new" / "runs.jsonl")
    assert file.read() == {}
    for fold in range(3):
        file.append(record(fold))
    assert list(file.read().values()) == [record(fold) for fold in range(3)]


def test_run_has_one_header_and_a_short_line_per_fold(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    for fold in range(3):
        file.append(record(fold))
    header, *folds = map(json.loads, file.path.read_text().splitlines())
    assert header["format"] == 1
    assert header["configuration"] == CONFIGURATION
    assert header["chosen"] == {"embedding": "embeddings", "C": None, "inner": None}
    assert folds == [
        [header["run"], 0, n, 1, [0.5 + n / 100], [1, 1.0, 0.25], [0.5, 0.1], 0.0]
        for n in range(3)
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"day": "2027-01-01"},
        {"versions": {"python": "3.12.0"}},
        {"commit": "0123abc"},
        {"scores": {"accuracy": 0.5, "roc_auc": 0.5}},
        {"chosen": {"embedding": {"pooling": "log"}}},  # not in the grid
        {"seconds": {}},
    ],
)
def test_resumed_run_with_other_common_values_has_a_second_header(tmp_path, changes):
    path = tmp_path / "runs.jsonl"
    ResultFile(path).append(record(0))
    ResultFile(path).append(record(1, **changes))
    ResultFile(path).append(record(2))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [len(line) == 8 for line in lines] == [False, True, False, True, True]
    assert lines[4][0] == lines[0]["run"]
    expected = [record(0), record(1, **changes), record(2)]
    assert list(ResultFile(path).read().values()) == expected


def test_result_files_can_be_concatenated(tmp_path):
    first, second = (ResultFile(tmp_path / name) for name in "ab")
    first.append(record(0))
    second.append(record(1))
    second.append(record(2, day="2027-01-01"))
    both = tmp_path / "both"
    both.write_bytes(first.path.read_bytes() + second.path.read_bytes())
    expected = [record(0), record(1), record(2, day="2027-01-01")]
    assert list(ResultFile(both).read().values()) == expected


def test_identifiers_of_different_headers_differ():
    one, other = record(0), record(0, data="PTC")
    taken = Header.from_record(other).digest[:8]
    header, fold = lines_of(other)
    assert header["run"] == fold[0] == taken
    collision = {taken: Header.from_record(one)}
    header, fold = (json.loads(line) for line in encode(other, collision).splitlines())
    assert header["run"] == fold[0] == Header.from_record(other).digest[:12]


def test_two_headers_with_the_same_identifier_are_an_error(tmp_path):
    (header, fold), (other, _) = lines_of(record(0)), lines_of(record(0, data="PTC"))
    file = write_lines(tmp_path / "runs.jsonl", header, header, fold)
    assert list(file.read().values()) == [record(0)]
    file = write_lines(tmp_path / "two.jsonl", header, {**other, "run": header["run"]})
    with pytest.raises(FileFormatError, match="line 2: not a record: another header"):
        file.read()


def test_only_the_first_record_of_a_fold_is_used(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record())
    file.append(record(scores={"accuracy": 0.9}))
    file.append(record(configuration={"C": [1.0]}))  # another run
    accuracies = [r.scores["accuracy"] for r in file.read().values()]
    assert accuracies == [0.5, 0.5]


@pytest.mark.parametrize("day", ["2026-12-31", "2027-01-01"])  # with or without a header
def test_incomplete_line_is_ignored_and_does_not_absorb_the_next_one(tmp_path, day):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(0))
    whole = file.path.read_bytes()
    file.append(record(1, day=day))
    added = file.path.read_bytes()[len(whole) :]
    n_header = added.index(b"\n") if added.count(b"\n") == 2 else -1
    for end in range(1, len(added) - 1):
        if end == n_header:
            continue  # a complete line without its line break
        file.path.write_bytes(whole + added[:end])
        ResultFile(file.path).append(record(2, day=day))
        expected = [record(0), record(2, day=day)]
        assert list(ResultFile(file.path).read().values()) == expected


@pytest.mark.parametrize("lines", [1, 2])
def test_last_line_may_lack_its_line_break(tmp_path, lines):
    path = tmp_path / "runs.jsonl"
    written = encode(record(0), {}).splitlines()[:lines]
    path.write_bytes(b"\n".join(written))
    assert len(ResultFile(path).read()) == lines - 1
    ResultFile(path).append(record(1))
    expected = [record(0), record(1)][2 - lines :]
    assert list(ResultFile(path).read().values()) == expected


def test_only_new_lines_are_read_again(tmp_path, monkeypatch):
    file, other = (ResultFile(tmp_path / "runs.jsonl") for _ in range(2))
    parsed = []
    parse = ResultFile._parse

    def count(self, line, number):
        if self is file:
            parsed.append(line)
        return parse(self, line, number)

    monkeypatch.setattr(ResultFile, "_parse", count)
    for fold in range(4):
        other.append(record(fold))
        assert len(file.read()) == fold + 1
    assert len(parsed) == 1 + 4  # one header
    file.path.unlink()
    assert file.read() == {}
    other.append(record(9))
    assert list(file.read().values()) == [record(9)]


def test_unfinished_line_is_used_once_it_is_complete(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(0))
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-20])
    assert file.read() == {}
    file.path.write_bytes(whole)
    assert list(file.read().values()) == [record(0)]


def test_error_for_other_content_contains_the_line_number(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record())
    with file.path.open("a") as text:
        text.write('{"cake": 1}\n')
    with pytest.raises(FileFormatError, match="line 3: not a record: without 'run'"):
        file.read()


def test_several_processes_append_to_one_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    code = (
        "import sys\n"
        "from gskn.evaluation import Record, ResultFile\n"
        "name = sys.argv[2] * 500\n"
        "for fold in range(200):\n"
        "    day = str(fold % 3)\n"
        "    record = Record('d', name, 'p', 0, fold, 0, {}, {}, day=day)\n"
        "    ResultFile(sys.argv[1]).append(record)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "abc"
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(ResultFile(path).read()) == 600
    assert len(path.read_bytes().splitlines()) == 600 + 3 * 3


def test_records_work_without_the_modules_fcntl_and_resource(tmp_path):
    code = (
        "import sys\n"
        "sys.modules['fcntl'] = sys.modules['resource'] = None\n"
        "from gskn import datasets\n"
        "from gskn.evaluation import ResultFile, evaluate\n"
        "file = ResultFile(sys.argv[1])\n"
        "records = evaluate(datasets.regular(10), ['ldp'], results=file)\n"
        "assert records == list(file.read().values())\n"
        "assert {record.peak_mebibytes for record in records} == {0.0}\n"
    )
    path = tmp_path / "runs.jsonl"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert len(ResultFile(path).read()) == 10


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"scores": None}, "scores must be a list"),
        ({"scores": {"accuracy": 0.5}}, "scores must be a list"),
        ({"scores": [1]}, "names of scores must be text"),
        ({"seconds": "embed"}, "seconds must be a list"),
        ({"seconds": [None]}, "names of seconds must be text"),
        ({"configuration": "C"}, "configuration must be an object"),
        ({"chosen": []}, "chosen must be an object"),
        ({"chosen": {"embedding": 1}}, "names of grids must be text"),
        ({"chosen": {"embedding": "grid"}}, "grid 'grid' must be a list"),
        ({"versions": {"numpy": 2}}, "versions must be text"),
        ({"versions": None}, "versions must be an object"),
        ({"run": 1}, "run must be text"),
        ({"data": None}, "data must be text"),
        ({"protocol": 1}, "protocol must be text"),
        ({"commit": 1}, "commit must be text"),
        ({"format": 2}, "unsupported format 2, expected 1"),
        ({"format": None}, "unsupported format None, expected 1"),
        ({"\x1b[31m": 1}, r"with the unknown field '\\x1b"),
    ],
)
def test_header_with_values_of_wrong_types_is_an_error(tmp_path, changes, reason):
    header, fold = lines_of(record())
    file = write_lines(tmp_path / "runs.jsonl", {**header, **changes}, fold)
    with pytest.raises(FileFormatError, match=f"line 1: not a record: .*{reason}"):
        file.read()


@pytest.mark.parametrize("name", lines_of(record())[0])
def test_header_without_one_of_its_fields_is_an_error(tmp_path, name):
    header, fold = lines_of(record())
    del header[name]
    file = write_lines(tmp_path / "runs.jsonl", header, fold)
    with pytest.raises(FileFormatError, match=f"line 1: not a record: without '{name}'"):
        file.read()


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        (0, 1, "run must be text"),
        (0, "other", "without a header of the run 'other' above it"),
        (1, 0.5, "repeat must be an integer"),
        (2, "0", "fold must be an integer"),
        (3, True, "seed must be an integer"),
        (4, [None], "the score 'accuracy' must be a number"),
        (4, ["0.5"], "the score 'accuracy' must be a number"),
        (4, [True], "the score 'accuracy' must be a number"),
        (4, [[0.5]], "the score 'accuracy' must be a number"),
        (4, [math.inf], "the score 'accuracy' must be finite"),
        (4, [10**400], "the score 'accuracy' must be finite"),
        (4, None, "scores must be a list"),
        (4, {"accuracy": 0.5}, "scores must be a list"),
        (4, [0.5, 0.5], "2 scores, expected 1"),
        (5, {}, "chosen must be a list"),
        (5, [0], "1 chosen, expected 3"),
        (5, ["0", 1.0, 0.25], "index of 'embedding' must be an integer"),
        (5, [2, 1.0, 0.25], "index of 'embedding' must be below 2"),
        (5, [-1, 1.0, 0.25], "index of 'embedding' must be below 2"),
        (6, ["1", 0.1], "the seconds of 'embed' must be a number"),
        (7, None, "'peak_mebibytes' must be a number"),
        (7, math.nan, "'peak_mebibytes' must be finite"),
    ],
)
def test_fold_with_values_of_wrong_types_is_an_error(tmp_path, column, value, reason):
    header, fold = lines_of(record())
    fold[column] = value
    file = write_lines(tmp_path / "runs.jsonl", header, fold)
    with pytest.raises(FileFormatError, match=f"line 2: not a record: .*{reason}"):
        file.read()


@pytest.mark.parametrize("n_values", [0, 7, 9])
def test_fold_with_another_number_of_values_is_an_error(tmp_path, n_values):
    header, fold = lines_of(record())
    file = write_lines(tmp_path / "runs.jsonl", header, [*fold, 0][:n_values])
    with pytest.raises(FileFormatError, match=f"{n_values} values, expected 8"):
        file.read()


def test_fold_above_its_header_is_an_error(tmp_path):
    header, fold = lines_of(record())
    file = write_lines(tmp_path / "runs.jsonl", fold, header)
    with pytest.raises(FileFormatError, match="line 1: not a record: without a header"):
        file.read()


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    "text",
    [
        '{"run":' + 100_000 * "[",
        100_000 * '{"run":',
        100_000 * '["a",',
        100_000 * "[" + 100_000 * "]",
        encode(record(), {}).decode().replace("[0.1,1.0]", 5000 * "[" + 5000 * "]"),
        "[]",
        "{}",
        "null",
        "NaN",
        "9" * 5000,
        "not JSON",
        "\0",
    ],
)
def test_error_for_any_other_content_is_one_line(tmp_path, text, end):
    path = tmp_path / "runs.jsonl"
    path.write_text(text + end)
    with pytest.raises(FileFormatError, match="line 1: not a record") as caught:
        ResultFile(path).read()
    assert "\n" not in str(caught.value)


def test_binary_content_and_very_long_lines_are_errors(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xff\xfe\xff\n")
    with pytest.raises(FileFormatError, match="line 1: not a record: invalid JSON"):
        ResultFile(path).read()
    with path.open("wb") as file:
        file.truncate(2**40)  # a sparse file of zeros
    with pytest.raises(FileFormatError, match="longer than 16,777,216 bytes"):
        ResultFile(path).read()


def test_undefined_scores_are_stored(tmp_path):
    file = ResultFile(tmp_path / "runs.jsonl")
    file.append(record(scores={"roc_auc": math.nan}))
    (stored,) = file.read().values()
    assert math.isnan(stored.scores["roc_auc"])


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
limit = len(whole) + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
try:
    file.append(record(1))
except OSError as error:
    print(error)
assert file.path.read_bytes() == whole
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
file.append(record(2))
assert [r.fold for r in file.read().values()] == [0, 2]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
@pytest.mark.parametrize("n_bytes", [0, 1, 30])
def test_full_disk_is_an_error_and_leaves_the_file_unchanged(tmp_path, n_bytes):
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "runs.jsonl"), str(n_bytes)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "too large" in result.stdout
    assert "runs.jsonl" in result.stdout


def test_killed_process_does_not_keep_the_lock(tmp_path):
    path = tmp_path / "runs.jsonl"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from gskn.evaluation._result_file import _locked\n"
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


def test_link_and_its_target_share_a_lock(tmp_path):
    link, target = tmp_path / "link.jsonl", tmp_path / "new" / "runs.jsonl"
    link.symlink_to(target)
    ResultFile(link).check()
    ResultFile(link).append(record(0))
    ResultFile(target).append(record(1))
    assert len(ResultFile(link).read()) == 2
    assert not list(tmp_path.glob(".*"))
    assert [file.name for file in target.parent.glob(".*")] == [".runs.jsonl.lock"]


def test_lock_of_a_file_with_a_very_long_name_has_a_shorter_name(tmp_path):
    file = ResultFile(tmp_path / ("x" * 255))
    file.check()
    file.append(record())
    assert list(file.read().values()) == [record()]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_header_that_does_not_fit_on_the_disk_is_written_again(tmp_path):
    code = FULL_DISK.replace("record(1)", "record(1, day='x')")
    code = code.replace("record(2)", "record(2, day='x')")
    command = [sys.executable, "-c", code, str(tmp_path / "runs.jsonl"), "100"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "too large" in result.stdout


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *identity, *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


def test_commit_is_the_one_of_the_checkout(tmp_path, monkeypatch):
    package = tmp_path / "src" / "gskn"
    package.mkdir(parents=True)
    (package / "code.py").write_text("1\n")
    assert code_commit.__wrapped__(package) is None  # not a repository
    git(tmp_path, "init", "--quiet")
    assert code_commit.__wrapped__(package) is None  # without a commit
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert len(commit) == 40
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))  # as in a git hook
    assert code_commit.__wrapped__(package) == commit
    (tmp_path / "records.jsonl").write_text("{}")  # results are not code
    assert code_commit.__wrapped__(package) == commit
    (package / "code.py").write_text("2\n")
    assert code_commit.__wrapped__(package) == f"{commit}-dirty"
    monkeypatch.setenv("PATH", "")
    assert code_commit.__wrapped__(package) is None  # without git


def test_installed_package_has_no_commit(tmp_path):
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "first")
    package = tmp_path / "env" / "site-packages" / "gskn"
    package.mkdir(parents=True)
    assert code_commit(package) is None


def test_provenance_is_added_and_numbers_are_rounded():
    clock = Clock()
    clock.seconds = {"embed": 0.12345}
    result = with_provenance(
        record(scores={"accuracy": 2 / 3}, chosen={"C": 1e-9, "inner": 1 / 3}), clock
    )
    assert result.scores == {"accuracy": 0.666667}
    assert result.chosen == {"C": 1e-9, "inner": 0.333333}
    assert result.seconds == {"embed": 0.123}
    assert {"python", "gskn", "numpy"} <= result.versions.keys()
    assert len(result.day) == 10
    assert result.commit == code_commit(Path(sys.modules["gskn"].__file__).parent)
    assert result.key == record().key


def test_errors_and_their_inner_scores_have_six_significant_digits():
    scores = {"rmse": 1.23456789e-9, "r2": 0.123456789}
    result = with_provenance(record(scores=scores, chosen={"inner": -2e-15 / 3}), Clock())
    assert result.scores == {"rmse": 1.23457e-9, "r2": 0.123457}
    assert result.chosen == {"inner": -6.66667e-16}


def test_time_of_an_inner_step_is_not_counted_twice(monkeypatch):
    times = iter([0.0, 1.0, 3.0, 10.0, 11.0, 13.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(times))
    clock = Clock()
    with clock.measure("choose"), clock.measure("embed"):
        pass
    with clock.measure("choose"):
        pass
    assert clock.seconds == {"choose": 8.0 + 2.0, "embed": 2.0}


def test_stored_results_have_the_documented_format():
    stored = Path(__file__).parents[2] / "docs" / "results" / "records.jsonl"
    if not stored.exists():
        pytest.skip("needs the results of the documentation")
    headers = {}
    for line in stored.read_bytes().splitlines():
        new, records = decode(line, headers)
        headers |= new
        for one_record in records.values():
            assert encode(one_record, headers) == line + b"\n"
        for run, header in new.items():
            assert header.digest.startswith(run)


def test_records_become_a_frame_and_a_table():
    data = datasets.structure(n_per_class=4)
    records = evaluation.evaluate(data, ["majority", "ldp"])
    frame = evaluation.records_to_frame(records)
    assert len(frame) == len(records)
    assert frame["model"].tolist() == [record.model for record in records]
    assert frame["accuracy"].tolist() == [record.scores["accuracy"] for record in records]
    assert {"chosen_classifier_kernel", "seconds_classify", "commit"} <= {*frame.columns}
    assert len(evaluation.records_to_frame([])) == 0
    html = records._repr_html_()
    assert "ldp" in html
    assert "ROC-AUC" in html
    assert "±" in html


def test_evaluation_needs_a_data_set_and_a_list_of_models():
    data = datasets.structure(n_per_class=4)
    for evaluate in (evaluation.evaluate, evaluation.evaluate_nodes):
        with pytest.raises(UnsupportedInputError, match="got GraphBatch.*datasets.load"):
            evaluate(data.graphs)
    with pytest.raises(InputError, match="use \\['aw'\\]"):
        evaluation.evaluate(data, "aw")
    with pytest.raises(InputError, match="did you mean 'awe-features'"):
        evaluation.evaluate(data, ["awe-feature"])
