"""Options of the model and the progress bar that ``fit`` and ``embed`` share."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from gskn._limits import PATTERN_LENGTHS

if TYPE_CHECKING:
    from gskn import GSKN
    from gskn.graphs import GraphBatch

Count: TypeAlias = "Callable[[str, Iterable[GraphBatch]], Iterator[GraphBatch]]"


class Weighting(Enum):
    """Weight of a walk."""

    probability = "probability"
    count = "count"


class Pooling(Enum):
    """How node embeddings are combined to the embedding of their graph."""

    sum = "sum"
    mean = "mean"
    log = "log"


def _option(text: str) -> Any:
    """Return an option whose default is that of the model."""
    return typer.Option(help=text, rich_help_panel="Model", show_default=False)


Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT", help="File or folder of graphs, or the name of a known set."
    ),
]
Branches = Annotated[
    str | None,
    _option(
        "Of walk, anonymous, path, joint and induced, with commas. Default: walk,anonymous."
    ),
]
WalkLength = Annotated[
    int | None, _option("Nodes of walks, paths and joint walks. Default: 3.")
]
AnonymousLength = Annotated[
    int | None,
    _option(f"Nodes of anonymous and induced walks: {PATTERN_LENGTHS}. Default: 6."),
]
Landmarks = Annotated[
    int | None, _option("Landmarks of a branch for each length, at most. Default: 32.")
]
Alpha = Annotated[float | None, _option("Bandwidth for attributes. Default: 1.5.")]
Beta = Annotated[float | None, _option("Bandwidth for patterns. Default: 1.5.")]
WeightingOption = Annotated[
    Weighting | None,
    _option("Whether a walk counts its probability. Default: probability."),
]
PoolingOption = Annotated[
    Pooling | None,
    _option("Sum over the nodes of a graph, mean, or logarithm of the sum. Default: sum."),
]
Seed = Annotated[int | None, _option("Seed of landmarks and sampled walks. Default: 0.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; -1: all cores.")]


def given_parameters(**options: Any) -> dict[str, Any]:
    """Return the parameters of GSKN that were named on the command line."""
    given = {
        name: value.value if isinstance(value, Enum) else value
        for name, value in options.items()
        if value is not None
    }
    if "branches" in given:
        given["branches"] = tuple(part.strip() for part in given["branches"].split(","))
    return given


def make_model(given: dict[str, Any], jobs: int | None) -> "GSKN":
    """Make the model that is to be fitted."""
    from gskn import GSKN

    return GSKN(**{"random_state": 0, **given, "n_jobs": jobs})


@contextmanager
def counting() -> Iterator[Count]:
    """Give a function that passes chunks on and counts their graphs on a terminal."""
    from rich.progress import TextColumn, TimeElapsedColumn

    from gskn.cli._console import make_console, progress, spinner

    columns = (
        spinner(make_console(stderr=True)),
        TextColumn("{task.description}: {task.completed:,} graphs"),
        TimeElapsedColumn(),
    )
    with progress(*columns) as bar:

        def count(what: str, chunks: "Iterable[GraphBatch]") -> "Iterator[GraphBatch]":
            task = bar.add_task(what, total=None)
            for chunk in chunks:
                yield chunk
                bar.advance(task, chunk.n_graphs)
            bar.update(task, total=bar.tasks[task].completed)

        yield count
