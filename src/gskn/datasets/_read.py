"""read: graphs of one's own, with their classes, as a data set."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gskn._files import check_exists, check_regular
from gskn._types import AnyArray
from gskn.datasets._dataset import Dataset
from gskn.datasets._load import graph_classes, stratified_folds
from gskn.exceptions import FileFormatError, InputError, MissingFileError
from gskn.graphs import GraphBatch, read_graphs
from gskn.graphs._assemble import shorten
from gskn.graphs._folder import Folder
from gskn.graphs._read import CLASS_FILES, is_graph_file, read_folder
from gskn.graphs._tu import find_tu_name, read_tu

_MAX_CLASS_LENGTH = 1000  # numpy takes as much memory for all as for the longest
_HEADERS = (("graph", "id", "name", "file"), ("class", "label", "target", "y"))


def read(path: str | Path, classes: str | Path | None = None) -> Dataset:
    """Read graphs and their classes from files of one's own.

    Parameters
    ----------
    path : str or Path
        A folder or zip in the TU format, which holds the classes; or whatever
        `read_graphs` reads.
    classes : str or Path, default=None
        File of lines ``graph,class``, with or without a header. Graphs are called by
        name: that of their file, with or without its suffix, or that which the file gives
        them. None is ``labels.csv``, ``classes.csv`` or ``graph_labels.csv`` in the folder.

    Returns
    -------
    data : Dataset
        Named by its path; ``y`` holds whole numbers if all classes are, else text.

    Raises
    ------
    FileFormatError
        A graph without a class, a class for no graph, or two classes for one graph.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.read("my-graphs/", classes="my-classes.csv")  # doctest: +SKIP
    """
    path = Path(path)
    check_exists(path)
    if _is_tu(path):
        if classes is not None:
            raise InputError(
                f"{str(path)!r} is in the TU format, which has classes of its own, in "
                f"NAME_graph_labels.txt; leave out {str(classes)!r}."
            )
        graphs, y = _read_tu(path)
    else:
        file = _find_classes(path, classes)
        graphs = read_folder(path, [file]) if path.is_dir() else read_graphs(path)
        y = _match(graphs, file)
    _check_classes(y, path)
    # With a slash, no name of a known set: results on file are found by the name.
    name = path.as_posix() if path.name != path.as_posix() else f"./{path.name}"
    return Dataset(name, graphs, y, "graph", stratified_folds(y), f"Read from {path}.")


def _is_tu(path: Path) -> bool:
    return path.suffix.lower() == ".zip" or (
        path.is_dir() and find_tu_name(Folder(path)) is not None
    )


def _read_tu(path: Path) -> tuple[GraphBatch, AnyArray]:
    parsed = read_tu(path)
    return parsed.graphs, graph_classes(parsed, path)


def _find_classes(path: Path, classes: str | Path | None) -> Path:
    if classes is not None:
        check_regular(Path(classes))
        return Path(classes)
    if path.is_dir():
        found = [file for file in path.iterdir() if file.name.lower() in CLASS_FILES]
        if len(found) == 1:
            check_regular(found[0])
            return found[0]
        if found:
            names = " and ".join(sorted(file.name for file in found))
            raise InputError(f"{str(path)!r} holds {names}; keep one file of classes.")
    raise MissingFileError(
        f"The graphs of {str(path)!r} have no classes; give a file of lines graph,class "
        f"(for a folder: as {CLASS_FILES[0]} in it)."
    )


def _read_lines(file: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, graph and class."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileFormatError(file, f"not text in UTF-8: {error}") from error
    except OSError as error:
        raise FileFormatError(file, f"cannot be read: {error.strerror}") from error
    delimiter = next((sign for sign in ",;\t" if lines and sign in lines[0]), ",")
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        rows = [[field.strip() for field in row] for row in reader]
    except csv.Error as error:
        raise FileFormatError(file, f"not csv: {error}", line=reader.line_num) from error
    for number, row in enumerate(rows, start=1):
        if not any(row) or (number == 1 and _is_header(row)):
            continue
        if len(row) != 2 or not all(row):
            shown = delimiter.join(row)[:60]
            raise FileFormatError(
                file, f"expected a graph and its class, got {shown!r}", line=number
            )
        if len(row[1]) > _MAX_CLASS_LENGTH:
            raise FileFormatError(
                file,
                f"the class {shorten(row[1])} has more than {_MAX_CLASS_LENGTH} characters",
                line=number,
            )
        yield number, row[0], row[1]


def _is_header(row: list[str]) -> bool:
    return len(row) == 2 and all(
        field.lower() in known for field, known in zip(row, _HEADERS, strict=True)
    )


def _match(graphs: GraphBatch, file: Path) -> AnyArray:
    """Give every graph its class, or say which one has none."""
    names = _distinct_names(graphs, file)
    position = {name: number for number, name in enumerate(names)}
    line_of: dict[int, int] = {}
    found = [""] * len(names)
    for line, key, value in _read_lines(file):
        named = key in position or not is_graph_file(Path(key))
        number = position.get(key if named else Path(key).stem)
        if number is None:
            reason = f"there is no graph {key!r}; the first graph is named {names[0]!r}"
            raise FileFormatError(file, reason, line=line)
        if number in line_of:
            reason = f"the graph {key!r} has a class in line {line_of[number]} already"
            raise FileFormatError(file, reason, line=line)
        line_of[number] = line
        found[number] = value
    lacking = [name for number, name in enumerate(names) if number not in line_of]
    if lacking:
        more = f", nor have {len(lacking) - 1} others" if len(lacking) > 1 else ""
        raise FileFormatError(
            file, f"the graph {lacking[0]!r} has no class{more}; add a line for each"
        )
    return _as_classes(found)


def _distinct_names(graphs: GraphBatch, file: Path) -> list[str]:
    named = range(graphs.n_graphs) if graphs.graph_names is None else graphs.graph_names
    names = [str(name) for name in named]
    if not names:
        raise InputError(f"There are no graphs for the classes of {str(file)!r}.")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{count} graphs are named {name!r}, so that {file.name} cannot tell them "
            "apart; rename them."
        )
    return names


def _as_classes(values: list[str]) -> AnyArray:
    whole = all(value.removeprefix("-").isdecimal() and len(value) < 19 for value in values)
    return np.array(values, dtype=np.int64) if whole else np.array(values)


def _check_classes(y: AnyArray, path: Path) -> None:
    if len(np.unique(y)) < 2:
        given = f"of one class ({y[0]})" if len(y) else "none"
        raise InputError(f"The graphs of {str(path)!r} are {given}; give two classes.")
