"""read: graphs and their targets from files of the user."""

import csv
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from gskn._files import check_exists, check_regular
from gskn._types import AnyArray
from gskn._validation import shorten
from gskn.datasets._dataset import Dataset
from gskn.datasets._load import graph_classes, stratified_folds
from gskn.datasets._targets import detect_task
from gskn.exceptions import (
    FileFormatError,
    GsknWarning,
    InputError,
    MissingFileError,
    describe_error,
)
from gskn.graphs import (
    CLASS_FILES,
    Folder,
    GraphBatch,
    ReadOptions,
    as_list,
    find_name_column,
    find_smiles_column,
    find_tu_name,
    is_graph_file,
    read_folder,
    read_graphs,
    read_molecule_columns,
    read_tu,
    read_tu_values,
)

_MAX_CLASS_LENGTH = 1000  # numpy stores all strings with the length of the longest
_N_LISTED = 20  # columns in a message
_HEADERS = (
    ("graph", "node", "id", "name", "file"),
    ("class", "label", "target", "value", "y"),
)
_Task: TypeAlias = Literal["auto", "classes", "values"]


def read(
    path: str | Path,
    classes: str | Path | None = None,
    *,
    task: _Task = "auto",
    target_column: str | None = None,
    options: ReadOptions | None = None,
) -> Dataset:
    """Read graphs and their classes or real targets from files.

    Parameters
    ----------
    path : str or Path
        A folder or zip archive in TU format, which contains classes in
        ``NAME_graph_labels.txt`` or values in ``NAME_graph_attributes.txt``, or any other
        path for `read_graphs`.
    classes : str or Path, default=None
        File with lines ``graph,class`` or ``graph,value``, with or without a header. A
        header ``class,graph`` swaps the columns. The graph is the name of its file, with
        or without the suffix, or the name of the graph in that file. None selects
        ``labels.csv``, ``classes.csv`` or ``graph_labels.csv`` in the folder.
    task : {"auto", "classes", "values"}, default="auto"
        Kind of targets. With "auto", numbers are values if one of them has a fractional
        part, or if there are more than 20 different integers and more than half as many
        as graphs; everything else is a class.
    target_column : str or None, default=None
        Column of classes or values in a table of molecules (``.csv``, ``.tsv`` or
        ``.parquet`` with a column of SMILES). None selects the only column besides SMILES
        and names, or a column named class, label, target, value or y.
    options : ReadOptions, default=None
        Options of `read_graphs`. With ``on_invalid="skip"``, rows of a table of molecules
        that cannot be read are removed; in other files they raise an error.

    Returns
    -------
    data : Dataset
        Graphs and targets. The name is the path; ``y`` contains floats if the targets are
        values, integers if all classes are integers, else text.

    Raises
    ------
    FileFormatError
        If a file is malformed, a graph does not have exactly one target, or a graph in the
        file of classes does not exist.
    InputError
        If a target is not a number although ``task`` is "values", or is missing or
        infinite, or if all targets are equal.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.read("my-graphs/", classes="my-classes.csv")  # doctest: +SKIP
    """
    path = Path(path)
    check_exists(path)
    options = options or ReadOptions()
    columns = None if classes is not None else read_molecule_columns(path, options)
    if columns is not None:
        graphs, targets = _read_table(path, columns, target_column, options)
    elif target_column is not None:
        raise InputError(
            f"{str(path)!r} has no column {target_column!r} of targets: it is not a table "
            "of molecules with a column of SMILES, or has a file of classes."
        )
    elif _is_tu(path):
        _check_no_classes(path, classes)
        graphs, targets, task = _read_tu(path, task)
    else:
        graphs, targets = _read_with_classes(path, classes, options)
    kind, y = detect_task(targets, task) if len(targets) else ("classes", targets)
    _check_different(y, kind, path)
    folds = stratified_folds(y) if kind == "classes" else {}
    return Dataset(name_of(path), graphs, y, "graph", folds, f"Read from {path}.")


def name_of(path: Path) -> str:
    """Return the name of a data set in a file.

    It contains a slash, so it cannot be equal to a name of the catalog in stored results.
    """
    return path.as_posix() if path.name != path.as_posix() else f"./{path.name}"


def _check_no_classes(path: Path, classes: str | Path | None) -> None:
    if classes is not None:
        raise InputError(
            f"{str(path)!r} is in TU format and contains classes in "
            f"NAME_graph_labels.txt; omit {str(classes)!r}."
        )


def _read_with_classes(
    path: Path, classes: str | Path | None, options: ReadOptions
) -> tuple[GraphBatch, AnyArray]:
    """Return graphs and the targets in a file of classes."""
    file = _find_classes(path, classes)
    if options.on_invalid == "skip":  # every line of the file needs its graph
        options = replace(options, on_invalid="raise")
    if path.is_dir():
        graphs = read_folder(path, [file], options=options)
    else:
        graphs = read_graphs(path, options=options)
    return graphs, _match(graphs, file)


def _read_table(
    path: Path, columns: Mapping[str, Any], target: str | None, options: ReadOptions
) -> tuple[GraphBatch, AnyArray]:
    """Return the molecules of a table and their targets, both without rejected rows."""
    key = _find_target(path, list(columns), target, options)
    skips = options.on_invalid == "skip"
    # One graph for every row: rejected molecules are graphs without atoms.
    graphs = read_graphs(
        path, options=replace(options, on_invalid="keep") if skips else options
    )
    used = np.flatnonzero(graphs.graph_sizes) if skips else np.arange(graphs.n_graphs)
    targets = np.array(as_list(columns[key]))
    if len(used) == graphs.n_graphs:
        return graphs, targets
    if options.report is None:
        warnings.warn(
            f"Skipped {graphs.n_graphs - len(used)} of {graphs.n_graphs} molecules of "
            f"{str(path)!r} that cannot be read.",
            GsknWarning,
            stacklevel=3,
        )
    return graphs[used], targets[used]


def _find_target(
    path: Path, names: Sequence[str], target: str | None, options: ReadOptions
) -> str:
    """Return the column of targets; raise if it is missing or ambiguous."""
    known = {find_smiles_column(names, options), find_name_column(names)}
    candidates = [name for name in names if name not in known]
    if target is not None:
        if target in names:
            return target
        raise FileFormatError(
            path, f"there is no column {target!r}; the others are: {_list(candidates)}"
        )
    named = [name for name in candidates if name.lower() in _HEADERS[1]]
    for matches in (candidates, named):
        if len(matches) == 1:
            return matches[0]
    if not candidates:
        raise MissingFileError(
            f"{str(path)!r} has no column of classes or values besides SMILES; add one, or "
            "give a file with lines graph,class."
        )
    raise InputError(
        f"{str(path)!r} has several columns that may be targets: {_list(candidates)}; "
        "select one with --target-column (Python: target_column=...)."
    )


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(shorten, names[:_N_LISTED])) + (
        ", ..." if len(names) > _N_LISTED else ""
    )


def _is_tu(path: Path) -> bool:
    return path.suffix.lower() == ".zip" or (
        path.is_dir() and find_tu_name(Folder(path)) is not None
    )


def _read_tu(path: Path, task: _Task) -> tuple[GraphBatch, AnyArray, _Task]:
    """Return graphs and targets of a TU set, and the task if its files determine it."""
    parsed = read_tu(path)
    graphs = parsed.graphs
    if task == "values" or (task == "auto" and parsed.targets is None):
        values = read_tu_values(path, graphs.n_graphs)
        if values is not None:
            if values.shape[1] > 1:
                raise FileFormatError(
                    path,
                    f"{parsed.name}_graph_attributes.txt has {values.shape[1]} numbers per "
                    "graph; give one value per graph",
                )
            return graphs, values[:, 0], "values"
    return graphs, graph_classes(parsed, path), task


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
    hint = f"(for a folder, it may be {CLASS_FILES[0]} in that folder)"
    if path.suffix.lower() in {".csv", ".tsv", ".parquet", ".gz"}:
        hint += ", or a table of molecules with a column named 'smiles'"
    raise MissingFileError(
        f"The graphs of {str(path)!r} have no classes; give a file with lines graph,class "
        f"{hint}. For nodes, use gskn evaluate --node-classes, or datasets.read_nodes."
    )


def read_class_lines(file: Path, item: str) -> Iterator[tuple[int, str, str]]:
    """Yield the number of a line, its item ("graph" or "node") and the item's class."""
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
    is_swapped = bool(rows) and _is_header(rows[0][::-1])
    for number, row in enumerate(rows, start=1):
        if not any(row) or (number == 1 and (is_swapped or _is_header(row))):
            continue
        if len(row) != 2 or not all(row):
            shown = delimiter.join(row)[:60]
            raise FileFormatError(
                file, f"expected a {item} and its class, got {shown!r}", line=number
            )
        name, value = reversed(row) if is_swapped else row
        if len(value) > _MAX_CLASS_LENGTH:
            raise FileFormatError(
                file,
                f"the class {shorten(value)} has more than {_MAX_CLASS_LENGTH} characters",
                line=number,
            )
        yield number, name, value


def ask_for_swap(item: str, name: str, value: str) -> str:
    """Return an error message for an unknown name whose class is the name of an item."""
    return (
        f"unknown {item} {shorten(name)}, but there is a {item} {shorten(value)}. Are the "
        f"columns swapped? The first is the {item}, unless the header is class,{item}"
    )


def _is_header(row: list[str]) -> bool:
    return len(row) == 2 and all(
        field.lower() in names for field, names in zip(row, _HEADERS, strict=True)
    )


def _match(graphs: GraphBatch, file: Path) -> AnyArray:
    """Return the target of every graph as text; raise unless all have exactly one."""
    names = _distinct_names(graphs, file)
    position = {name: number for number, name in enumerate(names)}
    line_of: dict[int, int] = {}
    classes = [""] * len(names)
    for line, key, value in read_class_lines(file, "graph"):
        is_name = key in position or not is_graph_file(Path(key))
        number = position.get(key if is_name else Path(key).stem)
        if number is None:
            reason = f"unknown graph {key!r}; the name of the first graph is {names[0]!r}"
            if value in position or Path(value).stem in position:
                reason = ask_for_swap("graph", key, value)
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
    return np.array(classes)


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


def _check_different(y: AnyArray, kind: str, path: Path) -> None:
    if len(np.unique(y)) < 2:
        one = "class" if kind == "classes" else "value"
        present = f"only the {one} {y[0]}" if len(y) else "no classes"
        raise InputError(
            f"The graphs of {str(path)!r} have {present}; at least two are required."
        )
