"""read: graphs and their classes from files of the user."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gskn._files import check_exists, check_regular
from gskn._types import AnyArray
from gskn._validation import shorten
from gskn.datasets._dataset import Dataset
from gskn.datasets._load import graph_classes, stratified_folds
from gskn.exceptions import (
    FileFormatError,
    InputError,
    MissingFileError,
    describe_error,
)
from gskn.graphs import (
    CLASS_FILES,
    Folder,
    GraphBatch,
    find_tu_name,
    is_graph_file,
    read_folder,
    read_graphs,
    read_tu,
)

_MAX_CLASS_LENGTH = 1000  # numpy stores all strings with the length of the longest
_HEADERS = (("graph", "id", "name", "file"), ("class", "label", "target", "value", "y"))


def read(path: str | Path, classes: str | Path | None = None) -> Dataset:
    """Read graphs and their classes from files.

    Parameters
    ----------
    path : str or Path
        A folder or zip archive in TU format, which contains classes, or any other path
        for `read_graphs`.
    classes : str or Path, default=None
        File with lines ``graph,class``, with or without a header. The graph is the name of
        its file, with or without the suffix, or the name of the graph in that file. None
        selects ``labels.csv``, ``classes.csv`` or ``graph_labels.csv`` in the folder.

    Returns
    -------
    data : Dataset
        Graphs and classes. The name is the path; ``y`` contains integers if all classes
        are integers, else text.

    Raises
    ------
    FileFormatError
        If a file is malformed, a graph does not have exactly one class, or a graph in the
        file of classes does not exist.

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
                f"{str(path)!r} is in TU format and contains classes in "
                f"NAME_graph_labels.txt; omit {str(classes)!r}."
            )
        graphs, y = _read_tu(path)
    else:
        file = _find_classes(path, classes)
        graphs = read_folder(path, [file]) if path.is_dir() else read_graphs(path)
        y = _match(graphs, file)
    _check_classes(y, path)
    # A name with a slash cannot be equal to a name of the catalog in stored results.
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
        files = [file for file in path.iterdir() if file.name.lower() in CLASS_FILES]
        if len(files) == 1:
            check_regular(files[0])
            return files[0]
        if files:
            names = " and ".join(sorted(file.name for file in files))
            raise InputError(f"{str(path)!r} contains {names}; keep one file of classes.")
    raise MissingFileError(
        f"The graphs of {str(path)!r} have no classes; give a file with lines graph,class "
        f"(for a folder, it may be {CLASS_FILES[0]} in that folder)."
    )


def _read_lines(file: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the number of a line, its graph and its class."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileFormatError(file, f"not UTF-8 text: {error}") from error
    except OSError as error:
        raise FileFormatError(file, f"cannot be read: {describe_error(error)}") from error
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
        field.lower() in names for field, names in zip(row, _HEADERS, strict=True)
    )


def _match(graphs: GraphBatch, file: Path) -> AnyArray:
    """Return the class of every graph; raise unless every graph has exactly one."""
    names = _distinct_names(graphs, file)
    position = {name: number for number, name in enumerate(names)}
    line_of: dict[int, int] = {}
    classes = [""] * len(names)
    for line, key, value in _read_lines(file):
        is_name = key in position or not is_graph_file(Path(key))
        number = position.get(key if is_name else Path(key).stem)
        if number is None:
            reason = f"unknown graph {key!r}; the name of the first graph is {names[0]!r}"
            raise FileFormatError(file, reason, line=line)
        if number in line_of:
            reason = f"the graph {key!r} already has a class in line {line_of[number]}"
            raise FileFormatError(file, reason, line=line)
        line_of[number] = line
        classes[number] = value
    missing = [name for number, name in enumerate(names) if number not in line_of]
    if missing:
        raise FileFormatError(
            file,
            f"{len(missing)} of {len(names)} graphs have no class, the first is "
            f"{missing[0]!r}; add a line for each",
        )
    return _as_classes(classes)


def _distinct_names(graphs: GraphBatch, file: Path) -> list[str]:
    names = [str(number) for number in range(graphs.n_graphs)]
    if graphs.graph_names is not None:
        names = [str(name) for name in graphs.graph_names]
    if not names:
        raise InputError(f"There are no graphs for the classes of {str(file)!r}.")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{count} graphs have the name {name!r}, so {file.name} is ambiguous; rename "
            "them."
        )
    return names


def _as_classes(values: list[str]) -> AnyArray:
    are_integers = all(
        value.removeprefix("-").isdecimal() and len(value) < 19 for value in values
    )
    return np.array(values, dtype=np.int64 if are_integers else None)


def _check_classes(y: AnyArray, path: Path) -> None:
    if len(np.unique(y)) < 2:
        classes = f"only the class {y[0]}" if len(y) else "no classes"
        raise InputError(
            f"The graphs of {str(path)!r} have {classes}; at least two are required."
        )
