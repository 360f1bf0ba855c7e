"""``gskn embed``: write graph or node embeddings to a file."""

import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli import _model as model_options
from gskn.cli._options import (
    DataHome,
    Jobs,
    Rejects,
    check_not_input,
    find_source,
    is_same_file,
    reading,
)
from gskn.cli._rows import as_utf8, graph_names, metadata_of, watch_labels, write_rows
from gskn.cli._workers import Scheduler, Workers, open_workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gskn import GSKN
    from gskn._types import FloatArray, NameArray
    from gskn.cli._workers import MapChunks
    from gskn.graphs import GraphBatch

    Rows = tuple[dict[str, NameArray], FloatArray]


class Level(Enum):
    """What is embedded."""

    graph = "graph"
    node = "node"


def embed(  # noqa: PLR0913, PLR0917 - one option each
    graphs: model_options.Input,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output file: .parquet, .csv or .npz.")
    ],
    level: Annotated[Level, typer.Option(help="Embed graphs or nodes.")] = Level.graph,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model file of gskn fit or gskn train. Default: fit to the input."
        ),
    ] = None,
    branches: model_options.Branches = None,
    walk_length: model_options.WalkLength = None,
    anonymous_length: model_options.AnonymousLength = None,
    n_landmarks: model_options.Landmarks = None,
    alpha: model_options.Alpha = None,
    beta: model_options.Beta = None,
    weighting: model_options.WeightingOption = None,
    pooling: model_options.PoolingOption = None,
    seed: model_options.Seed = None,
    jobs: Jobs = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    data_home: DataHome = None,
) -> None:
    """Embed graphs or nodes and write them to a file.

    Folders and parquet tables of edges are read in chunks and may be larger than memory;
    a large graph is mapped into memory from a folder with indptr.npy and indices.npy.
    A table has the columns graph, source and target and is sorted by graph; a pattern such
    as 'edges-*.parquet' reads several tables. Molecules that cannot be read are skipped and
    listed in a file next to the output.

    Example: gskn embed graphs/ -o embeddings.parquet --level node
    """
    from gskn._row_files import check_row_file
    from gskn.cli._console import echo
    from gskn.exceptions import InputError
    from gskn.graphs import iter_graphs

    begin = time.monotonic()
    check_row_file(out)
    check_not_input(out, graphs)
    if model is not None and is_same_file(out, model):
        raise InputError(f"{str(out)!r} is the model; write to another file.")
    parameters = model_options.set_parameters(
        branches=branches,
        walk_length=walk_length,
        anonymous_length=anonymous_length,
        n_landmarks=n_landmarks,
        alpha=alpha,
        beta=beta,
        weighting=weighting,
        pooling=pooling,
        random_state=seed,
    )
    fitted = _load(model, parameters, jobs) if model is not None else None
    rejects = Rejects()
    with reading(graphs, data_home):
        source = find_source(graphs, data_home, rejects)
    options = rejects.options
    with (
        open_workers(workers, scheduler) as map_chunks,
        model_options.counting() as count,
    ):
        if fitted is None:
            fitted = model_options.make_model(parameters, jobs)
            fitted.fit_chunks(count("fitting", iter_graphs(source, options=options)))
        chunks = count("embedding", iter_graphs(source, options=options))
        if model is not None:
            chunks = watch_labels(chunks, fitted)
        n_rows = _write_rows(chunks, fitted, level, out, map_chunks)
    rejects.report(out)
    seconds = time.monotonic() - begin
    echo(
        f"{out}: {n_rows:,} {level.value} embeddings, {len(_columns(fitted, level))} "
        f"columns, {seconds:.1f} s"
    )


def _load(path: Path, parameters: dict[str, Any], jobs: int | None) -> "GSKN":
    """Return the embedding in a model file, also of a classifier or regressor."""
    from gskn import GSKN
    from gskn.estimators import load_any

    if parameters:
        raise typer.BadParameter(
            f"the parameters of a fitted model cannot be changed: {', '.join(parameters)}.",
            param_hint="--model",
        )
    model = load_any(path)
    embedding = model if isinstance(model, GSKN) else model.embedding_
    return embedding if jobs is None else embedding.set_params(n_jobs=jobs)


def _write_rows(
    chunks: "Iterable[GraphBatch]",
    model: "GSKN",
    level: Level,
    out: Path,
    map_chunks: "MapChunks" = map,
) -> int:
    """Write the embeddings of all chunks and return their number."""

    def make_rows(chunk: "GraphBatch") -> "Rows":
        if level is Level.graph:
            return _ids(chunk, level), model.transform(chunk)
        return _ids(chunk, level), model.transform_nodes(chunk)

    def map_ranges(function: object, chunks: "Iterable[GraphBatch]") -> "Iterator[Rows]":
        """Yield ranges of nodes instead of calling ``function``, for large graphs."""
        del function
        for chunk in chunks:
            ids, first = _ids(chunk, level), 0
            for values in model.iter_nodes(chunk):
                end = first + len(values)
                yield {key: names[first:end] for key, names in ids.items()}, values
                first = end

    columns = _columns(model, level)
    if level is Level.node and map_chunks is map:
        map_chunks = map_ranges
    return write_rows(
        chunks,
        out,
        columns,
        metadata_of(model),
        make_rows,
        level=level.value,
        map_chunks=map_chunks,
    )


def _columns(model: "GSKN", level: Level) -> Any:
    """Return the names of the columns of graph or node embeddings."""
    if level is Level.graph:
        return model.get_feature_names_out()
    return model.get_node_feature_names_out()


def _ids(chunk: "GraphBatch", level: Level) -> "dict[str, NameArray]":
    names = graph_names(chunk)
    if level is Level.graph:
        return {"graph": names}
    if chunk.node_names is None:
        raise AssertionError("iter_graphs sets all names")
    return {"graph": names[chunk.node_graphs], "node": as_utf8(chunk.node_names)}
