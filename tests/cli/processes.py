"""Run the command line in child processes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

COMMAND = [sys.executable, "-m", "gskn"]

# After `n_calls` calls, the wrapped method reports to the parent process and waits. A child
# of a background process ignores Ctrl-C unless the handler is set.
PAUSED = """
import importlib, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)
module, owner, name, n_calls, report = sys.argv[1:6]
del sys.argv[1:6]
owner = getattr(importlib.import_module(module), owner)
method = getattr(owner, name)
results = []

def pausing(*arguments, **options):
    results.append(method(*arguments, **options))
    if len(results) == int(n_calls):
        os.write(int(report), b"paused")
        sys.stdin.read()
    return results[-1]

setattr(owner, name, pausing)

from gskn.cli import main
main()
"""


class Result(NamedTuple):
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments, **environment):
    """Run a command in a child process."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def run_until(method, n_calls, sign, *arguments, to_group=False, to_children=False):
    """Run a command, and send a signal while it waits after some calls of a method.

    Parameters
    ----------
    method : tuple of str
        Module, class and name of the method after which the command waits.
    n_calls : int
        Number of calls after which it waits. The signal arrives at this point whatever
        the speed of the machine.
    sign : signal.Signals
        Signal to send.
    *arguments
        Arguments of the command.
    to_group : bool, default=False
        Whether the child processes of the command get the signal, too, as in a terminal.
    to_children : bool, default=False
        Whether the child processes that multiprocessing has started get the signal,
        instead of the command.
    """
    reader, writer = os.pipe()
    command = [sys.executable, "-c", PAUSED, *method, n_calls, writer, *arguments]
    process = subprocess.Popen(
        [*map(str, command)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writer],
        start_new_session=to_group,
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as reports:
        # The pipe ends without a report if the command ends before it waits.
        assert reports.read(6) == b"paused", process.communicate()
    if to_children:
        for children in Path(f"/proc/{process.pid}/task").glob("*/children"):
            for number in children.read_text(encoding="ascii").split():
                if b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes():
                    os.kill(int(number), sign)
    elif to_group:
        os.killpg(process.pid, sign)
    else:
        process.send_signal(sign)
    # This closes stdin, but the signal comes first.
    stdout, stderr = process.communicate()
    return Result(process.returncode, stdout, stderr)
