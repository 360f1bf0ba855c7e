"""``gskn describe``: summarize data sets or files of graphs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import AsJson, DataHome, Rejects, built_in_sets, reading

if TYPE_CHECKING:
    from gskn.graphs import GraphBatch


def describe(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(help="Data sets, files or folders."),
    ] = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Summarize graphs: sizes, degrees, components, labels and classes.

    Without inputs, the data sets that need no download are summarized.

    Example: gskn describe MUTAG my-graphs/ molecules.smi
    """
    from gskn.cli._tables import show

    rows = []
    rejects = Rejects()
    for name in inputs or built_in_sets(data_home):
        with reading(name, data_home):
            rows.append(_summary(name, data_home, rejects))
    rejects.report()
    show(rows, title="Graphs", as_json=as_json)


def _summary(name: str, data_home: Path | None, rejects: Rejects) -> dict[str, Any]:
    from gskn import datasets as sets
    from gskn import read_graphs
    from gskn.exceptions import UnknownDatasetError

    if name and Path(name).exists():
        graphs = read_graphs(name, options=rejects.options)
        return {"name": name, "classes": None, **_shape(graphs)}
    try:
        data = sets.load(name, data_home)
    except UnknownDatasetError as error:
        raise UnknownDatasetError(f"{error} It is not a file or folder, either.") from error
    return {"name": data.name, "classes": data.n_classes, **_shape(data.graphs)}


def _shape(graphs: "GraphBatch") -> dict[str, Any]:
    from scipy.sparse.csgraph import connected_components

    n_components, _ = connected_components(graphs.adjacency, directed=False)
    n_graphs, n_nodes = max(graphs.n_graphs, 1), max(graphs.n_nodes, 1)
    kind = "directed" if graphs.is_directed else "undirected"
    return {
        "graphs": graphs.n_graphs,
        "nodes": graphs.n_nodes,
        "edges": graphs.n_edges,
        "mean_nodes": round(graphs.n_nodes / n_graphs, 2),
        "max_nodes": int(graphs.graph_sizes.max(initial=0)),
        "mean_degree": round(graphs.adjacency.nnz / n_nodes, 2),
        "components": int(n_components),
        "labels": len(graphs.label_values) if graphs.node_labels is not None else None,
        "attributes": graphs.n_attributes or None,
        "edge_labels": len(graphs.edge_label_values) or None,
        "edge_attributes": graphs.n_edge_attributes or None,
        "kind": f"{kind}, weighted" if graphs.is_weighted else kind,
    }
