"""``gskn datasets``: list the data sets and their files."""

from pathlib import Path
from typing import TYPE_CHECKING

from gskn.cli._options import AsJson, DataHome

if TYPE_CHECKING:
    from gskn.datasets import SetInfo


def datasets(
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """List the data sets with their sizes and files.

    Example: gskn datasets --data-home ~/data
    """
    from gskn import datasets as sets
    from gskn.cli._tables import show

    home = sets.data_home(data_home)
    rows = []
    for info in sets.known_sets():
        path = sets.find_files(info, home)
        row = {
            "name": info.name,
            "task": info.task,
            "graphs": info.n_graphs,
            "nodes": info.n_nodes,
            "edges": info.n_edges,
            "classes": info.n_classes or None,
            "labels": info.n_labels or None,
            "attrs": info.n_attributes or None,
        }
        if as_json:
            row |= {"on_disk": path is not None, "path": path and str(path)}
        else:
            row |= {"on_disk": _place(info, path, home)}
        rows.append(row)
    show(rows, title="Data sets", as_json=as_json, caption=f"Data folder: {home}")


def _place(info: "SetInfo", path: Path | None, home: Path) -> str:
    """Return the file name, or how the data set is obtained."""
    if path is not None:
        return str(path.relative_to(home)) if path.is_relative_to(home) else "built in"
    if info.generate is not None:
        return "generated"
    return "not yet"
