"""``gskn describe``: summarize data sets or files of graphs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import AsJson, DataHome, Rejects, built_in_sets, reading

if TYPE_CHECKING:
    from gskn.graphs import GraphBatch

_MODEL_SUFFIX = ".gskn"
_MODEL_CELLS = (
    "name",
    "model",
    "classes",
    "branches",
    "walk_length",
    "landmarks",
    "weighting",
    "pooling",
    "columns",
    "kernel",
    "regularization",
    "metric",
    "score",
)
_MODEL_CAPTION = (
    "Scores are measured on inner folds of the training graphs, and models are selected by "
    "them; ± is the standard error."
)


def describe(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(help="Data sets, files or folders; or model files (.gskn)."),
    ] = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Summarize graphs: sizes, degrees, labels and classes.

    Without inputs, the data sets that need no download are summarized. For model files, the
    parameters and scores are shown.

    Example: gskn describe MUTAG my-graphs/ molecules.smi
    """
    from gskn.cli._tables import show, transpose

    names = inputs or built_in_sets(data_home)
    models = [name for name in names if Path(name).suffix.lower() == _MODEL_SUFFIX]
    rows = []
    rejects = Rejects()
    for name in names:
        if name not in models:
            with reading(name, data_home):
                rows.append(_summary(name, data_home, rejects))
    rejects.report()
    model_rows = [_model_summary(Path(name)) for name in models]
    if as_json:
        show(rows + model_rows, title="", as_json=True)
        return
    if rows:
        show(transpose(rows, "name"), title="Graphs", as_json=False)
    if model_rows:
        texts = [_model_texts(row) for row in model_rows]
        show(
            transpose(texts, "name"), title="Models", as_json=False, caption=_MODEL_CAPTION
        )


def _summary(name: str, data_home: Path | None, rejects: Rejects) -> dict[str, Any]:
    from gskn import datasets as sets
    from gskn import read_graphs
    from gskn.exceptions import UnknownDatasetError

    if name and Path(name).exists():
        graphs = read_graphs(name, options=rejects.options)
        return {"name": name, **_count_classes(name), **_shape(graphs)}
    try:
        data = sets.load(name, data_home)
    except UnknownDatasetError as error:
        raise UnknownDatasetError(f"{error} It is not a file or folder, either.") from error
    return {"name": name, "classes": data.n_classes, **_shape(data.graphs)}


def _count_classes(name: str) -> dict[str, int | None]:
    """Return the number of classes in the files of the user, None for values or none."""
    import warnings

    from gskn import datasets as sets
    from gskn.exceptions import GsknError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # graphs are read again, with the warnings
            data = sets.read(name)
    except GsknError:  # no file of classes, or an invalid one
        return {"classes": None}
    return {"classes": data.n_classes if data.targets == "classes" else None}


def _model_summary(path: Path) -> dict[str, Any]:
    """Return class, parameters and score of the model in a file."""
    from gskn import GSKN
    from gskn.cli._summary import summarize_embedding, summarize_machine
    from gskn.estimators import load_any

    model = load_any(path)
    embedding = model if isinstance(model, GSKN) else model.embedding_
    classes = getattr(model, "classes_", None)
    return {
        "name": str(path),
        "model": type(model).__name__,
        "classes": None if classes is None else classes.tolist(),
        **summarize_embedding(embedding),
        **dict.fromkeys(("kernel", "C", "alpha", "metric", "score", "standard_error")),
        **({} if isinstance(model, GSKN) else summarize_machine(model)),
    }


def _model_texts(row: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a model in the table."""
    strength = next((name for name in ("C", "alpha") if row[name] is not None), None)
    texts = {
        **row,
        "landmarks": row["n_landmarks"],
        "classes": None if row["classes"] is None else len(row["classes"]),
        "branches": ", ".join(row["branches"]),
        "pooling": ", ".join(row["pooling"]),
        "regularization": strength and f"{strength} {row[strength]:g}",
        "score": None
        if row["score"] is None
        else f"{row['score']:.4g} ± {row['standard_error']:.2g}",
    }
    return {name: texts[name] for name in _MODEL_CELLS}


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
