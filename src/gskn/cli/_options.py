"""Options and defaults that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataHome = Annotated[
    Path | None,
    typer.Option(help="Folder of the files; default: $GSKN_DATA, else the cache."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_BUILT_IN = ("structure", "regular", "MUTAG")


def built_in_sets(data_home: Path | None) -> list[str]:
    """Return the names of sets that need no download."""
    from gskn import datasets

    home = datasets.data_home(data_home)
    known = (datasets.find_set(name) for name in _BUILT_IN)
    return [info.name for info in known if info.generate or datasets.find_files(info, home)]
