"""Run independent pieces of work on one thread or on several."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from gskn._blas import one_thread
from gskn._validation import check_int

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Return the results of ``work`` for every item.

    None means one thread, -1 one per core. After an exception, also after Ctrl-C, only
    the items in progress are finished, so the work on one item should be short.
    """
    n_threads = 1 if n_jobs is None else check_int(n_jobs, "n_jobs", minimum=-1)
    if n_threads in {0, 1} or len(items) < 2:
        return [work(item) for item in items]
    with (
        one_thread(),
        ThreadPoolExecutor(None if n_threads == -1 else n_threads) as pool,
    ):
        try:
            return list(pool.map(work, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
