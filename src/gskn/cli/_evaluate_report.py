"""The report of ``gskn evaluate``: one page with tables, plots and explained errors."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gskn.cli._evaluate_figures import score_figure
from gskn.cli._evaluate_table import Results, describe_metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gskn._types import AnyArray
    from gskn.datasets import Dataset
    from gskn.estimators import Predictor

_MAX_ERRORS = 6  # that are explained
_MAX_CLASSES = 12  # of a confusion matrix


def check_report(path: Path | None) -> None:
    """Raise if the page cannot be written."""
    from gskn._files import check_output
    from gskn.exceptions import InputError

    if path is None:
        return
    if path.suffix.lower() not in {".html", ".htm"}:
        raise InputError(f"--report {str(path)!r} must end in .html.")
    check_output(path)


def write_report(
    path: Path, results: Results, folds: str, seed: int, jobs: int | None
) -> None:
    """Write the page of one data set: table, plot, map and the errors of one fold."""
    import numpy as np

    from gskn import GSKN
    from gskn._files import whole_file
    from gskn._html import html_page
    from gskn.cli._console import waiting
    from gskn.evaluation import plot_embedding

    (data,) = results.loaded
    title = results.titles[data.name]
    with waiting(f"writing {path}"):
        body = _table_section(results, results.metrics[data.name])
        body += _figure_section("Scores", score_figure(results))
        if data.targets == "classes":
            model = GSKN(random_state=seed, n_jobs=jobs)
            embeddings = {"gskn": np.asarray(model.fit_transform(data.graphs))}
            figure = plot_embedding(embeddings, data.y, title=title, seed=seed)
            heading = "Map of the graphs by embedding, colored by class"
            body += _figure_section(heading, figure)
        body += _error_section(data, folds, seed, jobs)
        page = html_page(f"Evaluation of {title}", body)
        with whole_file(path) as temporary:
            temporary.write_text(page, encoding="utf-8")


def _table_section(results: Results, metric: str) -> str:
    """Return the table of scores with a heading."""
    from gskn._html import html_table

    rows = results.rows(metric)
    names = list(rows[0]) if rows else []
    table = html_table(names, [list(row.values()) for row in rows])
    heading = describe_metric(metric)
    heading = f"<h2>{_escape(heading[:1].upper() + heading[1:])}</h2>"
    return f'{heading}<div class="card scroll">{table}</div>'


def _figure_section(heading: str, figure: "Figure") -> str:
    """Return a section with a figure as SVG."""
    from io import StringIO

    from matplotlib import rc_context

    text = StringIO()
    # Names inside the file do not depend on the process.
    with rc_context({"svg.hashsalt": "gskn"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    return f'<h2>{_escape(heading)}</h2><div class="card plot">{svg}</div>'


def _error_section(data: "Dataset", folds: str, seed: int, jobs: int | None) -> str:
    """Return the confusion matrix and the explained errors of one fold.

    A model of `gskn train` is fitted to the training graphs of the first fold.
    """
    import numpy as np

    from gskn import GSKNClassifier, GSKNRegressor
    from gskn.evaluation import split
    from gskn.explain import explain_cards

    train, test = split(data, folds, seed)[0]
    kind = GSKNClassifier if data.targets == "classes" else GSKNRegressor
    model = kind(random_state=seed, n_jobs=jobs).fit(data.graphs[train], data.y[train])
    predicted = model.predict(data.graphs[test])
    note = (
        f"A {kind.__name__} with default parameters was fitted to the {len(train):,} "
        f"training graphs of the first fold, and predicts its {len(test):,} test graphs."
    )
    html = ""
    if data.targets == "classes":
        html += _confusion(model.classes_, data.y[test], predicted)
    errors = _largest_errors(model, data, test, predicted)
    what = "Most confident errors" if data.targets == "classes" else "Largest errors"
    html = f'<h2>One fold in detail</h2><p class="soft">{_escape(note)}</p>{html}'
    if not len(errors):
        return f"{html}<p>All test graphs of this fold are predicted correctly.</p>"
    numbers = test[errors]
    names: Any = [f"graph {number}" for number in numbers.tolist()]
    graphs = data.graphs[numbers]
    if graphs.graph_names is None:
        graphs = graphs.with_graph_names(names)
    wrong = np.asarray(predicted)[errors]
    target = wrong if data.targets == "classes" else None
    cards = explain_cards(model, graphs, target, y=data.y[numbers].tolist())
    return f"{html}<h2>{what}, explained</h2>{cards}"


def _largest_errors(
    model: "Predictor", data: "Dataset", test: "AnyArray", predicted: "AnyArray"
) -> "AnyArray":
    """Return the positions of the worst predictions among the test graphs."""
    import numpy as np

    from gskn import GSKNClassifier

    y = data.y[test]
    if not isinstance(model, GSKNClassifier):
        sizes = np.abs(np.asarray(predicted) - y)
        return np.argsort(-sizes, kind="stable")[:_MAX_ERRORS]
    wrong = np.flatnonzero(np.asarray(predicted) != y)
    if not len(wrong):
        return wrong
    rows = model.predict_proba(data.graphs[test[wrong]])
    confidence = rows[
        np.arange(len(wrong)), np.searchsorted(model.classes_, predicted[wrong])
    ]
    return wrong[np.argsort(-confidence, kind="stable")[:_MAX_ERRORS]]


def _confusion(classes: "AnyArray", y: "AnyArray", predicted: "AnyArray") -> str:
    """Return the confusion matrix as a table; darker cells have more graphs."""
    import numpy as np

    if len(classes) > _MAX_CLASSES:
        return ""
    counts = np.array(
        [[int(((y == a) & (predicted == b)).sum()) for b in classes] for a in classes]
    )
    head = "".join(f"<th>{_escape(str(b))}</th>" for b in classes)
    rows = []
    for name, row in zip(classes, counts, strict=True):
        total = max(int(row.sum()), 1)
        shades = (f"rgba(70, 130, 220, {0.5 * n / total:.2f})" for n in row.tolist())
        cells = "".join(
            f'<td style="background: {shade}">{n:,}</td>'
            for n, shade in zip(row.tolist(), shades, strict=True)
        )
        rows.append(f"<tr><th>{_escape(str(name))}</th>{cells}</tr>")
    return (
        '<h3>Known classes (rows) and predictions (columns)</h3><div class="card scroll">'
        f'<table class="confusion"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _escape(text: str) -> str:
    from html import escape

    return escape(text)
