"""Model options of ``gskn fit`` and ``gskn embed``, and the progress bar of chunks."""

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


def _option(text: str) -> Any:
    """Return an option whose default is set by the model."""
    return typer.Option(help=text, rich_help_panel="Model", show_default=False)


Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="File or folder of graphs, name of a data set, or pattern of tables.",
    ),
]
Branches = Annotated[
    str | None,
    _option(
        "Comma-separated: walk, degree-walk, anonymous, path, joint, induced. "
        "Default: walk,degree-walk,anonymous."
    ),
]
WalkLength = Annotated[
    int | None, _option("Nodes per walk, path or joint walk. Default: 3.")
]
AnonymousLength = Annotated[
    int | None,
    _option(f"Nodes per anonymous or induced walk: {PATTERN_LENGTHS}. Default: 6."),
]
Landmarks = Annotated[
    int | None, _option("Largest number of landmarks per branch and length. Default: 32.")
]
Alpha = Annotated[float | None, _option("Bandwidth of node features. Default: 1.5.")]
Beta = Annotated[float | None, _option("Bandwidth of patterns. Default: 1.5.")]
WeightingOption = Annotated[
    Weighting | None,
    _option("Weight of a walk: its probability, or 1. Default: probability."),
]
PoolingOption = Annotated[
    str | None,
    _option(
        "Comma-separated: sum, mean, log (logarithm of the sum) of node embeddings. "
        "Default: mean,log."
    ),
]
Seed = Annotated[int | None, _option("Random seed. Default: 0.")]


def set_parameters(**options: Any) -> dict[str, Any]:
    """Return the parameters of GSKN that were set on the command line."""
    parameters = {
        name: value.value if isinstance(value, Enum) else value
        for name, value in options.items()
        if value is not None
    }
    if "branches" in parameters:
        parameters["branches"] = _split(parameters["branches"])
    if "pooling" in parameters:
        poolings = _split(parameters["pooling"])
        parameters["pooling"] = poolings if len(poolings) > 1 else poolings[0]
    return parameters


def _split(text: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list."""
    return tuple(name.strip() for name in text.split(","))


def make_model(parameters: dict[str, Any], jobs: int | None) -> "GSKN":
    """Return an unfitted model."""
    from gskn import GSKN

    return GSKN(**{"random_state": 0, **parameters, "n_jobs": jobs})


@contextmanager
def counting(*, shown: bool = True) -> Iterator[Count]:
    """Yield a function that iterates over chunks and shows the number of graphs."""
    from rich.progress import TextColumn, TimeElapsedColumn

    from gskn.cli._console import make_console, progress, spinner

    columns = (
        spinner(make_console(stderr=True)),
        TextColumn("{task.description}: {task.completed:,} graphs"),
        TimeElapsedColumn(),
    )
    with progress(*columns, shown=shown) as bar:

        def finish() -> None:
            for task in bar.tasks:
                bar.update(task.id, total=task.completed)

        def count(
            description: str, chunks: "Iterable[GraphBatch]"
        ) -> "Iterator[GraphBatch]":
            finish()  # only now: a fit continues after it has read the last chunk
            task = bar.add_task(description, total=None)
            for chunk in chunks:
                yield chunk
                bar.advance(task, chunk.n_graphs)

        yield count
        finish()
