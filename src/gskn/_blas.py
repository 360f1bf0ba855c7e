"""Dense products by BLAS, whose threads belong to the whole process."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock, get_ident
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from gskn._types import FloatArray


def multiply(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the product of two dense matrices, or of two stacks of matrices."""
    with _state.product():
        result: FloatArray = np.matmul(left, right)
        return result


class _State:
    """Products in progress, and the limit on the number of BLAS threads.

    OpenBLAS stops its threads when the process forks. A product that is in progress then
    never ends in the parent, and its lock is never released in the child. Therefore a
    fork waits for the products of other threads.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._n_products: Counter[int] = Counter()  # by thread
        self._one_at_a_time = Lock()
        self._limits: Any = None

    @contextmanager
    def product(self) -> Iterator[None]:
        """Let a fork wait for the end of the block."""
        with self._changed:
            self._n_products[get_ident()] += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_products[get_ident()] -= 1
                self._changed.notify_all()

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Give BLAS one thread inside the block, for threads that call BLAS.

        BLAS threads below our threads would compete for the cores. One block at a time:
        overlapping blocks would restore each other's limits.
        """
        with self._one_at_a_time, threadpool_limits(1, "blas") as limits:
            self._limits = limits
            try:
                yield
            finally:
                self._limits = None

    def before_fork(self) -> None:
        """Wait for the products of other threads, and let none begin."""
        self._changed.acquire()
        self._changed.wait_for(self._is_idle)

    def after_fork_in_parent(self) -> None:
        """Let products begin again."""
        self._changed.release()

    def after_fork_in_child(self) -> None:
        """Replace the locks and end the limit of threads that do not exist here."""
        self._changed = Condition()
        self._n_products.clear()
        self._one_at_a_time = Lock()
        if self._limits is not None:
            self._limits.restore_original_limits()
            self._limits = None

    def _is_idle(self) -> bool:
        own = self._n_products[get_ident()]  # a signal handler may fork
        return self._n_products.total() == own


_state = _State()
in_product = _state.product
one_thread = _state.one_thread

if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=_state.before_fork,
        after_in_parent=_state.after_fork_in_parent,
        after_in_child=_state.after_fork_in_child,
    )
