"""Run independent work items on one or several threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from joblib import effective_n_jobs

from gskn._blas import one_thread
from gskn._limits import LOOP_MULTIPLICATIONS
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_n_jobs

Item = TypeVar("Item")
Result = TypeVar("Result")


def cut_by_work(items: IndexArray, work: FloatArray, n_items: int) -> list[IndexArray]:
    """Split items into pieces for one compiled loop each.

    A piece has at most ``n_items`` items and a bounded sum of ``work``, in
    multiplications, unless it is one item: Ctrl-C has to wait for the end of a loop.
    """
    cuts = [0]
    total = np.concatenate([[0.0], np.cumsum(np.minimum(work, 1e300 / max(1, len(work))))])
    while cuts[-1] < len(items):
        begin = cuts[-1]
        end = int(np.searchsorted(total, total[begin] + LOOP_MULTIPLICATIONS, "right")) - 1
        cuts.append(max(begin + 1, min(end, begin + n_items, len(items))))
    return [items[a:b] for a, b in pairwise(cuts)]


def run_threads(
    function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Return the results of ``function`` for all items, in their order.

    The number of threads follows the convention of joblib: None means 1, or the value of
    a `joblib.parallel_config` context; -1 means all cores, -2 all but one. ``function``
    must not call `run_threads` with more than one thread.

    After an exception or Ctrl-C, items in progress are finished and the others are
    cancelled, so the work on one item should be short.
    """
    n_threads = min(effective_n_jobs(check_n_jobs(n_jobs)), len(items))
    if n_threads < 2:
        return [function(item) for item in items]
    with one_thread(), ThreadPoolExecutor(n_threads) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
