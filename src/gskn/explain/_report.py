"""A report of explanations as one page of HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from gskn._html import html_page
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_int
from gskn.estimators import GSKNClassifier, GSKNRegressor
from gskn.exceptions import InputError
from gskn.explain._additive import Additive
from gskn.explain._applicability import Applicability, applicability
from gskn.explain._colors import color_of, legend_svg
from gskn.explain._explain import can_list, explain_views
from gskn.explain._explanation import Explanation
from gskn.explain._global import GlobalPatterns, summarize_patterns
from gskn.explain._layout import draw_pattern
from gskn.explain._names import Pattern
from gskn.explain._pictures import SIZE, draw_values, edge_values_of
from gskn.graphs import GraphBatch

_FEW_NODES = 6  # for which a picture is half as high
_N_NODES = 5  # in the table of a graph
_N_PATTERNS = 5
_N_GLOBAL = 12
_ROUNDING = 1e-6  # smaller remainders are shown as zero
_QUANTILE = 0.99  # of contributions: larger ones have the full color
_PATTERN_NOTE = (
    "Circles contain the label or the degree of a node, or both (C:2), above the order of "
    "visits. Circles of anonymous patterns contain only the order of visits. Dashed edges "
    "are not crossed."
)


@dataclass(frozen=True)
class _Some:
    """An explanation of some graphs of a report."""

    explanation: Explanation | None
    places: IndexArray  # of every graph of the report; -1 for the others

    def of(self, number: int) -> Explanation | None:
        """Return the explanation of one graph, or None."""
        place = int(self.places[number])
        return None if self.explanation is None or place < 0 else self.explanation[place]


@dataclass(frozen=True)
class _Parts:
    """Everything that a report shows."""

    model: Any
    nodes: Explanation
    edges: _Some
    patterns: _Some
    probability: FloatArray | None
    rates: FloatArray | None  # fraction of training graphs of the explained class, or mean
    predicted: AnyArray
    y: Sequence[Any] | None
    near: Applicability | None
    names: list[str]
    scale: float


def explain_html(
    model: Any,
    graphs: Any,
    target: object = None,
    *,
    y: Sequence[Any] | None = None,
    title: str = "Explanations",
    max_graphs: int = 50,
    reference: Any = None,
) -> str:
    """Return a report of explanations: one page of HTML without external files.

    Molecules are drawn by RDKit if it is installed, other graphs by networkx. One scale of
    colors holds for the whole report.

    Parameters
    ----------
    model : GSKNClassifier, GSKNRegressor or Pipeline
        Fitted model, as in `explain`.
    graphs : graphs
        Anything that `as_batch` accepts.
    target : object, default=None
        Class to explain, as in `explain`.
    y : sequence or None, default=None
        Known classes or values, which are shown beside the predictions.
    title : str, default="Explanations"
        Title of the page.
    max_graphs : int, default=50
        Largest number of graphs with a picture. All graphs are in the table.
    reference : graphs or None, default=None
        Training graphs. The report contains the nearest one of every graph and its
        distance, which shows whether the model knows similar graphs. None: the distance to
        the training graphs whose embeddings the model stores: the support vectors, or up to
        1,000 random ones for linear models.

    Returns
    -------
    html : str
        The page.

    Examples
    --------
    >>> from gskn import GSKNRegressor, datasets
    >>> from gskn.explain import explain_html
    >>> data = datasets.load("MUTAG")
    >>> model = GSKNRegressor(selection="none", random_state=0)
    >>> model = model.fit(data.graphs, data.graphs.graph_edges)
    >>> html = explain_html(model, data.graphs[:2], title="Number of bonds")
    >>> html.count("<article"), "<h1>Number of bonds</h1>" in html
    (2, True)
    """
    max_graphs = check_int(max_graphs, "max_graphs", minimum=1)
    parts = _compute(model, graphs, target, y, reference)
    n_shown = min(len(parts.nodes), max_graphs)
    body = [
        _introduction(parts, n_shown),
        _overview(parts, n_shown),
        _best_patterns(parts),
        f"<h2>{'Graphs' if n_shown > 1 else 'Graph'}</h2>",
        _legend(parts),
    ]
    body += [_article(parts, number) for number in range(n_shown)]
    return html_page(title, "".join(body))


def explain_cards(
    model: Any, graphs: Any, target: object = None, *, y: Sequence[Any] | None = None
) -> str:
    """Return notes, legend and cards of a report, for another page.

    ``target`` may be an array of one class per graph.
    """
    parts = _compute(model, graphs, target, y)
    cards = [_article(parts, number) for number in range(len(parts.nodes))]
    words = [_rate_note(parts), "" if parts.near is None else parts.near.description]
    words.append(_PATTERN_NOTE)
    notes = escape(" ".join(filter(None, words)))
    return f'<p class="soft">{notes}</p>{_legend(parts)}{"".join(cards)}'


def _legend(parts: _Parts) -> str:
    return f'<div class="legend">{legend_svg(parts.scale, "lowers", "raises")}</div>'


def _compute(
    model: Any,
    graphs: Any,
    target: object,
    y: Sequence[Any] | None,
    reference: Any = None,
) -> _Parts:
    additive = Additive.from_model(model)
    batch = additive.read(graphs)
    if y is not None and len(y) != batch.n_graphs:
        raise InputError(f"y has {len(y)} entries for {batch.n_graphs} graphs.")
    if isinstance(target, np.ndarray) and additive.classes is not None:
        targets = np.searchsorted(additive.classes, target)
    else:
        targets = additive.targets(batch, target)
    nodes, edges = _explain_visits(additive, batch, targets)
    patterns = _explain_some(additive, batch, targets, [("patterns", "visited")])
    values = np.abs(nodes.contributions)
    scale = float(np.quantile(values, _QUANTILE)) if len(values) else 1.0
    return _Parts(
        model=additive.model,
        nodes=nodes,
        edges=edges,
        patterns=patterns[0],
        probability=_probabilities(additive, batch, nodes),
        rates=_rates(additive, targets),
        predicted=additive.predict(batch),
        y=y,
        near=applicability(additive, batch, reference),
        names=_graph_names(batch),
        scale=scale or 1.0,
    )


def _explain_visits(
    additive: Additive, batch: GraphBatch, targets: IndexArray
) -> tuple[Explanation, _Some]:
    """Return the contributions of nodes, and of the edges of as many graphs as possible.

    Contributions belong to visited nodes where edges are known, and else to starts.
    """
    views = [("nodes", "visited"), ("edges", "visited")]
    visited, edges = _explain_some(additive, batch, targets, views)
    chosen = edges.places >= 0
    if visited.explanation is not None and chosen.all():
        return visited.explanation, edges
    (nodes,) = explain_views(additive, batch, targets, (("nodes", "start"),))
    if visited.explanation is not None:
        values = nodes.contributions.copy()
        values[chosen[batch.node_graphs]] = visited.explanation.contributions
        nodes = replace(nodes, contributions=values)
    return nodes, edges


def _explain_some(
    additive: Additive,
    batch: GraphBatch,
    targets: IndexArray,
    views: Sequence[tuple[str, str]],
) -> list[_Some]:
    """Return explanations of all graphs whose walks are not sampled and not too many."""
    chosen = np.flatnonzero(can_list(additive, batch, views[0]))
    places = np.full(batch.n_graphs, -1)
    if not len(chosen) and batch.n_graphs:
        return [_Some(None, places) for _ in views]
    try:
        explained = explain_views(additive, batch[chosen], targets[chosen], views)
    except InputError:  # walks are sampled
        return [_Some(None, places) for _ in views]
    places[chosen] = np.arange(len(chosen))
    return [_Some(explanation, places) for explanation in explained]


def _probabilities(
    additive: Additive, batch: GraphBatch, nodes: Explanation
) -> FloatArray | None:
    """Return the probability of the explained class of every graph."""
    if additive.classes is None or nodes.targets is None:
        return None
    if not hasattr(additive.model, "predict_proba"):
        return None
    rows = np.asarray(additive.predict_probabilities(batch))
    columns = np.searchsorted(additive.classes, np.array(nodes.targets))
    return np.asarray(rows[np.arange(len(rows)), columns])


def _rates(additive: Additive, targets: IndexArray) -> FloatArray | None:
    """Return what holds for a graph of which nothing is known; None if this is unknown."""
    model = additive.model
    if isinstance(model, GSKNRegressor):
        return np.full(len(targets), model.mean_target_)
    if isinstance(model, GSKNClassifier) and model.class_frequencies_ is not None:
        return np.asarray(model.class_frequencies_[targets])
    return None


def _graph_names(batch: GraphBatch) -> list[str]:
    if batch.graph_names is None:
        return [f"graph {number}" for number in range(batch.n_graphs)]
    return [str(name) for name in batch.graph_names]


def _introduction(parts: _Parts, n_shown: int) -> str:
    model, nodes = parts.model, parts.nodes
    kernel = getattr(model, "kernel_", "linear")
    what = "predicted value" if nodes.targets is None else "decision value"
    first = (
        f"{len(nodes):,} graph{'s' * (len(nodes) != 1)}, explained by "
        f"{type(model).__name__} ({kernel} kernel). A contribution is the part of the "
        f"{what} that belongs to the walks through a node: orange parts raise it, blue "
        "parts lower it."
    )
    words = [first]
    targets = sorted(set(map(str, nodes.targets or ())))
    if len(targets) == 1:
        words.append(f"The explained class is {targets[0]}.")
    if nodes.exact:
        words.append("The baseline and all contributions add up to the prediction exactly.")
    else:
        cause = "its logarithmic pooling" if kernel == "linear" else f"its {kernel} kernel"
        words.append(
            f"The model is not a sum over walks because of {cause}: contributions are "
            "first-order, and the remainder is what they do not explain."
        )
    words += filter(None, [_rate_note(parts)])
    n_starts = int((parts.edges.places < 0).sum())
    if n_starts:
        of = f"of {n_starts:,} graphs " if n_starts < len(nodes) else ""
        words.append(
            f"Walks {of}are sampled or too many to list, so they are assigned to their "
            "starts."
        )
    html = f"<p>{' '.join(map(escape, words))}</p>"
    notes = "Contributions show what the model uses, not what causes the property."
    if n_shown < len(nodes):
        notes += f" Pictures show the first {n_shown} graphs."
    if parts.near is not None:
        notes += f" {parts.near.description}"
    if len(nodes) == 1 and parts.patterns.explanation is not None:
        notes += f" {_PATTERN_NOTE}"
    return f'{html}<p class="soft">{escape(notes)}</p>'


def _rate_note(parts: _Parts) -> str:
    if parts.rates is None:
        return ""
    if parts.nodes.targets is None:
        return "The training mean is the mean target of the training graphs."
    return (
        "The baseline rate is the fraction of the training graphs that have the explained "
        "class."
    )


def _overview(parts: _Parts, n_shown: int) -> str:
    """Return one row per graph; a click on a header sorts the rows."""
    has_classes = parts.nodes.targets is not None
    header = ["graph", "predicted"]
    header += ["known"] if parts.y is not None else []
    header += ["decision value"] if has_classes else []
    header += ["probability"] if parts.probability is not None else []
    header += ["remainder"] if not parts.nodes.exact else []
    header += ["distance"] if parts.near is not None else []
    rows = []
    for number, name in enumerate(parts.names):
        link = escape(name)
        if number < n_shown:
            link = f'<a href="#graph-{number}">{link}</a>'
        cells = [f'<td class="name">{link}</td>', _cell(parts.predicted[number])]
        if parts.y is not None:
            cells.append(_cell(parts.y[number]))
        if parts.nodes.targets is not None:
            cells.append(_number(parts.nodes.prediction[number], sign=True))
        if parts.probability is not None:
            cells.append(_number(parts.probability[number]))
        if not parts.nodes.exact:
            cells.append(_number(_round(parts.nodes.remainder[number]), sign=True))
        if parts.near is not None:
            cells.append(_number(parts.near.distances[number]))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    numbers = {"decision value", "probability", "remainder", "distance"}
    head = "".join(
        f'<th class="number">{name}</th>' if name in numbers else f"<th>{name}</th>"
        for name in header
    )
    return (
        '<h2>Overview</h2><div class="card scroll"><table class="sortable"><thead><tr>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _best_patterns(parts: _Parts) -> str:
    if parts.patterns.explanation is None or len(parts.nodes) < 2:
        return ""
    best: GlobalPatterns = summarize_patterns(parts.patterns.explanation, _N_GLOBAL)
    largest = float(best.magnitudes.max(initial=0.0)) or 1.0
    rows = []
    for pattern, total, magnitude, count in zip(
        best.patterns, best.contributions, best.magnitudes, best.n_graphs, strict=True
    ):
        bar = _bar(total, magnitude / largest, 90)
        rows.append(
            f"<tr>{_pattern_cell(pattern)}{_number(total, sign=True)}"
            f'<td class="wide" data-value="{magnitude:.9g}">{bar}</td>'
            f'<td class="number">{count:,}</td></tr>'
        )
    return (
        "<h2>Patterns with the largest contributions</h2>"
        f'<p class="soft">Kinds of walks, over all graphs. {_PATTERN_NOTE}</p>'
        '<div class="card scroll"><table class="sortable"><thead><tr><th>pattern</th>'
        '<th class="number">total contribution</th><th class="wide">absolute sum</th>'
        f'<th class="number">graphs</th></tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def _article(parts: _Parts, number: int) -> str:
    """Return picture and tables of one graph."""
    nodes = parts.nodes[number]
    edges = edge_values_of(parts.edges.of(number))
    size = SIZE if nodes.graphs.n_nodes > _FEW_NODES else (SIZE[0], SIZE[1] // 2)
    picture = draw_values(nodes.graphs, nodes.node_values(), edges, parts.scale, size)
    return (
        f'<article class="card graph" id="graph-{number}"><header>'
        f"<h3>{escape(_shorten(parts.names[number], 90))}</h3>{_facts(parts, number)}"
        f'</header><div><div class="picture">{picture}</div>{_top_nodes(nodes, parts)}'
        f"</div><div>{_top_patterns(parts, number)}</div></article>"
    )


def _facts(parts: _Parts, number: int) -> str:
    """Return prediction, contributions and distance of one graph."""
    nodes = parts.nodes
    items = _prediction(parts, number)
    items.append(("baseline", f"{nodes.baseline[number]:+.3g}"))
    items.append(("contributions", f"{nodes.sums[number]:+.3g}"))
    if not nodes.exact:
        remainder = _round(nodes.remainder[number])
        items.append(("remainder", f"{remainder:+.2g}" if remainder else "0"))
    if parts.near is not None:
        distance = f"{parts.near.distances[number]:.2f}"
        if parts.near.distances[number] > 1.5 * parts.near.usual:
            distance += " (unusual)"
        items.append(("distance", distance))
        if parts.near.nearest is not None:
            items.append(("nearest", _shorten(parts.near.nearest[number])))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in items
    )
    return f'<dl class="facts">{cells}</dl>'


def _prediction(parts: _Parts, number: int) -> list[tuple[str, str]]:
    """Return the prediction, what is known, and the rate or mean of training graphs."""
    nodes = parts.nodes
    items = [("predicted", _text(parts.predicted[number]))]
    if parts.y is not None:
        items.append(("known", _text(parts.y[number])))
    if nodes.targets is not None:
        items.append(
            (f"decision for {nodes.targets[number]}", f"{nodes.prediction[number]:+.3g}")
        )
    if parts.probability is not None:
        items.append(("probability", f"{parts.probability[number]:.3f}"))
    if parts.rates is not None and nodes.targets is not None:
        items.append(("baseline rate", f"{parts.rates[number]:.3f}"))
    elif parts.rates is not None:
        items.append(("training mean", _text(parts.rates[number])))
    return items


def _top_nodes(nodes: Explanation, parts: _Parts) -> str:
    labels, names = nodes.graphs.node_labels, nodes.names
    rows = []
    for entry in nodes.order.tolist():
        value = float(nodes.contributions[entry])
        label = ""
        if labels is not None:
            text = _label(nodes.graphs.label_values[labels[entry]])
            label = f"<td>{escape(_shorten(text))}</td>"
        bar = _bar(value, abs(value) / parts.scale, 60)
        rows.append(
            f"<tr><td>{escape(_shorten(str(names[entry])))}</td>{label}"
            f"{_number(value, sign=True)}<td>{bar}</td></tr>"
        )
    head = (
        f"<thead><tr><th>node</th>{'' if labels is None else '<th>label</th>'}"
        '<th class="number">contribution</th><th></th></tr></thead>'
    )
    first = f"<table>{head}<tbody>{''.join(rows[:_N_NODES])}</tbody></table>"
    if len(rows) <= _N_NODES:
        return f"<h4>Nodes</h4>{first}"
    rest = f"<table>{head}<tbody>{''.join(rows[_N_NODES:200])}</tbody></table>"
    n_left = len(rows) - _N_NODES
    return (
        f"<h4>Largest contributions of {len(rows):,} nodes</h4>{first}"
        f"<details><summary>{n_left:,} more</summary>{rest}</details>"
    )


def _top_patterns(parts: _Parts, number: int) -> str:
    patterns = parts.patterns.of(number)
    if patterns is None:
        return ""
    listed = patterns.patterns or ()
    largest = float(np.abs(patterns.contributions).max(initial=0.0)) or 1.0
    rows = []
    for entry in patterns.order[:_N_PATTERNS].tolist():
        value = float(patterns.contributions[entry])
        rows.append(
            f"<tr>{_pattern_cell(listed[entry])}{_number(value, sign=True)}"
            f"<td>{_bar(value, abs(value) / largest, 60)}</td></tr>"
        )
    return (
        f"<h4>Largest contributions of {len(listed):,} patterns</h4><table><thead><tr>"
        '<th>pattern</th><th class="number">contribution</th><th></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _pattern_cell(pattern: Pattern) -> str:
    name = escape(pattern.name)
    return (
        f'<td><div class="pattern">{draw_pattern(pattern)}<span class="soft">{name}</span>'
        "</div></td>"
    )


def _bar(value: float, share: float, width: int) -> str:
    color = color_of(value, abs(value) or 1.0)
    pixels = max(2, round(width * min(share, 1.0)))
    return f'<span class="bar" style="width:{pixels}px;background:{color}"></span>'


def _number(value: float, *, sign: bool = False) -> str:
    text = f"{value:+.3g}" if sign else f"{value:.3f}"
    return f'<td class="number" data-value="{float(value):.9g}">{text}</td>'


def _round(value: float) -> float:
    """Return zero for rounding errors."""
    return value if abs(value) > _ROUNDING else 0.0


def _cell(value: Any) -> str:
    return f"<td>{escape(_text(value))}</td>"


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def _label(label: Any) -> str:
    return "/".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _shorten(text: str, length: int = 48) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
