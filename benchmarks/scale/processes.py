"""Run one measurement in a process of its own, to know its peak memory."""

import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self


def measure(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Return the results of a function in a new process, with times and peak memory."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        result: dict[str, Any] = receiver.recv()
    except EOFError:
        process.join()
        return {"error": f"the process ended with code {process.exitcode}"}
    process.join()
    return result


def _run(sender: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    result = function(*arguments)
    sender.send({**result, "peak_gb": peak_gigabytes()})


def peak_gigabytes() -> float:
    """Return the largest memory of this process so far."""
    # ru_maxrss includes the process that has started this one.
    status = Path("/proc/self/status")
    if status.exists():
        words = status.read_text(encoding="ascii").split()
        return round(int(words[words.index("VmHWM:") + 1]) / 2**20, 2)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


class Timer:
    """Wall and CPU seconds of a block."""

    def __enter__(self) -> Self:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = round(time.perf_counter() - self._wall, 2)
        self.cpu = round(time.process_time() - self._cpu, 2)
