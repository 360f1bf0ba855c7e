"""A plain-text progress bar on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_WIDTH = 40  # characters of the bar
_INTERVAL_SECONDS = 0.1


@contextmanager
def progress(description: str, total: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of ``total`` equal parts of the work.

    On a terminal the bar is redrawn in place; otherwise one line is written at the end.
    """
    if not shown or sys.stderr is None:
        yield lambda: None
        return
    bar = _Bar(description, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    def __init__(self, description: str, total: int) -> None:
        self.description, self.total, self.n_done = description, total, 0
        self.begin = time.monotonic()
        self.last_drawn = -_INTERVAL_SECONDS
        self.draw()  # the first part may take long

    def advance(self) -> None:
        self.n_done += 1
        self.draw()

    def draw(self) -> None:
        elapsed = time.monotonic() - self.begin
        if sys.stderr.isatty() and elapsed - self.last_drawn >= _INTERVAL_SECONDS:
            self.last_drawn = elapsed
            print(f"\r{self._text()}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        start = "\r" if sys.stderr.isatty() else ""
        print(f"{start}{self._text()}", file=sys.stderr, flush=True)

    def _text(self) -> str:
        share = self.n_done / self.total if self.total else 1.0
        bar = ("#" * round(_WIDTH * share)).ljust(_WIDTH, ".")
        seconds = time.monotonic() - self.begin
        return f"{self.description:<9} [{bar}] {share:4.0%} {seconds:6.1f} s"
