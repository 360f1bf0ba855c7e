"""A progress bar for long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.progress import TimeRemainingColumn as Remaining


@contextmanager
def progress(what: str, total: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every part of the work."""
    if not shown:
        yield lambda: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        Remaining(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
