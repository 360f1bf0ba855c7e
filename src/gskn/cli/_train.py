"""``gskn train``: train a classifier or regressor and write it to a file."""

import time
from contextlib import nullcontext
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import (
    AsJson,
    Classes,
    DataHome,
    Jobs,
    Rejects,
    TargetColumn,
    Task,
    TaskOption,
    as_path,
    check_not_input,
    is_same_file,
    read_labelled,
)
from gskn.cli._summary import strength_name, summarize_embedding, summarize_machine

if TYPE_CHECKING:
    from gskn import GSKN
    from gskn._types import AnyArray
    from gskn.estimators import Predictor
    from gskn.graphs import GraphBatch


class Kernel(Enum):
    """Kernel of the machine on graph embeddings."""

    auto = "auto"
    linear = "linear"
    rbf = "rbf"
    laplacian = "laplacian"


def train(  # noqa: PLR0913, PLR0917 - one option each
    data: Annotated[
        str,
        typer.Argument(
            help="Data set, or file or folder of graphs with classes or values."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.")],
    classes: Classes = None,
    target_column: TargetColumn = None,
    task: TaskOption = Task.auto,
    kernel: Annotated[
        Kernel,
        typer.Option(metavar="NAME", help="auto (the best), linear, rbf or laplacian."),
    ] = Kernel.auto,
    pooling: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Comma-separated: sum, mean, log. With sum or mean and --kernel linear, "
            "gskn explain is exact. The other parameters of the embedding are then "
            "defaults, and only kernel and regularization are selected. Default: mean,log.",
        ),
    ] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Give all classes the same total weight.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    jobs: Jobs = None,
    data_home: DataHome = None,
    as_json: AsJson = False,
) -> None:
    """Train a classifier or regressor for gskn predict.

    Inner folds of the graphs select the embedding, the kernel and the regularization.

    Your own graphs: a folder in TU format, a folder of files with a labels.csv, or a table
    of SMILES with a column of targets. Molecules that cannot be read are skipped and listed
    in a file next to the output.

    Example: gskn train my-graphs/ -o model.gskn
    """
    from gskn.cli._console import echo

    begin = time.monotonic()
    _check_options(data, out, classes, task, balanced=balanced)
    options: dict[str, Any] = {"kernel": kernel.value, "random_state": seed, "n_jobs": jobs}
    _check_numbers(seed, jobs)
    if pooling is not None:
        options["embedding"] = _embedding(pooling)
    rejects = Rejects()
    loaded = read_labelled(data, classes, data_home, task.value, target_column, rejects)
    kind, targets = loaded.targets, loaded.y
    if balanced:
        _check_balanced(kind)
        options["class_weight"] = "balanced"
    if not as_json:
        echo(f"{data}: {_describe_targets(kind, targets)}")
    model = _fit(kind, options, loaded.graphs, targets)
    model.save(out)
    rejects.report(out)
    row = {
        "data": data,
        "graphs": loaded.graphs.n_graphs,
        "task": kind,
        "classes": len(model.classes_) if kind == "classes" else None,
        **summarize_embedding(model.embedding_),
        **summarize_machine(model),
        "baseline_score": _baseline(kind, targets, balanced=balanced),
        "model": str(out),
        "seconds": round(time.monotonic() - begin, 1),
    }
    _show(row, model, data, as_json=as_json)


def _check_options(
    data: str, out: Path, classes: Path | None, task: Task, *, balanced: bool
) -> None:
    """Raise if an output cannot be written or options exclude each other."""
    from gskn import datasets
    from gskn._files import check_output
    from gskn.exceptions import InputError

    check_output(out)
    check_not_input(out, data)
    if classes is not None and is_same_file(out, classes):
        raise InputError(f"{str(out)!r} is the file of classes; write to another file.")
    if as_path(data) is None:
        if classes is not None:
            raise typer.BadParameter(
                "needs a file or folder of graphs.", param_hint="--classes"
            )
        if datasets.find_set(data).task == "node":
            raise InputError(
                f"{data} has classes of nodes; gskn train needs classes of graphs. gskn "
                "evaluate supports classes of nodes."
            )
    if balanced and task is not Task.auto:
        _check_balanced(task.value)


def _check_balanced(kind: str) -> None:
    if kind != "classes":
        raise typer.BadParameter("needs classes, not values.", param_hint="--balanced")


def _check_numbers(seed: int, jobs: int | None) -> None:
    from gskn._validation import check_int, check_n_jobs

    check_int(seed, "seed", minimum=0)
    check_n_jobs(jobs)


def _embedding(pooling: str) -> "GSKN":
    """Return an embedding with default parameters except for the pooling."""
    from gskn import GSKN
    from gskn.cli._model import set_parameters
    from gskn.pooling import check_pooling

    parameters = set_parameters(pooling=pooling)
    check_pooling(parameters["pooling"])
    return GSKN(**parameters)


def _describe_targets(kind: str, targets: "AnyArray") -> str:
    import numpy as np

    if kind == "values":
        least, largest = targets.min(), targets.max()
        return (
            f"{len(targets):,} graphs, values from {least:.4g} to {largest:.4g}: training "
            "a regressor"
        )
    n_classes = len(np.unique(targets))
    return f"{len(targets):,} graphs, {n_classes} classes: training a classifier"


def _fit(
    kind: str, options: dict[str, Any], graphs: "GraphBatch", targets: "AnyArray"
) -> Any:
    """Return the fitted classifier or regressor, and show the progress."""
    from gskn import GSKNClassifier, GSKNRegressor
    from gskn.cli._console import make_console, waiting

    is_terminal = make_console(stderr=True).is_terminal
    kind_of_model = GSKNClassifier if kind == "classes" else GSKNRegressor
    model = kind_of_model(**options, verbose=int(is_terminal))
    # The estimator has its own progress bar; a file gets one line a minute.
    with nullcontext() if is_terminal else waiting("training"):
        model.fit(graphs, targets)
    # Progress and threads are options of this run and not of the model.
    model.embedding_.set_params(n_jobs=None)
    return model.set_params(verbose=0, n_jobs=None)


def _baseline(kind: str, targets: "AnyArray", *, balanced: bool) -> float:
    """Return the score of the most frequent class, or of the mean of all values."""
    import numpy as np

    if kind == "values":
        return float(np.var(targets))
    counts = np.unique(targets, return_counts=True)[1]
    return float(1 / len(counts) if balanced else counts.max() / len(targets))


def _show(row: dict[str, Any], model: "Predictor", data: str, *, as_json: bool) -> None:
    """Print the selection as a table with an explanation, or as JSON."""
    from gskn.cli._console import echo
    from gskn.cli._tables import show

    if as_json:
        show([row], title="", as_json=True)
        return
    name = strength_name(model)
    texts = {
        "branches": ", ".join(row["branches"]),
        "nodes per walk": str(row["walk_length"]),
        "landmarks": f"{row['n_landmarks']} per branch and length",
        "weighting": row["weighting"],
        "pooling": ", ".join(row["pooling"]),
        "columns": f"{row['columns']:,}",
        "kernel": row["kernel"],
        name: f"{row[name]:g}",
        row["metric"]: _score_text(row),
    }
    n_candidates = row["candidates"]
    compared = f", selected from {n_candidates} candidates" if n_candidates else ""
    rows = [{"parameter": name, "value": text} for name, text in texts.items()]
    show(
        rows,
        title=f"Model{compared}",
        as_json=False,
        caption=_caption(row, data),
    )
    noun = "classifier" if row["task"] == "classes" else "regressor"
    echo(f"{row['model']}: {noun}, {row['seconds']:.1f} s")


def _score_text(row: dict[str, Any]) -> str:
    """Return the score with its standard error and the baseline."""
    score, error, baseline = row["score"], row["standard_error"], row["baseline_score"]
    if score is None:
        return "not estimated"
    if row["task"] == "classes":
        text = f"{100 * score:.1f} ± {100 * error:.1f} %"
        return f"{text} on inner folds; baseline {100 * baseline:.1f} %"
    return f"{score:.4g} ± {error:.2g} on inner folds; baseline {baseline:.4g}"


def _caption(row: dict[str, Any], data: str) -> str:
    """Return what the score means."""
    if row["score"] is None:
        return "The model has the default parameters, and its accuracy is not estimated."
    constant = "the largest class" if row["task"] == "classes" else "the mean value"
    if row["metric"] == "balanced accuracy":
        constant = "one class"
    gain = row["score"] - row["baseline_score"]
    gain = gain if row["task"] == "classes" else -gain  # of an error
    remark = "" if gain > 0 else " The model is no better than the baseline."
    return (
        f"± is the standard error. The baseline always predicts {constant}.{remark} The "
        "model was selected by this score, so the score is slightly optimistic; gskn "
        f"evaluate {data} estimates the score for new graphs."
    )
