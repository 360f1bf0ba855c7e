"""Independent pieces of work, on one thread or on several."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from threadpoolctl import threadpool_limits

from gskn._validation import check_int

_one_at_a_time = Lock()

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Do the work on every item; None is one thread, -1 as many as there are cores."""
    n_threads = 1 if n_jobs is None else check_int(n_jobs, "n_jobs", minimum=-1)
    if n_threads in {0, 1} or len(items) < 2:
        return [work(item) for item in items]
    # Threads of BLAS under threads of ours would fight for the cores. The limit holds for
    # the process: calls that overlap would restore each other's.
    with (
        _one_at_a_time,
        threadpool_limits(1, "blas"),
        ThreadPoolExecutor(None if n_threads == -1 else n_threads) as pool,
    ):
        return list(pool.map(work, items))
