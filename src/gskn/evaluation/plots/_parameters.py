"""Plots of scores against parameters, one panel per parameter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray
from gskn.evaluation.plots._style import (
    DASHES,
    GRAY,
    add_legend,
    add_title,
    new_panels,
    plot_style,
    point_styles,
)
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Label and axis scale of a parameter.
_PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "anonymous_length": ("Anonymous walk length", {"value": "linear"}),
    "walk_length": ("Walk length", {"value": "linear"}),
    "n_walks": ("Walks per node", {"value": "log"}),
    "alpha": ("Alpha", {"value": "log"}),
    "beta": ("Beta", {"value": "log"}),
    "alpha = beta": ("Alpha and beta", {"value": "log"}),
    "n_landmarks": ("Landmarks", {"value": "log", "base": 2}),
    "embedding_size": ("Embedding size", {"value": "log", "base": 2}),
}
_LETTER_WIDTH = 0.03  # of a tick label, as a fraction of the axis


@dataclass(frozen=True)
class Curve:
    """Scores on one data set for several values of one parameter.

    Attributes
    ----------
    parameter : str
        "anonymous_length", "walk_length", "n_walks", "alpha", "beta", "alpha = beta",
        "n_landmarks" or "embedding_size", which have their own labels and axes
        (logarithmic except for lengths). Any other name has a linear axis.
    data : str
        Label of the curve, for example the name of the data set.
    values : sequence of float
        Values of the parameter, in any order.
    means, stds : sequence of float
        Mean score and standard deviation over folds for every value, between 0 and 1.
    reference : float or None, default=None
        Mean score of the exact computation, drawn as a horizontal line.
    """

    parameter: str
    data: str
    values: Sequence[float]
    means: Sequence[float]
    stds: Sequence[float]
    reference: float | None = None


def plot_parameters(
    curves: Sequence[Curve], *, metric: str = "Accuracy", title: str | None = None
) -> "Figure":
    """Plot scores against parameters: one panel per parameter, one line per data set.

    Parameters
    ----------
    curves : sequence of Curve
        Curves in the order of panels and lines.
    metric : str, default="Accuracy"
        Name of the score, which is plotted in percent.
    title : str or None, default=None
        Title of the figure; "<metric> by parameter" if None.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A new figure.

    Examples
    --------
    >>> curve = Curve("n_walks", "PTC", [10, 30], [0.5, 0.6], [0.1, 0.1])
    >>> [panel.get_xlabel() for panel in plot_parameters([curve]).axes]
    ['Walks per node']
    """
    if not curves:
        raise InputError("curves is empty.")
    for curve in curves:
        _check_curve(curve)
    parameters = list(dict.fromkeys(curve.parameter for curve in curves))
    names = list(dict.fromkeys(curve.data for curve in curves))
    styles = point_styles(names, "lines")
    with plot_style():
        n_columns = min(len(parameters), 2 if len(parameters) in {2, 4} else 3)
        figure, panels = new_panels(
            len(parameters), n_columns=n_columns, width=3.1, height=2.4, sharey=True
        )
        for panel, parameter in zip(panels, parameters, strict=True):
            panel_curves = [curve for curve in curves if curve.parameter == parameter]
            for curve in panel_curves:
                _draw_curve(panel, curve, styles[curve.data])
            values = np.concatenate([curve.values for curve in panel_curves])
            _set_ticks(panel, parameter, np.unique(values))
        for panel in panels[::n_columns]:
            panel.set_ylabel(f"{metric} in percent")
        has_reference = any(curve.reference is not None for curve in curves)
        _draw_legend(figure, styles, has_reference=has_reference)
        add_title(figure, title or f"{metric} by parameter")
        return figure


def _check_curve(curve: Curve) -> None:
    n_values = len(curve.values)
    name = f"The curve of {curve.parameter} on {curve.data}"
    if not n_values == len(curve.means) == len(curve.stds) or not n_values:
        raise InputError(
            f"{name} has {n_values} values, {len(curve.means)} means and "
            f"{len(curve.stds)} standard deviations. Expected equal numbers, at least 1."
        )
    lower_bound = 0.0 if _axis(curve.parameter)[1]["value"] == "log" else -np.inf
    invalid = [value for value in curve.values if not lower_bound < value < np.inf]
    if invalid:
        raise InputError(
            f"{name} has the value {invalid[0]:g}, which its axis cannot show."
        )


def _axis(parameter: str) -> tuple[str, dict[str, Any]]:
    name = parameter.replace("_", " ")
    return _PARAMETERS.get(parameter, (name[:1].upper() + name[1:], {"value": "linear"}))


def _draw_curve(panel: "Axes", curve: Curve, style: dict[str, Any]) -> None:
    order = np.argsort(curve.values)
    values, means, stds = (
        np.asarray(column, dtype=np.float64)[order]
        for column in (
            curve.values,
            100 * np.asarray(curve.means),
            100 * np.asarray(curve.stds),
        )
    )
    color = style["color"]
    panel.fill_between(
        values, means - stds, means + stds, color=color, alpha=0.15, linewidth=0
    )
    if len(values) == 1:  # an area without width is invisible
        panel.vlines(values, means - stds, means + stds, color=color, alpha=0.3)
    panel.plot(values, means, label=curve.data, markersize=5, linewidth=1.6, **style)
    if curve.reference is not None:
        panel.axhline(100 * curve.reference, color=color, linestyle=DASHES, linewidth=1.3)


def _set_ticks(panel: "Axes", parameter: str, values: FloatArray) -> None:
    """Label the axis, with ticks at as many of the values as fit."""
    name, scale = _axis(parameter)
    panel.set_xlabel(name)
    panel.set_xscale(**scale)
    panel.xaxis.set_minor_locator(require("matplotlib.ticker", extra="plots").NullLocator())
    coordinates = np.log(values) if scale["value"] == "log" else values
    extent = max(np.ptp(coordinates), np.finfo(float).tiny)
    positions = (coordinates - coordinates[0]) / extent
    texts = [f"{value:g}" for value in values]
    ticks = [0]
    for number in range(1, len(values)):
        letters = (len(texts[ticks[-1]]) + len(texts[number])) / 2
        if positions[number] - positions[ticks[-1]] >= _LETTER_WIDTH * (letters + 0.5):
            ticks.append(number)
    panel.set_xticks(values[ticks], [texts[number] for number in ticks])


def _draw_legend(
    figure: "Figure", styles: dict[str, dict[str, Any]], *, has_reference: bool
) -> None:
    line = require("matplotlib.lines", extra="plots").Line2D
    patch = require("matplotlib.patches", extra="plots").Patch
    handles = [
        line([], [], label=name, linewidth=1.6, **style) for name, style in styles.items()
    ]
    if has_reference:
        handles.append(line([], [], color=GRAY, linestyle=DASHES, label="Exact"))
    handles.append(
        patch(color=GRAY, alpha=0.2, linewidth=0, label="Standard deviation over folds")
    )
    add_legend(figure, handles)
