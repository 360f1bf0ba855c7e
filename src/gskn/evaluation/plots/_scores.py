"""Plots of the scores of models, one panel per data set."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from gskn._optional import require
from gskn._validation import check_fraction
from gskn.evaluation._records import Record, metric_name
from gskn.evaluation._scores import (
    VALUE_METRICS,
    Summary,
    is_error,
    summarize_records,
)
from gskn.evaluation.plots._style import (
    DASHES,
    GRAY,
    INK,
    add_legend,
    add_title,
    new_panels,
    plot_style,
    point_styles,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROC_AUC = "roc_auc"
_MIN_RANGE = 10.0  # percent


def plot_scores(
    records: Sequence[Record],
    *,
    metric: str = "accuracy",
    chance: Mapping[str, float] | None = None,
    title: str | None = None,
) -> "Figure":
    """Plot the scores of models: one panel per data set, one row per model.

    A point is the mean, and its interval is one standard deviation over folds in both
    directions, as in `summarize`. Panels have different axes.

    Parameters
    ----------
    records : sequence of Record
        Records of one protocol, and of one run for every model and data set, in the order
        of panels and rows.
    metric : str, default="accuracy"
        Name of a score. It is plotted in percent, except for the scores of real targets
        (``rmse``, ``mae`` and ``r2``).
    chance : mapping of str to float or None, default=None
        Fraction of the largest class by data set, drawn as a vertical line. For ROC-AUC
        the line is at 50 percent, and the axis starts at 0.
    title : str or None, default=None
        Title of the figure; metric and protocol if None.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A new figure.

    Examples
    --------
    >>> record = Record("MUTAG", "gskn", "nested", 0, 0, 0, {}, {"accuracy": 0.9})
    >>> [panel.get_xlabel() for panel in plot_scores([record]).axes]
    ['Accuracy in percent']
    """
    summaries = summarize_records(records, metric)
    models = list(dict.fromkeys(record.model for record in records))
    styles = point_styles(models, "models")
    if metric == _ROC_AUC:  # of predictions that do not depend on the sample
        chance = dict.fromkeys(summaries, 0.5)
    chances = {
        data: check_fraction(value, f"chance of {data}")
        for data, value in (chance or {}).items()
        if data in summaries
    }
    label = metric_name(metric)
    label = f"{label[0].upper()}{label[1:]}"
    scale = _Scale.from_metric(metric)
    with plot_style():
        n_columns = {1: 1, 2: 2, 4: 2}.get(len(summaries), 3)
        height = 0.24 * len(models) + 0.75
        figure, panels = new_panels(
            len(summaries),
            n_columns=n_columns,
            width=2.9,
            height=height,
            beside=models,
            sharey=True,
        )
        for number, (data, by_model) in enumerate(summaries.items()):
            _draw_panel(panels[number], by_model, styles, scale, chances.get(data))
            panels[number].set_title(textwrap.fill(data, 28))
            if number + n_columns >= len(panels):
                panels[number].set_xlabel(f"{label}{scale.remark}")
        panels[0].set_yticks(range(len(models)), models)
        panels[0].set_ylim(len(models) - 0.4, -0.6)  # the first model is at the top
        repeats = len({record.repeat for record in records})
        line = "Random order" if metric == _ROC_AUC else "Fraction of the largest class"
        _draw_legend(figure, repeats, chance=line if chances else None)
        add_title(figure, title or _default_title(label, records[0].protocol))
        return figure


class _Scale(NamedTuple):
    """How a metric is shown."""

    factor: float
    min_range: float  # of an axis; a smaller one would exaggerate noise
    largest: float  # tick
    remark: str
    start: float | None = None  # of the axis; None fits the axis to the values

    @classmethod
    def from_metric(cls, metric: str) -> Self:
        """Return percent for scores of classes; else the metric itself."""
        if metric not in VALUE_METRICS:
            start = 0.0 if metric == _ROC_AUC else None
            return cls(100.0, _MIN_RANGE, 100.0, " in percent", start)
        if is_error(metric):
            return cls(1.0, 0.0, np.inf, " (lower is better)")
        return cls(1.0, _MIN_RANGE / 100, 1.0, "")


def _default_title(label: str, protocol: str) -> str:
    remark = " (selected on the test folds, for comparison only)"
    return f"{label}, {protocol} protocol{remark if protocol == 'paper' else ''}"


def _draw_panel(
    panel: "Axes",
    summaries: Mapping[str, Summary],
    styles: Mapping[str, dict[str, Any]],
    scale: _Scale,
    chance: float | None,
) -> None:
    transform = panel.get_yaxis_transform()  # x is 0 at the left edge, 1 at the right edge
    for row, (model, style) in enumerate(styles.items()):
        summary = summaries.get(model)
        if summary is None or np.isnan(summary.mean):
            text = "not run" if summary is None else "undefined"
            panel.text(1.02, row, text, transform=transform, va="center", color=GRAY)
            continue
        mean, std = scale.factor * summary.mean, scale.factor * summary.std_folds
        panel.errorbar(
            mean,
            row,
            xerr=std,
            label=model,
            markersize=6.5,
            elinewidth=1.8,
            capsize=3,
            markeredgecolor=INK,
            markeredgewidth=0.5,
            **style,
        )
        text = f"{mean:.1f}" if scale.factor > 1 else f"{mean:.3g}"
        panel.text(1.02, row, text, transform=transform, va="center", color=GRAY)
    if chance is not None:
        panel.axvline(
            scale.factor * chance, color=GRAY, linestyle=DASHES, linewidth=1, zorder=1
        )
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)
    lines = [] if chance is None else [scale.factor * chance]
    _set_range(panel, [*_ends(summaries, scale), *lines], scale)


def _ends(summaries: Mapping[str, Summary], scale: _Scale) -> list[float]:
    """Return the ends of all intervals."""
    ends = [
        scale.factor * (summary.mean + sign * summary.std_folds)
        for summary in summaries.values()
        for sign in (-1, 1)
    ]
    return [end for end in ends if not np.isnan(end)]


def _set_range(panel: "Axes", values: Sequence[float], scale: _Scale) -> None:
    """Show all values; intervals may exceed the largest score, ticks do not."""
    low, high = (min(values), max(values)) if values else (0.0, scale.factor)
    pad = max(0.06 * (high - low), (scale.min_range - (high - low)) / 2)
    pad = pad or 0.06 * abs(high) or 1.0  # a single value of an error
    low, high = low - pad, high + pad
    if scale.start is not None:
        low, high = scale.start, max(high, scale.largest)
    ticker = require("matplotlib.ticker", extra="plots")
    locator = ticker.MaxNLocator(7, steps=[1, 2, 5, 10])
    ticks = locator.tick_values(low, high)
    panel.set_xticks(ticks[(ticks >= low) & (ticks <= min(high, scale.largest + 1e-9))])
    panel.set_xlim(low, high)


def _draw_legend(figure: "Figure", n_repeats: int, *, chance: str | None) -> None:
    line = require("matplotlib.lines", extra="plots").Line2D
    label = "Mean and standard deviation over folds"
    label += f", {n_repeats} repeats" if n_repeats > 1 else ""
    handles = [line([], [], color=GRAY, marker="o", linewidth=1.8, label=label)]
    if chance is not None:
        dashed = {"color": GRAY, "linestyle": DASHES, "linewidth": 1}
        handles.append(line([], [], label=chance, **dashed))
    add_legend(figure, handles)
