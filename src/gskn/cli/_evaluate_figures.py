"""The figures of ``gskn evaluate``: scores of models, and maps of embeddings."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gskn.cli._evaluate_table import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gskn._types import FloatArray
    from gskn.datasets import Dataset
    from gskn.evaluation import Model, Record


def score_figure(results: Results) -> "Figure":
    """Plot the table; for accuracy, with the proportion of the largest class."""
    from dataclasses import replace

    import numpy as np

    from gskn.evaluation import plot_scores

    metric, chance = next(iter(results.metrics.values())), None
    if metric == "accuracy":
        graphs = [data for data in results.loaded if data.task == "graph"]
        counts = {data.name: np.unique(data.y, return_counts=True)[1] for data in graphs}
        chance = {results.titles[n]: float(c.max() / c.sum()) for n, c in counts.items()}
    # One figure with one panel for each column of the table.
    protocol = " and ".join(sorted(results.protocols(results.columns)))
    panels = [
        replace(record, data=column, protocol=protocol)
        for column, records in results.columns.items()
        for record in records
    ]
    return plot_scores(panels, metric=metric, chance=chance)


def embed_models(
    models: list["Model"],
    data: "Dataset",
    records: list["Record"],
    seed: int,
    jobs: int | None,
) -> "dict[str, FloatArray]":
    """Return the embeddings of all graphs or nodes, with the most selected parameters."""
    from collections import Counter

    from gskn.cli._console import waiting
    from gskn.evaluation import as_json, make_estimator

    embeddings = {}
    for model in models:
        numbers: Counter[int] = Counter({0: 0})
        for record in records:
            chosen = record.chosen.get("embedding")
            numbers.update(
                number
                for number, params in enumerate(model.grid)
                if record.model == model.name and as_json(params) == chosen
            )
        params = model.grid[numbers.most_common(1)[0][0]]
        with waiting(f"embedding by {model.name}"):
            estimator = make_estimator(model.estimator, params, seed, jobs)
            graphs = data.graphs if model.uses_edges else data.graphs.without_edge_data()
            estimator.fit(graphs)
            is_graph = data.task == "graph"
            transform = estimator.transform if is_graph else estimator.transform_nodes
            embeddings[model.name] = transform(graphs)
    return embeddings


def draw_map(
    data: "Dataset",
    embeddings: "dict[str, FloatArray]",
    method: Any,
    seed: int,
    path: Path,
    name: str,
) -> None:
    """Plot embeddings colored by class, one panel for each model."""
    from gskn.cli._console import waiting
    from gskn.evaluation import plot_embedding, save_figure

    title = f"{data.task.capitalize()} embeddings of {name}"
    y = data.y
    if data.labelled is not None:  # nodes without a class are not shown
        y = y[data.labelled]
        embeddings = {name: rows[data.labelled] for name, rows in embeddings.items()}
    with waiting(f"drawing {path}"):
        figure = plot_embedding(embeddings, y, method=method, title=title, seed=seed)
        save_figure(figure, path)
