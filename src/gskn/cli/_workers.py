"""Options for worker processes of Dask, and the map of a function over chunks."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias, TypeVar

import typer

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")
MapChunks: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]

Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Processes on this machine; needs the dask extra.", min=1
    ),
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a running Dask scheduler.", metavar="ADDRESS")
]

_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
_WORKER_OPTIONS = {
    # Dask lets workers return freed memory to the system at once, which takes a third of
    # their time (benchmarks/scale/molecules.py).
    f"{_ENVIRONMENT}.MALLOC_TRIM_THRESHOLD_": None,
    # A worker that sends a heartbeat while it is closed prints a traceback. Exceptions of
    # tasks are raised in this process.
    f"{_ENVIRONMENT}.DASK_LOGGING__DISTRIBUTED": "critical",
}
_CHUNKS_PER_THREAD = 3  # computed or waiting at a time


@contextmanager
def open_workers(workers: int | None, scheduler: str | None) -> Iterator[MapChunks]:
    """Yield a function like `map`, which computes on workers if there are any.

    Results have the order of the chunks, so output does not depend on workers.
    """
    if workers is not None and scheduler is not None:
        raise typer.BadParameter("use one of --workers and --scheduler.")
    if workers is None and scheduler is None:
        yield map
        return
    from gskn._optional import require
    from gskn.cli._console import echo
    from gskn.exceptions import InputError

    dask = require("dask", extra="dask")
    distributed = require("distributed", extra="dask")
    if scheduler is None:
        cluster = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    else:
        cluster = {"address": scheduler}
    try:
        with _ignored_interrupts(), dask.config.set(_WORKER_OPTIONS):
            client = distributed.Client(**cluster)
    except (OSError, ValueError) as error:
        raise InputError(f"No scheduler answers at {scheduler!r}.") from error
    with client:
        echo(f"dashboard: {client.dashboard_link}", stderr=True)

        def map_chunks(
            function: Callable[[Chunk], Result], chunks: Iterable[Chunk]
        ) -> Iterator[Result]:
            try:
                yield from _map_chunks(client, function, chunks)
            except distributed.KilledWorker as error:
                raise InputError(
                    "Several workers ended during the same chunk, probably because it "
                    "needs more memory than a worker has; use fewer workers."
                ) from error

        yield map_chunks


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which a terminal sends to all of them.

    They are closed by this process; otherwise each of them prints a traceback.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _map_chunks(
    client: Any, function: Callable[[Chunk], Result], chunks: Iterable[Chunk]
) -> Iterator[Result]:
    """Yield results in order while a bounded number of chunks is on the workers."""
    # A result of a task is computed again if its worker dies; scattered data are lost.
    shared = client.submit(_identity, function, pure=False)
    limit = _CHUNKS_PER_THREAD * max(1, sum(client.nthreads().values()))
    futures: deque[Any] = deque()
    for chunk in chunks:
        futures.append(client.submit(_call, shared, chunk, pure=False))
        if len(futures) >= limit:
            yield futures.popleft().result()
    while futures:
        yield futures.popleft().result()


def _identity(function: Callable[[Chunk], Result]) -> Callable[[Chunk], Result]:
    return function


def _call(function: Callable[[Chunk], Result], chunk: Chunk) -> Result:
    return function(chunk)
