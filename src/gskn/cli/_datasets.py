"""``gskn datasets``: list the data sets and their files."""

from gskn.cli._options import AsJson, DataHome

_CAPTION = (
    "Sets of one graph have classes of nodes, and sets without classes have values. Files "
    "that are not on disk are downloaded when they are used first; sets without a file are "
    "generated."
)


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
            "graphs": info.n_graphs,
            "nodes": info.n_nodes,
            "edges": info.n_edges,
            "classes": info.n_classes or None,
            "labels": info.n_labels or None,
            "attrs": info.n_attributes or None,
        }
        if as_json:
            row |= {
                "task": info.task,
                "on_disk": path is not None,
                "path": path and str(path),
            }
        else:
            is_generated = path is None and info.generate is not None
            row |= {"file": None if is_generated else path is not None}
        rows.append(row)
    show(
        rows, title="Data sets", as_json=as_json, caption=f"{_CAPTION}\nData folder: {home}"
    )
