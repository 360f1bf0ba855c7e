"""load: a data set of the catalog by name."""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import numpy as np

from gskn._files import check_regular
from gskn._types import AnyArray, IndexArray
from gskn._validation import shorten
from gskn.datasets._cache import read_tu_cached
from gskn.datasets._catalog import SetInfo, find_set, known_sets
from gskn.datasets._dataset import Dataset
from gskn.datasets._molecules import read_molecules
from gskn.datasets._node_files import read_node_set
from gskn.datasets._store import data_home as resolve_home
from gskn.datasets._store import fetch_files, find_files
from gskn.exceptions import FileFormatError
from gskn.graphs import TuSet, read_tu

_N_FOLDS = 10


def load(name: str, data_home: str | Path | None = None) -> Dataset:
    """Load a data set from disk; download it first if necessary.

    Parameters
    ----------
    name : str
        Name of the set; case, dashes and underscores are ignored. See `names`.
    data_home : str or Path, default=None
        Data folder. None selects the folder in the environment variable ``GSKN_DATA``, or
        else the cache directory of the platform.

    Returns
    -------
    data : Dataset
        Graphs and classes, with ``name``, ``task``, ``folds`` and ``description``.

    Raises
    ------
    UnknownDatasetError
        If the catalog has no set of this name. The message suggests a similar name.
    DatasetNotFoundError
        If the set is not on disk and cannot be downloaded. The message contains the file
        to add to the data folder.
    FileFormatError
        If a file of the set is malformed.

    Notes
    -----
    A set in TU format is parsed once, and a binary copy is stored next to its source.
    Downloads use https and are verified by checksums of their content. Sets of molecules
    need the rdkit extra; molecules that RDKit cannot read are skipped and counted in the
    description.

    Examples
    --------
    >>> load("regular")
    Dataset('regular', task='graph', n_classes=2,
        graphs=GraphBatch(n_graphs=100, n_nodes=2000, n_edges=5000, undirected))
    """
    info = find_set(name)
    home = resolve_home(data_home)
    path = find_files(info, home)
    if path is None and info.generate is not None:
        data = info.generate()
        return Dataset(
            info.name,
            data.graphs,
            data.y,
            "graph",
            stratified_folds(data.y),
            data.description,
        )
    path = path or fetch_files(info, home)
    if info.form == "molecules":
        return _load_molecules(info, path)
    if info.task == "node":
        graphs, y = read_node_set(path, info.name)
        return Dataset(info.name, graphs, y, "node", {}, info.description)
    # Only sets in the data folder are cached, so nothing is written to the package.
    parsed = read_tu_cached(path) if path.is_relative_to(home) else read_tu(path)
    y = graph_classes(parsed, path)
    folds = _folds(info, home, y)
    return Dataset(info.name, parsed.graphs, y, "graph", folds, info.description)


def _load_molecules(info: SetInfo, path: Path) -> Dataset:
    """Read a table of molecules, with its fixed test molecules if it has any."""
    data = read_molecules(path, info.target, is_class=info.n_classes > 0)
    folds = stratified_folds(data.y) if info.n_classes else {}
    if "split" in data.columns:
        is_test = data.columns["split"] == "test"
        folds = {**folds, "fixed": (np.flatnonzero(is_test),)}
    description = info.description
    if data.n_skipped:
        description += f" {data.n_skipped} molecules cannot be read and are skipped."
    return Dataset(
        info.name, data.graphs, data.y, "graph", folds, description, data.columns
    )


def graph_classes(parsed: TuSet, path: Path) -> AnyArray:
    """Return the class of every graph of a TU set; raise if there is not exactly one."""
    file = f"{parsed.name}_graph_labels.txt"
    if parsed.targets is None:
        raise FileFormatError(path, f"{file} is missing")
    if parsed.targets.ndim > 1:
        n_columns = parsed.targets.shape[1]
        raise FileFormatError(
            path, f"{file} has {n_columns} numbers per graph; give one class per graph"
        )
    return parsed.targets


def names() -> list[str]:
    """Return the names of all sets of the catalog.

    Returns
    -------
    names : list of str
        Names that `load` accepts.

    Examples
    --------
    >>> names()[:3]
    ['MUTAG', 'PTC', 'PROTEINS']
    """
    return [info.name for info in known_sets()]


def _folds(info: SetInfo, home: Path, y: AnyArray) -> Mapping[str, tuple[IndexArray, ...]]:
    """Return the folds that are stored with the data, and stratified folds."""
    path = home / "folds" / f"{info.name}.json"
    stored = _read_folds(path, len(y)) if path.exists() else {}
    return stored if "stratified_seed0" in stored else {**stored, **stratified_folds(y)}


def _read_folds(path: Path, n_graphs: int) -> dict[str, tuple[IndexArray, ...]]:
    check_regular(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        folds = {str(name): tuple(map(_as_fold, tests)) for name, tests in content.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise FileFormatError(path, f"not lists of test indices: {error}") from error
    for name, tests in folds.items():
        if len(tests) < 2 or not all(map(len, tests)):
            raise FileFormatError(
                path, f"the folds {shorten(name)} are not at least two non-empty lists"
            )
        joined = np.concatenate(tests)
        distinct = np.unique(joined)
        if len(distinct) != len(joined) or distinct[0] < 0 or distinct[-1] >= n_graphs:
            raise FileFormatError(
                path,
                f"the folds {shorten(name)} contain an index twice, or an index that is "
                f"out of range for {n_graphs} graphs",
            )
    return folds


def _as_fold(test: object) -> IndexArray:
    if not isinstance(test, list) or not all(type(number) is int for number in test):
        raise TypeError(f"{shorten(test)} is not a list of integers")
    # Clipped to the range of int64; numbers out of range raise later.
    return np.array([min(max(number, -1), 2**31) for number in test], dtype=np.int64)


def stratified_folds(y: AnyArray) -> dict[str, tuple[IndexArray, ...]]:
    """Return ten stratified folds, or {} if a class has fewer than ten graphs."""
    if y.ndim != 1 or len(y) == 0 or np.unique(y, return_counts=True)[1].min() < _N_FOLDS:
        return {}
    # Importing scikit-learn is slow, and most sets have stored folds.
    selection = import_module("sklearn.model_selection")
    splitter = selection.StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0)
    return {"stratified_seed0": tuple(test for _, test in splitter.split(y, y))}
