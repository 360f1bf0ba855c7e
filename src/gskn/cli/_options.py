"""Options and defaults that several commands share."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gskn.graphs import GraphBatch

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


def as_path(name: str) -> Path | None:
    """Return a file or folder, or None for a known set: its name wins over a file's.

    What has a slash is a path in any case: ``./MUTAG``.
    """
    from gskn import datasets
    from gskn.exceptions import MissingFileError, UnknownDatasetError

    path = Path(name)
    if name in {".", ".."} or any(sign in name for sign in ("/", os.sep)):
        if not path.exists():
            raise MissingFileError(f"There is no file or folder {name!r}.")
        return path
    try:
        datasets.find_set(name)
    except UnknownDatasetError as error:
        if name and path.exists():
            return path
        raise UnknownDatasetError(f"{error} Nor is {name!r} a file or folder.") from error
    return None


def find_source(name: str, data_home: Path | None) -> "Path | GraphBatch":
    """Return what `iter_graphs` reads piece by piece, or else the graphs themselves."""
    from gskn import datasets, read_graphs
    from gskn.graphs._stream import is_streamed

    path = as_path(name)
    if path is None:
        return datasets.load(name, data_home).graphs
    return path if is_streamed(path) else read_graphs(path)


def check_not_input(out: Path, name: str) -> None:
    """Refuse to write over the input, or where the next run would take it for graphs."""
    from gskn.exceptions import InputError
    from gskn.graphs._read import CLASS_FILES, is_graph_file

    path = as_path(name)
    if path is None:
        return
    if out.resolve() == path.resolve():
        raise InputError(f"{str(out)!r} is the input; write to another file.")
    inside = out.resolve().is_relative_to(path.resolve())
    if inside and out.name.lower() in CLASS_FILES:
        raise InputError(f"{str(out)!r} is a file of classes; write to another file.")
    if inside and is_graph_file(out):
        raise InputError(
            f"{str(out)!r} lies in the folder {name!r}, whose files are read as graphs; "
            "write to another folder."
        )
