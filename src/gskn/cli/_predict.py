"""``gskn predict``: predict classes or values of graphs with a trained model."""

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from gskn.cli._rows import graph_names, metadata_of, watch_labels, write_rows
from gskn.cli._workers import Scheduler, Workers, open_workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gskn._types import AnyArray, FloatArray, NameArray
    from gskn.cli._rows import MakeRows
    from gskn.cli._workers import MapChunks
    from gskn.estimators import Predictor
    from gskn.graphs import GraphBatch

_STDOUT = Path("-")
_MAX_CLASSES = 10  # in the summary


def predict(
    model: Annotated[Path, typer.Argument(help="Model file of gskn train.")],
    graphs: model_options.Input,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Output file: .csv, .parquet or .npz. Default: csv on stdout.",
            show_default=False,
        ),
    ] = _STDOUT,
    jobs: Jobs = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    data_home: DataHome = None,
) -> None:
    """Predict classes or values with a model of gskn train.

    Each row has the name of a graph, its class and the probability of every class, or its
    value. Folders and parquet tables of edges are read in chunks and may be larger than
    memory. Classes in the input are not used. Molecules that cannot be read are skipped and
    listed in a file next to the output.

    Example: gskn predict model.gskn new-graphs/ -o predictions.csv
    """
    from gskn._row_files import check_row_file
    from gskn._validation import check_n_jobs
    from gskn.cli._console import echo
    from gskn.exceptions import InputError
    from gskn.graphs import iter_graphs

    begin = time.monotonic()
    file = None if out == _STDOUT else out
    check_n_jobs(jobs)
    if file is not None:
        check_row_file(file)
        check_not_input(file, graphs)
        if is_same_file(file, model):
            raise InputError(f"{str(file)!r} is the model; write to another file.")
    fitted = load_predictor(model, jobs)
    rejects = Rejects()
    with reading(graphs, data_home):
        source = find_source(graphs, data_home, rejects)
    summary = _Summary()
    # A progress bar would be mixed with the rows on a terminal.
    shown = file is not None or sys.stdout is None or not sys.stdout.isatty()
    with (
        open_workers(workers, scheduler) as map_chunks,
        model_options.counting(shown=shown) as count,
    ):
        chunks = count("predicting", iter_graphs(source, options=rejects.options))
        chunks = watch_labels(chunks, fitted.embedding_)
        n_graphs = _write_predictions(chunks, fitted, file, summary, map_chunks)
    rejects.report(file)
    seconds = time.monotonic() - begin
    prefix = "" if file is None else f"{file}: "
    noun = "graph" if n_graphs == 1 else "graphs"
    echo(
        f"{prefix}{n_graphs:,} {noun}, {summary.text()}, {seconds:.1f} s",
        stderr=file is None,
    )


def load_predictor(path: Path, jobs: int | None) -> "Predictor":
    """Return the classifier or regressor in a file."""
    from gskn import GSKN
    from gskn.estimators import load_any
    from gskn.exceptions import InputError

    model = load_any(path)
    if isinstance(model, GSKN):
        raise InputError(
            f"{str(path)!r} contains an embedding, which cannot predict; write a model "
            "with gskn train, or embed graphs with gskn embed --model."
        )
    if jobs is not None:
        model.embedding_.set_params(n_jobs=jobs)
    return model


class _Summary:
    """Number of graphs of each predicted class, or the range of predicted values."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.least, self.largest = float("inf"), float("-inf")

    def add(self, classes: "NameArray | None", values: "FloatArray") -> None:
        """Add the predictions of one chunk."""
        if classes is not None:
            self.counts.update(map(str, classes.tolist()))
        elif len(values):
            self.least = min(self.least, float(values.min()))
            self.largest = max(self.largest, float(values.max()))

    def text(self) -> str:
        """Return the summary as part of a line."""
        if not self.counts:
            return f"values from {self.least:.4g} to {self.largest:.4g}"
        parts = [f"{n:,} of class {name}" for name, n in self.counts.most_common()]
        if len(parts) > _MAX_CLASSES:
            parts[_MAX_CLASSES:] = [f"{len(parts) - _MAX_CLASSES} more classes"]
        return ", ".join(parts)


def _write_predictions(
    chunks: "Iterable[GraphBatch]",
    model: "Predictor",
    out: Path | None,
    summary: _Summary,
    map_chunks: "MapChunks" = map,
) -> int:
    """Write the predictions of all chunks and return the number of graphs."""
    from gskn.estimators import predict_once

    def make_rows(chunk: "GraphBatch") -> "tuple[dict[str, NameArray], FloatArray]":
        classes, values = predict_once(model, chunk)
        ids = {"graph": graph_names(chunk)}
        if classes is not None:
            ids["class"] = _as_names(classes)
        return ids, values

    def counted(
        function: "MakeRows", chunks: "Iterable[GraphBatch]"
    ) -> "Iterator[tuple[dict[str, NameArray], FloatArray]]":
        for ids, values in map_chunks(function, chunks):
            summary.add(ids.get("class"), values)
            yield ids, values

    metadata = {**metadata_of(model.embedding_), "gskn_model": type(model).__name__}
    return write_rows(chunks, out, _columns(model), metadata, make_rows, map_chunks=counted)


def _columns(model: "Predictor") -> list[str]:
    """Return the names of the columns after the graph and its class."""
    from gskn import GSKNRegressor

    if isinstance(model, GSKNRegressor):
        return ["value"]
    return [f"probability_{name}" for name in _as_names(model.classes_).tolist()]


def _as_names(classes: "AnyArray") -> "NameArray":
    """Return classes as integers or text."""
    return classes if classes.dtype.kind == "i" else classes.astype(str)
