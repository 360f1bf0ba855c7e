"""Read damaged files: every case must succeed or raise an error of one line.

To run more cases than the tests::

    python -m tests.fuzz.run --cases 5000 --budget 600
    python -m tests.fuzz.run --format model --first 1234 --cases 1     # repeat one case

A case is determined by format, seed and number. Cases run in a separate process; a crash
of the interpreter is reported with the number of the case.
"""

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gskn.exceptions import GsknError
from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import FORMATS

MAX_CPU_SECONDS = 20  # per case; processor time does not depend on other processes
MAX_MEBIBYTES = 1024
_MAX_ADDRESSES = 16 * 2**30  # protects the machine
_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Outcome:
    """Results of the cases of one format."""

    name: str
    n_cases: int = 0
    n_read: int = 0
    n_raised: int = 0
    peak_mebibytes: float = 0.0
    failures: list[str] = field(default_factory=list)


def run_format(
    name: str, *, cases: int, seed: int, first: int = 0, budget: float
) -> Outcome:
    """Run cases in a separate process for at most ``budget`` seconds."""
    command = [sys.executable, "-m", "tests.fuzz.run", "--worker", "--format", name]
    command += ["--cases", str(cases), "--seed", str(seed), "--first", str(first)]
    command += ["--budget", str(budget)]
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=_ROOT
    )
    lines = process.stdout.splitlines()
    if process.returncode == 0 and lines:
        return Outcome(**json.loads(lines[-1]))
    last = lines[-1] if lines else "none"
    reason = f"exit code {process.returncode} after {last!r}: {process.stderr[-2000:]}"
    return Outcome(name, failures=[reason])


def _work(name: str, options: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_ADDRESSES, _MAX_ADDRESSES))
    signal.signal(signal.SIGVTALRM, _stop_case)
    outcome = Outcome(name)
    end = time.monotonic() + options.budget
    with tempfile.TemporaryDirectory() as folder:
        file_format = FORMATS[name]
        path = Path(folder) / f"seed{file_format.suffix}"
        file_format.write(path)
        file_format.read(path)  # checks the seed file and compiles loops
        content = path.read_bytes()
        case = path.with_name(f"case{file_format.suffix}")
        for number in range(options.first, options.first + options.cases):
            if time.monotonic() > end:
                break
            print(f"case {number}", flush=True)
            generator = random.Random(f"{name} {options.seed} {number}")
            case.write_bytes(mutate(content, file_format.kind, generator))
            _try_case(outcome, number, lambda: file_format.read(case))
    print(json.dumps(vars(outcome)))


def _try_case(outcome: Outcome, number: int, read: Any) -> None:
    outcome.n_cases += 1
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_CPU_SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read()
        outcome.n_read += 1
    except GsknError as error:
        outcome.n_raised += 1
        if not str(error).isprintable():
            outcome.failures.append(
                f"case {number}: not one printable line: {str(error)!r}"
            )
    except BaseException:  # noqa: BLE001 - every other error is a failure
        outcome.failures.append(f"case {number}: {traceback.format_exc()[-1500:]}")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    if peak > MAX_MEBIBYTES >= outcome.peak_mebibytes:
        outcome.failures.append(f"case {number}: {peak:.0f} MiB")
    outcome.peak_mebibytes = max(peak, outcome.peak_mebibytes)


def _stop_case(*_: object) -> None:
    raise TimeoutError(f"more than {MAX_CPU_SECONDS} seconds of processor time")


def main() -> int:
    """Run the cases selected by the arguments; return 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=[*FORMATS, "all"], default="all")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=3600.0)
    parser.add_argument("--worker", action="store_true")
    options = parser.parse_args()
    if options.worker:
        _work(options.format, options)
        return 0
    names = list(FORMATS) if options.format == "all" else [options.format]
    n_failures = n_cases = 0
    for name in names:
        outcome = run_format(
            name,
            cases=options.cases,
            seed=options.seed,
            first=options.first,
            budget=options.budget,
        )
        n_failures += len(outcome.failures)
        n_cases += outcome.n_cases
        print(
            f"{name:12s} {outcome.n_cases:6d} cases, {outcome.n_read:6d} read, "
            f"{outcome.n_raised:6d} raised, {outcome.peak_mebibytes:5.0f} MiB, "
            f"{len(outcome.failures)} failed",
            flush=True,
        )
        for failure in outcome.failures[:20]:
            print(f"  {failure}")
    print(f"{n_cases} cases, {n_failures} failed")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
