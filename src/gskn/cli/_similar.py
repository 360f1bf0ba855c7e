"""``gskn similar``: find the graphs of a library that are most similar to queries."""

import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import (
    AsJson,
    DataHome,
    Jobs,
    Rejects,
    check_not_input,
    find_source,
    is_same_file,
    reading,
)
from gskn.cli._rows import as_utf8, graph_names, metadata_of, watch_labels, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gskn import NearestGraphs
    from gskn._types import FloatArray, NameArray
    from gskn.graphs import GraphBatch

_CAPTION = "Distances of standardized embeddings; 0 means equal embeddings."


class Search(Enum):
    """How neighbors are searched."""

    auto = "auto"
    exact = "exact"
    approximate = "approximate"


def similar(  # noqa: PLR0913, PLR0917 - one option each
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="File or folder of graphs, or name of a data set."
        ),
    ],
    library: Annotated[
        str, typer.Argument(metavar="LIBRARY", help="Graphs to search, like QUERY.")
    ],
    n_neighbors: Annotated[
        int, typer.Option("--neighbors", "-k", help="Similar graphs per query.")
    ] = 10,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write to a file instead of a table: .csv, .parquet or .npz.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model file of gskn fit or gskn train. Default: fit to the library."
        ),
    ] = None,
    search: Annotated[
        Search,
        typer.Option(
            metavar="NAME",
            help="exact, approximate (needs usearch) or auto (approximate above 100,000 "
            "graphs if usearch is installed).",
        ),
    ] = Search.auto,
    jobs: Jobs = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Find the most similar graphs of a library.

    Graphs are compared by the distance of their embeddings, with standardized columns.
    A distance of 0 means equal embeddings; two random graphs of the library have a distance
    of about 1.4.

    Example: gskn similar query.smi molecules.smi -k 10
    """
    from gskn.cli._console import echo, waiting
    from gskn.cli._tables import show
    from gskn.graphs import iter_graphs

    begin = time.monotonic()
    if out is not None:
        _check_out(out, query, library, model)
    nearest = _make_search(n_neighbors, search.value, model, jobs)
    rejects = Rejects()
    with reading(library, data_home):
        graphs = _read(library, data_home, rejects)
    with reading(query, data_home):
        source = find_source(query, data_home, rejects)
    with waiting(f"embedding {library}"):
        nearest.fit(graphs)
        list(watch_labels([graphs], _embedding(nearest)))  # a model may not know the labels
    chunks = watch_labels(iter_graphs(source, options=rejects.options), _embedding(nearest))
    if out is not None:
        with waiting("searching"):
            n_rows = _write(chunks, nearest, _names(graphs), out)
        rejects.report(out)
        echo(f"{out}: {n_rows:,} similar graphs, {time.monotonic() - begin:.1f} s")
        return
    with waiting("searching"):
        rows = list(_rows(chunks, nearest, _names(graphs)))
    rejects.report()
    if not as_json:
        rows = [{**row, "distance": f"{row['distance']:.4f}"} for row in rows]
    title = f"Graphs of {library} that are most similar to {query}"
    show(rows, title=title, as_json=as_json, caption=_CAPTION)


def _check_out(out: Path, query: str, library: str, model: Path | None) -> None:
    """Raise if the output cannot be written, or is an input."""
    from gskn._row_files import check_row_file
    from gskn.exceptions import InputError

    check_row_file(out)
    check_not_input(out, query)
    check_not_input(out, library)
    if model is not None and is_same_file(out, model):
        raise InputError(f"{str(out)!r} is the model; write to another file.")


def _make_search(
    n_neighbors: int, search: Any, model: Path | None, jobs: int | None
) -> "NearestGraphs":
    """Return an unfitted search, with a fitted embedding if there is a model."""
    from sklearn.frozen import FrozenEstimator

    from gskn import GSKN, NearestGraphs
    from gskn._validation import check_int, check_n_jobs
    from gskn.estimators import load_any

    check_int(n_neighbors, "--neighbors", minimum=1)
    check_n_jobs(jobs)
    embedding: Any = GSKN(random_state=0, n_jobs=jobs)
    if model is not None:
        loaded = load_any(model)
        embedding = loaded if isinstance(loaded, GSKN) else loaded.embedding_
        embedding = FrozenEstimator(embedding.set_params(n_jobs=jobs))
    return NearestGraphs(embedding, n_neighbors, search, n_jobs=jobs)


def _read(name: str, data_home: Path | None, rejects: Rejects) -> "GraphBatch":
    """Return all graphs of a source in memory."""
    from gskn import read_graphs
    from gskn.graphs import GraphBatch

    source = find_source(name, data_home, rejects)
    if isinstance(source, GraphBatch):
        return source
    return read_graphs(source, options=rejects.options)


def _names(graphs: "GraphBatch") -> "NameArray":
    """Return the names of graphs, or their numbers."""
    import numpy as np

    names = graphs.graph_names
    return np.arange(graphs.n_graphs) if names is None else as_utf8(names)


def _embedding(nearest: "NearestGraphs") -> Any:
    """Return the fitted GSKN."""
    return getattr(nearest.embedding_, "estimator", nearest.embedding_)


def _rows(
    chunks: "Iterable[GraphBatch]", nearest: "NearestGraphs", names: "NameArray"
) -> "Iterator[dict[str, Any]]":
    """Yield one row per query and neighbor."""
    for chunk in chunks:
        distances, indices = nearest.kneighbors(chunk)
        queries = graph_names(chunk).tolist()
        for query, row, near in zip(queries, distances, indices, strict=True):
            for rank, (distance, name) in enumerate(
                zip(row.tolist(), names[near].tolist(), strict=True), start=1
            ):
                yield {
                    "query": _as_name(query),
                    "rank": rank,
                    "graph": _as_name(name),
                    "distance": round(distance, 6),
                }


def _as_name(name: object) -> Any:
    return name if isinstance(name, int) else str(name)


def _write(
    chunks: "Iterable[GraphBatch]",
    nearest: "NearestGraphs",
    names: "NameArray",
    out: Path,
) -> int:
    """Write one row per query and neighbor, and return their number."""
    import numpy as np

    def make_rows(chunk: "GraphBatch") -> "tuple[dict[str, NameArray], FloatArray]":
        distances, indices = nearest.kneighbors(chunk)
        n_queries, n_neighbors = indices.shape
        ids = {
            "query": np.repeat(graph_names(chunk), n_neighbors),
            "rank": np.tile(np.arange(1, n_neighbors + 1), n_queries),
            "graph": names[indices.ravel()],
        }
        return ids, distances.reshape(-1, 1)

    metadata = metadata_of(_embedding(nearest))
    return write_rows(chunks, out, ["distance"], metadata, make_rows)
