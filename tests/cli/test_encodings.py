"""Commands print their output in every encoding."""

import io
import json
import os
import subprocess
import sys
import warnings

import networkx as nx
import pytest

from gskn.cli import _app, main
from tests.cli.processes import COMMAND, Result

ENCODINGS = ["ascii", "latin-1", "cp1252", "utf-8"]
C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.fixture
def call_encoded(monkeypatch):
    """Run a command in this process with streams of an encoding."""
    monkeypatch.setattr(_app, "_discard_output", lambda: None)

    def run_here(encoding, *arguments):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2)]
        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)  # printed, as for users
            patch.setattr(sys, "argv", ["gskn", *map(str, arguments)])
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            with pytest.raises(SystemExit) as exited:
                main()
        for stream in streams:
            stream.flush()
        texts = [stream.buffer.getvalue().decode(encoding) for stream in streams]
        return Result(exited.value.code or 0, *texts)

    return run_here


@pytest.mark.parametrize(
    ("encoding", "environment"),
    [
        ("ascii", {"PYTHONIOENCODING": "ascii"}),
        ("latin-1", {"PYTHONIOENCODING": "latin-1"}),
        ("ascii", C_LOCALE),
    ],
)
def test_tables_are_printed_in_every_encoding(encoding, environment):
    result = subprocess.run(
        [*COMMAND, "evaluate", "regular", "--models", "ldp"],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    stdout = result.stdout.decode(encoding)
    sign = "+/-" if encoding == "ascii" else "±"
    assert f"{sign} is the standard deviation" in " ".join(stdout.split())
    heading, rule, row = stdout.splitlines()[2:5]
    assert heading.split() == ["model", "regular"]
    assert set(rule.strip()) <= {"-", "─", "+", "|"}
    assert f" {sign} " in row
    # Columns are aligned because characters are replaced before the layout.
    assert len(heading.rstrip()) == len(row.rstrip())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_pictures_help_and_json_are_printed_in_every_encoding(encoding, call_encoded):
    code, stdout, _ = call_encoded(encoding, "distinguish", "--pair", "rings")
    assert code == 0
    assert ("0───1───2" if encoding == "utf-8" else "0---1---2") in stdout
    assert ("└───────┘" if encoding == "utf-8" else "\\-------/") in stdout
    for arguments in (["--help"], ["evaluate", "--help"], ["models"]):
        code, stdout, stderr = call_encoded(encoding, *arguments)
        assert (code, stderr) == (0, "")
        assert stdout
    code, stdout, _ = call_encoded(encoding, "models", "--json")
    assert "gskn" in {row["name"] for row in json.loads(stdout)}
    code, _, stderr = call_encoded(encoding, "evaluate", "--protocol", "fair")
    assert code == 2
    assert "fair" in stderr


@pytest.fixture
def odd_names(tmp_path):
    """Return a folder of graphs with names that are not UTF-8 or not printable."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    for name in (b"b\xff\xfe.g6", b"e\x1b[31mred.g6", "grün[bold]±[.g6".encode()):
        try:
            nx.write_graph6(nx.cycle_graph(5), folder / os.fsdecode(name))
        except OSError:
            pytest.skip("the file system allows printable names only")
    return folder


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_file_names_are_printed_in_every_encoding(
    encoding, odd_names, tmp_path, call_encoded, monkeypatch
):
    files = sorted(odd_names.iterdir())
    out = tmp_path / "±\x1b.csv"
    for arguments in (
        ("describe", *files),
        ("describe", *files, "--json"),
        ("distinguish", files[0], files[1]),
        ("embed", odd_names, "-o", out, "--branches", "walk"),
        ("datasets", "--data-home", files[0]),
    ):
        code, stdout, stderr = call_encoded(encoding, *arguments)
        assert (code, stderr) == (0, "")
        assert "\x1b" not in stdout
    monkeypatch.setenv("COLUMNS", "1000")  # the path fits into one line
    code, stdout, _ = call_encoded(encoding, "describe", files[0])
    assert r"b\udcff\udcfe.g6" in stdout


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_messages_are_printed_in_every_encoding(encoding, odd_names, call_encoded):
    for file in list(odd_names.iterdir()):
        file.with_suffix(".note").touch()
    code, _, stderr = call_encoded(encoding, "describe", odd_names)
    assert code == 0
    assert stderr.startswith("warning: ")
    assert stderr.count("\n") == 1
    assert "\x1b" not in stderr
    for missing in (odd_names / "no\x1b±\n", os.fsdecode(b"\xff/none")):
        code, stdout, stderr = call_encoded(encoding, "describe", missing)
        assert (code, stdout, stderr.count("\n")) == (1, "", 1)
        assert "\x1b" not in stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("encoding", "arguments", "shown"),
    [
        ("ascii", ("describe", "regular"), "reading regular"),
        ("utf-8", ("distinguish", "--pair", "rings"), "comparing"),
        ("ascii", ("embed", "regular", "-o", "a.csv", "--branches", "walk"), "embedding: "),
        ("utf-8", ("fit", "regular", "-o", "model", "--branches", "walk"), "fitting: "),
        (
            "ascii",
            ("evaluate", "regular", "--models", "ldp", "--map", "a.png"),
            "drawing a",
        ),
        ("ascii", ("reproduce", "regular", "--out", "results", "--json"), "regular"),
    ],
)
def test_progress_is_shown_on_a_terminal(
    encoding, arguments, shown, tmp_path, copy_of_reproduced
):
    copy_of_reproduced(tmp_path / "results")
    result = run_on_terminal(arguments, tmp_path, PYTHONIOENCODING=encoding)
    text = result.decode(encoding)
    assert shown in text
    assert "Traceback" not in text


def run_on_terminal(arguments, folder, **environment):
    """Return the bytes that a command writes to stderr if it is a terminal."""
    import pty  # noqa: PLC0415 - not on Windows

    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
    )
    os.close(terminal)
    chunks = []
    while True:
        try:
            chunk = os.read(master, 2**16)
        except OSError:  # Linux, if the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(master)
    assert process.wait() == 0, b"".join(chunks)
    return b"".join(chunks)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix shell")
@pytest.mark.parametrize("arguments", ["models", "--help", "no-command"])
def test_closed_streams_print_no_traceback(arguments):
    command = f"'{sys.executable}' -m gskn {arguments}"
    for end in ("| head -1", ">&-", ">&- 2>&-"):
        result = subprocess.run(
            f"{command} {end}", shell=True, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in result.stderr
        assert "Exception" not in result.stderr
        if arguments != "no-command":
            assert result.stderr == ""


def test_long_messages_are_shortened(call):
    code, _, stderr = call("describe", "x" * 100_000)
    assert code == 1
    assert len(stderr) < 2100
    assert stderr.count("\n") == 1
