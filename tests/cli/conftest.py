"""Run the command line inside the process of the test."""

import sys
import warnings

import pytest

from gskn.cli import _app, main
from tests.cli.processes import Result


@pytest.fixture
def call(monkeypatch, capfd):
    """Run a command in this process, which is faster than in a child process."""
    # After a failure the command redirects stdout, which this process still needs.
    monkeypatch.setattr(_app, "_discard_output", lambda: None)

    def run_here(*arguments):
        monkeypatch.setattr(sys, "argv", ["gskn", *map(str, arguments)])
        with warnings.catch_warnings():
            # Warnings for users are printed; all other warnings are still errors.
            warnings.simplefilter("default", UserWarning)
            with pytest.raises(SystemExit) as exited:
                main()
        return Result(exited.value.code or 0, *capfd.readouterr())

    return run_here
