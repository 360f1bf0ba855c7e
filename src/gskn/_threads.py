"""Run independent pieces of work on one thread or on several."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

from gskn._blas import one_thread
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int

_WORK_AT_ONCE = 2.0**27  # some tenths of a second

Item = TypeVar("Item")
Result = TypeVar("Result")


def cut_by_work(items: IndexArray, work: FloatArray, n_items: int) -> list[IndexArray]:
    """Cut items into pieces for one compiled loop each.

    A piece has at most ``n_items`` items and a bounded sum of ``work``, in
    multiplications, unless it is one item: Ctrl-C has to wait for the end of a loop.
    """
    cuts = [0]
    total = np.concatenate([[0.0], np.cumsum(np.minimum(work, 1e300 / max(1, len(work))))])
    while cuts[-1] < len(items):
        begin = cuts[-1]
        end = int(np.searchsorted(total, total[begin] + _WORK_AT_ONCE, "right")) - 1
        cuts.append(max(begin + 1, min(end, begin + n_items, len(items))))
    return [items[a:b] for a, b in pairwise(cuts)]


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
