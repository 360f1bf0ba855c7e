"""``gskn explain``: explain predictions of a trained model."""

import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli import _model as model_options
from gskn.cli._options import (
    Classes,
    DataHome,
    Jobs,
    Rejects,
    as_path,
    check_not_input,
    find_source,
    is_same_file,
    read_labelled,
    reading,
)
from gskn.cli._predict import load_predictor
from gskn.cli._rows import graph_names, metadata_of, watch_labels, write_rows

if TYPE_CHECKING:
    from gskn._types import FloatArray, NameArray
    from gskn.estimators import Predictor
    from gskn.explain import Explanation
    from gskn.graphs import GraphBatch

_PAGES = (".html", ".htm")
_NUMBERS = (".csv", ".parquet", ".npz")
_MOLECULES = ".sdf"


class By(Enum):
    """Entries of an explanation."""

    nodes = "nodes"
    edges = "edges"
    patterns = "patterns"
    landmarks = "landmarks"


def explain(  # noqa: PLR0913, PLR0917 - one option each
    model: Annotated[Path, typer.Argument(help="Model file of gskn train.")],
    graphs: model_options.Input,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Output file: .html for a report; .csv, .parquet or .npz for numbers; "
            ".sdf for molecules with values of atoms.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Class to explain. Default: the second of two classes, else the predicted "
            "class.",
        ),
    ] = None,
    by: Annotated[
        By,
        typer.Option(
            metavar="NAME", help="Numbers of nodes, edges, patterns or landmarks."
        ),
    ] = By.nodes,
    classes: Classes = None,
    max_graphs: Annotated[
        int, typer.Option(help="Largest number of graphs with a picture in the report.")
    ] = 50,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="INPUT",
            help="Training graphs. The report names the nearest one of every graph.",
        ),
    ] = None,
    jobs: Jobs = None,
    data_home: DataHome = None,
) -> None:
    """Explain predictions by contributions that add up.

    The report is one page that needs no network: predictions, pictures with colored nodes
    and edges, the largest contributions of nodes and patterns, and the distance to the
    training graphs. A csv file contains the contribution of every node, edge or pattern,
    and an sdf file the contributions of atoms.
    Models of gskn train --kernel linear --pooling sum (or mean) are explained exactly,
    others to first order.

    Example: gskn explain model.gskn molecules.smi -o report.html
    """
    from gskn._validation import check_n_jobs
    from gskn.cli._console import echo, waiting

    begin = time.monotonic()
    check_n_jobs(jobs)
    _check_out(out, graphs, model, by)
    if reference is not None:
        _check_reference(reference, out)
    fitted = load_predictor(model, jobs)
    rejects = Rejects()
    batch, y = _read(graphs, classes, data_home, rejects)
    list(watch_labels([batch], fitted.embedding_))
    chosen = _find_class(fitted, target)
    known = None if reference is None else _read(reference, None, data_home, Rejects())[0]
    with waiting("explaining"):
        if out.suffix.lower() in _PAGES:
            title = f"Explanations of predictions for {Path(graphs).name or graphs}"
            options = {"title": title, "max_graphs": max_graphs, "reference": known}
            _write_page(out, fitted, batch, chosen, {"y": y, **options})
        elif out.suffix.lower() == _MOLECULES:
            _write_molecules(out, fitted, batch, chosen, by.value)
        else:
            _write_numbers(out, fitted, batch, chosen, by.value)
    rejects.report(out)
    noun = "graph" if batch.n_graphs == 1 else "graphs"
    echo(f"{out}: {batch.n_graphs:,} {noun}, {time.monotonic() - begin:.1f} s")


def _check_out(out: Path, graphs: str, model: Path, by: By) -> None:
    """Raise if the output cannot be written, or is an input."""
    from gskn._files import check_output
    from gskn._optional import require
    from gskn._row_files import check_row_file
    from gskn.exceptions import InputError

    if out.suffix.lower() == _MOLECULES:
        require("rdkit", extra="rdkit")
        if by not in {By.nodes, By.edges}:
            raise InputError(f"An sdf file needs --by nodes or edges, not {by.value}.")
    if out.suffix.lower() not in {*_PAGES, *_NUMBERS, _MOLECULES}:
        raise InputError(
            f"Cannot write {str(out)!r}; the name must end in .html for a report, in "
            f"{', '.join(_NUMBERS)} for numbers, or in .sdf for molecules."
        )
    if out.suffix.lower() not in _NUMBERS:
        check_output(out)
    else:
        check_row_file(out)
    check_not_input(out, graphs)
    if is_same_file(out, model):
        raise InputError(f"{str(out)!r} is the model; write to another file.")


def _check_reference(reference: str, out: Path) -> None:
    """Raise if the output is not a report, or is the file of training graphs."""
    from gskn.exceptions import InputError

    if out.suffix.lower() not in _PAGES:
        raise InputError(f"--reference needs a report (.html), not {str(out)!r}.")
    check_not_input(out, reference)


def _read(
    name: str, classes: Path | None, data_home: Path | None, rejects: Rejects
) -> "tuple[GraphBatch, Any]":
    """Return all graphs, and their classes or values if they are known."""
    from gskn import read_graphs
    from gskn.exceptions import InputError
    from gskn.graphs import GraphBatch

    if classes is not None or as_path(name) is None:
        data = read_labelled(name, classes, data_home, "auto")
        if data.task == "node":
            raise InputError(f"{name} is one graph with classes of nodes.")
        return _named(data.graphs), data.y
    with reading(name, data_home):
        source = find_source(name, data_home, rejects)
        if not isinstance(source, GraphBatch):
            source = read_graphs(source, options=rejects.options)
    if not source.n_graphs:
        rejects.report()
        raise InputError(f"There are no graphs in {name!r}.")
    return _named(source), None


def _named(batch: "GraphBatch") -> "GraphBatch":
    """Return the graphs with their numbers as names if they have none."""
    if batch.graph_names is not None:
        return batch
    return batch.with_graph_names([str(number) for number in range(batch.n_graphs)])


def _find_class(model: "Predictor", target: str | None) -> Any:
    """Return the class of this name."""
    from gskn.exceptions import InputError

    if target is None:
        return None
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError("The model predicts values; --target needs classes.")
    for value in classes.tolist():
        if str(value) == target:
            return value
    listed = ", ".join(map(str, classes.tolist()))
    raise InputError(f"--target {target!r} is not a class of the model: {listed}.")


def _write_page(
    out: Path, model: "Predictor", batch: "GraphBatch", target: Any, options: Any
) -> None:
    from gskn._files import whole_file
    from gskn.explain import explain_html

    html = explain_html(model, batch, target, **options)
    with whole_file(out) as temporary:
        temporary.write_text(html, encoding="utf-8")


def _write_molecules(
    out: Path, model: "Predictor", batch: "GraphBatch", target: Any, by: Any
) -> None:
    """Write molecules with the contributions of their atoms."""
    from gskn._files import whole_file
    from gskn.explain import explain as explain_graphs
    from gskn.explain import write_molecules

    molecules = explain_graphs(model, batch, target, by=by).to_molecules()
    with whole_file(out) as temporary:
        write_molecules(molecules, temporary)


def _write_numbers(
    out: Path, model: "Predictor", batch: "GraphBatch", target: Any, by: Any
) -> None:
    """Write one row per entry of the explanation."""
    import numpy as np

    from gskn.explain import explain as explain_graphs

    def make_rows(chunk: "GraphBatch") -> "tuple[dict[str, NameArray], FloatArray]":
        explanation = explain_graphs(model, chunk, target, by=by)
        owners = np.repeat(np.arange(len(explanation)), np.diff(explanation.entry_ptr))
        ids = {"graph": graph_names(chunk)[owners], **_entry_columns(explanation)}
        columns = [explanation.contributions, explanation.prediction[owners]]
        columns += [explanation.baseline[owners], explanation.remainder[owners]]
        return ids, np.column_stack(columns)

    names = ["contribution", "prediction", "baseline", "remainder"]
    metadata = {**metadata_of(model.embedding_), "gskn_model": type(model).__name__}
    write_rows([batch], out, names, metadata, make_rows, level="entry")


def _entry_columns(explanation: "Explanation") -> "dict[str, NameArray]":
    """Return the columns that identify an entry."""
    import numpy as np

    names = explanation.names
    if explanation.by == "edges":
        ends = np.array([[str(end) for end in pair] for pair in names]).reshape(-1, 2)
        return {"source": ends[:, 0], "target": ends[:, 1]}
    if explanation.by == "nodes":
        columns = {"node": np.array([str(name) for name in names])}
        labels = explanation.graphs.node_labels
        if labels is not None:
            values = [str(value) for value in explanation.graphs.label_values]
            columns["label"] = np.array(values)[labels]
        return columns
    return {explanation.by[:-1]: np.array(names)}
