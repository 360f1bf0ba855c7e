"""Run the command line in this process."""

import sys

import pytest

from gskn.cli import _app, main


@pytest.fixture
def call(monkeypatch, capfd):
    """Run the command in this process, which is quicker; return code, stdout, stderr."""
    # It discards the output, to which this process has still to write.
    monkeypatch.setattr(_app, "_discard_output", lambda: None)

    def run_here(*arguments):
        monkeypatch.setattr(sys, "argv", ["gskn", *map(str, arguments)])
        with pytest.raises(SystemExit) as exited:
            main()
        return exited.value.code or 0, *capfd.readouterr()

    return run_here
