"""Options and defaults that several commands share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.graphs import GraphBatch, ReadOptions, Rejected

DataHome = Annotated[
    Path | None,
    typer.Option(help="Data folder. Default: $GSKN_DATA, or the user cache."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Jobs = Annotated[
    int | None,
    typer.Option(help="Threads; -1: all cores, -2: all but one. Default: 1."),
]


class Task(Enum):
    """Whether targets are classes or values."""

    auto = "auto"
    classes = "classes"
    values = "values"


Classes = Annotated[
    Path | None,
    typer.Option(help="File with lines graph,class or graph,value. Default: labels.csv."),
]
TargetColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of classes or values in a table of SMILES. Default: the only one.",
    ),
]
TaskOption = Annotated[
    Task,
    typer.Option(
        metavar="NAME",
        help="classes, values, or auto: values if there are fractions or many different "
        "integers.",
    ),
]

_BUILT_IN = ("structure", "regular", "MUTAG")


def built_in_sets(data_home: Path | None) -> list[str]:
    """Return the names of the data sets that need no download."""
    from gskn import datasets

    home = datasets.data_home(data_home)
    infos = (datasets.find_set(name) for name in _BUILT_IN)
    return [info.name for info in infos if info.generate or datasets.find_files(info, home)]


def as_path(name: str) -> Path | None:
    """Return the path of a file or folder, or None for the name of a data set.

    A name with a slash is always a path, as in ``./MUTAG``. Otherwise the name of a data
    set takes precedence over a file of the same name.
    """
    from gskn import datasets
    from gskn.exceptions import MissingFileError, UnknownDatasetError
    from gskn.graphs import is_pattern

    path = Path(name)
    if is_pattern(name):
        return path
    if name in {".", ".."} or any(sign in name for sign in ("/", os.sep)):
        if not path.exists():
            raise MissingFileError(f"There is no file or folder {name!r}.")
        return path
    try:
        datasets.find_set(name)
    except UnknownDatasetError as error:
        if name and path.exists():
            return path
        if path.suffix:  # names of data sets have none
            raise MissingFileError(f"There is no file or folder {name!r}.") from None
        raise UnknownDatasetError(f"{error} It is not a file or folder, either.") from error
    return None


def find_source(
    name: str, data_home: Path | None, rejects: "Rejects"
) -> "Path | GraphBatch":
    """Return a path that `iter_graphs` reads in chunks, or all graphs in memory."""
    from gskn import datasets, read_graphs
    from gskn.graphs import is_streamed

    path = as_path(name)
    if path is None:
        return datasets.load(name, data_home).graphs
    if is_streamed(path):
        return path
    batch = read_graphs(path, options=rejects.options)
    if not batch.n_graphs:
        rejects.check_any_read(name)
    return batch


class Rejects:
    """Molecules that cannot be read; commands skip and report them."""

    def __init__(self) -> None:
        # A source may be read twice.
        self._molecules: dict[tuple[str, int], Rejected] = {}

    @property
    def options(self) -> "ReadOptions":
        """Options for `read_graphs` and `iter_graphs` that skip and collect molecules."""
        from gskn.graphs import ReadOptions

        return ReadOptions(on_invalid="skip", report=self._add)

    def _add(self, molecule: "Rejected") -> None:
        self._molecules[molecule.place, molecule.number] = molecule

    def check_any_read(self, name: str) -> None:
        """Raise if all molecules of a file were skipped."""
        from gskn.exceptions import InputError

        if self._molecules:
            first = next(iter(self._molecules.values()))
            raise InputError(
                f"No molecule of {name!r} can be read ({len(self._molecules):,} in total); "
                f"the first, number {first.number}: {first.reason}."
            )

    def report(self, out: Path | None = None) -> None:
        """Print the number of molecules, and write them to a file next to ``out``."""
        from gskn._files import whole_file
        from gskn.cli._console import print_message
        from gskn.exceptions import one_line

        if not self._molecules:
            return
        first = next(iter(self._molecules.values()))
        place = f"; the first: {first.place}, number {first.number}: {first.reason}"
        if out is not None:
            # The suffix is not the suffix of a graph file.
            path = out.with_name(f"{out.name}.rejected")
            with whole_file(path) as temporary:
                rows = [("file", "number", "reason", "line")]
                rows += [
                    (row.place, str(row.number), row.reason, row.text)
                    for row in self._molecules.values()
                ]
                lines = ["\t".join(map(one_line, row)) for row in rows]
                temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
            place = f"; see {path}"
        n_molecules = len(self._molecules)
        print_message(
            "[yellow]warning:[/]",
            f"Skipped {n_molecules:,} molecule{'s' * (n_molecules > 1)} that cannot be read"
            f"{place}",
        )


def read_labelled(
    name: str,
    classes: Path | None,
    data_home: Path | None,
    task: Any,
    target_column: str | None = None,
    rejects: "Rejects | None" = None,
) -> "Dataset":
    """Return graphs with targets; ``task`` is "auto", "classes" or "values".

    With ``rejects``, molecules of a table that cannot be read are collected there.
    """
    from dataclasses import replace

    from gskn import datasets
    from gskn.datasets import detect_task

    path = as_path(name)
    if target_column is not None and (path is None or classes is not None):
        raise typer.BadParameter(
            "needs a table of SMILES, and no --classes.", param_hint="--target-column"
        )
    with reading(name, data_home):
        if path is not None:
            options = None if rejects is None else rejects.options
            return datasets.read(
                path, classes, task=task, target_column=target_column, options=options
            )
        data = datasets.load(name, data_home)
    if task == "auto" or data.targets == task:
        return data
    if data.task == "node":
        raise typer.BadParameter("needs targets of graphs.", param_hint="--task values")
    return replace(data, y=detect_task(data.y, task)[1])


@contextmanager
def reading(name: str, data_home: Path | None) -> Iterator[None]:
    """Show a spinner while graphs are read; a download has its own progress bar."""
    from gskn.cli._console import waiting

    if _needs_download(name, data_home):
        yield
    else:
        with waiting(f"reading {name}"):
            yield


def _needs_download(name: str, data_home: Path | None) -> bool:
    from gskn import datasets
    from gskn.exceptions import UnknownDatasetError

    try:
        info = datasets.find_set(name)
    except UnknownDatasetError:
        return False
    files = datasets.find_files(info, datasets.data_home(data_home))
    return info.generate is None and files is None


def is_same_file(first: Path, second: Path) -> bool:
    """Return whether two paths, which need not exist, are the same file."""
    from gskn._files import real_path

    return real_path(first) == real_path(second)


def check_not_input(out: Path, name: str) -> None:
    """Raise if ``out`` is the input, or would be read as input by the next run."""
    from gskn._files import real_path
    from gskn.exceptions import InputError
    from gskn.graphs import CLASS_FILES, is_graph_file, is_pattern

    path = as_path(name)
    if path is None:
        return
    if is_same_file(out, path):
        raise InputError(f"{str(out)!r} is the input; write to another file.")
    if is_pattern(path) and fnmatch(str(real_path(out)), str(real_path(path))):
        raise InputError(f"{str(out)!r} matches {name!r}; write to another file.")
    inside = real_path(out).is_relative_to(real_path(path))
    if inside and out.name.lower() in CLASS_FILES:
        raise InputError(f"{str(out)!r} is the file of classes; write to another file.")
    if inside and is_graph_file(out):
        raise InputError(
            f"{str(out)!r} is in the folder {name!r}, whose files are read as graphs; "
            "write to another folder."
        )
